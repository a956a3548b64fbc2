// The real-time models against converged solutions of the same equations, and the converged full model
// against an independent reference trace. The first 14 s of a scenario, which is a period of each sine and
// two thirds of the circle; KNUCKLEBOOM_LONG=1 asks for all of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "knuckleboom/io/trace.hpp"
#include "reference/converged.hpp"
#include "support/long_run.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;

sim::Simulation shipped(const std::string& machine, const std::string& scenario) {
  const fs::path config = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  return {io::read_machine(config / "machines" / machine / "machine.toml").model,
          io::read_scenario(config / "scenarios" / (scenario + ".toml")).scenario};
}

struct Limits {
  double position_rms, position_max;  // rad
  double pressure_rms;                // Pa
};

struct Case {
  const char* machine;
  const char* scenario;
  machine::Fidelity fidelity;
  Limits limits;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.scenario << " on " << c.machine << ", " << machine::word_of(c.fidelity);
}

std::int64_t ticks_of(const sim::Simulation& simulation) {
  const auto first = static_cast<std::int64_t>(14.0 / simulation.tick_s());
  return test::long_run() ? simulation.tick_count() : std::min(first, simulation.tick_count());
}

class RealTimeAgainstConverged : public testing::TestWithParam<Case> {};

TEST_P(RealTimeAgainstConverged, StaysWithinTheLimits) {
  const Case& c = GetParam();
  const sim::Simulation simulation = shipped(c.machine, c.scenario);
  reference::ConvergedSolver converged(simulation);
  sim::SimState real_time = simulation.initial_state(c.fidelity);
  sim::SimState exact = real_time;
  const int n = simulation.model().joint_count();
  const std::int64_t ticks = ticks_of(simulation);
  std::array<double, kMaxLinks> sum_q{}, sum_p{};
  double worst_q = 0.0;
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    simulation.step(real_time);
    converged.step(exact);
    for (int i = 0; i < n; ++i) {
      const double dq = real_time.machine.q[i] - exact.machine.q[i];
      sum_q[static_cast<std::size_t>(i)] += dq * dq;
      worst_q = std::max(worst_q, std::fabs(dq));
      for (int s = 0; s < 2; ++s) {
        const double dp = real_time.machine.actuator[i].p[s] - exact.machine.actuator[i].p[s];
        sum_p[static_cast<std::size_t>(i)] += 0.5 * dp * dp;
      }
    }
  }
  // The worst joint counts.
  const auto rms = [&](const std::array<double, kMaxLinks>& sum) {
    return std::sqrt(*std::max_element(sum.begin(), sum.end()) / static_cast<double>(ticks));
  };
  RecordProperty("position_rms_rad", std::to_string(rms(sum_q) * 1e9) + "e-9");
  std::printf("position rms %.2g rad, max %.2g rad; pressure rms %.3g Pa\n", rms(sum_q), worst_q,
              rms(sum_p));
  EXPECT_LE(rms(sum_q), c.limits.position_rms);
  EXPECT_LE(worst_q, c.limits.position_max);
  EXPECT_LE(rms(sum_p), c.limits.pressure_rms);
  EXPECT_EQ(real_time.machine.health.newton_unconverged, 0);
  EXPECT_EQ(real_time.machine.health.non_finite, 0);
  EXPECT_EQ(real_time.machine.health.valve_switches, exact.machine.health.valve_switches);
}

constexpr double kAny = INFINITY;
constexpr Limits kFullSmooth{2e-6, kAny, 2e3};
constexpr Limits kFullPulse{1e-5, kAny, 10e3};
constexpr Limits kReduced{2e-5, 2e-5, 20e3};  // at switchings too, where 1e-4 would do
constexpr auto kFull = machine::Fidelity::kFull;
constexpr auto kRed = machine::Fidelity::kReduced;
constexpr auto kPaper = machine::Fidelity::kPaper;

INSTANTIATE_TEST_SUITE_P(Shipped, RealTimeAgainstConverged,
                         testing::Values(Case{"harvester", "stick_sine", kFull, kFullSmooth},
                                         Case{"harvester", "boom_sine", kFull, kFullSmooth},
                                         Case{"harvester", "tip_circle", kFull, kFullSmooth},
                                         Case{"harvester", "boom_pulse", kFull, kFullPulse},
                                         Case{"harvester", "swing_pulse", kFull, kFullPulse},
                                         Case{"harvester_paper", "boom_pulse", kFull, kFullPulse},
                                         Case{"harvester", "stick_sine", kRed, kReduced},
                                         Case{"harvester", "boom_sine", kRed, kReduced},
                                         Case{"harvester", "tip_circle", kRed, kReduced},
                                         Case{"harvester", "boom_pulse", kRed, kReduced},
                                         Case{"harvester", "swing_pulse", kRed, kReduced},
                                         Case{"harvester_paper", "boom_pulse", kRed, kReduced},
                                         Case{"harvester", "stick_sine", kPaper, kReduced},
                                         Case{"harvester", "boom_sine", kPaper, kReduced},
                                         Case{"harvester", "tip_circle", kPaper, kReduced},
                                         Case{"harvester", "boom_pulse", kPaper, kReduced},
                                         Case{"harvester", "swing_pulse", kPaper, kReduced},
                                         Case{"harvester_paper", "boom_pulse", kPaper, kReduced}),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::string(info.param.scenario) + "_" + info.param.machine +
                                  "_" + machine::word_of(info.param.fidelity);
                         });

TEST(Reference, ConvergedFullModelMatchesTheIndependentTrace) {
  const fs::path file = fs::path(KNUCKLEBOOM_SHARED_DIR) / "reference" / "stick_sine_full.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "the reference trace is not beside this source tree";
  const io::Trace trace = io::read_trace(file);
  const auto column = [&](const char* name) -> const std::vector<double>& {
    const auto at = std::find(trace.columns.begin(), trace.columns.end(), name);
    if (at == trace.columns.end()) throw std::runtime_error(std::string("no column ") + name);
    return trace.data[static_cast<std::size_t>(at - trace.columns.begin())];
  };
  const char* const names[3] = {"sw", "bm", "sk"};

  const sim::Simulation simulation = shipped("harvester_paper", "stick_sine");
  reference::ConvergedSolver converged(simulation);
  sim::SimState state = simulation.initial_state(kFull);
  double worst_q = 0.0, worst_v = 0.0, worst_ref = 0.0, worst_u = 0.0, worst_p = 0.0;
  int flags = 0;
  const std::size_t rows = column("t").size();
  ASSERT_EQ(rows, 4000u);
  for (std::size_t row = 0; row < rows; ++row) {
    for (int tick = 0; tick < 10; ++tick) converged.step(state);
    ASSERT_NEAR(simulation.time(state), column("t")[row], 1e-9);
    for (int i = 0; i < 3; ++i) {
      const std::string n = names[i];
      const machine::ActuatorState& a = state.machine.actuator[i];
      const auto off = [&](double value, const std::string& name) {
        return std::fabs(value - column(name.c_str())[row]);
      };
      worst_q = std::max(worst_q, off(state.machine.q[i], "q" + n));
      worst_v = std::max(worst_v, off(state.machine.v[i], "d" + n));
      worst_ref = std::max(worst_ref, off(state.reference[i], "ref_" + n));
      worst_u = std::max(worst_u, off(a.command_V, "u" + n));
      worst_p = std::max(worst_p, off(a.p[0], "P1" + n));
      worst_p = std::max(worst_p, off(a.p[1], "P4" + n));
      flags += off(a.open, "open_" + n) > 0.5 ? 1 : 0;
    }
  }
  std::printf("q %.2g rad, rate %.2g rad/s, reference %.2g rad, valve %.2g V, port %.3g Pa\n",
              worst_q, worst_v, worst_ref, worst_u, worst_p);
  EXPECT_LE(worst_q, 2e-5);
  EXPECT_LE(worst_v, 5e-4);    // 2e-5 rad at the 4 Hz of the oil
  EXPECT_LE(worst_ref, 1e-8);  // as many digits as the trace has
  EXPECT_LE(worst_u, 8e-4);    // 40 V/rad times 2e-5 rad
  EXPECT_LE(worst_p, 20e3);
  EXPECT_EQ(flags, 0);
  EXPECT_EQ(state.machine.health.valve_switches, 17);
}

}  // namespace
}  // namespace knuckleboom
