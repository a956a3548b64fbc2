#include "knuckleboom/core/emulation/force_observer.hpp"

#include <algorithm>
#include <numbers>

#include <Eigen/LU>

#include "knuckleboom/core/emulation/tip_motion.hpp"
#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/exponential.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr int kObserved = kHostJoints;
constexpr double kLeastObservedPivot = 1e-3;  // of the Jacobian [m, 1]

}  // namespace

void friction_by_law(const machine::MachineModel& host, const JointSample& last,
                     const JointSample& now, double h, ForceObserverState& state) {
  std::fill(std::begin(state.by_law), std::end(state.by_law), 0.0);
  for (const machine::Actuator& actuator : host.actuators) {
    const friction::FrictionModel& law = actuator.friction;
    if (law.kind == friction::Kind::kNone || !(law.sigma_0 > 0.0)) continue;
    const int i = actuator.link;
    const double start = state.bristle[i];
    const double end = friction::bristle_step(law, start, h, 0.5 * (last.v[i] + now.v[i])).z;
    state.bristle[i] = end;
    state.by_law[i] = 0.5 * law.sigma_0 * (start + end) + law.sigma_1 * (end - start) / h;
  }
}

void joint_residual(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                    const JointSample& last, const JointSample& now, double h, double* residual) {
  double q[kMaxLinks] = {}, v[kMaxLinks] = {};
  for (int i = 0; i < kObserved; ++i) {
    q[i] = 0.5 * (last.q[i] + now.q[i]);
    v[i] = 0.5 * (last.v[i] + now.v[i]);
  }
  multibody::MassAndBias body;
  multibody::mass_and_bias(host.tree, inertia, q, v, body);
  for (int i = 0; i < kObserved; ++i) {
    const double torque_mean =
        now.held != 0.0 ? now.torque[i] : 0.5 * (last.torque[i] + now.torque[i]);
    double torque = body.bias[i] + host.tree.link(i).damping * v[i] - torque_mean;
    for (int j = 0; j < kObserved; ++j) torque += body.M[i][j] * (now.v[j] - last.v[j]) / h;
    residual[i] = torque;
  }
}

Wrench fused_wrench(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                    const JointSample& now, const Wrench& measured, int delay, double crossover_Hz,
                    double law_share, double h, ForceObserverState& state) {
  constexpr std::int64_t kRing = kMaxSensorDelay + 1;
  double* const newest = state.ring[state.samples % kRing];
  const JointSample& last = state.samples > 0 ? state.last : now;
  joint_residual(host, inertia, last, now, h, newest);
  friction_by_law(host, last, now, h, state);
  for (int i = 0; i < kObserved; ++i) {
    state.by_law[i] *= law_share;
    newest[i] += state.by_law[i];
  }
  const double* const then =
      state.ring[(state.samples + kRing - std::min<std::int64_t>(delay, state.samples)) % kRing];
  TipMotion tip;
  tip_motion(host, now.q, now.v, tip);
  const double share = 1.0 - decay(2.0 * std::numbers::pi * crossover_Hz * h);
  Eigen::Matrix<double, kObserved, kObserved> J_T;
  Eigen::Matrix<double, kObserved, 1> outside;
  for (int i = 0; i < kObserved; ++i) {
    const auto u = static_cast<std::size_t>(i);
    J_T.row(i) << tip.J_v[u].transpose(), tip.J_w[u].transpose();
    const double by_sensor = tip.J_v[u].dot(measured.force) + tip.J_w[u].dot(measured.moment);
    state.unknown[i] += share * (by_sensor - then[i] - state.unknown[i]);
    outside[i] = newest[i] + state.unknown[i];
    state.friction[i] = state.by_law[i] + state.unknown[i];
  }
  state.last = now;
  ++state.samples;
  const Eigen::PartialPivLU<Eigen::Matrix<double, kObserved, kObserved>> lu(J_T);
  if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > kLeastObservedPivot)) return measured;
  const Eigen::Matrix<double, kObserved, 1> w = lu.solve(outside);
  return {Vec3(w.head<3>()), Vec3(w.tail<3>())};
}

}  // namespace knuckleboom::emulation
