#include "app/trainer/headless.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/config_paths.hpp"
#include "app/console.hpp"
#include "app/exit_status.hpp"
#include "app/interrupt.hpp"
#include "app/trainer/demonstration.hpp"
#include "app/trainer/drive_summary.hpp"
#include "app/trainer/load_session.hpp"
#include "app/trainer/picture.hpp"
#include "app/trainer/session_texts.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "view/panels/instruments.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kUsualDuration_s = 10.0;
constexpr double kShowEvery_s = 1.0 / 30.0;  // what the picture's trail is made of
constexpr std::int64_t kInterruptTicks = 4096;

// The one picture of a headless run.
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
    view::write_png(picture_->pixels(), request_.screenshot);
    picture_->swap();
  }

 private:
  view::panels::InstrumentReadings readings(const training::SessionSnapshot& now) const {
    const bool ended = now.task.phase == training::TaskPhase::kPassed ||
                       now.task.phase == training::TaskPhase::kFailed;
    view::panels::InstrumentReadings out;
    out.task = task_line(*loaded_.session, now);
    out.mode = label_of(static_cast<command::ControlMode>(now.control_mode));
    out.fidelity = label_of(static_cast<machine::Fidelity>(now.fidelity));
    out.held = held_text(*loaded_.session, now);
    out.figures = figure_rows(loaded_.exercise(), now.score, ended);
    out.timing.rate_Hz = loaded_.exercise().rate_Hz;
    return out;
  }

  const DriveRequest& request_;
  const LoadedSession& loaded_;
  std::unique_ptr<Picture> picture_;
  view::panels::InstrumentFaces faces_;
};

std::int64_t ticks_of(double seconds, double tick_s) {
  return static_cast<std::int64_t>(std::llround(seconds / tick_s));
}

// How many ticks there are to run.
std::int64_t length_of(const DriveRequest& request, const LoadedSession& loaded,
                       const std::vector<training::InputEvent>& events) {
  const double tick_s = loaded.session->tick_s();
  if (request.duration_s >= 0.0) return ticks_of(request.duration_s, tick_s);
  const std::int64_t end = training::InputPlayback(events).end_tick();
  if (end >= 0) return end;
  const std::int64_t picture = request.at_s >= 0.0 ? ticks_of(request.at_s, tick_s) : 0;
  if (!events.empty()) return std::max(picture, events.back().tick + ticks_of(1.0, tick_s));
  return std::max(picture, ticks_of(kUsualDuration_s, tick_s));
}

void record(const std::filesystem::path& path, const LoadedSession& loaded,
            std::vector<training::InputEvent> events, std::int64_t end) {
  std::erase_if(events, [end](const training::InputEvent& event) {
    return event.kind == training::InputEventKind::kEnd || event.tick >= end;
  });
  training::InputEvent last{};
  last.tick = end;
  last.kind = training::InputEventKind::kEnd;
  events.push_back(last);
  io::InputWriter writer(path, loaded.header());
  writer.write(events);
  writer.close();
}

}  // namespace

int drive_headless(const DriveRequest& request) {
  SessionChoice choice = request.choice;
  std::optional<LoadedInput> input;
  if (!request.input.empty()) input = load_input(request.input, choice);
  if (request.demonstrate) choice = demonstrable(choice);
  const LoadedSession loaded = load_session(choice);
  const training::Session& session = *loaded.session;
  for (const std::string& note : session.notes()) complain(note);

  std::vector<training::InputEvent> events;
  if (input) {
    for (const std::string& sentence : differences(*input, loaded)) complain(sentence);
    events = std::move(input->file.events);
  }
  // The opening comes first in a recording as it does here.
  for (auto command = loaded.opening.rbegin(); command != loaded.opening.rend(); ++command) {
    training::InputEvent event{};
    event.kind = training::InputEventKind::kCommand;
    event.command = *command;
    events.insert(events.begin(), event);
  }
  if (request.demonstrate)
    events = demonstration(loaded, request.duration_s >= 0.0 ? request.duration_s : 1800.0, 2.0);

  std::optional<Snapshotter> picture;
  if (!request.screenshot.empty()) picture.emplace(request, loaded);
  const double tick_s = session.tick_s();
  const std::int64_t length = length_of(request, loaded, events);
  const std::int64_t picture_tick = request.at_s >= 0.0 ? ticks_of(request.at_s, tick_s) : length;
  const std::int64_t show_ticks = std::max<std::int64_t>(1, ticks_of(kShowEvery_s, tick_s));

  training::SessionState state = session.initial_state();
  training::SessionSnapshot now = session.snapshot(state);
  training::InputPlayback playback(events);
  const auto apply = [&](const training::Command& command) { session.apply(command, state); };
  std::int64_t tick = 0;
  bool taken = false;
  for (; tick < length; ++tick) {
    if (tick % kInterruptTicks == 0 && interrupted()) break;
    if (picture && !taken && tick == picture_tick) {
      picture->take(now);
      taken = true;
    }
    session.step(playback.advance(tick, apply), state, now);
    if (picture && !taken && tick % show_ticks == 0) picture->follow(now);
  }
  if (picture && !taken && !interrupted()) picture->take(now);

  SessionEnd end;
  end.title = loaded.title();
  end.last = now;
  end.ticks = tick;
  end.tick_s = tick_s;
  end.state_hash = io::state_hash(state);
  const bool ended = now.task.phase == training::TaskPhase::kPassed ||
                     now.task.phase == training::TaskPhase::kFailed;
  end.figures = figure_rows(loaded.exercise(), now.score, ended);
  if (!request.record_input.empty()) {
    record(request.record_input, loaded, events, tick);
    end.recording = request.record_input.string();
  }
  say(session_summary(end, false));
  if (picture && !interrupted())
    say(fmt::format("  {:<20} {}\n", "picture", request.screenshot.string()));
  if (interrupted()) {
    complain("stopped before the end");
    return kInterruptedRun;
  }
  return now.sim.health.non_finite > 0 ? kNonFinite : kSuccess;
}

}  // namespace knuckleboom::app
