#include "app/session/drive_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <random>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "app/session/names.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/language.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "language/text.hpp"
#include "learners/database.hpp"

namespace knuckleboom::app {
namespace {

using command::ControlMode;
using machine::Fidelity;
using view::CameraKind;
using view::Quality;
using view::panels::InstrumentLevel;

constexpr double kLowestRate = 250.0, kHighestRate = 2000.0;  // Hz
constexpr int kSmallest = 320, kLargest = 8192;               // edges of the window [pixels]

template <typename T>
struct Word {
  const char* word;
  T value;
};
constexpr Word<ControlMode> kControls[] = {{"valve", ControlMode::kValve},
                                           {"joint_rate", ControlMode::kJointRate},
                                           {"boom_tip", ControlMode::kBoomTip}};
constexpr Word<Fidelity> kFidelities[] = {{word_of(Fidelity::kFull), Fidelity::kFull},
                                          {word_of(Fidelity::kReduced), Fidelity::kReduced},
                                          {word_of(Fidelity::kPaper), Fidelity::kPaper}};
constexpr Word<CameraKind> kCameras[] = {{"cab", CameraKind::kCab},
                                         {"outside", CameraKind::kOutside},
                                         {"side", CameraKind::kSide},
                                         {"tip", CameraKind::kTip},
                                         {"free", CameraKind::kFree}};
constexpr Word<Quality> kQualities[] = {{"auto", Quality::kAuto},
                                        {"low", Quality::kLow},
                                        {"medium", Quality::kMedium},
                                        {"high", Quality::kHigh},
                                        {"best", Quality::kBest}};
constexpr Word<InstrumentLevel> kLevels[] = {{"full", InstrumentLevel::kFull},
                                             {"compact", InstrumentLevel::kCompact},
                                             {"off", InstrumentLevel::kOff}};

template <typename T, std::size_t n>
std::vector<std::string> words_of(const Word<T> (&words)[n]) {
  std::vector<std::string> known;
  for (const Word<T>& one : words) known.emplace_back(one.word);
  return known;
}

template <typename T, std::size_t n>
T value_of(const Word<T> (&words)[n], const std::string& word, const std::string& what) {
  for (const Word<T>& one : words)
    if (word == one.word) return one.value;
  throw UserError(
      fmt::format("{}: there is no '{}'{}", what, word, alternatives(word, words_of(words))));
}

template <typename T, std::size_t n>
const char* name_of(const Word<T> (&words)[n], T value) {
  for (const Word<T>& one : words)
    if (value == one.value) return one.word;
  return "";
}

bool whole_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void read_window(const std::string& text, DriveRequest& request) {
  const std::size_t x = text.find('x');
  const std::string_view whole = text;
  if (x == std::string::npos || !whole_number(whole.substr(0, x), request.width) ||
      !whole_number(whole.substr(x + 1), request.height))
    throw UserError(fmt::format("--window {}: write WIDTHxHEIGHT, such as 1280x720", text));
  for (const int edge : {request.width, request.height})
    if (edge < kSmallest || edge > kLargest)
      throw UserError(fmt::format("--window {}: {} is not between {} and {} pixels", text, edge,
                                  kSmallest, kLargest));
}

Press press_of(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0)
    throw UserError(fmt::format(
        "--press {}: write KEY@SECONDS or KEY@SECONDS+HELD, such as F1@2 or W@2+1.5", text));
  Press press;
  press.key = text.substr(0, at);
  std::string time = text.substr(at + 1);
  if (const std::size_t plus = time.find('+'); plus != std::string::npos) {
    press.hold_s = parse_number(time.substr(plus + 1), "--press " + text);
    time.resize(plus);
  }
  press.at_s = parse_number(time, "--press " + text);
  for (const double seconds : {press.at_s, press.hold_s})
    if (seconds < 0.0 || seconds > kLongestTime)
      throw UserError(
          fmt::format("--press {}: {:g} is not between 0 and {:g} s", text, seconds, kLongestTime));
  return press;
}

void check_numbers(const DriveOptions& o) {
  if (std::isnan(o.at_s)) throw UserError("--at nan: write seconds");
  if (std::isnan(o.duration_s)) throw UserError("--duration nan: write seconds");
  if (o.rate_Hz != 0.0 && !(o.rate_Hz >= kLowestRate && o.rate_Hz <= kHighestRate))
    throw UserError(fmt::format("--rate {:g}: the rate is {:g} to {:g} ticks a second", o.rate_Hz,
                                kLowestRate, kHighestRate));
  if (o.at_s >= 0.0 && o.screenshot.empty())
    throw UserError("--at is the time of the --screenshot; give both");
  if (!o.screenshot.empty() && !o.screenshot.ends_with(".png"))
    throw UserError(
        fmt::format("--screenshot {}: pictures are PNG files; end the name in .png", o.screenshot));
  if (o.headless && o.frames >= 0)
    throw UserError("--frames counts pictures and --headless makes none; use --duration");
  if (o.no_record && !(o.session.empty() && o.sessions.empty()))
    throw UserError("--no-record and a place for the recording; leave one of them away");
  if (!o.session.empty() && !o.sessions.empty())
    throw UserError("--session names the file and --sessions the folder; leave one of them away");
  if (!o.learner.empty() && o.no_record)
    throw UserError(
        "--learner files what is recorded and --no-record records nothing; leave one away");
  if (!o.learner.empty() && o.demonstrate)
    throw UserError("--learner files what somebody does, not a demonstration; leave one away");
  if (o.demonstrate && !o.input.empty())
    throw UserError("--demonstrate and --input both move the levers; leave one of them away");
  if (!o.levers_from.empty() && (o.demonstrate || !o.input.empty()))
    throw UserError(fmt::format("--levers-from and {} both move the levers; leave one of them away",
                                o.demonstrate ? "--demonstrate" : "--input"));
  if (o.headless && !o.levers_from.empty())
    throw UserError("--levers-from needs real time; leave --headless away");
  if (o.demonstrate && o.exercise.empty())
    throw UserError("--demonstrate needs an exercise; 'knuckleboom list exercises' names them");
  if (o.headless && o.telemetry.wanted())
    throw UserError(
        "--telemetry needs real time; leave --headless away, or record the session and export it "
        "with 'knuckleboom export mcap'");
  if (o.headless && o.menu) throw UserError("--menu needs rendering; leave out --headless");
  if (o.headless && !o.presses.empty())
    throw UserError("--press needs rendering; leave out --headless");
  if (o.duration_s >= 0.0 && o.at_s > o.duration_s)
    throw UserError(
        fmt::format("--at {:g} is beyond the end at --duration {:g}", o.at_s, o.duration_s));
}

}  // namespace

std::vector<std::string> control_words() { return words_of(kControls); }
std::vector<std::string> camera_words() { return words_of(kCameras); }
std::vector<std::string> quality_words() { return words_of(kQualities); }
std::vector<std::string> instrument_words() { return words_of(kLevels); }

ControlMode control_of(const std::string& word, const std::string& what) {
  return value_of(kControls, word, what);
}
Fidelity fidelity_of(const std::string& word, const std::string& what) {
  return value_of(kFidelities, word, what);
}
CameraKind camera_of(const std::string& word, const std::string& what) {
  return value_of(kCameras, word, what);
}
Quality quality_of(const std::string& word, const std::string& what) {
  return value_of(kQualities, word, what);
}
InstrumentLevel instruments_of(const std::string& word, const std::string& what) {
  return value_of(kLevels, word, what);
}

const char* word_of(ControlMode mode) { return name_of(kControls, mode); }
const char* word_of(CameraKind camera) { return name_of(kCameras, camera); }
const char* word_of(Quality quality) { return name_of(kQualities, quality); }
const char* word_of(InstrumentLevel level) { return name_of(kLevels, level); }

const char* label_of(ControlMode mode) {
  switch (mode) {
    case ControlMode::kValve:
      return msgid("Valve control");
    case ControlMode::kJointRate:
      return msgid("Joint rate control");
    case ControlMode::kBoomTip:
      return msgid("Boom-tip control");
  }
  return "";
}

const char* label_of(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::kFull:
      return msgid("Full model");
    case Fidelity::kReduced:
      return msgid("Reduced model");
    case Fidelity::kPaper:
      return msgid("The paper's model");
  }
  return "";
}

namespace {

// An existing path must be a regular file: a pipe, socket or device would block the session.
void refuse_other_than_files(const char* option, const std::string& name, const char* ending) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored) && !std::filesystem::is_regular_file(name, ignored))
    throw UserError(fmt::format(
        "{} {}: that is a folder, pipe, socket or device and no file; name a file that ends in {}",
        option, name, ending));
}

TimedFault fault_of(const std::string& text, bool on) {
  const char* option = on ? "--fault" : "--clear-fault";
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0)
    throw UserError(
        fmt::format("{} {}: say which and when, such as boom_cylinder_leak@12.5", option, text));
  const double seconds = parse_number(text.substr(at + 1), option);
  if (seconds < 0.0 || seconds > kLongestTime)
    throw UserError(fmt::format("{} {}: {:g} is not between 0 and {:g} s", option, text, seconds,
                                kLongestTime));
  return {text.substr(0, at), seconds, on};
}

// Nobody can know it before the candidate sits at the levers, and so have an input ready for it.
std::uint64_t drawn_variant(const DriveOptions& o) {
  if (o.exercise.empty() || o.learner.empty() || o.menu || o.no_record)
    throw UserError(
        "--exam needs an exercise and --learner NAME, and neither --menu nor --no-record: the "
        "attempt is to be filed");
  constexpr std::uint64_t kMost = 2'147'483'647;
  std::random_device random;
  return 1 + random() % kMost;
}

}  // namespace

DriveRequest request_of(const DriveOptions& o) {
  check_numbers(o);
  DriveRequest request;
  request.choice = {o.exercise, o.machine, o.levers, {}, {}, o.rate_Hz, {}};
  if (!o.control.empty()) request.choice.control = control_of(o.control, "--control");
  if (!o.fidelity.empty()) request.choice.fidelity = fidelity_of(o.fidelity, "--fidelity");
  if (!o.camera.empty()) request.camera = camera_of(o.camera, "--camera");
  if (!o.quality.empty()) request.quality = quality_of(o.quality, "--quality");
  if (!o.instruments.empty()) request.instruments = instruments_of(o.instruments, "--instruments");
  if (!o.language.empty()) request.language = language_of(o.language, "--language");
  if (!o.window.empty()) read_window(o.window, request);
  std::transform(o.presses.begin(), o.presses.end(), std::back_inserter(request.presses), press_of);
  std::stable_sort(request.presses.begin(), request.presses.end(),
                   [](const Press& a, const Press& b) { return a.at_s < b.at_s; });
  for (const std::string& text : o.faults) request.faults.push_back(fault_of(text, true));
  for (const std::string& text : o.cleared_faults) request.faults.push_back(fault_of(text, false));
  std::stable_sort(request.faults.begin(), request.faults.end(),
                   [](const TimedFault& a, const TimedFault& b) { return a.at_s < b.at_s; });
  if (o.fault_seed >= 0) request.choice.fault_seed = static_cast<std::uint64_t>(o.fault_seed);
  if (o.exam) request.choice.variant = drawn_variant(o);
  request.screenshot = o.screenshot;
  request.input = o.input;
  request.record_input = o.record_input;
  request.session = o.session;
  refuse_other_than_files("--session", o.session, ".h5");
  // By the ending, judge and replay know it again.
  if (!o.session.empty() && std::filesystem::path(o.session).extension() != io::kSessionSuffix)
    throw UserError(fmt::format("--session {}: a session's file ends in {}; name one that does",
                                o.session, io::kSessionSuffix));
  refuse_other_than_files("--record-input", o.record_input, ".csv");
  refuse_other_than_files("--screenshot", o.screenshot, ".png");
  request.sessions = o.sessions;
  request.levers_from = o.levers_from;
  request.learner = o.learner;
  try {
    if (!o.instructor.empty()) request.instructor = learners::checked_name(o.instructor);
  } catch (const io::FileError&) {
    throw UserError(
        "--instructor takes a text of at most 200 bytes in UTF-8 without control characters");
  }
  request.no_record = o.no_record;
  request.at_s = o.at_s;
  request.duration_s = o.duration_s;
  request.frames = o.frames;
  request.fps = o.fps;
  request.fullscreen = o.fullscreen;
  request.headless = o.headless;
  request.mute = o.mute;
  request.menu = o.menu;
  request.demonstrate = o.demonstrate;
  return request;
}

}  // namespace knuckleboom::app
