#include "app/commands/options.hpp"

#include <iterator>
#include <utility>

#include "app/commands/friction_study.hpp"
#include "app/session/drive_request.hpp"
#include "app/session/load_session.hpp"
#include "app/session/names.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/language.hpp"
#include "app/telemetry/telemetry_options.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/declare/tables.hpp"
#include "knuckleboom/io/file_kinds.hpp"

namespace knuckleboom::app {
namespace {

using Path = ValueKind::Path;

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const analysis::Method& method : analysis::methods()) names.push_back(method.name);
  return names;
}

std::vector<std::string> real_time_names() {
  std::vector<std::string> names;
  for (const analysis::Method& method : analysis::methods())
    if (!method.converged) names.push_back(method.name);
  return names;
}

std::vector<std::string> friction_models() {
  return {kFrictionModels.begin(), kFrictionModels.end()};
}

constexpr double kMostFrames = 1e9, kMostFps = 1000.0;

}  // namespace

ValueKind scenario_value() { return {"SCENARIO", &scenario_names, Path::kFile, ".toml"}; }
ValueKind machine_value(std::string placeholder) {
  return {std::move(placeholder), &machine_names, Path::kFile, ".toml"};
}
ValueKind exercise_value(std::string placeholder) {
  return {std::move(placeholder), &exercise_names, Path::kFile, ".toml"};
}
ValueKind emulation_value() { return {"SCENARIO", &emulation_names, Path::kFile, ".toml"}; }
ValueKind lever_layout_value() { return {"NAME|FILE", &lever_names, Path::kFile, ".toml"}; }
ValueKind fidelity_value() { return word_value("NAME", &method_names, false); }
ValueKind real_time_fidelity_value() { return word_value("NAME", &real_time_names, false); }
ValueKind friction_model_value() { return {"NAME", &friction_models}; }
ValueKind session_value(std::string placeholder) {
  return {std::move(placeholder), &session_names, Path::kFile, ".h5"};
}
ValueKind learner_value() { return {"NAME", &learner_names}; }
ValueKind exercise_name_value() { return {"NAME", &exercise_names}; }
ValueKind fault_value() { return {"NAME@S", &usual_fault_names}; }
ValueKind file_value(std::string placeholder, std::string suffix) {
  return {std::move(placeholder), nullptr, Path::kFile, std::move(suffix)};
}
ValueKind folder_value(std::string placeholder) {
  return {std::move(placeholder), nullptr, Path::kFolder};
}
ValueKind word_value(std::string placeholder, std::vector<std::string> (*words)(), bool closed) {
  return {std::move(placeholder), words, Path::kNone, "", true, closed};
}

Argument scenario_argument(std::string& value) {
  return {.name = "scenario",
          .target = &value,
          .kind = scenario_value(),
          .sentence = "Scenario: a name (knuckleboom list scenarios) or a file",
          .required = true};
}

Argument machine_argument(std::string& value) {
  return {.name = "machine",
          .target = &value,
          .kind = machine_value("MACHINE"),
          .sentence = "Machine: a name (knuckleboom list machines) or a file",
          .required = true};
}

Argument machine_option(std::string& value, std::string sentence, std::string without) {
  return {.name = "--machine",
          .target = &value,
          .kind = machine_value(),
          .sentence = std::move(sentence),
          .without = std::move(without)};
}

Argument dbc_option(std::string& value, std::string_view needs) {
  Argument out{.name = "--dbc",
               .target = &value,
               .kind = file_value("FILE.dbc", ".dbc"),
               .sentence = "The log is one of a CAN bus (candump, ASC), and this DBC describes it",
               .without = "as the log map says"};
  if (!needs.empty()) {
    out.needs = {std::string(needs)};
    out.without.clear();
  }
  return out;
}

Argument tolerance_option(std::optional<double>& value) {
  return {.name = "--rtol",
          .target = &value,
          .kind = {"R"},
          .sentence = "Relative tolerance of a converged fidelity",
          .without = "1e-9"};
}

std::vector<std::string> set_keys() {
  std::vector<std::string> keys;
  for (const io::FileKind kind : {io::FileKind::kMachine, io::FileKind::kScenario})
    for (std::string& key : declare::key_paths(io::file_kind(kind).keys))
      keys.push_back(std::move(key));
  return keys;
}

Argument set_option(std::vector<std::string>& value, const std::string& what) {
  return {.name = "--set",
          .target = &value,
          .kind = {"KEY=VALUE", &set_keys},
          .sentence = "Change a value of " + what};
}

Argument unset_option(std::vector<std::string>& value) {
  return {.name = "--unset",
          .target = Unset{&value},
          .kind = {"KEY", &set_keys},
          .sentence = "Take a key or a table out, so that its default holds"};
}

void tell_remarks_on_set(const std::vector<io::Diagnostic>& remarks) {
  for (const io::Diagnostic& remark : remarks)
    if (remark.file.starts_with("override ")) complain(io::to_string(remark));
}

Argument set_of_case_option(std::vector<std::string>& value) {
  return set_option(value,
                    "the machine or the scenario, such as controller.stick.kp_V_per_rad=80 or "
                    "scenario.duration_s=10");
}

Argument plot_option(std::string& value, std::string sentence) {
  return {.name = "--plot",
          .target = &value,
          .kind = file_value(),
          .sentence = std::move(sentence) + "; the name ends in .svg or .png"};
}

Argument summary_option(std::string& value, std::string sentence) {
  return {.name = "--summary",
          .target = &value,
          .kind = file_value("FILE", ".json"),
          .sentence = std::move(sentence)};
}

Argument headless_option(bool& value) {
  return {
      .name = "--headless", .target = &value, .sentence = "Without rendering, as fast as possible"};
}

std::vector<Argument> recording_options(DriveOptions& o) {
  return {{"--session", &o.session, file_value("FILE.h5", ".h5"),
           "Record the session into this file; if it exists, FILE-2.h5 and so on"},
          {.name = "--sessions",
           .target = &o.sessions,
           .kind = folder_value(),
           .sentence = "Record sessions into this folder",
           .without = "the user's own"},
          {.name = "--no-record", .target = &o.no_record, .sentence = "Record no session"},
          {"--learner", &o.learner, learner_value(),
           "Whose sessions these are; they are filed under the name"},
          {"--instructor",
           &o.instructor,
           {"WHO"},
           "Who supervises, as it is to be signed: a number or initials, as it is in the file"}};
}

std::vector<Argument> telemetry_options(TelemetryOptions& o, const std::string& needs) {
  const std::vector<std::string> needed =
      needs.empty() ? std::vector<std::string>{} : std::vector<std::string>{needs};
  return {
      {.name = "--telemetry",
       .target = &o.address,
       .kind = {"[HOST:]PORT"},
       .sentence = "Show all channels to Foxglove and PlotJuggler, live at this port, 0: one that "
                   "is free; to this computer alone unless HOST is another address of it",
       .needs = needed},
      {.name = "--telemetry-token",
       .target = &o.token,
       .kind = {"TEXT"},
       .sentence = "Clients must know it: ws://HOST:PORT/?token=TEXT",
       .without = "$KNUCKLEBOOM_TELEMETRY_TOKEN",
       .needs = {"--telemetry"}},
      {.name = "--telemetry-origin",
       .target = &o.origins,
       .kind = {"URL"},
       .sentence = "A web page that may connect besides Foxglove's, such as "
                   "http://localhost:8080",
       .needs = {"--telemetry"}}};
}

Argument language_option(std::string& value) {
  return {.name = "--language",
          .target = &value,
          .kind = word_value("CODE", &language_words, false),
          .sentence = "Language of the window and of the report",
          .without = "the one chosen in the menu, or the system's"};
}

std::vector<Argument> window_options(DriveOptions& o) {
  return {{.name = "--window",
           .target = &o.window,
           .kind = {"WxH"},
           .sentence = "Size of the window",
           .without = "1280x720"},
          {.name = "--fullscreen", .target = &o.fullscreen, .sentence = "Use the whole screen"},
          {"--camera", &o.camera, word_value("NAME", &camera_words, false), "Camera at the start"},
          {"--quality", &o.quality, word_value("NAME", &quality_words, false),
           "Trees, shadows and textures"},
          {"--instruments", &o.instruments, word_value("NAME", &instrument_words, false),
           "Instruments around the picture"},
          language_option(o.language),
          {.name = "--mute", .target = &o.mute, .sentence = "No sound"},
          {"--screenshot", &o.screenshot, file_value("FILE.png", ".png"), "Write a screenshot"},
          {.name = "--frames",
           .target = &o.frames,
           .kind = {"N"},
           .sentence = "End after this number of frames",
           .range = Range{0.0, kMostFrames}},
          {.name = "--duration",
           .target = &o.duration_s,
           .kind = {"S"},
           .sentence = "End after this number of seconds",
           .range = Range{0.0, kLongestTime}},
          {.name = "--fps",
           .target = &o.fps,
           .kind = {"N"},
           .sentence = "Draw at most N pictures a second, to spare processor and battery",
           .without = "60",
           .range = Range{1.0, kMostFps}},
          {"--press",
           &o.presses,
           {"KEY@S"},
           "Press a key at a time, held for a while, such as F1@2 or W@2+1.5"}};
}

std::vector<Argument> joined(std::vector<std::vector<Argument>> lists) {
  std::vector<Argument> all;
  for (std::vector<Argument>& list : lists)
    all.insert(all.end(), std::make_move_iterator(list.begin()),
               std::make_move_iterator(list.end()));
  return all;
}

}  // namespace knuckleboom::app
