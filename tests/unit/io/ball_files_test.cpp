// Spherical and free joints in machine, scenario and URDF files, and their channels.
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::ball_files_test {
namespace {

using test::faults;
using test::joined;
using test::replaced;

constexpr char kCarrier[] = R"(name = "carrier"
source = "test"
gravity_m_per_s2 = 9.81
tip = { body = "arm", position_m = [1, 0, 0] }

[[body]]
name = "frame"
position_m = [0, 0, 1]
rpy_deg = [0, 0, 90]
mass_kg = 100
com_m = [0, 0, 0]
inertia_kg_m2 = [10, 20, 25]
[body.joint]
name = "root"
type = "free"
x = { spring_kN_per_m = 50, damping_kN_s_per_m = 1 }
y = { spring_kN_per_m = 50, damping_kN_s_per_m = 1 }
z = { spring_kN_per_m = 80, damping_kN_s_per_m = 2 }
turn_spring_kN_m_per_rad = [30, 40, 50]
turn_damping_N_m_s_per_rad = [300, 400, 500]

[[body]]
name = "arm"
parent = "frame"
position_m = [0.5, 0, 0]
mass_kg = 10
com_m = [0.5, 0, 0]
inertia_kg_m2 = [0.1, 1, 1]
joint = { name = "ball", type = "spherical" }
)";

machine::MachineModel read(const std::string& text) {
  return io::read_machine_text(text, "m.toml", {}).model;
}

io::ScenarioFile scenario(const std::string& more) {
  return io::read_scenario_text("name = \"s\"\nmachine = \"carrier\"\nduration_s = 1\n" + more,
                                "s.toml", {});
}

TEST(BallFiles, AreReadWithTheirSlidesSpringsAndDampers) {
  const machine::MachineModel model = read(kCarrier);
  ASSERT_EQ(model.joint_count(), 11);
  ASSERT_EQ(model.balls.size(), 2u);
  const multibody::Ball& root = model.balls[0];
  EXPECT_EQ(root.name, "root");
  EXPECT_EQ(root.first, 3);
  EXPECT_TRUE(root.stiffness.isApprox(Vec3(30e3, 40e3, 50e3)));
  EXPECT_TRUE(root.damping.isApprox(Vec3(300, 400, 500)));
  EXPECT_EQ(model.balls[1].first, 7);
  EXPECT_TRUE(model.balls[1].stiffness.isZero(0.0));
  EXPECT_EQ(model.held, (1 << 3) | (1 << 7));
  EXPECT_TRUE(model.coupled());
  EXPECT_EQ(model.shown_name(5), "root");
  EXPECT_EQ(model.shown_name(2), "root_z");
  const multibody::Link& z = model.tree.link(model.tree.find_joint("root_z"));
  EXPECT_EQ(z.stiffness, 80e3);
  EXPECT_EQ(z.damping, 2e3);
  EXPECT_FALSE(z.revolute);
  EXPECT_EQ(model.tree.body(model.tree.find_body("frame")).inertia.mass, 100.0);
}

// On its springs the carrier sinks and pitches as they give, and the arm hangs from it.
TEST(BallFiles, AMachineOnSpringsStartsAtRest) {
  const machine::MachineModel model = read(kCarrier);
  const sim::Simulation simulation(model, scenario("").scenario);
  const sim::SimState state = simulation.initial_state(machine::Fidelity::kFull);
  EXPECT_NEAR(state.machine.q[2], -110.0 * 9.81 / 80e3, 1e-9);
  // The arm's weight half a metre ahead of the frame's centre, in small turns.
  const Vec3 bent = multibody::bend(state.machine.q + 3).phi;
  EXPECT_NEAR(bent.y(), 0.5 * 10.0 * 9.81 / 40e3, 1e-6);
  const Vec3 along =
      (multibody::orientation(state.machine.q + 3) * multibody::orientation(state.machine.q + 7)) *
      Vec3::UnitX();
  EXPECT_NEAR(along.z(), -1.0, 1e-9);
}

TEST(BallFiles, ScenariosStartThemByAnOrientation) {
  const machine::MachineModel model = read(kCarrier);
  const io::ScenarioFile file = scenario(
      "[initial.root]\nrpy_deg = [10, 80, -170]\n[initial.root_x]\nposition_m = 0.3\n"
      "[initial.ball]\nrpy_rad = [0, 0, 0]\n");
  EXPECT_TRUE(io::check_against(file.scenario, model, file.places).empty());
  const sim::Simulation simulation(model, file.scenario);
  const sim::SimState state = simulation.initial_state(machine::Fidelity::kFull);
  constexpr double kDegree = M_PI / 180.0;
  const Mat3 wanted = (Eigen::AngleAxisd(-170 * kDegree, Vec3::UnitZ()) *
                       Eigen::AngleAxisd(80 * kDegree, Vec3::UnitY()) *
                       Eigen::AngleAxisd(10 * kDegree, Vec3::UnitX()))
                          .toRotationMatrix();
  EXPECT_LT((multibody::orientation(state.machine.q + 3).toRotationMatrix() - wanted).norm(),
            1e-14);
  EXPECT_EQ(state.machine.q[0], 0.3);
  EXPECT_TRUE(multibody::orientation(state.machine.q + 7).isApprox(Eigen::Quaterniond::Identity()));
}

TEST(BallFiles, ChannelsAreQuaternionsAndAngularVelocities) {
  const machine::MachineModel model = read(kCarrier);
  const sim::Simulation simulation(
      model,
      scenario("[initial.root]\nrpy_rad = [0.1, 1.4, 2]\n[initial.ball]\nrpy_rad = [0, 0, 1]\n")
          .scenario);
  sim::SimState state = simulation.initial_state(machine::Fidelity::kFull);
  for (int t = 0; t < 3; ++t) state.machine.v[4 + t] = 0.3 + 0.2 * t;
  const sim::Snapshot shot = sim::take_snapshot(simulation, state);
  const Eigen::Quaterniond q = multibody::orientation(state.machine.q + 3);
  const Vec3 omega = multibody::angular_velocity(state.machine.q + 3, state.machine.v + 3);
  std::vector<std::string> names;
  std::map<std::string, double> read_value;
  for (const sim::Channel& channel : sim::all_channels(model)) {
    names.push_back(channel.name);
    read_value[channel.name] = channel.value(shot);
  }
  EXPECT_NEAR(read_value["root_qw"], q.w(), 1e-15);
  EXPECT_NEAR(read_value["root_qy"], q.y(), 1e-15);
  EXPECT_NEAR(read_value["root_omega_z_rad_s"], omega.z(), 1e-15);
  EXPECT_NEAR(read_value["ball_qz"], std::sin(0.5), 1e-15);
  const auto has = [&names](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const char* name : {"root_x_m", "root_z_m_s", "root_qw", "root_qx", "root_qy", "root_qz",
                           "root_omega_x_rad_s", "ball_qw", "ball_omega_y_rad_s"})
    EXPECT_TRUE(has(name)) << name;
  for (const char* name :
       {"root_yaw_rad", "root_hold_rad", "ball_roll_rad_s", "ball_pitch_ref_rad"})
    EXPECT_FALSE(has(name)) << name;
}

struct Mistake {
  const char *from, *to, *sentence;
};

TEST(BallFiles, MistakesInMachinesAreTold) {
  constexpr Mistake kAll[] = {
      {"type = \"spherical\" }", "type = \"spherical\", axis = [1, 0, 0] }", "axis"},
      {"type = \"spherical\" }", "type = \"spherical\", lower_deg = -10 }", "lower"},
      {"type = \"spherical\" }", "type = \"spherical\", turn_spring_N_m_per_rad = [1, -1, 1] }",
       "turn_spring"},
      {"inertia_kg_m2 = [0.1, 1, 1]", "inertia_kg_m2 = [0, 0, 0]",
       "A body on a spherical or free joint needs a mass and an inertia about every axis"},
      {"name = \"ball\"", "name = \"root\"", "there are two joints called 'root'"},
      {"[[body]]\nname = \"arm\"",
       "[[drive]]\njoint = \"root\"\ntorque_limit_N_m = 10\n[[body]]\nname = \"arm\"",
       "names the joint 'root', which turns in any direction and has no coordinate"},
      {"[[body]]\nname = \"arm\"",
       "[[drive]]\njoint = \"root_yaw\"\ntorque_limit_N_m = 10\n[[body]]\nname = \"arm\"",
       "names the joint 'root_yaw', which does not exist"},
      {"[[body]]\nname = \"arm\"",
       "[[coupling]]\njoint = \"root_x\"\nfollows = \"ball\"\nratio = 2\n[[body]]\nname = \"arm\"",
       "names the joint 'ball', which turns in any direction"},
  };
  for (const auto& [from, to, sentence] : kAll) {
    const std::string text = replaced(kCarrier, from, to);
    ASSERT_FALSE(text.empty()) << from;
    const std::string told = joined(faults([&text] { read(text); }));
    EXPECT_NE(told.find(sentence), std::string::npos) << told;
  }
}

TEST(BallFiles, MistakesInScenariosAreTold) {
  const machine::MachineModel model = read(kCarrier);
  constexpr const char* kAll[][2] = {
      {"[initial.root]\nposition_rad = 1\n",
       "joint 'root' turns in any direction and has no coordinate; nothing drives it, and its "
       "start "
       "is an orientation: 'rpy'"},
      {"[initial.root_x]\nrpy_rad = [0, 0, 0]\n",
       "joint 'root_x' has one coordinate; start it by 'position', not by an orientation"},
      {"[initial.root_yaw]\nposition_rad = 1\n", "has no joint 'root_yaw'"},
      {"[[joint]]\nname = \"ball\"\nmode = \"torque\"\nterms = [{ kind = \"hold\", value_N_m = 1 "
       "}]\n",
       "joint 'ball' turns in any direction"},
  };
  for (const auto& [text, sentence] : kAll) {
    const io::ScenarioFile file = scenario(text);
    const std::string told = joined(io::check_against(file.scenario, model, file.places));
    EXPECT_NE(told.find(sentence), std::string::npos) << text << told;
  }
}

constexpr char kUrdf[] = R"(<robot name="boat">
  <link name="world"/>
  <link name="hull">
    <inertial><mass value="5"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="root" type="floating">
    <origin xyz="1 2 3" rpy="0 0 0.5"/>
    <parent link="world"/><child link="hull"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
)";

io::MachineFile import(const std::string& urdf) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "boat.urdf") << urdf;
  std::ofstream(folder.path() / "m.toml")
      << "name = \"boat\"\nurdf = \"boat.urdf\"\ngravity_m_per_s2 = 9.81\nsource = \"test\"\n"
         "tip = { body = \"hull\", position_m = [0, 0, 0] }\n";
  return io::read_machine(folder.path() / "m.toml");
}

TEST(BallFiles, AFloatingJointOfAUrdfIsFree) {
  const io::MachineFile file = import(kUrdf);
  ASSERT_EQ(file.model.balls.size(), 1u);
  EXPECT_EQ(file.model.joint_count(), 7);
  EXPECT_EQ(file.model.tree.body(file.model.tree.link(0).body).in_parent.p, Vec3(1, 2, 3));
  EXPECT_EQ(file.imports.at(0).links.at(1).here, "free");
  EXPECT_NE(joined(file.notes)
                .find("<limit> of joint 'root' is not used: it is floating and has "
                      "several freedoms"),
            std::string::npos)
      << joined(file.notes);
}

TEST(BallFiles, APlanarJointOfAUrdfIsPlanar) {
  const io::MachineFile file = import(replaced(
      replaced(kUrdf, "floating", "planar"),
      "<limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/>", "<axis xyz=\"0 0 2\"/>"));
  EXPECT_EQ(file.model.joint_count(), 3);
  const multibody::Tree& tree = file.model.tree;
  const multibody::Body& x = tree.body(tree.link(0).body);
  EXPECT_EQ(x.joint_name, "root_x");
  EXPECT_EQ(x.type, multibody::JointType::kPrismatic);
  EXPECT_NEAR(x.axis_B.z(), 0.0, 1e-15);
  const multibody::Body& hull = tree.body(tree.link(2).body);
  EXPECT_EQ(hull.type, multibody::JointType::kRevolute);
  EXPECT_NEAR(hull.axis_B.z(), 1.0, 1e-15);
}

}  // namespace
}  // namespace knuckleboom::ball_files_test
