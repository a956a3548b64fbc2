// Torque control of the hydraulic host's joints: a step settles, and a sine comes through.
#include "knuckleboom/core/emulation/torque_control.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::torque_control_test {
namespace {

using emulation::TorqueControl;

constexpr int kSubsteps = 8;
constexpr double kTick = 1e-3;
constexpr double kBandwidth_Hz = 80.0;

machine::MachineModel host() {
  return io::read_machine(std::string(KNUCKLEBOOM_SOURCE_DIR) +
                          "/config/machines/hydraulic_host/machine.toml")
      .model;
}

// All joints carry the arm's weight, and one of them a torque more; what all actuators really give.
class Rig {
 public:
  Rig()
      : simulation_(host(), scenario()),
        state_(simulation_.initial_state(machine::Fidelity::kFull)) {
    for (const machine::Actuator& a : simulation_.model().actuators)
      controls_.emplace_back(a, kTick);
  }

  // Torque of the joint beyond the weight, after a tick of 1 ms.
  double tick(int joint, double extra) {
    machine::MachineState& m = state_.machine;
    multibody::MassAndBias body;
    multibody::mass_and_bias(simulation_.model().tree, m.inertia, m.q, m.v, body);
    sim::TickInput input{};
    for (std::size_t k = 0; k < controls_.size(); ++k) {
      const int i = simulation_.model().actuators[k].link;
      const double torque = body.bias[i] + (i == joint ? extra : 0.0);
      const double speed = m.v[i] + kTick * m.a[i];
      input.actuator[k] = {controls_[k].command_V({torque, speed}, m.actuator[k], m.pump_Pa,
                                                  m.tank_Pa, kBandwidth_Hz),
                           sim::ActuatorMode::kVoltage, 0, 0.0};
    }
    for (int s = 0; s < kSubsteps; ++s) simulation_.step(state_, input);
    return controls_[static_cast<std::size_t>(joint)].torque(m.actuator[joint], m.v[joint]) -
           body.bias[joint];
  }
  double inertia(int joint) const {
    const machine::MachineState& m = state_.machine;
    multibody::MassAndBias body;
    multibody::mass_and_bias(simulation_.model().tree, m.inertia, m.q, m.v, body);
    return body.M[joint][joint];
  }
  const sim::SimState& state() const { return state_; }

 private:
  static command::Scenario scenario() {
    command::Scenario s;
    s.tick_s = kTick / kSubsteps;
    for (const char* joint : {"base", "roll", "pitch", "turn"}) s.initial.push_back({joint, 0.0});
    s.initial.push_back({"shoulder", 0.2});
    s.initial.push_back({"elbow", 0.1});
    for (command::InitialJoint& j : s.initial) {
      j.port_b_given = true;
      j.port_b_Pa = 10.5e6;
    }
    return s;
  }
  sim::Simulation simulation_;
  sim::SimState state_;
  std::vector<TorqueControl> controls_;
};

TEST(TorqueControl, StepSettlesInMilliseconds) {
  for (const int joint : {0, 1, 2, 3, 4, 5}) {
    Rig rig;
    const double step = 15.0 * rig.inertia(joint);  // 15 rad/s^2, were the other joints held
    for (int k = 0; k < 50; ++k) rig.tick(joint, 0.0);
    double most = 0.0;
    for (int k = 0; k < 30; ++k) {
      const double torque = rig.tick(joint, step);
      most = std::max(most, torque);
      if (k >= 8) {
        EXPECT_NEAR(torque, step, 0.1 * step) << "joint " << joint << ", tick " << k;
      }
    }
    EXPECT_LT(most, 1.25 * step) << joint;
    EXPECT_EQ(rig.state().machine.health.newton_unconverged, 0);
  }
}

// Amplitude and delay of a torque at several frequencies.
TEST(TorqueControl, PassesForty_Hz) {
  for (const int joint : {1, 2, 4}) {
    for (const double f : {10.0, 20.0, 40.0}) {
      Rig rig;
      const double amplitude = 5.0 * rig.inertia(joint);
      double c = 0.0, s = 0.0;
      const int periods = 10, ticks = static_cast<int>(periods * 1000.0 / f);
      for (int k = 0; k < 2 * ticks; ++k) {
        // A demand of a tick applies to its end.
        const double phase = 2.0 * std::numbers::pi * f * kTick * (k + 1);
        const double torque = rig.tick(joint, amplitude * std::sin(phase));
        if (k < ticks) continue;
        c += torque * std::cos(phase) * 2.0 / ticks;
        s += torque * std::sin(phase) * 2.0 / ticks;
      }
      const double gain = std::hypot(c, s) / amplitude;
      const double delay = -std::atan2(c, s) / (2.0 * std::numbers::pi * f);
      EXPECT_NEAR(gain, 1.0, 0.15) << joint << " at " << f;
      EXPECT_NEAR(delay, 1e-3, 0.3e-3) << joint << " at " << f;
    }
  }
}

}  // namespace
}  // namespace knuckleboom::torque_control_test
