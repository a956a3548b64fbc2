// Couplings of joints and joints of several freedoms in machine files.
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::joint_kinds_test {
namespace {

using test::faults;
using test::replaced;

constexpr char kStages[] = R"(name = "stages"
source = "test"
gravity_m_per_s2 = 9.81
tip = { body = "second", position_m = [0, 0, 0] }

[[body]]
name = "first"
position_m = [0, 0, 0]
mass_kg = 10
com_m = [0, 0, 0]
inertia_kg_m2 = [0, 0, 0]
joint = { name = "out", type = "prismatic", axis = [1, 0, 0], lower_mm = 0, upper_mm = 500 }

[[body]]
name = "second"
parent = "first"
position_m = [0, 0, 0]
mass_kg = 5
com_m = [0, 0, 0]
inertia_kg_m2 = [0, 0, 0]
joint = { name = "further", type = "prismatic", axis = [1, 0, 0] }

[[body]]
name = "winch"
position_m = [0, 1, 0]
mass_kg = 5
com_m = [0, 0, 0]
inertia_kg_m2 = [0.1, 0.1, 0.1]
joint = { name = "drum", type = "revolute", axis = [0, 0, 1] }

[[coupling]]
joint = "further"
follows = "out"
ratio = 1
offset_mm = 20

[[coupling]]
joint = "drum"
follows = "out"
ratio = -8
offset_deg = 90
)";

machine::MachineModel read(const std::string& text) {
  return io::read_machine_text(text, "m.toml", {}).model;
}

TEST(CouplingsInFiles, AreReadInTheirUnits) {
  const machine::MachineModel model = read(kStages);
  ASSERT_EQ(model.couplings.size(), 2u);
  EXPECT_EQ(model.couplings[0].joint, model.tree.find_joint("further"));
  EXPECT_EQ(model.couplings[0].follows, model.tree.find_joint("out"));
  EXPECT_EQ(model.couplings[0].ratio, 1.0);
  EXPECT_NEAR(model.couplings[0].offset, 0.02, 1e-17);
  EXPECT_EQ(model.couplings[1].ratio, -8.0);
  EXPECT_NEAR(model.couplings[1].offset, 0.5 * M_PI, 1e-15);
  EXPECT_TRUE(model.coupled());
}

struct Mistake {
  const char* from;
  const char* to;
  const char* marker;
  const char* sentence;
};
TEST(CouplingsInFiles, MistakesAreToldWithTheirPlace) {
  const Mistake all[] = {
      {"follows = \"out\"\nratio = 1\n", "follows = \"outt\"\nratio = 1\n", "follows = \"outt\"",
       "coupling 'further' names the joint 'outt', which does not exist; did you mean 'out'?"},
      {"joint = \"drum\"\nfollows = \"out\"\nratio = -8\noffset_deg = 90",
       "joint = \"out\"\nfollows = \"further\"\nratio = -8", "[[coupling]]\njoint = \"out\"",
       "coupling 'out': it follows 'further', which in turn follows it; take one coupling out of "
       "the circle"},
      {"ratio = -8\n", "", "[[coupling]]\njoint = \"drum\"", "coupling 'drum' lacks 'ratio'"},
      {"ratio = -8\n", "ratio = 0\n", "[[coupling]]\njoint = \"drum\"",
       "coupling 'drum': a ratio of zero lets it stand still; fix its body instead"},
      {"offset_deg", "offset_mm", "offset_mm = 90", "offset"},
  };
  for (const Mistake& m : all) {
    const std::string text = replaced(kStages, m.from, m.to);
    ASSERT_FALSE(text.empty()) << m.from;
    const std::vector<io::Diagnostic> told = faults([&] { read(text); });
    ASSERT_FALSE(told.empty()) << m.to;
    EXPECT_NE(told.front().message.find(m.sentence), std::string::npos) << told.front().message;
    EXPECT_EQ(told.front().line, test::line_of(text, m.marker)) << told.front().message;
  }
}

TEST(CouplingsInFiles, StartTogether) {
  command::Scenario scenario;
  scenario.duration_s = 1.0;
  scenario.initial = {{"drum", 0.5 * M_PI - 2.0, false, false, 0.0, 0.0}};
  const sim::Simulation simulation(read(kStages), scenario);
  const sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  EXPECT_NEAR(state.machine.q[0], 0.25, 1e-15);
  EXPECT_NEAR(state.machine.q[1], 0.27, 1e-15);
}

// A body on a joint, on the tilted plane of its parent.
std::string one_body(const std::string& joint) {
  return R"(name = "one"
source = "test"
gravity_m_per_s2 = 9.81
tip = { body = "puck", position_m = [0, 0, 0] }
[[body]]
name = "puck"
position_m = [0.3, 0, 1]
rpy_deg = [0, 30, 0]
mass_kg = 2
com_m = [0, 0, 0]
inertia_kg_m2 = [0.1, 0.2, 0.25]
joint = )" +
         joint + "\n";
}

TEST(JointKinds, APlanarJointIsThreeJoints) {
  const machine::MachineModel model =
      read(one_body("{ name = \"deck\", type = \"planar\", axis = [0, 0, 2], along = [0, 1, 0], "
                    "x = { lower_m = -1, upper_m = 1 }, turn = { damping_N_m_s_per_rad = 0.5 } }"));
  ASSERT_EQ(model.joint_count(), 3);
  EXPECT_EQ(model.joint_name(0), "deck_x");
  EXPECT_EQ(model.joint_name(1), "deck_y");
  EXPECT_EQ(model.joint_name(2), "deck_turn");
  EXPECT_EQ(model.tree.body(0).name, "puck_x");
  EXPECT_EQ(model.tree.body(2).name, "puck");
  EXPECT_FALSE(model.tree.link(1).revolute);
  EXPECT_TRUE(model.tree.link(2).revolute);
  EXPECT_EQ(model.tree.body(0).upper, 1.0);
  EXPECT_EQ(model.tree.link(2).damping, 0.5);
  // x along the parent's y, y along minus its x, turned by the pitch; turning about the normal.
  const double q[kMaxLinks] = {0.1, 0.2, 0.3}, v[kMaxLinks] = {};
  const auto kinematics = multibody::forward_kinematics(model.tree, q, v);
  const multibody::Pose pose =
      multibody::body_pose(model.tree, kinematics, model.tree.find_body("puck"));
  const double c = std::cos(M_PI / 6.0), s = std::sin(M_PI / 6.0);
  EXPECT_LT((pose.p - Vec3(0.3 - 0.2 * c, 0.1, 1.0 + 0.2 * s)).norm(), 1e-15);
  EXPECT_LT((pose.R.col(2) - Vec3(s, 0.0, c)).norm(), 1e-15);
}

// It slides down the plane and goes on turning.
TEST(JointKinds, APuckOnATiltedPlane) {
  const machine::MachineModel model =
      read(one_body("{ name = \"deck\", type = \"planar\", axis = [0, 0, 1], along = [1, 0, 0] }"));
  command::Scenario scenario;
  scenario.duration_s = 1.0;
  for (const char* joint : {"deck_x", "deck_y", "deck_turn"})
    scenario.initial.push_back({joint, 0.0, false, false, 0.0, 0.0});
  const sim::Simulation simulation(model, scenario);
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  state.machine.v[1] = -0.7;
  state.machine.v[2] = 3.0;
  for (int k = 0; k < 1000; ++k) simulation.step(state);
  EXPECT_NEAR(state.machine.v[0], 9.81 * 0.5, 1e-12);
  EXPECT_NEAR(state.machine.q[1], -0.7, 1e-12);
  EXPECT_NEAR(state.machine.v[2], 3.0, 1e-12);
  EXPECT_NEAR(state.machine.q[2], 3.0, 1e-12);
}

// Two shafts at an angle: the second turns unevenly, by Cardan's ratio.
TEST(JointKinds, AUniversalJointTurnsUnevenly) {
  constexpr double kAngle = 0.6;
  std::string text = R"(name = "shafts"
source = "test"
gravity_m_per_s2 = 9.81
tip = { body = "driven", position_m = [0, 0, 0] }
[[body]]
name = "driving"
position_m = [0, 0, 0]
mass_kg = 1
com_m = [0, 0, 0]
inertia_kg_m2 = [0.1, 0.1, 0.1]
joint = { name = "shaft", type = "revolute", axis = [0, 0, 1] }
[[body]]
name = "driven"
parent = "driving"
position_m = [0, 0, 0]
mass_kg = 1
com_m = [0, 0, 0]
inertia_kg_m2 = [0.1, 0.1, 0.1]
joint = { name = "cross", type = "universal", axis = [1, 0, 0], second_axis = [0, 1, 0] }
[[loop]]
name = "bearing"
kind = "point_line"
body_a = "driven"
point_a_m = [0, 0, 1]
body_b = "base"
point_b_m = [0, 0, 0]
direction_b = )";
  text +=
      "[" + std::to_string(std::sin(kAngle)) + ", 0, " + std::to_string(std::cos(kAngle)) + "]\n";
  const machine::MachineModel model = read(text);
  const Vec3 line(std::stod(std::to_string(std::sin(kAngle))), 0.0,
                  std::stod(std::to_string(std::cos(kAngle))));
  const double s = line.x() / line.norm(), c = line.z() / line.norm();
  for (int k = 0; k < 50; ++k) {
    double q[kMaxLinks] = {0.13 * k, 0.0, 0.6}, v[kMaxLinks] = {1.0};
    const bool fixed[kMaxLinks] = {true};
    double gap = 0.0;
    ASSERT_LT(model.loop_system.assemble(model.tree, fixed, q, gap), 0);
    multibody::Embedding e;
    const std::int64_t dependent = model.loop_system.choose(model.tree, q, fixed);
    ASSERT_EQ(dependent, 6);
    model.loop_system.embed(model.tree, dependent, v, q, e);
    multibody::expand(e, v);
    const auto kinematics = multibody::forward_kinematics(model.tree, q, v);
    const Vec3 omega = kinematics.link[2].omega_W;
    const double ratio = omega.dot(line.normalized());
    EXPECT_NEAR(std::fabs(ratio), c / (1.0 - s * s * std::pow(std::cos(q[0]), 2)), 1e-12);
    EXPECT_LT((omega - ratio * line.normalized()).norm(), 1e-12);
  }
}

TEST(JointKinds, MistakesAreTold) {
  const char* const all[][2] = {
      {"{ name = \"u\", type = \"universal\", axis = [1, 0, 0], second_axis = [1, 1, 0] }",
       "'second_axis' and 'axis' of joint 'u' are not at right angles"},
      {"{ name = \"u\", type = \"universal\", axis = [1, 0, 0] }", "joint 'u' lacks 'second_axis'"},
      {"{ name = \"p\", type = \"planar\", axis = [1, 0, 0] }", "joint 'p' lacks 'along'"},
      {"{ name = \"p\", type = \"planar\", axis = [1, 0, 0], along = [0, 1, 0], damping = 1 }",
       "damping"},
      {"{ name = \"p\", type = \"planar\", axis = [1, 0, 0], along = [0, 1, 0], "
       "x = { lower_m = 1 } }",
       "'x' of joint 'p' has only one limit"},
      {"{ name = \"r\", type = \"revolute\", axis = [1, 0, 0], along = [0, 1, 0] }", "along"},
  };
  for (const auto& [joint, sentence] : all) {
    const std::vector<io::Diagnostic> told = faults([&] { read(one_body(joint)); });
    ASSERT_FALSE(told.empty()) << joint;
    EXPECT_NE(told.front().message.find(sentence), std::string::npos) << told.front().message;
    EXPECT_EQ(told.front().line, 12) << told.front().message;
  }
}

}  // namespace
}  // namespace knuckleboom::joint_kinds_test
