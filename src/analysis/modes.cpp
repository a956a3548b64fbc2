#include "knuckleboom/analysis/modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>

#include "knuckleboom/core/hydraulics/stage.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::analysis {
namespace {

// y = q, v of the independent joints, then P_C of side 1 and 2 of each actuator.
class ClosedMachine {
 public:
  ClosedMachine(const machine::MachineModel& model, const machine::MachineState& state)
      : model_(model), state_(state), m_(static_cast<int>(model.actuators.size())) {
    for (int i = 0; i < model.joint_count(); ++i)
      if (((state.dependent | model.held) >> i & 1) == 0) joint_.push_back(i);
    n_ = static_cast<int>(joint_.size());
    // Step weight zero: the instantaneous relations.
    for (int k = 0; k < m_ && !model.on_air(); ++k)
      constants_.push_back(
          hydraulics::make_stage(model.actuators[static_cast<std::size_t>(k)].circuit, 0.0, 1e-6,
                                 1.0, {}, state.actuator[k].C));
  }

  int size() const { return 2 * n_ + 2 * m_; }
  int joints() const { return n_; }

  Eigen::VectorXd rest() const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(size());
    for (int i = 0; i < n_; ++i) y(i) = state_.q[joint_[static_cast<std::size_t>(i)]];
    for (int k = 0; k < m_; ++k)
      for (int s = 0; s < 2; ++s) y(2 * n_ + 2 * k + s) = state_.actuator[k].P_C[s];
    return y;
  }

  // Small against the curvature of the equations, large against rounding.
  double step(int i) const {
    if (i < n_) return 1e-6;      // rad, m
    if (i < 2 * n_) return 1e-5;  // rad/s, m/s
    return 1.0;                   // Pa
  }

  Eigen::VectorXd rate(const Eigen::VectorXd& y) const {
    machine::MachineState at = state_;
    for (int i = 0; i < n_; ++i) {
      at.q[joint_[static_cast<std::size_t>(i)]] = y(i);
      at.v[joint_[static_cast<std::size_t>(i)]] = y(n_ + i);
    }
    double q[kMaxLinks];
    multibody::MassAndBias body;
    machine::Mechanism mechanism;
    machine::middle_of_mechanism(model_, at, 0.0, nullptr, false, q, body, mechanism);
    double tau[kMaxLinks];
    for (int i = 0; i < model_.joint_count(); ++i)
      tau[i] = -body.bias[i] - model_.tree.link(i).damping * at.v[i] -
               model_.tree.link(i).stiffness * (q[i] - model_.tree.link(i).rest);
    machine::add_ball_torques(model_, q, at.v, 1.0, tau);
    Eigen::VectorXd out(size());
    for (int k = 0; k < m_; ++k) {
      const machine::Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
      const hydraulics::Circuit& circuit = actuator.circuit;
      double row[kMaxLinks];
      const double x = machine::displacement_row(model_, k, q, row);
      double x_dot = 0.0;
      for (int i = 0; i < model_.joint_count(); ++i) x_dot += row[i] * at.v[i];
      const int own = 2 * n_ + 2 * k;
      if (actuator.air) {  // shut in without exchange of heat: P V^k stays
        const pneumatics::Cylinder& c = actuator.air->cylinder;
        const double area[2] = {c.area_cap, -c.area_rod};
        double force = -circuit.B * x_dot;
        for (int s = 0; s < 2; ++s) {
          const double V = pneumatics::volume(c, s == 0 ? pneumatics::kCap : pneumatics::kRod,
                                              x - actuator.air->retracted);
          force += area[s] * y(own + s);
          out(own + s) =
              -model_.air.gas.k * (model_.air.P_ambient + y(own + s)) / V * area[s] * x_dot;
        }
        for (int i = 0; i < model_.joint_count(); ++i) tau[i] += row[i] * force;
        continue;
      }
      hydraulics::StageInput in{};
      for (int s = 0; s < 2; ++s) in.P_star[s] = y(2 * n_ + 2 * k + s);
      const double p_start[2] = {in.P_star[0], in.P_star[1]};
      hydraulics::StageResult oil{};
      hydraulics::evaluate_stage(hydraulics::LineModel::kClosed,
                                 constants_[static_cast<std::size_t>(k)], in, x_dot, p_start, oil);
      for (int i = 0; i < model_.joint_count(); ++i)
        tau[i] += row[i] * (oil.force - circuit.B * x_dot);
      out(2 * n_ + 2 * k) = (-oil.o_R[0] - oil.bypass_C[0]) / state_.actuator[k].C[0];
      out(2 * n_ + 2 * k + 1) = (-oil.o_R[1] - oil.bypass_C[1]) / state_.actuator[k].C[1];
    }
    double tau_u[kMaxLinks];
    machine::to_independent(mechanism, tau, tau_u);
    Eigen::MatrixXd M(n_, n_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) M(i, j) = mechanism.M[i][j];
    out.head(n_) = y.segment(n_, n_);
    out.segment(n_, n_) = M.llt().solve(Eigen::Map<const Eigen::VectorXd>(tau_u, n_));
    return out;
  }

  // Shape of a mode over all joints, from that over the independent ones.
  std::vector<double> over_joints(const std::vector<double>& shape) const {
    double v[kMaxLinks] = {};
    for (int i = 0; i < n_; ++i)
      v[joint_[static_cast<std::size_t>(i)]] = shape[static_cast<std::size_t>(i)];
    machine::MachineState at = state_;
    multibody::Embedding e;
    model_.loop_system.embed(model_.tree, at.dependent, v, at.q, e);
    multibody::expand(e, v);
    return {v, v + model_.joint_count()};
  }

 private:
  const machine::MachineModel& model_;
  const machine::MachineState& state_;
  int n_ = 0, m_;
  std::vector<int> joint_;
  std::vector<hydraulics::StageConstants> constants_;
};

// Below this an eigenvalue is a zero with rounding errors [1/s].
constexpr double kZero = 1e-3;

std::vector<double> shape_of(const Eigen::VectorXcd& vector, int joints) {
  std::vector<double> shape(static_cast<std::size_t>(joints));
  // Relative to the phase of the joint that moves most.
  int most = 0;
  for (int i = 1; i < joints; ++i)
    if (std::abs(vector(i)) > std::abs(vector(most))) most = i;
  if (std::abs(vector(most)) == 0.0) return shape;
  for (int i = 0; i < joints; ++i)
    shape[static_cast<std::size_t>(i)] = (vector(i) / vector(most)).real();
  return shape;
}

}  // namespace

std::vector<Mode> closed_valve_modes(const machine::MachineModel& model,
                                     const machine::MachineState& state) {
  const ClosedMachine machine(model, state);
  const Eigen::VectorXd y = machine.rest();
  const int size = machine.size();
  // Pressures in MPa, so that rows and columns have similar magnitude.
  const auto unit = [&](int i) { return i < 2 * machine.joints() ? 1.0 : 1e6; };
  Eigen::MatrixXd A(size, size);
  for (int j = 0; j < size; ++j) {
    const double h = machine.step(j);
    Eigen::VectorXd up = y, down = y;
    up(j) += h;
    down(j) -= h;
    const Eigen::VectorXd slope = (machine.rate(up) - machine.rate(down)) / (2.0 * h);
    for (int i = 0; i < size; ++i) A(i, j) = slope(i) * unit(j) / unit(i);
  }
  // Numbers beyond all measure have no eigenvalues.
  if (!A.allFinite()) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  std::vector<Mode> modes;
  for (int i = 0; i < size; ++i) {
    const std::complex<double> root = solver.eigenvalues()(i);
    if (std::abs(root) < kZero || root.imag() < 0.0) continue;
    Mode mode;
    if (root.imag() > kZero) {
      mode.oscillates = true;
      mode.frequency_Hz = std::abs(root) / (2.0 * std::numbers::pi);
      mode.damping_ratio = -root.real() / std::abs(root);
      mode.shape = machine.over_joints(shape_of(solver.eigenvectors().col(i), machine.joints()));
    } else {
      mode.time_constant_s = -1.0 / root.real();
    }
    modes.push_back(std::move(mode));
  }
  const auto speed = [](const Mode& mode) {
    return mode.oscillates ? 2.0 * std::numbers::pi * mode.frequency_Hz
                           : 1.0 / std::fabs(mode.time_constant_s);
  };
  std::sort(modes.begin(), modes.end(),
            [&](const Mode& a, const Mode& b) { return speed(a) < speed(b); });
  return modes;
}

}  // namespace knuckleboom::analysis
