// The sub-command emulate, as it is declared; the emulation itself is in app/emulation.
#include "app/emulation/emulate.hpp"

#include <memory>

#include "app/command_line/key_options.hpp"
#include "app/commands/options.hpp"
#include "knuckleboom/core/emulation/force_sensor.hpp"

namespace knuckleboom::app {
namespace {

constexpr auto kSchemes = +[]() -> std::vector<std::string> {
  return {"acceleration", "position"};
};
constexpr auto kStudies = +[]() -> std::vector<std::string> {
  return {"delay", "bandwidth", "robustness"};
};

std::vector<Argument> live_options(LiveOptions& o) {
  std::vector<Argument> options = {
      {.name = "--live",
       .target = &o.on,
       .sentence =
           "In real time, under command: signals of its parts may come from outside; 'help' "
           "at its console lists the commands",
       .excludes = {"--study", "--plot", "--trace", "--summary"}},
      {.name = "--signals",
       .target = &o.signals,
       .kind = file_value("FILE.toml", ".toml"),
       .sentence = "Signal file: the incoming and outgoing signals",
       .needs = {"--live"}},
      {.name = "--played",
       .target = &o.played,
       .kind = file_value("FILE.csv", ".csv"),
       .sentence = "Log for the signals whose source is a log",
       .needs = {"--live"}},
      dbc_option(o.dbc, "--played"),
      {.name = "--commands",
       .target = &o.commands,
       .kind = file_value(),
       .sentence = "Lines 'SECONDS command', executed before exactly that tick",
       .needs = {"--live"}},
      {.name = "--duration",
       .target = &o.duration_s,
       .kind = {"S"},
       .sentence = "End after this time",
       .without = "at 'quit' or Ctrl-C",
       .range = Range{0.0, 1e6},
       .needs = {"--live"}},
      {.name = "--record",
       .target = &o.record,
       .kind = file_value("FILE.kbe", ".kbe"),
       .sentence = "Record the run, for --replay; the file must not exist yet",
       .needs = {"--live"}},
      {"--log", &o.log, file_value("FILE.csv", ".csv"),
       "Write chosen signals as CSV; may be used with --replay as well"},
      {.name = "--log-signals",
       .target = &o.log_signals,
       .kind = {"NAME,..."},
       .sentence = "Signals of the log: names, or patterns such as 'host.*'",
       .without = "modes, tips, forces and energies",
       .needs = {"--log"},
       .comma = true},
      {.name = "--log-every",
       .target = &o.log_every,
       .kind = {"N"},
       .sentence = "A row every N ticks",
       .without = "1",
       .range = Range{1, 1000000},
       .needs = {"--log"}},
      {.name = "--window",
       .target = &o.window,
       .sentence = "A window with both machines, the peg, values and curves, switches and an "
                   "emergency stop",
       .needs = {"--live"}},
      {.name = "--screenshot",
       .target = &o.screenshot,
       .kind = file_value("FILE.png", ".png"),
       .sentence = "Write a screenshot at the end; needs no display",
       .needs = {"--live"}},
      {.name = "--no-pace",
       .target = Off{&o.paced},
       .sentence = "As fast as possible, without network, driven by --commands alone",
       .needs = {"--live"}}};
  for (Argument& option : key_options(o.key, "--signals")) options.push_back(std::move(option));
  for (Argument& option : telemetry_options(o.telemetry, "--live"))
    options.push_back(std::move(option));
  for (Argument& option : options) option.group = "Live";
  return options;
}

}  // namespace

Command emulate_command() {
  const auto o = std::make_shared<EmulateOptions>();
  const std::string own = "the file's own";
  return {
      .name = "emulate",
      .sentence = "A host manipulator emulates another machine's tip in contact with objects",
      .arguments = joined(
          {{{.name = "scenario",
             .target = &o->scenario,
             .kind = emulation_value(),
             .sentence = "Emulation: a name (knuckleboom list emulations) or a file"},
            {.name = "--scheme",
             .target = &o->scheme,
             .kind = word_value("NAME", kSchemes, true),
             .sentence = "Control of the host",
             .without = own},
            {.name = "--delay-ticks",
             .target = &o->delay_ticks,
             .kind = {"N"},
             .sentence = "Delay of the force sensor",
             .without = own,
             .range = Range{0.0, static_cast<double>(emulation::kMaxSensorDelay)}},
            {.name = "--stiffness",
             .target = &o->stiffness,
             .kind = {"K"},
             .sentence = "Stiffness of the contact [N/m]",
             .without = own,
             .range = Range{1.0, 1e9}},
            {"--study", &o->study, word_value("NAME", kStudies, true),
             "Instead of a run, the largest stable sensor delay over the contact's stiffness; the "
             "response of the tip over frequency; or the same run under many other conditions"},
            set_option(o->assignments,
                       "the emulation file, or of a machine behind 'host.' or 'emulated.'"),
            unset_option(o->assignments),
            plot_option(o->plot, "Plot the run or the study"),
            {"--trace", &o->trace, file_value("FILE", ".csv"),
             "Write the signals of every tick as CSV"},
            summary_option(o->summary, "Write the summary as JSON"),
            {"--replay", &o->replay, file_value("FILE.kbe", ".kbe"),
             "Run a recording again and compare its hashes; takes no SCENARIO"}},
           live_options(o->live)}),
      .examples = {"knuckleboom emulate peg_on_plane --plot plane.png",
                   "knuckleboom emulate peg_in_hole --trace hole.csv",
                   "knuckleboom emulate peg_on_plane --scheme position --stiffness 1e5",
                   "knuckleboom emulate peg_in_hole --live --window",
                   "knuckleboom emulate peg_on_plane --study delay --plot delay.png",
                   "knuckleboom emulate --replay run.kbe"},
      .run = [o] { return emulate(*o); }};
}

}  // namespace knuckleboom::app
