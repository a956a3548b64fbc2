#include "fault_tables.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "declare/exercise_keys.hpp"
#include "initial_joints.hpp"

namespace knuckleboom::io {
namespace {

using command::Fault;
using command::FaultKind;

namespace k = declare::keys::fault;

// An error or noise of a sensor, as an angle or a length.
void read_position(TableReader& reader, const Key& key, Fault& fault,
                   ScenarioPlaces::Place& place) {
  Dimension which = Dimension::kNone;
  fault.size = reader.either(key, which).value_or(0.0);
  place.unit =
      which == Dimension::kLength ? ScenarioPlaces::Unit::kLength : ScenarioPlaces::Unit::kAngle;
}

}  // namespace

void read_faults(TableReader& root, const Key& key, Report& report, std::vector<Fault>& faults,
                 std::vector<ScenarioPlaces::Place>& places) {
  for (const Node* node : root.tables(key)) {
    const Node* name = node->find(k::name.name);
    TableReader reader(report, *node, k::table,
                       name != nullptr && name->is_string() ? fmt::format("fault '{}'", name->text)
                                                            : std::string("the fault"));
    Fault fault;
    ScenarioPlaces::Place place = place_in(report, node->place, ScenarioPlaces::Unit::kNone);
    const bool known = reader.fill(fault);
    if (std::any_of(faults.begin(), faults.end(),
                    [&fault](const Fault& other) { return other.name == fault.name; }))
      reader.error(k::name, fmt::format("there are two faults '{}'; rename one", fault.name));
    if (fault.until_s >= 0.0 && fault.at_s < 0.0)
      reader.error(k::until, "it ends by itself but does not begin by itself; add 'at_s'");
    else if (fault.until_s >= 0.0 && fault.until_s <= fault.at_s)
      reader.error(k::until, "it ends before it begins; make 'until' later than 'at'");
    if (!known) {
      // Which keys belong to it is not known: only what is certain is said.
      faults.push_back(std::move(fault));
      places.push_back(std::move(place));
      continue;
    }
    if (fault.kind == FaultKind::kSensorBias) read_position(reader, k::bias, fault, place);
    if (fault.kind == FaultKind::kSensorNoise) read_position(reader, k::deviation, fault, place);
    if (fault.kind == FaultKind::kWornPump && !reader.has(k::pressure_loss) &&
        !reader.has(k::flow_drop))
      reader.error(k::kind,
                   "a worn pump loses something; add 'pressure_loss_percent', "
                   "'flow_drop_Pa_s_per_m3' or both");
    if (fault.function.empty() && command::needs_function(fault.kind))
      reader.error(k::kind,
                   fmt::format("a fault of kind \"{}\" is one of a function; add 'function' "
                               "with the joint's name",
                               command::name_of(fault.kind)));
    const bool whole = fault.kind == FaultKind::kWornPump || fault.kind == FaultKind::kLeverDelay;
    if (!fault.function.empty() && whole)
      reader.error(k::function, fmt::format("a fault of kind \"{}\" is one of the whole machine; "
                                            "remove 'function'",
                                            command::name_of(fault.kind)));
    reader.done();
    faults.push_back(std::move(fault));
    places.push_back(std::move(place));
  }
}

void read_fault_lot(TableReader& root, const Key& key, Report& report,
                    const std::vector<Fault>& faults, command::FaultLot& lot) {
  namespace k = declare::keys::fault_lot;
  const Node* node = root.subtable(key);
  if (node == nullptr) return;
  TableReader reader(report, *node, k::table, "'fault_lot'");
  reader.fill(lot);
  const Node* list = reader.any(k::candidates);
  const bool texts = list != nullptr && list->is_array() && !list->items.empty() &&
                     std::all_of(list->items.begin(), list->items.end(),
                                 [](const Node& item) { return item.is_string(); });
  if (!texts) {
    report.error(list != nullptr ? list->place : node->place,
                 "'fault_lot' needs 'candidates': an array with the names of faults");
    reader.done();
    return;
  }
  std::vector<std::string> names;
  for (const Fault& fault : faults) names.push_back(fault.name);
  for (const Node& item : list->items) {
    const auto found = std::find_if(faults.begin(), faults.end(),
                                    [&item](const Fault& f) { return f.name == item.text; });
    if (found == faults.end())
      report.error(item.place, fmt::format("there is no fault '{}'{}", item.text,
                                           alternatives(item.text, names)));
    else if (found->at_s < 0.0)
      report.error(item.place, fmt::format("fault '{}' is to be drawn but does not say when it "
                                           "begins; give it 'at_s'",
                                           item.text));
    if (std::find(lot.candidates.begin(), lot.candidates.end(), item.text) != lot.candidates.end())
      report.error(item.place, fmt::format("fault '{}' is named twice; remove one", item.text));
    lot.candidates.push_back(item.text);
  }
  if (static_cast<std::size_t>(lot.draw) > lot.candidates.size())
    reader.error(k::draw, "more are drawn than there are candidates; make 'draw' smaller");
  reader.done();
}

}  // namespace knuckleboom::io
