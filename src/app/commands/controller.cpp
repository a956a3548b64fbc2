#include "app/commands/controller.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/shell/text.hpp"
#include "fmi/controller_part.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {
namespace {

// One value of the machine for the FMU.
struct ControllerInput {
  enum class Kind { kReference, kMeasured, kActive, kLast, kChannel };
  Kind kind;
  int joint = 0, actuator = 0;
  std::size_t channel = 0;
};
struct ControllerOutput {
  int joint, actuator;
};

class ControlledEngine : public analysis::Engine {
 public:
  ControlledEngine(const sim::Simulation& simulation, const std::string& file)
      : simulation_(simulation),
        channels_(sim::channels(simulation.model())),
        foreign_(fmi::unpack(file)) {
    // The order of the actuators, as a snapshot has it.
    const sim::Snapshot start =
        sim::take_snapshot(simulation, simulation.initial_state(machine::Fidelity::kReduced));
    for (const fmi::ForeignVariable& variable : foreign_.variables) {
      if (variable.output) place_output(variable, start);
      if (variable.input) place_input(variable, start);
    }
    if (outputs_.empty())
      throw io::FileError(file,
                          "the FMU commands no joint of this machine; " + joints_in_words(start));
    in_.resize(inputs_.size());
    out_.resize(outputs_.size());
    slave_ = fmi::run_foreign(foreign_);
  }

  const fmi::Foreign& foreign() const { return foreign_; }

  void step(sim::SimState& state) override {
    // The tick as it will be: its events, its references.
    ahead_ = state;
    simulation_.begin_tick(ahead_);
    ask(state);
    sim::TickInput input = ahead_.input;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const int k = outputs_[i].actuator;
      if (!std::isfinite(out_[i]))
        throw RunFailure(fmt::format(
            "{}: the command for '{}' is not finite at {:g} s", foreign_.file.string(),
            simulation_.model().joint_name(outputs_[i].joint), simulation_.time(state)));
      if (is_active(k)) input.actuator[k] = {out_[i], sim::ActuatorMode::kVoltage, 0, 0.0};
    }
    for (int i = 0; i < simulation_.model().joint_count(); ++i)
      for (int newest = 0; newest < 2; ++newest)
        state.tip_joints[newest][i] = ahead_.tip_joints[newest][i];
    state.tip_unreachable = ahead_.tip_unreachable;
    simulation_.step(state, input);
    // The reference was followed, if by another controller.
    for (const ControllerOutput& output : outputs_) {
      if (!is_active(output.actuator)) continue;
      state.input.actuator[output.actuator] = ahead_.input.actuator[output.actuator];
      state.reference[output.joint] = ahead_.reference[output.joint];
    }
  }

 private:
  using Kind = ControllerInput::Kind;

  bool is_active(int actuator) const {
    return ahead_.input.actuator[actuator].mode == sim::ActuatorMode::kPosition;
  }

  void ask(const sim::SimState& state) {
    if (needs_snapshot_) sim::take_snapshot(simulation_, state, snapshot_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const ControllerInput& one = inputs_[i];
      switch (one.kind) {
        case Kind::kReference:
          in_[i] = ahead_.reference[one.joint];
          break;
        case Kind::kMeasured:
          in_[i] = simulation_.measured(ahead_, one.joint);
          break;
        case Kind::kActive:
          in_[i] = is_active(one.actuator) ? 1.0 : 0.0;
          break;
        case Kind::kLast:
          in_[i] = state.machine.actuator[one.actuator].command_V;
          break;
        case Kind::kChannel:
          in_[i] = channels_[one.channel].value(snapshot_);
          break;
      }
    }
    slave_->set(in_references_, in_);
    if (!begun_) slave_->begin();
    begun_ = true;
    slave_->step(simulation_.time(state), simulation_.tick_s());
    slave_->get(out_references_, out_);
  }

  std::string unit_of(int joint) const {
    return simulation_.model().tree.link(joint).revolute ? "rad" : "m";
  }

  void place_output(const fmi::ForeignVariable& variable, const sim::Snapshot& start) {
    for (int i = 0; i < simulation_.model().joint_count(); ++i) {
      if (start.actuator_of_joint[i] < 0 ||
          variable.name != fmi::command_name(simulation_.model().joint_name(i)))
        continue;
      outputs_.push_back({i, start.actuator_of_joint[i]});
      out_references_.push_back(variable.reference);
    }
  }

  void place_input(const fmi::ForeignVariable& variable, const sim::Snapshot& start) {
    in_references_.push_back(variable.reference);
    for (int i = 0; i < simulation_.model().joint_count(); ++i) {
      const std::string& joint = simulation_.model().joint_name(i);
      const int k = start.actuator_of_joint[i];
      if (k < 0) continue;
      for (const auto& [name, kind] :
           {std::pair{fmi::reference_name(joint, unit_of(i)), Kind::kReference},
            {fmi::measured_name(joint, unit_of(i)), Kind::kMeasured},
            {fmi::active_name(joint), Kind::kActive},
            {fmi::last_name(joint), Kind::kLast}})
        if (variable.name == name) return inputs_.push_back({kind, i, k, 0});
    }
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (channels_[i].name != variable.name) continue;
      needs_snapshot_ = true;
      return inputs_.push_back({Kind::kChannel, 0, 0, i});
    }
    std::vector<std::string> names;
    for (const sim::Channel& channel : channels_) names.push_back(channel.name);
    throw io::FileError(foreign_.file.string(),
                        fmt::format("the FMU's input '{}' is nothing that this machine has{}",
                                    variable.name, alternatives(variable.name, names)));
  }

  std::string joints_in_words(const sim::Snapshot& start) const {
    std::vector<std::string> names;
    for (int i = 0; i < simulation_.model().joint_count(); ++i)
      if (start.actuator_of_joint[i] >= 0)
        names.push_back(fmi::command_name(simulation_.model().joint_name(i)));
    return fmt::format("its outputs would be among {}", listing(names));
  }

  const sim::Simulation& simulation_;
  std::vector<sim::Channel> channels_;
  fmi::Foreign foreign_;  // outlives the slave
  std::vector<ControllerInput> inputs_;
  std::vector<ControllerOutput> outputs_;
  std::vector<unsigned> in_references_, out_references_;
  std::vector<double> in_, out_;
  std::unique_ptr<fmi::ForeignSlave> slave_;
  sim::SimState ahead_{};
  sim::Snapshot snapshot_{};
  bool needs_snapshot_ = false, begun_ = false;
};

}  // namespace

std::unique_ptr<analysis::Engine> controlled_engine(const sim::Simulation& simulation,
                                                    const std::string& file, std::string& title) {
  auto engine = std::make_unique<ControlledEngine>(simulation, file);
  const fmi::Foreign& foreign = engine->foreign();
  title = fmt::format("{} ({}, FMI {}.0, hash {})", one_line(foreign.name), file,
                      static_cast<int>(foreign.version), foreign.hash);
  return engine;
}

}  // namespace knuckleboom::app
