// The sub-command drive: the trainer, live or headless.
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/command_line/key_options.hpp"
#include "app/commands/options.hpp"
#include "app/commands/stage.hpp"
#include "app/session/drive_request.hpp"
#include "app/session/filing.hpp"
#include "app/session/names.hpp"
#include "app/session/operator_settings.hpp"
#include "app/shell/asked_pin.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/telemetry/telemetry_server.hpp"
#include "app/trainer/headless.hpp"
#include "app/trainer/lever_stand.hpp"
#include "app/window/display.hpp"
#include "endpoint/pin.hpp"
#include "view/window.hpp"

namespace knuckleboom::app {

namespace {

int drive(const DriveOptions& options) {
  conceal_learners();
  DriveRequest request = request_of(options);
  if (!request.learner.empty()) {
    WhoDrives who = who_drives(request.learner);
    if (!who.fault.empty()) complain(who.fault);
    if (!who.pin_hash.empty() &&
        !endpoint::pin_fits(who.pin_hash, asked_pin(fmt::format("PIN of {}: ", who.name))))
      throw UserError(fmt::format("that is not the PIN of {}; nothing was driven", who.name));
    request.learner = std::move(who.name);
    request.learner_id = std::move(who.key);
    request.choice.settings = std::move(who.settings);
    if (request.choice.variant && !request.choice.settings.empty())
      complain(fmt::format(
          "an exam is driven with the exercise's own machine and levers; {}'s settings do not hold "
          "in it: {}",
          request.learner, in_words(settings_of(request.choice.settings))));
  }
  // Said before a window opens.
  if (!request.levers_from.empty()) {
    request.wire_key = wire_key(options.key);
    open_lever_stand(request.levers_from, request.wire_key);
  }
  const std::unique_ptr<TelemetryServer> telemetry = open_telemetry(options.telemetry);
  request.telemetry = telemetry.get();
  const InterruptGuard guard;
  if (!request.headless && !request.ends() && !somebody_watches()) {
    if (!request.levers_from.empty())
      throw UserError("there is no display; add --duration to drive by --levers-from without one");
    if (telemetry)
      throw UserError("there is no display; add --duration to drive with --telemetry without one");
    complain(
        "there is no display, so this is a headless run; with --frames, --duration or --screenshot "
        "pictures are drawn all the same");
    if (!request.presses.empty())
      throw UserError("--press needs rendering; add --frames, --duration or --screenshot");
    request.headless = true;
  }
  try {
    if (!request.headless) return run_stage(request, std::nullopt);
  } catch (const view::WindowError& error) {
    if (request.ends()) throw RunFailure(error.what());
    complain(error.what());
    complain("continuing without rendering");
  }
  try {
    if (!request.screenshot.empty()) speak_as_chosen(request.language);
    return drive_headless(request);
  } catch (const view::WindowError& error) {
    throw RunFailure(error.what());
  }
}

}  // namespace

Command drive_command() {
  const auto o = std::make_shared<DriveOptions>();
  const std::string own = "the exercise's own";
  return {
      .name = "drive",
      .sentence = "The trainer: drive the crane in a forest",
      .arguments =
          joined({{{.name = "exercise",
                    .target = &o->exercise,
                    .kind = exercise_value("EXERCISE"),
                    .sentence = "Exercise: a name (knuckleboom list exercises) or a file",
                    .without = "the menu"},
                   machine_option(o->machine, "Machine: a name or a file", own),
                   {.name = "--levers",
                    .target = &o->levers,
                    .kind = lever_layout_value(),
                    .sentence = "Lever layout: a name (knuckleboom list levers) or a file",
                    .without = own},
                   {"--levers-from",
                    &o->levers_from,
                    {"udp:ADDRESS:PORT"},
                    "Levers that another program sends, in addition to those plugged in "
                    "(knuckleboom-peer)"}},
                  key_options(o->key, "--levers-from"),
                  telemetry_options(o->telemetry, ""),
                  {{"--control", &o->control, word_value("MODE", &control_words, false),
                    "What the levers control at the start"},
                   {"--fidelity", &o->fidelity, real_time_fidelity_value(),
                    "Model of the hydraulics at the start"},
                   {.name = "--rate",
                    .target = &o->rate_Hz,
                    .kind = {"HZ"},
                    .sentence = "Ticks per second, 250 to 2000",
                    .without = own}},
                  window_options(*o),
                  {{.name = "--menu",
                    .target = &o->menu,
                    .sentence = "Begin with the menu even if an exercise is named"},
                   {.name = "--demonstrate",
                    .target = &o->demonstrate,
                    .sentence = "The program does the exercise itself"},
                   {"--input", &o->input, file_value("FILE.csv", ".csv"),
                    "Move the levers as this file says"},
                   {"--record-input", &o->record_input, file_value("FILE.csv", ".csv"),
                    "Write the lever movements; if the file exists, to FILE-2.csv and so on"}},
                  recording_options(*o),
                  {{.name = "--at",
                    .target = &o->at_s,
                    .kind = {"T"},
                    .sentence = "Time of the screenshot [s]",
                    .without = "the end",
                    .range = Range{0.0, kLongestTime}},
                   {"--fault", &o->faults, fault_value(),
                    "A fault begins at a time of every attempt, such as boom_cylinder_leak@12; "
                    "'knuckleboom "
                    "list faults' names them"},
                   {"--clear-fault", &o->cleared_faults, fault_value(),
                    "It ends at a time of every attempt"},
                   {.name = "--fault-seed",
                    .target = &o->fault_seed,
                    .kind = {"N"},
                    .sentence = "Another random draw from the exercise's faults",
                    .range = Range{0.0, 4611686018427387904.0}},
                   {.name = "--exam",
                    .target = &o->exam,
                    .sentence = "A variant of the exercise that is drawn now, for an attempt "
                                "that an instructor countersigns"},
                   headless_option(o->headless)}}),
      .examples = {"knuckleboom drive", "knuckleboom drive reach --levers excavator --fullscreen",
                   "knuckleboom drive logs --record-input mine.csv",
                   "knuckleboom drive --input mine.csv",
                   "knuckleboom drive logs --demonstrate --headless --screenshot logs.png --at 20"},
      .run = [o] { return drive(*o); }};
}

}  // namespace knuckleboom::app
