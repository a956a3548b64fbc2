#include "knuckleboom/analysis/sweep_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "io/hasher.hpp"
#include "io/text_file.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/sweep_design.hpp"
#include "knuckleboom/core/batch/batch.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/parts.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/load_exercise.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::analysis {
namespace {

using io::SweepResult;
using io::SweepTake;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRestAfterInput = 1.0;    // s, of an input file that does not say where it ends
constexpr std::int64_t kStopTicks = 1000;  // between two looks at the wish to stop

// Why one run has no results; a sentence.
class RunRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string one_sentence(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ';');
  return text;
}

// The reason if a call throws what is told to the user.
template <class Call>
std::optional<std::string> refusal(Call call) {
  try {
    call();
    return std::nullopt;
  } catch (const io::FileError& error) {
    return one_sentence(error.what());
  } catch (const UserError& error) {
    return one_sentence(error.what());
  } catch (const RunFailure& error) {
    return one_sentence(error.what());
  } catch (const RunRefused& error) {
    return one_sentence(error.what());
  } catch (const std::invalid_argument& error) {
    return one_sentence(error.what());
  }
}

// --- What a run consists of ---------------------------------------------------

struct Choice {
  std::string scenario, exercise, levers, input, machine, fidelity, fault;
  std::vector<std::string> assignments;
};

std::string assignment(const std::string& key, bool factor, const std::string& value) {
  return fmt::format("{}{}={}", key, factor ? "*" : "", value);
}

std::string* chosen(Choice& choice, const std::string& key) {
  const std::pair<std::string_view, std::string*> known[] = {
      {"scenario", &choice.scenario}, {"exercise", &choice.exercise},
      {"levers", &choice.levers},     {"input", &choice.input},
      {"machine", &choice.machine},   {"fidelity", &choice.fidelity},
      {"fault", &choice.fault}};
  for (const auto& [word, member] : known)
    if (word == key) return member;
  return nullptr;
}

Choice choice_of(const io::SweepPlan& plan) {
  return {plan.scenario, plan.exercise, plan.levers, plan.input,
          plan.machine,  plan.fidelity, plan.fault,  plan.assignments};
}

void vary(Choice& choice, const io::SweepVariable& variable, const std::string& value) {
  if (std::string* member = chosen(choice, variable.key))
    *member = value;
  else
    choice.assignments.push_back(assignment(variable.key, variable.factor, value));
}

struct FaultAt {
  std::string name;
  double at_s = 0.0;
};
// NAME@S.
std::optional<FaultAt> fault_of(const std::string& text) {
  if (text.empty() || text == "none") return std::nullopt;
  const std::size_t at = text.rfind('@');
  FaultAt out{text.substr(0, at), 0.0};
  std::size_t used = 0;
  try {
    if (at != std::string::npos) out.at_s = std::stod(text.substr(at + 1), &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || at + 1 + used != text.size() || !(out.at_s >= 0.0) || out.name.empty())
    throw UserError(fmt::format(
        "fault '{}': say which and when, such as boom_cylinder_leak@12.5, or none", text));
  return out;
}

std::size_t index_of_fault(const std::vector<command::Fault>& faults, const std::string& name) {
  std::vector<std::string> names;
  for (const command::Fault& fault : faults) {
    if (fault.name == name) return names.size();
    names.push_back(fault.name);
  }
  throw UserError(fmt::format("there is no fault '{}'{}", name, io::alternatives(name, names)));
}

// A scenario on its machine, with the fault that is asked for.
std::unique_ptr<const sim::Simulation> simulation_of(io::CaseLoader& loader, const Choice& choice) {
  io::LoadedCase loaded = loader.load(choice.scenario, choice.machine, choice.assignments);
  if (const std::optional<FaultAt> wanted = fault_of(choice.fault)) {
    std::vector<command::Fault>& faults = loaded.scenario.scenario.faults;
    const auto known = [&](const command::Fault& fault) { return fault.name == wanted->name; };
    if (std::none_of(faults.begin(), faults.end(), known)) {
      const std::vector<command::Fault> usual = sim::usual_faults(loaded.machine.model);
      std::vector<command::Fault> all = faults;
      all.insert(all.end(), usual.begin(), usual.end());
      faults.push_back(all[index_of_fault(all, wanted->name)]);
    }
    faults[index_of_fault(faults, wanted->name)].at_s = wanted->at_s;
  }
  return std::make_unique<const sim::Simulation>(std::move(loaded.machine.model),
                                                 std::move(loaded.scenario.scenario));
}

const Method& method_of(const Choice& choice) {
  return find_method(choice.fidelity.empty() ? "reduced" : choice.fidelity);
}

// An exercise with everything that happens to it.
struct Drill {
  std::unique_ptr<const training::Session> session;
  std::vector<training::InputEvent> events;
  std::vector<std::pair<std::int64_t, training::Command>> commands;  // by tick
  std::int64_t ticks = 0;
};

std::string beside_input(const std::string& input, const std::string& name) {
  std::error_code ignored;
  const std::filesystem::path near = std::filesystem::path(input).parent_path() / name;
  return name.find('/') != std::string::npos && std::filesystem::exists(near, ignored)
             ? near.string()
             : name;
}

Drill drill_of(const Choice& choice, double duration_s) {
  const io::Overrides overrides = io::sort_overrides(choice.assignments);
  io::refuse_scenario_keys(overrides, "this plan runs an exercise");
  const double rate_Hz =
      io::read_exercise(io::find_exercise(choice.exercise), overrides.exercise).exercise.rate_Hz;
  std::optional<io::InputFile> input;
  if (!choice.input.empty()) input = io::read_input(choice.input, rate_Hz);
  const auto named = [&](const std::string& own, std::string io::InputHeader::*recorded) {
    return own.empty() && input ? beside_input(choice.input, input->header.*recorded) : own;
  };
  io::LoadedExercise loaded =
      io::load_exercise(choice.exercise, named(choice.machine, &io::InputHeader::machine),
                        named(choice.levers, &io::InputHeader::levers), overrides);
  Drill out;
  if (input) {
    loaded.exercise.exercise.rate_Hz = input->header.rate_Hz;
    if (input->header.fault_seed)
      loaded.exercise.exercise.fault_lot.seed = *input->header.fault_seed;
    out.events = std::move(input->events);
  }
  out.session = std::make_unique<const training::Session>(std::move(loaded.machine.model),
                                                          std::move(loaded.levers.pattern),
                                                          std::move(loaded.exercise.exercise));
  if (!choice.fidelity.empty()) {
    const Method& method = find_method(choice.fidelity);
    if (method.converged)
      throw UserError(
          fmt::format("an exercise runs with full, reduced or paper, not with {}", method.name));
    out.commands.push_back(
        {0, {training::CommandKind::kFidelity, static_cast<std::int32_t>(method.fidelity)}});
  }
  const double tick_s = out.session->tick_s();
  if (const std::optional<FaultAt> wanted = fault_of(choice.fault))
    out.commands.push_back(
        {std::llround(wanted->at_s / tick_s),
         {training::CommandKind::kFault,
          static_cast<std::int32_t>(index_of_fault(out.session->faults(), wanted->name))}});
  const std::int64_t end = training::InputPlayback(out.events).end_tick();
  if (duration_s > 0.0)
    out.ticks = std::llround(duration_s / tick_s);
  else if (end >= 0)
    out.ticks = end;
  else if (!out.events.empty())
    out.ticks = out.events.back().tick + std::llround(kRestAfterInput / tick_s);
  return out;
}

// --- Results ------------------------------------------------------------------

template <class Channel>
const Channel& find_channel(const std::vector<Channel>& channels, const std::string& name) {
  std::vector<std::string> names;
  for (const Channel& channel : channels) {
    if (channel.name == name) return channel;
    names.push_back(channel.name);
  }
  throw RunRefused(fmt::format("there is no channel '{}'{}", name, io::alternatives(name, names)));
}

// The results of one run, gathered look by look. Channel: of a simulation or of a session.
template <class Channel>
class Looks {
 public:
  Looks(const io::SweepPlan& plan, const std::vector<Channel>& channels, double tick_s,
        std::int64_t ticks)
      : plan_(plan),
        tick_s_(tick_s),
        end_(ticks),
        stride_(std::max<std::int64_t>(1, std::llround(plan.sample_s / tick_s))) {
    for (const SweepResult& result : plan.results) {
      One one{&find_channel(channels, result.channel), nullptr};
      if (!result.minus.empty()) one.minus = &find_channel(channels, result.minus);
      if constexpr (std::is_same_v<Channel, sim::Channel>)
        parts_ |=
            sim::parts_of(*one.channel) | (one.minus != nullptr ? sim::parts_of(*one.minus) : 0U);
      if (result.take == SweepTake::kAt) {
        one.tick = std::llround(result.at_s / tick_s);
        if (one.tick > ticks)
          throw RunRefused(fmt::format("'{}' is asked at {:g} s, but the run ends at {:g} s",
                                       result.name, result.at_s,
                                       static_cast<double>(ticks) * tick_s));
      }
      all_.push_back(one);
    }
  }

  // Parts of a simulation's snapshot that are looked at.
  unsigned parts() const { return parts_; }

  // The next tick after this one at which there is something to see.
  std::int64_t next(std::int64_t tick) const {
    std::int64_t next = std::min(end_, (tick / stride_ + 1) * stride_);
    for (const One& one : all_)
      if (one.tick > tick) next = std::min(next, one.tick);
    return next;
  }

  template <class Snapshot>
  void look(std::int64_t tick, const Snapshot& snapshot) {
    const double t = static_cast<double>(tick) * tick_s_, slack = 0.5 * tick_s_;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      One& one = all_[i];
      const SweepResult& result = plan_.results[i];
      const bool now =
          result.take == SweepTake::kFinal ? tick == end_
          : result.take == SweepTake::kAt
              ? tick == one.tick
              : tick % stride_ == 0 && t >= result.from_s - slack && t <= result.to_s + slack;
      if (!now) continue;
      double y = one.channel->value(snapshot);
      if (one.minus != nullptr) y -= one.minus->value(snapshot);
      if (result.absolute) y = std::fabs(y);
      take(result.take, y, one);
    }
  }

  std::vector<double> results() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const One& one = all_[i];
      if (one.count == 0.0)
        throw RunRefused(
            fmt::format("nothing of '{}' lies between its 'from' and 'to': the run "
                        "ends at {:g} s",
                        plan_.results[i].name, static_cast<double>(end_) * tick_s_));
      const SweepTake how = plan_.results[i].take;
      out.push_back(how == SweepTake::kMean  ? one.value / one.count
                    : how == SweepTake::kRms ? std::sqrt(one.value / one.count)
                                             : one.value);
    }
    return out;
  }

 private:
  struct One {
    const Channel* channel;
    const Channel* minus;
    std::int64_t tick = -1;  // of kAt
    double value = 0.0, count = 0.0;
  };

  static void take(SweepTake how, double y, One& one) {
    const bool first = one.count == 0.0;
    if (how == SweepTake::kMin)
      one.value = first ? y : std::min(one.value, y);
    else if (how == SweepTake::kMax)
      one.value = first ? y : std::max(one.value, y);
    else if (how == SweepTake::kMean)
      one.value += y;
    else if (how == SweepTake::kRms)
      one.value += y * y;
    else
      one.value = y;
    one.count += 1.0;
  }

  const io::SweepPlan& plan_;
  unsigned parts_ = 0;
  double tick_s_;
  std::int64_t end_, stride_;
  std::vector<One> all_;
};

[[noreturn]] void refuse_non_finite(double t) {
  throw RunRefused(fmt::format("the simulation left the real numbers at {:g} s", t));
}

template <class Channel>
std::vector<io::SweepColumn> columns_of(const io::SweepPlan& plan,
                                        const std::vector<Channel>& channels) {
  constexpr std::string_view kSaid[] = {"at the end",       "least",    "largest", "mean",
                                        "root mean square", "at a time"};
  std::vector<io::SweepColumn> out;
  for (const SweepResult& result : plan.results) {
    const auto known = [&](const std::string& name) -> const Channel& {
      std::vector<std::string> names;
      for (const Channel& channel : channels) names.push_back(channel.name);
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        throw io::FileError({plan.at(
            result.line, result.column,
            fmt::format("there is no channel '{}'{}", name, io::alternatives(name, names)))});
      return channels[static_cast<std::size_t>(found - names.begin())];
    };
    const Channel& channel = known(result.channel);
    if (!result.minus.empty()) known(result.minus);
    std::string said = channel.description;
    if (!result.minus.empty()) said += fmt::format(" less {}", result.minus);
    if (result.absolute) said += ", without its sign";
    const std::string_view taken = kSaid[static_cast<std::size_t>(result.take)];
    out.push_back({result.name, channel.unit,
                   fmt::format("{}, {}", said,
                               result.take == SweepTake::kAt ? fmt::format("at {:g} s", result.at_s)
                                                             : std::string(taken)),
                   true});
  }
  return out;
}

}  // namespace

// --- The runner ---------------------------------------------------------------

struct SweepRunner::Parts {
  const io::SweepPlan& plan;
  io::CaseLoader loader;
  std::string hash;
  std::vector<io::SweepColumn> results;
  bool lanes = false;  // the first run that can be done goes in them

  explicit Parts(const io::SweepPlan& wanted) : plan(wanted) {}

  bool of_scenario() const { return !plan.scenario.empty(); }

  Choice choice(const std::vector<std::string>& values,
                const std::vector<std::string>& further) const {
    Choice out = choice_of(plan);
    out.assignments.insert(out.assignments.end(), further.begin(), further.end());
    for (std::size_t i = 0; i < values.size(); ++i) vary(out, plan.variables[i], values[i]);
    return out;
  }

  std::vector<io::SweepColumn> columns(const Choice& choice) {
    if (of_scenario()) {
      const auto simulation = simulation_of(loader, choice);
      const Method& method = method_of(choice);
      make_engine(*simulation, method, std::nullopt);
      lanes = !method.converged && batch::takes(*simulation, method.fidelity);
      return columns_of(plan, sim::all_channels(simulation->model()));
    }
    return columns_of(plan, training::session_channels(*drill_of(choice, plan.duration_s).session));
  }

  // A refusal that is the plan's own fault is told with its line.
  void try_out() {
    const SweepDesigner designer(plan);
    std::string first;
    constexpr std::int64_t kTried = 5;
    const std::int64_t last = designer.size() - 1;
    for (std::int64_t i = 0; i < kTried; ++i) {
      const Choice one = choice(designer.values(last * i / (kTried - 1)), start_of_tuning());
      const std::optional<std::string> why = refusal([&] {
        try {
          results = columns(one);
        } catch (const io::FileError& error) {
          // A fault of the plan itself, such as a channel that there is not.
          if (error.diagnostics().front().file != plan.file) throw;
          throw PlanFault{error};
        }
      });
      if (!why) return;
      if (first.empty()) first = *why;
    }
    throw_guilty(first);
  }

  struct PlanFault {
    io::FileError error;
  };

  std::vector<std::string> start_of_tuning() const {
    std::vector<std::string> out;
    if (plan.tuned)
      for (const io::SweepParameter& p : plan.tuning.parameters)
        out.push_back(assignment(p.key, p.factor, fmt::format("{}", p.start)));
    return out;
  }

  // No run that was tried can be done: the first variable that alone spoils the base is named.
  [[noreturn]] void throw_guilty(const std::string& first) {
    const Choice base = choice_of(plan);
    const bool base_runs = !refusal([&] { load(base); });
    const SweepDesigner designer(plan);
    const std::vector<std::string> values = designer.values(designer.size() / 2);
    if (base_runs) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        Choice one = base;
        vary(one, plan.variables[i], values[i]);
        if (const auto why = refusal([&] { load(one); }))
          throw io::FileError({plan.at(plan.variables[i].line, plan.variables[i].column, *why)});
      }
      for (const io::SweepParameter& p : plan.tuning.parameters) {
        Choice one = base;
        one.assignments.push_back(assignment(p.key, p.factor, fmt::format("{}", p.start)));
        if (const auto why = refusal([&] { load(one); }))
          throw io::FileError({plan.at(p.line, p.column, *why)});
      }
    }
    throw io::FileError(plan.file, first);
  }

  void load(const Choice& choice) {
    if (of_scenario()) {
      const auto simulation = simulation_of(loader, choice);
      make_engine(*simulation, method_of(choice), std::nullopt);
    } else {
      drill_of(choice, plan.duration_s);
    }
  }

  // A hash over what each choice of a file brings in; a file that cannot be read counts by its refusal.
  void take_hash() {
    io::Hasher hasher;
    hasher.add(plan.text);
    add_files(choice_of(plan), hasher);
    for (const io::SweepVariable& variable : plan.variables)
      for (const std::string& value : variable.values) {
        Choice one = choice_of(plan);
        if (chosen(one, variable.key) == nullptr) break;
        vary(one, variable, value);
        add_files(one, hasher);
      }
    hash = hasher.result().hex;
  }

  void add_files(const Choice& choice, io::Hasher& hasher) {
    const std::optional<std::string> why = refusal([&] {
      if (of_scenario()) {
        const io::LoadedCase loaded = loader.load(choice.scenario, choice.machine, {});
        hasher.add(loaded.scenario.hash.hex + loaded.machine.hash.hex);
        return;
      }
      const io::LoadedExercise loaded =
          io::load_exercise(choice.exercise, choice.machine, choice.levers);
      hasher.add(loaded.exercise.hash.hex + loaded.machine.hash.hex + loaded.levers.hash.hex);
    });
    if (why) hasher.add("unreadable");
    if (choice.input.empty()) return;
    const std::optional<std::string> input = refusal(
        [&] { hasher.add(io::read_text_file(choice.input, io::kTraceLimit, "input file")); });
    if (input) hasher.add("unreadable");
  }

  // --- One run

  // A run of a scenario, before its first tick.
  struct Ready {
    io::SweepRow* row;
    std::unique_ptr<const sim::Simulation> simulation;
    const Method* method;
    std::vector<sim::Channel> channels;
    Looks<sim::Channel> looks;
    std::unique_ptr<const sim::SimState> start;
    bool in_lanes;
  };

  Ready ready_for(const Choice& choice, io::SweepRow& row) {
    std::unique_ptr<const sim::Simulation> simulation = simulation_of(loader, choice);
    const Method& method = method_of(choice);
    std::vector<sim::Channel> channels = sim::all_channels(simulation->model());
    Looks<sim::Channel> looks(plan, channels, simulation->tick_s(), simulation->tick_count());
    auto start = std::make_unique<const sim::SimState>(simulation->initial_state(method.fidelity));
    const bool in_lanes = !method.converged && batch::takes(*simulation, method.fidelity);
    return {&row,
            std::move(simulation),
            &method,
            std::move(channels),
            std::move(looks),
            std::move(start),
            in_lanes};
  }

  static void finish(const Ready& run, const sim::SimState& state,
                     const Looks<sim::Channel>& looks) {
    run.row->state_hash = state::hash(state);
    if (!std::isfinite(run.simulation->energy_residual(state)))
      refuse_non_finite(run.simulation->time(state));
    if (mostly_unconverged(state.machine.health))
      throw RunRefused("more than a tenth of the stages did not converge");
    run.row->results = looks.results();
  }

  static bool run_alone(const Ready& run, const std::function<bool()>& stop) {
    const sim::Simulation& simulation = *run.simulation;
    const std::unique_ptr<Engine> engine = make_engine(simulation, *run.method, std::nullopt);
    const std::int64_t ticks = simulation.tick_count();
    Looks<sim::Channel> looks = run.looks;
    const auto state = std::make_unique<sim::SimState>(*run.start);
    const auto snapshot = std::make_unique<sim::Snapshot>(sim::take_snapshot(simulation, *state));
    looks.look(0, *snapshot);
    std::int64_t asked = 0;
    while (state->tick < ticks) {
      for (const std::int64_t until = looks.next(state->tick); state->tick < until;) {
        engine->step(*state);
        if (state->machine.health.non_finite > 0) refuse_non_finite(simulation.time(*state));
      }
      sim::take_snapshot(simulation, *state, looks.parts(), *snapshot);
      looks.look(state->tick, *snapshot);
      if (state->tick - asked < kStopTicks) continue;
      asked = state->tick;
      if (stop && stop()) return false;
    }
    finish(run, *state, looks);
    return true;
  }

  // Runs as long as each other, in lanes. One that leaves the real numbers is done again alone, which says when.
  static bool run_together(const std::vector<Ready*>& runs, const std::function<bool()>& stop) {
    batch::Batch lanes;
    std::vector<Looks<sim::Channel>> looks;
    const auto snapshot = std::make_unique<sim::Snapshot>();
    const auto see = [&](std::size_t i, std::int64_t tick) {
      const sim::Simulation& simulation = *runs[i]->simulation;
      const unsigned parts = looks[i].parts();
      sim::take_snapshot(simulation, lanes.look(static_cast<int>(i), parts), parts, *snapshot);
      looks[i].look(tick, *snapshot);
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
      lanes.add(*runs[i]->simulation, *runs[i]->start);
      looks.push_back(runs[i]->looks);
      see(i, 0);
    }
    const std::int64_t ticks = runs.front()->simulation->tick_count();
    for (std::int64_t tick = 0, asked = 0; tick < ticks;) {
      const std::int64_t until = looks.front().next(tick);
      lanes.step(until - tick);
      tick = until;
      for (std::size_t i = 0; i < runs.size(); ++i) see(i, tick);
      if (tick - asked < kStopTicks) continue;
      asked = tick;
      if (stop && stop()) return false;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const sim::SimState& state = lanes.state(static_cast<int>(i));
      bool done = true;
      const std::optional<std::string> why = refusal([&] {
        if (state.machine.health.non_finite > 0)
          done = run_alone(*runs[i], stop);
        else
          finish(*runs[i], state, looks[i]);
      });
      if (!done) return false;
      runs[i]->row->failure = why.value_or("");
    }
    return true;
  }

  // Those of one length and tick go together.
  bool run_scenarios(std::span<io::SweepRow> rows, const std::vector<std::string>& further,
                     const std::function<bool()>& stop) {
    std::vector<Ready> ready;
    for (io::SweepRow& row : rows) {
      const std::optional<std::string> why =
          refusal([&] { ready.push_back(ready_for(choice(row.values, further), row)); });
      row.failure = why.value_or("");
    }
    std::map<std::pair<std::int64_t, double>, std::vector<Ready*>> alike;
    for (Ready& run : ready)
      if (run.in_lanes)
        alike[{run.simulation->tick_count(), run.simulation->tick_s()}].push_back(&run);
    for (auto& [length, runs] : alike) {
      if (runs.size() == 1)
        runs.front()->in_lanes = false;
      else if (!run_together(runs, stop))
        return false;
    }
    for (const Ready& run : ready) {
      if (run.in_lanes) continue;
      bool done = true;
      const std::optional<std::string> why = refusal([&] { done = run_alone(run, stop); });
      if (!done) return false;
      run.row->failure = why.value_or("");
    }
    return true;
  }

  bool run_exercise(const Choice& choice, io::SweepRow& row, const std::function<bool()>& stop) {
    const Drill drill = drill_of(choice, plan.duration_s);
    const training::Session& session = *drill.session;
    const std::vector<training::SessionChannel> channels = training::session_channels(session);
    Looks<training::SessionChannel> looks(plan, channels, session.tick_s(), drill.ticks);
    const auto state = std::make_unique<training::SessionState>(session.initial_state());
    const auto apply = [&](const training::Command& command) { session.apply(command, *state); };
    const auto snapshot = std::make_unique<training::SessionSnapshot>(session.snapshot(*state));
    looks.look(0, *snapshot);
    training::InputPlayback playback(drill.events);
    std::int64_t next = looks.next(0);
    for (std::int64_t tick = 0; tick < drill.ticks; ++tick) {
      for (const auto& [at, command] : drill.commands)
        if (at == tick) apply(command);
      session.step(playback.advance(tick, apply), *state, *snapshot);
      if (state->sim.machine.health.non_finite > 0)
        refuse_non_finite(static_cast<double>(tick + 1) * session.tick_s());
      if (tick + 1 == next) {
        looks.look(tick + 1, *snapshot);
        next = looks.next(tick + 1);
      }
      if (tick % kStopTicks == 0 && stop && stop()) return false;
    }
    row.state_hash = state::hash(*state);
    row.results = looks.results();
    return true;
  }
};

SweepRunner::SweepRunner(const io::SweepPlan& plan) : parts_(std::make_unique<Parts>(plan)) {
  try {
    parts_->try_out();
  } catch (const Parts::PlanFault& fault) {
    throw fault.error;  // NOLINT: the plan's own fault is told as it is
  }
  parts_->take_hash();
}

SweepRunner::~SweepRunner() = default;

const std::string& SweepRunner::hash() const { return parts_->hash; }
const std::vector<io::SweepColumn>& SweepRunner::results() const { return parts_->results; }

std::size_t SweepRunner::block() const {
  return parts_->lanes ? static_cast<std::size_t>(batch::widest()) : 1;
}

bool SweepRunner::run(std::span<io::SweepRow> rows, const std::vector<std::string>& further,
                      const std::function<bool()>& stop) const {
  for (io::SweepRow& row : rows) row.results.assign(parts_->plan.results.size(), kNone);
  if (parts_->of_scenario()) return parts_->run_scenarios(rows, further, stop);
  for (io::SweepRow& row : rows) {
    bool done = true;
    const std::optional<std::string> why = refusal(
        [&] { done = parts_->run_exercise(parts_->choice(row.values, further), row, stop); });
    if (!done) return false;
    row.failure = why.value_or("");
  }
  return true;
}

}  // namespace knuckleboom::analysis
