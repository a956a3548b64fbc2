// A machine in a forest with an operator and an exercise: the tick of the trainer.
//
//   levers -> shaping and control mode -> controllers -> circuits and bodies -> contact -> task, score
//
// Constant; everything that changes is in SessionState, a value. Live, headless and replayed runs all
// call step().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "knuckleboom/core/worksite/worksite.hpp"

namespace knuckleboom::training {

// Into which work elements see logs loaded. Bunks on the ground stand for a load space where the machine has none, or
// where the exercise brings logs to them and none into it; else they are as good as ground.
enum class LoadPlace { kNone, kBunks, kMachine };

// A command at the start of a tick; recorded with its tick.
enum class CommandKind : std::int32_t {
  kControlMode,  // value: command::ControlMode
  kFidelity,     // value: machine::Fidelity
  kRestart,      // back to the start of the exercise
  kFault,        // value: index of a fault that begins
  kClearFault,   // value: index of a fault that ends
  kDiagnose,     // value: index of a fault like the one that the operator believes there is
};
struct Command {
  CommandKind kind;
  std::int32_t value;
};

// Past lever positions, for a fault that delays them. In 1/32767 of their travel.
struct LeverHistory {
  static constexpr int kTicks = 256;
  std::int16_t axis[kTicks][command::kLeverAxes];
  std::int32_t buttons[kTicks];
  std::int32_t running, reserved;  // 1 while there is a delay
};
constexpr auto state_fields(const LeverHistory* /*type*/) {
  using namespace knuckleboom::state;
  using S = LeverHistory;
  return state::fields_of<S>(KB_FIELD(axis, kLever),
                             KB_FIELD(buttons, bits(command::kLeverButtons)),
                             KB_FIELD(running, kFlag), KB_FIELD(reserved, kZero));
}

struct SessionState {
  std::int64_t tick;  // of the session; a restart does not reset it
  sim::SimState sim;
  sim::OperatorState control;
  TaskState task;
  ScoreState score;
  command::OperatorInput last_input;
  LeverHistory levers;
  worksite::WorksiteState worksite;
};
constexpr auto state_fields(const SessionState* /*type*/) {
  using namespace knuckleboom::state;
  using S = SessionState;
  return state::fields_of<S>(KB_FIELD(tick, kCounter), KB_FIELD(sim), KB_FIELD(control),
                             KB_FIELD(task), KB_FIELD(score), KB_FIELD(last_input),
                             KB_FIELD(levers), KB_FIELD_AS("", worksite));
}
// Into one that is zero, or another one of the same session.
void copy_used(const SessionState& from, SessionState& to);

// One sentence if the machine would start deep inside the ground, a log, a stem, a bunk or its own carrier;
// else empty, as for what cannot be a session at all.
std::string start_objection(const machine::MachineModel& machine, const Exercise& exercise);

class Session {
 public:
  // Throws std::invalid_argument with a message if machine, levers and exercise do not match.
  Session(machine::MachineModel machine, command::LeverPattern levers, Exercise exercise,
          sim::Instructions instructions = sim::fastest_instructions());
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  SessionState initial_state() const;

  void apply(const Command& command, SessionState& state) const;
  // One tick; snapshot: receives the data for readers after it. No heap, no exception. A tick of more
  // than 1 ms is divided into equal steps, each a tick of the simulation with the same input.
  void step(const command::OperatorInput& input, SessionState& state,
            SessionSnapshot& snapshot) const;
  SessionSnapshot snapshot(const SessionState& state) const;

  const machine::MachineModel& machine() const { return simulation_.model(); }
  const Exercise& exercise() const { return exercise_; }
  const world::World& world() const { return worksite_.world(); }
  const worksite::Worksite& site() const { return worksite_; }
  const sim::Simulation& simulation() const { return simulation_; }
  const sim::OperatorControl& control() const { return control_; }
  const Task& task() const { return task_; }
  double tick_s() const { return steps_ * simulation_.tick_s(); }  // s
  // Parts of exercise and levers that this machine cannot do, left out: one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  LoadPlace load_place() const;
  // The exercise's, then the usual ones of the machine; commands and snapshots number them.
  const std::vector<command::Fault>& faults() const { return simulation_.scenario().faults; }
  // The drawn fault that begins first; -1: there is none.
  int drawn_fault() const;

 private:
  void diagnose(int fault, SessionState& state) const;
  command::OperatorInput delayed(const command::OperatorInput& input, SessionState& state) const;
  void small_step(const command::OperatorInput& input, SessionState& state,
                  SessionSnapshot& snapshot) const;
  void fill(const SessionState& state, SessionSnapshot& snapshot) const;
  void look_at_load(const multibody::Kinematics& kinematics, const SessionState& state,
                    const world::LogSet& carried, LoadSnapshot& out) const;
  void show_trees(const worksite::TimberState& timber, SessionSnapshot& out) const;

  std::vector<std::string> notes_;
  Exercise exercise_;
  int steps_;                         // of a tick
  int foot_link_ = multibody::kBase;  // the lowest of the crane
  std::int32_t on_wheels_ = 0;        // bits of the functions that steer
  sim::Simulation simulation_;
  sim::OperatorControl control_;
  worksite::Worksite worksite_;
  Task task_;
};

}  // namespace knuckleboom::training
