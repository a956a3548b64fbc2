// A simulation without a trainer, at its worksite.
#include "knuckleboom/core/worksite/worksite.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::worksite {
namespace {

machine::MachineModel harvester() {
  return io::read_machine(KNUCKLEBOOM_SOURCE_DIR "/config/machines/harvester_grapple/machine.toml")
      .model;
}

constexpr double kRadius = 0.14;  // of the log [m]
constexpr double kLower = 5.0, kClose = 8.0, kRaise = 12.0, kSwing = 20.0, kLay = 25.0,
                 kOpen = 27.0, kRise = 31.0;  // s; each ends then

command::JointProgram program(const std::string& joint, command::JointMode mode, double value) {
  command::JointProgram out;
  out.joint = joint;
  out.mode = mode;
  out.signal.terms.resize(1);
  out.signal.terms[0].value = value;
  return out;
}

command::Segment line(double duration_s, const Vec3& delta_W) {
  command::Segment out;
  out.kind = command::SegmentKind::kLine;
  out.duration_s = duration_s;
  out.delta_W = delta_W;
  return out;
}

// The tip goes down, up, sideways, down and up again; the jaws are moved by the test.
command::Scenario fetch(double depth) {
  command::Scenario out;
  out.duration_s = kRise;
  const auto start = [&out](const char* joint, double position, double port_b_Pa) {
    command::InitialJoint initial;
    initial.joint = joint;
    initial.position = position;
    initial.port_b_given = true;
    initial.port_b_Pa = port_b_Pa;
    out.initial.push_back(initial);
  };
  start("swing", 0.0, 5e6);
  start("boom", 0.65, 3e6);
  start("stick", -1.4, 5e6);
  start("rotator", 0.5 * std::numbers::pi, 2e6);
  for (const char* joint : {"swing", "boom", "stick"})
    out.programs.push_back(program(joint, command::JointMode::kTip, 0.0));
  out.programs.push_back(program("rotator", command::JointMode::kTrack, 0.5 * std::numbers::pi));
  const Vec3 down(0.0, 0.0, -depth);
  command::Segment hold;
  hold.duration_s = kClose - kLower;
  command::Segment open = hold;
  open.duration_s = kOpen - kLay;
  out.tip_path.segments = {
      line(kLower, down),           hold,
      line(kRaise - kClose, -down), line(kSwing - kRaise, Vec3(-1.0, 2.5, 0.0)),
      line(kLay - kSwing, down),    open,
      line(kRise - kOpen, -down)};
  return out;
}

Grip grip_of(const Worksite& worksite, const sim::SimState& sim, const WorksiteState& state) {
  return worksite.grip(multibody::forward_kinematics(worksite.simulation().model().tree,
                                                     sim.machine.q, sim.machine.v),
                       state);
}

TEST(Worksite, ASimulationGripsALogCarriesItAndLaysItDown) {
  const machine::MachineModel machine = harvester();
  const sim::Simulation standing(machine, fetch(1.0));
  const Worksite empty(standing, {});
  const Grip at_start =
      grip_of(empty, standing.initial_state(machine::Fidelity::kReduced), empty.initial_state(1.0));

  world::WorldRecipe recipe;
  recipe.logs.resize(1);
  world::Log& log = recipe.logs[0];
  log.length = 3.5;
  log.radius = kRadius;
  log.x = at_start.p_W.x();
  log.y = at_start.p_W.y();
  log.heading = std::atan2(at_start.axis_W.y(), at_start.axis_W.x());
  const sim::Simulation simulation(machine, fetch(at_start.p_W.z() - 1.5 * kRadius));
  const Worksite worksite(simulation, recipe);

  sim::SimState sim = simulation.initial_state(machine::Fidelity::kReduced);
  WorksiteState state = worksite.initial_state(1.0);
  double highest = 0.0, force_N = 0.0;
  while (sim.tick < simulation.tick_count()) {
    const double t = simulation.time(sim);
    const bool closes = t >= kLower && t < kLay;
    worksite.step(simulation.scenario_input(sim),
                  closes       ? 1.0
                  : t < kLower ? 0.0
                               : -1.0,
                  sim, state);
    highest = std::max(highest, state.world.log[0].p[2]);
    if (std::fabs(t - kRaise) < 1e-6) {
      ASSERT_EQ(state.grapple.held, 0);
      // It hangs between the jaws, and not far from where a log sits that was pushed all the way in.
      const Grip grip = grip_of(worksite, sim, state);
      const Vec3 apart = vec(state.world.log[0].p) - grip.p_W;
      EXPECT_LT(std::fabs(apart.dot(grip.downwards_W.cross(grip.axis_W))), 0.1);
      EXPECT_LT(apart.norm(), 0.5);
    }
    force_N = std::max(force_N, state.world.machine_force);
  }
  const world::LogState& laid = state.world.log[0];
  EXPECT_EQ(state.grapple.held, -1);
  EXPECT_GT(highest, 1.0);
  EXPECT_EQ(laid.status, world::LogStatus::kResting);
  EXPECT_NEAR(laid.p[0], log.x - 1.0, 0.4);
  EXPECT_NEAR(laid.p[1], log.y + 2.5, 0.4);
  EXPECT_NEAR(laid.p[2], kRadius, 0.02);
  EXPECT_EQ(state.logs_slipped, 0);
  EXPECT_GT(force_N, 100.0);  // its weight and more, while it was being laid
  EXPECT_EQ(sim.machine.health.non_finite, 0);
  // Momentum and energy of what came and went are in the simulation's own ledger.
  EXPECT_LT(std::fabs(simulation.energy_residual(sim)), 1e-4 * sim.machine.energy.pump);
}

TEST(Worksite, TheGroundBearsAMachineThatReachesTooDeep) {
  const machine::MachineModel machine = harvester();
  const sim::Simulation simulation(machine, fetch(4.0));
  const Worksite worksite(simulation, {});
  sim::SimState free = simulation.initial_state(machine::Fidelity::kReduced), sim = free;
  WorksiteState state = worksite.initial_state(0.0);
  double lowest = 1e9, lowest_free = 1e9, force_N = 0.0;
  while (simulation.time(sim) < kLower) {
    worksite.step(simulation.scenario_input(sim), 0.0, sim, state);
    simulation.step(free);
    lowest = std::min(lowest, grip_of(worksite, sim, state).p_W.z());
    lowest_free = std::min(lowest_free, grip_of(worksite, free, state).p_W.z());
    force_N = std::max(force_N, state.world.machine_force);
  }
  EXPECT_LT(lowest_free, -1.0);
  EXPECT_GT(lowest, 0.0);
  EXPECT_GT(force_N, 2e3);
  EXPECT_GE(state.world.collisions[static_cast<int>(world::Obstacle::kGround)], 1);
}

}  // namespace
}  // namespace knuckleboom::worksite
