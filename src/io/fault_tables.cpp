#include "fault_tables.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "initial_joints.hpp"

namespace knuckleboom::io {
namespace {

using command::Fault;
using command::FaultKind;

constexpr double kLongest = 1e5;       // s
constexpr double kLargestLeak = 1e-6;  // m^3/(s Pa): no resistance to speak of
constexpr Range kShare{0.0, 100.0, true};

std::optional<FaultKind> kind_of(TableReader& reader) {
  return reader.choice<FaultKind>("kind", {{"sticking_spool", FaultKind::kStickingSpool},
                                           {"spool_offset", FaultKind::kSpoolOffset},
                                           {"worn_pump", FaultKind::kWornPump},
                                           {"air_in_oil", FaultKind::kAirInOil},
                                           {"hose_leak", FaultKind::kHoseLeak},
                                           {"cylinder_leak", FaultKind::kCylinderLeak},
                                           {"low_relief", FaultKind::kLowRelief},
                                           {"sensor_bias", FaultKind::kSensorBias},
                                           {"sensor_noise", FaultKind::kSensorNoise},
                                           {"sensor_dropout", FaultKind::kSensorDropout},
                                           {"lever_delay", FaultKind::kLeverDelay},
                                           {"controller_off", FaultKind::kControllerOff}});
}

double percent(TableReader& reader, std::string_view key, Range range) {
  return reader.required(key, Dimension::kNone, range) / 100.0;
}

double position(TableReader& reader, std::string_view stem, Range range,
                ScenarioPlaces::Place& place) {
  Dimension which = Dimension::kNone;
  const auto value = reader.quantity(stem, {Dimension::kAngle, Dimension::kLength}, range, which);
  if (!value && !reader.has(stem)) reader.missing(stem, {Dimension::kAngle, Dimension::kLength});
  place.unit =
      which == Dimension::kLength ? ScenarioPlaces::Unit::kLength : ScenarioPlaces::Unit::kAngle;
  return value.value_or(0.0);
}

void read_size(TableReader& reader, Fault& fault, ScenarioPlaces::Place& place) {
  switch (fault.kind) {
    case FaultKind::kStickingSpool:
      fault.size = percent(reader, "breakout_percent", {0.0, 400.0, true});
      break;
    case FaultKind::kSpoolOffset:
      fault.size = percent(reader, "offset_percent", {-100.0, 100.0});
      break;
    case FaultKind::kWornPump:
      fault.size =
          reader.quantity("pressure_loss_percent", Dimension::kNone, {0.0, 100.0}).value_or(0.0) /
          100.0;
      fault.flow_size =
          reader.quantity("flow_drop", Dimension::kLinearResistance, {0.0, 1e12}).value_or(0.0);
      if (!reader.has("pressure_loss_percent") && !reader.has("flow_drop"))
        reader.error("kind",
                     "a worn pump loses something; add 'pressure_loss_percent', "
                     "'flow_drop_Pa_s_per_m3' or both");
      break;
    case FaultKind::kAirInOil:
      fault.size = percent(reader, "stiffness_percent", {1.0, 100.0});
      break;
    case FaultKind::kHoseLeak:
      fault.port = reader.choice<int>("port", {{"a", 0}, {"b", 1}}).value_or(0);
      [[fallthrough]];
    case FaultKind::kCylinderLeak:
      fault.size =
          reader.required("leakage", Dimension::kFlowPerPressure, {0.0, kLargestLeak, true});
      break;
    case FaultKind::kLowRelief:
      fault.size = reader.required("relief", Dimension::kPressure, kPositive);
      break;
    case FaultKind::kSensorBias:
      fault.size = position(reader, "bias", kAny, place);
      break;
    case FaultKind::kSensorNoise:
      fault.size = position(reader, "deviation", kPositive, place);
      break;
    case FaultKind::kSensorDropout:
      fault.size = percent(reader, "lost_percent", kShare);
      break;
    case FaultKind::kLeverDelay:
      fault.size = reader.required("delay", Dimension::kTime, {0.0, 1.0, true});
      break;
    case FaultKind::kControllerOff:
      break;
  }
}

}  // namespace

void read_faults(TableReader& root, Report& report, std::vector<Fault>& faults,
                 std::vector<ScenarioPlaces::Place>& places) {
  for (const Node* node : root.tables("fault", command::kMaxFaults / 2)) {
    const Node* name = node->find("name");
    TableReader reader(report, *node,
                       name != nullptr && name->is_string() ? fmt::format("fault '{}'", name->text)
                                                            : std::string("the fault"));
    Fault fault;
    ScenarioPlaces::Place place = place_in(report, node->place, ScenarioPlaces::Unit::kNone);
    fault.name = reader.required_text("name");
    if (!fault.name.empty() && !is_name(fault.name))
      reader.error("name", fmt::format("\"{}\" is no name; a name starts with a letter and has "
                                       "letters, digits, '_' and '-' only, at most 64",
                                       fault.name));
    if (std::any_of(faults.begin(), faults.end(),
                    [&fault](const Fault& other) { return other.name == fault.name; }))
      reader.error("name", fmt::format("there are two faults '{}'; rename one", fault.name));
    const auto kind = kind_of(reader);
    if (!kind && !reader.has("kind"))
      reader.error("name",
                   fmt::format("{} lacks 'kind', such as \"cylinder_leak\"", reader.what()));
    fault.function = reader.text("function").value_or("");
    fault.ramp_s = reader.quantity("ramp", Dimension::kTime, {0.0, kLongest}).value_or(0.0);
    fault.at_s = reader.quantity("at", Dimension::kTime, {0.0, kLongest}).value_or(-1.0);
    fault.until_s = reader.quantity("until", Dimension::kTime, {0.0, kLongest}).value_or(-1.0);
    fault.hidden = reader.flag("hidden").value_or(false);
    if (fault.until_s >= 0.0 && fault.at_s < 0.0)
      reader.error("until", "it ends by itself but does not begin by itself; add 'at_s'");
    else if (fault.until_s >= 0.0 && fault.until_s <= fault.at_s)
      reader.error("until", "it ends before it begins; make 'until' later than 'at'");
    if (!kind) {
      // Which keys belong to it is not known: only what is certain is said.
      faults.push_back(std::move(fault));
      places.push_back(std::move(place));
      continue;
    }
    fault.kind = *kind;
    read_size(reader, fault, place);
    if (fault.function.empty() && command::needs_function(fault.kind))
      reader.error("kind",
                   fmt::format("a fault of kind \"{}\" is one of a function; add 'function' "
                               "with the joint's name",
                               command::name_of(fault.kind)));
    const bool whole = fault.kind == FaultKind::kWornPump || fault.kind == FaultKind::kLeverDelay;
    if (!fault.function.empty() && whole)
      reader.error("function", fmt::format("a fault of kind \"{}\" is one of the whole machine; "
                                           "remove 'function'",
                                           command::name_of(fault.kind)));
    reader.done();
    faults.push_back(std::move(fault));
    places.push_back(std::move(place));
  }
}

void read_fault_lot(TableReader& root, Report& report, const std::vector<Fault>& faults,
                    command::FaultLot& lot) {
  const Node* node = root.subtable("fault_lot");
  if (node == nullptr) return;
  TableReader reader(report, *node, "'fault_lot'");
  lot.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 0, std::numeric_limits<int>::max()).value_or(1));
  lot.draw = reader.integer("draw", 1, command::kMaxFaults).value_or(1);
  const Node* list = reader.any("candidates");
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
    reader.error("draw", "more are drawn than there are candidates; make 'draw' smaller");
  reader.done();
}

}  // namespace knuckleboom::io
