// From levers and buttons to the commands of a machine on wheels: forwarder_8w with nordic_drive.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::controls_test {
namespace {

using command::LeverAxis;
using command::LeverButton;
using command::OperatorInput;
using command::Switch;

command::Scenario parked(const std::string& machine) {
  return io::read_scenario_text(
             "name = \"s\"\nmachine = \"" + machine +
                 "\"\nduration_s = 60\n[initial.boom]\nposition_rad = 0.5\n[initial.stick]\n"
                 "position_rad = -1.2\n",
             "s.toml", {})
      .scenario;
}

// With its levers, without stepping the machine itself.
struct Seat {
  sim::Simulation simulation;
  sim::OperatorControl control;
  sim::SimState sim;
  sim::OperatorState state;
  OperatorInput input{};

  explicit Seat(const std::string& machine)
      : simulation(
            io::read_machine(KNUCKLEBOOM_SOURCE_DIR "/config/machines/" + machine + "/machine.toml")
                .model,
            parked(machine)),
        control(simulation,
                io::read_levers(KNUCKLEBOOM_SOURCE_DIR "/config/levers/nordic_drive.toml").pattern),
        sim(simulation.initial_state(machine::Fidelity::kReduced)),
        state(control.initial_state(sim, command::ControlMode::kValve)) {}

  void hold(LeverButton button, bool down) {
    const std::int64_t bit = std::int64_t{1} << static_cast<int>(button);
    input.buttons = down ? input.buttons | bit : input.buttons & ~bit;
    settle();
  }
  void press(LeverButton button) {
    hold(button, true);
    hold(button, false);
  }
  void move(LeverAxis axis, double to) {
    input.axis[static_cast<int>(axis)] = to;
    settle();
  }
  // Long enough for all ramps.
  sim::TickInput settle() {
    sim::TickInput out{};
    for (int k = 0; k < 1500; ++k) {
      out = control.drive(input, sim, state).input;
      sim.input.carrier = out.carrier;
    }
    return out;
  }
  carrier::CarrierCommand carrier() { return settle().carrier; }
  double volts(const char* joint) {
    const sim::TickInput out = settle();
    const machine::MachineModel& model = simulation.model();
    for (std::size_t k = 0; k < model.actuators.size(); ++k)
      if (model.actuators[k].link == model.tree.find_joint(joint)) return out.actuator[k].value;
    return NAN;
  }
};

TEST(CarrierControls, DriveAndSteerTheWayTheSeatLooks) {
  Seat seat("forwarder_8w");
  EXPECT_FALSE(seat.control.looks_forwards(seat.state));  // to the crane, over the load space
  seat.move(LeverAxis::kRightPedal, 1.0);
  EXPECT_EQ(seat.carrier().drive, -1.0);
  seat.move(LeverAxis::kLeftTwist, 1.0);
  const double to_the_crane = seat.volts("steer");
  EXPECT_GT(std::fabs(to_the_crane), 5.0);
  seat.press(LeverButton::kLeft4);
  EXPECT_EQ(seat.carrier().drive, 1.0);
  EXPECT_EQ(seat.volts("steer"), -to_the_crane);
  // Direction turns the pedal alone.
  seat.press(LeverButton::kLeft2);
  EXPECT_EQ(seat.carrier().drive, -1.0);
  EXPECT_EQ(seat.volts("steer"), -to_the_crane);
  // The harvester's crane stands ahead of its cab.
  Seat other("harvester_8w");
  other.move(LeverAxis::kRightPedal, 1.0);
  EXPECT_EQ(other.carrier().drive, 1.0);
}

TEST(CarrierControls, ParkAndLockByThemselvesAndByHand) {
  Seat seat("forwarder_8w");
  EXPECT_EQ(seat.carrier().released, 0);
  EXPECT_EQ(seat.carrier().joint_lock, 1);
  seat.move(LeverAxis::kRightPedal, 0.8);
  EXPECT_EQ(seat.carrier().released, 1);
  EXPECT_EQ(seat.carrier().joint_lock, 0);
  // A crane that moves locks the frames, a steering that does not.
  seat.move(LeverAxis::kLeftTwist, 1.0);
  EXPECT_EQ(seat.carrier().joint_lock, 0);
  seat.move(LeverAxis::kRightY, -0.5);
  EXPECT_EQ(seat.carrier().joint_lock, 1);
  seat.move(LeverAxis::kRightY, 0.0);
  EXPECT_EQ(seat.carrier().joint_lock, 0);
  seat.press(LeverButton::kRight4);
  EXPECT_EQ(seat.carrier().joint_lock, 1);
  // What still rolls is not parked; by hand it is.
  seat.move(LeverAxis::kRightPedal, 0.0);
  seat.sim.carrier.wheel[0].spin = 1.0;
  seat.sim.input.carrier.released = 1;
  EXPECT_EQ(seat.carrier().released, 1);
  seat.press(LeverButton::kRight3);
  seat.move(LeverAxis::kRightPedal, 1.0);
  EXPECT_EQ(seat.carrier().released, 0);
  EXPECT_EQ(seat.carrier().drive, 0.0);
  seat.press(LeverButton::kRight3);
  EXPECT_LT(seat.carrier().drive, -0.9);
}

TEST(CarrierControls, TheBrakeTakesTheStrokeBackFirst) {
  Seat seat("forwarder_8w");
  seat.move(LeverAxis::kRightPedal, 1.0);
  seat.move(LeverAxis::kLeftPedal, -1.0);  // only its forward half brakes
  EXPECT_EQ(seat.carrier().brake, 0.0);
  seat.move(LeverAxis::kLeftPedal, 0.6);
  const carrier::CarrierCommand half = seat.carrier();
  EXPECT_GT(half.brake, 0.05);
  EXPECT_EQ(half.inching, std::min(1.0, 2.0 * half.brake));
  seat.move(LeverAxis::kLeftPedal, 0.0);
  seat.hold(LeverButton::kLeft1, true);
  EXPECT_EQ(seat.carrier().brake, 1.0);
  EXPECT_EQ(seat.carrier().inching, 1.0);
  seat.hold(LeverButton::kLeft1, false);
  EXPECT_EQ(seat.carrier().brake, 0.0);
  seat.press(LeverButton::kLeft3);
  seat.press(LeverButton::kRight2);
  EXPECT_EQ(seat.carrier().high_gear, 1);
  EXPECT_EQ(seat.carrier().differential_lock, 1);
  seat.press(LeverButton::kRight2);
  EXPECT_EQ(seat.carrier().differential_lock, 0);
}

TEST(CarrierControls, AnAxisThatChangesItsMeaningWaitsForItsMiddle) {
  Seat seat("forwarder_8w");
  seat.move(LeverAxis::kRightY, 1.0);
  EXPECT_GT(std::fabs(seat.volts("boom")), 5.0);
  seat.press(LeverButton::kRight1);
  EXPECT_EQ(seat.volts("boom"), 0.0);
  EXPECT_EQ(seat.carrier().drive, 0.0);
  seat.move(LeverAxis::kRightY, 0.0);
  seat.move(LeverAxis::kRightY, 1.0);
  EXPECT_EQ(seat.volts("boom"), 0.0);
  EXPECT_EQ(seat.carrier().drive, -1.0);
  // What has no other meaning keeps its own, and pedals go on as well.
  seat.move(LeverAxis::kLeftY, 1.0);
  EXPECT_GT(std::fabs(seat.volts("stick")), 5.0);
  seat.move(LeverAxis::kRightY, 0.0);
  seat.move(LeverAxis::kRightPedal, -1.0);
  EXPECT_EQ(seat.carrier().drive, 1.0);
  seat.press(LeverButton::kRight1);
  EXPECT_EQ(seat.state.lever_mode, 0);
}

// Boom-tip control asks for the same joint rates wherever the carrier stands and however it is tilted.
TEST(CarrierControls, TheTipMovesInTheFrameOfTheCrane) {
  double rates[2][2] = {};
  for (const int tilted : {0, 1}) {
    Seat seat("forwarder_8w");
    seat.control.set_mode(command::ControlMode::kBoomTip, seat.sim, seat.state);
    EXPECT_EQ(seat.state.mode, static_cast<int>(command::ControlMode::kBoomTip));
    const machine::MachineModel& model = seat.simulation.model();
    if (tilted != 0) {
      seat.sim.machine.q[0] += 7.0;
      seat.sim.machine.q[model.tree.find_joint("steer")] = 0.3;
    }
    seat.input.axis[static_cast<int>(LeverAxis::kLeftY)] = 1.0;  // out
    const double from[2] = {seat.state.reference[model.tree.find_joint("boom")],
                            seat.state.reference[model.tree.find_joint("stick")]};
    for (int k = 0; k < 600; ++k) seat.control.drive(seat.input, seat.sim, seat.state);
    rates[tilted][0] = seat.state.reference[model.tree.find_joint("boom")] - from[0];
    rates[tilted][1] = seat.state.reference[model.tree.find_joint("stick")] - from[1];
  }
  EXPECT_GT(rates[0][1], 0.01);
  EXPECT_NEAR(rates[1][0], rates[0][0], 1e-9);
  EXPECT_NEAR(rates[1][1], rates[0][1], 1e-9);
}

}  // namespace
}  // namespace knuckleboom::controls_test
