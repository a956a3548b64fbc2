// A machine doing a scenario: state(k+1) = step(model, state(k), input(k)).
//
// The stages of a tick, in the order of the data: scenario -> TickInput -> controllers -> valve
// commands -> circuits and bodies (machine::Stepper, or a converged solver in its place) -> state.
#pragma once

#include "knuckleboom/core/carrier/carrier.hpp"
#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/hydraulics/spool.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/instructions.hpp"
#include "knuckleboom/core/sim/state.hpp"

namespace knuckleboom::batch {
struct Access;
}

namespace knuckleboom::sim {

class Simulation {
 public:
  // Model and scenario are copied. Throws std::invalid_argument with a message if they do not
  // match, or if the instructions are not available().
  Simulation(machine::MachineModel model, command::Scenario scenario,
             Instructions instructions = fastest_instructions());
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // At rest in static equilibrium, valves closed. Joints without actuator are in equilibrium,
  // unless the scenario gives their position.
  SimState initial_state(machine::Fidelity fidelity) const;

  // One tick of the scenario.
  void step(SimState& state) const { step_(*this, state, nullptr, nullptr, nullptr); }
  // One tick with external inputs (levers, a recording); events of the scenario still happen.
  // joint_force: external generalised force on every joint (contact), constant over the tick [N m,
  // N], positive along the joint's coordinate; null: none. sensed: joint positions that the
  // controllers see [rad, m]; null: measured().
  void step(SimState& state, const TickInput& input, const double* joint_force = nullptr,
            const double* sensed = nullptr) const {
    step_(*this, state, &input, joint_force, sensed);
  }

  // Between two ticks. None of these uses the heap. Continues with the other model, without a jump
  // in position, speed or the actuators' forces.
  void set_fidelity(SimState& state, machine::Fidelity fidelity) const;
  // Fixes a body to a link (payload in the link's frame, its motion just before in the world's):
  // their common momentum is conserved. Returns its slot, or -1 if all are in use.
  int attach(SimState& state, int link, const multibody::LinkInertia& payload, const Vec3& v_com_W,
             const Vec3& omega_W) const;
  // Releases the payload of a slot; returns its motion. The slot must be in use.
  multibody::FreeMotion detach(SimState& state, int slot) const;

  // Begins or ends one of scenario().faults, over its ramp.
  void set_fault(SimState& state, int index, bool on) const;
  bool fault_is_there(const SimState& state, int index) const {
    return state.fault.on[index] != 0 || state.fault.share[index] > 0.0;
  }
  // Joint position as the controllers see it [rad, m].
  double measured(const SimState& state, int link) const {
    return state.fault.active == 0 ? state.machine.q[link] : state.fault.measured[link];
  }

  // All of them.
  const double* measured(const SimState& state) const {
    return state.fault.active == 0 ? state.machine.q : state.fault.measured;
  }

  // Commands of the joints' own drives in the tick of state.input, with an external force added
  // (may be null). Each returns null if there are none; otherwise it has filled the given array.
  const double* joint_force(const SimState& state, const double* outside, double* room) const;
  const machine::SpeedCommands* speed_commands(const SimState& state,
                                               machine::SpeedCommands& room) const;
  // Torques of the joints' own drives at this state, by the commands in state.input, positive along the joint's
  // coordinate [N m, N]. torque: joint_count() entries; joints without a drive get those of their commands.
  void drive_torques(const SimState& state, double* torque) const;

  // The parts of a tick, for a solver that replaces machine::Stepper between them.
  void begin_tick(SimState& state) const;  // events, inputs, controllers, valve commands
  void begin_tick(SimState& state, const TickInput& input, const double* sensed = nullptr) const;
  void end_tick(SimState& state) const;
  // At its end; state.tick is that of the next one. In end_tick() as well.
  void watch(SimState& state) const;

  // Inputs of the scenario for the tick that starts at this state.
  TickInput scenario_input(SimState& state) const;

  const machine::MachineModel& model() const { return model_; }
  const command::Scenario& scenario() const { return scenario_; }
  const carrier::Carrier& carrier() const { return carrier_; }
  double tick_s() const { return h_; }
  double time(const SimState& state) const { return static_cast<double>(state.tick) * h_; }
  std::int64_t tick_count() const;  // of the whole scenario
  // Beginnings and ends of faults by the clock.
  int planned_faults() const { return static_cast<int>(plan_.size()); }

  // Stored now less stored at the start [J].
  double stored_change(const SimState& state) const;
  // Energy balance: residual of pump + switching + model + events + external after losses and
  // storage [J].
  double energy_residual(const SimState& state) const;

 private:
  friend struct batch::Access;  // machines in lanes: the same tick, several at once

  // A whole tick, compiled for one set of instructions. input: null for the scenario's.
  using Step = void(const Simulation& simulation, SimState& state, const TickInput* input,
                    const double* joint_force, const double* sensed);
  static Step step_baseline, step_v3;
  static Step* step_for(Instructions instructions);

  // An actuator as the tick sees it.
  struct Drive {
    int link = 0;
    double sign = 1.0;  // of its linkage
    double full_V = 0.0;
    hydraulics::SpoolLag spool;  // over half a tick
    // The scenario's: always the same, or with the value of a signal or of the tip path.
    ActuatorCommand command{};
    const command::Signal* signal = nullptr;
    bool tip = false;
  };

  // Fills in the inputs of the machine's actuators and joints, and leaves the entries beyond them.
  void fill_input(SimState& state, TickInput& input) const;
  carrier::CarrierCommand carrier_command(double t) const;
  void follow_supply(SimState& state) const;
  void run_events(SimState& state) const;
  void apply(const command::Event& event, int index, SimState& state) const;
  void control(SimState& state, const TickInput& input, const double* sensed) const;
  void set_pump(double pressure_Pa, SimState& state) const;
  int actuator_of(const std::string& joint) const;
  void place_faults();
  void run_plan(SimState& state) const;
  void work_faults(SimState& state, double h) const;
  void move_spools(SimState& state) const;
  static constexpr std::int64_t kEnergyTicks = 1000;  // between two looks at the balance
  void watch_energy(SimState& state) const;
  void place_start();
  void close_start(bool* hangs, const bool* given);
  [[noreturn]] void refuse_start(int coupling) const;
  void step_machine(SimState& state, const double* outside) const;
  void command_drive(const command::JointProgram& program, Drive& drive);
  void place_joint_program(const command::JointProgram& program);

  Step* step_;
  machine::MachineModel model_;
  command::Scenario scenario_;
  double h_;
  machine::Stepper stepper_;
  carrier::Carrier carrier_;
  std::vector<Drive> drives_;  // of each actuator
  std::array<double, kMaxLinks> q0_{};
  std::array<bool, kMaxLinks> passive_{};  // without actuator
  std::vector<int> event_link_, event_actuator_;
  std::vector<multibody::LinkInertia> event_inertia_;
  std::vector<int> fault_actuator_;  // -1: all
  struct Planned {
    std::int64_t tick;
    int fault;
    bool on;
  };
  std::vector<Planned> plan_;                                            // by tick
  std::array<const command::JointProgram*, kMaxLinks> joint_program_{};  // torque, speed, spring
  std::int64_t absent_ = 0;      // joints of bodies still absent
  std::int64_t dependent0_ = 0;  // joints, at the start
  bool holds_load_ = false;      // a drive does
  bool has_tip_ = false;
  std::array<bool, kMaxLinks> tip_used_{};
  Vec3 tip_start_W_ = Vec3::Zero();
};

// Usual faults of any machine: each kind for each function, in a noticeable size. For an instructor
// without a prepared exercise.
std::vector<command::Fault> usual_faults(const machine::MachineModel& model);

}  // namespace knuckleboom::sim
