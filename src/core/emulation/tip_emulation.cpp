#include "knuckleboom/core/emulation/tip_emulation.hpp"

#include <algorithm>
#include <numbers>

#include <Eigen/LU>

namespace knuckleboom::emulation {
namespace {

constexpr int kAxes = 6;
constexpr double kLeastPivot = 1e-3;  // of the Jacobian [m, 1], or of its square

using Mat6 = Eigen::Matrix<double, kAxes, kAxes>;
using Vec6 = Eigen::Matrix<double, kAxes, 1>;

// J x = b; false where J is nearly singular.
bool solve(const Mat6& J, const Vec6& b, Vec6& x) {
  const Eigen::PartialPivLU<Mat6> lu(J);
  if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > kLeastPivot)) return false;
  x = lu.solve(b);
  return true;
}

Vec6 stacked(const Vec3& linear, const Vec3& angular) {
  Vec6 out;
  out << linear, angular;
  return out;
}

// Entry of the Jacobian: twist of the tip by a joint's unit rate.
double entry(const TipMotion& tip, int joint, int row) {
  const auto i = static_cast<std::size_t>(joint);
  return row < 3 ? tip.J_v[i][row] : tip.J_w[i][row - 3];
}

}  // namespace

TipCommand tip_command(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                       const double* q, const double* v, const double* acceleration, Scheme scheme,
                       const TipGains& gains, const TipTarget& target, const Wrench& contact,
                       double h) {
  const double w = 2.0 * std::numbers::pi * gains.bandwidth_Hz;
  const double Gp = w * w;
  const double Gv = 2.0 * gains.damping * w;
  TipMotion tip;
  tip_motion(host, q, v, tip);
  const bool feeds = scheme == Scheme::kAcceleration;
  const Vec3 v_wanted = feeds ? target.v : Vec3(Vec3::Zero());
  const Vec3 omega_wanted = feeds ? target.omega : Vec3(Vec3::Zero());
  Vec6 wanted = stacked(Gv * (v_wanted - tip.v) + Gp * (target.p - tip.p),
                        Gv * (omega_wanted - tip.omega) + Gp * rotation_error(tip.R, target.R));
  if (feeds) wanted += stacked(target.a, target.alpha);

  double q_mid[kMaxLinks], v_mid[kMaxLinks];
  for (int i = 0; i < kAxes; ++i) {
    q_mid[i] = q[i] + 0.5 * h * v[i];
    v_mid[i] = v[i] + 0.5 * h * acceleration[i];
  }
  tip_motion(host, q_mid, v_mid, tip);
  multibody::MassAndBias body;
  multibody::mass_and_bias(host.tree, inertia, q_mid, v_mid, body);
  Mat6 J;
  for (std::size_t i = 0; i < kAxes; ++i)
    J.col(static_cast<Eigen::Index>(i)) = stacked(tip.J_v[i], tip.J_w[i]);
  Vec6 q_ddot;
  TipCommand out{};
  out.singular = !solve(J, wanted - stacked(tip.a_bias, tip.alpha_bias), q_ddot);
  if (out.singular)
    for (int i = 0; i < kAxes; ++i) q_ddot[i] = -Gv * v[i];
  Vec6 pushed = Vec6::Zero();  // by the contact
  if (feeds) pushed = J.transpose() * stacked(contact.force, contact.moment);
  for (int i = 0; i < kAxes; ++i) {
    double torque = body.bias[i] + host.tree.link(i).damping * v_mid[i] - pushed[i];
    for (int j = 0; j < kAxes; ++j) torque += body.M[i][j] * q_ddot[j];
    out.torque[i] = torque;
    out.acceleration[i] = q_ddot[i];
  }
  return out;
}

bool joint_rates(const TipMotion& tip, int joints, int rows, const Vec3& v, const Vec3& omega,
                 double* rate) {
  std::fill(rate, rate + joints, 0.0);
  // J J^T y = twist, rate = J^T y: the smallest rates.
  Mat6 A = Mat6::Identity();
  A.topLeftCorner(rows, rows).setZero();
  Vec6 twist = Vec6::Zero(), y;
  for (int r = 0; r < rows; ++r) {
    twist[r] = r < 3 ? v[r] : omega[r - 3];
    for (int c = 0; c < rows; ++c)
      for (int i = 0; i < joints; ++i) A(r, c) += entry(tip, i, r) * entry(tip, i, c);
  }
  if (!solve(A, twist, y)) return false;
  for (int i = 0; i < joints; ++i)
    for (int r = 0; r < rows; ++r) rate[i] += entry(tip, i, r) * y[r];
  return true;
}

}  // namespace knuckleboom::emulation
