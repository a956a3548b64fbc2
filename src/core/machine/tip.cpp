#include "knuckleboom/core/machine/tip.hpp"

#include <algorithm>

#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"

namespace knuckleboom::machine {
namespace {

constexpr double kZero[kMaxLinks] = {};

multibody::PointMotion tip_motion(const MachineModel& model, const double* q) {
  const multibody::Kinematics k = multibody::forward_kinematics(model.tree, q, kZero);
  return multibody::point_motion(model.tree, k, model.tip_body, model.tip_B);
}

}  // namespace

Vec3 tip_position(const MachineModel& model, const double* q) { return tip_motion(model, q).p_W; }

bool solve_tip(const MachineModel& model, const Vec3& target_W, const bool* used, double* q) {
  constexpr int kMaxIterations = 60;
  constexpr double kTolerance = 1e-11;  // m
  const int n = model.joint_count();
  multibody::PointMotion tip = tip_motion(model, q);
  double damping = 1e-12;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 error = target_W - tip.p_W;
    if (error.norm() < kTolerance) return true;
    double A[kMaxLinks][kMaxLinks];
    double d[kMaxLinks];
    for (int i = 0; i < n; ++i) {
      d[i] = used[i] ? tip.J_W[static_cast<std::size_t>(i)].dot(error) : 0.0;
      for (int j = 0; j <= i; ++j)
        A[i][j] =
            used[i] && used[j]
                ? tip.J_W[static_cast<std::size_t>(i)].dot(tip.J_W[static_cast<std::size_t>(j)])
                : 0.0;
      A[i][i] += used[i] ? damping : 1.0;
    }
    if (!solve_positive_definite<kMaxLinks>(n, A, d)) {
      damping = damping * 100.0 + 1e-9;
      continue;
    }
    double trial[kMaxLinks];
    for (int i = 0; i < n; ++i) {
      const multibody::Body& body = model.tree.body(model.tree.link(i).body);
      trial[i] = q[i] + std::clamp(d[i], -0.3, 0.3);
      if (body.upper > body.lower) trial[i] = std::clamp(trial[i], body.lower, body.upper);
    }
    const multibody::PointMotion moved = tip_motion(model, trial);
    if ((target_W - moved.p_W).norm() < error.norm()) {
      std::copy(trial, trial + n, q);
      tip = moved;
      damping = std::max(1e-12, damping * 0.01);
    } else if (error.norm() < 1e-9) {
      return true;  // at the resolution of the numbers
    } else {
      damping = damping * 100.0 + 1e-9;
      if (damping > 1e6) break;
    }
  }
  return (target_W - tip.p_W).norm() < 1e-9;
}

}  // namespace knuckleboom::machine
