// The paper's reduced model: one exponentially fitted theta step.
#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {
namespace {

using hydraulics::LineModel;
using hydraulics::StageConstants;

// Below this product of settling rate and step, an open valve's speed follows its resistance smoothly.
constexpr double kSlowSettling = 0.4;

template <class Pressures>
bool outside(const StageConstants& k, const Pressures& a) {
  const double high = std::max(std::max(a.P_C[0], a.P_C[1]), std::max(a.p[0], a.p[1]));
  const double low = std::min(std::min(a.P_C[0], a.P_C[1]), std::min(a.p[0], a.p[1]));
  return high > k.P_high || low < k.P_low;
}

// Quasi-static closed valve: the piston goes to eq. 25's position through a filter of second order
// (the flow filtered by eq. 15 is the one that moves the piston there). load: force of the machine
// on the piston. Sets the ports by eq. 26; returns the piston speed at the end of the step.
double quasi_static_speed(double tau, double h, double load, const ActuatorState& a,
                          ActuatorStep& d) {
  const double shift = held_shift(*d.actuator, a, load);
  d.out = hydraulics::StageResult{};
  held_pressures(d.actuator->circuit, a, shift, d.out.P_C);
  for (int s = 0; s < 2; ++s) d.out.p[s] = d.out.P_C[s];
  const double r = h / tau;
  d.x_dot = (d.x_dot * (1.0 - 0.5 * r * r) + r / tau * (a.x_hold + shift - d.x_n)) /
            (1.0 + r + 0.5 * r * r);
  return d.x_dot;
}

// Speed at which an open valve would settle if the load kept its force of the end of the last step
// (eq. 17, with friction, leakage and protective valves): a bracketed Newton iteration. Leaves the
// drive as evaluated at the start, and d.settled; returns the mean slope of the force between the
// start and that speed.
double settle(const ActuatorState& a, bool opening, const Force& start, ActuatorStep& d) {
  constexpr int kMaxIterations = 30;
  constexpr double kClose = 1e-2;  // last Newton step, relative; the remaining error is its square
  const double x_start = d.x_dot;
  const hydraulics::StageResult at_start = d.out;
  const StopForce stop = d.stop;
  const double oil = d.constants->sign_area[0] * a.p[0] + d.constants->sign_area[1] * a.p[1];
  const double load = oil - d.constants->B * x_start;
  double low = -INFINITY;
  double high = INFINITY;
  double x = opening ? quasi_steady_speed(d.actuator->circuit, d.in, oil) : x_start;
  Force f = start;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (iteration > 0 || opening) f = evaluate<LineModel::kResistive>(x, 0.0, d);
    const double excess = f.force - load;
    (excess > 0.0 ? low : high) = x;
    double next = x - excess / f.dforce;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(std::fabs(next) < INFINITY)) break;
    const double change = next - x;
    f.force += f.dforce * change;
    x = next;
    if (std::fabs(change) <= kClose * std::fabs(x)) break;
  }
  const double slope = std::fabs(x - x_start) > 1e-9 * std::fabs(x)
                           ? (start.force - f.force) / (x - x_start)
                           : -f.dforce;
  d.settled = x;
  d.x_dot = x_start;
  d.out = at_start;
  d.stop = stop;
  return std::max(slope, -f.dforce * 1e-3);
}

// Start value of Newton: the actuator at its settling speed, through the joint that moves it most.
void settle_independent(const Mechanism& mechanism, const double* row, double x_dot, double* v) {
  int most = 0;
  double speed = 0.0;
  for (int c = 0; c < mechanism.count; ++c) {
    if (std::fabs(row[c]) > std::fabs(row[most])) most = c;
    speed += row[c] * v[mechanism.joint[c]];
  }
  if (row[most] != 0.0) v[mechanism.joint[most]] += (x_dot - speed) / row[most];
}

// Joints moved by an actuator take its weight.
void raise_theta(const Mechanism& mechanism, const double* row, double theta, double* of_joint) {
  for (int c = 0; c < mechanism.count; ++c)
    if (row[c] != 0.0) of_joint[mechanism.joint[c]] = std::max(of_joint[mechanism.joint[c]], theta);
}

// The circuit's share of the force, `left` ticks before the end of the transition.
void from_before(const ActuatorState& a, int left, double h, ActuatorStep& d) {
  const double done = 1.0 - static_cast<double>(left) / hand_over_ticks(h);
  d.share = done * done * (3.0 - 2.0 * done);
  d.force_before =
      d.constants->sign_area[0] * a.P_hold[0] + d.constants->sign_area[1] * a.P_hold[1];
}

// Ports between those before the change and the circuit's own, with matching line drop and flow.
void mix_ports(const ActuatorState& a, ActuatorStep& d) {
  for (int s = 0; s < 2; ++s) {
    const double drop = d.out.P_C[s] - d.out.p[s];
    d.out.p[s] += (1.0 - d.share) * (a.P_hold[s] - d.out.p[s]);
    d.out.P_C[s] = d.out.p[s] + drop;
    d.out.Q[s] = hydraulics::residual_flow(d.in.P_S[s], d.out.P_C[s], d.in.C_R[s]);
  }
}

// Explicit part and start value of the joint speeds' equation, and the weights of the step's end.
struct Explicit {
  Explicit(double* weights, int n, const double (*M)[kMaxLinks])
      : theta(weights), of_inverse(n, M) {}
  double bias[kMaxLinks], v[kMaxLinks];
  double* theta;
  InverseDiagonal<kMaxLinks> of_inverse;  // of the mass matrix
};

// An open valve's weight: its force settles, and Newton starts where it will have.
void weigh_open(const MachineModel& model, const StepStart& start, const ActuatorState& a,
                bool was_open, double h, const Force& at_start, ActuatorStep& d, Explicit& e) {
  const double share = d.share;
  Force rated = at_start;
  if (a.hand_over > 0) [[unlikely]] {  // the end of the step determines the weights
    from_before(a, a.hand_over - 1, h, d);
    rated = evaluate<LineModel::kResistive>(d.x_dot, 0.0, d);
  }
  const int i = d.link;
  double row[kMaxLinks];
  if (start.coupled) independent_row(model, start.mechanism, d, row);
  const double compliance =
      start.coupled ? h * mobility(start.mechanism, row) : h * d.J * d.J * e.of_inverse(i);
  double z = -compliance * rated.dforce;
  if (!was_open || z > kSlowSettling || outside(d.all_constants->now, d.out)) {
    z = compliance * settle(a, !was_open, rated, d);
    if (start.coupled)
      settle_independent(start.mechanism, row, d.settled, e.v);
    else
      e.v[i] = d.settled / d.J;
  }
  d.theta = integration::fitted_theta(z);
  if (start.coupled)
    raise_theta(start.mechanism, row, d.theta, e.theta);
  else
    e.theta[i] = d.theta;
  d.share_at_end = d.share;
  d.share = share;
}

// Enters an actuator's force at the start of the step into the bias, and its losses into the ledger.
void start_force(const MachineModel& model, const StepStart& start, const ActuatorState& a,
                 bool was_open, double h, ActuatorStep& d, Explicit& e, EnergyLedger& energy) {
  if (a.hand_over > 0) [[unlikely]]
    from_before(a, a.hand_over, h, d);
  const bool closed = d.line == LineModel::kClosed;
  const Force at_start =
      closed ? Force{force_at_start(a, d), 0.0} : evaluate<LineModel::kResistive>(d.x_dot, 0.0, d);
  d.mean_stop = 0.5 * d.stop.force;
  d.theta = 0.5;
  if (closed) {
    start_closed(d);
  } else {
    weigh_open(model, start, a, was_open, h, at_start, d, e);
    book<true>(d, h * (1.0 - d.theta), energy);
    draw(h * (1.0 - d.theta), d);
    d.share = d.share_at_end;
  }
  if (d.pins)
    for (int j = 0; j < model.joint_count(); ++j)
      e.bias[j] -= (1.0 - d.theta) * d.row[j] * at_start.force;
  else
    e.bias[d.link] -= (1.0 - d.theta) * d.J * at_start.force;
  d.x_star = d.x_n + h * (1.0 - d.theta) * d.x_dot;
}

// The drive at the speed that Newton found, and its losses.
void end_drive(ActuatorState& a, double x_dot_start, double x_dot, double h, ActuatorStep& d,
               EnergyLedger& energy) {
  carry_to<true>(x_dot, d);
  d.mean_stop += 0.5 * d.stop.force;
  if (d.line == LineModel::kClosed) {
    book_trapezoid(a, x_dot_start, h, d, energy);
  } else {
    book<true>(d, h * d.theta, energy);
    draw(h * d.theta, d);
  }
  if (a.hand_over > 0) [[unlikely]] {
    --a.hand_over;
    mix_ports(a, d);
  }
}

// Work on the bodies with no actuator behind it: the held joints' prescribed motion, and its reaction on
// the free joints, which the model leaves out. body.M: over the step.
void book_held(const multibody::MassAndBias& body, const bool* held, int n, double h,
               const double* v_0, const double* v, EnergyLedger& energy) {
  for (int i = 0; i < n; ++i) {
    double tau = held[i] ? body.bias[i] : 0.0;
    for (int j = 0; j < n; ++j)
      if (held[i] || held[j]) tau += body.M[i][j] * (v[j] - v_0[j]);
    energy.model += 0.5 * h * tau * (v_0[i] + v[i]);
  }
}

}  // namespace

void Stepper::step_paper(MachineState& state, const double* joint_force,
                         const SpeedCommands* speeds, Draw* draws) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  std::int32_t was_open[kMaxActuators];
  for (int k = 0; k < m; ++k) was_open[k] = state.actuator[k].open;
  StepStart start;
  begin_step(Fidelity::kPaper, state, joint_force, speeds, start);
  ActuatorStep* const drives = start.drives;
  multibody::MassAndBias& body = start.body;

  JointLaws joints(model_, joint_kinds_, speeds, h, start.balls);
  double* const theta = joints.theta;
  Explicit known(theta, n, body.M);
  bool held[kMaxLinks] = {};
  bool any_held = false;
  for (int i = 0; i < n; ++i) {
    theta[i] = 0.5;
    known.bias[i] = body.bias[i];
    known.v[i] = state.v[i] + h * state.a[i];
  }
  double x_dot_start[kMaxActuators];
  for (int k = 0; k < m; ++k) {
    ActuatorStep& d = drives[k];
    const ActuatorState& a = state.actuator[k];
    d.x_dot = x_dot_start[k] = speed_of(model_, d, state.v);
    held[d.link] = quasi_static(model_, Fidelity::kPaper, a);
    any_held = any_held || held[d.link];
    if (!held[d.link]) start_force(model_, start, a, was_open[k] != 0, h, d, known, state.energy);
  }
  if (joints.any)
    joints.start_step(
        state, [&](int i) { return joint_mobility(start, known.of_inverse, i); }, known.bias,
        state.energy);

  SpeedSolver solver(friction_, model_, h, true, start, state);
  const auto law = [&](const double* speed, double* tau, double* dtau) {
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      if (held[d.link]) continue;
      act(model_, evaluate<LineModel::kResistive>(speed_of(model_, d, speed), h * d.theta, d),
          d.theta, d, tau, dtau);
    }
    if (joints.any) joints.add(speed, tau, dtau);
  };
  double* const v = known.v;
  solver.solve(state.v, known.bias, any_held ? held : nullptr, v, law);
  solver.book_friction([&](int i) { return joints.moved(i, state.v[i], v[i]); });
  solver.finish_friction(v);

  Alarms alarms;
  for (int k = 0; k < m; ++k) {
    ActuatorStep& d = drives[k];
    ActuatorState& a = state.actuator[k];
    const double oil_before =
        held[d.link] ? oil_energy(d.actuator->circuit, a, LineModel::kClosed) : 0.0;
    if (held[d.link]) {
      double load = body.bias[d.link];  // inverse dynamics with this joint itself at rest
      for (int j = 0; j < n; ++j)
        if (!held[j]) load += body.M[d.link][j] * (v[j] - state.v[j]);
      v[d.link] = quasi_static_speed(model_.tau_Q, h, load / d.J, a, d) / d.J;
    } else {
      end_drive(a, x_dot_start[k], speed_of(model_, d, v), h, d, state.energy);
    }
    for (int s = 0; s < 2; ++s) a.Q[s] = d.out.Q[s];
    keep(d, a, state.health, alarms);
    if (held[d.link])
      release_held_oil(*d.actuator, d.all_constants->now, h, oil_before, d.x_n, a, state.energy);
    // The piston's inertia prevents a source from changing the flow within a tick.
    if (draws_count_) draws[k] = {d.drawn[pump_side(a.spool_V)], 0.0};
  }
  count(alarms, state.health);
  if (any_held) book_held(body, held, n, h, state.v, v, state.energy);
  end_joints(joints, h, v, held, joint_force, solver, state);
  if (start.coupled) [[unlikely]]
    close_mechanism(model_, h, conservative_ && speeds == nullptr, state, start.mechanism);
}

}  // namespace knuckleboom::machine
