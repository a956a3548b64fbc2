#include "support/session_recording.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/exercise_variant.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/recording/session_texts.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {

DescribedSession described_session(const std::string& name, int variant) {
  const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  const std::filesystem::path exercise = config / "exercises" / (name + ".toml");
  const training::Exercise read = io::read_exercise(exercise).exercise;
  DescribedSession out;
  out.header.exercise = name;
  out.header.machine = read.machine;
  out.header.levers = read.levers;
  io::read_session_texts(exercise, config / "machines" / read.machine / "machine.toml",
                         config / "levers" / (read.levers + ".toml"), out.header);
  out.header.rate_Hz = read.rate_Hz;
  if (variant != 0) {
    out.header.options.emplace_back("variant", std::to_string(variant));
    const auto seeds = io::variant_of(exercise, static_cast<std::uint64_t>(variant));
    out.header.exercise_hash = io::read_exercise(exercise, seeds).hash;
  }
  out.session = io::make_session(out.header);
  io::describe(*out.session, out.header);
  return out;
}

std::vector<training::InputEvent> random_input(std::uint32_t seed, std::int64_t ticks,
                                               std::int64_t every) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-1.0, 1.0), wait(0.05, 0.5), share(0.0, 1.0);
  double target[command::kLeverAxes] = {}, position[command::kLeverAxes] = {};
  double until[command::kLeverAxes] = {};
  std::vector<training::InputEvent> events;
  const auto command = [&events](std::int64_t tick, training::CommandKind kind,
                                 std::int32_t value) {
    training::InputEvent event{};
    event.tick = tick;
    event.kind = training::InputEventKind::kCommand;
    event.command = {kind, value};
    events.push_back(event);
  };
  for (std::int64_t tick = 0; tick < ticks; tick += every) {
    const double t = 1e-3 * static_cast<double>(tick);
    for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
      if (t >= until[i]) {
        // The levers rest a third of the time.
        target[i] = share(random) < 0.33 ? 0.0 : place(random);
        until[i] = t + wait(random);
      }
      position[i] += 0.06 * (target[i] - position[i]) * static_cast<double>(every);
    }
    if (tick > 0 && share(random) < 1e-4 * static_cast<double>(every)) {
      const double which = share(random);
      // Any machine has more faults than these; a number beyond its list is none.
      if (which < 0.2)
        command(tick, training::CommandKind::kFault, static_cast<int>(40.0 * share(random)));
      else if (which < 0.4)
        for (int fault = 0; fault < 40; ++fault)
          command(tick, training::CommandKind::kClearFault, fault);
      else if (which < 0.65)
        command(tick, training::CommandKind::kControlMode, static_cast<int>(3.0 * share(random)));
      else if (which < 0.9)
        command(tick, training::CommandKind::kFidelity, share(random) < 0.5 ? 0 : 1);
      else
        command(tick, training::CommandKind::kRestart, 0);
    }
    training::InputEvent event{};
    event.tick = tick;
    event.kind = training::InputEventKind::kInput;
    for (std::size_t i = 0; i < command::kLeverAxes; ++i)
      event.input.axis[i] = std::round(std::clamp(position[i], -1.0, 1.0) * 32767.0) / 32767.0;
    event.input.buttons = tick / 97 * 7919 % (std::int64_t{1} << command::kLeverButtons);
    events.push_back(event);
  }
  training::InputEvent end{};
  end.tick = ticks;
  end.kind = training::InputEventKind::kEnd;
  events.push_back(end);
  return events;
}

training::SessionState record_session(const DescribedSession& described,
                                      const std::vector<training::InputEvent>& input,
                                      const std::filesystem::path& file) {
  const training::Session& session = *described.session;
  training::SessionState state = session.initial_state();
  training::SessionSnapshot snapshot{};
  runtime::RecorderSettings settings;
  settings.own_thread = false;
  runtime::SessionRecorder recorder(io::SessionJournal(file, described.header), session, state,
                                    settings);
  std::size_t next = 0;
  command::OperatorInput levers{};
  for (;;) {
    for (; next < input.size() && input[next].tick == state.tick; ++next) {
      const training::InputEvent& event = input[next];
      if (event.kind == training::InputEventKind::kCommand) {
        recorder.before(event.command, state);
        session.apply(event.command, state);
      }
      if (event.kind == training::InputEventKind::kInput) levers = event.input;
      recorder.input(event);
      if (event.kind == training::InputEventKind::kEnd) {
        recorder.finish(state);
        return state;
      }
    }
    session.step(levers, state, snapshot);
    recorder.after_tick(state, snapshot);
    if (state.tick % 1000 == 0) recorder.drain();
  }
}

}  // namespace knuckleboom::test
