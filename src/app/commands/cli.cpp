#include "app/commands/cli.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands/check.hpp"
#include "app/commands/compare.hpp"
#include "app/commands/completions.hpp"
#include "app/commands/demo.hpp"
#include "app/commands/drive.hpp"
#include "app/commands/friction_study.hpp"
#include "app/commands/identify.hpp"
#include "app/commands/inspect.hpp"
#include "app/commands/judge.hpp"
#include "app/commands/levers.hpp"
#include "app/commands/pneumatics.hpp"
#include "app/commands/replay.hpp"
#include "app/commands/run.hpp"
#include "app/commands/verify.hpp"
#include "app/emulation/emulate.hpp"
#include "app/learners/learners.hpp"
#include "app/report/report.hpp"
#include "app/session/load_session.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "app/shell/within.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

constexpr const char* kScenarioHelp =
    "Scenario: a name (see 'knuckleboom list scenarios') or a file";
constexpr const char* kMachineHelp =
    "Machine: a name (see 'knuckleboom list machines') or a file; without it the scenario's own";
constexpr const char* kSetHelp =
    "Change a value of the machine or the scenario, such as controller.stick.kp_V_per_rad=80 or "
    "scenario.duration_s=10; may be repeated";

std::string examples(std::string_view lines) { return fmt::format("\nExamples:\n{}", lines); }

// --- Sub-commands -------------------------------------------------------------

void add_run(CLI::App& program, RunOptions& o) {
  CLI::App* c = program.add_subcommand("run", "Run a scenario and say what came of it");
  c->add_option("scenario", o.scenario, kScenarioHelp)->required()->type_name("SCENARIO");
  c->add_option("--machine", o.machine, kMachineHelp)->type_name("NAME|FILE");
  c->add_option("--fidelity", o.fidelity,
                "full, reduced, converged-full or converged-reduced; without it reduced")
      ->type_name("NAME");
  c->add_option("--rtol", o.relative_tolerance,
                "Relative tolerance of a converged fidelity; without it 1e-9")
      ->type_name("R");
  c->add_option("--set", o.assignments, kSetHelp)->type_name("KEY=VALUE")->allow_extra_args(false);
  c->add_option("--trace", o.trace, "Write the channels over time as CSV")->type_name("FILE");
  c->add_option("--trace-rate", o.trace_rate_Hz,
                "Rows a second in the trace; must divide the tick rate; without it 100 or the "
                "next lower one that does")
      ->type_name("HZ");
  c->add_option("--plot", o.plot, "Draw the run; the name ends in .svg or .png")->type_name("FILE");
  c->add_option("--summary", o.summary, "Write the summary as JSON")->type_name("FILE");
  c->add_flag("--realtime", o.realtime, "Start each tick at its own point of real time");
  c->add_option("--save", o.save, "Save the state, to go on from with --resume")->type_name("FILE");
  c->add_option("--save-at", o.save_at_s, "Time of the state that is saved; without it the end [s]")
      ->type_name("T");
  c->add_option("--resume", o.resume, "Go on from a saved state")->type_name("FILE");
  c->footer(examples(
      "  knuckleboom run stick_sine --fidelity full --plot stick.png\n"
      "  knuckleboom run boom_pulse --trace boom.csv --summary boom.json\n"
      "  knuckleboom run stick_sine --set controller.stick.kp_V_per_rad=80 --fidelity full\n"
      "  knuckleboom run tip_circle --realtime\n"
      "  knuckleboom run stick_sine --save half.state --save-at 20\n"
      "  knuckleboom run stick_sine --resume half.state\n"));
}

void add_compare(CLI::App& program, CompareOptions& o) {
  CLI::App* c = program.add_subcommand(
      "compare", "Run a scenario by several models, or against a recorded trace");
  c->add_option("scenario", o.scenario, kScenarioHelp)->required()->type_name("SCENARIO");
  c->add_option("--machine", o.machine, kMachineHelp)->type_name("NAME|FILE");
  c->add_option("--fidelity", o.fidelities,
                "A model to run, may be repeated; without it full and reduced (with --against: "
                "reduced)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  c->add_option("--rtol", o.relative_tolerance,
                "Relative tolerance of a converged fidelity; without it 1e-9")
      ->type_name("R");
  c->add_option("--set", o.assignments, kSetHelp)->type_name("KEY=VALUE")->allow_extra_args(false);
  c->add_option("--plot", o.plot, "Draw the runs over each other; .svg or .png")->type_name("FILE");
  c->add_option("--trace-dir", o.trace_folder, "Write the trace of each run into this folder")
      ->type_name("DIR");
  c->add_option("--summary", o.summary, "Write the differences as JSON")->type_name("FILE");
  c->add_option("--against", o.against,
                "Compare with this trace instead; columns are matched by name")
      ->type_name("TRACE.csv");
  c->add_option("--map", o.column_map,
                "With --against: a column that has another name there; may be repeated")
      ->type_name("OURS=THEIRS")
      ->allow_extra_args(false);
  c->add_flag("--partial", o.partial, "With --against: the trace may cover only a part of the run");
  c->add_option("--tolerance-rad", o.tolerance_rad,
                "With --against: end with status 4 if a joint differs by more")
      ->type_name("RAD");
  c->add_option("--tolerance-Pa", o.tolerance_Pa,
                "With --against: end with status 4 if a port pressure differs by more")
      ->type_name("PA");
  c->footer(
      examples("  knuckleboom compare stick_sine --plot models.svg\n"
               "  knuckleboom compare stick_sine --set controller.stick.kp_V_per_rad=80\n"
               "  knuckleboom compare boom_sine --fidelity reduced --fidelity converged-full\n"
               "  knuckleboom compare stick_sine --against old.csv --tolerance-rad 1e-9 "
               "--tolerance-Pa 1\n"));
}

void add_friction(CLI::App& program, FrictionOptions& o) {
  CLI::App* c = program.add_subcommand(
      "friction", "Run a scenario with every friction model and say which of them hold");
  c->add_option("scenario", o.scenario, kScenarioHelp)->required()->type_name("SCENARIO");
  c->add_option("--machine", o.machine, kMachineHelp)->type_name("NAME|FILE");
  c->add_option("--fidelity", o.fidelity, "full or reduced; without it reduced")->type_name("NAME");
  c->add_option("--at", o.at,
                "Path of the friction table; without it the bench's, or the only actuator's")
      ->type_name("KEY");
  c->add_option("--set", o.assignments, kSetHelp)->type_name("KEY=VALUE")->allow_extra_args(false);
  c->add_option("--plot", o.plot, "Draw positions and speeds; .svg or .png")->type_name("FILE");
  c->footer(
      examples("  knuckleboom friction friction_hold\n"
               "  knuckleboom friction friction_sine --fidelity full --plot sine.png\n"));
}

void add_pneumatics(CLI::App& program, PneumaticsOptions& o) {
  CLI::App* c = program.add_subcommand(
      "pneumatics", "Run a machine on air, and what exchanging force and motion late costs");
  c->add_option("machine", o.machine, "Machine with an air.toml beside its machine.toml")
      ->required()
      ->type_name("MACHINE");
  c->add_option("--case", o.cases, "Only this case of air.toml; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  c->add_option("--friction", o.friction,
                "Friction model of all drives in place of the file's, or 'all'; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  c->add_option(
       "--exchange-ms", o.exchange_ms,
       "Also as two programs that hand each other force and motion so late; may be repeated")
      ->type_name("MS")
      ->allow_extra_args(false);
  c->add_option("--set", o.assignments,
                "Change a value of air.toml, such as air.supply_bar=4; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c->add_option("--plot", o.plot, "Draw positions and pressures; .svg or .png")->type_name("FILE");
  c->add_option("--delay-plot", o.delay_plot,
                "Draw what the delays cost, over the delay; .svg or .png")
      ->type_name("FILE");
  c->add_option("--trace", o.trace, "Write the first run as CSV")->type_name("FILE");
  c->footer(
      examples("  knuckleboom pneumatics air_bench --friction all --case sine --plot sine.png\n"
               "  knuckleboom pneumatics rescue_leg --exchange-ms 4\n"));
}

void add_live(CLI::App* c, LiveOptions& o) {
  const char* group = "Live";
  CLI::Option* live = c->add_flag("--live", o.on,
                                  "In real time, under command: signals of its parts may come "
                                  "from outside; 'help' at its console lists the commands")
                          ->group(group);
  for (const char* other : {"--study", "--plot", "--trace", "--summary"})
    live->excludes(c->get_option(other));
  const auto file = [&](const char* name, std::string& value, const char* text, const char* type) {
    return c->add_option(name, value, text)->type_name(type)->needs(live)->group(group);
  };
  file("--signals", o.signals, "Signal file: what comes from outside and what goes there",
       "FILE.toml");
  file("--played", o.played, "Log that plays the signals whose source is one", "FILE.csv");
  file("--commands", o.commands, "Lines 'SECONDS command', done at exactly that time", "FILE");
  c->add_option("--duration", o.duration_s, "End after so long; without it at 'quit' or Ctrl-C")
      ->type_name("S")
      ->check(within(0.0, 1e6))
      ->needs(live)
      ->group(group);
  file("--record", o.record, "Record the run, for --replay; the file must not be there yet",
       "FILE.kbe");
  CLI::Option* log =
      c->add_option("--log", o.log, "Write chosen signals as CSV; goes with --replay as well")
          ->type_name("FILE.csv")
          ->group(group);
  c->add_option("--log-signals", o.log_signals, "Which: names, or patterns such as 'host.*'")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->needs(log)
      ->group(group);
  c->add_option("--log-every", o.log_every, "A row every so many ticks; without it 1")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->needs(log)
      ->group(group);
  c->add_flag("--window", o.window,
              "Show it: both machines, the peg, values and curves, with switches and an emergency "
              "stop")
      ->needs(live)
      ->group(group);
  file("--screenshot", o.screenshot, "Write a picture of the end; needs no display", "FILE.png");
  c->add_flag("!--no-pace", o.paced, "As fast as it goes, without network, by --commands alone")
      ->needs(live)
      ->group(group);
}

void add_emulate(CLI::App& program, EmulateOptions& o) {
  CLI::App* c = program.add_subcommand(
      "emulate", "A host manipulator plays the tip of another machine and touches things with it");
  c->add_option("scenario", o.scenario,
                "Emulation: a name (see 'knuckleboom list emulations') or a file")
      ->type_name("SCENARIO");
  c->add_option("--scheme", o.scheme, "acceleration or position; without it the file's own")
      ->type_name("NAME")
      ->check(CLI::IsMember({"acceleration", "position"}));
  c->add_option("--delay-ticks", o.delay_ticks, "Delay of the force sensor; without it the file's")
      ->type_name("N")
      ->check(CLI::Range(0, emulation::kMaxSensorDelay));
  c->add_option("--stiffness", o.stiffness, "Of the contact [N/m]; without it the file's own")
      ->type_name("K")
      ->check(within(1.0, 1e9));
  c->add_option(
       "--study", o.study,
       "delay: largest stable delay over the contact's stiffness; bandwidth: the tip under "
       "a push against the emulated machine alone; robustness: what is asked of it, under many "
       "other conditions")
      ->type_name("NAME")
      ->check(CLI::IsMember({"delay", "bandwidth", "robustness"}));
  c->add_option("--set", o.assignments,
                "Change a value of the emulation file, or of a machine behind 'host.' or "
                "'emulated.'; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c->add_option("--plot", o.plot, "Draw the run or the study; .svg or .png")->type_name("FILE");
  c->add_option("--trace", o.trace, "Write the signals of every tick as CSV")->type_name("FILE");
  c->add_option("--summary", o.summary, "Write the summary as JSON")->type_name("FILE");
  c->add_option("--replay", o.replay,
                "Run a recording again as it was and compare its hashes; takes no SCENARIO")
      ->type_name("FILE.kbe");
  add_live(c, o.live);
  c->footer(
      examples("  knuckleboom emulate peg_on_plane --plot plane.png\n"
               "  knuckleboom emulate peg_in_hole --trace hole.csv\n"
               "  knuckleboom emulate peg_on_plane --scheme position --stiffness 1e5\n"
               "  knuckleboom emulate peg_in_hole --live --window\n"
               "  knuckleboom emulate peg_on_plane --study delay --plot delay.png\n"
               "  knuckleboom emulate --replay run.kbe\n"));
}

void add_verify(CLI::App& program, VerifyOptions& o) {
  CLI::App* c = program.add_subcommand(
      "verify", "Run bundles of recorded runs again and compare with what is expected");
  c->add_option("bundles", o.bundles, "Folders with a bundle.toml")
      ->required()
      ->type_name("BUNDLE...");
  c->add_option("--plot-dir", o.plot_folder, "Folder for pictures of what failed; without it out")
      ->type_name("DIR");
  c->add_option("--set", o.assignments, kSetHelp)->type_name("KEY=VALUE")->allow_extra_args(false);
  c->add_flag("--update", o.update, "Write the references anew; needs --reason");
  c->add_option("--reason", o.reason, "Why; goes into the bundle's history.txt")->type_name("TEXT");
  c->footer(
      examples("  knuckleboom verify tests/bundles/*\n"
               "  knuckleboom verify my_bundle --set controller.stick.kp_V_per_rad=60\n"
               "  knuckleboom verify my_bundle --update --reason \"valve measured anew\"\n"));
}

void add_judge(CLI::App& program, JudgeOptions& o) {
  CLI::App* c = program.add_subcommand(
      "judge", "Judge how a crane was driven: logs, traces and recorded sessions");
  c->add_option("files", o.files, "Tables (CSV) and session files")
      ->required()
      ->type_name("FILE...");
  c->add_option("--map", o.map, "Log map: which column is what; without it by our names")
      ->type_name("FILE");
  c->add_option("--machine", o.machine,
                "Machine of a log that has its joints instead of the tip: a name or a file")
      ->type_name("NAME|FILE");
  c->add_option("--exercise", o.exercise,
                "Exercise whose limits hold; status 4 if a figure is beyond one")
      ->type_name("NAME|FILE");
  c->add_option("--summary", o.summary, "Write the figures as JSON")->type_name("FILE");
  c->footer(
      examples("  knuckleboom judge crane.csv --map crane_map.toml\n"
               "  knuckleboom judge joints.csv --machine harvester\n"
               "  knuckleboom judge mine.h5 --exercise reach\n"));
}

void add_identify(CLI::App& program, IdentifyOptions& o) {
  CLI::App* c = program.add_subcommand(
      "identify", "Find parameters of a machine from a measured log, and how well it knows them");
  c->add_option("machine", o.machine, "Machine: a name or a file")
      ->required()
      ->type_name("MACHINE");
  c->add_option("log", o.log, "Table (CSV) with --map, or the folder of a bundle with [[drive]]")
      ->required()
      ->type_name("LOG");
  c->add_option("--map", o.map, "Log map: which column is what")->type_name("FILE");
  c->add_option(
       "--fit", o.fits,
       "A parameter: its key as after --set, where to start, its bounds, and the spread of "
       "what is known before; of the log itself log.delay_s.JOINT, log.offset.COLUMN, "
       "log.scale.COLUMN; may be repeated")
      ->required()
      ->type_name("KEY=START,LOW,HIGH[,SD]")
      ->allow_extra_args(false);
  c->add_option("--range", o.from_to, "Part of the log that is fitted [s]")->type_name("A-B");
  c->add_option("--hold-out", o.hold_out, "Part that is only looked at; may be repeated [s]")
      ->type_name("A-B")
      ->allow_extra_args(false);
  c->add_option("--channel", o.channels, "Compare this one; without it all that the map has")
      ->type_name("NAME")
      ->allow_extra_args(false);
  c->add_option(
       "--spread", o.weights,
       "Standard deviation of a channel's error, in SI: how much it counts; may be repeated")
      ->type_name("CHANNEL=NUMBER")
      ->allow_extra_args(false);
  c->add_option("--set", o.assignments, "Change a value of the machine; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c->add_option("--fidelity", o.fidelity, "full or reduced; without it full")->type_name("NAME");
  c->add_option("--rest", o.rest_s, "First part of the log at rest; without it 0.5 [s]")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e6));
  c->add_option("--iterations", o.iterations, "At most so many steps of the search; without it 40")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  c->add_option("--plot", o.plot, "Draw measured and computed; .svg or .png")->type_name("FILE");
  c->add_option("--summary", o.summary, "Write the result as JSON")->type_name("FILE");
  c->footer(
      examples("  knuckleboom identify my_crane log.csv --map map.toml \\\n"
               "    --fit oil.bulk_modulus_MPa=900,300,1700 --hold-out 12-27 --plot fit.svg\n"
               "  knuckleboom identify my_crane my_bundle --fit log.delay_s.lift=0.1,0,0.5\n"));
}

void add_inspect(CLI::App& program, InspectOptions& o) {
  CLI::App* c = program.add_subcommand(
      "inspect",
      "Show what follows from a machine file: joints, levers, pressures, modes, sources");
  c->add_option("machine", o.machine, "Machine: a name or a file")
      ->required()
      ->type_name("MACHINE");
  c->add_option("--at", o.at, "Position of a joint [rad, m]; others stand in the middle")
      ->type_name("JOINT=VALUE")
      ->allow_extra_args(false);
  c->add_option("--set", o.assignments, "Change a value of the machine; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c->add_option("--json", o.json, "Write the same as JSON")->type_name("FILE");
  c->footer(
      examples("  knuckleboom inspect harvester\n"
               "  knuckleboom inspect harvester --at boom=0.5 --at stick=-1.3\n"));
}

void add_levers(CLI::App& program, LeversOptions& o) {
  CLI::App* c = program.add_subcommand("levers", "Show, calibrate and bind levers and controllers");
  c->add_option("action", o.action, "calibrate or bind; without it shows what the levers do")
      ->type_name("ACTION")
      ->check(CLI::IsMember({"calibrate", "bind"}));
  c->add_flag("--list", o.list, "Name the devices once instead of live bars");
  c->add_option("--device", o.device, "Calibrate this one only, numbered as listed")
      ->type_name("N")
      ->check(CLI::Range(1, 99));
  c->add_option("--file", o.file, "Device file; without it the user's own, levers.toml")
      ->type_name("FILE");
  c->footer(
      examples("  knuckleboom levers\n"
               "  knuckleboom levers bind\n"
               "  knuckleboom levers calibrate --device 1\n"));
}

constexpr std::int64_t kMostFrames = 1'000'000'000;

// Where live sessions are recorded.
void add_recording(CLI::App& command, DriveOptions& o) {
  CLI::App* c = &command;
  c->add_option("--session", o.session, "Record the session into this file")->type_name("FILE.h5");
  c->add_option("--sessions", o.sessions,
                "Record sessions into this folder; without it the user's own")
      ->type_name("DIR");
  c->add_flag("--no-record", o.no_record, "Record no session");
  c->add_option("--learner", o.learner, "Whose sessions these are; they are filed under the name")
      ->type_name("NAME");
}

// What all that open a window have.
void add_picture(CLI::App& command, DriveOptions& o) {
  CLI::App* c = &command;
  c->add_option("--window", o.window, "Size of the picture; without it 1280x720")->type_name("WxH");
  c->add_flag("--fullscreen", o.fullscreen, "The picture takes the whole screen");
  c->add_option("--camera", o.camera, "cab, outside, side, tip or free")->type_name("NAME");
  c->add_option("--quality", o.quality, "auto, low, medium, high or best")->type_name("NAME");
  c->add_option("--instruments", o.instruments, "full, compact or off")->type_name("NAME");
  c->add_flag("--mute", o.mute, "No sound");
  c->add_option("--screenshot", o.screenshot, "Write a picture; the name ends in .png")
      ->type_name("FILE");
  c->add_option("--frames", o.frames, "End after so many pictures")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, kMostFrames));
  c->add_option("--duration", o.duration_s, "End after so many seconds")
      ->type_name("S")
      ->check(within(0.0, kLongestTime));
  c->add_option("--press", o.presses,
                "Press a key at a time, held for a while, such as F1@2 or W@2+1.5; may be repeated")
      ->type_name("KEY@S")
      ->allow_extra_args(false);
}

void add_drive(CLI::App& program, DriveOptions& o) {
  CLI::App* c = program.add_subcommand("drive", "The trainer: drive the crane in a wood");
  c->add_option(
       "exercise", o.exercise,
       "Exercise: a name (see 'knuckleboom list exercises') or a file; without it the menu")
      ->type_name("EXERCISE");
  c->add_option("--machine", o.machine, "Machine: a name or a file; without it the exercise's own")
      ->type_name("NAME|FILE");
  c->add_option("--levers", o.levers,
                "Lever layout: a name (see 'knuckleboom list levers') or a file; without it the "
                "exercise's own")
      ->type_name("NAME|FILE");
  c->add_option("--levers-from", o.levers_from,
                "Levers that another program sends, beside those plugged in (knuckleboom-peer)")
      ->type_name("udp:ADDRESS:PORT");
  c->add_option("--control", o.control, "valve, joint_rate or boom_tip")->type_name("MODE");
  c->add_option("--fidelity", o.fidelity, "full or reduced")->type_name("NAME");
  c->add_option("--rate", o.rate_Hz, "Ticks a second, 250 to 2000; without it the exercise's own")
      ->type_name("HZ");
  add_picture(*c, o);
  c->add_flag("--menu", o.menu, "Begin with the menu even if an exercise is named");
  c->add_flag("--demonstrate", o.demonstrate, "The program does the exercise itself");
  c->add_option("--input", o.input, "Move the levers as this file says")->type_name("FILE.csv");
  c->add_option("--record-input", o.record_input, "Write what the levers did")
      ->type_name("FILE.csv");
  add_recording(*c, o);
  c->add_option("--at", o.at_s, "Time of the picture; without it the end [s]")
      ->type_name("T")
      ->check(within(0.0, kLongestTime));
  c->add_option("--fault", o.faults,
                "A fault begins at a time of the session, such as boom_cylinder_leak@12; may be "
                "repeated; 'knuckleboom list faults' names them")
      ->type_name("NAME@S")
      ->allow_extra_args(false);
  c->add_option("--clear-fault", o.cleared_faults, "And ends; may be repeated")
      ->type_name("NAME@S")
      ->allow_extra_args(false);
  c->add_option("--fault-seed", o.fault_seed, "Draw another card from the exercise's faults")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 62));
  c->add_flag("--headless", o.headless, "Without a picture, as fast as possible");
  c->footer(examples(
      "  knuckleboom drive\n"
      "  knuckleboom drive reach --levers excavator --fullscreen\n"
      "  knuckleboom drive logs --record-input mine.csv\n"
      "  knuckleboom drive --input mine.csv\n"
      "  knuckleboom drive logs --demonstrate --headless --screenshot logs.png --at 20\n"));
}

void add_replay(CLI::App& program, ReplayOptions& o) {
  CLI::App* c =
      program.add_subcommand("replay", "See a recorded session again, compare, take over");
  c->add_option("file", o.file,
                "Session file, or its name in the user's folder of sessions; a recording that was "
                "cut off is completed first")
      ->required()
      ->type_name("SESSION");
  c->add_flag("--headless", o.headless, "Without a picture, as fast as possible");
  c->add_option("--from", o.from_s, "Begin at this instant of the session [s]")
      ->type_name("T")
      ->check(within(0.0, kLongestTime));
  c->add_option("--speed", o.speed, "0.1 to 10 times real time")
      ->type_name("X")
      ->check(within(0.1, 10.0));
  c->add_flag("--paused", o.paused, "Begin paused");
  c->add_option("--loop", o.loop, "Repeat this section, such as 12-15.5 [s]")->type_name("A-B");
  c->add_option("--plot", o.plots, "Show this channel as a curve; may be repeated, up to four")
      ->type_name("CHANNEL")
      ->allow_extra_args(false);
  add_picture(*c, o.picture);
  add_recording(*c, o.picture);
  c->add_option("--at", o.picture.at_s, "Time of the picture, from the start of the program [s]")
      ->type_name("T")
      ->check(within(0.0, kLongestTime));
  c->footer(
      examples("  knuckleboom replay drive.h5\n"
               "  knuckleboom replay drive.h5 --from 42 --speed 0.2 --plot boom_port_a_Pa\n"
               "  knuckleboom replay drive.h5 --headless\n"
               "  knuckleboom replay 2026-11-28T06-40-12_reach_1f2e3d4c --headless\n"));
}

void add_report(CLI::App& program, ReportOptions& o) {
  CLI::App* c = program.add_subcommand("report", "Write a page about an attempt");
  c->add_option(
       "files", o.files,
       "Session files, or their names in the user's folder of sessions: the first is judged, "
       "the others are for comparison")
      ->required()
      ->type_name("SESSION...");
  c->add_option("-o,--output", o.output, "The page; the name ends in .html")
      ->required()
      ->type_name("FILE.html");
  c->add_option("--expert", o.expert, "A session to compare with that shows how it is done")
      ->type_name("SESSION");
  c->add_option("--attempt", o.attempt,
                "Which attempt of the first session; without it the last that was finished")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  c->footer(
      examples("  knuckleboom report monday.h5 -o monday.html\n"
               "  knuckleboom report today.h5 monday.h5 tuesday.h5 -o progress.html\n"
               "  knuckleboom report today.h5 --expert trainer.h5 -o today.html\n"));
}

// Sub-commands of their own, so that each has its own arguments and help.
void add_learners(CLI::App& program, LearnersOptions& o) {
  CLI::App* c = program.add_subcommand(
      "learners", "Learners and their sessions: list, compare, export, delete");
  c->require_subcommand(0, 1);
  const auto action = [c, &o](const char* name, const char* does) {
    CLI::App* sub = c->add_subcommand(name, does);
    sub->callback([&o, name] { o.action = name; });
    return sub;
  };
  const auto learner = [](CLI::App* sub, std::string& value, const char* what) {
    return sub->add_option("name", value, what)->type_name("NAME");
  };
  learner(action("show", "The sessions of one learner"), o.name, "Learner")->required();
  CLI::App* compare = action("compare", "Two learners side by side, by exercise");
  learner(compare, o.name, "Learner")->required();
  compare->add_option("other", o.other, "Another learner")->required()->type_name("NAME");
  compare->add_option("--exercise", o.exercise, "This exercise only")->type_name("NAME");
  CLI::App* table = action("export", "Write results as CSV");
  learner(table, o.name, "Learner; or --all");
  table->add_flag("--all", o.all, "Of all learners");
  table->add_option("-o,--output", o.output, "The table")->required()->type_name("FILE.csv");
  learner(action("add", "A new learner"), o.name, "Learner")->required();
  CLI::App* rename = action("rename", "Another name for a learner");
  learner(rename, o.name, "Learner")->required();
  rename->add_option("new-name", o.other, "The new name")->required()->type_name("NAME");
  CLI::App* import = action("import", "File sessions that were recorded before");
  import->add_option("files", o.files, "Session files, or their names in the user's folder")
      ->required()
      ->type_name("SESSION...");
  import->add_option("--learner", o.learner, "Whose they are; without it as the files say")
      ->type_name("NAME");
  CLI::App* remove =
      action("delete", "Delete everything of a learner for good, session files included");
  learner(remove, o.name, "Learner")->required();
  remove->add_flag("--yes", o.yes, "Do it; without it only says what would go");
  c->footer(
      examples("  knuckleboom learners\n"
               "  knuckleboom learners show Anna\n"
               "  knuckleboom learners compare Anna Bo --exercise reach\n"
               "  knuckleboom learners export --all -o results.csv\n"
               "  knuckleboom learners import old/*.h5 --learner Anna\n"
               "  knuckleboom learners delete Anna --yes\n"));
}

// --- Words for completion -----------------------------------------------------

std::vector<CommandWords> words_of(const CLI::App& program) {
  std::vector<CommandWords> words;
  for (const CLI::App* command : program.get_subcommands({})) {
    CommandWords one{command->get_name(), command->get_description(), {}};
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) one.options.push_back("--" + name);
    for (const CLI::App* action : command->get_subcommands({}))
      for (const CLI::Option* option : action->get_options())
        for (const std::string& name : option->get_lnames())
          if (name != "help") one.options.push_back("--" + name);
    words.push_back(std::move(one));
  }
  return words;
}

// --- Errors -------------------------------------------------------------------

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The parser's complaints in our words.
std::string parse_complaint(const CLI::App& program, const CLI::ParseError& error, int argc,
                            char** argv) {
  const std::vector<std::string> names = command_names(program);
  const auto chosen = program.get_subcommands();
  if (chosen.empty()) {
    if (argc > 1 && argv[1][0] != '-')
      return fmt::format("there is no sub-command '{}'{}", argv[1], alternatives(argv[1], names));
    if (argc == 1)
      return fmt::format("say what to do: {}; knuckleboom --help tells more", listing(names));
  }
  std::string what = error.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  if (what.starts_with(kConversion))
    what = fmt::format("{}: this is no number", what.substr(kConversion.size()));
  std::replace(what.begin(), what.end(), '\n', ' ');
  return fmt::format("{}; 'knuckleboom {}--help' shows what there is", what,
                     chosen.empty() ? std::string() : chosen.front()->get_name() + " ");
}

// Names an option that was given an empty value; empty if there is none.
std::string empty_value(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands())
    for (const CLI::Option* option : command->get_options()) {
      const std::vector<std::string>& values = option->results();
      if (option->get_expected_max() == 0 ||
          std::none_of(values.begin(), values.end(), [](const auto& v) { return v.empty(); }))
        continue;
      const std::string type = option->get_type_name();
      const char* wanted =
          type.find("FILE") != std::string::npos || type.find(".csv") != std::string::npos
              ? "a file name"
          : type == "DIR" ? "the name of a folder"
                          : "a value";
      return fmt::format("{} needs {}", option->get_name(), wanted);
    }
  return {};
}

// What the sub-commands are asked to do.
struct Asked {
  RunOptions run;
  CompareOptions compare;
  EmulateOptions emulate;
  FrictionOptions friction;
  PneumaticsOptions pneumatics;
  VerifyOptions verify;
  JudgeOptions judge;
  InspectOptions inspect;
  IdentifyOptions identify;
  LeversOptions levers;
  DriveOptions drive;
  ReplayOptions replay;
  ReportOptions report;
  LearnersOptions learners;
  std::vector<std::string> files;  // of check
  std::string demo_folder = "out";
  std::string list_kind, shell;
};

int dispatch(const CLI::App& program, const Asked& asked) {
  if (program.got_subcommand("run")) return run(asked.run);
  if (program.got_subcommand("identify")) return identify(asked.identify);
  if (program.got_subcommand("compare")) return compare(asked.compare);
  if (program.got_subcommand("friction")) return friction_study(asked.friction);
  if (program.got_subcommand("pneumatics")) return pneumatics(asked.pneumatics);
  if (program.got_subcommand("emulate")) return emulate(asked.emulate);
  if (program.got_subcommand("judge")) return judge(asked.judge);
  if (program.got_subcommand("verify")) return verify(asked.verify);
  if (program.got_subcommand("check")) return check(asked.files);
  if (program.got_subcommand("inspect")) return inspect(asked.inspect);
  if (program.got_subcommand("levers")) return levers(asked.levers);
  if (program.got_subcommand("drive")) return drive(asked.drive);
  if (program.got_subcommand("replay")) return replay(asked.replay);
  if (program.got_subcommand("report")) return write_report(asked.report);
  if (program.got_subcommand("learners")) return learners_command(asked.learners);
  if (program.got_subcommand("demo")) return demo(asked.demo_folder);
  if (program.got_subcommand("list")) {
    const std::string& kind = asked.list_kind;
    const std::vector<std::string> names = kind == "machines"     ? machine_names()
                                           : kind == "exercises"  ? exercise_names()
                                           : kind == "levers"     ? lever_names()
                                           : kind == "emulations" ? emulation_names()
                                           : kind == "faults"     ? usual_fault_names()
                                                                  : scenario_names();
    for (const std::string& name : names) say(name + "\n");
    return kSuccess;
  }
  say(completion_script(asked.shell, words_of(program)));
  return kSuccess;
}

// Output that could not be written must not pass for success (a full disk, a closed pipe).
int finish(int status) {
  if (all_was_said() || status != kSuccess) return status;
  // Who has read enough wants no complaint.
  if (!reader_went_away()) complain("the output could not be written in full");
  return kInternalError;
}

}  // namespace

int run_program(int argc, char** argv) {
  // A reader that goes away (| head) and a file that grows too large are ordinary failed writes, not a
  // silent death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  guard_standard_streams();

  CLI::App program("Simulator of hydraulic forestry cranes.", "knuckleboom");
  program.set_version_flag("--version", io::this_program());
  program.set_help_flag("-h,--help", "Show this text");
  program.require_subcommand(1);
  program.get_formatter()->column_width(32);
  program.footer(
      examples("  knuckleboom drive\n"
               "  knuckleboom demo\n"
               "  knuckleboom run stick_sine --plot stick.png\n"
               "  knuckleboom compare stick_sine\n"
               "  knuckleboom inspect harvester\n"
               "\nEach sub-command has its own --help.\n"));

  Asked asked;
  add_drive(program, asked.drive);
  add_replay(program, asked.replay);
  add_report(program, asked.report);
  add_learners(program, asked.learners);
  add_run(program, asked.run);
  add_compare(program, asked.compare);
  add_friction(program, asked.friction);
  add_pneumatics(program, asked.pneumatics);
  add_emulate(program, asked.emulate);
  add_verify(program, asked.verify);
  add_judge(program, asked.judge);
  add_identify(program, asked.identify);
  CLI::App* check_command = program.add_subcommand(
      "check", "Say all that is wrong in machine, scenario, lever and exercise files");
  check_command->add_option("files", asked.files, "Files of any of these kinds")
      ->required()
      ->type_name("FILE...");
  check_command->footer(examples("  knuckleboom check my_machine.toml my_scenario.toml\n"));
  add_inspect(program, asked.inspect);
  add_levers(program, asked.levers);
  CLI::App* demo_command = program.add_subcommand(
      "demo", "Run the reference case with both models and draw the paper's figures");
  demo_command->add_option("--output", asked.demo_folder, "Folder for the pictures; without it out")
      ->type_name("DIR");
  demo_command->footer(examples("  knuckleboom demo --output pictures\n"));
  CLI::App* list_command = program.add_subcommand(
      "list",
      "Name the scenarios, machines, exercises, emulations, lever layouts or faults there are");
  list_command
      ->add_option("kind", asked.list_kind,
                   "scenarios, machines, exercises, emulations, levers or faults")
      ->required()
      ->type_name("KIND")
      ->check(
          CLI::IsMember({"scenarios", "machines", "exercises", "emulations", "levers", "faults"}));
  list_command->footer(examples("  knuckleboom list scenarios\n"));
  CLI::App* completions_command =
      program.add_subcommand("completions", "Print a script that completes arguments in a shell");
  completions_command->add_option("shell", asked.shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL");
  completions_command->footer(
      examples("  source <(knuckleboom completions bash)\n"
               "  knuckleboom completions zsh > ~/.zfunc/_knuckleboom\n"
               "  knuckleboom completions fish > ~/.config/fish/completions/knuckleboom.fish\n"));

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    program.exit(wanted, text, text);
    say(text.str());
    return finish(kSuccess);
  } catch (const CLI::ParseError& error) {
    complain(parse_complaint(program, error, argc, argv));
    return kUserMistake;
  }

  if (const std::string sentence = empty_value(program); !sentence.empty()) {
    complain(sentence);
    return kUserMistake;
  }

  int status = kInternalError;
  try {
    status = dispatch(program, asked);
  } catch (const UserError& error) {
    complain(error.what());
    status = kUserMistake;
  } catch (const io::FileError& error) {
    complain(error.what());
    status = kUserMistake;
  } catch (const std::invalid_argument& error) {  // machine and scenario do not go together
    complain(error.what());
    status = kUserMistake;
  } catch (const std::exception& error) {
    if (interrupted()) {
      complain("stopped; outputs that were not finished are not there");
      return kInterruptedRun;
    }
    const bool known = dynamic_cast<const RunFailure*>(&error) != nullptr;
    complain(known ? error.what() : fmt::format("internal error: {}", error.what()));
    status = kInternalError;
  }
  return finish(status);
}

}  // namespace knuckleboom::app
