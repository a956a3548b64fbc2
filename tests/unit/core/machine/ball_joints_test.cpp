// Spherical and free joints in motion: closed forms, what is conserved, and every position alike.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/check_state.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "reference/converged.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom::ball_joints_test {
namespace {

using machine::Fidelity;
using multibody::kTurns;
using sim::SimState;
using sim::Simulation;

constexpr Fidelity kModels[] = {Fidelity::kFull, Fidelity::kReduced};

machine::MachineModel machine_of(const std::string& joint, double gravity, const Vec3& com,
                                 const Vec3& inertia, double mass = 2.0,
                                 const std::string& more = {}) {
  return io::read_machine_text(
             fmt::format("name = \"m\"\nsource = \"test\"\ngravity_m_per_s2 = {}\n"
                         "tip = {{ body = \"top\", position_m = [0, 0, 0] }}\n"
                         "[[body]]\nname = \"top\"\nposition_m = [0, 0, 0]\nmass_kg = {}\n"
                         "com_m = [{}, {}, {}]\ninertia_kg_m2 = [{}, {}, {}]\njoint = {}\n{}",
                         gravity, mass, com.x(), com.y(), com.z(), inertia.x(), inertia.y(),
                         inertia.z(), joint, more),
             "m.toml", {})
      .model;
}

command::Scenario scenario_of(const Mat3& R, double tick_s, const char* slides = "") {
  command::Scenario scenario;
  scenario.duration_s = 1000.0;
  scenario.tick_s = tick_s;
  command::InitialJoint start;
  start.joint = "ball";
  start.turned = true;
  start.R = R;
  scenario.initial.push_back(start);
  for (const char* s = slides; *s != '\0'; ++s) {
    command::InitialJoint slide;
    slide.joint = std::string("ball_") + *s;
    scenario.initial.push_back(slide);
  }
  return scenario;
}

// The state starts to turn with an angular velocity in the body's axes.
void spin(const Simulation& simulation, const Vec3& omega, SimState& state) {
  const machine::MachineModel& model = simulation.model();
  const int first = model.balls.at(0).first;
  const Vec3 rates = multibody::turning(state.machine.q + first).inverse() * omega;
  for (int t = 0; t < 3; ++t) state.machine.v[first + 1 + t] = rates(t);
  state.machine.energy.start += simulation.stored_change(state);
}

Mat3 orientation(const machine::MachineModel& model, const SimState& state) {
  return multibody::orientation(state.machine.q + model.balls.at(0).first).toRotationMatrix();
}
Vec3 omega(const machine::MachineModel& model, const SimState& state) {
  const int first = model.balls.at(0).first;
  return multibody::angular_velocity(state.machine.q + first, state.machine.v + first);
}
bool steep(const machine::MachineModel& model, const SimState& state) {
  return state.machine.q[model.balls.at(0).first] != 0.0;
}

// A free symmetric top turns about its angular momentum and, more slowly, about its own axis.
TEST(BallJoints, ASymmetricTopPrecesses) {
  const Vec3 inertia(0.3, 0.3, 0.5);
  const machine::MachineModel model =
      machine_of("{ name = \"ball\", type = \"spherical\" }", 0.0, Vec3::Zero(), inertia);
  const Vec3 start(1.5, 0.4, 3.0);
  for (const Fidelity fidelity : kModels) {
    double error[2];
    for (const int halved : {0, 1}) {
      const Mat3 R_0 = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
      const double h = halved == 0 ? 2e-3 : 1e-3;
      const Simulation simulation(model, scenario_of(R_0, h));
      SimState state = simulation.initial_state(fidelity);
      spin(simulation, start, state);
      const Vec3 L = R_0 * inertia.cwiseProduct(start);
      error[halved] = 0.0;
      int changes = 0;
      bool was = steep(model, state);
      for (double t = h; t < 10.0; t += h) {
        simulation.step(state);
        const double own = start.z() * (1.0 - inertia.z() / inertia.x());
        const Mat3 wanted =
            Eigen::AngleAxisd(L.norm() / inertia.x() * t, L.normalized()).toRotationMatrix() * R_0 *
            Eigen::AngleAxisd(own * t, Vec3::UnitZ()).toRotationMatrix();
        error[halved] = std::max(error[halved], (orientation(model, state) - wanted).norm());
        changes += steep(model, state) != was ? 1 : 0;
        was = steep(model, state);
      }
      EXPECT_GT(changes, 4) << "the test is to pass where yaw and roll are one";
    }
    std::printf("top after 10 s: %.2e rad, half the tick %.2e\n", error[0], error[1]);
    EXPECT_LT(error[1], 2e-4);
    EXPECT_NEAR(error[0] / error[1], 4.0, 0.2);
  }
}

// Flips over, again and again, through every position: energy and each component of the angular momentum.
TEST(BallJoints, AnAsymmetricTopKeepsWhatItHas) {
  const Vec3 inertia(0.2, 0.35, 0.5);
  const machine::MachineModel model =
      machine_of("{ name = \"ball\", type = \"spherical\" }", 0.0, Vec3::Zero(), inertia);
  const Mat3 R_0 = Eigen::AngleAxisd(0.4, Vec3(3, -2, 1).normalized()).toRotationMatrix();
  const Simulation simulation(model, scenario_of(R_0, 1e-3));
  for (const Fidelity fidelity : kModels) {
    SimState state = simulation.initial_state(fidelity);
    spin(simulation, Vec3(0.02, 4.0, 0.01), state);
    const auto momentum = [&] {
      return Vec3(orientation(model, state) * inertia.cwiseProduct(omega(model, state)));
    };
    const Vec3 L_0 = momentum();
    const double E_0 = 0.5 * omega(model, state).dot(inertia.cwiseProduct(omega(model, state)));
    double apart = 0.0, energy = 0.0;
    Vec3 least = Vec3::Constant(9.0), most = -least;
    int changes = 0;
    bool was = steep(model, state);
    for (int k = 0; k < 20'000; ++k) {
      simulation.step(state);
      const Vec3 w = omega(model, state);
      energy = std::max(energy, std::fabs(0.5 * w.dot(inertia.cwiseProduct(w)) / E_0 - 1.0));
      apart = std::max(apart, (momentum() - L_0).norm() / L_0.norm());
      least = least.cwiseMin(w);
      most = most.cwiseMax(w);
      changes += steep(model, state) != was ? 1 : 0;
      was = steep(model, state);
    }
    std::printf("asymmetric top, 20 s: energy %.1e, angular momentum %.1e, %d changes of turns\n",
                energy, apart, changes);
    EXPECT_LT(energy, 1e-12);
    EXPECT_LT(apart, 1e-4);
    EXPECT_LT(least.y(), -3.9) << "it is to flip over";
    EXPECT_GT(most.y(), 3.9);
    EXPECT_GT(changes, 20);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
  }
}

// In a plane a spherical pendulum is a plane one, whichever plane, and whatever poles lie in it.
TEST(BallJoints, APendulumPassesItsPoles) {
  for (const char* axis : {"[0, 1, 0]", "[1, 0, 0]"}) {
    const bool about_y = axis[4] == '1';
    const Vec3 com = about_y ? Vec3(0.5, 0.0, 0.0) : Vec3(0.0, 0.5, 0.0);
    const Vec3 inertia(0.04, 0.05, 0.06);
    const machine::MachineModel ball =
        machine_of("{ name = \"ball\", type = \"spherical\" }", 9.81, com, inertia);
    const machine::MachineModel plane =
        machine_of(fmt::format("{{ name = \"ball\", type = \"revolute\", axis = {} }}", axis), 9.81,
                   com, inertia);
    command::Scenario scenario = scenario_of(Mat3::Identity(), 1e-3);
    const Simulation simulation(ball, scenario);
    scenario.initial[0].turned = false;
    const Simulation in_plane(plane, scenario);
    SimState state = simulation.initial_state(Fidelity::kFull);
    SimState wanted = in_plane.initial_state(Fidelity::kFull);
    const Vec3 start = about_y ? Vec3(0.0, 9.0, 0.0) : Vec3(9.0, 0.0, 0.0);  // goes round
    spin(simulation, start, state);
    wanted.machine.v[0] = 9.0;
    double apart = 0.0;
    for (int k = 0; k < 3000; ++k) {
      simulation.step(state);
      in_plane.step(wanted);
      const Mat3 R = Eigen::AngleAxisd(wanted.machine.q[0], start.normalized()).toRotationMatrix();
      apart = std::max(apart, (orientation(ball, state) - R).norm());
    }
    EXPECT_LT(apart, 1e-5) << axis;
  }
}

// Thrown and spinning about a centre of mass that is not the frame's origin.
TEST(BallJoints, AFreeBodyFliesAsThrown) {
  const Vec3 com(0.2, -0.1, 0.3), inertia(0.2, 0.35, 0.5);
  constexpr double kMass = 3.0;
  const machine::MachineModel model =
      machine_of("{ name = \"ball\", type = \"free\" }", 9.81, com, inertia, kMass);
  const Mat3 R_0 = Eigen::AngleAxisd(1.1, Vec3(1, 1, -2).normalized()).toRotationMatrix();
  const Simulation simulation(model, scenario_of(R_0, 1e-3, "xyz"));
  for (const Fidelity fidelity : kModels) {
    SimState state = simulation.initial_state(fidelity);
    const Vec3 v_0(3.0, -2.0, 12.0);
    for (int i = 0; i < 3; ++i) state.machine.v[i] = v_0(i);
    spin(simulation, Vec3(2.0, 3.0, -1.0), state);
    const auto motion = [&] {
      const auto kinematics =
          multibody::forward_kinematics(model.tree, state.machine.q, state.machine.v);
      return multibody::point_motion(model.tree, kinematics, model.tree.find_body("top"), com);
    };
    const multibody::PointMotion start = motion();
    const Vec3 spin_0 = R_0 * inertia.cwiseProduct(omega(model, state));
    double place = 0.0, speed = 0.0, turned = 0.0;
    for (int k = 1; k <= 2500; ++k) {
      simulation.step(state);
      const double t = 1e-3 * k;
      const Vec3 g(0.0, 0.0, -9.81);
      place = std::max(place, (motion().p_W - start.p_W - t * start.v_W - 0.5 * t * t * g).norm());
      speed = std::max(speed, (motion().v_W - start.v_W - t * g).norm());
      const Vec3 L = orientation(model, state) * inertia.cwiseProduct(omega(model, state));
      turned = std::max(turned, (L - spin_0).norm() / spin_0.norm());
    }
    std::printf("thrown for 2.5 s: place %.1e m, speed %.1e m/s, angular momentum %.1e\n", place,
                speed, turned);
    EXPECT_LT(place, 2e-5);
    EXPECT_LT(speed, 2e-5);
    EXPECT_LT(turned, 1e-5);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-9);
  }
}

// Springs and dampers along the body's axes: small turns are three oscillators.
TEST(BallJoints, SpringsAndDampersActAlongTheAxes) {
  const Vec3 inertia(0.2, 0.35, 0.5), damping(0.3, 0.2, 0.1), spring(40.0, 60.0, 90.0);
  const machine::MachineModel model = machine_of(
      "{ name = \"ball\", type = \"spherical\", turn_damping_N_m_s_per_rad = [0.3, 0.2, 0.1], "
      "turn_spring_N_m_per_rad = [40, 60, 90] }",
      0.0, Vec3::Zero(), inertia);
  ASSERT_TRUE(model.balls.at(0).stiffness.isApprox(spring));
  const Vec3 start(2e-4, -3e-4, 1e-4);
  const Simulation simulation(
      model,
      scenario_of(Eigen::AngleAxisd(start.norm(), start.normalized()).toRotationMatrix(), 1e-3));
  for (const Fidelity fidelity : kModels) {
    SimState state = simulation.initial_state(fidelity);
    for (int k = 1; k <= 1000; ++k) {
      simulation.step(state);
      const double t = 1e-3 * k;
      const Vec3 phi = multibody::bend(state.machine.q + model.balls[0].first).phi;
      for (int i = 0; i < 3; ++i) {
        const double decay = 0.5 * damping(i) / inertia(i);
        const double rate = std::sqrt(spring(i) / inertia(i) - decay * decay);
        const double wanted = start(i) * std::exp(-decay * t) *
                              (std::cos(rate * t) + decay / rate * std::sin(rate * t));
        EXPECT_NEAR(phi(i), wanted, 2e-3 * start.norm());
      }
    }
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-4 * state.machine.energy.friction);
  }
}

// A heavy body on a bent spring and a damper, through large angles: both models against the converged
// solution, at second order.
TEST(BallJoints, AreOfSecondOrder) {
  const machine::MachineModel model = machine_of(
      "{ name = \"ball\", type = \"free\", turn_damping_N_m_s_per_rad = [0.3, 0.2, 0.1], "
      "turn_spring_N_m_per_rad = [8, 6, 9], x = { spring_N_per_m = 200, damping_N_s_per_m = 3 }, "
      "y = { spring_N_per_m = 300 }, z = { spring_N_per_m = 250 } }",
      9.81, Vec3(0.1, 0.05, -0.15), Vec3(0.2, 0.35, 0.5));
  const auto run = [&](double h, int model_of) {
    const Mat3 R_0 = Eigen::AngleAxisd(1.2, Vec3(-1, 2, 1).normalized()).toRotationMatrix();
    const Simulation simulation(model, scenario_of(R_0, h, "xyz"));
    SimState state = simulation.initial_state(model_of == 1 ? Fidelity::kReduced : Fidelity::kFull);
    spin(simulation, Vec3(1.0, -3.0, 2.0), state);
    reference::ConvergedSolver solver(simulation);
    for (int k = 0; k < std::lround(1.0 / h); ++k)
      model_of == 2 ? solver.step(state) : simulation.step(state);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3);
    Eigen::Matrix<double, 12, 1> out;
    const Mat3 R = orientation(model, state);
    out << Eigen::Map<const Eigen::Matrix<double, 9, 1>>(R.data()), state.machine.q[0],
        state.machine.q[1], state.machine.q[2];
    return out;
  };
  const auto exact = run(1e-2, 2);
  for (const int which : {0, 1}) {
    const double coarse = (run(4e-3, which) - exact).norm();
    const double fine = (run(2e-3, which) - exact).norm();
    std::printf("%s: %.2e, half the tick %.2e\n", which == 0 ? "full" : "reduced", coarse, fine);
    EXPECT_LT(fine, 5e-4);
    EXPECT_GT(coarse / fine, 3.4);
    EXPECT_LT(coarse / fine, 4.6);
  }
}

// A state put away and taken up again goes on bit by bit, over changes of turns; forged ones are refused.
TEST(BallJoints, StatesGoOnAsTheyWere) {
  const machine::MachineModel model = machine_of("{ name = \"ball\", type = \"free\" }", 9.81,
                                                 Vec3(0.2, -0.1, 0.3), Vec3(0.2, 0.35, 0.5));
  const Simulation simulation(model, scenario_of(Mat3::Identity(), 1e-3, "xyz"));
  SimState state = simulation.initial_state(Fidelity::kReduced);
  spin(simulation, Vec3(2.0, 5.0, -1.0), state);
  for (int k = 0; k < 100; ++k) simulation.step(state);
  const SimState kept = state;
  int changes = 0;
  for (int k = 0; k < 1500; ++k) {
    const bool was = steep(model, state);
    simulation.step(state);
    changes += steep(model, state) != was ? 1 : 0;
  }
  EXPECT_GE(changes, 2);
  SimState again = kept;
  for (int k = 0; k < 1500; ++k) simulation.step(again);
  EXPECT_EQ(std::memcmp(&again, &state, sizeof state), 0);
  EXPECT_EQ(sim::check_state(simulation, state), "");
  const int first = model.balls[0].first;
  for (double* forged :
       {again.machine.q + first, again.machine.v + first, again.machine.a + first}) {
    SimState copy = again;
    reinterpret_cast<double*>(&copy)[forged - reinterpret_cast<double*>(&again)] = 0.3;
    EXPECT_NE(sim::check_state(simulation, copy).find("this turn of joint 'ball' is held"),
              std::string::npos);
  }
}

// Where nothing gives a start, springs and gravity do; a body that would never stop falling is told.
TEST(BallJoints, StartAtRest) {
  const machine::MachineModel hung = machine_of("{ name = \"ball\", type = \"spherical\" }", 9.81,
                                                Vec3(0.4, 0.1, 0.2), Vec3(0.2, 0.35, 0.5));
  command::Scenario nothing;
  nothing.duration_s = 1.0;
  const Simulation simulation(hung, nothing);
  SimState state = simulation.initial_state(Fidelity::kFull);
  const Vec3 down = orientation(hung, state) * Vec3(0.4, 0.1, 0.2).normalized();
  EXPECT_NEAR(down.z(), -1.0, 1e-12);
  for (int k = 0; k < 500; ++k) simulation.step(state);
  EXPECT_LT(omega(hung, state).norm(), 1e-6);
  const machine::MachineModel loose =
      machine_of("{ name = \"ball\", type = \"free\" }", 9.81, Vec3::Zero(), Vec3(0.2, 0.35, 0.5));
  try {
    const Simulation falls(loose, nothing);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "joint 'ball_z' has no actuator and nowhere to rest; give its start in the "
                 "scenario, or give it limits and stops");
  }
}

// A platform on a spherical joint, held by a bar between two more: the loop closes wherever it goes.
TEST(BallJoints, CloseLoops) {
  const machine::MachineModel model = machine_of(
      "{ name = \"ball\", type = \"spherical\" }", 9.81, Vec3(0.3, 0.0, 0.4), Vec3(0.2, 0.3, 0.2),
      2.0,
      "[[body]]\nname = \"bar\"\nposition_m = [1, 0, 0]\nmass_kg = 1\ncom_m = [0, 0, 0.4]\n"
      "inertia_kg_m2 = [0.05, 0.05, 0.01]\n"
      "joint = { name = \"foot\", type = \"spherical\" }\n"
      "[[loop]]\nname = \"pin\"\nkind = \"point_point\"\nbody_a = \"bar\"\npoint_a_m = [0, 0, 1]\n"
      "body_b = \"top\"\npoint_b_m = [1, 0, 1]\n");
  const Simulation simulation(model, scenario_of(Mat3::Identity(), 1e-3));
  SimState state = simulation.initial_state(Fidelity::kFull);
  state.machine.v[model.balls[0].first + 3] = 1.0;
  multibody::Embedding e;
  model.loop_system.embed(model.tree, state.machine.dependent, state.machine.v, state.machine.q, e);
  multibody::expand(e, state.machine.v);
  state.machine.energy.start += simulation.stored_change(state);
  const double residual = simulation.energy_residual(state);
  for (int k = 0; k < 5000; ++k) {
    simulation.step(state);
    ASSERT_LT(model.loop_system.gap(model.tree, state.machine.q), 1e-10) << k;
  }
  EXPECT_LT(std::fabs(simulation.energy_residual(state) - residual), 1e-3);
  EXPECT_EQ(state.machine.health.open_loop_ticks, 0);
}

}  // namespace
}  // namespace knuckleboom::ball_joints_test
