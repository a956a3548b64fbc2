// Meaning and allowed values of the options of drive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/shell/wire_key.hpp"
#include "app/telemetry/telemetry_options.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "view/cameras.hpp"
#include "view/panels/instruments.hpp"
#include "view/quality.hpp"

namespace knuckleboom::app {

inline constexpr double kLongestTime = 1e6;  // of any time on the command line [s]

class TelemetryServer;

struct DriveOptions {
  std::string exercise;  // empty: the menu
  std::string machine, levers, control, fidelity;
  std::string levers_from;  // "udp:127.0.0.1:47001": a lever stand; empty: none
  KeyChoice key;            // of its connection
  TelemetryOptions telemetry;
  double rate_Hz = 0.0;  // 0: the exercise's
  std::string window, camera, quality, instruments, language;
  bool fullscreen = false;
  std::string screenshot;
  double at_s = -1.0;  // of the screenshot; below 0: at the end
  std::int64_t frames = -1;
  double fps = 60.0;  // at most
  double duration_s = -1.0;
  std::string input, record_input;
  std::string session, sessions;                    // file or folder of the recording
  std::string learner;                              // learner of the session; may be empty
  std::string instructor;                           // who supervises; may be empty
  std::vector<std::string> presses;                 // KEY@SECONDS[+HELD]
  std::vector<std::string> faults, cleared_faults;  // NAME@SECONDS
  std::int64_t fault_seed = -1;                     // below 0: the exercise's
  bool no_record = false;
  bool headless = false, mute = false, menu = false, demonstrate = false;
  bool exam = false;
};

// A requested session. Names are names or files; empty: the exercise's own.
struct SessionChoice {
  std::string exercise, machine, levers;
  std::optional<command::ControlMode> control;
  std::optional<machine::Fidelity> fidelity;
  double rate_Hz = 0.0;  // 0: the exercise's
  std::optional<std::uint64_t> fault_seed;
  std::optional<std::uint64_t> variant = {};  // of an exam, drawn by the program
  std::string settings = {};                  // the operator's own, as text: operator_settings.hpp
};

// A fault that begins or ends at a time of every attempt.
struct TimedFault {
  std::string name;
  double at_s = 0.0;
  bool on = true;
};

// A key pressed by the program itself, for screenshots and tests.
struct Press {
  std::string key;
  double at_s = 0.0;  // since the first frame
  double hold_s = 0.05;
};

struct DriveRequest {
  SessionChoice choice;
  int width = 1280, height = 720;
  std::optional<view::CameraKind> camera;
  std::optional<view::Quality> quality;
  std::optional<view::panels::InstrumentLevel> instruments;
  std::filesystem::path screenshot, input, record_input;
  std::filesystem::path session, sessions;  // file or folder; empty: the user's own folder
  std::string levers_from;                  // a lever stand; empty: none
  endpoint::WireKey wire_key;               // of its connection
  TelemetryServer* telemetry = nullptr;     // shows the sessions; may be null
  std::string learner, learner_id;          // learner of the session; empty: none
  std::string instructor;                   // who supervises; empty: nobody
  std::string language;                     // code; empty: the settings'
  double at_s = -1.0, duration_s = -1.0;
  std::int64_t frames = -1;
  double fps = 60.0;  // at most
  std::vector<Press> presses;
  std::vector<TimedFault> faults;  // by time
  bool no_record = false;
  int sessions_before = 0;  // of this run, by another window
  bool fullscreen = false, headless = false, mute = false, menu = false, demonstrate = false;

  // Ends by itself, so that no window is needed.
  bool ends() const {
    return frames >= 0 || duration_s >= 0.0 || !screenshot.empty() || !input.empty();
  }
};

// Throws UserError with a message.
DriveRequest request_of(const DriveOptions& options);

// Words of the command line, the settings file and the menu. Throws UserError with its purpose.
command::ControlMode control_of(const std::string& word, const std::string& what);
machine::Fidelity fidelity_of(const std::string& word, const std::string& what);
view::CameraKind camera_of(const std::string& word, const std::string& what);
view::Quality quality_of(const std::string& word, const std::string& what);
view::panels::InstrumentLevel instruments_of(const std::string& word, const std::string& what);

const char* word_of(command::ControlMode mode);
const char* word_of(view::CameraKind camera);
const char* word_of(view::Quality quality);
const char* word_of(view::panels::InstrumentLevel level);

// For people: "Valve control", "Reduced model".
const char* label_of(command::ControlMode mode);
const char* label_of(machine::Fidelity fidelity);

}  // namespace knuckleboom::app
