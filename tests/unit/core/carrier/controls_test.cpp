// From levers and buttons to the commands of a machine on wheels: forwarder_8w with nordic_drive.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
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

command::Scenario parked(const std::string& machine, const std::string& ground) {
  return io::read_scenario_text(
             "name = \"s\"\nmachine = \"" + machine +
                 "\"\nduration_s = 60\n[initial.boom]\nposition_rad = 0.5\n[initial.stick]\n"
                 "position_rad = -1.2\n" +
                 ground,
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

  explicit Seat(const std::string& machine, const std::string& ground = "")
      : simulation(
            io::read_machine(KNUCKLEBOOM_SOURCE_DIR "/config/machines/" + machine + "/machine.toml")
                .model,
            parked(machine, ground)),
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
    const int link = simulation.model().tree.find_joint(joint);
    const int k = sim::take_snapshot(simulation, sim).actuator_of_joint[link];
    return out.actuator[k].value;
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
  // A machine that still rolls is not parked; by hand it is.
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
  // A lever without another meaning keeps its own, and pedals go on as well.
  seat.move(LeverAxis::kLeftY, 1.0);
  EXPECT_GT(std::fabs(seat.volts("stick")), 5.0);
  seat.move(LeverAxis::kRightY, 0.0);
  seat.move(LeverAxis::kRightPedal, -1.0);
  EXPECT_EQ(seat.carrier().drive, 1.0);
  seat.press(LeverButton::kRight1);
  EXPECT_EQ(seat.state.lever_mode, 0);
}

// Tip from the crane's foot along the axes of the frame that carries it [m].
Vec3 tip_in_frame(const Seat& seat) {
  const machine::MachineModel& model = seat.simulation.model();
  const multibody::Kinematics k =
      multibody::forward_kinematics(model.tree, seat.sim.machine.q, seat.sim.machine.v);
  const int frame = model.tree.body(model.tree.find_body("pillar")).parent;
  const multibody::Pose pose = multibody::body_pose(model.tree, k, frame);
  machine::PointPose tip;
  machine::locate(model, seat.control.tip(), seat.sim.machine.q, tip);
  return pose.R.transpose() * (tip.p_W - pose.p);
}

// Out, on a slope of 20 %: along the frame, which the world's level would miss by a fifth.
TEST(CarrierControls, TheTipMovesInTheFrameOfTheCrane) {
  Seat seat("forwarder_8w", "[ground]\nlevel_radius_m = 0\nsize_m = 200\nslope_x = -0.2\n");
  seat.control.set_mode(command::ControlMode::kBoomTip, seat.sim, seat.state);
  EXPECT_EQ(seat.state.mode, static_cast<int>(command::ControlMode::kBoomTip));
  seat.input.axis[static_cast<int>(LeverAxis::kLeftY)] = 0.8;
  const Vec3 from = tip_in_frame(seat);
  for (int k = 0; k < 2500; ++k)
    seat.simulation.step(seat.sim, seat.control.drive(seat.input, seat.sim, seat.state).input);
  const Vec3 way = tip_in_frame(seat) - from;
  EXPECT_GT(way.x(), 0.5);
  EXPECT_LT(std::fabs(way.z()), 0.06 * way.x());
}

}  // namespace
}  // namespace knuckleboom::controls_test
