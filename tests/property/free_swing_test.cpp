// Bodies without actuators, swinging for a minute: the step neither adds nor removes energy.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/crane.hpp"
#include "support/error_norm.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using machine::MachineState;
using machine::Stepper;

// Rods of a metre, one on another, hanging down at zero; axes slanted a little when not plane.
MachineModel pendulum(int rods, bool plane) {
  MachineModel model;
  for (int i = 0; i < rods; ++i) {
    multibody::Body rod;
    rod.name = rod.joint_name = "rod" + std::to_string(i);
    rod.parent = i - 1;
    rod.type = multibody::JointType::kRevolute;
    rod.axis_B = plane ? Vec3(0.0, 1.0, 0.0) : Vec3(0.3 * i, 1.0, 0.0).normalized();
    if (i > 0) rod.in_parent.p = Vec3(0.0, 0.0, -1.0);
    rod.inertia.mass = 10.0 - 2.0 * i;
    rod.inertia.com = Vec3(0.0, 0.0, -0.5);
    rod.inertia.about_com = Mat3((rod.inertia.mass / 12.0 * Vec3(1.0, 1.0, 0.01)).asDiagonal());
    model.tree.add_body(rod);
  }
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

MachineModel bare_crane() {
  MachineModel model;
  model.tree = test::reference_crane();
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

MachineState state_at(const MachineModel& model, const std::vector<double>& q,
                      const std::vector<double>& v) {
  MachineState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  std::copy(q.begin(), q.end(), state.q);
  std::copy(v.begin(), v.end(), state.v);
  std::copy(model.tree.link_inertias().begin(), model.tree.link_inertias().end(), state.inertia);
  const double nothing[kMaxLinks] = {};
  multibody::forward_dynamics(model.tree, state.inertia, state.q, state.v, nothing, state.a);
  return state;
}

struct Case {
  std::string name;
  MachineModel model;
  std::vector<double> q, v;
};

std::vector<Case> cases() {
  return {{"double pendulum", pendulum(2, true), {0.8, 0.4}, {0.0, 0.0}},
          {"triple pendulum", pendulum(3, true), {0.8, 0.4, -0.3}, {0.0, 0.0, 0.0}},
          {"triple pendulum, axes slanted", pendulum(3, false), {0.8, 0.4, -0.3}, {0.2, 0.0, 0.0}},
          {"crane", bare_crane(), {0.0, 0.5, -1.3}, {0.2, 0.0, 0.0}}};
}

constexpr Fidelity kBoth[] = {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper};
const char* name(Fidelity fidelity) { return machine::word_of(fidelity); }

// Drift relative to how much energy goes to and fro between height and speed. The starts are below
// those from which the outer rod now and then whips around, too fast for a millisecond.
TEST(FreeSwing, KeepsItsEnergyForAMinute) {
  for (const Case& c : cases())
    for (const Fidelity fidelity : kBoth) {
      const Stepper stepper(c.model, 1e-3);
      MachineState state = state_at(c.model, c.q, c.v);
      const double start = machine::stored_energy(c.model, state, fidelity);
      double worst = 0.0, most_kinetic = 0.0;
      for (int k = 0; k < 60000; ++k) {
        stepper.step(fidelity, state);
        const multibody::Energy e =
            multibody::energy(c.model.tree, state.inertia, state.q, state.v);
        most_kinetic = std::max(most_kinetic, e.kinetic);
        test::keep_worst(worst, std::fabs(e.kinetic + e.potential - start));
      }
      std::printf("%s, %s: swings %.0f J, drift %.1e of that\n", c.name.c_str(), name(fidelity),
                  most_kinetic, worst / most_kinetic);
      EXPECT_LT(worst, 1e-4 * most_kinetic) << c.name << ", " << name(fidelity);
    }
}

// Halving the step quarters the error. Short enough that chaos has no say.
TEST(FreeSwing, ConvergesInSecondOrder) {
  constexpr double kEnd = 1.024;
  for (const Case& c : cases())
    for (const Fidelity fidelity : kBoth) {
      const auto run = [&](int steps) {
        const Stepper stepper(c.model, kEnd / steps);
        MachineState state = state_at(c.model, c.q, c.v);
        for (int k = 0; k < steps; ++k) stepper.step(fidelity, state);
        return state;
      };
      const MachineState exact = run(65536);
      std::vector<double> errors;
      for (const int steps : {512, 1024, 2048, 4096}) {
        const MachineState state = run(steps);
        double error = 0.0;
        for (int i = 0; i < c.model.joint_count(); ++i)
          error = std::hypot(error, state.q[i] - exact.q[i]);
        errors.push_back(error);
      }
      for (std::size_t k = 0; k + 1 < errors.size(); ++k)
        EXPECT_NEAR(std::log2(errors[k] / errors[k + 1]), 2.0, 0.1)
            << c.name << ", " << name(fidelity) << ", error " << errors[k];
      std::printf("%s, %s: error %.1e rad after a second at 1 ms, order %.3f\n", c.name.c_str(),
                  name(fidelity), errors[1], std::log2(errors[2] / errors[3]));
    }
}

}  // namespace
}  // namespace knuckleboom
