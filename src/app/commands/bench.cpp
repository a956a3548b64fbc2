// The sub-command bench, as it is declared; the workbench itself is in app/workbench.
#include <memory>
#include <utility>

#include "app/commands/options.hpp"
#include "app/shell/config_paths.hpp"
#include "app/workbench/bench_run.hpp"

namespace knuckleboom::app {
namespace {

std::vector<std::string> bench_subjects() {
  std::vector<std::string> names = machine_names();
  for (std::string& scenario : scenario_names()) names.push_back(std::move(scenario));
  return names;
}

}  // namespace

Command bench_command() {
  const auto o = std::make_shared<BenchOptions>();
  return {
      .name = "bench",
      .sentence = "A workbench for any machine: drive, change, pause and rewind it while you watch",
      .arguments = joined(
          {{{.name = "subject",
             .target = &o->subject,
             .kind = {"MACHINE|URDF|SCENARIO", &bench_subjects, ValueKind::Path::kFile, ".toml"},
             .sentence =
                 "A machine or a scenario, by name (knuckleboom list machines) or file, or a URDF",
             .required = true},
            machine_option(o->machine, "Machine in place of the scenario's own"),
            {.name = "--fidelity",
             .target = &o->fidelity,
             .kind = real_time_fidelity_value(),
             .sentence = "Model of the hydraulics",
             .without = "reduced"},
            {.name = "--levers",
             .target = &o->levers,
             .kind = lever_layout_value(),
             .sentence = "Lever layout: a name (knuckleboom list levers) or a file",
             .without = "one that fits, or a pattern made for the machine"},
            set_of_case_option(o->assignments),
            unset_option(o->assignments),
            {"--script", &o->script, file_value(),
             "Lines 'SECONDS command'; 'help' among them lists the commands"},
            {"--trace", &o->trace, file_value("FILE.csv", ".csv"),
             "Write the channels as CSV at the end, 100 rows a second"},
            {"--scenario", &o->scenario, file_value("FILE.toml", ".toml"),
             "Write a scenario at the end that repeats what valves and drives were given"},
            {"--screenshot", &o->screenshot, file_value("FILE.png", ".png"), "Write a screenshot"},
            {.name = "--at",
             .target = &o->at_s,
             .kind = {"T"},
             .sentence = "Time of the screenshot [s]",
             .without = "the end",
             .range = Range{0.0, 1e6}},
            {.name = "--duration",
             .target = &o->duration_s,
             .kind = {"S"},
             .sentence = "End after this time of the machine",
             .without = "when the window is closed",
             .range = Range{0.0, 1e6}},
            {.name = "--tab",
             .target = &o->tab,
             .kind = word_value("NAME", &bench_tabs, true),
             .sentence = "List that is open at first",
             .without = "drive"},
            {.name = "--paused", .target = &o->paused, .sentence = "Begin paused"},
            headless_option(o->headless)}}),
      .examples = {"knuckleboom bench puma", "knuckleboom bench ./robot.urdf",
                   "knuckleboom bench four_bar_torque --paused",
                   "knuckleboom bench rescue_leg --headless --script kick.txt --duration 5 --trace "
                   "leg.csv"},
      .run = [o] { return run_bench(*o); }};
}

}  // namespace knuckleboom::app
