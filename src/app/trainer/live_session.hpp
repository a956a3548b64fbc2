// A session on its own thread, with its input recorded to a file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/take_over.hpp"
#include "app/telemetry/session_feed.hpp"
#include "app/trainer/input_latency.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"

namespace knuckleboom::app {

// Results of an ended session.
struct SessionEnd {
  std::string title;
  training::SessionSnapshot last{};
  runtime::ThreadHealth health;
  std::int64_t ticks = 0;
  double tick_s = 0.0;
  std::string state_hash;
  std::string recording;  // file of the input, or why there is none; empty: not recorded
  bool recording_failed = false;
  std::filesystem::path session_file;  // empty: none
  std::string session_fault;           // of the session file, one message; empty: none
  std::string points;                  // of an attempt that has ended; empty: none
  std::string diagnosis;               // a sentence on it; empty: it was not asked
  std::string danger;                  // who was in danger; empty: nobody was
  std::vector<view::panels::FigureRow> figures, elements;
  std::vector<std::string> warnings;  // what no real machine does
};

// Files of a session's recording.
struct RecordingChoice {
  std::filesystem::path input;      // the input only, as CSV; empty: not recorded
  std::filesystem::path file;       // the session; empty: default name in the folder
  std::filesystem::path folder;     // empty as well: not recorded
  std::string learner, learner_id;  // its learner; may be empty
  std::string instructor;           // may be empty
  std::string previous;             // digest of the learner's session filed last; empty: none
  std::vector<std::pair<std::string, std::string>> options;  // more for the header
  std::vector<std::string> remarks;                          // deviations from the request

  // People in the header of a recording: no names.
  void describe(io::SessionHeader& header) const {
    header.learner_id = learner_id;
    header.instructor = instructor;
    header.previous = previous;
    header.options.insert(header.options.end(), options.begin(), options.end());
  }
};

class TelemetryServer;

class LiveSession {
 public:
  // playback: empty for the operator's own levers. plan: of every attempt, by time. branch: nullptr for
  // the start of the exercise. telemetry: shows it while it runs; may be null. Starts paused.
  LiveSession(LoadedSession loaded, std::vector<training::InputEvent> playback,
              std::vector<training::AttemptCommand> plan, const RecordingChoice& recording,
              const SessionBranch* branch = nullptr, TelemetryServer* telemetry = nullptr);
  ~LiveSession();  // keeps the recording in any case
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  const training::Session& session() const { return *loaded_.session; }
  const LoadedSession& loaded() const { return loaded_; }
  runtime::SimulationThread& thread() { return thread_; }
  const runtime::Published& now() const { return thread_.published(); }

  void pause();
  void resume();
  bool paused() const { return paused_; }
  // nullptr: the session is not recorded.
  runtime::SessionRecorder* recorder() { return recorder_.get(); }
  // Back to the start of the exercise.
  void restart();
  void set_control(command::ControlMode mode);
  void set_fidelity(machine::Fidelity fidelity);
  void set_fault(int fault, bool on);  // by its number in the session
  void diagnose(int fault);            // the operator's word on it, likewise

  // Takes the thread's published and recorded data. A message if the recording has just failed.
  std::optional<std::string> update();

  // Stops the thread and completes the recording. Once.
  SessionEnd finish();
  // Saves only the recording while the program is being ended: uses nothing that may already be
  // destroyed. Returns its file, or why there is none; empty: not recorded.
  std::string save_recording();

 private:
  void show_to(TelemetryServer* telemetry);
  void write_recording();
  void begin_session_file(const RecordingChoice& recording, const SessionBranch* branch);
  void finish_session_file();

  LoadedSession loaded_;
  runtime::SessionTicker ticker_;
  std::int64_t first_tick_;
  std::unique_ptr<runtime::SessionRecorder> recorder_;
  TelemetryServer* telemetry_ = nullptr;
  std::shared_ptr<SessionFeed> feed_;
  runtime::RecordingEnd recorded_;
  std::string session_fault_;  // not yet reported
  std::unique_ptr<io::InputWriter> writer_;
  std::filesystem::path record_;
  std::string record_fault_;
  std::int64_t events_ = 0;
  std::vector<training::InputEvent> drained_;
  bool paused_ = true;
  bool saved_ = false;
  runtime::SimulationThread thread_;
};

}  // namespace knuckleboom::app
