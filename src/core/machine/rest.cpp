// Newton's method with Levenberg's damping on the potential energy: its gradient is the torque of
// gravity and stops on the joints.
#include "knuckleboom/core/machine/rest.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/machine/joint_law.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::machine {
namespace {

// Forces that hold every joint at q; use(joint, law, torque): what springs and stops take of them.
template <class Use>
void hold(const MachineModel& model, const double* q, double* out, const Use& use) {
  const double zero[kMaxLinks] = {};
  multibody::inverse_dynamics(model.tree, model.tree.link_inertias().data(), q, zero, zero, out);
  add_ball_torques(model, q, nullptr, -1.0, out);
  for (int i = 0; i < model.joint_count(); ++i)
    for_each_joint_law(model, kAllJointLaws, nullptr, i, q[i], 0.0, 0.0, 1.0,
                       [&](JointLaw law, double torque, double) {
                         out[i] -= torque;
                         use(i, law, torque);
                       });
}

struct Potential {
  double energy;
  double gradient[kMaxLinks];
};

// Dependent joints are moved to match.
Potential potential(const MachineModel& model, std::int64_t dependent, double* q) {
  const double zero[kMaxLinks] = {};
  const multibody::LinkInertia* inertia = model.tree.link_inertias().data();
  Potential out{};
  multibody::Embedding e;
  if (dependent != 0) model.loop_system.embed(model.tree, dependent, zero, q, e);
  out.energy = multibody::energy(model.tree, inertia, q, zero).potential;
  out.energy += spring_energy(model, q);
  hold(model, q, out.gradient, [&](int i, JointLaw law, double torque) {
    if (law == JointLaw::kStop && torque != 0.0)
      out.energy += 0.5 * torque * torque / nth(model.joint_stops, i).stiffness;
  });
  if (dependent != 0) multibody::project(e, out.gradient);
  return out;
}

// Balls that hang take other turns where theirs determine each other poorly.
bool rebase(const MachineModel& model, const bool* free, double* q) {
  bool any = false;
  for (const multibody::Ball& ball : model.balls) {
    double still[2][multibody::kTurns] = {};
    if (free[ball.first + 1] && multibody::rebase(q + ball.first, still[0], still[1])) any = true;
  }
  return any;
}

}  // namespace

void holding_forces(const MachineModel& model, const double* q, double* out) {
  hold(model, q, out, [](int, JointLaw, double) {});
}

int find_rest(const MachineModel& model, const bool* free, double* q, std::int64_t dependent) {
  constexpr int kMaxIterations = 500;
  constexpr double kDifference = 1e-5;  // rad, m
  constexpr double kLongest = 0.5;      // rad, m
  constexpr double kShortest = 1e-12;
  constexpr double kNudge = 1e-3;  // rad, m
  int joint[kMaxLinks];
  int n = 0;
  for (int i = 0; i < model.joint_count(); ++i)
    if (free[i]) joint[n++] = i;
  if (n == 0) return -1;
  // Away from an upper equilibrium, where the gradient is zero as well.
  for (int k = 0; k < n; ++k) {
    double beside[kMaxLinks];
    std::copy(q, q + model.joint_count(), beside);
    beside[joint[k]] += kNudge;
    if (potential(model, dependent, beside).energy < potential(model, dependent, q).energy)
      q[joint[k]] += kNudge;
  }

  Potential here = potential(model, dependent, q);
  double damping = 1e-9;
  int longest = joint[0];
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    double H[kMaxLinks][kMaxLinks];
    double largest = 0.0;
    for (int c = 0; c < n; ++c) {
      double side[kMaxLinks];
      std::copy(q, q + model.joint_count(), side);
      side[joint[c]] = q[joint[c]] + kDifference;
      const Potential up = potential(model, dependent, side);
      side[joint[c]] = q[joint[c]] - kDifference;
      const Potential down = potential(model, dependent, side);
      for (int r = 0; r < n; ++r) {
        H[r][c] = (up.gradient[joint[r]] - down.gradient[joint[r]]) / (2.0 * kDifference);
        largest = std::max(largest, std::fabs(H[r][c]));
      }
    }
    if (!(largest < INFINITY)) return longest;
    bool moved = false;
    while (!moved && damping < 1e12) {
      double A[kMaxLinks][kMaxLinks];
      double step[kMaxLinks];
      double length = 0.0;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c <= r; ++c) A[r][c] = 0.5 * (H[r][c] + H[c][r]);
        A[r][r] += damping * (1.0 + largest);
        step[r] = -here.gradient[joint[r]];
      }
      const bool uphill = !solve_positive_definite<kMaxLinks>(n, A, step);
      for (int r = 0; r < n; ++r) {
        if (std::fabs(step[r]) > length) longest = joint[r];
        length = std::max(length, std::fabs(step[r]));
      }
      if (!uphill && length < kShortest) return -1;
      double trial[kMaxLinks];
      std::copy(q, q + model.joint_count(), trial);
      const double share = length > kLongest ? kLongest / length : 1.0;
      for (int r = 0; r < n; ++r) trial[joint[r]] += share * step[r];
      const Potential there = potential(model, dependent, trial);
      const double slack = 1e-14 * std::fabs(here.energy);
      if (uphill || !(there.energy <= here.energy + slack)) {
        damping = damping * 10.0;
        continue;
      }
      moved = true;
      damping = std::max(1e-15, damping * 0.1);
      std::copy(trial, trial + model.joint_count(), q);
      here = rebase(model, free, q) ? potential(model, dependent, q) : there;
    }
    if (!moved) return -1;  // at the resolution of the energy
  }
  return longest;
}

}  // namespace knuckleboom::machine
