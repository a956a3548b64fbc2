// Drives an exercise as a careful operator would: reads snapshots, moves levers. For "show me", for
// runs without an operator, and as proof that an exercise can be passed.
//
// Needs a pattern with a lever for each function it uses. In boom-tip control it says how the tip shall
// move; in the other modes it knows, as an operator does, which joints move the tip there and how far a
// lever of the empty machine must go for it. It sees what the window shows and has only the levers.
//
// On wheels it drives along the exercise's way, halts at each stop and lets the parking brake come on by itself.
// Without a task it works with the crane there for a while before it drives on; where logs are to be carried, as long as
// what comes next is within reach.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::training {

enum class DemonstratorPhase : std::int32_t {
  kTravel,  // above the log or the bunk, or travelling to a target
  kAlign,   // the grapple along the log, the head at rest
  kLower,
  kClose,
  kOpen,
  kLift,
  kDone,
};

struct DemonstratorState {
  DemonstratorPhase phase;
  std::int32_t step;  // of the task, when the phase began
  std::int32_t carrying;
  std::int32_t missed;  // closed around nothing, in a row
  double timer_s;       // in this phase
  double speed[4];      // commanded: swing [rad/s], reach, height [m/s], rotator [rad/s]
  double error[3];      // to the target, smoothed: swing [rad], reach, height [m]
  double lift_z;        // height at which to leave [m]
  double hangs_m;       // that the log's lower end hangs below the grip, smoothed
  // On wheels.
  double along_m;           // where the front wheels are on the way
  double throttle;          // what the drive's lever is deflected more than it should need
  double press_s;           // left of pressing a button and of what follows
  double worked_s;          // with the crane at this stop
  double fold_s;            // since the crane began to go back to where it was at the start
  std::int32_t button;      // that is pressed: command::LeverButton
  std::int32_t stops_made;  // without a task
  double home[3];           // where the crane was at the start: reach [m], angle [rad], height [m]
  std::int32_t started;
  std::int32_t lost;  // times that the log slipped since it was taken
  double lowest_z;    // of the log while it is lowered [m]
  double stuck_s;     // for which it has come no lower
  double ahead_m;     // of the tip on the map: the grip of a head, smoothed
  double piling_s;    // since the next log is fed, until it is cut
};
static_assert(std::is_trivially_copyable_v<DemonstratorState>);

class Demonstrator {
 public:
  // The session must outlive it. Throws std::invalid_argument with a message if the pattern lacks a
  // required lever.
  explicit Demonstrator(const Session& session);

  DemonstratorState initial_state() const { return DemonstratorState{}; }
  // The levers for the next tick. No heap, no exception.
  command::OperatorInput drive(const SessionSnapshot& snapshot, double dt,
                               DemonstratorState& state) const;
  // The fault that it names now; -1: none.
  std::int32_t diagnosis(const SessionSnapshot& snapshot) const;

 private:
  struct Lever {
    int function = -1;  // of the pattern, -1: none
    double full = 1.0;  // speed at full lever
  };
  struct Wish {
    Vec3 p_W;           // of the tip, or of the grip
    bool grip = false;  // p_W.z refers to the grip
    bool heading = false;
    bool together = false;              // swing and reach arrive at the same time
    bool up_first = true;               // before the crane swings
    double axis_x = 1.0, axis_y = 0.0;  // wanted direction of the log axis
    double speed = 1.0;                 // share of the usual speed
    double jaws = 0.0;                  // -1 opens .. 1 closes
    bool facing = false;                // the head's opening points along axis_x, axis_y
    double tilt = 0.0;                  // of the head
    double feed = 0.0;                  // of its rollers
    bool saw = false, to_length = false;
  };
  // Logs that are taken or held together.
  struct Heap {
    std::int32_t held = -1;  // one of them in the jaws; -1: none
    int count = 0;
    Vec3 middle = Vec3::Zero();
    double low = 0.0, high = 0.0;  // lowest under side, highest middle [m]
  };
  // How the jaws go down across a load space.
  struct Span {
    double across = 0.0;  // of their middle, to the left [m]
    double opening = 1.0;
  };
  Span span_in_load(const SessionSnapshot& snapshot, const LogTask& wanted, double deep_z) const;
  const LogTask& next_of(const SessionSnapshot& snapshot, const DemonstratorState& state) const;
  const LogTask* first_out_of_load(const SessionSnapshot& snapshot) const;
  double top_below(const SessionSnapshot& snapshot, const Task::Spot& spot, bool in_load,
                   double floor_z) const;
  Heap heap_of(const SessionSnapshot& snapshot, const LogTask& wanted) const;
  // Where a log is to be let go; missed: how often it could not be.
  Task::Spot goal_of(const LogTask& task, const SessionSnapshot& snapshot, int missed) const;
  bool waits(const SessionSnapshot& snapshot) const;
  Wish wish(const SessionSnapshot& snapshot, double dt, DemonstratorState& state) const;
  void find_crane();
  void find_wheels();
  void find_levers();
  void look_behind() const;  // throws
  Vec3 swing_foot(const SessionSnapshot& snapshot) const;
  bool aboard(int log, const SessionSnapshot& snapshot) const;
  bool works_here(const SessionSnapshot& snapshot, const DemonstratorState& state) const;
  bool in_reach(const Vec3& p_W, const SessionSnapshot& snapshot) const;
  bool in_reach_later(const Vec3& a_W, const Vec3& b_W, const SessionSnapshot& snapshot,
                      const DemonstratorState& state) const;
  const LogTask* stray(const SessionSnapshot& snapshot, const DemonstratorState& state) const;
  const LogTask* of_held(const SessionSnapshot& snapshot) const;
  const LogTask* loading_of(int log) const;
  void work_at_stop(const SessionSnapshot& snapshot, double dt, DemonstratorState& state,
                    command::OperatorInput& out) const;
  // Along the way. False: it stands, and the crane may work.
  bool drive_on(const SessionSnapshot& snapshot, double dt, DemonstratorState& state,
                command::OperatorInput& out) const;
  void steer(const SessionSnapshot& snapshot, const Vec3& front, const Vec3& rear,
             const world::WayPoint& goal, command::OperatorInput& out) const;
  double drive_lever(double speed) const;
  bool folded(const SessionSnapshot& snapshot, const DemonstratorState& state) const;
  // Presses the button of a switch until it is so. False: it is not yet.
  bool turn(command::Switch of, bool on, const SessionSnapshot& snapshot, double dt,
            DemonstratorState& state, command::OperatorInput& out) const;
  Wish logs(const SessionSnapshot& snapshot, double dt, DemonstratorState& state) const;
  Wish fell(const SessionSnapshot& snapshot, double dt, DemonstratorState& state) const;
  void cut_up(const SessionSnapshot& snapshot, double dt, DemonstratorState& state,
              Wish& wish) const;
  bool bring_to_place(const SessionSnapshot& snapshot, double left, double waited_s,
                      Wish& wish) const;
  bool bring_upright(const SessionSnapshot& snapshot, const Vec3& grip_W, const Vec3& towards,
                     const Vec3* last_W, double dt, bool straight, DemonstratorState& state,
                     Wish& wish) const;
  double turned_by(const SessionSnapshot& snapshot, const Wish& wish) const;
  void keep_off(const SessionSnapshot& snapshot, const Vec3* last_W, double room, Wish& wish) const;
  double opening_for(double gap) const;
  bool beside_stakes(const Vec3& p_W) const;
  double opening_beside(const SessionSnapshot& snapshot, int log, bool alone) const;
  bool tips_at(double floor_z, const SessionSnapshot& snapshot) const;
  void enter(DemonstratorPhase phase, DemonstratorState& state) const;
  double heading_of(const SessionSnapshot& snapshot) const;
  void start(const SessionSnapshot& snapshot, DemonstratorState& state) const;
  void set(const Lever& lever, double value, command::OperatorInput& out) const;
  void set_joints(const SessionSnapshot& snapshot, const double (&speed)[4],
                  command::OperatorInput& out) const;

  const Session& session_;
  command::LeverPattern pattern_;
  Exercise exercise_;
  world::Ground ground_;
  world::Way way_;
  Vec3 foot_W_ = Vec3::Zero();  // on the swing's axis, of a crane that stands
  bool rides_ = false;          // the crane stands on wheels
  int swing_link_ = -1, boom_link_ = -1, stick_link_ = -1, rotator_link_ = -1;
  double swing_sign_ = 1.0;  // of a turn to the left
  Vec3 rotator_axis_B_ = Vec3::UnitZ();
  Lever swing_, reach_, height_, rotator_, grapple_, wheels_, steer_, tilt_, feed_;
  std::int64_t saw_button_ = 0, length_button_ = 0;  // bits
  int steer_link_ = -1;
  double steer_sign_ = 1.0;        // of a bend to the left when driving forwards
  bool looks_forwards_ = true;     // the seat, while it is not turned
  std::int64_t front_wheels_ = 0;  // bits
  double stakes_z_ = 0.0;          // top of the highest bunk [m]
  world::GrappleFrame jaws_;       // of jaws with a cylinder
  double tips_below_grip_ = 0.0;   // at most [m]
};

}  // namespace knuckleboom::training
