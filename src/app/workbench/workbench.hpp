// A machine under the hand: driven joint by joint, changed and rewound while it runs. Without window, thread and
// clock: the same deeds at the same ticks give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "app/workbench/bench_case.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"

namespace knuckleboom::app {

// A joint's demand by hand.
enum class DemandKind : std::int32_t {
  kNone,      // what the scenario asks for
  kValve,     // V at the valve of its actuator, positive as the valve counts
  kPosition,  // rad, m: by the actuator's controller, or by its drive's speed
  kSpeed,     // rad/s, m/s: of the reference of the actuator's controller, or of its drive
  kTorque,    // N m, N on the joint, beside an actuator
};
inline constexpr int kDemandKinds = 5;
inline constexpr const char* kDemandWords[kDemandKinds] = {"none", "valve", "position", "speed",
                                                           "torque"};

struct Demand {
  double value;
  double reference;  // of an actuator's controller, moved by a speed [rad, m]
  DemandKind kind;
};

struct BenchState {
  sim::SimState sim;
  Demand demand[kMaxLinks];
  std::int32_t
      payload_name[sim::kMaxPayloads];  // of those attached by hand, among the workbench's names
};
static_assert(std::is_trivially_copyable_v<BenchState>);

struct WorkbenchRequest {
  std::string subject;  // a machine, a URDF or a scenario
  std::string machine;  // in place of the scenario's; empty: its own
  std::vector<std::string> assignments;
  machine::Fidelity fidelity = machine::Fidelity::kReduced;
};

// Something done by hand that a scenario file cannot repeat, or must.
struct BenchDeed {
  std::int64_t tick;
  std::string sentence;
  std::string event;  // its [[event]] in a scenario file; empty: there is none
};

class Workbench {
 public:
  // Throws io::FileError or UserError.
  explicit Workbench(WorkbenchRequest request);

  // One tick.
  void step();

  // Every function below throws UserError with a sentence if it cannot be done, and then nothing has changed.
  // Whether this joint can be driven so.
  bool can(int joint, DemandKind kind) const;
  // Reads nothing that changes with a tick.
  void check_demand(int joint, DemandKind kind, double value) const;
  void demand(int joint, DemandKind kind, double value);
  // Largest value that is offered for it, of either sign; of a position the joint's range.
  struct Reach {
    double low, high;
  };
  Reach reach(int joint, DemandKind kind) const;
  // A key of machine or scenario, as --set takes it: the machine goes on as one that has it.
  void change(const std::string& assignment);
  // At rest, in equilibrium, with this joint there and the others where they are.
  void place(int joint, double position);
  // A point mass, at rest until then.
  void attach(const std::string& name, const std::string& body, double mass_kg, const Vec3& com_B);
  void detach(const std::string& name);
  // A body and its joint go, or come back at rest, with the joint where it was.
  void remove(const std::string& body);
  void assemble(const std::string& body);
  // To the newest saved state at least so long ago, or to the first one. Returns its time [s].
  double rewind(double seconds);

  int joint(const std::string& name) const;  // throws UserError
  int actuator_of(int joint) const;          // -1: none
  const machine::JointDrive* drive_of(int joint) const;

  const WorkbenchRequest& request() const { return request_; }
  const BenchCase& bench_case() const { return case_; }
  const sim::Simulation& simulation() const { return *simulation_; }
  const machine::MachineModel& model() const { return simulation_->model(); }
  const BenchState& state() const { return state_; }
  double time() const { return simulation_->time(state_.sim); }
  const std::vector<std::string>& assignments() const { return setups_[setup_].assignments; }
  const std::vector<BenchDeed>& deeds() const { return deeds_; }
  std::vector<std::string> payloads() const;  // attached by hand
  bool is_absent(int link) const { return (state_.sim.machine.absent >> link & 1) != 0; }
  // Rises whenever the machine is another one.
  std::int64_t make() const { return make_; }

  // The commands to valves and drives, tick by tick from the start: a row of given_columns() for each tick.
  const std::deque<double>& given() const { return given_; }
  std::size_t given_columns() const;
  std::int64_t given_from() const { return given_from_; }  // tick of the first row

 private:
  struct Setup {
    std::vector<std::string> assignments;
    std::vector<command::InitialJoint> start;  // empty: the files'
  };
  struct Saved {
    BenchState state;
    std::size_t setup, deeds;
  };

  void drive(int joint, sim::TickInput& input);
  void note_given();
  void save();
  void build(const Setup& setup, BenchCase& loaded,
             std::unique_ptr<sim::Simulation>& simulation) const;
  void take(Setup setup, BenchCase loaded, std::unique_ptr<sim::Simulation> simulation);
  void carry_demands(const machine::MachineModel& from);
  void hold_new(const machine::MachineModel* before);
  std::vector<command::InitialJoint> pose() const;
  int link_of_body(const std::string& body) const;
  void note(std::string sentence, std::string event = {});

  WorkbenchRequest request_;
  BenchCase case_;
  std::unique_ptr<sim::Simulation> simulation_;
  BenchState state_;
  std::vector<Setup> setups_;
  std::size_t setup_ = 0;
  std::vector<std::string> names_;  // of payloads
  std::vector<BenchDeed> deeds_;
  std::vector<Saved> saved_;  // a ring
  std::size_t oldest_ = 0, saves_ = 0;
  std::deque<double> given_;
  std::int64_t given_from_ = 0;
  std::int64_t make_ = 0;
};

}  // namespace knuckleboom::app
