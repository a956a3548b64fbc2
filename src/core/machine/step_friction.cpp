#include "step_friction.hpp"

#include <algorithm>

#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {
namespace {

// Falling curves together use at most this share of the inertia's resistance in a stage; otherwise
// the stage could have more than one solution.
constexpr double kShareOfInertia = 0.95;

int branch_at(const friction::FrictionModel& model, double x_dot) {
  return std::fabs(x_dot) <= model.v_min ? 0 : x_dot > 0.0 ? 1 : -1;
}

// Resistance to a change of its speed in a stage of weight g.
double stiffness(const friction::FrictionModel& model, double g) {
  if (model.kind == friction::Kind::kContinuous) return friction::creep_resistance(model);
  if (model.kind == friction::Kind::kLuGre) return model.sigma_1 + model.sigma_0 * g;
  return 0.0;
}

}  // namespace

double StepFriction::speed(const Source& source, const double* v) const {
  const int k = source.site->actuator;
  return k < 0 ? v[source.site->link] : speed_of(*model_, drives_[k], v);
}

void StepFriction::start(const FrictionSites& sites, const MachineModel& model,
                         const MachineState& state, ActuatorStep* drives,
                         const Mechanism* mechanism, const double (*M_g)[kMaxLinks], double g,
                         bool one_stage) {
  model_ = &model;
  drives_ = drives;
  n_ = mechanism != nullptr ? mechanism->count : model.joint_count();
  count_ = sites.count;
  g_ = g;
  one_stage_ = one_stage;
  work_ = 0.0;
  for (int c = 0; c < n_; ++c) {
    joint_[c] = mechanism != nullptr ? mechanism->joint[c] : c;
    for (int d = 0; d < n_; ++d)
      M_[c][d] = mechanism != nullptr ? mechanism->M[c][d] / g : M_g[c][d];
    const double v = state.v[joint_[c]];
    start_[c] = v;
    sense_[c] = v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
    capacity_[c] = net_work_[c] = 0.0;
    landed_[c] = idle_[c] = false;
  }
  double row[kMaxActuators + kMaxLinks][kMaxLinks];
  for (int s = 0; s < count_; ++s) {
    Source& source = source_[s];
    source.site = &nth(sites.site, s);
    const int i = source.site->link;
    const int k = source.site->actuator;
    source.column = i;
    source.lever = k < 0 ? 1.0 : drives[k].J;
    if (mechanism != nullptr) {
      if (k < 0) {
        double by_joint[kMaxLinks] = {};
        by_joint[i] = 1.0;
        to_independent(*mechanism, by_joint, row[s]);
      } else {
        independent_row(model, *mechanism, drives[k], row[s]);
      }
      int most = 0;
      for (int c = 1; c < n_; ++c)
        if (std::fabs(row[s][c]) > std::fabs(row[s][most])) most = c;
      source.lever = row[s][most];
      source.column = source.lever != 0.0 ? most : -1;
    }
    source.x_dot_start = source.x_dot_before = speed(source, state.v);
    source.z = source.z_star = source.z_start =
        k < 0 ? state.bristle[i] : state.actuator[k].bristle;
    source.force = 0.0;
    const friction::FrictionModel& model_of = *source.site->model;
    if (friction::sticks(model_of.kind) && source.column >= 0)
      capacity_[source.column] += std::fabs(source.lever) * model_of.F_s;
  }
  choose_weights(mechanism, row);
}

namespace {

// mobility() of several rows of one mechanism, which is factored once.
class MobilityOfRows {
 public:
  explicit MobilityOfRows(const Mechanism* mechanism) : mechanism_(mechanism) {}

  double operator()(const double* row) {
    const int n = mechanism_->count;
    if (!factored_) {
      for (int r = 0; r < n; ++r) std::copy_n(mechanism_->M[r], r + 1, factors_[r]);
      sound_ = detail::factor<0>(n, factors_, inverse_);
      factored_ = true;
    }
    double x[kMaxLinks];
    std::copy_n(row, n, x);
    if (sound_) detail::solve_factored<0, kMaxLinks, double>(n, factors_, inverse_, x);
    double sum = 0.0;
    for (int r = 0; r < n; ++r) sum += row[r] * x[r];
    return sum;
  }

 private:
  const Mechanism* mechanism_;
  bool factored_ = false, sound_ = false;
  double factors_[kMaxLinks][kMaxLinks], inverse_[kMaxLinks];
};

}  // namespace

void StepFriction::choose_weights(const Mechanism* mechanism, const double (*row)[kMaxLinks]) {
  double fall[kMaxActuators + kMaxLinks];
  double share = 0.0;
  int falling = 0;
  double stiff[kMaxLinks] = {};
  InverseDiagonal<kMaxLinks> of_inverse(n_, M_);
  MobilityOfRows of_rows(mechanism);
  for (int s = 0; s < count_; ++s) {
    Source& source = source_[s];
    const friction::FrictionModel& model = *source.site->model;
    fall[s] = friction::steepest_fall(model, g_);
    source.exact = true;
    source.weight = one_stage_ ? 0.5 : 1.0;
    const double stiffness_here = one_stage_ ? stiffness(model, g_) : 0.0;
    if (source.column < 0 || (fall[s] == 0.0 && stiffness_here == 0.0)) continue;
    const double compliance = mechanism != nullptr
                                  ? g_ * of_rows(row[s])
                                  : source.lever * source.lever * of_inverse(source.column);
    fall[s] *= compliance;
    share += fall[s];
    falling += fall[s] > 0.0 ? 1 : 0;
    stiff[source.column] += compliance * stiffness_here;
  }
  for (int s = 0; s < count_; ++s) {
    Source& source = source_[s];
    if (source.column < 0) continue;
    if (share >= kShareOfInertia) source.exact = fall[s] * falling < kShareOfInertia;
    if (one_stage_) source.weight = integration::fitted_theta(stiff[source.column]);
  }
}

void StepFriction::begin_stage(const bool* held, const double* v, double* u) {
  for (int s = 0; s < count_; ++s) {
    Source& source = source_[s];
    const double expected = acting_speed(source, v);
    const double sense = source.column < 0 ? 0.0 : sense_[source.column] * source.lever;
    source.v_curve = expected * sense < 0.0 ? 0.0 : expected;
    source.branch = branch_at(*source.site->model, source.x_dot_before);
    source.left[0] = source.left[1] = source.left[2] = source.in_fall = false;
  }
  for (int c = 0; c < n_; ++c) {
    idle_[c] = held != nullptr && held[c];
    if (!idle_[c] && sticks(c)) u[c] = 0.0;
  }
}

friction::Force StepFriction::evaluate(double x_dot, Source& source) const {
  const friction::FrictionModel& model = *source.site->model;
  switch (model.kind) {
    case friction::Kind::kCoulomb:
    case friction::Kind::kStribeck: {
      const double sense = sense_[source.column] * std::copysign(1.0, source.lever);
      if (sense == 0.0) return {0.0, 0.0};
      if (source.exact) return friction::sliding(model, sense, x_dot);
      return {friction::sliding(model, sense, source.v_curve).force, 0.0};
    }
    case friction::Kind::kContinuous: {
      if (source.exact) return friction::continuous(model, x_dot);
      const double resistance = friction::creep_resistance(model);
      if (source.branch == 0) return {resistance * x_dot, resistance};
      if (source.in_fall) return friction::falling(model, source.branch, x_dot);
      return {source.branch * model.F_c, 0.0};
    }
    case friction::Kind::kLuGre: {
      const friction::Bristle end =
          source.exact && one_stage_ ? friction::bristle_step(model, source.z_star, g_, x_dot)
          : source.exact             ? friction::bristle(model, source.z_star, g_, x_dot)
                         : friction::bristle_at(model, source.z_star, g_, x_dot, source.v_curve);
      source.z = end.z;
      return friction::bristle_force(model, source.z_star, end, g_, source.weight);
    }
    case friction::Kind::kNone:
      break;
  }
  return {0.0, 0.0};
}

void StepFriction::add(const double* v, double* tau, double* dtau) {
  for (int s = 0; s < count_; ++s) {
    Source& source = source_[s];
    if (idle(source)) continue;
    const friction::Force f = evaluate(acting_speed(source, v), source);
    source.force = f.force;
    const double slope = source.weight * f.slope;
    const int i = source.site->link;
    const int k = source.site->actuator;
    if (k >= 0 && drives_[k].pins) {
      for (int j = 0; j < model_->joint_count(); ++j) tau[j] -= drives_[k].row[j] * f.force;
      drives_[k].dforce -= slope;
      continue;
    }
    const double J = k < 0 ? 1.0 : drives_[k].J;
    tau[i] -= J * f.force;
    dtau[i] -= J * J * slope;
  }
}

// In a mechanism, through the coordinate that moves the source most.
bool StepFriction::leave_branch(Source& source, const double* u) const {
  const friction::FrictionModel& model = *source.site->model;
  if (model.kind != friction::Kind::kContinuous || source.exact || idle(source) || source.in_fall)
    return false;
  const double now = source.lever * u[source.column];
  const double x_dot = (1.0 - source.weight) * source.x_dot_start + source.weight * now;
  const int before = source.branch;
  int next = before;
  if (before == 0)
    next = branch_at(model, x_dot);
  else if (before * x_dot < model.n * model.v_min)
    next = 0;
  if (next == before) return false;
  source.left[before + 1] = true;
  source.in_fall = source.left[next + 1];
  source.branch = source.in_fall && next == 0 ? before : next;
  return true;
}

void StepFriction::come_to_rest(int c, double* u) {
  sense_[c] = 0.0;
  u[c] = 0.0;
  landed_[c] = true;
  own_star_[c] = 0.0;
}

void StepFriction::landing_impulse(const double* u_star, double* p) const {
  int free[kMaxLinks],
      landed[kMaxLinks];  // free coordinates; of these, indices of those that came to rest
  int frees = 0;
  int count = 0;
  std::fill(p, p + n_, 0.0);
  for (int c = 0; c < n_; ++c) {
    if (idle_[c] || (sticks(c) && !landed_[c])) continue;
    if (landed_[c]) landed[count++] = frees;
    free[frees++] = c;
  }
  if (count == 0) return;
  double mobility[kMaxLinks][kMaxLinks], impulse[kMaxLinks];
  for (int l = 0; l < count; ++l) {
    double M[kMaxLinks][kMaxLinks], u[kMaxLinks] = {};
    for (int i = 0; i < frees; ++i)
      for (int j = 0; j < frees; ++j) M[i][j] = M_[free[i]][free[j]];
    u[landed[l]] = 1.0;
    solve_positive_definite<kMaxLinks>(frees, M, u);
    for (int k = 0; k < count; ++k) mobility[l][k] = u[landed[k]];
    const int c = free[landed[l]];
    impulse[l] = u_star[c] - own_star_[c];
  }
  solve_positive_definite<kMaxLinks>(count, mobility, impulse);
  for (int l = 0; l < count; ++l) p[free[landed[l]]] = impulse[l];
}

// Newton's last evaluation is one step before the solution.
void StepFriction::end_stage(const double* v) {
  for (int s = 0; s < count_; ++s)
    if (!idle(source_[s]))
      source_[s].force = evaluate(acting_speed(source_[s], v), source_[s]).force;
}

void StepFriction::book(const double* moved) {
  for (int s = 0; s < count_; ++s)
    if (!idle(source_[s])) work_ += source_[s].force * speed(source_[s], moved);
  for (int c = 0; c < n_; ++c) net_work_[c] += net_[c] * moved[joint_[c]];
}

void StepFriction::next_stage(const double* v, double carry) {
  for (int c = 0; c < n_; ++c)
    if (landed_[c]) own_star_[c] = carry * v[joint_[c]];
  for (int s = 0; s < count_; ++s) {
    Source& source = source_[s];
    source.x_dot_before = speed(source, v);
    source.z_star = source.z_start + carry * (source.z - source.z_start);
  }
}

void StepFriction::finish(const double* v, MachineState& state) {
  double lost = work_;
  for (int s = 0; s < count_; ++s) {
    const Source& source = source_[s];
    const friction::FrictionModel& model = *source.site->model;
    if (model.kind != friction::Kind::kLuGre) continue;
    lost -=
        friction::bristle_energy(model, source.z) - friction::bristle_energy(model, source.z_start);
    const int k = source.site->actuator;
    (k < 0 ? state.bristle[source.site->link] : state.actuator[k].bristle) = source.z;
  }
  std::fill(rests_, rests_ + model_->joint_count(), false);
  // The remaining kinetic energy of coordinates that came to rest was not done as work.
  for (int c = 0; c < n_; ++c) {
    if (!landed_[c]) continue;
    rests_[joint_[c]] = sense_[c] == 0.0;
    double gained = 0.0;
    for (int d = 0; d < n_; ++d)
      if (!idle_[d]) gained += M_[c][d] * g_ * (v[joint_[d]] - start_[d]);
    lost += net_work_[c] - 0.5 * (v[joint_[c]] + start_[c]) * gained;
  }
  state.energy.friction += lost;
}

}  // namespace knuckleboom::machine
