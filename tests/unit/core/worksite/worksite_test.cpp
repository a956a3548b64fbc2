// A simulation without a trainer, at its worksite.
#include "knuckleboom/core/worksite/worksite.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
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
  // 6 cm from its end that is not on the way: a log has the same shape free and held.
  const double away = std::copysign(0.5 * log.length + 0.06 + 0.15, -std::sin(log.heading));
  recipe.stems.push_back({"beside", log.x + away * std::cos(log.heading),
                          log.y + away * std::sin(log.heading), 12.0, 0.15});
  const sim::Simulation simulation(machine, fetch(at_start.p_W.z() - 1.5 * kRadius));
  const Worksite worksite(simulation, recipe);

  sim::SimState sim = simulation.initial_state(machine::Fidelity::kReduced);
  WorksiteState state = worksite.initial_state(1.0);
  double highest = 0.0, force_N = 0.0, force_before = 0.0, jump_N = 0.0;
  int held_before = -1;
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
    if (state.grapple.held != held_before)
      jump_N = std::max(jump_N, std::fabs(state.world.machine_force - force_before));
    held_before = state.grapple.held;
    force_before = state.world.machine_force;
  }
  EXPECT_EQ(state.world.collisions[static_cast<int>(world::Obstacle::kStem)], 0);
  EXPECT_LT(jump_N, 1e3);
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

// --- Jaws with a cylinder: numbers of the machines' files, by hand -------------------------------------

struct Jaws {
  const char* machine;
  double bore, rod, lever, half_hinge, closed, open;  // m; rad
  double flow;                                        // l/min
  double pump;                                        // bar
  double mass, out, down;  // of a jaw [kg], its centre from the hinge [m]
};
constexpr Jaws kJaws[] = {
    {"forwarder", 0.100, 0.050, 0.062, 0.25, -0.8633, 0.8332, 45.0, 235.0, 90.0, 0.06, 0.42},
    {"harvester_wheeled", 0.090, 0.050, 0.075, 0.225, -0.8811, 0.7654, 40.0, 260.0, 85.0, 0.06,
     0.39}};

machine::MachineModel crane(const Jaws& jaws) {
  return io::read_machine(std::string(KNUCKLEBOOM_SOURCE_DIR "/config/machines/") + jaws.machine +
                          "/machine.toml")
      .model;
}

command::Scenario with_jaws_at(double position) {
  command::Scenario out;
  for (const auto& [joint, at] : {std::pair{"boom", 0.6}, std::pair{"stick", -0.95},
                                  std::pair{"extension", 0.6}, std::pair{"jaw_right", position}}) {
    command::InitialJoint initial;
    initial.joint = joint;
    initial.position = at;
    out.initial.push_back(initial);
  }
  return out;
}

double area(double diameter) { return 0.25 * std::numbers::pi * diameter * diameter; }

// Time from 0.95 to 0.05 of the opening, or back.
double stroke_time(const Jaws& jaws, const std::vector<std::pair<const char*, double>>& volts) {
  const bool closes = volts.front().second > 0.0;
  command::Scenario scenario = with_jaws_at(closes ? jaws.open : jaws.closed);
  for (const auto& [joint, value] : volts)
    scenario.programs.push_back(program(joint, command::JointMode::kVoltage, value));
  const machine::MachineModel machine = crane(jaws);
  const sim::Simulation simulation(machine, scenario);
  const int link = machine.tree.find_joint("jaw_right");
  sim::SimState sim = simulation.initial_state(machine::Fidelity::kReduced);
  const auto opening = [&] { return jaw_opening(machine, sim.machine.q[link]); };
  double from = 0.0;
  while (simulation.time(sim) < 8.0) {
    simulation.step(sim);
    const double left = closes ? opening() : 1.0 - opening();
    if (from == 0.0 && left <= 0.95) from = simulation.time(sim);
    if (left <= 0.05) return simulation.time(sim) - from;
  }
  return 8.0;
}

TEST(JawsWithACylinder, CloseAndOpenAsItsOilLetsThem) {
  for (const Jaws& jaws : kJaws) {
    SCOPED_TRACE(jaws.machine);
    const double range = jaws.open - jaws.closed;
    const double way = 2.0 * jaws.lever *
                       (std::sin(jaws.open - 0.05 * range) - std::sin(jaws.closed + 0.05 * range));
    const double flow = jaws.flow / 6e4;
    const double close = way * area(jaws.bore) / flow;
    const double open = way * (area(jaws.bore) - area(jaws.rod)) / flow;
    const double closes = stroke_time(jaws, {{"jaw_right", 10.0}});
    const double opens = stroke_time(jaws, {{"jaw_right", -10.0}});
    EXPECT_NEAR(closes, close, 0.03 * close);
    EXPECT_NEAR(opens, open, 0.03 * open);
    EXPECT_GE(closes, 1.5);
    EXPECT_LE(closes, 2.2);
    EXPECT_GE(opens, 1.0);
    EXPECT_LE(opens, 1.6);
    // Two functions run full beside each other; with more the pump has not enough for all.
    const double slewing = stroke_time(jaws, {{"jaw_right", 10.0}, {"swing", 5.0}});
    EXPECT_NEAR(slewing, closes, 0.1 * closes);
    const double many = stroke_time(
        jaws, {{"jaw_right", 10.0}, {"boom", 10.0}, {"stick", 10.0}, {"extension", 10.0}});
    std::printf(
        "%s: closes in %.2f s (by hand %.2f), opens in %.2f (%.2f), closes while slewing %.2f, "
        "with three others %.2f s\n",
        jaws.machine, closes, close, opens, open, slewing, many);
  }
}

// Held by a spring at the jaws' joints until they stall.
TEST(JawsWithACylinder, PressWithPressureTimesLever) {
  for (const Jaws& jaws : kJaws)
    for (const double at : {-0.5, 0.0, 0.6}) {
      command::Scenario scenario = with_jaws_at(at);
      scenario.programs.push_back(program("jaw_right", command::JointMode::kVoltage, 10.0));
      const machine::MachineModel machine = crane(jaws);
      const sim::Simulation simulation(machine, scenario);
      const int right = machine.tree.find_joint("jaw_right");
      const int left = machine.tree.find_joint("jaw_left");
      sim::SimState sim = simulation.initial_state(machine::Fidelity::kFull);
      double torque[kMaxLinks] = {};
      while (simulation.time(sim) < 1.5) {
        for (const int link : {right, left})
          torque[link] = 4e5 * (at - sim.machine.q[link]) - 2e3 * sim.machine.v[link];
        simulation.step(sim, simulation.scenario_input(sim), torque);
      }
      const int k = sim::take_snapshot(simulation, sim).actuator_of_joint[right];
      const machine::ActuatorState& oil = sim.machine.actuator[k];
      const double piston =
          oil.P_C[0] * area(jaws.bore) - oil.P_C[1] * (area(jaws.bore) - area(jaws.rod));
      EXPECT_NEAR(oil.P_C[0], 1e5 * jaws.pump, 0.03e5 * jaws.pump);
      const double pressed = torque[right] + torque[left];
      const double q = sim.machine.q[right];
      const double weight =
          2.0 * 9.81 * jaws.mass * (jaws.out * std::cos(q) + jaws.down * std::sin(q));
      const double by_hand = piston * 2.0 * jaws.lever * std::cos(q) + weight;
      EXPECT_NEAR(pressed, by_hand, 0.02 * by_hand) << jaws.machine << " at " << at;
    }
}

// A log in the jaws of a crane that stands still, squeezed for some seconds.
struct Squeezed {
  machine::MachineModel machine;
  sim::Simulation simulation;
  world::WorldRecipe recipe;
  std::unique_ptr<Worksite> worksite;
  sim::SimState sim;
  WorksiteState state;

  static command::Scenario scenario(const machine::MachineModel& machine, double radius) {
    const world::GrappleFrame shape = grapple_shape(machine);
    const double opening = world::grapple_min_opening(shape, radius) + 0.02;
    command::Scenario out = with_jaws_at(world::jaw_angle(shape, opening));
    out.programs.push_back(program("jaw_right", command::JointMode::kVoltage, 10.0));
    return out;
  }
  Squeezed(const Jaws& jaws, double radius, double length)
      : machine(crane(jaws)), simulation(machine, scenario(machine, radius)) {
    sim = simulation.initial_state(machine::Fidelity::kReduced);
    const world::GrappleFrame shape = grapple_shape(machine);
    const double opening =
        jaw_opening(machine, sim.machine.q[machine.tree.find_joint("jaw_right")]);
    const Worksite empty(simulation, {});
    const Grip grip = grip_of(empty, sim, empty.initial_state(opening));
    const double usual = world::grapple_seat(shape, world::grapple_min_opening(shape, 0.13), 0.13);
    const Vec3 at =
        grip.p_W + (world::grapple_seat(shape, opening, radius) - usual) * grip.downwards_W;
    world::Log log;
    log.name = "log";
    log.radius = radius;
    log.length = length;
    log.x = at.x();
    log.y = at.y();
    log.lift = at.z() - radius;
    recipe.logs = {log};
    worksite = std::make_unique<Worksite>(simulation, recipe);
    state = worksite->initial_state(opening);
  }
  void run(double seconds) {
    const double end = simulation.time(sim) + seconds;
    while (simulation.time(sim) < end - 1e-6)
      worksite->step(simulation.scenario_input(sim), 0.0, sim, state);
  }
  // Normal forces on the log in the next `seconds`: mean of their sum, and the largest of a tick [N].
  struct Normal {
    double sum, most;
  };
  Normal normal(double seconds) {
    Normal out{0.0, 0.0};
    const int ticks = static_cast<int>(std::lround(seconds / 1e-3));
    for (int k = 0; k < ticks; ++k) {
      std::vector<double> before;
      for (const world::ContactState& contact : state.world.contact)
        before.push_back(contact.impulse);
      run(1e-3);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const double now = state.world.contact[i].impulse;
        const double force = (now < before[i] ? now : now - before[i]) / 1e-3;
        out.sum += force / ticks;
        out.most = std::max(out.most, force);
      }
    }
    return out;
  }
  Vec3 axis() const { return quaternion(state.world.log[0].q) * Vec3::UnitX(); }
  // Place of the log's centre along its axis, from the grip [m].
  double along() const {
    const Grip grip = grip_of(*worksite, sim, state);
    return (vec(state.world.log[0].p) - grip.p_W).dot(grip.axis_W);
  }
};

TEST(JawsWithACylinder, HoldALogByFrictionAndSinkInByLittle) {
  for (const Jaws& jaws : kJaws) {
    SCOPED_TRACE(jaws.machine);
    Squeezed grip(jaws, 0.19, 4.0);
    grip.run(4.0);
    ASSERT_EQ(grip.state.grapple.held, 0);
    EXPECT_EQ(grip.state.logs_slipped, 0);
    EXPECT_EQ(grip.state.world.machine_force, 0.0);  // the grip is no contact with the world
    // N = k d (1 + (d / 60 mm)^2) at 15 mm.
    const double most = grip.normal(0.1).most;
    EXPECT_LT(most, 8e5 * 0.015 * (1.0 + 1.0 / 16.0));
    EXPECT_GT(most, 2e3);
    // At rest in the jaws, for good.
    const double along = grip.along();
    grip.run(4.0);
    EXPECT_NEAR(grip.along(), along, 1e-3);
    EXPECT_LT(vec(grip.state.world.log[0].v).norm(), 0.03);

    // Pushed along its axis it slips, braked by the friction of all that presses on it.
    const double pressed = grip.normal(0.1).sum;
    const Vec3 axis = grip.axis();
    const double m = world::mass(grip.recipe.logs[0]);
    const double v0 = 0.05 * 0.6 * pressed / m;  // at rest again after 50 ms
    for (int k = 0; k < 3; ++k) grip.state.world.log[0].v[k] += v0 * axis[k];
    const double deceleration = 0.6 * grip.normal(0.02).sum / m;
    const double v = vec(grip.state.world.log[0].v).dot(axis);
    std::printf(
        "%s: %.1f kN on the log of %.0f kg, most at one place %.1f kN; slips at %.1f, by hand "
        "%.1f m/s^2\n",
        jaws.machine, 1e-3 * pressed, m, 1e-3 * most, (v0 - v) / 0.02, deceleration);
    EXPECT_NEAR((v0 - v) / 0.02, deceleration, 0.03 * deceleration);
    grip.run(1.0);
    EXPECT_GT(std::fabs(grip.along() - along), 0.02);
    EXPECT_EQ(grip.state.grapple.held, 0);

    // Turned about its axis it slips as well, braked by the moment of that friction at its surface. Jaws add no rolling
    // resistance.
    const double radius = grip.recipe.logs[0].radius, inertia = 0.5 * m * radius * radius;
    const double w0 = 0.03 * 0.6 * radius * grip.normal(0.1).sum / inertia;  // at rest after 30 ms
    const Vec3 about = grip.axis();
    for (int k = 0; k < 3; ++k) grip.state.world.log[0].omega[k] += w0 * about[k];
    grip.run(0.005);  // the bristles bend
    const double w1 = vec(grip.state.world.log[0].omega).dot(grip.axis());
    const double by_hand = 0.6 * radius * grip.normal(0.015).sum;
    const double w2 = vec(grip.state.world.log[0].omega).dot(grip.axis());
    const double moment = inertia * (w1 - w2) / 0.015;
    std::printf("%s: turns at %.2f kN m, by hand %.2f kN m\n", jaws.machine, 1e-3 * moment,
                1e-3 * by_hand);
    EXPECT_NEAR(moment, by_hand, 0.05 * by_hand);
    EXPECT_EQ(grip.state.grapple.held, 0);
  }
}

// Off its middle by more than half the jaws' width: the tines hold its moment, and the grapple tilts with it.
TEST(JawsWithACylinder, HoldTheMomentOfALogGrippedOffItsMiddle) {
  Squeezed grip(kJaws[0], 0.19, 3.0);
  grip.state.world.log[0].p[0] += 0.6;
  grip.run(5.0);
  EXPECT_EQ(grip.state.grapple.held, 0);
  const double in_jaws = std::acos(std::min(
      1.0, std::fabs(grip.axis().dot(grip_of(*grip.worksite, grip.sim, grip.state).axis_W))));
  std::printf("gripped 0.6 m off its middle a log tilts by %.1f degrees, in the jaws by %.1f\n",
              57.3 * std::asin(std::fabs(grip.axis().z())), 57.3 * in_jaws);
  EXPECT_LT(in_jaws, 0.1);
}

constexpr double kTipsMeet = 0.31;  // opening

// In the jaws, four rows.
world::WorldRecipe ten_logs(const Grip& grip, const world::GrappleFrame& shape) {
  const Vec3 pin = grip.p_W - usual_seat(shape) * grip.downwards_W;
  const Vec3 across = grip.axis_W.cross(grip.downwards_W);
  world::WorldRecipe recipe;
  for (const auto& [down, beside] :
       {std::pair{0.52, -0.075}, std::pair{0.52, 0.075}, std::pair{0.395, -0.15},
        std::pair{0.395, 0.0}, std::pair{0.395, 0.15}, std::pair{0.27, -0.075},
        std::pair{0.27, 0.075}, std::pair{0.145, -0.15}, std::pair{0.145, 0.0},
        std::pair{0.145, 0.15}}) {
    const Vec3 at = pin + down * grip.downwards_W + beside * across;
    world::Log log;
    log.name = "log";
    log.radius = 0.07;
    log.length = 2.4 + 0.1 * static_cast<double>(recipe.logs.size());
    log.x = at.x();
    log.y = at.y();
    log.lift = at.z() - log.radius;
    recipe.logs.push_back(log);
  }
  return recipe;
}

// Logs in the closing jaws of a forwarder that stands still.
struct Bundle {
  machine::MachineModel machine = crane(kJaws[0]);
  world::GrappleFrame shape = grapple_shape(machine);
  sim::Simulation simulation;
  world::WorldRecipe recipe;
  std::unique_ptr<Worksite> worksite;
  sim::SimState sim;
  WorksiteState state;

  static command::Scenario scenario(const world::GrappleFrame& shape) {
    command::Scenario out = with_jaws_at(world::jaw_angle(shape, kTipsMeet));
    out.programs.push_back(program("jaw_right", command::JointMode::kVoltage, 10.0));
    return out;
  }
  template <class Logs>
  explicit Bundle(Logs logs) : simulation(machine, scenario(shape)) {
    sim = simulation.initial_state(machine::Fidelity::kReduced);
    const Worksite empty(simulation, {});
    recipe = logs(grip_of(empty, sim, empty.initial_state(kTipsMeet)), shape);
    worksite = std::make_unique<Worksite>(simulation, recipe);
    state = worksite->initial_state(kTipsMeet);
  }
  void step() { worksite->step(simulation.scenario_input(sim), 0.0, sim, state); }
  double mass(int log) const { return world::mass(nth(recipe.logs, log)); }
  Vec3 axis() const { return grip_of(*worksite, sim, state).axis_W; }
};

// Ten logs pushed along together slip in the jaws, braked by the friction of all that the jaws press on them with: what
// they press on each other with changes nothing of the momentum of all.
TEST(JawsWithACylinder, ABundleSlipsAtTheFrictionOfTheJaws) {
  Bundle bundle(ten_logs);
  WorksiteState& state = bundle.state;
  // Mean of the jaws' and the frame's normal forces on the logs meanwhile.
  const auto run = [&](int ticks) {
    double sum = 0.0;
    for (int t = 0; t < ticks; ++t) {
      std::vector<double> before;
      for (const world::ContactState& contact : state.world.contact)
        before.push_back(contact.impulse);
      bundle.step();
      for (std::size_t i = 0; i < before.size(); ++i) {
        const world::ContactState& contact = state.world.contact[i];
        if (world::log_of_contact(contact) >= 0 && world::part_of_contact(contact) > 0)
          sum += contact.impulse - (contact.impulse < before[i] ? 0.0 : before[i]);
      }
    }
    return sum / (1e-3 * ticks);
  };
  run(4000);
  ASSERT_GE(state.grapple.held, 0);
  const Vec3 axis = bundle.axis();
  double mass = 0.0;
  const auto momentum = [&] {
    double sum = 0.0;
    for (int i = 0; i < 10; ++i) sum += bundle.mass(i) * vec(state.world.log[i].v).dot(axis);
    return sum;
  };
  for (int i = 0; i < 10; ++i) mass += bundle.mass(i);
  const double force = 0.6 * run(20);
  EXPECT_LT(std::fabs(momentum()), 0.03 * mass);  // it rests
  for (world::LogState* log = state.world.log; log != state.world.log + 10; ++log)
    for (int c = 0; c < 3; ++c) log->v[c] += 0.05 * force / mass * axis[c];
  run(3);  // the bristles bend
  const double p0 = momentum(), by_hand = 0.6 * run(8), braked = (p0 - momentum()) / 0.008;
  std::printf("ten logs of %.0f kg slip at %.2f kN, by hand %.2f kN\n", mass, 1e-3 * braked,
              1e-3 * by_hand);
  EXPECT_NEAR(braked, by_hand, 0.05 * by_hand);
}

// Area that the jaws enclose with their tips together, by their corners, and the logs of one thickness that lie in it close
// to each other and to no tine closer than they touch: so many the jaws hold, and no other that lies below them.
TEST(JawsWithACylinder, HoldAsManyLogsAsTheirAreaHasRoomFor) {
  for (const double radius : {0.06, 0.08, 0.11}) {
    int inside = 0;
    double area_m2 = 0.0;
    const auto logs = [&](const Grip& grip, const world::GrappleFrame& shape) {
      std::vector<Vec3> outline;
      for (const int side : {-1, 1}) {
        const world::JawPoints jaw = world::jaw_points(shape, side, kTipsMeet);
        std::vector<Vec3> corners = {jaw.hinge, jaw.elbow, jaw.tip};
        if (side > 0) std::reverse(corners.begin(), corners.end());
        outline.insert(outline.end(), corners.begin(), corners.end());
      }
      const auto next = [&](std::size_t i) { return outline[(i + 1) % outline.size()]; };
      double twice = 0.0;
      for (std::size_t i = 0; i < outline.size(); ++i)
        twice += outline[i].x() * next(i).y() - next(i).x() * outline[i].y();
      area_m2 = 0.5 * std::fabs(twice);
      for (std::size_t i = 0; i < outline.size(); ++i)  // the inner half of the tines
        if (i != 2 && i != 5) area_m2 -= shape.tine_radius * (next(i) - outline[i]).norm();
      const auto has_room = [&](const Vec3& p) {
        bool in = false;
        for (std::size_t i = 0; i < outline.size(); ++i) {
          const Vec3 a = outline[i], b = next(i), ab = b - a;
          if ((a.y() > p.y()) != (b.y() > p.y()) &&
              p.x() < a.x() + (p.y() - a.y()) / ab.y() * ab.x())
            in = !in;
          const double t = std::clamp((p - a).dot(ab) / ab.squaredNorm(), 0.0, 1.0);
          if ((a + t * ab - p).norm() < radius + shape.tine_radius) return false;
        }
        return in;
      };
      const Vec3 pin = grip.p_W - usual_seat(shape) * grip.downwards_W;
      const Vec3 across = grip.axis_W.cross(grip.downwards_W);
      world::WorldRecipe recipe;
      const auto add = [&](double x, double y) {
        const Vec3 at = pin + y * grip.downwards_W + x * across;
        world::Log log;
        log.name = "log";
        log.radius = radius;
        log.length = 2.6;
        log.x = at.x();
        log.y = at.y();
        log.lift = at.z() - radius;
        recipe.logs.push_back(log);
      };
      const double pitch = 2.0 * radius + 0.005;
      int row = 0;
      for (double y = 1.2; y > 0.0; y -= 0.5 * std::sqrt(3.0) * pitch, ++row)
        for (int k = -8; k <= 8; ++k) {
          const double x = (k + (row % 2 == 0 ? 0.5 : 0.0)) * pitch;
          if (has_room(Vec3(x, y, 0.0))) add(x, y);
        }
      inside = static_cast<int>(recipe.logs.size());
      for (const double x : {-0.4, 0.4}) add(x, 1.4);
      return recipe;
    };
    Bundle bundle(logs);
    for (int t = 0; t < 6000; ++t) bundle.step();
    const multibody::Kinematics kinematics = multibody::forward_kinematics(
        bundle.machine.tree, bundle.sim.machine.q, bundle.sim.machine.v);
    const int held = bundle.worksite->carried(kinematics, bundle.state).count();
    const double solid = held * std::numbers::pi * radius * radius / area_m2;
    std::printf("logs of %.0f cm: %d have room in %.3f m^2, %d are held, solid share %.2f\n",
                200.0 * radius, inside, area_m2, held, solid);
    EXPECT_EQ(held, inside);
    EXPECT_GT(solid, 0.35);
    EXPECT_LT(solid, std::numbers::pi / std::sqrt(12.0));  // closest packing
  }
}

// Ten logs in the jaws of a crane without dry friction in its lift cylinder, and with more of the other: what the boom's ports bear is the machine's own
// weight and that of each log, where they are.
TEST(JawsWithACylinder, TenLogsWeighOnTheBoomAsWhatTheyAre) {
  const std::vector<io::Override> smooth = {{"actuator.boom.friction.coulomb_N", "0.001"},
                                            {"actuator.boom.friction.static_N", "0.001"},
                                            {"actuator.boom.friction.viscous_N_s_per_m", "4e5"}};
  const machine::MachineModel machine =
      io::read_machine(KNUCKLEBOOM_SOURCE_DIR "/config/machines/forwarder/machine.toml", smooth)
          .model;
  const world::GrappleFrame shape = grapple_shape(machine);
  command::Scenario scenario = with_jaws_at(world::jaw_angle(shape, kTipsMeet));
  scenario.programs.push_back(program("jaw_right", command::JointMode::kVoltage, 10.0));
  const sim::Simulation simulation(machine, scenario);
  sim::SimState sim = simulation.initial_state(machine::Fidelity::kReduced);
  const Worksite empty(simulation, {});
  const Grip grip = grip_of(empty, sim, empty.initial_state(kTipsMeet));
  const world::WorldRecipe recipe = ten_logs(grip, shape);
  const Worksite worksite(simulation, recipe);
  WorksiteState state = worksite.initial_state(kTipsMeet);
  const multibody::Tree& tree = machine.tree;
  const int boom = tree.find_joint("boom");
  const auto boom_of = [&](double turned) {
    sim::SimState at = sim;
    at.machine.q[boom] += turned;
    sim::Snapshot s;
    sim::take_snapshot(simulation, at, s);
    return s.actuator[s.actuator_of_joint[boom]];
  };
  const auto kinematics = [&] {
    return multibody::forward_kinematics(tree, sim.machine.q, sim.machine.v);
  };
  // Moment of the oil about the boom's joint less that of the machine's weight, and of the logs' weight [N m], as means.
  struct Moments {
    double oil = 0.0, logs = 0.0;
  };
  const auto measure = [&] {
    Moments mean;
    constexpr int kTicks = 2000;
    for (int t = 0; t < kTicks; ++t) {
      worksite.step(simulation.scenario_input(sim), 0.0, sim, state);
      const multibody::Kinematics k = kinematics();
      const multibody::LinkMotion& joint = nth(k.link, boom);
      const auto moment = [&](const Vec3& p, double mass) {
        return joint.axis_W.dot((p - joint.in_world.p).cross(mass * tree.gravity_W)) / kTicks;
      };
      constexpr double kTurn = 1e-5;  // rad, either way
      const double arm =
          (boom_of(kTurn).displacement - boom_of(-kTurn).displacement) / (2.0 * kTurn);
      mean.oil -= boom_of(0.0).force * arm / kTicks;
      for (int b = 0; b < tree.body_count(); ++b) {
        int link = tree.body(b).link;
        while (link != multibody::kBase && link != boom) link = tree.link(link).parent;
        const multibody::RigidInertia& inertia = tree.body(b).inertia;
        if (link == boom)
          mean.oil -= moment(multibody::point_motion(tree, k, b, inertia.com).p_W, inertia.mass);
      }
      for (int i = 0; i < 10; ++i)
        if (state.world.log[i].status != world::LogStatus::kHeld)
          mean.logs += moment(vec(state.world.log[i].p),
                              world::mass(recipe.logs[static_cast<std::size_t>(i)]));
    }
    return mean;
  };
  const auto run = [&](double seconds) {
    for (int t = 0; t < static_cast<int>(1e3 * seconds); ++t)
      worksite.step(simulation.scenario_input(sim), 0.0, sim, state);
  };
  constexpr double kSettle = 20.0;  // s, until nothing rings any more
  run(kSettle);
  ASSERT_EQ(worksite.carried(kinematics(), state).count(), 10);
  const Moments all = measure();
  std::printf("ten logs: %.1f N m on the boom, in its ports %.1f\n", all.logs, all.oil);
  EXPECT_NEAR(all.oil, all.logs, 1e-3 * std::fabs(all.logs));
  // Each that is taken out of the bundle is missing with its weight.
  for (const int taken : {8, 7, 9}) {
    worksite.world().hold(taken, state.world);
    run(kSettle);
    const Moments left = measure();
    std::printf("one less: %.1f N m, in the ports %.1f\n", left.logs, left.oil);
    EXPECT_NEAR(left.oil, left.logs, 1e-3 * std::fabs(all.logs));
  }
}

}  // namespace
}  // namespace knuckleboom::worksite
