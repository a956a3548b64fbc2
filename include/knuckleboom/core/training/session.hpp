// A machine in a forest with an operator and an exercise: the tick of the trainer.
//
//   levers -> shaping and control mode -> controllers -> circuits and bodies -> contact -> task, score
//
// Constant; what changes is in SessionState, a value. Live, headless and replayed runs all call step().
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::training {

// What happens at once, at the start of a tick; recorded with its tick.
enum class CommandKind : std::int32_t {
  kControlMode,  // value: command::ControlMode
  kFidelity,     // value: machine::Fidelity
  kRestart,      // back to the start of the exercise
  kFault,        // value: index of a fault that begins
  kClearFault,   // and of one that ends
};
struct Command {
  CommandKind kind;
  std::int32_t value;
};

struct GrappleState {
  double opening;     // 0 closed .. 1 open
  double speed;       // 1/s, positive opens
  double log_p[3];    // centre of the held log in the frame of the grapple's body [m]
  double log_q[4];    // its orientation there, w x y z
  double slipping_s;  // for how long the jaws have been pulled at beyond their force
  std::int32_t held;  // log, -1: none
  std::int32_t slot;  // payload of the simulation
};

// What the levers did, for the time that a fault delays them. In 1/32767 of their travel.
struct LeverHistory {
  static constexpr int kTicks = 256;
  std::int16_t axis[kTicks][command::kLeverAxes];
  std::int32_t running, reserved;  // 1 while there is a delay
};

struct SessionState {
  std::int64_t tick;  // of the session; a restart does not set it back
  sim::SimState sim;
  sim::OperatorState control;
  std::int64_t logs_slipped;  // out of jaws that were pulled at too hard
  world::WorldState world;
  GrappleState grapple;
  TaskState task;
  ScoreState score;
  command::OperatorInput last_input;
  LeverHistory levers;
};
static_assert(std::is_trivially_copyable_v<SessionState>);

class Session {
 public:
  // Throws std::invalid_argument with one sentence if machine, levers and exercise do not fit.
  Session(machine::MachineModel machine, command::LeverPattern levers, Exercise exercise);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  SessionState initial_state() const;

  void apply(const Command& command, SessionState& state) const;
  // One tick; snapshot: receives what readers see after it. No heap, no exception. A tick of more than
  // 1 ms goes in equal steps, each a tick of the simulation with the same input.
  void step(const command::OperatorInput& input, SessionState& state,
            SessionSnapshot& snapshot) const;
  SessionSnapshot snapshot(const SessionState& state) const;

  const machine::MachineModel& machine() const { return simulation_.model(); }
  const Exercise& exercise() const { return exercise_; }
  const world::World& world() const { return world_; }
  const sim::Simulation& simulation() const { return simulation_; }
  const sim::OperatorControl& control() const { return control_; }
  double tick_s() const { return steps_ * simulation_.tick_s(); }  // s
  // What of exercise and levers this machine cannot do and is left out: one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // The exercise's, then the usual ones of the machine; commands and snapshots number them.
  const std::vector<command::Fault>& faults() const { return simulation_.scenario().faults; }

 private:
  struct Parts;
  void gather(const multibody::Kinematics& kinematics, const SessionState& state,
              Parts& parts) const;
  void joint_forces(const multibody::Kinematics& kinematics, const Parts& parts,
                    const world::PartForces& forces, double* tau) const;
  world::GrappleFrame grapple_frame(const multibody::Kinematics& kinematics) const;
  void move_grapple(double demand, const multibody::Kinematics& kinematics,
                    SessionState& state) const;
  void grip(int log, const multibody::Kinematics& kinematics, SessionState& state) const;
  void let_go(SessionState& state) const;
  void carry_log(const multibody::Kinematics& kinematics, SessionState& state) const;
  void watch_grip(const Parts& parts, const world::PartForces& forces, const Vec3& v_before_W,
                  SessionState& state) const;
  command::OperatorInput delayed(const command::OperatorInput& input, SessionState& state) const;
  void small_step(const command::OperatorInput& input, SessionState& state,
                  SessionSnapshot& snapshot) const;
  void fill(const SessionState& state, SessionSnapshot& snapshot) const;

  std::vector<std::string> notes_;
  Exercise exercise_;
  int steps_;  // of a tick
  sim::Simulation simulation_;
  sim::OperatorControl control_;
  world::World world_;
  Task task_;
  // By log: the least opening around it, and where it then sits, from the pin on [m].
  std::array<double, world::kMaxLogs> around_{}, seat_{};
  double usual_seat_ = 0.0;  // of a log as they are usually, for the empty grapple [m]
};

}  // namespace knuckleboom::training
