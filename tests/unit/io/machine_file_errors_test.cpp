// A wrong machine file is refused with the place and a sentence one can act on.

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/control/no_controller.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::machine_file_errors_test {
namespace {

using test::config;
using test::faults;
using test::joined;
using test::replaced;
using test::slurp;

const std::string& good() {
  static const std::string text = slurp(config("machines/harvester/machine.toml"));
  return text;
}

std::vector<io::Diagnostic> read(const std::string& text,
                                 const std::vector<io::Override>& overrides = {}) {
  return faults([&] { io::read_machine_text(text, "m.toml", overrides); });
}

// One change to the good file, what the message must say, and where it must point: at the line of
// `marker` in the changed text.
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

class MachineFileErrors : public testing::TestWithParam<BadInput> {};

TEST_P(MachineFileErrors, AreToldWithTheirPlace) {
  const BadInput& input = GetParam();
  const std::string text = replaced(good(), input.from, input.to);
  ASSERT_FALSE(text.empty()) << "the shipped file no longer has: " << input.from;
  const auto found = read(text);
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find(input.fragment), std::string::npos) << joined(found);
  EXPECT_EQ(found[0].file, "m.toml");
  EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
  EXPECT_EQ(found[0].column, input.column) << joined(found);
}

const char kBoomCylinder[] = "joint = \"boom\"\nkind = \"cylinder\"";

const BadInput kBadInputs[] = {
    {"UnknownKey", "gear_ratio", "gaer_ratio",
     "has no key 'gaer_ratio'; did you mean 'gear_ratio'?", "gaer_ratio", 1},
    {"UnknownKeyFarOff", "gear_ratio = 160", "gear_ratio = 160\ncolour = \"red\"",
     "has no key 'colour'; its keys are", "colour", 1},
    {"UnknownTable", "[supply]", "[hopper]\nfull = true\n\n[supply]", "has no key 'hopper'",
     "[hopper]", 2},
    {"UnknownUnit", "bore_mm = 140", "bore_inch = 5.5",
     "'inch' is not a unit of 'bore', which is a length; write bore_m, bore_cm or bore_mm",
     "bore_inch", 1},
    {"MisspeltUnknownUnit", "bore_mm = 140", "boer_inch = 5.5",
     "has no key 'boer_inch'; did you mean 'bore_m'?", "boer_inch", 1},
    {"WrongDimension", "pump_MPa = 20", "pump_mm = 20",
     "'mm' is not a unit of 'pump', which is a pressure", "pump_mm", 1},
    {"NoUnit", "pump_MPa = 20", "pump = 20", "'pump' needs its unit: write pump_Pa", "pump = 20",
     1},
    {"TwoUnits", "bore_mm = 140", "bore_mm = 140\nbore_m = 0.14",
     "gives 'bore' twice, as 'bore_mm' and as 'bore_m'", "bore_m = 0.14", 1},
    {"Missing", "gear_ratio = 160\n", "", "actuator 'swing' lacks 'gear_ratio'; add it",
     "[[actuator]]", 1},
    {"MissingQuantity", "rod_mm = 90\n", "",
     "lacks 'rod', a length; add it as rod_m, rod_cm or rod_mm", "[[actuator]]\njoint = \"boom\"",
     1},
    {"WrongType", "gear_ratio = 160", "gear_ratio = \"160\"",
     "'gear_ratio' must be a number, not a string", "gear_ratio", 14},
    {"WrongTypeOfText", "valve = \"main\"", "valve = 7",
     "'valve' must be the name of a valve or a table, not an integer", "valve = 7", 9},
    {"WrongTypeOfArray", "position_m = [0.35, 0, 1.9]", "position_m = [0.35, \"0\", 1.9]",
     "'position_m' must be a number in m, not a string", "position_m = [0.35", 21},
    {"WrongCount", "position_m = [0.35, 0, 1.9]", "position_m = [0.35, 1.9]",
     "'position_m' has 2 entries; expected 3 numbers", "position_m = [0.35", 14},
    {"BadSupplyKind", "pump_MPa = 20", "pump_MPa = 20\nkind = \"pomp\"",
     "expected constant or pump; did you mean 'pump'?", "kind = \"pomp", 8},
    {"PumpKeyOfAConstantSource", "pump_MPa = 20", "pump_MPa = 20\nstroke_time_ms = 80",
     "'supply' has no key 'stroke_time_ms'", "stroke_time_ms", 1},
    {"FlowsAndAPolynomial", "conductance_m3_per_s_sqrtPa = 3e-6\npolynomial",
     "flow_l_per_min = [[0, 0], [1, 100]]\nrated_drop_bar = 10\npolynomial",
     "gives flows and a 'polynomial'; keep one of them", "polynomial", 14},
    {"FlowsThatFall", "conductance_m3_per_s_sqrtPa = 3e-6\npolynomial = [0.6, 0.4]",
     "flow_l_per_min = [[0, 0], [0.5, 120], [1, 100]]\nrated_drop_bar = 10",
     "the curve of valve 'main' falls", "flow_l_per_min", 18},
    {"FlowsBeyondTheSpool", "conductance_m3_per_s_sqrtPa = 3e-6\npolynomial = [0.6, 0.4]",
     "flow_by_volt_l_per_min = [[0, 0], [10, 100]]\nrated_drop_bar = 10",
     "goes beyond the spool's 0.5 to 10 V", "flow_by_volt", 26},
    {"HoldingWithoutKind", "rod_mm = 90", "rod_mm = 90\nholding_a = { kind = \"counterbalanced\" }",
     "expected none, counterbalance or pilot_check; did you mean 'counterbalance'?", "holding_a",
     22},
    {"NotANumber", "gear_ratio = 160", "gear_ratio = nan",
     "'gear_ratio' is nan; it must be a finite number", "gear_ratio", 14},
    {"Infinite", "mass_kg = 1400", "mass_kg = inf", "'mass_kg' is inf", "mass_kg = inf", 11},
    {"Negative", "mass_kg = 1400", "mass_kg = -1400",
     "'mass_kg' is -1400; it must be at least 0 kg", "mass_kg = -1400", 11},
    {"OutOfRange", "min_conductance_ratio = 1e-4", "min_conductance_ratio = 2",
     "it must be above 0 and at most 0.1", "min_conductance_ratio", 25},
    {"BadChoice", "model = \"dynamic\"", "model = \"dinamic\"",
     "expected dynamic, quasi_static or orifice; did you mean 'dynamic'?", "dinamic", 9},
    {"RodThickerThanBore", "rod_mm = 90", "rod_mm = 150",
     "the rod of actuator 'boom' (150 mm) is not thinner than its bore (140 mm)", "rod_mm = 150",
     10},
    {"AreasAndBore", "bore_mm = 140\nrod_mm = 90",
     "area_a_cm2 = 150\narea_b_cm2 = 90\nbore_mm = 140", "gives areas and a 'bore'",
     "bore_mm = 140", 11},
    {"ImpossibleTriangle", "base_pin_m = [0.55, 0, -0.75]", "base_pin_m = [0, 0, 0]",
     "a pin lies on the joint axis", "", 0},
    {"DeadCentre", "rod_pin_m = [1.9, 0, 0.30]", "rod_pin_m = [0.3, 0, 1.9]",
     "impossible cylinder triangle within the joint range", "[[actuator]]\njoint = \"boom\"", 1},
    {"ImpossibleInertia", "inertia_kg_m2 = [90, 3200, 3200]", "inertia_kg_m2 = [90, 100, 3200]",
     "body 'boom' has an inertia no body can have", "inertia_kg_m2 = [90, 100", 17},
    {"InertiaWithoutMass", "mass_kg = 1400", "mass_kg = 0", "has an inertia but no mass",
     "mass_kg = 0", 11},
    {"EndlessAngle", "position_m = [0.35, 0, 1.9]",
     "rpy_rad = [0, 1e300, 0]\nposition_m = [0.35, 0, 1.9]", "it must be at least -1000000 rad",
     "rpy_rad = [0, 1e300", 15},
    {"FourInertias", "inertia_kg_m2 = [90, 3200, 3200]", "inertia_kg_m2 = [90, 3200, 3200, 1]",
     "'inertia' has 4 entries; expected [xx, yy, zz] or", "inertia_kg_m2 = [90", 17},
    {"CyclicTree", "parent = \"swing_structure\"", "parent = \"head\"", "is its own ancestor", "",
     0},
    {"OwnParent", "parent = \"stick\"", "parent = \"head\"", "body 'head' is its own ancestor",
     "parent = \"head\"", 10},
    {"UnknownParent", "parent = \"boom\"", "parent = \"bom\"",
     "has the parent 'bom', which does not exist; did you mean 'boom'?", "parent = \"bom\"", 10},
    {"TwoBodies", "name = \"head\"", "name = \"boom\"", "there are two bodies called 'boom'",
     "[[body]]\nname = \"boom\"\nparent = \"stick\"", 1},
    {"TwoJoints", "{ name = \"stick\"", "{ name = \"boom\"", "there are two joints called 'boom'",
     "", 0},
    {"BodyCalledBase", "name = \"head\"", "name = \"base\"", "no body may be called 'base'", "", 0},
    {"BadName", "name = \"head\"", "name = \"the head\"", "a name starts with a letter", "the head",
     8},
    {"ZeroAxis", "axis = [0, 0, 1]", "axis = [0, 0, 0]", "'axis' of joint 'swing' has no direction",
     "axis = [0, 0, 0]", 53},
    {"LimitsExchanged", "lower_rad = -0.35, upper_rad = 1.10",
     "lower_rad = 1.10, upper_rad = -0.35",
     "the lower limit of joint 'boom' (1.1) is not below the upper (-0.35)", "lower_rad = 1.10",
     76},
    {"OneLimit", ", upper_rad = 1.10", "", "joint 'boom' has only one limit", "lower_rad = -0.35",
     76},
    {"TwoActuators", kBoomCylinder, "joint = \"stick\"\nname = \"boom\"\nkind = \"cylinder\"", "",
     "", 0},
    {"UnknownJoint", "[[controller]]\njoint = \"boom\"", "[[controller]]\njoint = \"boon\"",
     "names the joint 'boon', which does not exist; did you mean 'boom'?", "", 0},
    {"UnknownValve", "valve = \"main\"", "valve = \"man\"",
     "names the valve 'man', which does not exist; did you mean 'main'?", "valve = \"man\"", 9},
    {"UnusedValve", "[protection]",
     "[valve.spare]\noverlap_V = 0.5\nfull_V = 10\n"
     "conductance_m3_per_s_sqrtPa = 1e-6\npolynomial = [1]\nmin_conductance_ratio = "
     "1e-4\n\n[protection]",
     "valve 'spare' is used by no actuator", "[valve.spare]", 8},
    {"OpenWithinOverlap", "full_V = 10", "full_V = 0.4", "within its overlap", "full_V = 0.4", 10},
    {"FallingCurve", "polynomial = [0.6, 0.4]", "polynomial = [1, -0.9]",
     "it must rise from 0 to 1", "polynomial = [1", 14},
    {"MotorOnWrongUnit", "resistance_kg_per_m4_s = 2e8", "resistance_kg_per_m7 = 2e8",
     "is not a unit of 'resistance', which is a linear flow resistance",
     "resistance_kg_per_m7 = 2e8", 72},
    {"TipOnNothing", "[tip]\nbody = \"stick\"", "[tip]\nbody = \"stik\"",
     "which does not exist; did you mean 'stick'?", "body = \"stik\"", 8},
    {"NoSource",
     "source = \"representative of a 20 t class harvester; not identified from one machine\"\n", "",
     "has no source", "", 0},
    {"SourceOfNothing", "  mass_kg = \"representative; without",
     "  mas_kg = \"representative; without",
     "'sources' names 'mas_kg', which this table does not have; did you mean 'mass_kg'?",
     "  mas_kg", 3},
    {"EmptySource", "source = \"representative of a 20 t", "source = \"\" # ",
     "'source' must be a string", "", 0},
    {"SyntaxError", "mass_kg = 1400", "mass_kg = = 1400", "not valid TOML", "mass_kg = = 1400", 0},
    {"KeyTwice", "mass_kg = 1400", "mass_kg = 1400\nmass_kg = 1400", "not valid TOML",
     "mass_kg = 1400\nmass_kg = 1400", 0},
    {"CushionsOverlap", "cushion_mm = 60", "cushion_mm = 900", "the two cushions overlap",
     "[[actuator]]\njoint = \"boom\"", 1},
};

// Only those with an exact place; the others are below.
std::vector<BadInput> placed() {
  std::vector<BadInput> list;
  for (const BadInput& input : kBadInputs)
    if (input.column > 0) list.push_back(input);
  return list;
}

std::vector<BadInput> unplaced() {
  std::vector<BadInput> list;
  for (const BadInput& input : kBadInputs)
    if (input.column == 0) list.push_back(input);
  return list;
}

std::string name_of(const testing::TestParamInfo<BadInput>& info) { return info.param.what; }

INSTANTIATE_TEST_SUITE_P(OneChange, MachineFileErrors, testing::ValuesIn(placed()), name_of);

class MachineFileFaults : public testing::TestWithParam<BadInput> {};

// One mistake may break several things: one of the messages must name it, and all point into the
// file.
TEST_P(MachineFileFaults, AreTold) {
  const BadInput& input = GetParam();
  const std::string text = replaced(good(), input.from, input.to);
  ASSERT_FALSE(text.empty()) << "the shipped file no longer has: " << input.from;
  const auto found = read(text);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(joined(found).find(input.fragment), std::string::npos) << joined(found);
  for (const io::Diagnostic& diagnostic : found) {
    EXPECT_GT(diagnostic.line, 0) << joined(found);
    EXPECT_GT(diagnostic.column, 0) << joined(found);
  }
}

INSTANTIATE_TEST_SUITE_P(OneChange, MachineFileFaults, testing::ValuesIn(unplaced()), name_of);

TEST(MachineFile, ReportsAllErrorsTogetherInOrder) {
  std::string text = replaced(good(), "pump_MPa = 20", "pump_MPa = -20");
  text = replaced(text, "rod_mm = 90", "rod_mm = 150");
  text = replaced(text, "kp_V_per_rad = 40", "kq_V_per_rad = 40");
  const auto found = read(text);
  ASSERT_EQ(found.size(), 3u) << joined(found);
  EXPECT_EQ(found[0].line, test::line_of(text, "pump_MPa"));
  EXPECT_EQ(found[1].line, test::line_of(text, "rod_mm = 150"));
  EXPECT_EQ(found[2].line, test::line_of(text, "kq_V_per_rad"));
  try {
    io::read_machine_text(text, "m.toml");
    FAIL();
  } catch (const io::FileError& error) {
    const std::string what = error.what();
    EXPECT_EQ(std::count(what.begin(), what.end(), '\n'), 2);
    EXPECT_EQ(what.find("m.toml:"), 0u);
  }
}

// One change to the machine that has everything around its joints, and what must be said of it.
// An [oil] table changes what lines and cylinders need; its user added nothing else.
TEST(MachineFile, SaysThatTheOilAsksForVolumes) {
  const auto found =
      read(replaced(good(), "\n[supply]", "\n[oil]\nbulk_modulus_MPa = 1200\n\n[supply]"));
  const std::string text = joined(found);
  const auto times = [&text](std::string_view words) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(
      times("line_a' of actuator 'boom' gives a capacitance, but since there is an [oil] table"),
      1);
  EXPECT_EQ(times("write hose_length and hose_bore"), 6);
  EXPECT_EQ(times("closed_length_mm, since there is an [oil] table"), 2);
  EXPECT_EQ(times("has no key 'capacitance"), 0);
  EXPECT_EQ(times("lacks 'hose_volume'"), 0);
}

TEST(MachineFile, GrappleShapesAndStopsAreChecked) {
  const std::filesystem::path path = config("machines/harvester_grapple/machine.toml");
  const struct {
    io::Override change;
    const char* words;
  } cases[] = {
      {{"grapple.log_axis", "[1, 1, 0]"},
       "'log_axis' and 'open_axis' of the grapple are not at right angles"},
      {{"grapple.reach_axis", "[0, 1, 0]"},
       "'open_axis' and 'reach_axis' of the grapple are not at right angles"},
      {{"grapple.reach_axis", "[0, 0, 0]"}, "'reach_axis' of the grapple has no direction"},
      {{"grapple.body", "grappel"}, "is on body 'grappel', which does not exist; did you mean"},
      {{"grapple.body", "base"}, "is on body 'base', which does not exist"},
      {{"grapple.jaw_length_m", "0.1"}, "the jaws cannot meet"},
      {{"grapple.opening_m", "2"}, "open to 1.715 m at most, not to 2 m"},
      {{"grapple.tine_radius_mm", "0"}, "'tine_radius_mm' is 0; it must be above 0"},
      {{"grapple.closing_time_s", "0"}, "'closing_time_s' is 0"},
      {{"grapple.grip_force_kN", "-1"}, "'grip_force_kN' is -1; it must be above 0"},
      {{"shape.cab.radius_m", "0"}, "'radius_m' is 0; it must be above 0"},
      {{"shape.cab.body", "cabin"}, "shape 'cab' is on body 'cabin', which does not exist"},
      {{"shape.cab.role", "roof"}, "'role' is \"roof\""},
      {{"shape.cab.name", "tower"}, "there are two shapes called 'tower'; rename one"},
      {{"body.head_link.joint.stop_stiffness_N_m_per_rad", "0"}, "it must be above 0"},
      {{"body.head_link.joint.stop_damping_N_m_s_per_rad", "-1"}, "at least 0"},
      {{"body.grapple.joint.stop_stiffness_N_m_per_rad", "1e4"},
       "the stops of joint 'rotator' have no place: give it 'lower' and 'upper'"},
      {{"body.boom.joint.stop_damping_N_m_s_per_rad", "10"},
       "the stops of joint 'boom' have a damping only; give 'stop_stiffness' too"},
  };
  for (const auto& c : cases) {
    const auto found = faults([&] { io::read_machine(path, std::vector{c.change}); });
    EXPECT_EQ(found.size(), 1u) << joined(found);
    EXPECT_NE(joined(found).find(c.words), std::string::npos) << c.words << "\n" << joined(found);
  }
}

TEST(MachineFile, ShapesLeaveRoomForTheGrapple) {
  std::string text = slurp(config("machines/harvester_grapple/machine.toml"));
  for (int i = 0; i < 43; ++i)
    text += "\n[[shape]]\nname = \"more" + std::to_string(i) +
            "\"\nbody = \"boom\"\nrole = \"boom\"\nfrom_m = [0, 0, 0]\nto_m = [1, 0, 0]\n"
            "radius_m = 0.1\n";
  const std::string file = config("machines/harvester_grapple/machine.toml");
  const auto found = faults([&] { io::read_machine_text(text, file); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_EQ(found[0].message, "there are 54 shapes; a machine has at most 53 beside a grapple");
}

TEST(MachineFile, MeshesStayBelowTheirFolder) {
  for (const char* mesh : {"/etc/passwd", "../secret.obj"}) {
    const auto found = read(good() + "\n[[visual]]\nbody = \"boom\"\nmesh = \"" + mesh + "\"\n");
    ASSERT_EQ(found.size(), 1u) << joined(found);
    EXPECT_NE(found[0].message.find("give a file below assets/meshes"), std::string::npos);
  }
}

TEST(MachineFile, TwoActuatorsOnAJointAreRefusedByName) {
  const std::string text =
      replaced(good(), kBoomCylinder, "name = \"second\"\njoint = \"stick\"\nkind = \"cylinder\"");
  const auto found = read(text);
  EXPECT_NE(joined(found).find("joint 'stick' has two actuators, this one and that of line"),
            std::string::npos)
      << joined(found);
}

TEST(MachineFile, SaysWhatKindOfFileItWants) {
  EXPECT_EQ(joined(read("")), "m.toml: the file is empty; expected a machine file\n");
  EXPECT_EQ(joined(read(" \n\t\n")), "m.toml: the file is empty; expected a machine file\n");
  EXPECT_EQ(joined(read(std::string("a = 1\n\0b", 8))),
            "m.toml: this is a binary file (NUL byte in line 2); expected a machine file\n");
  EXPECT_EQ(joined(read("a = 1\n\xc3\xa4 \xff\n")),
            "m.toml:2:3: this byte is not UTF-8 text; save the file as UTF-8\n");
  EXPECT_NE(joined(read(std::string(std::size_t{9} << 20, '#'))).find("larger than 8 MiB"),
            std::string::npos);
}

TEST(MachineFile, RefusesWhatIsNoFile) {
  const test::TemporaryFolder folder;
  const auto of = [](const std::filesystem::path& path) {
    return joined(faults([&] { io::read_machine(path); }));
  };
  EXPECT_NE(of(folder.path()).find("this is a directory; expected a machine file"),
            std::string::npos);
  EXPECT_NE(of(folder.path() / "none.toml").find("there is no such file"), std::string::npos);
  EXPECT_NE(of("/dev/zero").find("not a regular file"), std::string::npos);
  EXPECT_NE(of(folder.write("empty.toml", "")).find("the file is empty"), std::string::npos);
  const auto closed = folder.write("closed.toml", good());
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  // Root may read everything.
  if (::geteuid() != 0) {
    EXPECT_NE(of(closed).find("cannot be read"), std::string::npos);
  }
}

TEST(MachineFile, TextOutsideAsciiIsKept) {
  const std::string text =
      "\xEF\xBB\xBF" + replaced(good(), "\"Harvester crane", "\"Fällkran, 10 € \U0001F332, crane");
  const auto model = io::read_machine_text(text, "m.toml").model;
  EXPECT_EQ(model.description.find("Fällkran, 10 € \U0001F332, crane with"), 0u);
  // It counts by characters, not by bytes, and may stand in strings and comments only.
  EXPECT_EQ(joined(read("# é\nname = { é = 1 }\n")).find("m.toml:2:10: not valid TOML"), 0u);
}

TEST(MachineFile, MalformedHeadersAreSyntaxErrors) {
  for (const char* text : {"[=]", "[.a]", "[a.=]", "[*[b]]", "[", "[]", "= 1", "\u0452 = 1"})
    EXPECT_NE(joined(read(text)).find("not valid TOML"), std::string::npos) << text;
}

TEST(MachineFile, RefusesDeepNesting) {
  EXPECT_NE(joined(read("a = " + std::string(5000, '['))).find("nested deeper"), std::string::npos);
  std::string dotted = "a";
  for (int i = 0; i < 5000; ++i) dotted += ".a";
  EXPECT_NE(joined(read(dotted + " = 1")).find("nested deeper"), std::string::npos);
  EXPECT_NE(joined(read("x = [ \"\"\"\n\"\"\", {" + dotted + " = 1}]")).find("nested deeper"),
            std::string::npos);
  // Dots in texts and comments do not count.
  const std::string dots(200, '.');
  EXPECT_TRUE(
      read("# " + dots + "\n" + replaced(good(), "\"Harvester crane", "\"" + dots)).empty());
}

TEST(MachineFile, BodiesMayComeInAnyOrder) {
  // The head, which hangs on the stick, moves to the front.
  std::string text = good();
  const std::size_t begin = text.find("[[body]]\nname = \"head\"");
  const std::size_t end = text.find("[tip]");
  const std::string head = text.substr(begin, end - begin);
  text.erase(begin, end - begin);
  text.insert(text.find("[[body]]"), head);
  const machine::MachineModel model = io::read_machine_text(text, "m.toml").model;
  EXPECT_EQ(model.tree.body_count(), 4);
  EXPECT_EQ(model.tree.body(3).name, "head");
  EXPECT_EQ(model.joint_name(2), "stick");
}

// --- Bases --------------------------------------------------------------------

TEST(MachineFile, ErrorsPointIntoTheFileThatHasThem) {
  const test::TemporaryFolder folder;
  folder.write("base/machine.toml", replaced(good(), "rod_mm = 90", "rod_mm = 150"));
  const auto own = folder.write("own/machine.toml",
                                "base = \"../base/machine.toml\"\nname = \"own\"\n[supply]\n"
                                "pump_bar = -1\nsource = \"test\"\n");
  const auto found = faults([&] { io::read_machine(own); });
  ASSERT_EQ(found.size(), 2u) << joined(found);
  EXPECT_EQ(found[0].file, own.string());
  EXPECT_EQ(found[0].line, 4);
  EXPECT_EQ(found[1].file, (folder.path() / "base/machine.toml").string());
  EXPECT_NE(found[1].message.find("the rod of actuator 'boom'"), std::string::npos);
}

TEST(MachineFile, ABaseIsChangedWhereTheFileSaysSo) {
  const test::TemporaryFolder folder;
  folder.write("base/machine.toml", good());
  const auto own = folder.write("own/machine.toml", R"(
base = "../base/machine.toml"
name = "own"
source = "test"
[[actuator]]
joint = "boom"
bore_m = 0.15
[[body]]
name = "load"
parent = "stick"
position_m = [3.2, 0, 0]
mass_kg = 100
com_m = [0, 0, -1]
inertia_kg_m2 = [1, 1, 1]
)");
  const machine::MachineModel model = io::read_machine(own).model;
  EXPECT_EQ(model.name, "own");
  EXPECT_NEAR(model.actuators[1].circuit.A1, 3.14159265358979 / 4.0 * 0.15 * 0.15, 1e-12);
  EXPECT_EQ(model.tree.body_count(), 5);
  EXPECT_EQ(model.tree.body(4).name, "load");
  std::string bore_source;
  for (const machine::Source& source : model.sources)
    if (source.key == "actuator.boom.bore_m") bore_source = source.source;
  EXPECT_EQ(bore_source, "test");
}

TEST(MachineFile, NumbersOfAFileWithABaseNeedTheirOwnSource) {
  const test::TemporaryFolder folder;
  folder.write("base.toml", good());
  const auto own = folder.write("own.toml", "base = \"base.toml\"\n[supply]\npump_bar = 210\n");
  const auto found = faults([&] { io::read_machine(own); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find("'supply.pump_bar' has no source"), std::string::npos);
  EXPECT_EQ(found[0].line, 3);
}

// A key that the base's own choice needed is left out in silence; a key too many of the file itself is a mistake.
TEST(MachineFile, AFileMayChooseOtherThanItsBase) {
  const io::MachineFile sharing =
      io::read_machine(test::config("machines/forwarder_sharing/machine.toml"));
  EXPECT_TRUE(sharing.remarks.empty()) << joined(sharing.remarks);
  for (const machine::Actuator& actuator : sharing.model.actuators) {
    const hydraulics::Compensator& compensator = actuator.circuit.valve.compensator;
    EXPECT_EQ(compensator.kind, hydraulics::CompensatorKind::kFlowSharing);
    EXPECT_EQ(compensator.margin_Pa, 0.0);
    EXPECT_EQ(compensator.lag_s, 0.01);
  }
  const test::TemporaryFolder folder;
  const std::string base =
      "base = '" + test::config("machines/forwarder_sharing/machine.toml").string() + "'\n";
  const auto own = folder.write(
      "own.toml", base + "[valve.lift]\ncompensator = { margin_bar = 10 }\nsource = 'own'\n");
  const auto found = faults([&] { io::read_machine(own); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find("it belongs to upstream"), std::string::npos) << joined(found);
}

TEST(MachineFile, ACylinderAlongASlideCountsFromTheJoint) {
  const std::filesystem::path forwarder = test::config("machines/forwarder/machine.toml");
  EXPECT_TRUE(io::read_machine(forwarder).remarks.empty());
  const std::vector<io::Override> as_pinned = {{"actuator.extension.closed_length_m", "2"}};
  EXPECT_NE(joined(io::read_machine(forwarder, as_pinned).remarks)
                .find("slides from 0 to 1.85 m, but its rod is in at 2 m and out at 3.85 m"),
            std::string::npos);
}

TEST(MachineFile, AMissingOrCircularBaseIsRefused) {
  const test::TemporaryFolder folder;
  const auto missing = folder.write("missing.toml", "base = \"none.toml\"\n");
  EXPECT_NE(joined(faults([&] { io::read_machine(missing); })).find("the base cannot be used"),
            std::string::npos);
  const auto circle = folder.write("circle.toml", "base = \"circle.toml\"\n");
  EXPECT_NE(joined(faults([&] { io::read_machine(circle); })).find("runs in a circle"),
            std::string::npos);
}

// --- Overrides ----------------------------------------------------------------

// A key that another word leaves idle is a remark on that word; one too many in a file is a mistake.
TEST(MachineFile, AnotherChoiceLeavesKeysIdle) {
  const std::filesystem::path forwarder = test::config("machines/forwarder/machine.toml");
  const std::vector<io::Override> fixed = {{"supply.control", "\"fixed\""}};
  const io::MachineFile file = io::read_machine(forwarder, fixed);
  EXPECT_EQ(file.model.supply.pump.control, hydraulics::PumpControl::kFixed);
  const std::string remarks = joined(file.remarks);
  EXPECT_NE(remarks.find("override supply.control=\"fixed\": 'margin_bar', 'standby_bar', "),
            std::string::npos)
      << remarks;
  EXPECT_NE(remarks.find("of 'supply' no longer apply"), std::string::npos) << remarks;
  const std::vector<io::Override> both = {{"supply.control", "\"fixed\""},
                                          {"supply.margin_bar", "20"}};
  EXPECT_NE(
      joined(faults([&] { io::read_machine(forwarder, both); })).find("it belongs to load_sensing"),
      std::string::npos);
  EXPECT_NE(joined(faults([&] {
              io::read_machine_text(replaced(slurp(forwarder), "\"load_sensing\"", "\"fixed\""),
                                    "m.toml");
            })).find("it belongs to load_sensing"),
            std::string::npos);
}

// Driven by logs or voltages alone, a machine needs neither controllers nor a tip nor the paper's closed valve.
TEST(MachineFile, NeedsNoControllerTipOrClosedValve) {
  std::string text = good();
  const auto cut = [&text](std::string_view from, std::string_view to) {
    const std::size_t begin = text.find(from), end = text.find(to, begin + 1);
    ASSERT_NE(begin, std::string::npos) << from;
    text.erase(begin, end == std::string::npos ? end : end - begin);
  };
  cut("[tip]", "\n[");
  cut("[closed_valve]", "\n[");
  for (int i = 0; i < 3; ++i) cut("[[controller]]", "\n[[");
  const machine::MachineModel m = io::read_machine_text(text, "m.toml").model;
  const machine::MachineModel whole = io::read_machine_text(good(), "m.toml").model;
  ASSERT_EQ(m.controllers.size(), 3u);
  EXPECT_TRUE(control::is_none(m.controllers[1]));
  EXPECT_FALSE(control::is_none(whole.controllers[1]));
  EXPECT_EQ(m.closed_valve, machine::ClosedValveModel::kDynamic);
  EXPECT_EQ(m.tau_Q, 0.01);
  EXPECT_EQ(m.tree.body(m.tip_body).name, "head");
  EXPECT_EQ(m.actuators.size(), whole.actuators.size());
  // A scenario that asks for one says so.
  const io::ScenarioFile sine = io::read_scenario(config("scenarios/stick_sine.toml"));
  EXPECT_EQ(joined(io::check_against(sine.scenario, whole, sine.places)), "");
  EXPECT_NE(joined(io::check_against(sine.scenario, m, sine.places))
                .find("joint 'stick' of machine 'harvester' has no controller to follow this with"),
            std::string::npos);
}

TEST(MachineFile, OverridesReplaceAndAdd) {
  const std::vector<io::Override> overrides = {{"controller.stick.kp_V_per_rad", "80"},
                                               {"supply.pump_bar", "180"},
                                               {"body.boom.position_m.0", "0.4"},
                                               {"joint.stick.upper_rad", "-0.6"},
                                               {"closed_valve.model", "quasi_static"},
                                               {"valve.main.spool_time_constant_ms", "20"},
                                               {"protection.enabled", "false"},
                                               {"actuator.2.rod_mm", "70"},
                                               {"actuator.boom.protection.enabled", "true"}};
  const machine::MachineModel m = io::read_machine_text(good(), "m.toml", overrides).model;
  EXPECT_EQ(m.controllers[2].Kp, 80.0);
  EXPECT_EQ(m.controllers[1].Kp, 40.0);
  EXPECT_EQ(m.supply.pump_Pa, 180e5);
  EXPECT_EQ(m.tree.body(1).in_parent.p.x(), 0.4);
  EXPECT_EQ(m.tree.body(2).upper, -0.6);
  EXPECT_EQ(m.closed_valve, machine::ClosedValveModel::kQuasiStatic);
  EXPECT_EQ(m.actuators[0].circuit.valve.spool_time_constant_s, 0.02);
  EXPECT_FALSE(m.actuators[0].circuit.protection.enabled);
  EXPECT_TRUE(m.actuators[1].circuit.protection.enabled);
  EXPECT_NEAR(m.actuators[2].circuit.A2, 3.14159265358979 / 4.0 * (0.125 * 0.125 - 0.07 * 0.07),
              1e-12);
}

TEST(MachineFile, AnotherWayToSayItReplacesTheFirst) {
  const std::vector<io::Override> overrides = {{"valve.main.table", "[[0, 0], [1, 1]]"},
                                               {"actuator.boom.area_a_cm2", "150"},
                                               {"actuator.boom.area_b_cm2", "90"}};
  const machine::MachineModel m = io::read_machine_text(good(), "m.toml", overrides).model;
  EXPECT_EQ(m.actuators[0].circuit.valve.edge[0].table.x.size(), 2u);
  EXPECT_EQ(m.actuators[1].circuit.A1, 0.015);
  // In one and the same table they are still a contradiction.
  const std::string both = replaced(good(), "polynomial", "table = [[0, 0], [1, 1]]\npolynomial");
  EXPECT_NE(joined(read(both)).find("has a 'polynomial' and a 'table'"), std::string::npos);
}

TEST(MachineFile, WrongOverridesAreToldByTheirText) {
  const auto of = [](const std::string& key, const std::string& value) {
    return joined(read(good(), {{key, value}}));
  };
  EXPECT_EQ(
      of("controller.stik.kp_V_per_rad", "80"),
      "override controller.stik.kp_V_per_rad=80: 'controller' has no entry 'stik'; did you mean "
      "'stick'?\n");
  EXPECT_NE(of("controler.stick", "80").find("has no key 'controler'; did you mean 'controller'?"),
            std::string::npos);
  EXPECT_NE(of("supply.pump_inch", "80").find("is not a unit of 'pump'"), std::string::npos);
  EXPECT_NE(of("supply.pump_bar", "many").find("must be a number in bar, not a string"),
            std::string::npos);
  EXPECT_NE(of("supply.pump_bar", "nan").find("must be a finite number"), std::string::npos);
  EXPECT_NE(of("joint.elbow.upper_rad", "1")
                .find("there is no joint 'elbow'; there are swing, boom and stick"),
            std::string::npos);
  EXPECT_NE(of("actuator.7.rod_mm", "1").find("has 3 entries, so there is no entry 7"),
            std::string::npos);
  EXPECT_NE(of("supply..pump_bar", "1").find("is not a path"), std::string::npos);
  EXPECT_NE(of("", "1").find("is not a path"), std::string::npos);
  EXPECT_NE(of("name.first", "x").find("what holds it is a string"), std::string::npos);
  EXPECT_NE(of("supply.pump_MPa.a.b", "x")
                .find("'supply.pump_MPa' is an integer, so there is no 'a' in it"),
            std::string::npos);
  EXPECT_NE(of("joint.stick", "1").find("is a table; name the key"), std::string::npos);
}

TEST(MachineFile, OverridesChangeTheHash) {
  const std::vector<io::Override> one = {{"supply.pump_bar", "200"}};
  const auto plain = io::read_machine_text(good(), "m.toml").hash;
  EXPECT_NE(io::read_machine_text(good(), "m.toml", one).hash, plain);
  EXPECT_EQ(io::read_machine_text(good(), "other.toml").hash, plain);
  EXPECT_NE(io::read_machine_text(good() + "\n", "m.toml").hash, plain);
  // The line that says what a machine is for leaves recordings, states and bundles valid.
  const std::size_t at = good().find("purpose = ");
  ASSERT_NE(at, std::string::npos);
  const std::size_t end = good().find('\n', at) + 1;
  const std::string before = good().substr(0, at), after = good().substr(end);
  EXPECT_EQ(io::read_machine_text(before + after, "m.toml").hash, plain);
  const io::MachineFile told =
      io::read_machine_text(before + "purpose = \"for tests\"\n" + after, "m.toml");
  EXPECT_EQ(told.hash, plain);
  EXPECT_EQ(io::purpose_sentence(told), "harvester is for tests");
  EXPECT_NE(io::read_machine_text(before + "# purpose = \"for tests\"\n" + after, "m.toml").hash,
            plain);
}

TEST(Override, IsSplitAtTheFirstEqualsSign) {
  const io::Override o = io::parse_override(" supply.pump_bar = 180 ");
  EXPECT_EQ(o.key, "supply.pump_bar");
  EXPECT_EQ(o.value, "180");
  EXPECT_EQ(io::parse_override("a=b=c").value, "b=c");
  EXPECT_THROW(io::parse_override("a"), io::FileError);
  EXPECT_THROW(io::parse_override("=a"), io::FileError);
}

}  // namespace
}  // namespace knuckleboom::machine_file_errors_test
