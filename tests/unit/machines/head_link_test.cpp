// The link with brakes below the boom's tip of both sized machines: docs/theory/head_pendulum.md.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "felt_run.hpp"

namespace knuckleboom::head_link_test {
namespace {

using felt::Drive;

// One pin of a link, by hand: weight times lever of all below it, friction, limits.
struct Pin {
  const char* machine;
  const char* joint;
  double plumb;       // position at which the grapple hangs straight in the pose of the runs
  double weight_N_m;  // m g l
  double slides_N_m, holds_N_m;
  double lower, upper;
};

constexpr double kG = 9.81;
const Pin kPins[] = {
    {"forwarder", "head_pitch", 0.65, kG*(28 * 0.08 + 52 * 0.31 + 290 * 0.97), 230, 250, -1.5, 3.1},
    {"forwarder", "head_roll", 0.0, kG*(52 * 0.14 + 290 * 0.80), 185, 200, -1.1, 1.1},
    {"harvester_wheeled", "head_pitch", 0.65, kG*(45 * 0.12 + 80 * 0.43 + 1200 * 1.32), 900, 1000,
     -1.4, 3.0},
    {"harvester_wheeled", "head_roll", 0.0, kG*(80 * 0.18 + 1200 * 1.07), 900, 1000, -1.0, 1.0}};

std::string text(const char* key, const char* joint, const char* rest, double value) {
  return std::string(key) + joint + rest + "=" + std::to_string(value);
}

// Let go at an angle from plumb, valves shut; the angle from one second later on.
std::vector<double> let_go(const Pin& pin, double angle, double seconds, double load_kg,
                           std::vector<std::string> overrides, machine::Fidelity fidelity) {
  const Drive run = felt::drive({pin.machine,
                                 fidelity,
                                 load_kg,
                                 std::move(overrides),
                                 {text("initial.", pin.joint, ".position_rad", pin.plumb + angle)}},
                                {}, seconds, 0.0);
  std::vector<double> out = run.position.at(pin.joint).value;
  for (double& q : out) q -= pin.plumb;
  return out;
}

// Where it stands for a moment before it swings back.
std::vector<double> turning_points(const std::vector<double>& angle) {
  std::vector<double> out;
  double way = 0.0;
  for (std::size_t i = 1; i < angle.size(); ++i) {
    const double step = angle[i] - angle[i - 1];
    if (step * way < 0.0) out.push_back(std::fabs(angle[i - 1]));
    if (step != 0.0) way = step;
  }
  return out;
}

class HeadLink : public testing::TestWithParam<machine::Fidelity> {};

// Dry friction alone, the crane held fast: m g l (cos b - cos a) = T (a + b) from one turning point a to the next one b,
// which for small angles is a - b = 2 T / (m g l).
TEST_P(HeadLink, SwingsDieByItsFriction) {
  for (const Pin& pin : kPins) {
    SCOPED_TRACE(std::string(pin.machine) + ": " + pin.joint);
    std::vector<std::string> fast{text("joint.", pin.joint, ".damping_N_m_s_per_rad", 0.0)};
    for (const char* key :
         {"swing.friction.coulomb_N_m", "swing.friction.static_N_m", "boom.friction.coulomb_N",
          "boom.friction.static_N", "stick.friction.coulomb_N", "stick.friction.static_N",
          "extension.friction.coulomb_N", "extension.friction.static_N"})
      fast.push_back(text("actuator.", key, "", 1e7));
    const std::vector<double> turned =
        turning_points(let_go(pin, 0.75, 3.0, 0.0, fast, GetParam()));
    ASSERT_GE(turned.size(), 2u);
    const double a = turned[0], b = turned[1];
    const double lost = pin.weight_N_m * (std::cos(b) - std::cos(a));
    EXPECT_NEAR(lost, pin.slides_N_m * (a + b), 0.03 * pin.slides_N_m * (a + b));
    EXPECT_NEAR(a - b, 2.0 * pin.slides_N_m / pin.weight_N_m, 0.06 * (a - b));
  }
}

// Each pin rests within asin(T / m g l), below 5 degrees, from wherever it is let go; a load only draws it nearer.
TEST_P(HeadLink, RestsWithinFiveDegreesOfPlumb) {
  for (const Pin& pin : kPins) {
    const double most = std::asin(pin.holds_N_m / pin.weight_N_m);
    EXPECT_LT(most, 5.0 * M_PI / 180.0);
    for (const double angle : {-0.45, 0.6}) {
      SCOPED_TRACE(std::string(pin.machine) + ": " + pin.joint + " from " + std::to_string(angle));
      const std::vector<double> empty = let_go(pin, angle, 6.0, 0.0, {}, GetParam());
      EXPECT_LT(std::fabs(empty.back()), most);
      EXPECT_NEAR(empty.back(), empty[empty.size() - 500], 1e-6);  // it stands
    }
  }
}

// The largest swings found on a grid of poses, times of slewing and loads: the lever thrown from one side to the other just
// in time. The stops of the forwarder's link are hit at 1.5 rad/s and yield by half a degree.
TEST_P(HeadLink, GoesNoFartherThanItsStops) {
  struct Worst {
    const char* machine;
    double load_kg, stick, telescope, held, back;  // telescope: how far its end is out
  };
  for (const Worst& w :
       {Worst{"forwarder", 0, -1.6, 1.11, 0.6, 1.2}, Worst{"forwarder", 0, -0.95, 1.85, 1.4, 0.0},
        Worst{"forwarder", 600, -1.6, 1.11, 0.6, 1.2},
        Worst{"harvester_wheeled", 0, -1.6, 0.72, 0.6, 1.2},
        Worst{"harvester_wheeled", 600, -1.6, 0.72, 0.6, 1.2}}) {
    SCOPED_TRACE(std::string(w.machine) + ", " + std::to_string(w.load_kg) + " kg, stick " +
                 std::to_string(w.stick));
    const double turn = felt::kStart + w.held, end = turn + w.back;
    char lever[240];
    std::snprintf(lever, sizeof lever,
                  "joint.swing.terms=[{ kind = \"pulse\", value_V = 5, start_s = 1, end_s = %g },"
                  " { kind = \"pulse\", value_V = -5, start_s = %g, end_s = %g }]",
                  turn, turn, end + 1e-3);
    const Drive run =
        felt::drive({w.machine,
                     GetParam(),
                     w.load_kg,
                     {},
                     {text("initial.", "stick", ".position_rad", w.stick),
                      text("initial.", "extension", ".position_m", 0.5 * w.telescope), lever}},
                    {}, w.held + w.back, 2.0);
    for (const Pin& pin : kPins) {
      if (std::string(pin.machine) != w.machine) continue;
      const std::vector<double>& q = run.position.at(pin.joint).value;
      const auto [least, most] = std::minmax_element(q.begin(), q.end());
      EXPECT_GT(*least, pin.lower - 0.015) << pin.joint;
      EXPECT_LT(*most, pin.upper + 0.015) << pin.joint;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, HeadLink,
                         testing::Values(machine::Fidelity::kReduced, machine::Fidelity::kFull),
                         [](const auto& info) { return machine::word_of(info.param); });

}  // namespace
}  // namespace knuckleboom::head_link_test
