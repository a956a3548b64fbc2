#include "fmi/machine_part.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "fmi/parameters.hpp"
#include "knuckleboom.h"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::fmi {
namespace {

struct Close {
  void operator()(kb_setup* one) const { kb_setup_free(one); }
  void operator()(kb_simulation* one) const { kb_close(one); }
  void operator()(kb_state* one) const { kb_state_free(one); }
};
using Setup = std::unique_ptr<kb_setup, Close>;
using Crane = std::unique_ptr<kb_simulation, Close>;
using Moment = std::unique_ptr<kb_state, Close>;

[[noreturn]] void fail() { throw UserError(kb_last_error()); }
void check(kb_status status) {
  if (status == KB_ERROR_NONFINITE) throw RunFailure(kb_last_error());
  if (status != KB_OK) fail();
}
template <class T>
T* there(T* pointer) {
  if (pointer == nullptr) fail();
  return pointer;
}

struct MachineState : Part::State {
  explicit MachineState(kb_state* state) : moment(there(state)) {}
  Moment moment;
};

// Nothing: as the exercise has it.
std::optional<kb_fidelity> fidelity_called(std::string_view word) {
  if (word.empty()) return std::nullopt;
  return word == "full"    ? KB_FIDELITY_FULL
         : word == "paper" ? KB_FIDELITY_PAPER
                           : KB_FIDELITY_REDUCED;
}

class MachinePart : public Part {
 public:
  MachinePart(const std::filesystem::path& resources, const PartFacts& facts)
      : exercise_(resources / kExerciseFile),
        has_exercise_(std::filesystem::exists(exercise_)),
        scenario_(resources / kScenarioFile),
        levers_(resources / kLeversFile),
        machine_(resources / kMachineFile),
        has_machine_(std::filesystem::exists(machine_)),
        fidelity_(fidelity_called(facts.fidelity)) {
    open({});
    variables_.push_back({Causality::kIndependent, "time", "s", "simulated time"});
    add_inputs(facts.inputs);
    first_output_ = variables_.size();
    const std::int32_t channels = kb_channel_count(crane_.get());
    for (std::int32_t i = 0; i < channels; ++i)
      variables_.push_back({Causality::kOutput, kb_channel_name(crane_.get(), i),
                            kb_channel_unit(crane_.get(), i),
                            kb_channel_description(crane_.get(), i)});
    variables_.push_back({Causality::kLocal,
                          "state_hash",
                          {},
                          "equal for equal states, bit by bit; as `knuckleboom run` shows it",
                          {},
                          true});
    if (has_machine_) add_parameters(parameters_of(machine_, io::FileKind::kMachine));
    if (has_exercise_) {
      add_parameters(parameters_of(exercise_, io::FileKind::kExercise));
      add_parameters(parameters_of(levers_, io::FileKind::kLevers));
    } else {
      add_parameters(parameters_of(scenario_, io::FileKind::kScenario));
    }
    hold_start();
  }

  std::vector<JointController> controllers() const { return controllers_of(*crane_); }
  double tick_s() const override { return kb_tick_s(crane_.get()); }
  double duration_s() const override {
    return static_cast<double>(kb_tick_count(crane_.get())) * tick_s();
  }

  void begin(const Parameters& parameters) override {
    if (parameters != parameters_)
      open(parameters);
    else
      check(kb_state_restore(crane_.get(), start_.get()));
    hold_start();
  }

  void set(std::size_t input, double value) override {
    check(kb_set_input(crane_.get(), inputs_[input - 1], value));
  }

  double get(std::size_t variable) override {
    return kb_read(crane_.get(), static_cast<std::int32_t>(variable - first_output_));
  }

  std::string text(std::size_t /*variable*/) override { return there(kb_state_hash(crane_.get())); }

  void step(std::int64_t ticks) override { check(kb_step(crane_.get(), ticks)); }

  std::shared_ptr<const State> save() const override {
    return std::make_shared<MachineState>(kb_state_take(crane_.get()));
  }
  void restore(const State& state) override {
    check(kb_state_restore(crane_.get(), dynamic_cast<const MachineState&>(state).moment.get()));
  }
  bool has_bytes() const override { return kb_state_save(start_.get(), nullptr, 0) > 0; }
  std::string bytes(const State& state) const override {
    kb_state* const moment = dynamic_cast<const MachineState&>(state).moment.get();
    const std::int64_t size = kb_state_save(moment, nullptr, 0);
    if (size < 0) fail();
    std::string out(static_cast<std::size_t>(size), '\0');
    if (kb_state_save(moment, out.data(), size) != size) fail();
    return out;
  }
  std::shared_ptr<const State> from_bytes(const std::string& bytes) override {
    const Crane other(there(kb_copy(crane_.get())));
    check(kb_state_load(other.get(), bytes.data(), static_cast<std::int64_t>(bytes.size())));
    return std::make_shared<MachineState>(kb_state_take(other.get()));
  }

 private:
  void open(const Parameters& parameters) {
    const Setup setup(there(kb_setup_new()));
    if (has_exercise_) {
      check(kb_setup_exercise(setup.get(), exercise_.c_str(), nullptr));
      check(kb_setup_levers(setup.get(), levers_.c_str(), nullptr));
    } else {
      check(kb_setup_scenario(setup.get(), scenario_.c_str(), nullptr));
    }
    if (has_machine_) check(kb_setup_machine(setup.get(), machine_.c_str(), nullptr));
    if (fidelity_) check(kb_setup_fidelity(setup.get(), *fidelity_));
    for (const auto& [number, value] : parameters)
      check(
          kb_setup_set(setup.get(), fmt::format("{}={}", variables_[number].name, value).c_str()));
    Crane crane(there(kb_open(setup.get())));
    start_.reset(there(kb_state_take(crane.get())));
    crane_ = std::move(crane);
    parameters_ = parameters;
  }

  // Valves and references of the same joint stand together in the C interface, as torque and speed of a drive
  // do.
  void add_inputs(Inputs wanted) {
    if (wanted == Inputs::kNone) return;
    const std::int32_t count = kb_input_count(crane_.get());
    const auto unit = [this](std::int32_t i) {
      return std::string_view(kb_input_unit(crane_.get(), i));
    };
    const auto effort = [&](std::int32_t i) {
      return unit(i) == "V" || unit(i) == "Nm" || unit(i) == "N";
    };
    for (std::int32_t i = 0; i < count; ++i) {
      const bool paired = effort(i) && i + 1 < count && !effort(i + 1);
      if (wanted != Inputs::kLevers &&
          (effort(i) ? wanted == Inputs::kReferences && paired : wanted == Inputs::kVolts))
        continue;
      inputs_.push_back(i);
      const std::string name = kb_input_name(crane_.get(), i);
      variables_.push_back({Causality::kInput, "input." + name, std::string(unit(i)),
                            kb_input_description(crane_.get(), i), at_start(i)});
    }
  }

  // A joint's reference is where it stands; all else is nothing.
  double at_start(std::int32_t input) {
    const std::string_view unit = kb_input_unit(crane_.get(), input);
    if (unit != "rad" && unit != "m") return 0.0;
    return kb_read(crane_.get(), kb_find_channel(crane_.get(), kb_input_name(crane_.get(), input)));
  }

  void hold_start() {
    for (const std::int32_t input : inputs_)
      check(kb_set_input(crane_.get(), input, at_start(input)));
  }

  void add_parameters(std::vector<Variable> list) {
    for (Variable& one : list) variables_.push_back(std::move(one));
  }

  std::filesystem::path exercise_;
  bool has_exercise_;
  std::filesystem::path scenario_, levers_, machine_;
  bool has_machine_;
  std::optional<kb_fidelity> fidelity_;
  Crane crane_;
  Moment start_;
  Parameters parameters_;
  std::vector<std::int32_t> inputs_;  // in the C interface, of the variables from 1 on
  std::size_t first_output_ = 0;
};

}  // namespace

std::unique_ptr<Part> open_machine(const std::filesystem::path& resources, const PartFacts& facts) {
  return std::make_unique<MachinePart>(resources, facts);
}

std::vector<JointController> machine_controllers(const std::filesystem::path& resources,
                                                 double& tick_s) {
  const MachinePart part(resources, {});
  tick_s = part.tick_s();
  return part.controllers();
}

}  // namespace knuckleboom::fmi
