// Machine files with pneumatic cylinders: the shipped ones, and what a user can get wrong.
#include <cmath>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kMachines = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config" / "machines";

machine::MachineModel model_of(const std::string& name) {
  return io::read_machine(kMachines / name / "machine.toml").model;
}

TEST(AirFile, ReadsTheShippedOnes) {
  for (const std::string name : {"air_bench", "rescue_leg"}) {
    const machine::MachineModel model = model_of(name);
    ASSERT_TRUE(model.on_air());
    EXPECT_EQ(model.controllers.size(), static_cast<std::size_t>(model.joint_count()));
    EXPECT_EQ(model.supply.pump_Pa, model.air.P_supply - model.air.P_ambient);
    command::Scenario scenario;
    for (int i = 0; i < model.joint_count(); ++i) {
      const multibody::Body& body = model.tree.body(model.tree.link(i).body);
      command::InitialJoint start;
      start.joint = body.joint_name;
      start.position = 0.5 * (body.lower + body.upper);
      scenario.initial.push_back(start);
    }
    // At the pressures of the file, the cap of 1.5 inches with the rod's 10 mm against it.
    const sim::Simulation simulation(model, scenario);
    const sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    const sim::Snapshot snapshot = sim::take_snapshot(simulation, state);
    EXPECT_NEAR(snapshot.actuator[0].port_a_Pa, 2e5 - 1.013e5, 1e-9);
    EXPECT_NEAR(snapshot.actuator[0].force, (2e5 - 1.013e5) * 25e-6 * M_PI, 1e-9);
  }
}

// Table 1 of Daepp and Book, link by link: Rz(theta) Tz(d) Tx(a) Rx(alpha), inches.
TEST(AirFile, LegHasThePapersFrames) {
  constexpr double kInch = 0.0254;
  const double d[3] = {1.608, 0.0, 0.0}, a[3] = {5.75, 6.828, 12.0}, alpha[3] = {-M_PI / 2, 0, 0};
  const machine::MachineModel model = model_of("rescue_leg");
  for (const double s : {-0.3, 0.0, 0.21}) {
    const double q[kMaxLinks] = {s, -0.5 * s, 1.4 + s};
    Mat3 R = Mat3::Identity();
    Vec3 p(0.0, 0.0, 0.6);
    for (int k = 0; k < 3; ++k) {
      const Mat3 turn = Eigen::AngleAxisd(q[k], Vec3::UnitZ()).toRotationMatrix();
      p += R * (turn * Vec3(kInch * a[k], 0.0, 0.0) + Vec3(0.0, 0.0, kInch * d[k]));
      R = R * turn * Eigen::AngleAxisd(alpha[k], Vec3::UnitX()).toRotationMatrix();
    }
    const double still[kMaxLinks] = {};
    const Vec3 foot =
        multibody::point_motion(model.tree, multibody::forward_kinematics(model.tree, q, still),
                                model.tip_body, model.tip_B)
            .p_W;
    EXPECT_LT((foot - p).norm(), 1e-7);
  }
}

std::string faults_of(const std::string& text) {
  try {
    io::read_machine_text(text, "machine.toml");
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = R"(name = "bench"
source = "test"
gravity_m_per_s2 = 9.81
[air]
supply_bar = 4
[air.valve]
full_V = 5
area_mm2 = 1.67
[[body]]
name = "load"
position_m = [0, 0, 0]
mass_kg = 1.5
com_m = [0, 0, 0]
inertia_kg_m2 = [0.001, 0.001, 0.001]
joint = { name = "piston", type = "prismatic", axis = [0, 0, -1], lower_mm = 0, upper_mm = 38 }
[tip]
body = "load"
position_m = [0, 0, 0]
[[actuator]]
joint = "piston"
kind = "air_cylinder"
bore_mm = 38.1
rod_mm = 10
stroke_mm = 38.1
closed_length_m = 0
dead_a_cm3 = 3
dead_b_cm3 = 3
start_a_bar = 2
start_b_bar = 2
friction_N_s_per_m = 60
end_stops = { cushion_mm = 0, cushion_damping_N_s_per_m = 0, stiffness_N_per_m = 1e6, damping_N_s_per_m = 0 }
[[controller]]
joint = "piston"
kp_V_per_m = 100
output_limit_V = 5
)";
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AirFile, SaysWhatIsWrong) {
  EXPECT_EQ(faults_of(with("rod_mm", "rod_mm")), "");
  EXPECT_THAT(faults_of(with("\"piston\"\nkind", "\"psiton\"\nkind")),
              HasSubstr("machine.toml:20"));
  EXPECT_THAT(faults_of(with("\"piston\"\nkind", "\"psiton\"\nkind")),
              HasSubstr("'psiton', which does not exist; did you mean 'piston'?"));
  EXPECT_THAT(faults_of(with("rod_mm = 10", "rod_mm = 40")),
              HasSubstr("not thinner than its bore"));
  EXPECT_THAT(faults_of(with("supply_bar = 4", "supply_bar = -1")), HasSubstr("supply_bar"));
  EXPECT_THAT(faults_of(with("supply_bar = 4", "supply_bar = 1")),
              HasSubstr("the supply must be above the surroundings"));
  EXPECT_THAT(faults_of(with("full_V = 5", "full_V = 0.5\ndead_zone_V = 1")),
              HasSubstr("within its dead zone"));
  // Out of range is one mistake.
  EXPECT_THAT(faults_of(with("full_V = 5", "full_V = 10")),
              testing::AllOf(HasSubstr("full_V"), testing::Not(HasSubstr("dead zone"))));
  EXPECT_THAT(faults_of(with("start_b_bar = 2\n", "")), HasSubstr("start_b"));
  EXPECT_THAT(faults_of(with("stroke_mm = 38.1\n", "")), HasSubstr("stroke"));
  EXPECT_THAT(faults_of(with("dead_b_cm3 = 3", "dead_b_cm3 = 3\nvalve = \"v\"")),
              HasSubstr("'valve'"));
  EXPECT_THAT(faults_of(with("{ cushion_mm", "{ min_mm = 0, max_mm = 30, cushion_mm")),
              HasSubstr("its ends are those of the stroke"));
  EXPECT_THAT(faults_of(with("[[body]]", "[supply]\npump_bar = 200\n[[body]]")),
              HasSubstr("is for oil, and this machine is on air"));
  EXPECT_THAT(faults_of(with("kind = \"air_cylinder\"", "kind = \"air\"")),
              HasSubstr("air_cylinder"));
}

}  // namespace
}  // namespace knuckleboom
