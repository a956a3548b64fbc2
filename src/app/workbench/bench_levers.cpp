#include "app/workbench/bench_levers.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "input/keyboard.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/io/lever_file.hpp"

namespace knuckleboom::app {
namespace {

// The easiest to reach first.
constexpr command::LeverAxis kAxesInOrder[] = {
    command::LeverAxis::kLeftX,      command::LeverAxis::kLeftY,
    command::LeverAxis::kRightY,     command::LeverAxis::kRightX,
    command::LeverAxis::kLeftTwist,  command::LeverAxis::kRightTwist,
    command::LeverAxis::kLeftRocker, command::LeverAxis::kRightRocker,
    command::LeverAxis::kLeftPedal,  command::LeverAxis::kRightPedal};

// Joints that something drives.
std::vector<int> movable_joints(const Workbench& bench) {
  std::vector<int> out;
  for (int i = 0; i < bench.model().joint_count(); ++i)
    if (bench.actuator_of(i) >= 0 || bench.drive_of(i) != nullptr) out.push_back(i);
  return out;
}

struct LeverWay {
  DemandKind kind;
  double full;
};
LeverWay lever_way_of(const Workbench& bench, int joint) {
  if (const int k = bench.actuator_of(joint); k >= 0) {
    const machine::Actuator& actuator = nth(bench.model().actuators, k);
    return {DemandKind::kValve, actuator.linkage.sign * actuator.circuit.valve.full_V};
  }
  const DemandKind kind =
      bench.can(joint, DemandKind::kSpeed) ? DemandKind::kSpeed : DemandKind::kTorque;
  return {kind, bench.reach(joint, kind).high};
}

int joints_moved(const Workbench& bench, const command::LeverPattern& pattern) {
  int count = 0;
  for (const int joint : movable_joints(bench))
    if (std::any_of(pattern.functions.begin(), pattern.functions.end(), [&](const auto& f) {
          return f.target == command::LeverTarget::kJoint &&
                 f.joint == bench.model().joint_name(joint);
        }))
      ++count;
  return count;
}

std::optional<command::LeverPattern> fitting_pattern(const Workbench& bench) {
  std::optional<command::LeverPattern> best;
  const auto driven = static_cast<int>(movable_joints(bench).size());
  int most = std::max(1, (driven + 1) / 2) - 1;
  for (const std::string& name : lever_names()) {
    try {
      command::LeverPattern pattern = io::read_levers(find_levers(name)).pattern;
      const int moved = joints_moved(bench, pattern);
      if (moved <= most) continue;
      most = moved;
      best = std::move(pattern);
    } catch (const io::FileError&) {  // one that cannot be read fits nothing
    }
  }
  return best;
}

}  // namespace

BenchLevers::BenchLevers(const Workbench& bench, const std::string& layout) {
  std::optional<command::LeverPattern> pattern;
  if (layout.empty())
    pattern = fitting_pattern(bench);
  else
    pattern = io::read_levers(find_levers(layout)).pattern;
  if (pattern) {
    name_ = pattern->name;
    for (const command::LeverFunction& function : pattern->functions) {
      const int joint = function.target == command::LeverTarget::kJoint
                            ? bench.model().tree.find_joint(function.joint)
                            : multibody::kBase;
      if (joint == multibody::kBase) continue;
      const LeverWay way = lever_way_of(bench, joint);
      levers_.push_back({function.axis, joint, function.shape, way.kind, way.full});
    }
    if (levers_.empty())
      throw UserError(fmt::format(
          "lever layout '{}' moves no joint of machine '{}'; leave --levers out, and a pattern "
          "is made for it",
          name_, bench.model().name));
    return;
  }
  name_ = "made for this machine";
  std::size_t axis = 0;
  for (const int joint : movable_joints(bench)) {
    if (axis == std::size(kAxesInOrder)) break;
    const LeverWay way = lever_way_of(bench, joint);
    levers_.push_back({kAxesInOrder[axis++], joint, {}, way.kind, way.full});
  }
}

std::vector<std::string> BenchLevers::lines(const Workbench& bench) const {
  std::vector<std::string> out;
  const std::vector<input::KeyHelp> keys = input::keyboard_help();
  for (const Lever& lever : levers_) {
    std::string line(command::name_of(lever.axis));
    for (const input::KeyHelp& key : keys)
      if (key.axis == command::name_of(lever.axis)) {
        line += fmt::format(" (keys {} {})", key.negative, key.positive);
        break;
      }
    out.push_back(fmt::format("{}: {} by {}", line, bench.model().joint_name(lever.joint),
                              kDemandWords[static_cast<int>(lever.kind)]));
  }
  return out;
}

std::vector<JointDemand> BenchLevers::demands(const Workbench& bench,
                                              const command::OperatorInput& input) {
  std::vector<JointDemand> out;
  for (Lever& lever : levers_) {
    const double share =
        command::shape(input.axis[static_cast<std::size_t>(lever.axis)], lever.shape);
    if (share == lever.last) continue;
    lever.last = share;
    if (lever.joint < bench.model().joint_count())
      out.push_back({lever.joint, lever.kind, share * lever.full + 0.0});
  }
  return out;
}

}  // namespace knuckleboom::app
