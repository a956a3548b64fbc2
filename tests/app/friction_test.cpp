// knuckleboom friction, and benches, end to end.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The row of a model.
std::string row(const std::string& output, const std::string& model) {
  const std::size_t at = output.find("  " + model + " ");
  return at == std::string::npos ? "" : output.substr(at, output.find('\n', at) - at);
}

TEST(FrictionStudy, tellsWhichModelsHoldAWeight) {
  for (const char* fidelity : {"full", "reduced"}) {
    const Outcome outcome = run({"friction", "friction_hold", "--fidelity", fidelity});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* model : {"coulomb_viscous", "stribeck"})
      EXPECT_THAT(row(outcome.output, model), AllOf(HasSubstr("100.0 %"), HasSubstr("holds")));
    EXPECT_THAT(outcome.output, HasSubstr("'holds' if the position stays the same"));
    // 200 N on 400 N at 1 mm/s; 200 N on 500 N s/m.
    EXPECT_THAT(row(outcome.output, "continuous_coulomb_viscous"), testing::EndsWith(" 0.5"));
    EXPECT_THAT(row(outcome.output, "viscous"), testing::EndsWith(" 400"));
  }
}

TEST(FrictionStudy, exchangesTheFrictionOfAnActuatorAndDraws) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "sine.svg").string();
  const Outcome outcome = run({"friction", "friction_sine", "--set", "scenario.duration_s=4",
                               "--fidelity", "full", "--plot", picture});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("machine.actuator.cylinder.friction"),
                                    HasSubstr("rms error mm"), HasSubstr("lugre")));
  EXPECT_THAT(content_of(picture), HasSubstr("<svg"));
}

TEST(FrictionStudy, asksWhereTheFrictionIs) {
  const Outcome outcome = run({"friction", "stick_sine"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors,
              HasSubstr("give the path of its table: --at actuator.swing.friction or --at "
                        "actuator.boom.friction or --at actuator.stick.friction"));
}

TEST(FrictionStudy, saysAllThatTheTableLacksAtOnce) {
  const Outcome outcome = run({"friction", "stick_sine", "--at", "actuator.boom.friction"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors,
              HasSubstr("machine.toml: the friction table actuator.boom.friction lacks coulomb_N, "
                        "static_N, peak_speed_m_per_s, fall_end, stribeck_speed_m_per_s, "
                        "bristle_stiffness_N_per_m and bristle_damping_N_s_per_m; every model"));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("--set")));
  const Outcome two = run({"friction", "friction_sine", "--at", "actuator.nix.friction"});
  EXPECT_THAT(two.errors, HasSubstr("--at actuator.nix.friction: 'actuator' has no entry 'nix'"));
}

TEST(Bench, drawsNoPanelsOfWhatItHasNot) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "run.svg").string();
  ASSERT_EQ(
      run({"run", "friction_hold", "--set", "scenario.duration_s=1", "--plot", picture}).status, 0);
  EXPECT_THAT(content_of(picture),
              AllOf(HasSubstr("joint load"), Not(HasSubstr("valve commands")),
                    Not(HasSubstr("port pressures")), Not(HasSubstr("tip path"))));
  // By voltage there is no reference.
  ASSERT_EQ(run({"run", "boom_pulse", "--set", "scenario.duration_s=1", "--plot", picture}).status,
            0);
  EXPECT_THAT(content_of(picture), AllOf(HasSubstr("valve commands"), HasSubstr("tip path"),
                                         Not(HasSubstr("reference"))));
}

TEST(Bench, takesACylinderOutOfAMachine) {
  const TemporaryFolder folder;
  write_text(folder / "rig.toml", R"(name = "rig"
machine = "harvester"
duration_s = 2
[bench]
actuator = "boom"
load_t = 3
slope_deg = 30
[initial.load]
position_m = 2.0
port_b_bar = 30
[[joint]]
name = "load"
mode = "voltage"
terms = [{ kind = "pulse", value_V = 4, start_s = 0.5, end_s = 1 }]
)");
  for (const char* fidelity : {"full", "reduced", "converged-full"}) {
    const Outcome outcome = run({"run", (folder / "rig.toml").string(), "--fidelity", fidelity});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("rig on harvester"));
  }
}

TEST(Bench, refusesAConvergedSolutionOfWhatSticks) {
  const Outcome outcome = run({"run", "friction_hold", "--fidelity", "converged-full"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("the friction of joint 'load' truly sticks"));
}

}  // namespace
}  // namespace knuckleboom::test
