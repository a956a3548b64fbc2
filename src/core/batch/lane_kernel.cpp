// The tick of machines in lanes. Compiled once for each width: src/CMakeLists.txt. Formulas are those of the single
// machine; what stands here is their order, which is that of sim/tick.cpp, machine/stepper.cpp, step_reduced.cpp and
// step_stages.hpp, with masks for what lanes do apart.
#include "knuckleboom/core/control/pid_law.hpp"
#include "knuckleboom/core/hydraulics/orifice_laws.hpp"
#include "knuckleboom/core/integration/joint_speeds.hpp"
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/formulas.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/multibody/sweeps.hpp"
#include "lane_machine.hpp"

#ifndef KNUCKLEBOOM_LANES
#define KNUCKLEBOOM_LANES 2
#endif
#define KB_JOIN_NOW(a, b) a##b
#define KB_JOIN(a, b) KB_JOIN_NOW(a, b)

namespace knuckleboom::batch {
namespace {

using hydraulics::LineModel;
using integration::Sdirk2;
using machine::add_where;

using L = Lanes<KNUCKLEBOOM_LANES>;
using LPair = PairOf<L>;
using Which = MaskOf<L>;
using Model = LaneModel<L>;
using State = LaneState<L>;
using Constants = hydraulics::BasicStageConstants<L>;
using Result = hydraulics::BasicStageResult<L>;

constexpr double kAbsurd = 1e12;  // as of machine::Stepper

struct Body {
  L M[kJoints][kJoints], bias[kJoints], sin_q[kJoints], cos_q[kJoints];
};

// As machine::ActuatorStep.
struct Drive {
  const LaneActuator<L>* actuator;
  const Constants* constants;
  Constants own;  // of a reduced step
  hydraulics::BasicStageInput<L> in;
  Result out;
  Which open;
  L J, x_n, x_star, x_dot;
  machine::BasicStopForce<L> stop;
  L mean_stop;
};

struct Force {
  L force, dforce;
};

L ones(Which is) { return select(is, L(1.0), 0.0); }

// An integer below 2^51 is a multiple of 2^bits.
Which multiple(L integer, int bits) {
  const L shifted = integer + 4503599627370496.0;  // its representation ends in the integer
  Which odd = bit_of(shifted, 0);
  for (int i = 1; i < bits; ++i) odd = odd | bit_of(shifted, i);
  return !odd;
}

// --- Commands -------------------------------------------------------------------------------------------------

L term_value(const LaneTerm<L>& term, L t) {
  using command::TermKind;
  const auto progress = [&] {
    return select(
        t <= term.start_s, L(0.0),
        select(t >= term.end_s, L(1.0), (t - term.start_s) / (term.end_s - term.start_s)));
  };
  switch (term.kind) {
    case TermKind::kConstant:
      return term.value;
    case TermKind::kSine:
      return command::sine_value(term, t);
    case TermKind::kRamp:
      return term.value * progress();
    case TermKind::kSmooth: {
      const L c = clamped(progress(), 0.0, 1.0);
      return term.value * (c * c * (3.0 - 2.0 * c));
    }
    case TermKind::kPulse:
      return select((t >= term.start_s) & (t < term.end_s), term.value, 0.0);
    case TermKind::kTable:
      break;
  }
  return 0.0;
}

L command_of(const LaneCommand<L>& c, L t, double h) {  // but of the tip's path
  const Which by_signal = c.by_signal != 0.0;
  if (!any(by_signal)) return c.number;
  // A controller samples its reference; what acts on the machine is held at the value of the tick's middle.
  const L at = select(c.voltage != 0.0, t + 0.5 * h, t);
  L sum = 0.0;
  if (c.terms == kOwnTerms)
    for (int i = 0; i < KNUCKLEBOOM_LANES; ++i)
      sum.set(i, c.signal[i] != nullptr ? command::value(*c.signal[i], at[i]) : 0.0);
  else
    for (int i = 0; i < c.terms; ++i) sum += term_value(c.term[i], at);
  return select(by_signal, sum, c.number);
}

// tick: of the block.
void control(const Model& m, int tick, State& s) {
  const L t = s.tick * m.h;
  for (int k = 0; k < kJoints; ++k) {
    const LaneActuator<L>& actuator = m.actuator[k];
    const LaneCommand<L>& c = m.command[k];
    LaneActuatorState<L>& a = s.actuator[k];
    L q = s.q[actuator.link];
    if (m.any_faulty) [[unlikely]]
      q = select(m.faulty != 0.0, q + m.shift[actuator.link], q);
    L value = command_of(c, t, m.h);
    if (m.any_tip) value = select(c.by_tip != 0.0, m.path[tick][k], value);
    s.command_value[k] = value;
    const Which voltage = c.voltage != 0.0;
    const L direct = clamped(value, -actuator.full_V, actuator.full_V);
    s.reference[actuator.link] = select(voltage, q, value);
    if (all(voltage)) {
      a.command_V = direct;
      continue;
    }
    const LaneGains<L>& gains = m.gains[k];
    LanePid<L>& pid = s.pid[k];
    Which due = !voltage;
    if (any(gains.period_ticks > 1.0))
      for (int i = 0; i < KNUCKLEBOOM_LANES; ++i)
        if (gains.period_ticks[i] > 1.0 &&
            static_cast<long long>(s.tick[i]) % static_cast<long long>(gains.period_ticks[i]) != 0)
          due = due & !Which::of(1U << i);
    const LanePid<L> before = pid;
    const L sampled =
        control::law::sample(gains, L(m.h * gains.period_ticks), actuator.sign, value, q, pid);
    if (!all(due)) {
      pid.integral = select(due, pid.integral, before.integral);
      pid.derivative = select(due, pid.derivative, before.derivative);
      pid.last_reference = select(due, pid.last_reference, before.last_reference);
      pid.last_position = select(due, pid.last_position, before.last_position);
      pid.output_V = select(due, pid.output_V, before.output_V);
      pid.primed = select(due, pid.primed, before.primed);
    }
    a.command_V = select(voltage, direct, select(due, sampled, a.command_V));
  }
}

void move_spools(const Model& m, State& s) {
  for (int k = 0; k < kJoints; ++k) {
    LaneActuatorState<L>& a = s.actuator[k];
    const LaneActuator<L>& actuator = m.actuator[k];
    L target = a.command_V;
    if (m.any_faulty) [[unlikely]]
      target = select(m.faulty != 0.0,
                      clamped(target + m.offset_V[k], -actuator.full_V, actuator.full_V), target);
    a.spool_V = hydraulics::moved_spool(target, a.spool_V, actuator.spool_left);
  }
}

// --- Valves ---------------------------------------------------------------------------------------------------

L resistance(const LaneActuator<L>& a, hydraulics::Edge forward, hydraulics::Edge back,
             Which is_forward, L opening) {
  if (a.tables) [[unlikely]] {
    L out = 0.0;
    for (int i = 0; i < KNUCKLEBOOM_LANES; ++i)
      out.set(i, hydraulics::table_resistance(
                     *a.valve[i], (is_forward.word() >> i & 1U) != 0 ? forward : back, opening[i]));
    return out;
  }
  const LaneEdge<L>&f = a.edge[forward], &b = a.edge[back];
  const L least = select(is_forward, f.least, b.least);
  const L g = hydraulics::polynomial_conductance(
      select(is_forward, f.scale, b.scale), select(is_forward, f.c[0], b.c[0]),
      select(is_forward, f.c[1], b.c[1]), select(is_forward, f.c[2], b.c[2]), opening);
  return hydraulics::resistance_of(select(opening == 0.0, least, larger(g, least)));
}

// Where a valve opens or closes the equations change.
[[gnu::noinline]] void change_lines(const Model& m, int k, Which changes, State& s) {
  const LaneActuator<L>& actuator = m.actuator[k];
  LaneActuatorState<L>& a = s.actuator[k];
  const Which was_open = a.open != 0.0;
  const Which open = !was_open;
  s.health.valve_switches += ones(changes);
  const L closed_energy = machine::compression_energy(a.C, a.P_C);
  const L open_energy =
      m.full ? closed_energy + machine::hose_energy(actuator.hose_I[0], actuator.hose_I[1], a.Q)
             : closed_energy;
  const L before = select(was_open, open_energy, closed_energy);
  const L after = select(open, open_energy, closed_energy);
  add_where(changes, after - before, s.energy.switching);
  a.open = select(changes, ones(open), a.open);
  const Which closes = changes & was_open;
  if (!any(closes)) return;
  const L q = s.q[actuator.link];
  L x = q;
  if (!actuator.direct) {
    const BasicSinCos<L> t = sin_cos(q);
    x = machine::triangle_state(actuator.k0, actuator.kc, actuator.ks, t.sin, t.cos).x;
  }
  a.held_dynamic = select(closes, L(0.0), a.held_dynamic);
  a.hand_over = select(closes, L(0.0), a.hand_over);
  a.x_hold = select(closes, x, a.x_hold);
  for (int side = 0; side < 2; ++side) a.P_hold[side] = select(closes, a.P_C[side], a.P_hold[side]);
  a.F_hold = select(closes, actuator.area[0] * a.P_C[0] - actuator.area[1] * a.P_C[1], a.F_hold);
}

void update_valve(const Model& m, int k, Which alive, State& s,
                  hydraulics::BasicStageInput<L>& in) {
  const LaneActuator<L>& actuator = m.actuator[k];
  LaneActuatorState<L>& a = s.actuator[k];
  const L magnitude = abs(a.spool_V);
  const Which forward = a.spool_V >= 0.0;
  const L opening = hydraulics::opening_of(magnitude, actuator.overlap_V, actuator.full_V);
  in.P_S[0] = select(forward, s.pump_Pa, s.tank_Pa);
  in.P_S[1] = select(forward, s.tank_Pa, s.pump_Pa);
  in.C_R[0] = resistance(actuator, hydraulics::kPumpToA, hydraulics::kAToTank, forward, opening);
  in.C_R[1] = resistance(actuator, hydraulics::kBToTank, hydraulics::kPumpToB, forward, opening);
  const Which changes = ((magnitude > actuator.overlap_V) ^ (a.open != 0.0)) & alive;
  if (any(changes)) [[unlikely]]
    change_lines(m, k, changes, s);
}

// --- The step ---------------------------------------------------------------------------------------------------

class Step {
 public:
  Step(const Model& m, State& s, Which lanes) : m_(m), s_(s), alive_(lanes), h_(m.h) {}

  // Returns the lanes that came through.
  Which operator()() {
    begin();
    if (m_.full)
      full();
    else
      reduced();
    s_.health.relief_ticks += ones(relief_);
    s_.health.cavitation_ticks += ones(cavitation_);
    L sum = 0.0;
    for (int i = 0; i < kJoints; ++i) sum += abs(s_.q[i]) + abs(s_.a[i]);
    s_.health.ticks += 1.0;
    return alive_ & (sum < kAbsurd);
  }

 private:
  void begin() {
    L q_mid[kJoints], v_mid[kJoints];
    for (int k = 0; k < kJoints; ++k) update_valve(m_, k, alive_, s_, drive_[k].in);
    for (int i = 0; i < kJoints; ++i) {
      q_mid[i] = s_.q[i] + 0.5 * h_ * (s_.v[i] + 0.25 * h_ * s_.a[i]);
      v_mid[i] = s_.v[i] + 0.5 * h_ * s_.a[i];
    }
    multibody::Sweeps<L>::sweep_both_ways<kJoints>(m_.tree, m_.inertia, q_mid, v_mid, body_);
    for (int k = 0; k < kJoints; ++k) {
      Drive& d = drive_[k];
      const LaneActuator<L>& actuator = m_.actuator[k];
      const LaneActuatorState<L>& a = s_.actuator[k];
      const int i = actuator.link;
      d.actuator = &actuator;
      machine::BasicLinkageState<L> linkage{q_mid[i], 1.0};
      if (!actuator.direct)
        linkage = machine::triangle_state(actuator.k0, actuator.kc, actuator.ks, body_.sin_q[i],
                                          body_.cos_q[i]);
      d.open = a.open != 0.0;
      d.J = linkage.J;
      d.x_n = linkage.x - linkage.J * (q_mid[i] - s_.q[i]);
      d.x_star = d.x_n;
      d.x_dot = 0.0;
      d.stop = {0.0, 0.0, Which{}};
      for (int side = 0; side < 2; ++side) {
        d.in.P_star[side] = a.P_C[side];
        d.in.Q_star[side] = a.Q[side];
        d.out.p[side] = a.p[side];
      }
    }
  }

  // As machine::evaluate, for lanes that are still iterating; the others keep what they have.
  template <LineModel Open>
  Force evaluate(L x_dot, double g, Which active, Drive& d) {
    const L p_start[2] = {d.out.p[0], d.out.p[1]};
    const bool some_rest = any(alive_ & !active);
    Result out_before;
    machine::BasicStopForce<L> stop_before{};
    L x_dot_before = 0.0;
    if (some_rest) {
      out_before = d.out;
      stop_before = d.stop;
      x_dot_before = d.x_dot;
    }
    using hydraulics::detail::evaluate_lanes;
    const Which open = active & d.open, closed = active & !d.open;
    d.x_dot = x_dot;
    if (!any(open)) {
      lost_ = lost_ | evaluate_lanes<LineModel::kClosed, L>(*d.constants, d.in, x_dot, p_start,
                                                            d.out, closed);
    } else if (!any(closed)) {
      lost_ = lost_ | evaluate_lanes<Open, L>(*d.constants, d.in, x_dot, p_start, d.out, open);
    } else {
      Result own;
      lost_ = lost_ | evaluate_lanes<LineModel::kClosed, L>(*d.constants, d.in, x_dot, p_start,
                                                            d.out, closed);
      lost_ = lost_ | evaluate_lanes<Open, L>(*d.constants, d.in, x_dot, p_start, own, open);
      hydraulics::detail::keep_result<L>(open, own, d.out);
    }
    const L B = d.constants->B;
    Force f{d.out.force - B * x_dot, d.out.dforce - B};
    if (d.actuator->stops.enabled) {
      d.stop = machine::stop_force(d.actuator->stops, L(d.x_star + g * x_dot), x_dot, g);
      f.force += d.stop.force;
      f.dforce += d.stop.dforce;
    }
    if (some_rest) {
      hydraulics::detail::keep_result<L>(active, d.out, out_before);
      d.out = out_before;
      d.stop.force = select(active, d.stop.force, stop_before.force);
      d.stop.dforce = select(active, d.stop.dforce, stop_before.dforce);
      d.stop.active = (active & d.stop.active) | (stop_before.active & !active);
      d.x_dot = select(active, d.x_dot, x_dot_before);
    }
    return f;
  }

  // As integration::solve_joint_speeds; each lane stops where it would alone.
  template <LineModel Open>
  void solve(const L (&v_start)[kJoints], const L (&bias)[kJoints], double g, double weight,
             const L* steepest, L (&v)[kJoints]) {
    using namespace integration;  // NOLINT: the method's constants
    const auto& M = body_.M;
    Which done = !alive_;
    lost_ = Which{};
    L iterations = 0.0, slope_start = 0.0, fraction = 1.0, low = 0.0, high = 1.0, slope_low = 0.0;
    L step[kJoints] = {0.0, 0.0, 0.0};
    for (int iteration = 1; iteration <= kMaxNewtonIterations; ++iteration) {
      const Which active = !done;
      L tau[kJoints] = {0.0, 0.0, 0.0}, dtau[kJoints] = {0.0, 0.0, 0.0};
      for (int k = 0; k < kJoints; ++k) {
        Drive& d = drive_[k];
        const int i = d.actuator->link;
        const Force f = evaluate<Open>(d.J * v[i], g, active, d);
        tau[i] += weight * d.J * f.force;
        dtau[i] += weight * d.J * d.J * f.dforce;
      }
      done = done | lost_;
      L residual[kJoints];
      for (int i = 0; i < kJoints; ++i) {
        L sum = bias[i] - tau[i];
        for (int j = 0; j < kJoints; ++j) sum += M[i][j] * (v[j] - v_start[j]);
        residual[i] = sum;
      }
      Which newton = !done;
      if (iteration > 1) {
        L slope = 0.0;
        for (int i = 0; i < kJoints; ++i) slope += residual[i] * step[i];
        const Which wide = newton & (high - low > kNarrow);
        const Which back = wide & (slope > -kOvershoot * slope_start) & (slope_start < 0.0);
        const Which forth = wide & (slope < kOvershoot * slope_start) & (fraction < 1.0) & !back;
        const Which search = back | forth;
        if (any(search)) {
          high = select(back, fraction, high);
          const L share = clamped(slope_low / (slope_low - slope), 0.1, 0.9);
          const L to_back = low + (high - low) * share;
          low = select(forth, fraction, low);
          slope_low = select(forth, slope, slope_low);
          const L to = select(back, to_back, 0.5 * (low + high));
          for (int i = 0; i < kJoints; ++i)
            v[i] = select(search, v[i] + (to - fraction) * step[i], v[i]);
          fraction = select(search, to, fraction);
          newton = newton & !search;
          if (!any(newton)) continue;
        }
      }
      L A[kJoints][kJoints], own[kJoints];
      for (int i = 0; i < kJoints; ++i) {
        own[i] = -residual[i];
        for (int j = 0; j < i; ++j) A[i][j] = M[i][j];
        A[i][i] = M[i][i] - dtau[i];
      }
      const Which sound =
          knuckleboom::detail::solve_positive_definite<kJoints, kJoints>(kJoints, A, own);
      lost_ = lost_ | (newton & !sound);
      L slope = 0.0;
      Which close = newton;
      for (int i = 0; i < kJoints; ++i) {
        step[i] = select(newton, own[i], step[i]);
        v[i] = select(newton, v[i] + own[i], v[i]);
        slope += residual[i] * own[i];
        close =
            close & (steepest == nullptr ? integration::detail::is_last(own[i], v[i])
                                         : integration::detail::is_last(own[i], v[i], M[i][i],
                                                                        L(steepest[i] - dtau[i])));
      }
      slope_start = select(newton, slope, slope_start);
      slope_low = select(newton, slope, slope_low);
      fraction = select(newton, L(1.0), fraction);
      low = select(newton, L(0.0), low);
      high = select(newton, L(1.0), high);
      iterations = select(close, L(static_cast<double>(iteration)), iterations);
      lost_ = lost_ | (newton & !close & !(slope_start <= 0.0));
      done = done | close | lost_;
      if (all(done)) break;
    }
    alive_ = alive_ & done & !lost_;
    s_.health.newton_iterations += iterations;
    s_.health.newton_worst =
        select(iterations > s_.health.newton_worst, iterations, s_.health.newton_worst);
  }

  void scale_inertia(double g) {
    const double rate = 1.0 / g;
    for (int i = 0; i < kJoints; ++i)
      for (int j = 0; j < kJoints; ++j) body_.M[i][j] *= rate;
  }

  void reduced() {
    const double h = h_;
    L bias[kJoints], v[kJoints], steepest[kJoints];
    for (int i = 0; i < kJoints; ++i) {
      bias[i] = body_.bias[i];
      v[i] = s_.v[i] + h * s_.a[i];
      steepest[i] = 0.0;
    }
    machine::BasicFilling<LPair> fill[kJoints];
    L x_dot_start[kJoints];
    for (int k = 0; k < kJoints; ++k) {
      Drive& d = drive_[k];
      const LaneActuatorState<L>& a = s_.actuator[k];
      const int i = d.actuator->link;
      const Constants& half = d.actuator->half;
      d.x_dot = x_dot_start[k] = d.J * s_.v[i];
      if (d.actuator->stops.enabled)
        d.stop = machine::stop_force(d.actuator->stops, d.x_n, d.x_dot, 0.0);
      const L force = sum(half.sign_area * load(a.p)) - half.B * d.x_dot + d.stop.force;
      d.mean_stop = 0.5 * d.stop.force;
      d.own = half;
      d.constants = &d.own;
      LPair P_star = machine::closed_start(half, load(d.in.P_star), d.x_dot);
      if (any(d.open)) {
        fill[k] = machine::filling(a, d.in, h);
        const machine::OpenLines<LPair> lines =
            machine::open_lines(a, fill[k], h, half.sign_area, d.x_dot);
        d.own.g_C = select(d.open, lines.g_C, half.g_C);
        d.own.side_flow_weight = select(d.open, lines.side_flow_weight, half.side_flow_weight);
        P_star = select(d.open, lines.P_star, P_star);
      }
      store(P_star, d.in.P_star);
      d.x_star = d.x_n + 0.5 * h * d.x_dot;
      bias[i] -= 0.5 * d.J * force;
      const LPair area = d.J * d.own.sign_area;
      steepest[i] += 0.5 * sum(area * area * d.own.g_C);
    }
    scale_inertia(h);
    L v_start[kJoints];
    for (int i = 0; i < kJoints; ++i) v_start[i] = s_.v[i];
    solve<LineModel::kFilling>(v_start, bias, 0.5 * h, 0.5, steepest, v);

    for (int k = 0; k < kJoints; ++k) {
      Drive& d = drive_[k];
      LaneActuatorState<L>& a = s_.actuator[k];
      machine::carry_all(L(d.J * v[d.actuator->link]), d);
      d.mean_stop += 0.5 * d.stop.force;
      machine::book_trapezoid(a, x_dot_start[k], h, d, s_.energy);
      if (any(d.open)) {
        const machine::FillingWork<L> work =
            machine::filling_work(a, fill[k], x_dot_start[k], h, d);
        s_.energy.pump = select(d.open, s_.energy.pump + work.pump, s_.energy.pump);
        s_.energy.valve = select(d.open, s_.energy.valve + work.valve, s_.energy.valve);
        s_.energy.model = select(d.open, s_.energy.model - work.model, s_.energy.model);
      }
      for (int side = 0; side < 2; ++side) a.Q[side] = d.out.Q[side];
      keep(d, a);
    }
    for (int i = 0; i < kJoints; ++i) {
      const L moved = h * (0.5 * v_start[i] + 0.5 * v[i]);
      s_.q[i] += moved;
      s_.a[i] = (v[i] - v_start[i]) / h;
      s_.v[i] = v[i];
    }
  }

  void full() {
    const double h = h_;
    const double g = Sdirk2::kGamma * h;
    scale_inertia(g);
    L v[kJoints], v_star[kJoints], v_first[kJoints] = {};
    for (int i = 0; i < kJoints; ++i) {
      v_star[i] = s_.v[i];
      v[i] = s_.v[i] + g * s_.a[i];
    }
    for (int k = 0; k < kJoints; ++k) drive_[k].constants = &drive_[k].actuator->sdirk;
    for (int stage = 0; stage < 2; ++stage) {
      solve<LineModel::kDynamic>(v_star, body_.bias, g, 1.0, nullptr, v);
      const double weight = h * Sdirk2::kWeight[stage];
      for (int k = 0; k < kJoints; ++k) {
        Drive& d = drive_[k];
        machine::carry_to(L(d.J * v[d.actuator->link]), d);
        machine::book(d, weight, s_.energy);
      }
      if (stage == 1) break;
      for (int i = 0; i < kJoints; ++i) {
        v_first[i] = v[i];
        const L a_first = (v[i] - v_star[i]) / g;
        v_star[i] = s_.v[i] + Sdirk2::kCarry * (v[i] - s_.v[i]);
        v[i] = v_star[i] + g * a_first;
      }
      for (int k = 0; k < kJoints; ++k) {
        Drive& d = drive_[k];
        for (int side = 0; side < 2; ++side) {
          d.in.P_star[side] += Sdirk2::kCarry * (d.out.P_C[side] - d.in.P_star[side]);
          d.in.Q_star[side] += Sdirk2::kCarry * (d.out.Q[side] - d.in.Q_star[side]);
        }
        d.x_star = d.x_n + h * Sdirk2::kWeight[0] * d.x_dot;
      }
    }
    for (int k = 0; k < kJoints; ++k) {
      Drive& d = drive_[k];
      LaneActuatorState<L>& a = s_.actuator[k];
      for (int side = 0; side < 2; ++side) {
        L Q = d.out.Q[side];
        if (!all(d.open))
          Q = select(
              d.open, Q,
              machine::follow_residual(a.Q[side], d.in, side, d.out.P_C[side], m_.residual_decay));
        a.Q[side] = Q;
      }
      keep(d, a);
    }
    for (int i = 0; i < kJoints; ++i) {
      const L moved = h * (Sdirk2::kWeight[0] * v_first[i] + Sdirk2::kWeight[1] * v[i]);
      s_.q[i] += moved;
      s_.a[i] = (v[i] - v_star[i]) / g;
      s_.v[i] = v[i];
    }
  }

  // As machine::keep and watch.
  void keep(const Drive& d, LaneActuatorState<L>& a) {
    for (int side = 0; side < 2; ++side) {
      a.P_C[side] = d.out.P_C[side];
      a.p[side] = d.out.p[side];
    }
    const LPair P_C = load(d.out.P_C), p = load(d.out.p);
    const Which active = (a.stop_active != 0.0) | (a.relief_active[0] != 0.0) |
                         (a.relief_active[1] != 0.0) | (a.cavitation_active[0] != 0.0) |
                         (a.cavitation_active[1] != 0.0);
    const Which calm =
        within(P_C, p, d.constants->low, d.constants->high) & !d.stop.active & !active;
    if (!all(calm)) [[unlikely]]
      watch(d, alive_ & !calm, a);
  }

  [[gnu::noinline]] void watch(const Drive& d, Which look, LaneActuatorState<L>& a) {
    const auto count = [](Which is, L& sum) { sum += ones(is); };
    count(look & d.stop.active & (a.stop_active == 0.0), s_.health.stop_hits);
    a.stop_active = select(look, ones(d.stop.active), a.stop_active);
    const LaneActuator<L>& own = *d.actuator;
    Which relief[2], cavitation[2];
    for (int side = 0; side < 2; ++side) {
      relief[side] = (d.out.P_C[side] > own.relief_Pa) | (d.out.p[side] > own.relief_Pa);
      cavitation[side] =
          (d.out.P_C[side] < own.anti_cavitation_Pa) | (d.out.p[side] < own.anti_cavitation_Pa);
    }
    look = look & (own.protected_ != 0.0);
    for (int side = 0; side < 2; ++side) {
      count(look & relief[side] & (a.relief_active[side] == 0.0), s_.health.relief_events);
      count(look & cavitation[side] & (a.cavitation_active[side] == 0.0),
            s_.health.cavitation_events);
      a.relief_active[side] = select(look, ones(relief[side]), a.relief_active[side]);
      a.cavitation_active[side] = select(look, ones(cavitation[side]), a.cavitation_active[side]);
      relief_ = relief_ | (look & relief[side]);
      cavitation_ = cavitation_ | (look & cavitation[side]);
    }
  }

  const Model& m_;
  State& s_;
  Which alive_;
  double h_;
  Which lost_{}, relief_{}, cavitation_{};
  Body body_;
  Drive drive_[kJoints];
};

// Lanes at which the watch would look closely: the single machine does.
Which odd(const Model& m, const State& s) {
  Which out{};
  const Which pressures = multiple(s.tick, 1);
  if (any(pressures)) {
    for (int k = 0; k < kJoints; ++k) {
      const LaneActuator<L>& own = m.actuator[k];
      out = out | !within(load(s.actuator[k].P_C), load(s.actuator[k].p), both(own.watch_low),
                          both(own.watch_high));
    }
    out = out & pressures;
  }
  const Which joints = multiple(s.tick, 3);
  if (any(joints)) {
    for (int i = 0; i < kJoints; ++i) {
      const LPair now{s.q[i], s.v[i]};
      out = out | (joints & !within(now, now, load(m.watch_lower[i]), load(m.watch_upper[i])));
    }
  }
  return out;
}

}  // namespace

unsigned KB_JOIN(step_lanes_, KNUCKLEBOOM_LANES)(const Model& model, State& state, int ticks,
                                                 unsigned lanes) {
  Which alive = Which::of(lanes);
  for (int i = 0; i < ticks && any(alive); ++i) {
    control(model, i, state);
    move_spools(model, state);
    alive = Step(model, state, alive)();
    move_spools(model, state);
    state.tick += 1.0;
    alive = alive & !odd(model, state);
  }
  return alive.word();
}

}  // namespace knuckleboom::batch
