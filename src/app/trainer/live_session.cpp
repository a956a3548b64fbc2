#include "app/trainer/live_session.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/session_texts.hpp"
#include "app/shell/console.hpp"
#include "app/shell/text.hpp"
#include "app/telemetry/telemetry_server.hpp"
#include "app/trainer/drive_summary.hpp"
#include "knuckleboom/io/state_file.hpp"

namespace knuckleboom::app {
namespace {

runtime::ThreadSettings settings_of(const LoadedSession& loaded,
                                    std::vector<training::InputEvent> playback,
                                    std::vector<training::AttemptCommand> plan, bool record,
                                    const training::SessionState& first) {
  runtime::ThreadSettings settings;
  settings.rate_Hz = loaded.exercise().rate_Hz;
  settings.start_paused = true;
  settings.record = record;
  settings.first_tick = first.tick;
  // In the middle of a taken-over attempt.
  const training::Session& session = *loaded.session;
  const std::int64_t run = std::llround(session.snapshot(first).sim.t_s / session.tick_s());
  settings.plan = training::AttemptPlan(std::move(plan), first.tick - run, first.tick);
  settings.playback = std::move(playback);
  return settings;
}

}  // namespace

LiveSession::LiveSession(LoadedSession loaded, std::vector<training::InputEvent> playback,
                         std::vector<training::AttemptCommand> plan,
                         const RecordingChoice& recording, const SessionBranch* branch,
                         TelemetryServer* telemetry)
    : loaded_(std::move(loaded)),
      ticker_(*loaded_.session,
              branch != nullptr ? branch->state : loaded_.session->initial_state()),
      first_tick_(ticker_.state().tick),
      record_(recording.input),
      thread_(ticker_, settings_of(loaded_, std::move(playback), std::move(plan),
                                   !recording.input.empty(), ticker_.state())) {
  begin_session_file(recording, branch);
  if (!record_.empty()) writer_ = std::make_unique<io::InputWriter>(record_, loaded_.header());
  show_to(telemetry);
  thread_.start();
  for (const training::Command& command : loaded_.opening) thread_.post(command);
}

LiveSession::~LiveSession() {
  if (saved_) return;
  // An exception is propagating. The input so far is worth more than the rest of the attempt.
  const std::string recording = save_recording();
  if (!recording.empty()) complain("recording: " + recording);
}

void LiveSession::show_to(TelemetryServer* telemetry) {
  telemetry_ = telemetry;
  if (telemetry == nullptr) return;
  feed_ = std::make_shared<SessionFeed>(*loaded_.session);
  ticker_.show_to(feed_.get());
  telemetry->show(session_infos(*loaded_.session), feed_);
}

// An exercise that cannot be recorded can still be done.
void LiveSession::begin_session_file(const RecordingChoice& recording,
                                     const SessionBranch* branch) {
  if (recording.file.empty() && recording.folder.empty()) return;
  try {
    io::SessionHeader header = loaded_.session_header();
    recording.describe(header);
    header.first_tick = ticker_.state().tick;
    if (branch != nullptr) {
      header.parent_id = branch->parent_id;
      header.parent_tick = branch->state.tick;
    }
    recorder_ = std::make_unique<runtime::SessionRecorder>(
        recording.file.empty() ? io::SessionJournal::in_folder(recording.folder, header)
                               : io::SessionJournal(recording.file, header),
        *loaded_.session, ticker_.state());
    ticker_.record_into(recorder_.get());
  } catch (const io::FileError& error) {
    session_fault_ = recorded_.fault = fmt::format("the session is not recorded: {}", error.what());
  }
}

void LiveSession::finish_session_file() {
  if (!recorder_) return;
  if (ticker_.state().tick == first_tick_) {
    // Not continued after the take-over.
    ticker_.record_into(nullptr);
    recorder_->discard();
    recorder_.reset();
    return;
  }
  const runtime::ThreadHealth& health = thread_.published().health;
  recorded_ =
      recorder_->finish(ticker_.state(), {{"ticks", static_cast<double>(health.ticks)},
                                          {"overruns", static_cast<double>(health.overruns)},
                                          {"lost_s", health.lost_s},
                                          {"lateness_p50_us", health.lateness.p50_us},
                                          {"lateness_p99_us", health.lateness.p99_us},
                                          {"lateness_p99_9_us", health.lateness.p99_9_us},
                                          {"lateness_max_us", health.lateness.max_us},
                                          {"tick_mean_us", health.tick_mean_us},
                                          {"tick_max_us", health.tick_max_us}});
  ticker_.record_into(nullptr);
  recorder_.reset();
}

void LiveSession::pause() {
  paused_ = true;
  thread_.pause();
}

void LiveSession::resume() {
  paused_ = false;
  thread_.resume();
}

void LiveSession::restart() { thread_.post({training::CommandKind::kRestart, 0}); }

void LiveSession::set_control(command::ControlMode mode) {
  thread_.post({training::CommandKind::kControlMode, static_cast<std::int32_t>(mode)});
}

void LiveSession::set_fidelity(machine::Fidelity fidelity) {
  thread_.post({training::CommandKind::kFidelity, static_cast<std::int32_t>(fidelity)});
}

void LiveSession::set_fault(int fault, bool on) {
  thread_.post({on ? training::CommandKind::kFault : training::CommandKind::kClearFault, fault});
}

std::optional<std::string> LiveSession::update() {
  thread_.refresh();
  const bool was_sound = record_fault_.empty();
  write_recording();
  if (was_sound && !record_fault_.empty()) return record_fault_;
  std::string fault = std::exchange(session_fault_, {});
  if (fault.empty() && recorder_) fault = recorder_->take_fault();
  if (fault.empty()) return std::nullopt;
  return fault;
}

void LiveSession::write_recording() {
  drained_.clear();
  thread_.drain(drained_);
  if (!writer_) return;
  try {
    writer_->write(drained_);
    events_ += static_cast<std::int64_t>(drained_.size());
    if (!drained_.empty()) writer_->flush();
  } catch (const io::FileError& error) {
    // A full disk must not end the exercise.
    record_fault_ = fmt::format("the input is not recorded any more: {}", error.what());
    writer_.reset();
  }
}

std::string LiveSession::save_recording() {
  saved_ = true;
  thread_.stop();
  thread_.refresh();
  finish_session_file();
  write_recording();
  if (writer_ && !thread_.recording_valid())
    record_fault_ = "the recording of the input has gaps: the disk did not keep up";
  if (writer_) {
    try {
      record_ = writer_->close();
    } catch (const io::FileError& error) {
      record_fault_ = fmt::format("the input was not recorded: {}", error.what());
    }
    writer_.reset();
  }
  if (!record_fault_.empty() || record_.empty()) return record_fault_;
  return fmt::format("{}, {}", record_.string(), counted(events_, "event", "events"));
}

void LiveSession::diagnose(int fault) { thread_.post({training::CommandKind::kDiagnose, fault}); }

SessionEnd LiveSession::finish() {
  SessionEnd end;
  if (telemetry_ != nullptr) telemetry_->hide();
  end.recording = save_recording();
  end.recording_failed = !record_fault_.empty();
  end.session_file = recorded_.file;
  end.session_fault = recorded_.fault;
  end.title = loaded_.title();
  end.last = loaded_.session->snapshot(ticker_.state());
  end.health = thread_.published().health;
  end.ticks = ticker_.state().tick;
  end.tick_s = loaded_.session->tick_s();
  end.state_hash = io::state_hash(ticker_.state());
  tell_result(loaded_, end);
  end.elements = element_rows(end.last);
  return end;
}

}  // namespace knuckleboom::app
