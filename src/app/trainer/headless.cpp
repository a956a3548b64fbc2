#include "app/trainer/headless.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/filing.hpp"
#include "app/session/head_texts.hpp"
#include "app/session/load_session.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/trainer/demonstration.hpp"
#include "app/trainer/drive_summary.hpp"
#include "app/trainer/session_folder.hpp"
#include "app/window/picture.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "language/text.hpp"
#include "view/panels/instruments.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kUsualDuration = 10.0;           // s
constexpr double kLongest = 1800.0, kRest = 2.0;  // s, of a demonstration and after it
constexpr double kShowEvery = 1.0 / 30.0;         // s; interval of the points of the trail
constexpr double kChorePeriod =
    0.25;  // s of the session, between looks at interrupts and recording

// The screenshot of a headless run.
class Snapshotter {
 public:
  Snapshotter(const DriveRequest& request, const LoadedSession& loaded)
      : request_(request), loaded_(loaded) {
    view::WindowRequest window;
    window.width = request.width;
    window.height = request.height;
    window.offscreen = true;
    picture_ = std::make_unique<Picture>(window, request.quality.value_or(view::Quality::kAuto),
                                         assets_folder());
    picture_->use_mouse(false);
    picture_->set_camera(request.camera.value_or(view::CameraKind::kOutside));
    picture_->show_world(loaded.session.get());
    faces_ = faces_of(*loaded.session);
  }

  void follow(const training::SessionSnapshot& now) { picture_->scene()->show(now, now, 1.0); }

  void take(const training::SessionSnapshot& now) {
    follow(now);
    picture_->draw([&](view::panels::Painter& painter, const view::panels::Pointer&) {
      view::panels::draw_instruments(
          painter, request_.instruments.value_or(view::panels::InstrumentLevel::kFull), faces_, now,
          readings(now));
    });
    failed_ = !keep_picture(picture_->pixels(), request_.screenshot);
    picture_->swap();
  }
  bool failed() const { return failed_; }

 private:
  view::panels::InstrumentReadings readings(const training::SessionSnapshot& now) const {
    view::panels::InstrumentReadings out;
    out.task = task_line(*loaded_.session, now);
    out.mode = tr(label_of(static_cast<command::ControlMode>(now.control_mode)));
    out.fidelity = tr(label_of(static_cast<machine::Fidelity>(now.fidelity)));
    out.held = held_text(*loaded_.session, now);
    out.head = head_display(*loaded_.session, now);
    out.figures = figure_rows(loaded_.exercise(), now.score, has_ended(now));
    out.timing.rate_Hz = loaded_.exercise().rate_Hz;
    return out;
  }

  const DriveRequest& request_;
  const LoadedSession& loaded_;
  std::unique_ptr<Picture> picture_;
  view::panels::InstrumentFaces faces_;
  bool failed_ = false;
};

std::int64_t ticks_of(double seconds, double tick_s) {
  return static_cast<std::int64_t>(std::llround(seconds / tick_s));
}

// Number of ticks to run; a demonstration without a duration may end earlier.
std::int64_t length_of(const DriveRequest& request, const LoadedSession& loaded,
                       const std::vector<training::InputEvent>& events) {
  const double tick_s = loaded.session->tick_s();
  if (request.duration_s >= 0.0) return ticks_of(request.duration_s, tick_s);
  if (request.demonstrate) return ticks_of(kLongest, tick_s);
  const std::int64_t end = training::InputPlayback(events).end_tick();
  if (end >= 0) return end;
  const std::int64_t picture = request.at_s >= 0.0 ? ticks_of(request.at_s, tick_s) : 0;
  const bool moves = std::any_of(events.begin(), events.end(), [](const auto& event) {
    return event.kind == training::InputEventKind::kInput;
  });
  if (moves) return std::max(picture, events.back().tick + ticks_of(1.0, tick_s));
  return std::max(picture, ticks_of(kUsualDuration, tick_s));
}

std::filesystem::path record(const std::filesystem::path& path, const LoadedSession& loaded,
                             const std::vector<training::InputEvent>& events, std::int64_t end) {
  training::InputEvent last{};
  last.tick = end;
  last.kind = training::InputEventKind::kEnd;
  io::InputWriter writer(path, loaded.header());
  writer.write(events);
  writer.write({&last, 1});
  return writer.close();
}

// Lever events, preceded by the command line's changes of the exercise.
std::vector<training::InputEvent> events_of(const LoadedSession& loaded,
                                            std::optional<LoadedInput> input) {
  std::vector<training::InputEvent> events;
  for (const training::Command& command : loaded.opening) {
    training::InputEvent event{};
    event.kind = training::InputEventKind::kCommand;
    event.command = command;
    events.push_back(event);
  }
  if (input) {
    for (const std::string& sentence : differences(*input, loaded)) complain(sentence);
    events.insert(events.end(), input->file.events.begin(), input->file.events.end());
  }
  return events;
}

struct HeadlessRun {
  training::SessionState state;
  training::SessionSnapshot last{};
  std::int64_t ticks = 0;
  bool picture_failed = false;
  runtime::RecordingEnd recorded;
  std::vector<training::InputEvent> events;  // all events
};

// nullptr: no file or folder is given.
std::unique_ptr<runtime::SessionRecorder> recorder_of(const LoadedSession& loaded,
                                                      const RecordingChoice& choice) {
  if (choice.file.empty() && choice.folder.empty()) return nullptr;
  io::SessionHeader header = loaded.session_header();
  choice.describe(header);
  runtime::RecorderSettings settings;
  settings.own_thread = false;  // it must not lag behind the ticks
  return std::make_unique<runtime::SessionRecorder>(
      choice.file.empty() ? io::SessionJournal::in_folder(choice.folder, header)
                          : io::SessionJournal(choice.file, header),
      *loaded.session, loaded.session->initial_state(), settings);
}

// Levers and commands on their way to the session and, where they change, to its recording.
class RecordedHands {
 public:
  RecordedHands(runtime::SessionTicker& ticker, training::AttemptPlan plan)
      : ticker_(ticker), plan_(std::move(plan)) {}
  void apply(std::int64_t tick, const training::Command& command) {
    ticker_.apply(command);
    if (command.kind == training::CommandKind::kRestart) plan_.restart(tick);
    training::InputEvent event{};
    event.tick = tick;
    event.kind = training::InputEventKind::kCommand;
    event.command = command;
    record(event);
  }
  void tick(std::int64_t tick, const command::OperatorInput& input,
            training::SessionSnapshot& out) {
    plan_.advance(tick, [&](const training::Command& command) { apply(tick, command); });
    if (!any_ || std::memcmp(&input, &last_, sizeof input) != 0) {
      any_ = true;
      last_ = input;
      training::InputEvent event{};
      event.tick = tick;
      event.input = input;
      record(event);
    }
    ticker_.tick(input, out);
  }
  std::vector<training::InputEvent> take_events() { return std::move(events_); }

 private:
  void record(const training::InputEvent& event) {
    ticker_.record(event);
    events_.push_back(event);
  }

  runtime::SessionTicker& ticker_;
  training::AttemptPlan plan_;
  std::vector<training::InputEvent> events_;
  command::OperatorInput last_{};
  bool any_ = false;
};

// Faults begun and ended by the command line.
training::AttemptPlan plan_of(const DriveRequest& request, const training::Session& session) {
  std::vector<training::AttemptCommand> commands;
  for (const TimedFault& fault : request.faults)
    commands.push_back(attempt_command(fault, session));
  return training::AttemptPlan(std::move(commands));
}

void complain_of_late_faults(const DriveRequest& request, double ended_s) {
  for (const TimedFault& fault : request.faults)
    if (fault.at_s >= ended_s)
      complain(
          fmt::format("{} {}@{:g} never came: the run ended at {:g} s; --duration makes it "
                      "longer",
                      fault.on ? "--fault" : "--clear-fault", fault.name, fault.at_s, ended_s));
}

HeadlessRun run_session(const DriveRequest& request, const LoadedSession& loaded,
                        const RecordingChoice& recording,
                        const std::vector<training::InputEvent>& events) {
  const training::Session& session = *loaded.session;
  std::optional<Snapshotter> picture;
  if (!request.screenshot.empty()) picture.emplace(request, loaded);
  const double tick_s = session.tick_s();
  std::int64_t length = length_of(request, loaded, events);
  std::optional<Demonstration> demonstration;
  if (request.demonstrate)
    demonstration.emplace(session, static_cast<double>(length) * tick_s, kRest);
  const std::int64_t picture_tick = request.at_s >= 0.0 ? ticks_of(request.at_s, tick_s) : length;
  const std::int64_t show_ticks = std::max<std::int64_t>(1, ticks_of(kShowEvery, tick_s));
  const std::int64_t chore_ticks = std::max<std::int64_t>(1, ticks_of(kChorePeriod, tick_s));

  const std::unique_ptr<runtime::SessionRecorder> recorder = recorder_of(loaded, recording);
  runtime::SessionTicker ticker(session);
  ticker.record_into(recorder.get());
  RecordedHands hands(ticker, plan_of(request, session));
  HeadlessRun run{};
  ticker.observe(run.last);
  training::InputPlayback playback(events);
  const auto apply = [&](const training::Command& command) { hands.apply(run.ticks, command); };
  bool stopped = false;
  for (; run.ticks < length && !stopped; ++run.ticks) {
    if (picture && run.ticks == picture_tick) picture->take(run.last);
    command::OperatorInput input = playback.advance(run.ticks, apply);
    if (demonstration) {
      if (run.ticks == 0) ticker.observe(run.last);  // as the opening commands leave it
      if (const auto said = demonstration->says(run.last)) apply(*said);
      input = demonstration->drive(run.ticks, run.last);
      if (request.duration_s < 0.0) length = demonstration->end();
    }
    hands.tick(run.ticks, input, run.last);
    if (picture && run.ticks < picture_tick && run.ticks % show_ticks == 0)
      picture->follow(run.last);
    if (run.ticks % chore_ticks != 0) continue;
    stopped = interrupted();
    if (recorder) recorder->drain();
  }
  if (picture && !stopped && picture_tick >= run.ticks) picture->take(run.last);
  if (!stopped) complain_of_late_faults(request, static_cast<double>(run.ticks) * tick_s);
  run.state = ticker.state();
  run.events = hands.take_events();
  if (recorder) run.recorded = recorder->finish(run.state);
  run.picture_failed = picture && picture->failed();
  return run;
}

SessionEnd end_of(const HeadlessRun& run, const LoadedSession& loaded) {
  SessionEnd end;
  end.title = loaded.title();
  end.last = run.last;
  end.ticks = run.ticks;
  end.tick_s = loaded.session->tick_s();
  end.state_hash = io::state_hash(run.state);
  end.session_file = run.recorded.file;
  end.session_fault = run.recorded.fault;
  tell_result(loaded, end);
  end.elements = element_rows(loaded.session->snapshot(run.state));
  return end;
}

}  // namespace

int drive_headless(const DriveRequest& request) {
  // The picture is in the user's language, the terminal in English.
  std::optional<language::English> terminal(std::in_place);
  SessionChoice choice = request.choice;
  std::optional<LoadedInput> input;
  if (!request.input.empty()) input = load_input(request.input, choice);
  if (request.demonstrate) choice = demonstrable(choice);
  const LoadedSession loaded = load_session(choice);
  if (!loaded.purpose.empty()) say(loaded.purpose + "\n");
  for (const std::string& note : loaded.session->notes()) complain(note);

  RecordingChoice recording = recording_choice(request, 1, false);
  if (request.demonstrate || !request.input.empty())
    recording.options.emplace_back("playback", "1");
  for (const std::string& remark : recording.remarks) complain(remark);
  const std::vector<training::InputEvent> events = events_of(loaded, std::move(input));
  terminal.reset();
  const HeadlessRun run = run_session(request, loaded, recording, events);
  terminal.emplace();
  SessionEnd end = end_of(run, loaded);
  if (!recording.input.empty())
    end.recording = record(recording.input, loaded, run.events, run.ticks).string();
  say_at_end(session_summary(end, false));
  if (interrupted()) {
    complain("stopped before the end");
    return kInterruptedRun;
  }
  if (run.picture_failed) return kInternalError;
  if (!request.screenshot.empty())
    say(fmt::format("  {:<20} {}\n", "picture", request.screenshot.string()));
  if (!end.session_fault.empty()) {
    complain(end.session_fault);
    return kInternalError;
  }
  if (!end.session_file.empty()) sign_and_file(end.session_file);
  return run.last.sim.health.non_finite > 0 ? kNonFinite : kSuccess;
}

}  // namespace knuckleboom::app
