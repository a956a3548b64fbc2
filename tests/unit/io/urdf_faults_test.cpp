// Each fault of a URDF is refused with its line and a sentence one can act on.

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::urdf_faults_test {
namespace {

using test::faults;
using test::joined;
using test::replaced;

constexpr const char* kToml = R"(name = "arm"
urdf = "arm.urdf"
gravity_m_per_s2 = 9.81
source = "test"
[tip]
body = "lower"
position_m = [0.5, 0, 0]
)";

constexpr const char* kUrdf = R"(<robot name="arm">
  <link name="foot"/>
  <link name="upper">
    <inertial>
      <mass value="3"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.2"/>
    </inertial>
  </link>
  <link name="lower">
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <inertial>
      <origin xyz="0.2 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1"/>
    </inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="foot"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0.8 0 0"/>
    <parent link="upper"/>
    <child link="lower"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2"/>
  </joint>
</robot>
)";

std::vector<io::Diagnostic> read(const std::string& urdf, const std::string& toml = kToml) {
  return faults([&] { io::read_machine_texts(toml, "m/machine.toml", {{"m/arm.urdf", urdf}}); });
}

std::string machine_with(const char* tables) {
  std::string text = kToml;
  text.append(tables);
  return text;
}

TEST(UrdfFaults, TheTextOfTheseTestsHasNone) { EXPECT_EQ(joined(read(kUrdf)), ""); }

// One change, what the message must say, and the line it must point to: that of `marker`.
struct BadUrdf {
  const char* what;
  const char* from;
  const char* to;
  const char* fragment;
  const char* marker;
};

std::ostream& operator<<(std::ostream& stream, const BadUrdf& input) {
  return stream << input.what;
}

class UrdfFaultsAre : public testing::TestWithParam<BadUrdf> {};

TEST_P(UrdfFaultsAre, ToldWithTheirLine) {
  const BadUrdf& input = GetParam();
  const std::string urdf = replaced(kUrdf, input.from, input.to);
  ASSERT_FALSE(urdf.empty());
  const auto found = read(urdf);
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find(input.fragment), std::string::npos) << joined(found);
  EXPECT_EQ(found[0].file, "m/arm.urdf");
  EXPECT_EQ(found[0].line, test::line_of(urdf, input.marker)) << joined(found);
}

const BadUrdf kBadUrdfs[] = {
    {"NotClosed", "  </link>\n  <link name=\"lower\">", "  <link name=\"lower\">",
     "check that each <x> has its </x>", "<link name=\"upper\">"},
    {"BrokenElement", "<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 1 0\"",
     "this is not a sound XML element", "<axis xyz=\"0 1 0\""},
    {"Sdf", "<robot name=\"arm\">", "<sdf version=\"1.7\"/><robot name=\"arm\">",
     "the file begins with <sdf>; a URDF begins with <robot>, so export or convert it", "<sdf"},
    {"TwoRobots", "</robot>\n", "</robot>\n<robot/>\n", "a URDF has one robot", "<robot/>"},
    {"XacroExpression", "value=\"3\"", "value=\"${m}\"", "this is xacro, expand the file first",
     "${m}"},
    {"MisspeltElement", "<inertial>\n      <mass", "<intertial/><inertial>\n      <mass",
     "link 'upper' has no <intertial>; did you mean <inertial>?", "<intertial/>"},
    {"MisspeltAttribute", "lower=\"-1\"", "lowr=\"-1\"",
     "<limit> of joint 'elbow' has no attribute 'lowr'; did you mean 'lower'?", "lowr"},
    {"NotANumber", "value=\"3\"", "value=\"3 kg\"",
     "'value' of <mass> of link 'upper' is \"3 kg\"; expected a number", "3 kg"},
    {"NotFinite", "value=\"3\"", "value=\"inf\"", "its numbers must be finite", "\"inf\""},
    {"TooFewNumbers", "xyz=\"0.8 0 0\"", "xyz=\"0.8 0\"",
     "'xyz' of <origin> of joint 'elbow' is \"0.8 0\"; expected 3 numbers", "xyz=\"0.8 0\""},
    {"Quaternion", "<origin xyz=\"0.8 0 0\"/>", "<origin xyz=\"0.8 0 0\" quat_xyzw=\"0 0 0 1\"/>",
     "is given by a quaternion, which is not read here; give rpy", "quat_xyzw"},
    {"NegativeMass", "value=\"3\"", "value=\"-3\"",
     "'value' of <mass> of link 'upper' is -3; it must not be negative", "\"-3\""},
    {"TwoLinks", "<link name=\"foot\"/>", "<link name=\"foot\"/>\n<link name=\"foot\" />",
     "there are two links called 'foot', this one and that of line 2", "\"foot\" />"},
    {"TwoJoints", "name=\"elbow\"", "name=\"shoulder\"",
     "there are two joints called 'shoulder', this one and that of line", "type=\"revolute\""},
    {"TwoRoots", "<link name=\"foot\"/>", "<link name=\"foot\"/>\n  <link name=\"lost\"/>",
     "2 links are the child of no joint: 'foot' (line 2) and 'lost' (line 3)", "\"lost\""},
    {"TwoParents", "</robot>", R"(<joint name="third" type="fixed">
    <parent link="foot"/><child link="lower"/></joint></robot>)",
     "link 'lower' is the child of two joints, 'elbow' (line", "\"third\""},
    {"NoRoot", "<link name=\"foot\"/>", R"(<link name="foot"/>
  <joint name="back" type="fixed"><parent link="lower"/><child link="foot"/></joint>)",
     "they hang on each other in a circle", "\"back\""},
    {"UnknownParent", "<parent link=\"upper\"/>", "<parent link=\"uper\"/>",
     "joint 'elbow' has the parent 'uper', which is no link; did you mean 'upper'?",
     "<joint name=\"elbow\""},
    {"NoChild", "<child link=\"lower\"/>", "",
     "joint 'elbow' has no child; write <child link=", "<joint name=\"elbow\""},
    {"ItsOwnParent", "<parent link=\"upper\"/>", "<parent link=\"lower\"/>",
     "joins link 'lower' to itself", "<joint name=\"elbow\""},
    {"UnknownType", "type=\"revolute\"", "type=\"revolut\"", "did you mean 'revolute'?",
     "type=\"revolut\""},
    {"NoLimit", "<limit lower=\"-1\" upper=\"2\"/>", "",
     "joint 'elbow' is revolute and has no <limit>; give <limit lower=", "<joint name=\"elbow\""},
    {"NegativeDamping", "<limit lower=\"-1\" upper=\"2\"/>",
     "<limit lower=\"-1\" upper=\"2\"/>\n<dynamics damping=\"-1\"/>",
     "'damping' of <dynamics> of joint 'elbow' is -1; it must not be negative", "<dynamics"},
    {"NoName", "<link name=\"foot\"/>", "<link name=\"foot\"/>\n<link/>",
     "a <link> lacks its name; write name=", "<link/>"},
    {"EndlessAngle", "<origin xyz=\"0.8 0 0\"/>", "<origin xyz=\"0.8 0 0\" rpy=\"0 0 1e17\"/>",
     "has an angle of 1e+17 rad, in which no direction is left", "1e17"},
};

INSTANTIATE_TEST_SUITE_P(Every, UrdfFaultsAre, testing::ValuesIn(kBadUrdfs),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(UrdfFaults, ACircleBesideTheRoot) {
  const std::string urdf = replaced(kUrdf, "</robot>", R"(<link name="a"/><link name="b"/>
  <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint></robot>)");
  const auto found = read(urdf);
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find("is its own ancestor"), std::string::npos) << joined(found);
}

TEST(UrdfFaults, AFollowerMayHaveAnActuatorOfItsOwn) {
  const std::string urdf = replaced(kUrdf, "<limit lower=\"-1\" upper=\"2\"/>",
                                    "<limit lower=\"-1\" upper=\"2\"/><mimic joint=\"shoulder\"/>");
  // Another type set in the machine file makes it free.
  EXPECT_EQ(
      joined(read(urdf,
                  machine_with("[[body]]\nname = \"lower\"\njoint = { type = \"revolute\" }\n"))),
      "");
}

TEST(UrdfFaults, AMisspeltLinkInTheMachineFileIsTold) {
  const auto found =
      read(kUrdf, machine_with("[[body]]\nname = \"lowr\"\njoint = { type = \"fixed\" }\n"));
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_EQ(found[0].message, "body 'lowr' is no link of arm.urdf; did you mean 'lower'?");
  EXPECT_EQ(found[0].file, "m/machine.toml");
}

TEST(UrdfFaults, TooManyLinksAreRefusedAtOnce) {
  // Not after having compared each with each.
  std::string links = "<robot>\n";
  for (int i = 0; i < 30000; ++i) links += "<link name=\"l" + std::to_string(i) + "\"/>\n";
  const auto found = read(links + "</robot>");
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_EQ(found[0].message, "the URDF has 30000 links; at most 256 are possible");
  EXPECT_EQ(found[0].line, 258);
}

TEST(UrdfFaults, AMissingUrdfIsToldAtItsKey) {
  const auto found = faults([] { io::read_machine_text(kToml, "nowhere/machine.toml"); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].file, "nowhere/machine.toml");
  EXPECT_EQ(found[0].line, 2);
  EXPECT_NE(found[0].message.find("the URDF cannot be used: nowhere/arm.urdf: there is no such "
                                  "file; expected a URDF file"),
            std::string::npos)
      << joined(found);
}

TEST(UrdfFaults, AUrdfIsNoMachineFile) {
  const auto found = faults([] { io::read_machine_text(kUrdf, "arm.urdf"); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("names its URDF: urdf = \"crane.urdf\""), std::string::npos);
}

TEST(UrdfFaults, EmptyBinaryAndOtherTexts) {
  EXPECT_NE(joined(read(" ")).find("the file is empty"), std::string::npos);
  EXPECT_NE(joined(read(std::string("<robot>\0</robot>", 16))).find("binary"), std::string::npos);
  EXPECT_NE(joined(read("name = 1\n")).find("expected a URDF file"), std::string::npos);
  EXPECT_NE(joined(read("<robot/>")).find("the URDF has no links"), std::string::npos);
}

TEST(UrdfFaults, TheKeyMustBeAPath) {
  const auto found = read(kUrdf, replaced(kToml, "urdf = \"arm.urdf\"", "urdf = [3, 4]"));
  EXPECT_EQ(found.size(), 1u);
  EXPECT_NE(joined(found).find("'urdf' must be a string, the path of the URDF file"),
            std::string::npos)
      << joined(found);
}

}  // namespace
}  // namespace knuckleboom::urdf_faults_test
