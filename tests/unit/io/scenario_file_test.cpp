// Scenario files: what they say, and how wrong ones are refused.

#include "knuckleboom/io/scenario_file.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::scenario_file_test {
namespace {

using command::EventKind;
using command::JointMode;
using test::config;
using test::faults;
using test::joined;
using test::replaced;
using test::slurp;

const char kEverything[] = R"(name = "everything"
description = "uses every key"
machine = "harvester"
duration_s = 10
tick_us = 500

[initial.swing]
position_deg = 90
port_b_bar = 50

[initial.boom]
position_rad = 0.5
port_b_MPa = 3

[[joint]]
name = "swing"
mode = "voltage"
terms = [
  { kind = "hold", value_mV = 100 },
  { kind = "pulse", value_V = 4, start_s = 1, end_s = 2 },
]

[[joint]]
name = "boom"
mode = "track"
terms = [
  { kind = "hold" },
  { kind = "sine", amplitude_deg = 9, frequency_Hz = 0.5, phase_deg = 90, fade_in_s = 2, start_s = 1 },
  { kind = "ramp", value_rad = 0.1, start_s = 1, end_s = 3 },
  { kind = "smooth", value_rad = 0.2, start_ms = 4000, end_s = 6 },
]

[[joint]]
name = "stick"
mode = "tip"

[tip_path]
start_s = 2

[[tip_path.segment]]
kind = "hold"
duration_s = 1

[[tip_path.segment]]
kind = "line"
duration_s = 2
delta_mm = [100, 200, 300]

[[tip_path.segment]]
kind = "circle"
duration_s = 4
center_m = [0, 0, 0.5]
axis = [0, 2, 0]
turns = -0.5

[[event]]
kind = "gain"
at_s = 8
joint = "boom"
kp_V_per_rad = 80

[[event]]
kind = "attach"
at_s = 1
name = "log"
body = "head"
mass_kg = 300
com_m = [0, 0, -0.5]
inertia_kg_m2 = [10, 400, 400, 1, 2, 3]

[[event]]
kind = "detach"
at_s = 7
name = "log"

[[event]]
kind = "joint_mode"
at_s = 3
joint = "boom"
mode = "voltage"
value_V = -1.5

[[event]]
kind = "joint_mode"
at_s = 4
joint = "boom"
mode = "track"

[[event]]
kind = "pump_pressure"
at_s = 5
pressure_bar = 150
)";

io::ScenarioFile parse(const std::string& text, const std::vector<io::Override>& overrides = {}) {
  return io::read_scenario_text(text, "s.toml", overrides);
}

std::vector<io::Diagnostic> read(const std::string& text,
                                 const std::vector<io::Override>& overrides = {}) {
  return faults([&] { parse(text, overrides); });
}

TEST(ScenarioFile, EveryKeyIsRead) {
  const command::Scenario s = parse(kEverything).scenario;
  constexpr double kDegree = 3.14159265358979323846 / 180.0;
  EXPECT_EQ(s.name, "everything");
  EXPECT_EQ(s.description, "uses every key");
  EXPECT_EQ(s.machine, "harvester");
  EXPECT_EQ(s.duration_s, 10.0);
  EXPECT_EQ(s.tick_s, 5e-4);
  ASSERT_EQ(s.initial.size(), 2u);
  EXPECT_EQ(s.initial[0].position, 90.0 * kDegree);
  EXPECT_TRUE(s.initial[0].port_b_given);
  EXPECT_EQ(s.initial[0].port_b_Pa, 5e6);

  ASSERT_EQ(s.programs.size(), 3u);
  EXPECT_EQ(s.programs[0].mode, JointMode::kVoltage);
  EXPECT_EQ(command::value(s.programs[0].signal, 0.5), 0.1);
  EXPECT_EQ(command::value(s.programs[0].signal, 1.5), 4.1);
  const auto& terms = s.programs[1].signal.terms;
  ASSERT_EQ(terms.size(), 4u);
  EXPECT_EQ(terms[0].value, 0.5);  // the initial position
  EXPECT_EQ(terms[1].value, 9.0 * kDegree);
  EXPECT_EQ(terms[1].frequency_Hz, 0.5);
  EXPECT_EQ(terms[1].phase_rad, 90.0 * kDegree);
  EXPECT_EQ(terms[1].fade_in_s, 2.0);
  EXPECT_EQ(terms[1].start_s, 1.0);
  EXPECT_EQ(terms[2].kind, command::TermKind::kRamp);
  EXPECT_EQ(terms[2].end_s, 3.0);
  EXPECT_EQ(terms[3].kind, command::TermKind::kSmooth);
  EXPECT_EQ(terms[3].start_s, 4.0);
  EXPECT_EQ(s.programs[2].mode, JointMode::kTip);

  EXPECT_EQ(s.tip_start_s, 2.0);
  ASSERT_EQ(s.tip_path.segments.size(), 3u);
  EXPECT_EQ(s.tip_path.segments[1].delta_W, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(s.tip_path.segments[2].center_W, Vec3(0.0, 0.0, 0.5));
  EXPECT_EQ(s.tip_path.segments[2].axis_W, Vec3::UnitY());
  EXPECT_EQ(s.tip_path.segments[2].turns, -0.5);
  EXPECT_EQ(s.tip_path.segments[2].duration_s, 4.0);

  ASSERT_EQ(s.events.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_LE(s.events[i - 1].at_s, s.events[i].at_s);
  EXPECT_EQ(s.events[0].kind, EventKind::kAttach);
  EXPECT_EQ(s.events[0].name, "log");
  EXPECT_EQ(s.events[0].target, "head");
  EXPECT_EQ(s.events[0].mass_kg, 300.0);
  EXPECT_EQ(s.events[0].com_B, Vec3(0.0, 0.0, -0.5));
  EXPECT_EQ(s.events[0].about_com(1, 1), 400.0);
  EXPECT_EQ(s.events[0].about_com(2, 1), 3.0);
  EXPECT_EQ(s.events[1].mode, JointMode::kVoltage);
  EXPECT_EQ(s.events[1].value, -1.5);
  EXPECT_EQ(s.events[2].mode, JointMode::kTrack);
  EXPECT_EQ(s.events[3].value, 1.5e7);
  EXPECT_EQ(s.events[4].kind, EventKind::kDetach);
  EXPECT_EQ(s.events[5].key, "kp");
  EXPECT_EQ(s.events[5].value, 80.0);
  EXPECT_EQ(s.events[5].target, "boom");
}

TEST(ScenarioFile, TickIsOneMillisecondUnlessSaid) {
  EXPECT_EQ(parse(replaced(kEverything, "tick_us = 500\n", "")).scenario.tick_s, 1e-3);
}

TEST(ScenarioFile, AnEventWithoutInertiaIsAPointMass) {
  const auto s =
      parse(replaced(kEverything, "inertia_kg_m2 = [10, 400, 400, 1, 2, 3]\n", "")).scenario;
  EXPECT_TRUE(s.events[0].about_com.isZero(0.0));
}

struct BadInput {
  const char* what;
  const char* from;
  const char* to;
  const char* fragment;
  const char* marker;
  int column;
};

std::ostream& operator<<(std::ostream& stream, const BadInput& input) {
  return stream << input.what;
}

class ScenarioFileErrors : public testing::TestWithParam<BadInput> {};

TEST_P(ScenarioFileErrors, AreToldWithTheirPlace) {
  const BadInput& input = GetParam();
  const std::string text = replaced(kEverything, input.from, input.to);
  ASSERT_FALSE(text.empty()) << input.from;
  const auto found = read(text);
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find(input.fragment), std::string::npos) << joined(found);
  EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
  EXPECT_EQ(found[0].column, input.column) << joined(found);
}

const BadInput kBadInputs[] = {
    {"UnknownKey", "duration_s", "durations_s",
     "has no key 'durations_s'; did you mean 'duration_s'?", "durations_s", 1},
    {"UnknownUnit", "port_b_bar", "port_b_psi",
     "'psi' is not a unit of 'port_b', which is a pressure", "port_b_psi", 1},
    {"NoMachine", "machine = \"harvester\"\n", "", "lacks 'machine'", "name = ", 1},
    {"NoDuration", "duration_s = 10", "duration_s = 0", "must be above 0 s", "duration_s = 0", 14},
    {"LongTick", "tick_us = 500", "tick_s = 1", "it must be at least 1e-05 s and at most 0.1 s",
     "tick_s = 1", 10},
    {"BothPorts", "port_b_MPa = 3", "port_b_MPa = 3\nport_a_MPa = 3",
     "gives the pressure of both ports", "port_b_MPa = 3", 14},
    {"BadMode", "mode = \"track\"", "mode = \"trak\"",
     "expected track, voltage, tip, torque, speed or spring; did you mean 'track'?",
     "mode = \"trak\"", 8},
    {"BadKind", "kind = \"sine\"", "kind = \"cosine\"", "'kind' is \"cosine\"; expected", "cosine",
     12},
    {"TrackInVolts", "value_rad = 0.1", "value_V = 0.1", "'V' is not a unit of 'value'",
     "value_V = 0.1", 20},
    {"MixedUnits", "value_rad = 0.1", "value_m = 0.1",
     "mix those of a turning and of a sliding joint", "value_m = 0.1", 30},
    {"EndBeforeStart", "start_s = 1, end_s = 3", "start_s = 3, end_s = 1",
     "'end' must come after 'start'", "start_s = 3, end_s = 1", 58},
    {"HoldOfNothing", "[initial.boom]\nposition_rad = 0.5\nport_b_MPa = 3\n", "",
     "keeps the initial position, but 'boom' has none", "{ kind = \"hold\" }", 3},
    {"TermsInTipMode", "mode = \"tip\"", "mode = \"tip\"\nterms = [{ kind = \"hold\" }]",
     "follows the tip path and has no terms", "terms = [{ kind = \"hold\" }]", 9},
    {"TwoPrograms", "name = \"stick\"\nmode = \"tip\"",
     "name = \"stick\"\nmode = \"tip\"\n\n[[joint]]\nname = \"stick\"\nmode = \"tip\"",
     "has two programs", "[[joint]]\nname = \"stick\"\nmode = \"tip\"\n\n[tip_path]", 1},
    {"CircleWithoutRadius", "center_m = [0, 0, 0.5]", "center_m = [0, 0.5, 0]",
     "the circle has no radius", "center_m = [0, 0.5, 0]", 12},
    {"CircleWithoutAxis", "axis = [0, 2, 0]", "axis = [0, 0, 0]", "the axis has no direction",
     "axis = [0, 0, 0]", 8},
    {"DetachOfNothing", "kind = \"detach\"\nat_s = 7", "kind = \"detach\"\nat_s = 0.5",
     "payload 'log' is not attached at 0.5 s", "name = \"log\"\n\n[[event]]", 8},
    {"EventTooLate", "at_s = 8", "at_s = 11",
     "the event comes at 11 s, after the scenario's end at 10 s", "at_s = 11", 8},
    {"PayloadInertia", "[10, 400, 400, 1, 2, 3]", "[10, 400, 900]",
     "the payload has an inertia no body can have", "[10, 400, 900]", 17},
    {"NoGain", "kp_V_per_rad = 80\n", "", "the event changes no gain", "[[event]]\nkind = \"gain\"",
     1},
    {"TwoGains", "kp_V_per_rad = 80", "kp_V_per_rad = 80\nki_V_per_rad_s = 1", "changes two gains",
     "ki_V_per_rad_s", 18},
    {"ValueOnTrack", "mode = \"track\"\n\n[[event]]", "mode = \"track\"\nvalue_V = 1\n\n[[event]]",
     "takes no 'value'", "value_V = 1\n", 11},
    {"InitialNotATable", "[initial.swing]\nposition_deg = 90\nport_b_bar = 50",
     "[initial]\nswing = 1", "'initial' holds one table for each joint", "swing = 1", 1},
};

INSTANTIATE_TEST_SUITE_P(OneChange, ScenarioFileErrors, testing::ValuesIn(kBadInputs),
                         [](const testing::TestParamInfo<BadInput>& info) {
                           return info.param.what;
                         });

TEST(ScenarioFile, TipPathAndTipModeBelongTogether) {
  EXPECT_NE(joined(read(replaced(kEverything, "mode = \"tip\"",
                                 "mode = \"track\"\nterms = [{ kind = \"hold\", value_rad = 0 }]")))
                .find("no joint follows the tip path"),
            std::string::npos);
  const std::string text(kEverything);
  const std::string without = text.substr(0, text.find("[tip_path]"));
  EXPECT_NE(joined(read(without)).find("but there is no tip path"), std::string::npos);
}

TEST(ScenarioFile, ReportsAllErrorsTogether) {
  std::string text = replaced(kEverything, "duration_s = 10", "duration_s = -10");
  text = replaced(text, "kind = \"sine\"", "kind = \"sinus\"");
  text = replaced(text, "mass_kg = 300", "mass_kg = 0");
  const auto found = read(text);
  ASSERT_EQ(found.size(), 3u) << joined(found);
  EXPECT_EQ(found[0].line, test::line_of(text, "duration_s"));
  EXPECT_EQ(found[1].line, test::line_of(text, "sinus"));
  EXPECT_EQ(found[2].line, test::line_of(text, "mass_kg"));
}

TEST(ScenarioFile, RefusesWhatIsNoFile) {
  const test::TemporaryFolder folder;
  EXPECT_NE(joined(faults([&] {
              io::read_scenario(folder.path());
            })).find("this is a directory; expected a scenario file"),
            std::string::npos);
  EXPECT_NE(joined(read("")).find("the file is empty; expected a scenario file"),
            std::string::npos);
}

TEST(ScenarioFile, TakesOverrides) {
  const auto s = parse(kEverything, {{"duration_s", "20"},
                                     {"joint.boom.terms.1.amplitude_rad", "0.2"},
                                     {"initial.boom.position_deg", "10"},
                                     {"event.0.at_s", "15"}})
                     .scenario;
  EXPECT_EQ(s.duration_s, 20.0);
  EXPECT_EQ(s.programs[1].signal.terms[1].value, 0.2);
  EXPECT_DOUBLE_EQ(s.initial[1].position, 10.0 * 3.14159265358979323846 / 180.0);
  EXPECT_EQ(s.events.back().at_s, 15.0);
  EXPECT_EQ(joined(read(kEverything, {{"joint.bom.mode", "track"}})),
            "override joint.bom.mode=track: 'joint' has no entry 'bom'; did you mean 'boom'?\n");
}

// --- CSV tables ---------------------------------------------------------------

std::string with_table(const std::string& term) {
  return replaced(kEverything, "{ kind = \"hold\", value_mV = 100 }", term);
}

TEST(ScenarioFile, ATableIsReadFromCsv) {
  const test::TemporaryFolder folder;
  folder.write("data/ramp.csv",
               "# measured\r\ntime, volts ,other\r\n0,1,9\r\n2,3,9\r\n\r\n4,-1,9\r\n");
  const auto file = folder.write(
      "s.toml", with_table("{ kind = \"table\", csv = \"data/ramp.csv\", time_column = \"time\", "
                           "value_column = \"volts\", scale_V = 2 }"));
  const io::ScenarioFile read = io::read_scenario(file);
  const command::Signal& signal = read.scenario.programs[0].signal;
  EXPECT_EQ(command::value(signal, 0.0), 2.0);
  EXPECT_EQ(command::value(signal, 0.5), 3.0);
  EXPECT_EQ(command::value(signal, 9.0), -2.0);
  // The table is content of the scenario.
  folder.write("data/ramp.csv", "time,volts\n0,1\n2,3\n4,-2\n");
  EXPECT_NE(io::read_scenario(file).hash, read.hash);
}

// 3 s of a table again and again; a pulse of a third of each period.
TEST(ScenarioFile, PulsesAndTablesMayRepeat) {
  const test::TemporaryFolder folder;
  folder.write("t.csv", "t_s,volts\n1,0\n2,4\n4,0\n");
  const auto signal = [&](const std::string& term) {
    const io::ScenarioFile file = io::read_scenario(folder.write("s.toml", with_table(term)));
    return command::Signal{{file.scenario.programs[0].signal.terms.front()}};
  };
  const std::string table =
      "{ kind = \"table\", csv = \"t.csv\", value_column = \"volts\", scale_V = 2";
  const command::Signal waves = signal(table + ", repeat_s = 3 }");
  const double duration =
      io::read_scenario(folder.write("s.toml", with_table(table + " }"))).scenario.duration_s;
  ASSERT_GT(duration, 7.0);
  for (const double t : {1.0, 1.25, 2.0, 3.0, 3.999}) {
    const double once = command::value(waves, t);
    EXPECT_NEAR(once, t <= 2.0 ? 8.0 * (t - 1.0) : 4.0 * (4.0 - t), 1e-12) << t;
    for (double later = t + 3.0; later <= duration; later += 3.0)
      EXPECT_NEAR(command::value(waves, later), once, 1e-9) << later;
  }
  EXPECT_EQ(command::value(waves, 0.0), 0.0);
  // A second of rest between the times, straight from the last row to the first of the next.
  EXPECT_NEAR(command::value(signal(table + ", repeat_s = 4 }"), 4.5), 0.0, 1e-12);

  const command::Signal pulses =
      signal("{ kind = \"pulse\", value_V = 3, start_s = 0.5, end_s = 1, repeat_s = 1.5 }");
  for (double t = 0.0; t < duration; t += 0.125) {
    const double phase = std::fmod(t - 0.5 + 1.5, 1.5);
    EXPECT_EQ(command::value(pulses, t), t >= 0.5 && phase < 0.5 ? 3.0 : 0.0) << t;
  }

  const auto refused = [&](const std::string& more) {
    return joined(faults([&] { signal(table + more); }));
  };
  EXPECT_NE(refused(", repeat_s = 2 }").find("one time takes 3 s"), std::string::npos);
  folder.write("t.csv", "t_s,volts\n1,0\n4,1\n");
  EXPECT_NE(refused(", repeat_s = 3 }").find("make 'repeat' longer than the table"),
            std::string::npos);
  EXPECT_NE(refused(", repeat_s = 1e-9 }").find("'repeat'"), std::string::npos);
  for (const char* term : {"{ kind = \"sine\", amplitude_V = 1, frequency_Hz = 1, repeat_s = 4 }",
                           "{ kind = \"hold\", value_V = 1, repeat_s = 4 }"})
    EXPECT_NE(joined(faults([&] { signal(term); })).find("has no key 'repeat_s'; it belongs to"),
              std::string::npos)
        << term;
}

TEST(ScenarioFile, TermsUnderAnotherKeyAreKnown) {
  const std::string text = joined(faults([] {
    io::read_scenario_text(
        "name = \"s\"\ndescription = \"d\"\nmachine = \"harvester\"\n"
        "duration_s = 1\n[[joint]]\nname = \"boom\"\nmode = \"track\"\n"
        "terms_mm = [1, 2]\n",
        "s.toml");
  }));
  EXPECT_NE(text.find("'terms_mm'; did you mean 'terms'?"), std::string::npos) << text;
}

TEST(ScenarioFile, WrongTablesAreRefused) {
  const test::TemporaryFolder folder;
  const auto file = folder.write(
      "s.toml",
      with_table("{ kind = \"table\", csv = \"t.csv\", value_column = \"v\", scale_V = 2 }"));
  const auto with = [&](const std::string& csv) {
    folder.write("t.csv", csv);
    return joined(faults([&] { io::read_scenario(file); }));
  };
  const std::string table = (folder.path() / "t.csv").string();
  EXPECT_NE(joined(faults([&] { io::read_scenario(file); })).find("there is no such file"),
            std::string::npos);
  EXPECT_EQ(with("t_s,v\n0,1\n1,2\n"), "");
  EXPECT_NE(with("t_s,w\n0,1\n").find("has no column 'v'; did you mean 'w'?"), std::string::npos);
  EXPECT_NE(with("t_s,v\n0,1\n0,2\n").find(table + ":3: the time 0 s does not come after 0 s"),
            std::string::npos);
  EXPECT_NE(with("t_s,v\n0,1\n1,x\n").find(table + ":3:3: column 'v': 'x' is not a number"),
            std::string::npos);
  EXPECT_NE(
      with("t_s,v\n0,1\n1\n").find(table + ":3:1: this line has 1 value, but there are 2 columns"),
      std::string::npos);
  EXPECT_NE(with("t_s,v\n0,nan\n").find("'nan' is not a finite number"), std::string::npos);
  EXPECT_NE(with("t_s,v\n").find("has no rows"), std::string::npos);
  EXPECT_NE(with("0,1\n1,2\n").find("is a number where a column name should be"),
            std::string::npos);
  EXPECT_NE(with("v,v\n1,2\n").find("there are two columns 'v'"), std::string::npos);
  EXPECT_NE(with("# only\n").find("there is no line of column names"), std::string::npos);
}

// --- Against a machine --------------------------------------------------------

const machine::MachineModel& harvester() {
  static const machine::MachineModel model =
      io::read_machine(config("machines/harvester/machine.toml")).model;
  return model;
}

std::vector<io::Diagnostic> check(const std::string& text) {
  const io::ScenarioFile file = parse(text);
  return io::check_against(file.scenario, harvester(), file.places);
}

TEST(ScenarioAgainstMachine, GoodOnesFit) { EXPECT_EQ(joined(check(kEverything)), ""); }

TEST(ScenarioAgainstMachine, MisfitsAreToldWithTheirPlace) {
  const BadInput inputs[] = {
      {"", "[initial.swing]", "[initial.swin]",
       "machine 'harvester' has no joint 'swin'; did you mean 'swing'?", "[initial.swin]", 0},
      {"", "name = \"stick\"", "name = \"stik\"", "has no joint 'stik'",
       "[[joint]]\nname = \"stik\"", 1},
      {"", "position_rad = 0.5", "position_rad = 1.5",
       "joint 'boom' starts at 1.5 rad, outside its limits -0.35 to 1.1", "[initial.boom]", 0},
      {"", "value_rad = 0.2", "value_rad = 2", "the reference of joint 'boom' is",
       "[[joint]]\nname = \"boom\"", 1},
      {"", "body = \"head\"", "body = \"haed\"", "has no body 'haed'; did you mean 'head'?",
       "body = \"haed\"", 0},
      {"", "joint = \"boom\"\nkp_V_per_rad", "joint = \"boom\"\nkp_V_per_m",
       "joint 'boom' turns, but its values are lengths", "joint = \"boom\"\nkp_V_per_m", 0},
  };
  for (const BadInput& input : inputs) {
    const std::string text = replaced(kEverything, input.from, input.to);
    ASSERT_FALSE(text.empty());
    const auto found = check(text);
    ASSERT_FALSE(found.empty()) << input.to;
    EXPECT_NE(joined(found).find(input.fragment), std::string::npos) << joined(found);
    EXPECT_EQ(found[0].file, "s.toml");
    EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
  }
}

// --- Bench ----------------------------------------------------------------------

const char kBench[] = R"(name = "rig"
machine = "harvester"
duration_s = 10

[bench]
actuator = "boom"
load_t = 3
slope_deg = 30
spring_kN_per_m = 2
spring_rest_mm = 1900
damping_N_s_per_m = 12

[bench.wall]
position_m = 2.2
stiffness_kN_per_mm = 1
damping_kN_s_per_m = 20

[bench.friction]
model = "stribeck"
coulomb_N = 300
static_N = 400
stribeck_speed_mm_per_s = 10

[bench.controller]
kp_V_per_m = 60
output_limit_V = 10

[[joint]]
name = "load"
mode = "track"
terms = [{ kind = "hold", value_m = 2.0 }]
)";

std::vector<io::Diagnostic> on_bench(const std::string& text) {
  std::vector<io::Diagnostic> found;
  const auto unread = faults([&] {
    io::ScenarioFile file = parse(text);
    machine::MachineModel model = harvester();
    found = io::put_on_bench(file, model);
    if (found.empty()) found = io::check_against(file.scenario, model, file.places);
  });
  return unread.empty() ? found : unread;
}

TEST(ScenarioBench, EveryKeyIsRead) {
  io::ScenarioFile file = parse(kBench);
  machine::MachineModel model = harvester();
  ASSERT_EQ(joined(io::put_on_bench(file, model)), "");
  EXPECT_EQ(joined(io::check_against(file.scenario, model, file.places)), "");
  ASSERT_EQ(model.joint_count(), 1);
  const multibody::Body& load = model.tree.body(0);
  EXPECT_EQ(load.inertia.mass, 3000.0);
  EXPECT_EQ(load.damping, 12.0);
  EXPECT_EQ(load.upper, 2.2);
  EXPECT_EQ(load.stop_stiffness, 1e6);
  EXPECT_EQ(load.stop_damping, 2e4);
  EXPECT_NEAR(model.tree.gravity_W.x(), -9.81 * 0.5, 1e-12);
  EXPECT_EQ(load.stiffness, 2000.0);
  EXPECT_EQ(load.rest, 1.9);
  EXPECT_EQ(model.joint_friction[0].F_s, 400.0);
  EXPECT_EQ(model.controllers[0].Kp, 60.0);
  EXPECT_EQ(model.actuators[0].circuit.A1, harvester().actuators[1].circuit.A1);
  ASSERT_EQ(file.scenario.initial.size(), 1u);
  const machine::EndStops& stops = model.actuators[0].stops;
  EXPECT_EQ(file.scenario.initial[0].position, 0.5 * (stops.x_min + stops.x_max));
}

TEST(ScenarioBench, WrongOnesAreToldWithTheirPlace) {
  const BadInput inputs[] = {
      {"", "actuator = \"boom\"", "actuator = \"bom\"", "has no actuator 'bom' to put on the bench",
       "[bench]", 0},
      {"", "load_t = 3", "load_kg_m2 = 3", "is a cylinder and slides its load", "[bench]", 0},
      {"", "load_t = 3\n", "", "the bench lacks 'load'", "[bench]", 0},
      {"", "slope_deg = 30", "slope_deg = 100", "'slope_deg' is 100", "slope_deg = 100", 0},
      {"", "spring_kN_per_m = 2\n", "", "the bench has no spring", "spring_rest_mm", 0},
      {"", "static_N = 400", "static_N = 200", "static friction below Coulomb", "static_N = 200",
       0},
      {"", "kp_V_per_m = 60", "kp_V_per_m = 0", "no gain to track with", "[[joint]]", 0},
      {"", "mode = \"track\"\nterms = [{ kind = \"hold\", value_m = 2.0 }]",
       "mode = \"torque\"\nterms = [{ kind = \"hold\", value_N_m = 2.0 }]",
       "joint 'load' slides; give its force in N", "[[joint]]", 0},
  };
  for (const BadInput& input : inputs) {
    std::string text = kBench;
    if (std::string_view(input.from).starts_with("load_t") && *input.to != '\0') {
      // In another unit the rest of the bench would be wrong as well.
      text =
          "name = \"rig\"\nmachine = \"harvester\"\nduration_s = 1\n[bench]\n"
          "actuator = \"boom\"\nload_t = 3\n";
    }
    text = replaced(text, input.from, input.to);
    ASSERT_FALSE(text.empty());
    const auto found = on_bench(text);
    ASSERT_EQ(found.size(), 1u) << input.to << "\n" << joined(found);
    EXPECT_NE(joined(found).find(input.fragment), std::string::npos) << joined(found);
    EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
  }
}

// Without an actuator no machine is needed; its loads are moved from outside.
TEST(ScenarioBench, NeedsNoMachineForFrictionAlone) {
  for (const char* name : {"hold", "shake", "break_away", "stick_slip"}) {
    io::ScenarioFile file =
        io::read_scenario(config(std::string("scenarios/friction_") + name + ".toml"));
    machine::MachineModel model;
    EXPECT_TRUE(file.scenario.machine.empty());
    EXPECT_EQ(joined(io::put_on_bench(file, model)), "");
    EXPECT_EQ(joined(io::check_against(file.scenario, model, file.places)), "");
    EXPECT_EQ(model.joint_friction[0].F_s, 400.0);
  }
}

TEST(ScenarioAgainstMachine, WorksWithoutPlaces) {
  const auto file = parse(replaced(kEverything, "name = \"stick\"", "name = \"stik\""));
  const auto found = io::check_against(file.scenario, harvester());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].file, "everything");
  EXPECT_EQ(found[0].line, 0);
}

}  // namespace
}  // namespace knuckleboom::scenario_file_test
