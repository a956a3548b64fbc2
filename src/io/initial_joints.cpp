#include "initial_joints.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "declare/scenario_keys.hpp"
#include "rotation.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kMaxJoints = 1000;
command::InitialJoint read_joint(const Entry& entry, Report& report, Dimension& unit) {
  namespace k = declare::keys::initial;
  TableReader reader(report, entry.value, k::table,
                     fmt::format("the initial state of '{}'", entry.key));
  command::InitialJoint initial;
  initial.joint = entry.key;
  if (const auto rpy = reader.has(k::rpy) ? reader.vector(k::rpy) : std::nullopt) {
    initial.turned = true;
    initial.R = rotation(*rpy);
  } else {
    initial.position = reader.either(k::position, unit).value_or(0.0);
  }
  const auto port_a = reader.quantity(k::port_a);
  const auto port_b = reader.quantity(k::port_b);
  initial.port_a_given = port_a.has_value();
  initial.port_b_given = port_b.has_value();
  initial.port_a_Pa = port_a.value_or(0.0);
  initial.port_b_Pa = port_b.value_or(0.0);
  if (port_a && port_b)
    reader.error(k::port_b, fmt::format("{} gives the pressure of both ports; the load fixes one "
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

void read_initial(TableReader& root, const Key& key, Report& report,
                  std::vector<command::InitialJoint>& joints,
                  std::vector<ScenarioPlaces::Place>& places) {
  const Node* node = root.subtable(key);
  if (node == nullptr) return;
  if (node->entries.size() > kMaxJoints) {
    report.error(node->place, fmt::format("'{}' has more than {} joints", key.name, kMaxJoints));
    return;
  }
  for (const Entry& entry : node->entries) {
    if (!entry.value.is_table()) {
      report.error(entry.place,
                   fmt::format("'{}' holds one table for each joint, headed [{}.JOINT]; '{}' is {}",
                               key.name, key.name, entry.key, kind_name(entry.value.kind)));
      continue;
    }
    Dimension unit = Dimension::kNone;
    joints.push_back(read_joint(entry, report, unit));
    places.push_back(place_in(report, entry.value.place, to_unit(unit)));
  }
}

}  // namespace knuckleboom::io
