#include "knuckleboom/core/machine/mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/machine/joint_law.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"

namespace knuckleboom::machine {
namespace {

// Below this, other independent joints are tried; they are taken if they are this much better.
constexpr double kPoorQuality = 0.1;
constexpr double kBetter = 2.0;

bool in(std::int64_t mask, int joint) { return (mask >> joint & 1) != 0; }

void list_independent(const MachineModel& model, const MachineState& state, Mechanism& m) {
  m.count = 0;
  for (int j = 0; j < model.joint_count(); ++j)
    if (!in(state.dependent | state.absent | model.held, j)) m.joint[m.count++] = j;
}

// B^T M B; M is unchanged.
void project_mass(const MachineModel& model, const multibody::MassAndBias& body, Mechanism& m) {
  const int n = model.joint_count();
  double M[kMaxLinks][kMaxLinks];
  for (int i = 0; i < n; ++i) std::copy(body.M[i], body.M[i] + n, M[i]);
  multibody::project(m.embedding, n, M);
  for (int r = 0; r < m.count; ++r)
    for (int c = 0; c < m.count; ++c) m.M[r][c] = M[m.joint[r]][m.joint[c]];
}

// B^T M B where the machine is; the dependent joints of q are moved to match.
void mass_at(const MachineModel& model, const MachineState& state, double* q, Mechanism& m) {
  list_independent(model, state, m);
  model.loop_system.embed(model.tree, state.dependent, state.v, q, m.embedding);
  multibody::MassAndBias body;
  multibody::mass_and_bias(model.tree, state.inertia, q, state.v, body);
  project_mass(model, body, m);
}

// B^T M B with the momentum by_joint; returns the change of the rates of all joints.
void change_rates(const MachineModel& model, MachineState& state, double* momentum) {
  Mechanism m;
  mass_at(model, state, state.q, m);
  double du[kMaxLinks];
  to_independent(m, momentum, du);
  if (!solve_positive_definite<kMaxLinks>(m.count, m.M, du)) return;
  double dv[kMaxLinks] = {};
  to_joints(m, du, dv);
  for (int j = 0; j < model.joint_count(); ++j) state.v[j] += dv[j];
}

// Returns the energy residual of a second-order step to the speeds, so that a mechanism without
// losses keeps its energy however long it rotates. Near standstill the correction is postponed.
void keep_energy(const MachineModel& model, MachineState& state) {
  constexpr double kMostShare = 1e-3;  // of the kinetic energy
  const multibody::Energy now = multibody::energy(model.tree, state.inertia, state.q, state.v);
  const EnergyLedger& e = state.energy;
  const double missing = e.start + e.events + e.external - e.stops - now.kinetic - now.potential;
  if (!(std::fabs(missing) <= kMostShare * now.kinetic)) return;
  const double factor = std::sqrt(1.0 + missing / now.kinetic);
  for (int j = 0; j < model.joint_count(); ++j) state.v[j] *= factor;
}

bool actuators_follow_each_other(const MachineModel& model) {
  for (int g = 0; g < model.loop_system.group_count(); ++g) {
    const multibody::LoopSystem::Group& group = model.loop_system.group(g);
    const auto within = [&group](const Actuator& a) {
      return std::find(group.joint.begin(), group.joint.end(), a.link) != group.joint.end();
    };
    if (!group.coupling.empty() &&
        std::count_if(model.actuators.begin(), model.actuators.end(), within) > 1)
      return true;
  }
  return false;
}

double group_motion(const MachineModel& model, int constraint, const double* v) {
  double sum = 0.0;
  for (const int j : model.loop_system.group(model.loop_system.group_of(constraint)).joint)
    sum += std::fabs(v[j]);
  return sum;
}

}  // namespace

void keep_independent(const MachineModel& model, bool* keep) {
  std::fill(keep, keep + kMaxLinks, false);
  for (const Actuator& actuator : model.actuators) keep[actuator.link] = true;
  for (const JointDrive& drive : model.drives) keep[drive.link] = true;
}

void choose_independent(const MachineModel& model, MachineState& state) {
  if (model.loop_system.empty()) return;
  bool keep[kMaxLinks];
  keep_independent(model, keep);
  state.dependent = model.loop_system.choose(model.tree, state.q, keep);
  multibody::Embedding e;
  model.loop_system.embed(model.tree, state.dependent, state.v, state.q, e);
  multibody::expand(e, state.v);
}

void middle_of_mechanism(const MachineModel& model, MachineState& state, double h,
                         const double* joint_force, bool exact, double* q_mid,
                         multibody::MassAndBias& body, Mechanism& out) {
  constexpr int kMaxPasses = 12;
  constexpr double kExact = 1e-8;  // of the acceleration
  const int n = model.joint_count();
  const multibody::Tree& tree = model.tree;
  list_independent(model, state, out);
  double a[kMaxLinks], v_mid[kMaxLinks];
  for (int j = 0; j < n; ++j) {
    out.q_start[j] = state.q[j];
    a[j] = state.a[j];
  }
  for (int pass = 0; pass < (exact ? kMaxPasses : 1); ++pass) {
    for (int j = 0; j < n; ++j) {
      q_mid[j] = state.q[j] + 0.5 * h * (state.v[j] + 0.25 * h * a[j]);
      v_mid[j] = state.v[j] + 0.5 * h * a[j];
    }
    model.loop_system.embed(tree, state.dependent, v_mid, q_mid, out.embedding);
    multibody::expand(out.embedding, v_mid);
    model.loop_system.add_gamma(tree, v_mid, a, out.embedding);
    multibody::mass_and_bias(tree, state.inertia, q_mid, v_mid, body);
    for (int g = 0; g < out.embedding.groups; ++g) {
      const multibody::Embedding::Group& group = out.embedding.group[g];
      for (int d = 0; d < group.dependents; ++d) {
        const int j = group.dependent[d];
        for (int i = 0; i < n; ++i) body.bias[i] += body.M[i][j] * out.embedding.gamma[j];
      }
    }
    if (joint_force != nullptr)
      for (int i = 0; i < n; ++i) body.bias[i] -= joint_force[i];
    project_mass(model, body, out);
    if (!exact) break;
    double lack[kMaxLinks], u_dot[kMaxLinks], M[kMaxLinks][kMaxLinks];
    for (int i = 0; i < n; ++i) lack[i] = -body.bias[i];
    to_independent(out, lack, u_dot);
    for (int r = 0; r < out.count; ++r) std::copy(out.M[r], out.M[r] + out.count, M[r]);
    if (!solve_positive_definite<kMaxLinks>(out.count, M, u_dot)) break;
    double change = 0.0;
    double size = 0.0;
    for (int c = 0; c < out.count; ++c) {
      change = std::max(change, std::fabs(u_dot[c] - a[out.joint[c]]));
      size = std::max(size, std::fabs(u_dot[c]));
    }
    if (!(change > kExact * size)) break;
    to_joints(out, u_dot, a);
    for (int g = 0; g < out.embedding.groups; ++g) {
      const multibody::Embedding::Group& group = out.embedding.group[g];
      for (int d = 0; d < group.dependents; ++d)
        a[group.dependent[d]] += out.embedding.gamma[group.dependent[d]];
    }
  }
  multibody::expand(out.embedding, state.v);
}

namespace {

void close_loops(const MachineModel& model, double h, bool lossless, MachineState& state,
                 Mechanism& m) {
  const multibody::LoopSystem& loops = model.loop_system;
  multibody::Embedding& e = m.embedding;
  loops.embed(model.tree, state.dependent, state.v, state.q, e);
  if (e.gap > 0.0) [[unlikely]] {
    ++state.health.open_loop_ticks;
    const multibody::Energy before = multibody::energy(model.tree, state.inertia, state.q, state.v);
    for (int j = 0; j < model.joint_count(); ++j)
      if (loops.has(j)) {
        state.q[j] = m.q_start[j];
        state.v[j] = state.a[j] = 0.0;
      }
    const multibody::Energy after = multibody::energy(model.tree, state.inertia, state.q, state.v);
    state.energy.stops += before.kinetic + before.potential - after.kinetic - after.potential;
    loops.embed(model.tree, state.dependent, state.v, state.q, e);
  }
  multibody::expand(e, state.v);
  if (lossless) keep_energy(model, state);
  loops.add_gamma(model.tree, state.v, state.a, e);
  multibody::expand(e, state.a);
  for (int g = 0; g < e.groups; ++g)
    for (int d = 0; d < e.group[g].dependents; ++d)
      state.a[e.group[g].dependent[d]] += e.gamma[e.group[g].dependent[d]];
  if (e.quality > kPoorQuality) [[likely]]
    return;
  // Positions, rates and accelerations of all joints are consistent, so that any choice can
  // continue from here.
  bool keep[kMaxLinks];
  keep_independent(model, keep);
  double quality = e.quality;
  int worst = e.worst;
  const std::int64_t other = loops.choose(model.tree, state.q, keep);
  if (other != state.dependent &&
      __builtin_popcountll(static_cast<std::uint64_t>(other)) ==
          __builtin_popcountll(static_cast<std::uint64_t>(state.dependent))) {
    double q[kMaxLinks];
    std::copy(state.q, state.q + model.joint_count(), q);
    loops.embed(model.tree, other, state.v, q, e);
    if (e.quality > kBetter * quality) {
      state.dependent = other;
      quality = e.quality;
      worst = e.worst;
    }
  }
  // Motion of a pivot in half a tick: closer than this, the rank drops within the tick.
  if (quality >= kSingularQuality + 0.5 * h * group_motion(model, worst, state.v)) return;
  Health& health = state.health;
  ++health.singular_ticks;
  if (health.first_singular == 0) {
    health.first_singular = health.ticks + 1;
    health.singular_loop = worst;
  }
}

// Other turns of a ball may determine the rest poorly that the former determined well.
void choose_again(const MachineModel& model, MachineState& state) {
  bool keep[kMaxLinks];
  keep_independent(model, keep);
  const std::int64_t other = model.loop_system.choose(model.tree, state.q, keep);
  if (__builtin_popcountll(static_cast<std::uint64_t>(other)) ==
      __builtin_popcountll(static_cast<std::uint64_t>(state.dependent)))
    state.dependent = other;
}

}  // namespace

void close_mechanism(const MachineModel& model, double h, bool lossless, MachineState& state,
                     Mechanism& m) {
  if (!model.loop_system.empty())
    close_loops(model, h, lossless, state, m);
  else if (lossless && !model.balls.empty())
    keep_energy(model, state);
  for (const multibody::Ball& ball : model.balls)
    if (multibody::rebase(state.q + ball.first, state.v + ball.first, state.a + ball.first) &&
        model.loop_system.has(ball.first + 1))
      choose_again(model, state);
}

double displacement_row(const MachineModel& model, int actuator, const double* q, double* row) {
  const Actuator& a = nth(model.actuators, actuator);
  double own[kMaxLinks];
  if (row == nullptr) row = own;
  if (a.linkage.kind == LinkageKind::kPins) return a.linkage.pins.distance(model.tree, q, row);
  std::fill(row, row + model.joint_count(), 0.0);
  const LinkageState s = displacement(model, actuator, q[a.link]);
  row[a.link] = s.J;
  return s.x;
}

std::int64_t embed_at(const MachineModel& model, const double* q, multibody::Embedding& out) {
  bool keep[kMaxLinks];
  keep_independent(model, keep);
  const std::int64_t dependent = model.loop_system.choose(model.tree, q, keep);
  double closed[kMaxLinks];
  std::copy(q, q + model.joint_count(), closed);
  const double zero[kMaxLinks] = {};
  model.loop_system.embed(model.tree, dependent, zero, closed, out);
  return dependent;
}

LinkageState displacement(const MachineModel& model, int actuator, const double* q) {
  const Actuator& a = nth(model.actuators, actuator);
  if (a.linkage.kind != LinkageKind::kPins) return displacement(model, actuator, q[a.link]);
  double row[kMaxLinks];
  const double x = displacement_row(model, actuator, q, row);
  if (model.loop_system.empty()) return {x, row[a.link]};
  multibody::Embedding e;
  const std::int64_t dependent = embed_at(model, q, e);
  multibody::project(e, row);
  if (!in(dependent, a.link)) return {x, row[a.link]};
  // A dependent joint: through the independent joint that moves it most.
  for (int g = 0; g < e.groups; ++g) {
    const multibody::Embedding::Group& group = e.group[g];
    for (int d = 0; d < group.dependents; ++d) {
      if (group.dependent[d] != a.link) continue;
      const double* B = e.B[a.link];
      int most = group.independent[0];
      for (int i = 1; i < group.independents; ++i)
        if (std::fabs(B[group.independent[i]]) > std::fabs(B[most])) most = group.independent[i];
      return {x, row[most] / B[most]};
    }
  }
  return {x, row[a.link]};
}

void static_loads(const MachineModel& model, const multibody::LinkInertia* inertia, const double* q,
                  std::int64_t dependent, double* actuator_force, double* joint_load,
                  const double* outside) {
  const double zero[kMaxLinks] = {};
  multibody::inverse_dynamics(model.tree, inertia, q, zero, zero, joint_load);
  for (int i = 0; i < model.joint_count(); ++i)
    for_each_joint_law(model, kSpringsOnly, nullptr, i, q[i], 0.0, 0.0, 1.0,
                       [&](JointLaw, double torque, double) { joint_load[i] -= torque; });
  add_ball_torques(model, q, nullptr, -1.0, joint_load);
  for (int i = 0; outside != nullptr && i < model.joint_count(); ++i) joint_load[i] -= outside[i];
  const int m = static_cast<int>(model.actuators.size());
  if (!model.coupled()) {
    for (int k = 0; k < m; ++k) {
      const int link = nth(model.actuators, k).link;
      actuator_force[k] = joint_load[link] / displacement(model, k, q[link]).J;
    }
    return;
  }
  const int n = model.joint_count();
  double closed[kMaxLinks];
  std::copy(q, q + n, closed);
  multibody::Embedding e;
  model.loop_system.embed(model.tree, dependent, zero, closed, e);
  multibody::project(e, joint_load);
  const std::int64_t none = dependent | model.held;
  for (int j = 0; j < n; ++j)
    if (in(none, j)) joint_load[j] = 0.0;
  double J[kMaxActuators][kMaxLinks], A[kMaxActuators][kMaxActuators];
  for (int k = 0; k < m; ++k) {
    displacement_row(model, k, q, J[k]);
    multibody::project(e, J[k]);
    actuator_force[k] = 0.0;
    for (int j = 0; j < n; ++j) {
      if (in(none, j)) J[k][j] = 0.0;
      actuator_force[k] += J[k][j] * joint_load[j];
    }
    for (int l = 0; l <= k; ++l) {
      A[k][l] = 0.0;
      for (int j = 0; j < n; ++j) A[k][l] += J[k][j] * J[l][j];
    }
  }
  // Actuators on joints that follow each other share their load, each by its lever: without this hair the
  // share would not be determined.
  constexpr double kHair = 1e-8;
  if (actuators_follow_each_other(model))
    for (int k = 0; k < m; ++k) A[k][k] *= 1.0 + kHair;
  if (!solve_positive_definite<kMaxActuators>(m, A, actuator_force))
    std::fill(actuator_force, actuator_force + m, 0.0);
}

FreeMass::FreeMass(const MachineModel& model, const MachineState& state) {
  double q[kMaxLinks];
  std::copy(state.q, state.q + model.joint_count(), q);
  mass_at(model, state, q, mechanism_);
  sound_ = detail::factor<0>(mechanism_.count, mechanism_.M, inverse_);
}

double FreeMass::inverse_along(double* row) const {
  if (!sound_) return 0.0;
  double along[kMaxLinks], rate[kMaxLinks];
  to_independent(mechanism_, row, along);
  std::copy(along, along + mechanism_.count, rate);
  detail::solve_factored<0>(mechanism_.count, mechanism_.M, inverse_, rate);
  double sum = 0.0;
  for (int c = 0; c < mechanism_.count; ++c) sum += along[c] * rate[c];
  return sum;
}

void attach(const MachineModel& model, MachineState& state, int link,
            const multibody::LinkInertia& payload, const Vec3& v_com_W, const Vec3& omega_W) {
  if (!model.coupled() && state.absent == 0) {
    multibody::attach(model.tree, state.inertia, state.q, state.v, link, payload, v_com_W, omega_W);
    return;
  }
  double momentum[kMaxLinks];
  multibody::attach_momentum(model.tree, state.q, state.v, link, payload, v_com_W, omega_W,
                             momentum);
  state.inertia[link] = state.inertia[link] + payload;
  change_rates(model, state, momentum);
}

void assemble_body(const MachineModel& model, MachineState& state, int link) {
  const multibody::LinkInertia& body = nth(model.tree.link_inertias(), link);
  double momentum[kMaxLinks];
  state.v[link] = state.a[link] = 0.0;
  multibody::attach_momentum(model.tree, state.q, state.v, link, body, Vec3::Zero(), Vec3::Zero(),
                             momentum);
  state.inertia[link] = state.inertia[link] + body;
  state.absent &= ~(std::int64_t{1} << link);
  change_rates(model, state, momentum);
}

std::string constraint_name(const MachineModel& model, int constraint) {
  if (constraint < multibody::kMaxLoops) return "loop '" + nth(model.loops, constraint).name + "'";
  const int k = constraint - multibody::kMaxLoops;
  return "coupling '" + model.joint_name(nth(model.couplings, k).joint) + "'";
}

std::string singular_sentence(const MachineModel& model, int constraint, const double* q) {
  const multibody::LoopSystem& loops = model.loop_system;
  std::string joints;
  for (const int j : loops.group(loops.group_of(constraint)).joint) {
    joints += (joints.empty() ? "" : ", ") + model.joint_name(j) + " " + std::to_string(q[j]) +
              (model.tree.link(j).revolute ? " rad" : " m");
  }
  return constraint_name(model, constraint) +
         " is at a singular position, where its joints do not determine each other's motion, at " +
         joints;
}

}  // namespace knuckleboom::machine
