// URDF files as machines: what they bring, against closed forms.

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "knuckleboom/recording/session_texts.hpp"

namespace knuckleboom::urdf_import_test {
namespace {

using test::config;
using test::faults;
using test::joined;
using test::TemporaryFolder;

constexpr const char* kToml = R"(name = "arm"
urdf = "arm.urdf"
gravity_m_per_s2 = 9.81
source = "test"
[tip]
body = "lower"
position_m = [0.5, 0, 0]
)";

// Two arms of a vertical double pendulum; the second joint's frame is turned by 30 degrees.
constexpr const char* kUrdf = R"(<robot name="arm">
  <link name="foot"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.4 0 0"/>
      <mass value="3"/>
      <inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0.2 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.01" iyy="0.1" izz="0.1"/>
    </inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <origin xyz="0 0 1"/>
    <parent link="foot"/><child link="upper"/>
    <axis xyz="0 2 0"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0.8 0 0" rpy="0 0.52359877559829882 0"/>
    <parent link="upper"/><child link="lower"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="0" velocity="0"/>
    <dynamics damping="0.7"/>
  </joint>
</robot>
)";

io::MachineFile read(const TemporaryFolder& folder, const std::string& urdf,
                     const std::string& toml = kToml,
                     const std::vector<io::Override>& overrides = {}) {
  folder.write("arm.urdf", urdf);
  return io::read_machine(folder.write("machine.toml", toml), overrides);
}

multibody::MassAndBias dynamics(const machine::MachineModel& model, const std::vector<double>& q) {
  std::vector<double> at(kMaxLinks, 0.0), still(kMaxLinks, 0.0);
  std::copy(q.begin(), q.end(), at.begin());
  multibody::MassAndBias out;
  multibody::mass_and_bias(model.tree, model.tree.link_inertias().data(), at.data(), still.data(),
                           out);
  return out;
}

// Without <dynamics>, whose note the tests of other notes do not want.
std::string smooth(const std::string& urdf) {
  return test::replaced(urdf, "<dynamics damping=\"0.7\"/>", "");
}

std::string all(const std::vector<io::Diagnostic>& notes) { return joined(notes); }

TEST(UrdfImport, TwoArmsMoveAsTheFormulasSay) {
  const TemporaryFolder folder;
  const machine::MachineModel m = read(folder, kUrdf).model;
  ASSERT_EQ(m.joint_count(), 2);
  EXPECT_EQ(m.joint_name(0), "shoulder");
  EXPECT_EQ(m.tree.body(m.tree.link(1).body).lower, -1.0);
  EXPECT_EQ(m.tree.body(m.tree.link(1).body).upper, 2.0);
  EXPECT_EQ(m.tree.body(m.tree.link(1).body).damping, 0.7);
  EXPECT_EQ(m.tree.body(m.tree.link(0).body).lower, m.tree.body(m.tree.link(0).body).upper);

  // Turning about +y takes x downwards, so the arms' angles below the horizontal are q0 and q0 + q1 + 30
  // degrees.
  const double a = 0.3, b = 0.9 + std::acos(-1.0) / 6.0;
  const double q[kMaxLinks] = {a, 0.9};
  const Vec3 tip = machine::tip_position(m, q);
  EXPECT_NEAR(tip.x(), 0.8 * std::cos(a) + 0.5 * std::cos(a + b), 1e-12);
  EXPECT_NEAR(tip.y(), 0.0, 1e-12);
  EXPECT_NEAR(tip.z(), 1.0 - 0.8 * std::sin(a) - 0.5 * std::sin(a + b), 1e-12);

  // The double pendulum: m1 = 3, c1 = 0.4, I1 = 0.2, l1 = 0.8, m2 = 2, c2 = 0.2, I2 = 0.1.
  const multibody::MassAndBias d = dynamics(m, {a, 0.9});
  const double coupling = 2.0 * 0.8 * 0.2 * std::cos(b);
  const double M11 = 0.1 + 2.0 * 0.04;
  EXPECT_NEAR(d.M[1][1], M11, 1e-12);
  EXPECT_NEAR(d.M[0][1], M11 + coupling, 1e-12);
  EXPECT_NEAR(d.M[0][0], 0.2 + 3.0 * 0.16 + 2.0 * 0.64 + M11 + 2.0 * coupling, 1e-12);
  EXPECT_NEAR(d.bias[1], -2.0 * 9.81 * 0.2 * std::cos(a + b), 1e-12);
}

TEST(UrdfImport, AnglesTurnAboutFixedAxesInTurn) {
  // Roll, pitch and yaw of a quarter each: roll takes y to z, pitch z to x, yaw x to y. About axes that go
  // along, the same angles would end elsewhere.
  const TemporaryFolder folder;
  const std::string urdf =
      test::replaced(kUrdf, "rpy=\"0 0.52359877559829882 0\"",
                     "rpy=\"1.5707963267948966 1.5707963267948966 1.5707963267948966\"");
  const Mat3 R = read(folder, urdf).model.tree.body(2).in_parent.R;
  Mat3 expected;
  expected << 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0;
  EXPECT_LT((R - expected).cwiseAbs().maxCoeff(), 1e-15) << R;
  // All three different, against the product of the three rotations.
  const std::string oblique =
      test::replaced(kUrdf, "rpy=\"0 0.52359877559829882 0\"", "rpy=\"0.3 -0.7 1.9\"");
  const Mat3 S = read(folder, oblique).model.tree.body(2).in_parent.R;
  const auto about = [](int axis, double angle) {
    Mat3 out = Mat3::Identity();
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    out(i, i) = out(j, j) = std::cos(angle);
    out(j, i) = std::sin(angle);
    out(i, j) = -std::sin(angle);
    return out;
  };
  EXPECT_LT((S - about(2, 1.9) * about(1, -0.7) * about(0, 0.3)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(UrdfImport, InertiaIsTurnedWithItsOrigin) {
  const TemporaryFolder folder;
  std::string urdf = test::replaced(kUrdf, "<origin xyz=\"0.4 0 0\"/>",
                                    "<origin xyz=\"0.4 0 0\" rpy=\"0 0 1.5707963267948966\"/>");
  urdf = test::replaced(urdf, "ixx=\"0.01\" iyy=\"0.2\" izz=\"0.2\" ixy=\"0\" ixz=\"0\" iyz=\"0\"",
                        "ixx=\"0.1\" iyy=\"0.2\" izz=\"0.25\" ixy=\"0.01\" ixz=\"0.02\" "
                        "iyz=\"0.03\"");
  const Mat3 I = read(folder, urdf).model.tree.body(1).inertia.about_com;
  // A quarter turn about z: the inertial frame's x lies along the link's y, its y along -x.
  EXPECT_NEAR(I(0, 0), 0.2, 1e-15);
  EXPECT_NEAR(I(1, 1), 0.1, 1e-15);
  EXPECT_NEAR(I(2, 2), 0.25, 1e-15);
  EXPECT_NEAR(I(0, 1), -0.01, 1e-15);
  EXPECT_NEAR(I(0, 2), -0.03, 1e-15);
  EXPECT_NEAR(I(1, 2), 0.02, 1e-15);
}

TEST(UrdfImport, RoundedInertiasAreMendedAndNoted) {
  const TemporaryFolder folder;
  const auto with = [&](const char* inertia) {
    return read(folder,
                test::replaced(smooth(kUrdf), "ixx=\"0.01\" iyy=\"0.1\" izz=\"0.1\"", inertia));
  };
  // A plate: izz = ixx + iyy but for the last digit.
  const io::MachineFile plate = with("ixx=\"0.0432\" iyy=\"0.1215\" izz=\"0.1648\"");
  const Vec3 I = plate.model.tree.body(2).inertia.about_com.diagonal();
  EXPECT_NEAR(I(0), 0.04325, 1e-15);
  EXPECT_NEAR(I(1), 0.12155, 1e-15);
  EXPECT_NEAR(I(2), 0.1648, 1e-15);
  EXPECT_NE(all(plate.notes).find("the inertia of link 'lower' misses by 0.03 % what a body can"),
            std::string::npos)
      << all(plate.notes);
  // A rod whose own axis has got a sign by rounding.
  const io::MachineFile rod = with("ixx=\"-1e-6\" iyy=\"0.1\" izz=\"0.1\"");
  EXPECT_NEAR(rod.model.tree.body(2).inertia.about_com(0, 0), 0.0, 1e-15);
  // More than rounding is said otherwise.
  for (const char* wrong :
       {"ixx=\"0.0432\" iyy=\"0.1215\" izz=\"0.1651\"", "ixx=\"-0.001\" iyy=\"0.1\" izz=\"0.1\""}) {
    const std::string notes = all(with(wrong).notes);
    EXPECT_NE(notes.find("no body can have the inertia of link 'lower'"), std::string::npos)
        << notes;
  }
  // A sound one keeps its digits.
  EXPECT_EQ(
      with("ixx=\"0.02\" iyy=\"0.1\" izz=\"0.11\"").model.tree.body(2).inertia.about_com(2, 2),
      0.11);
}

TEST(UrdfImport, SlidingAndFixedJoints) {
  const TemporaryFolder folder;
  std::string urdf = test::replaced(kUrdf, "name=\"elbow\" type=\"revolute\"",
                                    "name=\"elbow\" type=\"prismatic\"");
  machine::MachineModel m = read(folder, urdf).model;
  EXPECT_FALSE(m.tree.link(1).revolute);
  EXPECT_NEAR(dynamics(m, {0.0, 0.5}).M[1][1], 2.0, 1e-12);

  // Welded on, the second arm is one with the first.
  urdf = test::replaced(kUrdf, "name=\"elbow\" type=\"revolute\"", "name=\"elbow\" type=\"fixed\"");
  m = read(folder, urdf).model;
  ASSERT_EQ(m.joint_count(), 1);
  const double b = std::acos(-1.0) / 6.0;
  EXPECT_NEAR(
      dynamics(m, {0.0}).M[0][0],
      0.2 + 3.0 * 0.16 + 2.0 * 0.64 + 0.1 + 2.0 * 0.04 + 2.0 * 2.0 * 0.8 * 0.2 * std::cos(b),
      1e-12);
}

TEST(UrdfImport, DynamicsBecomeViscousAndCoulombFriction) {
  const TemporaryFolder folder;
  const std::string urdf = test::replaced(kUrdf, "<dynamics damping=\"0.7\"/>",
                                          "<dynamics damping=\"0.7\" friction=\"3.5\"/>");
  const io::MachineFile file = read(folder, urdf);
  ASSERT_EQ(file.model.joint_friction.size(), 2u);
  const friction::FrictionModel& dry = file.model.joint_friction[1];
  EXPECT_EQ(file.model.joint_friction[0].kind, friction::Kind::kNone);
  EXPECT_EQ(dry.kind, friction::Kind::kCoulomb);
  EXPECT_EQ(dry.F_c, 3.5);
  EXPECT_EQ(dry.F_s, 3.5);
  EXPECT_EQ(file.model.tree.body(2).damping, 0.7);
  EXPECT_NE(all(file.notes).find("'friction' as Coulomb friction that truly sticks"),
            std::string::npos)
      << all(file.notes);

  // The machine file takes precedence, in whatever form.
  const auto with = [&](const char* joint) {
    return read(folder, urdf,
                std::string(kToml) + "[[body]]\nname = \"lower\"\njoint = { " + joint + " }\n");
  };
  const io::MachineFile viscous =
      with("friction = { model = \"viscous\", viscous_N_m_s_per_rad = 2 }");
  EXPECT_TRUE(viscous.model.joint_friction.empty());
  EXPECT_EQ(viscous.model.tree.body(2).damping, 2.0);
  EXPECT_NE(all(viscous.notes).find("<dynamics> of joint 'elbow' is not used"), std::string::npos)
      << all(viscous.notes);
  const io::MachineFile damped = with("damping_N_m_s_per_rad = 4");
  EXPECT_EQ(damped.model.tree.body(2).damping, 4.0);
  EXPECT_EQ(damped.model.joint_friction[1].F_c, 3.5);
  EXPECT_EQ(read(folder, urdf, kToml, {{"joint.elbow.friction.coulomb_N_m", "1.5"}})
                .model.joint_friction[1]
                .F_c,
            1.5);
}

TEST(UrdfImport, AJointMadeToSlideTakesNoAnglesFromTheUrdf) {
  const TemporaryFolder folder;
  const io::MachineFile file =
      read(folder, kUrdf,
           std::string(kToml) +
               "[[body]]\nname = \"lower\"\njoint = { type = \"prismatic\", "
               "lower_m = 0, upper_m = 0.3 }\n");
  const multibody::Body& lower = file.model.tree.body(2);
  EXPECT_EQ(lower.type, multibody::JointType::kPrismatic);
  EXPECT_EQ(lower.upper, 0.3);
  EXPECT_EQ(lower.damping, 0.0);
  EXPECT_EQ(file.imports[0].links[2].type, "revolute");
  EXPECT_EQ(file.imports[0].links[2].here, "prismatic");
}

TEST(UrdfImport, AFollowerWithoutMultiplierStandsAtItsOffset) {
  const TemporaryFolder folder;
  const std::string urdf = test::replaced(
      kUrdf, "<dynamics damping=\"0.7\"/>",
      "<mimic joint=\"shoulder\" multiplier=\"0\" offset=\"0.4\"/><dynamics damping=\"0.7\"/>");
  const io::MachineFile file = read(folder, urdf);
  ASSERT_EQ(file.model.joint_count(), 1);
  const double q[kMaxLinks] = {};
  const double b = 0.4 + std::acos(-1.0) / 6.0;
  EXPECT_NEAR(machine::tip_position(file.model, q).z(), 1.0 - 0.5 * std::sin(b), 1e-12);
  EXPECT_NE(all(file.notes)
                .find("joint 'elbow' is held at 0.4: it follows 'shoulder' by a multiplier of 0"),
            std::string::npos)
      << all(file.notes);
}

// Two stages that slide alike, as chains make them: 50 kg move by q, 40 kg by 2 q.
TEST(UrdfImport, AFollowerIsACoupling) {
  const TemporaryFolder folder;
  const auto stage = [](const char* name, const char* parent, int mass, const std::string& more) {
    return fmt::format(
        "<link name=\"{0}\"><inertial><mass value=\"{2}\"/><inertia ixx=\"1\" iyy=\"1\" "
        "izz=\"1\"/></inertial></link><joint name=\"slide_{0}\" type=\"prismatic\"><parent "
        "link=\"{1}\"/><child link=\"{0}\"/><axis xyz=\"0 0 1\"/><limit lower=\"0\" "
        "upper=\"2\"/>{3}</joint>",
        name, parent, mass, more);
  };
  const std::string urdf = "<robot><link name=\"foot\"/>" + stage("upper", "foot", 50, "") +
                           stage("lower", "upper", 40, "<mimic joint=\"slide_upper\"/>") +
                           "</robot>";
  const io::MachineFile file = read(folder, urdf);
  ASSERT_EQ(file.model.couplings.size(), 1u);
  const multibody::Coupling& c = file.model.couplings[0];
  EXPECT_EQ(file.model.joint_name(c.joint), "slide_lower");
  EXPECT_EQ(file.model.joint_name(c.follows), "slide_upper");
  EXPECT_EQ(c.ratio, 1.0);
  const multibody::MassAndBias out = dynamics(file.model, {0.3, 0.3});
  EXPECT_NEAR(out.M[0][0] + 2.0 * out.M[1][0] + out.M[1][1], 210.0, 1e-10);  // as one slide
  EXPECT_NEAR(out.bias[0] + out.bias[1], 1275.3, 1e-9);                      // N, vertical
  // Through a third stage, which follows the second by half and 0.1 m.
  const std::string three =
      test::replaced(urdf, "</robot>",
                     stage("third", "lower", 10,
                           "<mimic joint=\"slide_lower\" multiplier=\"-0.5\" offset=\"0.1\"/>") +
                         "</robot>");
  const io::MachineFile chain = read(folder, three);
  ASSERT_EQ(chain.model.couplings.size(), 2u);
  EXPECT_EQ(chain.model.joint_name(chain.model.couplings[1].follows), "slide_upper");
  EXPECT_EQ(chain.model.couplings[1].ratio, -0.5);
  EXPECT_EQ(chain.model.couplings[1].offset, 0.1);
}

// Real files have things that a machine file would refuse: imported as they can be meant, and said.
struct Odd {
  const char* what;
  const char* from;
  const char* to;
  int joints;
  const char* note;
};

constexpr Odd kOdd[] = {
    {"impossible inertia", "ixx=\"0.01\" iyy=\"0.2\"", "ixx=\"0.5\" iyy=\"0.2\"", 2,
     "no body can have the inertia of link 'upper'"},
    {"inertia without mass", "value=\"3\"", "value=\"0\"", 2,
     "link 'upper' has an inertia but no mass"},
    {"zero axis", "<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>", 1,
     "joint 'elbow' is held at 0: its axis has no direction"},
    {"empty limit", "lower=\"-1\" upper=\"2\" ", "", 2,
     "the <limit> of joint 'elbow' gives neither lower nor upper; it has none"},
    {"crossed limits", "lower=\"-1\" upper=\"2\"", "lower=\"2\" upper=\"-1\"", 2,
     "the lower limit of joint 'elbow' (2) is above the upper (-1); they are exchanged"},
    {"equal limits", "lower=\"-1\" upper=\"2\"", "lower=\"0.5\" upper=\"0.5\"", 1,
     "joint 'elbow' is held at 0.5: both its limits are there"},
    {"nothing beyond", "</robot>",
     "<link name=\"wheel\"/><joint name=\"spin\" type=\"continuous\"><parent "
     "link=\"lower\"/><child link=\"wheel\"/></joint></robot>",
     2, "joint 'spin' is held at 0: it moves nothing that has mass"},
    {"follows itself", "<dynamics", "<mimic joint=\"elbow\"/><dynamics", 2,
     "<mimic> of joint 'elbow' is ignored, as it follows itself"},
    {"root with mass", "<link name=\"foot\"/>",
     "<link name=\"foot\"><inertial><mass value=\"7\"/><inertia ixx=\"1\" iyy=\"1\" "
     "izz=\"1\"/></inertial></link>",
     2, "link 'foot' stands on the ground: its 7 kg move nothing"},
    {"follows nobody", "<dynamics", "<mimic joint=\"shouldr\"/><dynamics", 2,
     "is ignored, as there is no joint 'shouldr'; did you mean 'shoulder'?"},
    {"xacro left over", "</robot>", "<xacro:sensor name=\"imu\"/></robot>", 2,
     "<xacro:sensor> is a macro of xacro that was not expanded"},
    {"attribute of another name space", "effort=\"0\"", "drake:acceleration=\"9\" effort=\"0\"", 2,
     ""},
    {"no size", "</robot>",
     "<link name=\"skin\"><visual><geometry><box size=\"1 0 1\"/></geometry></visual><collision>"
     "<geometry><cylinder radius=\"0.1\" length=\"-1\"/></geometry></collision><visual/></link>"
     "<joint name=\"weld\" type=\"fixed\"><parent link=\"lower\"/><child link=\"skin\"/></joint>"
     "</robot>",
     2, "<box> in <visual> of link 'skin' has no size, and is left out"},
    {"two inertials", "<mass value=\"3\"/>", "<mass value=\"3\"/><mass value=\"4\"/>", 2,
     "has a second <mass>"},
    {"shapes of one name", "</robot>",
     "<link name=\"a\"><collision><geometry><sphere "
     "radius=\"1\"/></geometry></collision><collision>"
     "<geometry><sphere radius=\"1\"/></geometry></collision></link><link name=\"a_2\"><collision>"
     "<geometry><sphere radius=\"1\"/></geometry></collision></link><joint name=\"weld\" "
     "type=\"fixed\"><parent link=\"lower\"/><child link=\"a\"/></joint><joint name=\"weld2\" "
     "type=\"fixed\"><parent link=\"lower\"/><child link=\"a_2\"/></joint></robot>",
     2, ""},
    {"no inertia", "<inertia ixx=\"0.01\" iyy=\"0.1\" izz=\"0.1\"/>", "", 2,
     "link 'lower' has a mass without inertia: a point mass"},
    {"no mass", "<mass value=\"3\"/>", "", 2, "<inertial> of link 'upper' has no <mass>"},
    {"inertia twice", "ixy=\"0\"", "ixy=\"0\" iyx=\"0\"", 2, "attribute 'iyx' of <inertia>"},
    {"latin 1", "<robot name=\"arm\">", "<robot name=\"Kr\xE4n\">", 2, "taken as Latin-1"},
};

TEST(UrdfImport, WhatCanBeMeantIsTakenAndSaid) {
  for (const Odd& odd : kOdd) {
    SCOPED_TRACE(odd.what);
    const TemporaryFolder folder;
    const io::MachineFile file = read(folder, test::replaced(kUrdf, odd.from, odd.to));
    EXPECT_EQ(file.model.joint_count(), odd.joints);
    EXPECT_NE(all(file.notes).find(odd.note), std::string::npos) << all(file.notes);
  }
}

// A file for looks alone: its joints move something, and that is said.
TEST(UrdfImport, AFileWithoutMassesCanBeMoved) {
  const TemporaryFolder folder;
  const io::MachineFile file =
      read(folder,
           "<robot><link name=\"foot\"/><link name=\"upper\"/><link name=\"lower\"/><joint "
           "name=\"shoulder\" type=\"continuous\"><parent link=\"foot\"/><child link=\"upper\"/>"
           "</joint><joint name=\"elbow\" type=\"continuous\"><origin xyz=\"0 1 0\"/><parent "
           "link=\"upper\"/><child link=\"lower\"/></joint></robot>");
  EXPECT_EQ(file.model.joint_count(), 2);
  EXPECT_NEAR(dynamics(file.model, {0.0, 0.0}).M[0][0], 1.0 + 0.01 + 0.01, 1e-12);
  EXPECT_NE(
      all(file.notes).find("no link beyond a joint has mass, so 2 links that move count as 1 kg"),
      std::string::npos)
      << all(file.notes);
}

// Crossed, the range is the same; of an inertia only what is too large is changed.
TEST(UrdfImport, MendedNumbersAreTheNearest) {
  const TemporaryFolder folder;
  const io::MachineFile crossed =
      read(folder, test::replaced(kUrdf, "lower=\"-1\" upper=\"2\"", "lower=\"2\" upper=\"-1\""));
  const multibody::Body& lower = crossed.model.tree.body(crossed.model.tree.find_body("lower"));
  EXPECT_EQ(lower.lower, -1.0);
  EXPECT_EQ(lower.upper, 2.0);
  const io::MachineFile mended =
      read(folder, test::replaced(kUrdf, "ixx=\"0.01\" iyy=\"0.2\"", "ixx=\"0.5\" iyy=\"0.2\""));
  EXPECT_NEAR(mended.imports[0].links[1].inertia_change, 0.1, 0.03);  // 0.5 against 0.2 and 0.2
}

// Names that a machine file cannot have; its tables say the old ones or the new.
TEST(UrdfImport, NamesAreChangedHereAndInTheMachineFile) {
  const TemporaryFolder folder;
  std::string urdf = kUrdf;
  for (const auto& [from, to] : {std::pair{"\"lower\"", "\"arm/lower.2\""},
                                 {"\"elbow\"", "\"2 elbow\""},
                                 {"\"upper\"", "\"base\""}})
    for (std::size_t at = urdf.find(from); at != std::string::npos; at = urdf.find(from))
      urdf.replace(at, std::string(from).size(), to);
  const std::string toml = std::string(test::replaced(kToml, "\"lower\"", "\"arm/lower.2\"")) +
                           "[[body]]\nname = \"base\"\nmass_kg = 4\n[[body]]\nname = "
                           "\"arm_lower_2\"\nmass_kg = 5\n";
  const io::MachineFile file = read(folder, urdf, toml, {{"joint.joint_2_elbow.upper_rad", "1.5"}});
  const multibody::Tree& tree = file.model.tree;
  EXPECT_EQ(tree.body(tree.find_body("base_frame")).inertia.mass, 4.0);
  EXPECT_EQ(tree.body(tree.find_body("arm_lower_2")).inertia.mass, 5.0);
  EXPECT_EQ(file.model.joint_name(1), "joint_2_elbow");
  EXPECT_EQ(tree.body(tree.find_body("arm_lower_2")).upper, 1.5);
  EXPECT_NE(all(file.notes).find("more names are changed"), std::string::npos) << all(file.notes);
}

TEST(UrdfImport, LinksWithoutMassBetweenJointsCarryOn) {
  // A universal joint: the cross has no mass.
  const TemporaryFolder folder;
  std::string urdf = test::replaced(kUrdf, "<parent link=\"upper\"/>", "<parent link=\"cross\"/>");
  urdf = test::replaced(urdf, "<joint name=\"elbow\"", R"(<link name="cross"/>
  <joint name="roll" type="continuous"><parent link="upper"/><child link="cross"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="elbow")");
  const io::MachineFile file = read(folder, urdf);
  EXPECT_EQ(file.model.joint_count(), 3);
  EXPECT_NE(all(file.notes)
                .find("link 'cross' moves and has no mass: only what it carries resists "
                      "joint 'roll'"),
            std::string::npos)
      << all(file.notes);
}

TEST(UrdfImport, OverridesAndOwnTablesChangeWhatCameIn) {
  const TemporaryFolder folder;
  const std::string toml = std::string(kToml) + R"(
[[body]]
name = "foot"
position_m = [0, 0, 1.5]
[[body]]
name = "lower"
joint = { upper_rad = 1.2, stop_stiffness_N_m_per_rad = 1e4 }
[[body]]
name = "weight"
parent = "lower"
position_m = [0.5, 0, 0]
mass_kg = 4
com_m = [0, 0, 0]
inertia_kg_m2 = [0, 0, 0]
)";
  const io::MachineFile file =
      read(folder, kUrdf, toml, {{"joint.elbow.lower_deg", "-30"}, {"body.upper.mass_kg", "3.5"}});
  const machine::MachineModel& m = file.model;
  const multibody::Body& lower = m.tree.body(m.tree.find_body("lower"));
  EXPECT_EQ(lower.upper, 1.2);
  EXPECT_NEAR(lower.lower, -std::acos(-1.0) / 6.0, 1e-15);
  EXPECT_EQ(lower.stop_stiffness, 1e4);
  EXPECT_EQ(m.tree.body(m.tree.find_body("upper")).inertia.mass, 3.5);
  EXPECT_EQ(m.tree.body(m.tree.find_body("foot")).in_parent.p.z(), 1.5);
  EXPECT_NEAR(dynamics(m, {0.0, 0.0}).M[1][1], 0.1 + 2.0 * 0.04 + 4.0 * 0.25, 1e-12);
}

TEST(UrdfImport, OwnTablesSettleWhatTheUrdfLeavesOpen) {
  const TemporaryFolder folder;
  const std::string urdf =
      test::replaced(kUrdf, "<limit lower=\"-1\" upper=\"2\" effort=\"0\" velocity=\"0\"/>", "");
  EXPECT_THROW(read(folder, urdf), io::FileError);
  const std::string toml =
      std::string(kToml) +
      "[[body]]\nname = \"lower\"\njoint = { lower_rad = -1, upper_rad = 1 }\n";
  EXPECT_EQ(read(folder, urdf, toml).model.tree.body(2).upper, 1.0);
  const std::string floating = test::replaced(kUrdf, "type=\"revolute\"", "type=\"floating\"");
  EXPECT_EQ(read(folder, floating).model.balls.size(), 1u);
  EXPECT_EQ(read(folder, floating,
                 std::string(kToml) + "[[body]]\nname = \"lower\"\njoint = { type = \"fixed\" }\n")
                .model.joint_count(),
            1);
}

TEST(UrdfImport, ARootCalledBaseIsTheGround) {
  const TemporaryFolder folder;
  std::string urdf = test::replaced(kUrdf, "<link name=\"foot\"/>", "<link name=\"base\"/>");
  urdf = test::replaced(urdf, "<parent link=\"foot\"/>", "<parent link=\"base\"/>");
  EXPECT_EQ(read(folder, urdf).model.tree.body_count(), 2);
}

TEST(UrdfImport, CollisionFormsBecomeCapsulesOfTheSameLength) {
  const TemporaryFolder folder;
  const std::string urdf = test::replaced(kUrdf, "<joint name=\"shoulder\"", R"(
  <link name="tool">
    <collision><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.1" length="1.0"/></geometry></collision>
    <collision><geometry><box size="0.2 2.0 0.4"/></geometry></collision>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
    <collision><geometry><capsule radius="0.1" length="1.0"/></geometry></collision>
    <collision><geometry><mesh filename="tool.stl"/></geometry></collision>
  </link>
  <joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/></joint>
  <joint name="shoulder")");
  const io::MachineFile file = read(folder, urdf);
  const auto& shapes = file.model.shapes;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].name, "tool");
  EXPECT_EQ(shapes[1].name, "tool_2");
  // The cylinder lies along x; caps included it is as long as before.
  EXPECT_NEAR((shapes[0].from_B - Vec3(-0.4, 0, 1)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((shapes[0].to_B - Vec3(0.4, 0, 1)).norm(), 0.0, 1e-12);
  EXPECT_EQ(shapes[0].radius, 0.1);
  EXPECT_NEAR(shapes[1].to_B.y() + shapes[1].radius, 1.0, 1e-12);
  EXPECT_NEAR(shapes[1].radius, 0.15, 1e-12);  // mean of the other two half edges
  EXPECT_TRUE(shapes[2].from_B.isZero() && shapes[2].to_B.isZero());
  EXPECT_NEAR(shapes[3].to_B.z(), 0.5, 1e-12);
  EXPECT_EQ(shapes[0].role, machine::ShapeRole::kStick);
  EXPECT_NE(all(file.notes).find("a mesh in <collision> cannot touch"), std::string::npos)
      << all(file.notes);
}

TEST(UrdfImport, MeshesAreFoundInPackagesFilesAndFolders) {
  const TemporaryFolder folder;
  folder.write("my_crane/package.xml", "<package><name>crane_description</name></package>");
  folder.write("my_crane/meshes/a.stl", "solid a\nendsolid a\n");
  folder.write("my_crane/urdf/b.obj", "v 0 0 0\n");
  const std::string absolute = (folder.path() / "my_crane/meshes/a.stl").string();
  const std::string urdf = test::replaced(smooth(kUrdf), "<inertial>\n      <origin xyz=\"0.4",
                                          R"(
    <visual><geometry><mesh filename="package://crane_description/meshes/a.stl"/></geometry></visual>
    <visual><geometry><mesh filename="package://my_crane/meshes/a.stl" scale="0.001 0.001 0.001"/>
      </geometry></visual>
    <visual><origin xyz="1 2 3"/><geometry><mesh filename="b.obj"/></geometry></visual>
    <visual><geometry><mesh filename="file://)" +
                                              absolute +
                                              R"("/></geometry></visual>
    <visual><geometry><mesh filename="../meshes/lost.dae"/></geometry></visual>
    <visual><geometry><mesh filename="package://other/x.wrl"/></geometry></visual>
    <visual><geometry><box size="1 2 3"/></geometry>
      <material name=""><color rgba="1 0.5 0 1"/></material></visual>
    <inertial>
      <origin xyz="0.4)");
  folder.write("my_crane/urdf/arm.urdf", urdf);
  const auto toml = folder.write("my_crane/urdf/machine.toml", kToml);
  const io::MachineFile file = io::read_machine(toml);
  const auto& looks = file.model.visuals;
  ASSERT_EQ(looks.size(), 7u);
  for (const std::size_t i : {0u, 1u, 3u}) {
    EXPECT_EQ(std::filesystem::weakly_canonical(looks[i].mesh),
              std::filesystem::weakly_canonical(absolute));
    EXPECT_TRUE(std::filesystem::path(looks[i].mesh).is_absolute());
  }
  EXPECT_EQ(looks[1].scale, Vec3(0.001, 0.001, 0.001));
  EXPECT_EQ(looks[2].position_B, Vec3(1, 2, 3));
  EXPECT_EQ(looks[6].form, machine::VisualForm::kBox);
  EXPECT_EQ(looks[6].size, Vec3(1, 2, 3));
  EXPECT_EQ(looks[6].colour, Vec3(1, 0.5, 0));
  ASSERT_EQ(file.notes.size(), 2u) << all(file.notes);
  EXPECT_NE(file.notes[0].message.find("there is no mesh '../meshes/lost.dae' (looked for as "),
            std::string::npos);
  EXPECT_EQ(file.notes[0].line, test::line_of(urdf, "lost.dae"));
  EXPECT_NE(file.notes[1].message.find("there is no mesh 'package://other/x.wrl'"),
            std::string::npos);
  ASSERT_EQ(file.imports.size(), 1u);
  EXPECT_EQ(file.imports[0].links[1].looks.size(), 7u);
  EXPECT_EQ(file.imports[0].links[1].looks[2], "mesh b.obj");
}

TEST(UrdfImport, MeshesOutOfTheirPackageOrFromElsewhereAreNoted) {
  const TemporaryFolder folder;
  folder.write("crane/package.xml", "<package><name>crane</name></package>");
  folder.write("secret.stl", "solid a\nendsolid a\n");
  folder.write("crane/notes.txt", "no mesh\n");
  const auto with = [&](const std::string& uri) {
    folder.write("crane/arm.urdf",
                 test::replaced(smooth(kUrdf), "<inertial>\n      <origin xyz=\"0.4",
                                "<visual><geometry><mesh filename=\"" + uri +
                                    "\"/></geometry></visual><inertial>\n      <origin "
                                    "xyz=\"0.4"));
    return io::read_machine(folder.write("crane/machine.toml", kToml));
  };
  for (const char* uri : {"package://crane/../secret.stl", "package://crane/a/../../secret.stl",
                          "package://../secret.stl", "package:///etc/secret.stl",
                          "package://crane//etc/secret.stl"}) {
    const io::MachineFile file = with(uri);
    ASSERT_EQ(file.notes.size(), 1u) << uri;
    EXPECT_NE(file.notes[0].message.find("leads out of the package it names"), std::string::npos)
        << all(file.notes);
    EXPECT_EQ(file.imports[0].links[1].lost_meshes, 1);
  }
  EXPECT_NE(all(with("https://example.org/a.stl").notes).find("nothing is fetched"),
            std::string::npos);
  const io::MachineFile text = with("notes.txt");
  EXPECT_NE(all(text.notes).find("convert it to STL, OBJ or DAE"), std::string::npos);
  EXPECT_EQ(text.imports[0].links[1].looks[0], "mesh notes.txt (unknown format)");
  EXPECT_NE(all(with("package://crane").notes).find("there is no mesh"), std::string::npos);
  // By its path a file may lie anywhere.
  EXPECT_TRUE(with("../secret.stl").notes.empty());
}

TEST(UrdfImport, AnglesThatLookLikeDegreesAreNoted) {
  const TemporaryFolder folder;
  std::string urdf =
      test::replaced(smooth(kUrdf), "rpy=\"0 0.52359877559829882 0\"", "rpy=\"0 90 0\"");
  urdf = test::replaced(urdf, "lower=\"-1\" upper=\"2\"", "lower=\"-90\" upper=\"45\"");
  const std::vector<io::Diagnostic> notes = read(folder, urdf).notes;
  ASSERT_EQ(notes.size(), 2u) << all(notes);
  EXPECT_EQ(notes[0].line, test::line_of(urdf, "rpy"));
  EXPECT_NE(notes[0].message.find("are these degrees?"), std::string::npos);
  EXPECT_NE(notes[1].message.find("the limits of joint 'elbow' are -90 and 45 rad"),
            std::string::npos);
}

TEST(UrdfImport, WhatIsIgnoredIsSaidOncePerKind) {
  const TemporaryFolder folder;
  const std::string urdf = test::replaced(smooth(kUrdf), "</robot>", R"(
  <transmission name="t1"/>
  <transmission name="t2"/>
  <gazebo reference="upper"/>
  <ros2_control name="x" type="system"/>
</robot>)");
  const std::vector<io::Diagnostic> notes = read(folder, urdf).notes;
  ASSERT_EQ(notes.size(), 3u) << all(notes);
  EXPECT_EQ(notes[0].line, test::line_of(urdf, "<transmission"));
  EXPECT_EQ(notes[0].message,
            "<transmission> and 1 more like it are ignored; what drives a joint is said by "
            "[[actuator]] in the machine file");
  EXPECT_EQ(notes[1].message, "<gazebo> is ignored; it is for another simulator");
}

TEST(UrdfImport, HashAndTextsCoverTheUrdf) {
  const TemporaryFolder folder;
  const io::MachineFile a = read(folder, kUrdf);
  const std::string toml = (folder.path() / "machine.toml").string();
  ASSERT_EQ(a.files.size(), 2u);
  EXPECT_EQ(a.files[1], (folder.path() / "arm.urdf").string());
  const io::MachineFile b = read(folder, std::string(kUrdf) + "<!-- another -->\n");
  EXPECT_NE(a.hash, b.hash);
  // From memory alone, as a replay does it.
  std::filesystem::remove(folder.path() / "arm.urdf");
  const io::MachineFile c = io::read_machine_texts(kToml, toml, {{a.files[1], kUrdf}});
  EXPECT_EQ(c.hash, a.hash);
  EXPECT_EQ(c.model.joint_count(), 2);
  EXPECT_EQ(c.files, a.files);
}

TEST(UrdfImport, SessionsHoldTheUrdf) {
  io::SessionHeader header;
  const auto machine = config("machines/harvester_urdf/machine.toml");
  io::read_session_texts(config("exercises/free_play.toml"), machine, config("levers/nordic.toml"),
                         header);
  std::vector<io::NamedText> bases;
  for (const io::SessionText& text : header.texts)
    if (text.role == "base") bases.push_back({text.name, text.text});
  ASSERT_EQ(bases.size(), 1u);
  EXPECT_TRUE(bases[0].name.ends_with("crane.urdf"));
  EXPECT_EQ(io::read_machine_texts(header.texts[1].text, machine.string(), bases).hash,
            header.machine_hash);
}

TEST(UrdfImport, TheShippedCraneIsTheHarvester) {
  const machine::MachineModel ours =
      io::read_machine(config("machines/harvester/machine.toml")).model;
  const machine::MachineModel urdf =
      io::read_machine(config("machines/harvester_urdf/machine.toml")).model;
  ASSERT_EQ(urdf.joint_count(), 3);
  for (const std::vector<double>& q :
       {std::vector<double>{0.0, 0.0, -1.0}, {1.0, -0.3, -2.0}, {-2.0, 1.0, -0.6}}) {
    const multibody::MassAndBias a = dynamics(ours, q);
    const multibody::MassAndBias b = dynamics(urdf, q);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(b.bias[i], a.bias[i], 1e-12 * std::fabs(a.bias[i]));
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(b.M[i][j], a.M[i][j], 1e-12 * std::sqrt(a.M[i][i] * a.M[j][j]));
    }
  }
  // It also moves the same, including hydraulics.
  const command::Scenario scenario =
      io::read_scenario(config("scenarios/tip_circle.toml")).scenario;
  const sim::Simulation first(ours, scenario), second(urdf, scenario);
  sim::SimState x = first.initial_state(machine::Fidelity::kFull);
  sim::SimState y = second.initial_state(machine::Fidelity::kFull);
  for (int k = 0; k < 5000; ++k) {
    first.step(x);
    second.step(y);
  }
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y.machine.q[i], x.machine.q[i], 1e-12);
}

}  // namespace
}  // namespace knuckleboom::urdf_import_test
