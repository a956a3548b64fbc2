#include "initial_joints.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

constexpr std::size_t kMaxJoints = 1000;
constexpr Range kPortRange{-1e5, 1e8};  // Pa, against the atmosphere

command::InitialJoint read_joint(const Entry& entry, Report& report, Dimension& unit) {
  TableReader reader(report, entry.value, fmt::format("the initial state of '{}'", entry.key));
  command::InitialJoint initial;
  initial.joint = entry.key;
  const auto position =
      reader.quantity("position", {Dimension::kAngle, Dimension::kLength}, kAny, unit);
  if (!reader.has("position")) reader.missing("position", {Dimension::kAngle, Dimension::kLength});
  initial.position = position.value_or(0.0);
  const auto port_a = reader.quantity("port_a", Dimension::kPressure, kPortRange);
  const auto port_b = reader.quantity("port_b", Dimension::kPressure, kPortRange);
  initial.port_a_given = port_a.has_value();
  initial.port_b_given = port_b.has_value();
  initial.port_a_Pa = port_a.value_or(0.0);
  initial.port_b_Pa = port_b.value_or(0.0);
  if (port_a && port_b)
    reader.error("port_b", fmt::format("{} gives the pressure of both ports; the load fixes one "
                                       "of them, so give the other only",
                                       reader.what()));
  reader.done();
  return initial;
}

}  // namespace

ScenarioPlaces::Unit to_unit(Dimension dimension) {
  if (dimension == Dimension::kAngle || dimension == Dimension::kTorque ||
      dimension == Dimension::kAngularSpeed)
    return ScenarioPlaces::Unit::kAngle;
  if (dimension == Dimension::kLength || dimension == Dimension::kForce ||
      dimension == Dimension::kSpeed)
    return ScenarioPlaces::Unit::kLength;
  return ScenarioPlaces::Unit::kNone;
}

ScenarioPlaces::Place place_in(const Report& report, const Place& place,
                               ScenarioPlaces::Unit unit) {
  return {report.file(place.file), place.line, place.column, unit};
}

void read_initial(TableReader& root, std::string_view key, Report& report,
                  std::vector<command::InitialJoint>& joints,
                  std::vector<ScenarioPlaces::Place>& places) {
  const Node* node = root.subtable(key);
  if (node == nullptr) return;
  if (node->entries.size() > kMaxJoints) {
    report.error(node->place, fmt::format("'{}' has more than {} joints", key, kMaxJoints));
    return;
  }
  for (const Entry& entry : node->entries) {
    if (!entry.value.is_table()) {
      report.error(entry.place,
                   fmt::format("'{}' holds one table for each joint, headed [{}.JOINT]; '{}' is {}",
                               key, key, entry.key, kind_name(entry.value.kind)));
      continue;
    }
    Dimension unit = Dimension::kNone;
    joints.push_back(read_joint(entry, report, unit));
    places.push_back(place_in(report, entry.value.place, to_unit(unit)));
  }
}

}  // namespace knuckleboom::io
