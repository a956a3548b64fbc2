// air.toml: the shipped ones, and what a user can get wrong.
#include "knuckleboom/io/air_file.hpp"

#include <cmath>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
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
    const io::AirFile file = io::read_air(kMachines / name / "air.toml", model);
    ASSERT_EQ(file.cases.size(), 3u);
    EXPECT_EQ(file.cases[0].drives.size(), static_cast<std::size_t>(model.joint_count()));
    EXPECT_EQ(file.cases[1].name, "sine");
    for (const machine::AirRig& rig : file.cases)
      EXPECT_NEAR(rig.drives[0].cylinder.area_cap, 1.1401e-3, 1e-7);  // 1.5 inches
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

std::string faults_of(std::string text) {
  try {
    io::read_air_text(text, "air.toml", model_of("air_bench"));
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = R"(tick_ms = 1
[air]
supply_bar = 4
[valve]
full_V = 5
area_mm2 = 1.67
[[drive]]
joint = "piston"
bore_mm = 38.1
rod_mm = 10
stroke_mm = 38.1
retracted_m = 0
dead_a_cm3 = 3
dead_b_cm3 = 3
start_a_bar = 2
start_b_bar = 2
end_stops = { stiffness_N_per_m = 1e6 }
controller = { kp_V_per_m = 100, output_limit_V = 5 }
[[case]]
name = "sine"
joint = "piston"
mode = "track"
sine = { offset = 0.02, amplitude = 0.01, frequency_Hz = 0.2 }
start = { piston = 0.02 }
duration_s = 1
)";
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AirFile, SaysWhatIsWrong) {
  EXPECT_EQ(faults_of(with("tick_ms", "tick_ms")), "");
  EXPECT_THAT(faults_of(with("\"piston\"\nbore", "\"psiton\"\nbore")), HasSubstr("air.toml:8"));
  EXPECT_THAT(faults_of(with("\"piston\"\nbore", "\"psiton\"\nbore")),
              HasSubstr("no joint 'psiton'; did you mean 'piston'?"));
  EXPECT_THAT(faults_of(with("rod_mm = 10", "rod_mm = 40")), HasSubstr("thinner than the bore"));
  EXPECT_THAT(faults_of(with("supply_bar = 4", "supply_bar = -1")), HasSubstr("supply_bar"));
  EXPECT_THAT(faults_of(with("full_V = 5", "full_V = 0.5\ndead_zone_V = 1")),
              HasSubstr("within its dead zone"));
  // Out of range is one mistake.
  EXPECT_THAT(faults_of(with("full_V = 5", "full_V = 10")),
              testing::AllOf(HasSubstr("full_V"), testing::Not(HasSubstr("dead zone"))));
  EXPECT_THAT(faults_of(with("piston = 0.02", "piston = 0.2")), HasSubstr("beyond the stroke"));
  EXPECT_THAT(faults_of(with("piston = 0.02", "pistol = 0.02")), HasSubstr("'pistol'"));
  EXPECT_THAT(faults_of(with("mode = \"track\"", "mode = \"foot\"")), HasSubstr("no [foot]"));
  EXPECT_THAT(faults_of(with("sine = {", "wave = {")), HasSubstr("'wave'"));
  EXPECT_THAT(faults_of(with("start_b_bar = 2\n", "")), HasSubstr("start_b"));
  EXPECT_THAT(faults_of(with("tick_ms = 1", "tick_ms = 100")), HasSubstr("tick_ms"));
}

}  // namespace
}  // namespace knuckleboom
