// The C interface. Everything that can throw runs inside guarded(); what it throws becomes a status and the
// thread's last error.
#include "knuckleboom.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "controllers.hpp"
#include "knuckleboom/core/batch/batch.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/held.hpp"
#include "knuckleboom/core/sim/parts.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/load_exercise.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"
#include "knuckleboom/version.hpp"

using namespace knuckleboom;

namespace {

// --- Inputs -------------------------------------------------------------------

enum class InputKind { kValve, kReference, kTorque, kSpeed, kLever, kButton };

struct InputSignal {
  std::string name, unit, description;
  InputKind kind;
  int index;  // of the actuator, joint or lever axis
};

std::vector<InputSignal> inputs_of(const machine::MachineModel& model) {
  std::vector<InputSignal> out;
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const int link = model.actuators[k].link;
    const std::string& joint = model.joint_name(link);
    const int index = static_cast<int>(k);
    out.push_back({joint + "_valve_V", "V", "command to the valve", InputKind::kValve, index});
    const control::PidGains& gains = model.controllers[k];
    if (gains.Kp == 0.0 && gains.Ki == 0.0) continue;
    const std::string unit = model.tree.link(link).revolute ? "rad" : "m";
    out.push_back({joint + "_ref_" + unit, unit, "joint position that the controller follows",
                   InputKind::kReference, index});
  }
  for (const machine::JointDrive& drive : model.drives) {
    const std::string& joint = model.joint_name(drive.link);
    const bool turns = model.tree.link(drive.link).revolute;
    out.push_back({joint + (turns ? "_torque_Nm" : "_force_N"), turns ? "Nm" : "N",
                   "of the joint's own drive", InputKind::kTorque, drive.link});
    if (drive.speed_gain == 0.0) continue;
    out.push_back({joint + (turns ? "_speed_rad_s" : "_speed_m_s"), turns ? "rad/s" : "m/s",
                   "that the joint's own drive follows", InputKind::kSpeed, drive.link});
  }
  return out;
}

std::vector<InputSignal> levers() {
  std::vector<InputSignal> out;
  for (int i = 0; i < command::kLeverAxes; ++i)
    out.push_back({std::string("lever_") + command::kLeverAxisNames[i], "",
                   "lever position, -1 to 1", InputKind::kLever, i});
  for (int i = 0; i < command::kLeverButtons; ++i)
    out.push_back({std::string("button_") + command::kLeverButtonNames[i], "", "1: pressed, 0: not",
                   InputKind::kButton, i});
  return out;
}

// --- What is opened -----------------------------------------------------------

// Constant; shared by a simulation and its copies.
struct Opened {
  io::ContentHash machine_hash, scenario_hash, levers_hash;  // scenario: or exercise
  std::unique_ptr<const sim::Simulation> scenario;           // one of these two
  std::unique_ptr<const training::Session> exercise;
  std::vector<training::SessionChannel> channels;
  std::vector<InputSignal> inputs;
  std::string notes;

  const sim::Simulation& simulation() const {
    return scenario ? *scenario : exercise->simulation();
  }
  bool same_content(const Opened& other) const {
    return machine_hash == other.machine_hash && scenario_hash == other.scenario_hash &&
           levers_hash == other.levers_hash;
  }
};

// One of the two, as in Opened.
struct State {
  State() = default;
  State(const State& other) { *this = other; }
  State& operator=(const State& other) {
    if (this == &other) return *this;
    scenario = other.scenario ? std::make_unique<sim::SimState>(*other.scenario) : nullptr;
    exercise = other.exercise ? std::make_unique<training::SessionState>(*other.exercise) : nullptr;
    return *this;
  }
  State(State&&) = default;
  State& operator=(State&&) = default;
  ~State() = default;

  const sim::SimState& sim() const { return scenario ? *scenario : exercise->sim; }
  std::int64_t tick() const { return scenario ? scenario->tick : exercise->tick; }

  std::unique_ptr<sim::SimState> scenario;
  std::unique_ptr<training::SessionState> exercise;
};

std::string lines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (sentence.empty()) continue;
    if (!text.empty()) text += '\n';
    text += sentence;
  }
  return text;
}

}  // namespace

struct kb_setup {
  io::FileSource scenario, exercise, machine, levers;
  std::vector<std::string> assignments;
  std::optional<machine::Fidelity> fidelity;
};

struct kb_state {
  std::shared_ptr<const Opened> of;
  State state;
};

struct kb_simulation {
  std::shared_ptr<const Opened> of;
  State state;
  sim::Held held{};
  command::OperatorInput lever{};
  // Snapshot of the state, filled when it is first read; for a scenario only the part `sim`.
  training::SessionSnapshot snapshot{};
  bool snapshot_is_new = false;
  std::string hash;

  const training::SessionSnapshot& seen() {
    if (!snapshot_is_new) {
      if (of->scenario)
        snapshot.sim = sim::take_snapshot(*of->scenario, *state.scenario);
      else
        snapshot = of->exercise->snapshot(*state.exercise);
      snapshot_is_new = true;
    }
    return snapshot;
  }
};

namespace {

// --- Errors -------------------------------------------------------------------

class ArgumentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class NonFinite : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

thread_local std::string last_error;       // NOLINT
thread_local bool memory_ran_out = false;  // and last_error could not say so

kb_status failed(kb_status status, const char* text) noexcept {
  try {
    last_error = text;
    memory_ran_out = false;
  } catch (...) {
    memory_ran_out = true;
  }
  return status;
}

template <typename Function>
kb_status guarded(Function&& function) noexcept {
  try {
    function();
    return KB_OK;
  } catch (const ArgumentError& error) {
    return failed(KB_ERROR_ARGUMENT, error.what());
  } catch (const NonFinite& error) {
    return failed(KB_ERROR_NONFINITE, error.what());
  } catch (const io::FileError& error) {
    return failed(KB_ERROR_INPUT, error.what());
  } catch (const UserError& error) {
    return failed(KB_ERROR_INPUT, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(KB_ERROR_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return failed(KB_ERROR_INTERNAL, "there is not enough memory");
  } catch (const std::exception& error) {
    return failed(KB_ERROR_INTERNAL, error.what());
  } catch (...) {
    return failed(KB_ERROR_INTERNAL, "an unknown fault inside the library");
  }
}

// Result of function(), or `otherwise` if it throws.
template <typename Function, typename Value>
Value guarded_or(Value otherwise, Function&& function) noexcept {
  Value value = otherwise;
  return guarded([&] { value = function(); }) == KB_OK ? value : otherwise;
}

template <typename T>
T& given(T* pointer, const char* what) {
  if (pointer == nullptr) throw ArgumentError(fmt::format("the {} is NULL", what));
  return *pointer;
}

std::string given_text(const char* text, const char* what) {
  if (text == nullptr) throw ArgumentError(fmt::format("the {} is NULL", what));
  return text;
}

template <typename Signal>
const Signal& at(const std::vector<Signal>& signals, std::int32_t index, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= signals.size())
    throw ArgumentError(fmt::format("there is no {} {}; they go from 0 to {}", what, index,
                                    static_cast<std::ptrdiff_t>(signals.size()) - 1));
  return signals[static_cast<std::size_t>(index)];
}

template <typename Signal>
std::int32_t find(const std::vector<Signal>& signals, const std::string& name, const char* what) {
  std::vector<std::string> names;
  for (const Signal& signal : signals) {
    if (signal.name == name) return static_cast<std::int32_t>(names.size());
    names.push_back(signal.name);
  }
  throw ArgumentError(
      fmt::format("there is no {} '{}'{}", what, name, io::alternatives(name, names)));
}

machine::Fidelity fidelity_of(kb_fidelity fidelity) {
  switch (static_cast<int>(fidelity)) {
    case KB_FIDELITY_REDUCED:
      return machine::Fidelity::kReduced;
    case KB_FIDELITY_FULL:
      return machine::Fidelity::kFull;
    case KB_FIDELITY_PAPER:
      return machine::Fidelity::kPaper;
    default:
      throw ArgumentError(fmt::format("there is no fidelity {}", static_cast<int>(fidelity)));
  }
}

// --- Opening ------------------------------------------------------------------

void open_scenario(const kb_setup& setup, Opened& opened, State& state) {
  io::LoadedCase loaded = io::load_case(setup.scenario, setup.machine, setup.assignments);
  opened.machine_hash = loaded.machine.hash;
  opened.scenario_hash = loaded.scenario.hash;
  opened.notes = loaded.note();
  opened.scenario = std::make_unique<const sim::Simulation>(std::move(loaded.machine.model),
                                                            std::move(loaded.scenario.scenario));
  const machine::MachineModel& model = opened.scenario->model();
  for (sim::Channel& channel : sim::all_channels(model)) {
    training::SessionChannel out{channel.name, channel.unit, channel.description, std::nullopt};
    out.of_simulation = std::move(channel);
    opened.channels.push_back(std::move(out));
  }
  opened.inputs = inputs_of(model);
  state.scenario = std::make_unique<sim::SimState>(
      opened.scenario->initial_state(setup.fidelity.value_or(machine::Fidelity::kReduced)));
}

void open_exercise(const kb_setup& setup, Opened& opened, State& state) {
  const io::Overrides overrides = io::sort_overrides(setup.assignments);
  io::refuse_scenario_keys(overrides, "an exercise is opened");
  io::LoadedExercise loaded =
      io::load_exercise(setup.exercise, setup.machine, setup.levers, overrides);
  opened.machine_hash = loaded.machine.hash;
  opened.scenario_hash = loaded.exercise.hash;
  opened.levers_hash = loaded.levers.hash;
  const std::string trust = io::machine_note(loaded.machine.model);
  opened.exercise = std::make_unique<const training::Session>(std::move(loaded.machine.model),
                                                              std::move(loaded.levers.pattern),
                                                              std::move(loaded.exercise.exercise));
  std::vector<std::string> notes = opened.exercise->notes();
  notes.push_back(trust);
  opened.notes = lines(notes);
  opened.channels = training::session_channels(*opened.exercise);
  opened.inputs = levers();
  state.exercise = std::make_unique<training::SessionState>(opened.exercise->initial_state());
  if (setup.fidelity)
    opened.exercise->apply(
        {training::CommandKind::kFidelity, static_cast<std::int32_t>(*setup.fidelity)},
        *state.exercise);
}

std::unique_ptr<kb_simulation> open(const kb_setup& setup) {
  auto opened = std::make_shared<Opened>();
  auto simulation = std::make_unique<kb_simulation>();
  if (!setup.scenario.empty())
    open_scenario(setup, *opened, simulation->state);
  else if (!setup.exercise.empty())
    open_exercise(setup, *opened, simulation->state);
  else
    throw ArgumentError("the setup has neither a scenario nor an exercise");
  simulation->of = std::move(opened);
  return simulation;
}

// --- Ticks --------------------------------------------------------------------

void step(kb_simulation& s, std::int64_t ticks) {
  if (ticks < 0) throw ArgumentError(fmt::format("{} ticks: a simulation does not go back", ticks));
  const std::int64_t bad_before = s.state.sim().machine.health.non_finite;
  for (std::int64_t i = 0; i < ticks; ++i) {
    s.snapshot_is_new = false;
    if (s.of->scenario) {
      sim::step_held(*s.of->scenario, s.held, *s.state.scenario);
    } else {
      s.of->exercise->step(s.lever, *s.state.exercise, s.snapshot);
      s.snapshot_is_new = true;
    }
    if (s.state.sim().machine.health.non_finite > bad_before)
      throw NonFinite(fmt::format("the result of tick {} is not finite", s.state.tick()));
  }
}

void press(kb_simulation& s, int button, bool down) {
  const std::int64_t bit = std::int64_t{1} << button;
  s.lever.buttons = down ? s.lever.buttons | bit : s.lever.buttons & ~bit;
}

// The other input of the same actuator or joint gives way.
void hold(kb_simulation& s, const InputSignal& input, double value) {
  const auto k = static_cast<std::size_t>(input.index);
  switch (input.kind) {
    case InputKind::kValve:
    case InputKind::kReference:
      s.held.input.actuator[k] = {value,
                                  input.kind == InputKind::kValve ? sim::ActuatorMode::kVoltage
                                                                  : sim::ActuatorMode::kPosition,
                                  0, 0.0};
      s.held.drive[k] = true;
      break;
    case InputKind::kTorque:
    case InputKind::kSpeed:
      s.held.input.joint[k] = {value, input.kind == InputKind::kTorque
                                          ? sim::JointCommandMode::kTorque
                                          : sim::JointCommandMode::kSpeed};
      s.held.any_joint = true;
      break;
    case InputKind::kLever:
      s.lever.axis[k] = std::clamp(value, -1.0, 1.0);
      break;
    case InputKind::kButton:
      press(s, input.index, value > 0.5);
      break;
  }
}

void release(kb_simulation& s, const InputSignal& input) {
  const auto k = static_cast<std::size_t>(input.index);
  if (input.kind == InputKind::kLever)
    s.lever.axis[k] = 0.0;
  else if (input.kind == InputKind::kButton)
    press(s, input.index, false);
  else if (input.kind == InputKind::kValve || input.kind == InputKind::kReference)
    s.held.drive[k] = false;
  else
    s.held.input.joint[k] = {};
}

void apply(kb_simulation& s, training::CommandKind kind, std::int32_t value) {
  s.of->exercise->apply({kind, value}, *s.state.exercise);
  s.snapshot_is_new = false;
}

const kb_setup* changed(kb_setup* setup, io::FileSource kb_setup::*which, const char* name,
                        const char* text, const char* what) {
  kb_setup& s = given(setup, "setup");
  io::FileSource source(given_text(name, what));
  if (text != nullptr) source.text = text;
  if (source.empty()) throw ArgumentError(fmt::format("the {} is empty", what));
  s.*which = std::move(source);
  return setup;
}

}  // namespace

// --- The library --------------------------------------------------------------

uint32_t kb_abi_version(void) noexcept { return KB_ABI_VERSION; }

const char* kb_version(void) noexcept {
  return guarded_or<>(kVersion, [] {
    static const std::string text = fmt::format("{} ({})", kVersion, kRevision);
    return text.c_str();
  });
}

const char* kb_last_error(void) noexcept {
  return memory_ran_out ? "there is not enough memory" : last_error.c_str();
}

// --- Setup --------------------------------------------------------------------

kb_setup* kb_setup_new(void) noexcept {
  return guarded_or<>(static_cast<kb_setup*>(nullptr), [] { return new kb_setup; });
}

void kb_setup_free(kb_setup* setup) noexcept { delete setup; }

kb_status kb_setup_scenario(kb_setup* setup, const char* name, const char* text) noexcept {
  return guarded([&] {
    changed(setup, &kb_setup::scenario, name, text, "scenario");
    setup->exercise = {};
  });
}

kb_status kb_setup_exercise(kb_setup* setup, const char* name, const char* text) noexcept {
  return guarded([&] {
    changed(setup, &kb_setup::exercise, name, text, "exercise");
    setup->scenario = {};
  });
}

kb_status kb_setup_machine(kb_setup* setup, const char* name, const char* text) noexcept {
  return guarded([&] { changed(setup, &kb_setup::machine, name, text, "machine"); });
}

kb_status kb_setup_levers(kb_setup* setup, const char* name, const char* text) noexcept {
  return guarded([&] { changed(setup, &kb_setup::levers, name, text, "lever file"); });
}

kb_status kb_setup_set(kb_setup* setup, const char* assignment) noexcept {
  return guarded([&] {
    kb_setup& s = given(setup, "setup");
    std::string text = given_text(assignment, "assignment");
    io::parse_override(text);  // refuses what is no key=value
    s.assignments.push_back(std::move(text));
  });
}

kb_status kb_setup_fidelity(kb_setup* setup, kb_fidelity fidelity) noexcept {
  return guarded([&] { given(setup, "setup").fidelity = fidelity_of(fidelity); });
}

// --- Simulation ---------------------------------------------------------------

kb_simulation* kb_open(const kb_setup* setup) noexcept {
  return guarded_or<>(static_cast<kb_simulation*>(nullptr),
                      [&] { return open(given(setup, "setup")).release(); });
}

void kb_close(kb_simulation* simulation) noexcept { delete simulation; }

kb_simulation* kb_copy(const kb_simulation* simulation) noexcept {
  return guarded_or<>(static_cast<kb_simulation*>(nullptr),
                      [&] { return new kb_simulation(given(simulation, "simulation")); });
}

kb_status kb_step(kb_simulation* simulation, int64_t ticks) noexcept {
  return guarded([&] { step(given(simulation, "simulation"), ticks); });
}

double kb_tick_s(const kb_simulation* simulation) noexcept {
  return guarded_or<>(0.0, [&] {
    const Opened& of = *given(simulation, "simulation").of;
    return of.scenario ? of.scenario->tick_s() : of.exercise->tick_s();
  });
}

int64_t kb_tick(const kb_simulation* simulation) noexcept {
  return guarded_or<>(std::int64_t{-1},
                      [&] { return given(simulation, "simulation").state.tick(); });
}

int64_t kb_tick_count(const kb_simulation* simulation) noexcept {
  return guarded_or<>(std::int64_t{-1}, [&] {
    const Opened& of = *given(simulation, "simulation").of;
    return of.scenario ? of.scenario->tick_count() : std::int64_t{0};
  });
}

const char* kb_notes(const kb_simulation* simulation) noexcept {
  return guarded_or<>(static_cast<const char*>(nullptr),
                      [&] { return given(simulation, "simulation").of->notes.c_str(); });
}

// --- Channels -----------------------------------------------------------------

int32_t kb_channel_count(const kb_simulation* simulation) noexcept {
  return guarded_or<>(std::int32_t{-1}, [&] {
    return static_cast<std::int32_t>(given(simulation, "simulation").of->channels.size());
  });
}

namespace {

template <typename Signal>
const char* text_of(const kb_simulation* simulation, std::vector<Signal> Opened::*signals,
                    std::int32_t index, const char* what, std::string Signal::*text) noexcept {
  return guarded_or<>(static_cast<const char*>(nullptr), [&] {
    return (at(*given(simulation, "simulation").of.*signals, index, what).*text).c_str();
  });
}

}  // namespace

const char* kb_channel_name(const kb_simulation* simulation, int32_t channel) noexcept {
  return text_of(simulation, &Opened::channels, channel, "channel",
                 &training::SessionChannel::name);
}

const char* kb_channel_unit(const kb_simulation* simulation, int32_t channel) noexcept {
  return text_of(simulation, &Opened::channels, channel, "channel",
                 &training::SessionChannel::unit);
}

const char* kb_channel_description(const kb_simulation* simulation, int32_t channel) noexcept {
  return text_of(simulation, &Opened::channels, channel, "channel",
                 &training::SessionChannel::description);
}

int32_t kb_find_channel(const kb_simulation* simulation, const char* name) noexcept {
  return guarded_or<>(std::int32_t{-1}, [&] {
    return find(given(simulation, "simulation").of->channels, given_text(name, "channel's name"),
                "channel");
  });
}

double kb_read(kb_simulation* simulation, int32_t channel) noexcept {
  return guarded_or<>(std::numeric_limits<double>::quiet_NaN(), [&] {
    kb_simulation& s = given(simulation, "simulation");
    return at(s.of->channels, channel, "channel").value(s.seen());
  });
}

kb_status kb_read_all(kb_simulation* simulation, double* values, int32_t count) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const auto known = static_cast<std::int32_t>(s.of->channels.size());
    if (count < 0 || count > known)
      throw ArgumentError(
          fmt::format("{} values are asked for; there are {} channels", count, known));
    if (count == 0) return;
    given(values, "room for the values");
    const training::SessionSnapshot& seen = s.seen();
    for (std::int32_t i = 0; i < count; ++i)
      values[i] = s.of->channels[static_cast<std::size_t>(i)].value(seen);
  });
}

// --- Inputs -------------------------------------------------------------------

int32_t kb_input_count(const kb_simulation* simulation) noexcept {
  return guarded_or<>(std::int32_t{-1}, [&] {
    return static_cast<std::int32_t>(given(simulation, "simulation").of->inputs.size());
  });
}

const char* kb_input_name(const kb_simulation* simulation, int32_t input) noexcept {
  return text_of(simulation, &Opened::inputs, input, "input", &InputSignal::name);
}

const char* kb_input_unit(const kb_simulation* simulation, int32_t input) noexcept {
  return text_of(simulation, &Opened::inputs, input, "input", &InputSignal::unit);
}

const char* kb_input_description(const kb_simulation* simulation, int32_t input) noexcept {
  return text_of(simulation, &Opened::inputs, input, "input", &InputSignal::description);
}

int32_t kb_find_input(const kb_simulation* simulation, const char* name) noexcept {
  return guarded_or<>(std::int32_t{-1}, [&] {
    return find(given(simulation, "simulation").of->inputs, given_text(name, "input's name"),
                "input");
  });
}

kb_status kb_set_input(kb_simulation* simulation, int32_t input, double value) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const InputSignal& signal = at(s.of->inputs, input, "input");
    if (!std::isfinite(value))
      throw ArgumentError(fmt::format("{} cannot be set to {}", signal.name, value));
    hold(s, signal, value);
  });
}

kb_status kb_release_input(kb_simulation* simulation, int32_t input) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    release(s, at(s.of->inputs, input, "input"));
  });
}

kb_status kb_set_fidelity(kb_simulation* simulation, kb_fidelity fidelity) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const machine::Fidelity wanted = fidelity_of(fidelity);
    if (s.of->exercise) {
      apply(s, training::CommandKind::kFidelity, static_cast<std::int32_t>(wanted));
    } else {
      s.of->scenario->set_fidelity(*s.state.scenario, wanted);
      s.snapshot_is_new = false;
    }
  });
}

kb_status kb_set_control_mode(kb_simulation* simulation, kb_control_mode mode) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const int value = static_cast<int>(mode);
    if (value < 0 || value >= command::kControlModes)
      throw ArgumentError(fmt::format("there is no control mode {}", value));
    if (!s.of->exercise) throw ArgumentError("a scenario has no levers, and so no control mode");
    apply(s, training::CommandKind::kControlMode, value);
  });
}

kb_status kb_set_fault(kb_simulation* simulation, const char* name, int on) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const int index =
        find(s.of->simulation().scenario().faults, given_text(name, "fault's name"), "fault");
    if (s.of->exercise)
      apply(s, on != 0 ? training::CommandKind::kFault : training::CommandKind::kClearFault, index);
    else
      s.of->scenario->set_fault(*s.state.scenario, index, on != 0);
  });
}

// --- States -------------------------------------------------------------------

kb_state* kb_state_take(const kb_simulation* simulation) noexcept {
  return guarded_or<>(static_cast<kb_state*>(nullptr), [&] {
    const kb_simulation& s = given(simulation, "simulation");
    return new kb_state{s.of, s.state};
  });
}

kb_status kb_state_restore(kb_simulation* simulation, const kb_state* state) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const kb_state& from = given(state, "state");
    if (from.of != s.of && !from.of->same_content(*s.of))
      throw ArgumentError("the state was taken from another machine or scenario");
    s.state = from.state;
    s.snapshot_is_new = false;
  });
}

void kb_state_free(kb_state* state) noexcept { delete state; }

kb_status kb_state_write(const kb_simulation* simulation, const char* path) noexcept {
  return guarded([&] {
    const kb_simulation& s = given(simulation, "simulation");
    const std::string file = given_text(path, "path");
    if (!s.of->scenario)
      throw ArgumentError("the state of an exercise has no file; kb_state_take keeps it");
    io::write_state(file, *s.state.scenario, s.of->machine_hash, s.of->scenario_hash,
                    machine::word_of(s.state.scenario->fidelity));
  });
}

kb_status kb_state_read(kb_simulation* simulation, const char* path) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const std::string file = given_text(path, "path");
    if (!s.of->scenario)
      throw ArgumentError("the state of an exercise has no file; kb_state_restore brings it back");
    *s.state.scenario =
        io::read_state(file, s.of->machine_hash, s.of->scenario_hash, *s.of->scenario);
    s.snapshot_is_new = false;
  });
}

std::int64_t kb_state_save(const kb_state* state, void* bytes, std::int64_t room) noexcept {
  return guarded_or<>(std::int64_t{-1}, [&] {
    const kb_state& s = given(state, "state");
    if (!s.of->scenario)
      throw ArgumentError("the state of an exercise has no bytes; kb_state_restore brings it back");
    const std::string all = io::state_bytes(s.state.sim(), s.of->machine_hash, s.of->scenario_hash,
                                            machine::word_of(s.state.sim().fidelity));
    const auto size = static_cast<std::int64_t>(all.size());
    if (room >= size)
      std::memcpy(&given(static_cast<char*>(bytes), "room"), all.data(), all.size());
    return size;
  });
}

kb_status kb_state_load(kb_simulation* simulation, const void* bytes, std::int64_t count) noexcept {
  return guarded([&] {
    kb_simulation& s = given(simulation, "simulation");
    const char& first = given(static_cast<const char*>(bytes), "state");
    if (count < 0) throw ArgumentError(fmt::format("{} bytes are no state", count));
    if (!s.of->scenario)
      throw ArgumentError("the state of an exercise has no bytes; kb_state_restore brings it back");
    *s.state.scenario =
        io::state_from_bytes({&first, static_cast<std::size_t>(count)}, "bytes of a state",
                             s.of->machine_hash, s.of->scenario_hash, *s.of->scenario);
    s.snapshot_is_new = false;
  });
}

const char* kb_state_hash(kb_simulation* simulation) noexcept {
  return guarded_or<>(static_cast<const char*>(nullptr), [&] {
    kb_simulation& s = given(simulation, "simulation");
    s.hash = s.of->scenario ? io::state_hash(*s.state.scenario) : io::state_hash(*s.state.exercise);
    return s.hash.c_str();
  });
}

// --- Batches ------------------------------------------------------------------

// Machines of scenarios are in `batch`; exercises are stepped as they are.
struct kb_batch {
  explicit kb_batch(int lanes) : batch(lanes) {}

  batch::Batch batch;
  struct Member {
    std::shared_ptr<const Opened> of;
    int number = -1;                          // in `batch`
    std::unique_ptr<kb_simulation> exercise;  // if it has none
  };
  std::vector<Member> members;
  sim::Snapshot snapshot{};
  std::string hash;
};

namespace {

kb_batch::Member& member(kb_batch& b, std::int32_t machine) {
  if (machine < 0 || static_cast<std::size_t>(machine) >= b.members.size())
    throw ArgumentError(fmt::format("there is no machine {}; they go from 0 to {}", machine,
                                    static_cast<std::ptrdiff_t>(b.members.size()) - 1));
  return b.members[static_cast<std::size_t>(machine)];
}

void hold(kb_batch& b, kb_batch::Member& m, const InputSignal& input, double value) {
  if (m.exercise) return hold(*m.exercise, input, value);
  switch (input.kind) {
    case InputKind::kValve:
      return b.batch.hold(m.number, input.index, {value, sim::ActuatorMode::kVoltage, 0, 0.0});
    case InputKind::kReference:
      return b.batch.hold(m.number, input.index, {value, sim::ActuatorMode::kPosition, 0, 0.0});
    case InputKind::kTorque:
      return b.batch.hold_joint(m.number, input.index, {value, sim::JointCommandMode::kTorque});
    case InputKind::kSpeed:
      return b.batch.hold_joint(m.number, input.index, {value, sim::JointCommandMode::kSpeed});
    default:
      throw ArgumentError(fmt::format("a scenario has no input {}", input.name));
  }
}

void release(kb_batch& b, kb_batch::Member& m, const InputSignal& input) {
  if (m.exercise) return release(*m.exercise, input);
  if (input.kind == InputKind::kValve || input.kind == InputKind::kReference)
    b.batch.release(m.number, input.index);
  else
    b.batch.hold_joint(m.number, input.index, {});
}

// All at once or none.
void set_inputs(kb_batch& b, const std::int32_t* inputs, std::size_t count, const double* values) {
  for (std::size_t i = 0; i < b.members.size(); ++i)
    for (std::size_t k = 0; k < count; ++k) {
      const InputSignal& input = at(b.members[i].of->inputs, inputs[k], "input");
      if (std::isinf(values[i * count + k]))
        throw ArgumentError(fmt::format("{} of machine {} cannot be set to {}", input.name, i,
                                        values[i * count + k]));
    }
  for (std::size_t i = 0; i < b.members.size(); ++i)
    for (std::size_t k = 0; k < count; ++k) {
      kb_batch::Member& m = b.members[i];
      const InputSignal& input = m.of->inputs[static_cast<std::size_t>(inputs[k])];
      const double value = values[i * count + k];
      if (std::isnan(value))
        release(b, m, input);
      else
        hold(b, m, input, value);
    }
}

void read(kb_batch& b, const std::int32_t* channels, std::size_t count, double* values) {
  for (const kb_batch::Member& m : b.members)
    for (std::size_t k = 0; k < count; ++k) at(m.of->channels, channels[k], "channel");
  for (std::size_t i = 0; i < b.members.size(); ++i) {
    kb_batch::Member& m = b.members[i];
    unsigned parts = 0;  // of a snapshot that the channels need
    for (std::size_t k = 0; k < count && !m.exercise; ++k)
      parts |= sim::parts_of(*m.of->channels[static_cast<std::size_t>(channels[k])].of_simulation);
    if (!m.exercise)
      sim::take_snapshot(*m.of->scenario, b.batch.look(m.number, parts), parts, b.snapshot);
    for (std::size_t k = 0; k < count; ++k) {
      const training::SessionChannel& channel =
          m.of->channels[static_cast<std::size_t>(channels[k])];
      values[i * count + k] =
          m.exercise ? channel.value(m.exercise->seen()) : channel.of_simulation->value(b.snapshot);
    }
  }
}

void step(kb_batch& b, std::int64_t ticks) {
  if (ticks < 0) throw ArgumentError(fmt::format("{} ticks: a batch does not go back", ticks));
  const std::int64_t bad_before = b.batch.non_finite();
  b.batch.step(ticks);
  std::string bad;
  for (kb_batch::Member& m : b.members) {
    if (!m.exercise) continue;
    try {
      step(*m.exercise, ticks);
    } catch (const NonFinite& error) {
      bad = error.what();
    }
  }
  if (!bad.empty()) throw NonFinite(bad);
  if (b.batch.non_finite() > bad_before)
    throw NonFinite("the result of a machine of the batch is not finite");
}

}  // namespace

kb_batch* kb_batch_new(int32_t lanes) noexcept {
  return guarded_or<>(static_cast<kb_batch*>(nullptr), [&] { return new kb_batch(lanes); });
}

void kb_batch_free(kb_batch* batch) noexcept { delete batch; }

int32_t kb_batch_add(kb_batch* batch, const kb_simulation* simulation) noexcept {
  return guarded_or<>(std::int32_t{-1}, [&] {
    kb_batch& b = given(batch, "batch");
    const kb_simulation& s = given(simulation, "simulation");
    kb_batch::Member m;
    m.of = s.of;
    if (s.of->scenario) {
      m.number = b.batch.add(*s.of->scenario, *s.state.scenario);
      for (int k = 0; k < kMaxActuators; ++k)
        if (s.held.drive[k]) b.batch.hold(m.number, k, s.held.input.actuator[k]);
      for (int i = 0; s.held.any_joint && i < kMaxLinks; ++i)
        b.batch.hold_joint(m.number, i, s.held.input.joint[i]);
    } else {
      m.exercise = std::make_unique<kb_simulation>(s);
    }
    b.members.push_back(std::move(m));
    return static_cast<std::int32_t>(b.members.size()) - 1;
  });
}

int32_t kb_batch_count(const kb_batch* batch) noexcept {
  return guarded_or<>(std::int32_t{-1}, [&] {
    return static_cast<std::int32_t>(given(batch, "batch").members.size());
  });
}

int32_t kb_batch_lanes(const kb_batch* batch) noexcept {
  return guarded_or<>(std::int32_t{-1},
                      [&] { return std::int32_t{given(batch, "batch").batch.lanes()}; });
}

int32_t kb_batch_in_lanes(const kb_batch* batch) noexcept {
  return guarded_or<>(std::int32_t{-1},
                      [&] { return std::int32_t{given(batch, "batch").batch.in_lanes()}; });
}

kb_status kb_batch_step(kb_batch* batch, int64_t ticks) noexcept {
  return guarded([&] { step(given(batch, "batch"), ticks); });
}

kb_status kb_batch_set_inputs(kb_batch* batch, const int32_t* inputs, int32_t count,
                              const double* values) noexcept {
  return guarded([&] {
    kb_batch& b = given(batch, "batch");
    if (count < 0) throw ArgumentError(fmt::format("{} inputs", count));
    if (count == 0) return;
    set_inputs(b, &given(inputs, "list of inputs"), static_cast<std::size_t>(count),
               &given(values, "list of values"));
  });
}

kb_status kb_batch_read(kb_batch* batch, const int32_t* channels, int32_t count,
                        double* values) noexcept {
  return guarded([&] {
    kb_batch& b = given(batch, "batch");
    if (count < 0) throw ArgumentError(fmt::format("{} channels", count));
    if (count == 0) return;
    read(b, &given(channels, "list of channels"), static_cast<std::size_t>(count),
         &given(values, "room for the values"));
  });
}

kb_state* kb_batch_take(kb_batch* batch, int32_t machine) noexcept {
  return guarded_or<>(static_cast<kb_state*>(nullptr), [&] {
    kb_batch& b = given(batch, "batch");
    const kb_batch::Member& m = member(b, machine);
    if (m.exercise) return kb_state_take(m.exercise.get());
    auto out = std::make_unique<kb_state>();
    out->of = m.of;
    out->state.scenario = std::make_unique<sim::SimState>(b.batch.state(m.number));
    return out.release();
  });
}

kb_status kb_batch_restore(kb_batch* batch, int32_t machine, const kb_state* state) noexcept {
  return guarded([&] {
    kb_batch& b = given(batch, "batch");
    const kb_batch::Member& m = member(b, machine);
    const kb_state& from = given(state, "state");
    if (from.of != m.of && !from.of->same_content(*m.of))
      throw ArgumentError("the state was taken from another machine or scenario");
    if (m.exercise) {
      m.exercise->state = from.state;
      m.exercise->snapshot_is_new = false;
    } else {
      b.batch.change(m.number) = *from.state.scenario;
    }
  });
}

kb_status kb_batch_set_fault(kb_batch* batch, int32_t machine, const char* name, int on) noexcept {
  return guarded([&] {
    kb_batch& b = given(batch, "batch");
    const kb_batch::Member& m = member(b, machine);
    const int index =
        find(m.of->simulation().scenario().faults, given_text(name, "fault's name"), "fault");
    if (m.exercise)
      apply(*m.exercise,
            on != 0 ? training::CommandKind::kFault : training::CommandKind::kClearFault, index);
    else
      m.of->scenario->set_fault(b.batch.change(m.number), index, on != 0);
  });
}

int64_t kb_batch_tick(kb_batch* batch, int32_t machine) noexcept {
  return guarded_or<>(std::int64_t{-1}, [&] {
    kb_batch& b = given(batch, "batch");
    const kb_batch::Member& m = member(b, machine);
    return m.exercise ? m.exercise->state.tick() : b.batch.state(m.number).tick;
  });
}

const char* kb_batch_hash(kb_batch* batch, int32_t machine) noexcept {
  return guarded_or<>(static_cast<const char*>(nullptr), [&] {
    kb_batch& b = given(batch, "batch");
    const kb_batch::Member& m = member(b, machine);
    b.hash = m.exercise ? io::state_hash(*m.exercise->state.exercise)
                        : io::state_hash(b.batch.state(m.number));
    return b.hash.c_str();
  });
}

// --- Controllers --------------------------------------------------------------

std::vector<JointController> knuckleboom::controllers_of(const kb_simulation& simulation) {
  const machine::MachineModel& model = simulation.of->simulation().model();
  std::vector<JointController> out;
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const machine::Actuator& actuator = model.actuators[k];
    const control::PidGains& gains = model.controllers[k];
    if (gains.Kp == 0.0 && gains.Ki == 0.0) continue;
    out.push_back({model.joint_name(actuator.link),
                   model.tree.link(actuator.link).revolute ? "rad" : "m", actuator.linkage.sign,
                   gains});
  }
  return out;
}

OpenedEngine knuckleboom::engine_of(const kb_simulation& simulation) {
  OpenedEngine out{&simulation.of->simulation(),
                   std::make_unique<sim::SimState>(simulation.state.sim())};
  for (std::size_t k = 0; k < kMaxActuators; ++k) {
    if (!simulation.held.drive[k]) continue;
    out.state->override_command[k] = simulation.held.input.actuator[k];
    out.state->overridden[k] = 1;
  }
  return out;
}
