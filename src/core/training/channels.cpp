#include "knuckleboom/core/training/channels.hpp"

#include <cmath>
#include <iterator>
#include <utility>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::training {
namespace {

using Actuator = sim::ActuatorSnapshot;
using Shot = const SessionSnapshot&;
using Read = double (*)(Shot, int);

const Actuator* actuator(Shot s, int joint) {
  const int k = s.sim.actuator_of_joint[joint];
  return k < 0 ? nullptr : &s.sim.actuator[k];
}
template <double Actuator::*value>
double of_actuator(Shot s, int joint) {
  const Actuator* a = actuator(s, joint);
  return a != nullptr ? a->*value : 0.0;
}
// One bit each: a relief valve is open, a side cavitates, an end stop is touched.
double trouble(Shot s, int joint) {
  const Actuator* a = actuator(s, joint);
  if (a == nullptr) return 0.0;
  return (a->at_relief != 0 ? 1.0 : 0.0) + (a->cavitating != 0 ? 2.0 : 0.0) +
         (a->at_stop != 0 ? 4.0 : 0.0);
}

enum class Of { kRun, kJoint, kLever, kFunction, kCarrier, kGrapple, kHead, kObstacle, kFigure };

struct Family {
  std::string_view name, unit, description;
  Of of;
  Read read;
};

constexpr Family kFamilies[] = {
    {"*_spool_V", "V", "valve spool behind its lag", Of::kJoint, of_actuator<&Actuator::spool_V>},
    {"*_flow_a_m3_s", "m3/s", "through the valve into line 1", Of::kJoint,
     of_actuator<&Actuator::flow_a_m3_per_s>},
    {"*_flow_b_m3_s", "m3/s", "through the valve into line 2", Of::kJoint,
     of_actuator<&Actuator::flow_b_m3_per_s>},
    {"*_force", "~", "of the oil on the cylinder or motor", Of::kJoint,
     of_actuator<&Actuator::force>},
    {"*_limits", "", "sum of 1: at relief, 2: cavitating, 4: at an end stop", Of::kJoint, trouble},
    {"tip_v%_m_s", "m/s", "velocity of the tip in the world frame", Of::kRun,
     [](Shot s, int i) { return s.tip_v_W[i]; }},
    {"grip_%_m", "m", "centre of the grip in the world frame", Of::kRun,
     [](Shot s, int i) { return s.grip_W[i]; }},
    {"lever_*", "", "lever position, -1 to 1", Of::kLever,
     [](Shot s, int i) { return s.input.axis[i]; }},
    {"*_travel_s", "s", "position of the function's actuator over its full speed", Of::kFunction,
     [](Shot s, int i) { return s.travel_s[i]; }},
    {"grapple_opening", "", "0: closed, 1: open", Of::kRun,
     [](Shot s, int) { return s.grapple_opening; }},
    {"held_log", "", "number of the log in the grapple, -1: none", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.held_log); }},
    {"control_mode", "", "0: valve, 1: joint rate, 2: boom tip", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.control_mode); }},
    {"fidelity", "", "0: full, 1: paper, 2: reduced", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.fidelity); }},
    {"head_rad", "rad", "of what hangs from the tip from the vertical", Of::kGrapple,
     [](Shot s, int) { return angle_between_lines(vec(s.hang_W), Vec3::UnitZ()); }},
    {"reach_m", "m", "from the crane's foot to the tip, on the map", Of::kCarrier,
     [](Shot s, int) {
       const double x = s.sim.tip_W[0] - s.foot_W[0], y = s.sim.tip_W[1] - s.foot_W[1];
       return std::sqrt(x * x + y * y);
     }},
    {"seat_turned", "", "1: by half a turn", Of::kCarrier,
     [](Shot s, int) {
       return static_cast<double>(s.switches >> static_cast<int>(command::Switch::kSeat) & 1);
     }},
    {"lever_mode", "", "number of the lever file's mode, 0: the plain one", Of::kCarrier,
     [](Shot s, int) { return static_cast<double>(s.lever_mode); }},
    {"pump_Pa", "Pa", "pressure of the pump", Of::kRun, [](Shot s, int) { return s.sim.pump_Pa; }},
    {"pump_power_W", "W", "mean over the tick", Of::kRun,
     [](Shot s, int) { return s.pump_power_W; }},
    {"pump_work_J", "J", "since the start of the attempt", Of::kRun,
     [](Shot s, int) { return s.pump_work_J; }},
    {"contact_force_N", "N", "largest contact force on the machine", Of::kRun,
     [](Shot s, int) { return s.contact_force; }},
    {"task_phase", "", "0: ready, 1: running, 2: passed, 3: failed", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.task.phase); }},
    {"task_step", "", "targets or logs done", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.task.step); }},
    {"task_distance_m", "m", "from the target or the path", Of::kRun,
     [](Shot s, int) { return s.task.distance; }},
    {"task_angle_rad", "rad", "from the wanted direction", Of::kRun,
     [](Shot s, int) { return s.task.angle; }},
    {"collisions_*", "", "contacts begun with it so far", Of::kObstacle,
     [](Shot s, int i) { return static_cast<double>(s.collisions[i]); }},
    {"impulse_*_Ns", "N s", "of all contacts with it so far", Of::kObstacle,
     [](Shot s, int i) { return s.impulse[i]; }},
    {"element_crane", "",
     "work element of the crane, in the order of the tables; perhaps not final", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.element[0]); }},
    {"element_drive", "", "work element of the carrier", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.element[1]); }},
    {"load_phase", "", "0: empty, 1: loading, 2: loaded, 3: unloading", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.load_phase); }},
    {"log_gap_m", "m",
     "from the grip to the nearest log that is not held; of a head also to a standing tree",
     Of::kRun, [](Shot s, int) { return s.gap_m; }},
    {"held_tilt_rad", "rad", "of the held log, or of the stem in a head, from level", Of::kRun,
     [](Shot s, int) { return s.held_tilt_rad; }},
    {"load_logs", "", "logs in the load space", Of::kRun,
     [](Shot s, int) { return static_cast<double>(s.element_load); }},
    {"work_signals", "",
     "sum of 1: the held log touches the ground or the load space, or the tip of the stem in a "
     "head the ground, 2: the grip is in the load space, 4: an actuator moves, 8: the stem in a "
     "head is not cut off, 16: its saw is not at home",
     Of::kRun, [](Shot s, int) { return static_cast<double>(s.element_signals); }},
    {"head_stem", "", "number of the stem in a harvester's head, -1: none", Of::kHead,
     [](Shot s, int) {
       const TreeSnapshot* tree = tree_in_head(s);
       return tree != nullptr ? static_cast<double>(tree->stem) : -1.0;
     }},
    {"feed_m_s", "m/s", "of a harvester's head, towards the tip", Of::kHead,
     [](Shot s, int) { return s.feed_m_s; }},
    {"score_*", "of the figure", "figure of the attempt so far", Of::kFigure,
     [](Shot s, int i) { return nth(kFigures, i).read(s.score); }},
};

int count(Of of, const Session& session) {
  switch (of) {
    case Of::kJoint:
      return session.machine().joint_count();
    case Of::kFunction:
      return static_cast<int>(session.control().pattern().functions.size());
    case Of::kLever:
      return command::kLeverAxes;
    case Of::kCarrier:
      return session.machine().wheels.empty() ? 0 : 1;
    case Of::kGrapple:
      return session.machine().grapple.present ? 1 : 0;
    case Of::kHead:
      return session.machine().head.present ? 1 : 0;
    case Of::kObstacle:
      return world::kObstacles;
    case Of::kFigure:
      return static_cast<int>(kFigures.size());
    case Of::kRun:
      break;
  }
  return 1;
}

std::string_view name_of(const command::LeverFunction& function) {
  switch (function.target) {
    case command::LeverTarget::kTipReach:
      return "tip_reach";
    case command::LeverTarget::kTipHeight:
      return "tip_height";
    case command::LeverTarget::kGrapple:
      return "grapple";
    case command::LeverTarget::kDrive:
      return "wheels";
    case command::LeverTarget::kBrake:
      return "wheels_brake";
    case command::LeverTarget::kTilt:
      return "head_tilt_lever";
    case command::LeverTarget::kFeed:
      return "head_feed_lever";
    case command::LeverTarget::kJoint:
      break;
  }
  return function.joint;
}

sim::MemberNames names_of(Of of, const Session& session, int member) {
  const machine::MachineModel& model = session.machine();
  switch (of) {
    case Of::kFunction:
      return {.owner = name_of(nth(session.control().pattern().functions, member))};
    case Of::kJoint:
      return {.owner = model.joint_name(member),
              .effort = model.tree.link(member).revolute ? "N or N m" : "N"};
    case Of::kLever:
      return {.owner = command::kLeverAxisNames[member]};
    case Of::kObstacle:
      return {.owner = world::kObstacleNames[member]};
    case Of::kFigure:
      return {.owner = nth(kFigures, member).name};
    case Of::kCarrier:
    case Of::kGrapple:
    case Of::kHead:
    case Of::kRun:
      break;
  }
  return {};
}

}  // namespace

std::vector<SessionChannel> session_channels(const Session& session) {
  const machine::MachineModel& model = session.machine();
  std::vector<SessionChannel> out;
  for (sim::Channel& channel : sim::channels(model)) {
    const std::string name = channel.name, unit = channel.unit, words = channel.description;
    out.push_back({name, unit, words, std::move(channel)});
  }
  sim::for_each_member(
      kFamilies, [&](Of of) { return count(of, session); },
      [&](const Family& family, int member, int axis) {
        if (family.of == Of::kJoint && model.ball_of(member) != nullptr) return;
        sim::MemberNames names = names_of(family.of, session, member);
        names.axis = sim::kAxes[axis];
        const bool figure = family.of == Of::kFigure;
        out.push_back(
            {sim::filled(family.name, names),
             figure ? std::string(nth(kFigures, member).unit) : sim::filled(family.unit, names),
             std::string(figure ? nth(kFigures, member).description : family.description),
             std::nullopt, family.read, family.of == Of::kRun ? axis : member});
      });
  return out;
}

std::vector<sim::FamilyRow> session_channel_rows() {
  struct Owner {
    std::string_view name, of;
  };
  constexpr Owner kOwners[] = {{"", ""},  // by Of
                               {"J", "each joint"},
                               {"AXIS", "each axis of the levers"},
                               {"FUNCTION", "each function of the lever pattern"},
                               {"", "a machine on wheels"},
                               {"", "a machine with a grapple"},
                               {"", "a machine with a harvester's head"},
                               {"OBSTACLE", "ground, stem, log, bunk and carrier"},
                               {"FIGURE", "each figure"}};
  static_assert(std::size(kOwners) == static_cast<std::size_t>(Of::kFigure) + 1);
  std::vector<sim::FamilyRow> rows;
  for (const Family& family : kFamilies) {
    const Owner& owner = nth(kOwners, static_cast<int>(family.of));
    rows.push_back({family.name, family.unit, family.description, owner.name, owner.of, "session"});
  }
  return rows;
}

}  // namespace knuckleboom::training
