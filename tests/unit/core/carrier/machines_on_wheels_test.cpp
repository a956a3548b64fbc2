// The shipped machines on wheels against hand calculation: loads, tipping over, climbing, stopping.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/ball.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::machines_on_wheels_test {
namespace {

constexpr const char* kMachines[] = {"forwarder_8w", "harvester_8w"};

// narrow: hard narrow tyres close together, whose middle carries what the hand calculation puts there.
machine::MachineModel machine_of(const std::string& name, bool narrow) {
  std::vector<io::Override> overrides;
  for (const char* end : {"front", "rear"})
    for (const char* side : {"left", "right"})
      for (const int i : {1, 2}) {
        if (!narrow) break;
        const std::string wheel = fmt::format("wheel.{}_{}_{}.", end, side, i);
        overrides.push_back({wheel + "width_m", "0.1"});
        // The forwarder drives along -x.
        const bool at_left = (side[0] == 'l') != (name == kMachines[0]);
        overrides.push_back({wheel + "position_m", fmt::format("[{}, {}, 0]", i == 1 ? 0.75 : -0.75,
                                                               at_left ? -0.7 : 0.7)});
        overrides.push_back({wheel + "stiffness_kN_per_m", "4000"});
        overrides.push_back({wheel + "grip", "[[0, 0], [0.1, 2], [1, 2]]"});
      }
  // A start finds the roll joint where it rests without the lock: stops keep it straight.
  if (narrow)
    for (const auto& [key, value] : {std::pair{"lower_deg", "-0.01"},
                                     {"upper_deg", "0.01"},
                                     {"stop_stiffness_N_m_per_rad", "1e8"}})
      overrides.push_back({fmt::format("joint.frame_roll.{}", key), value});
  return io::read_machine(
             fmt::format("{}/config/machines/{}/machine.toml", KNUCKLEBOOM_SOURCE_DIR, name),
             overrides)
      .model;
}

constexpr char kOut[] =
    "[initial.boom]\nposition_rad = 0.5\n[initial.stick]\nposition_rad = -1.9\n";
constexpr char kFolded[] =
    "[initial.boom]\nposition_rad = 1.0\n[initial.stick]\nposition_rad = -2.25\n[[carrier]]\n"
    "input = \"lock\"\nterms = [{ kind = \"hold\", value = 1 }]\n";

command::Scenario on_slope(const std::string& machine, double x, double y,
                           const std::string& more = kOut) {
  return io::read_scenario_text(
             fmt::format(
                 "name = \"s\"\nmachine = \"{}\"\nduration_s = 60\n[ground]\nlevel_radius_m = 0\n"
                 "size_m = 400\nslope_x = {}\nslope_y = {}\n{}",
                 machine, x, y, more),
             "s.toml", {})
      .scenario;
}

void run(const sim::Simulation& simulation, sim::SimState& state, double seconds) {
  for (int k = 0; k < static_cast<int>(1000.0 * seconds); ++k) simulation.step(state);
}

struct Place {
  Vec3 centre_W = Vec3::Zero();  // of mass
  double mass = 0.0;
  std::vector<Vec3> wheel_W;
};
Place place_of(const machine::MachineModel& model, const sim::SimState& state) {
  Place out;
  const multibody::Kinematics k =
      multibody::forward_kinematics(model.tree, state.machine.q, state.machine.v);
  for (int b = 0; b < model.tree.body_count(); ++b) {
    const multibody::Body& body = model.tree.body(b);
    const multibody::Pose pose = multibody::body_pose(model.tree, k, b);
    out.mass += body.inertia.mass;
    out.centre_W += body.inertia.mass * (pose.p + pose.R * body.inertia.com);
  }
  out.centre_W /= out.mass;
  for (const machine::Wheel& wheel : model.wheels) {
    const multibody::Pose pose = multibody::body_pose(model.tree, k, wheel.body);
    out.wheel_W.push_back(pose.p + pose.R * wheel.centre_B);
  }
  return out;
}

// Sums over both axles and both sides by the balance of moments about the ground below the wheels.
TEST(MachinesOnWheels, CarryTheirLoadsOnTheFlatAndOnSlopes) {
  for (const char* name : kMachines)
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.0, 0.2}, {0.2, 0.0}}) {
      const sim::Simulation simulation(machine_of(name, false), on_slope(name, x, y));
      sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
      run(simulation, state, 0.3);
      const Place at = place_of(simulation.model(), state);
      const Vec3 normal = Vec3(-x, -y, 1.0).normalized();
      const double slope = std::sqrt(1.0 + x * x + y * y);
      // Moments of load and weight about a point of the ground. Forces along it have no arm there.
      const Vec3 foot(at.centre_W.x(), at.centre_W.y(), x * at.centre_W.x() + y * at.centre_W.y());
      Vec3 moment = (at.centre_W - foot).cross(Vec3(0.0, 0.0, -9.81 * at.mass));
      double load = 0.0, ends = 0.0, sides = 0.0;
      for (std::size_t i = 0; i < at.wheel_W.size(); ++i) {
        const Vec3 contact = at.wheel_W[i] - normal * normal.dot(at.wheel_W[i] - foot);
        const double N = state.carrier.wheel[i].load;
        moment += (contact - foot).cross(N * normal);
        load += N;
        ends += N * std::fabs(contact.x() - foot.x());
        sides += N * std::fabs(contact.y() - foot.y());
      }
      EXPECT_NEAR(load, 9.81 * at.mass / slope, 0.01 * load) << name << x << y;
      EXPECT_NEAR(moment.y(), 0.0, 0.02 * ends) << name << x << y;
      EXPECT_NEAR(moment.x(), 0.0, 0.02 * sides) << name << x << y;
    }
}

// How far the centre of mass is from standing above the outer wheels' contacts, across the slope and level.
double room_on(const machine::MachineModel& model, const char* name, double slope) {
  const sim::Simulation simulation(model, on_slope(name, 0.0, -slope, kFolded));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  run(simulation, state, 4.0);
  const Place at = place_of(model, state);
  const Vec3 normal = Vec3(0.0, slope, 1.0).normalized();
  double outer = 0.0;
  for (std::size_t i = 0; i < at.wheel_W.size(); ++i) {
    EXPECT_GT(state.carrier.wheel[i].load, 0.0) << name << ' ' << slope;
    outer = std::max(outer, (at.wheel_W[i] - normal * normal.dot(at.wheel_W[i])).y());
  }
  return outer - at.centre_W.y();
}

// On hard narrow tyres close together, the frame straight, so that it tips on a slope on which it can be put. The edge is
// where that room is used up, from what is left on two slopes after some seconds: the tilt, the head that hangs plumb, the
// crane that slews downhill by what its oil gives and the bent tyres all act nearly in proportion to the slope.
TEST(MachinesOnWheels, TipOverWhereTheCentreOfMassPassesTheWheels) {
  for (const char* name : kMachines) {
    const machine::MachineModel model = machine_of(name, true);
    const double low = 0.1, high = 0.2;
    const double left = room_on(model, name, high);
    const double edge = high + left * (high - low) / (room_on(model, name, low) - left);
    const sim::Simulation near(model, on_slope(name, 0.0, -0.9 * edge, kFolded));
    const sim::SimState put = near.initial_state(machine::Fidelity::kReduced);
    for (std::size_t i = 0; i < model.wheels.size(); ++i)
      EXPECT_GT(put.carrier.wheel[i].load, 500.0) << name;  // not balanced on the lower ones
    for (const double share : {0.97, 1.03}) {
      const sim::Simulation simulation(model, on_slope(name, 0.0, -share * edge, kFolded));
      sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
      run(simulation, state, 4.0);
      const Vec3 up = multibody::orientation(state.machine.q + 3) * Vec3::UnitZ();
      const double upright = 1.0 / std::sqrt(1.0 + share * share * edge * edge);
      EXPECT_EQ(up.z() < 0.8 * upright, share > 1.0) << name << share << ' ' << edge;
    }
  }
}

// On 15 %, across and along, under a crane that swings out and back: the tyres bend by millimetres, and those within their
// grip creep by less than one. How far a tread has moved along the ground, so far have its bristles bent.
TEST(MachinesOnWheels, StandUnderTheirWorkingCrane) {
  for (const char* name : kMachines)
    for (const auto& [x, y] : {std::pair{-0.15, 0.0}, {0.0, 0.15}}) {
      const sim::Simulation simulation(
          machine_of(name, false),
          on_slope(name, x, y,
                   std::string(kOut) +
                       "[[joint]]\nname = \"swing\"\nmode = \"voltage\"\nterms = [{ kind = "
                       "\"pulse\", value_V = 4, start_s = 0.2, end_s = 1.4 }, { kind = \"pulse\", "
                       "value_V = -4, start_s = 1.8, end_s = 3 }]\n"));
      sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
      run(simulation, state, 0.2);
      const sim::SimState start = state;
      const machine::MachineModel& model = simulation.model();
      std::vector<bool> slid(model.wheels.size());  // its load was too little for a while
      for (int k = 0; k < 800; ++k) {
        run(simulation, state, 0.005);
        for (std::size_t i = 0; i < slid.size(); ++i) {
          const carrier::WheelState& w = state.carrier.wheel[i];
          const double most = 0.6 * w.load / model.wheels[i].grip_stiffness;
          slid[i] = slid[i] || vec(w.bristle).norm() > most;
        }
      }
      const Vec3 normal = Vec3(-x, -y, 1.0).normalized();
      const auto pose = [&model](const sim::SimState& at, int body) {
        return multibody::body_pose(
            model.tree, multibody::forward_kinematics(model.tree, at.machine.q, at.machine.v),
            body);
      };
      double crept = 0.0, bent = 0.0;
      int stood = 0;
      for (std::size_t i = 0; i < model.wheels.size(); ++i) {
        const machine::Wheel& wheel = model.wheels[i];
        const multibody::Pose from = pose(start, wheel.body), to = pose(state, wheel.body);
        const Vec3 hub = from.p + from.R * wheel.centre_B;
        const double height = normal.dot(hub);  // over the plane through the origin
        const Vec3 tread_B = from.R.transpose() * (hub - height * normal - from.p);
        const Vec3 moved = to.p + to.R * tread_B - (hub - height * normal);
        const Vec3 along = moved - moved.dot(normal) * normal;
        const Vec3 bristle =
            vec(state.carrier.wheel[i].bristle) - vec(start.carrier.wheel[i].bristle);
        if (slid[i]) continue;
        ++stood;
        crept = std::max(crept, (along - bristle).norm());
        bent = std::max(bent, bristle.norm());
      }
      EXPECT_GE(stood, 4) << name << x << y;
      EXPECT_GT(bent, 4e-3) << name << x << y;
      EXPECT_LT(crept, 1e-3) << name << x << y;
    }
}

// Up 20 %, then neutral: it stops within a metre and a half and stands.
TEST(MachinesOnWheels, ClimbAndStop) {
  for (const char* name : kMachines) {
    const bool ahead = std::string(name) == "harvester_8w";
    const double x = ahead ? 0.2 : -0.2;
    const sim::Simulation simulation(
        machine_of(name, false),
        on_slope(name, x, 0.0,
                 std::string(kOut) +
                     "[[carrier]]\ninput = \"drive\"\nterms = [{ kind = \"pulse\", value = 0.7, "
                     "start_s = 0, end_s = 3 }]\n"));
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    run(simulation, state, 3.0);
    EXPECT_GT(simulation.carrier().speed(state.carrier), 0.7) << name;
    EXPECT_GT(state.machine.q[0] * x, 0.4) << name;
    const double from = state.machine.q[0];
    run(simulation, state, 2.5);
    EXPECT_LT(std::fabs(state.machine.q[0] - from), 1.5) << name;
    const double at = state.machine.q[0];
    run(simulation, state, 0.5);
    EXPECT_LT(std::fabs(state.machine.q[0] - at), 0.005) << name;
  }
}

// Both ways alike, from the middle to where the frames meet.
TEST(MachinesOnWheels, SteerAlikeToBothSides) {
  for (const char* name : kMachines) {
    double angle[2] = {};
    for (const int side : {0, 1}) {
      const sim::Simulation simulation(
          machine_of(name, false),
          on_slope(name, 0.0, 0.0,
                   kOut + fmt::format("[[joint]]\nname = \"steer\"\nmode = \"voltage\"\n"
                                      "terms = [{{ kind = \"hold\", value_V = {} }}]\n",
                                      side == 0 ? 6.0 : -6.0)));
      sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
      run(simulation, state, 1.2);
      angle[side] = state.machine.q[simulation.model().tree.find_joint("steer")];
    }
    EXPECT_GT(std::fabs(angle[0]), 0.05) << name;
    EXPECT_NEAR(angle[0], -angle[1], 0.02 * std::fabs(angle[0])) << name;
  }
}

}  // namespace
}  // namespace knuckleboom::machines_on_wheels_test
