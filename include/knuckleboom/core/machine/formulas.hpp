// Formulas of a tick over a type of number: one machine's (double) or that of several side by side (math/lanes.hpp).
// What differs between machines and lanes is duck-typed: an actuator's state, its part in a step, the ledger.
#pragma once

#include "knuckleboom/core/hydraulics/stage_laws.hpp"
#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/linkage_laws.hpp"
#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::machine {

// sum += share where `is`.
template <class T>
KB_LANES void add_where(MaskOf<T> is, T share, T& sum) {
  if (any(is)) sum = select(is, sum + share, sum);
}

// --- Stops -------------------------------------------------------------------------------------

inline constexpr double kContactBuildUp = 1e-3;  // depth of full damping at an end stop [m, rad]

template <class T>
struct BasicStopForce {
  T force;           // on the actuator displacement, outward positive
  T dforce;          // by x_dot, for x moving with weight g in an implicit stage
  MaskOf<T> active;  // beyond the stop
};

// Stops: as EndStops. Every tick calls it for each actuator, and nearly always it ends where nothing is near.
template <class T, class Stops>
[[gnu::always_inline]] inline BasicStopForce<T> stop_force(const Stops& stops, T x, T x_dot,
                                                           std::type_identity_t<T> g) {
  BasicStopForce<T> out{0.0, 0.0, MaskOf<T>{}};
  if (!stops.enabled) return out;
  // Mirrored so that `in` is the speed into the stop and `depth` the depth beyond its start.
  const T below = stops.x_min - x;
  const T above = x - stops.x_max;
  const MaskOf<T> low = below > above;
  const T depth = select(low, below, above);
  const MaskOf<T> near = !(depth + stops.cushion <= 0.0);
  if (!any(near)) return out;
  const T in = select(low, -x_dot, x_dot);
  const MaskOf<T> inward = in > 0.0;
  T push = 0.0;
  T slope = 0.0;  // by `in`
  const T c = stops.cushion_damping * smaller(T(1.0), (depth + stops.cushion) / stops.cushion);
  const MaskOf<T> cushioned = inward && stops.cushion > T(0.0);
  push = select(cushioned, push + c * in, push);
  slope = select(cushioned, slope + c, slope);
  out.active = near && depth > 0.0;
  // On the way in the damping builds up with the depth, so that the force has no jump at contact.
  const T share = select(inward, smaller(T(1.0), depth / kContactBuildUp), 1.0);
  const T contact = stops.stiffness * depth + share * stops.damping * in;
  const MaskOf<T> touches = out.active && contact > 0.0;
  push = select(touches, push + contact, push);
  slope = select(touches, slope + (share * stops.damping + g * stops.stiffness), slope);
  slope = select(touches && share < 1.0, slope + g * stops.damping * in / kContactBuildUp, slope);
  out.force = select(near, select(low, push, -push), 0.0);
  out.dforce = select(near, -slope, 0.0);
  return out;
}

// --- Powers and energies of a circuit -----------------------------------------------------------------------

// Powers [W] of one circuit at one instant, from an evaluated stage.
template <class T>
struct BasicPowers {
  T pump, valve, line, relief, leakage, friction;
};
template <class T>
inline BasicPowers<T> powers(const hydraulics::BasicStageConstants<T>& k,
                             const hydraulics::BasicStageInput<T>& in,
                             const hydraulics::BasicStageResult<T>& out, T x_dot) {
  BasicPowers<T> w{};
  const PairOf<T> Q = load(out.Q);
  const PairOf<T> p = load(out.p);
  w.line = sum((load(out.P_C) - p) * load(out.o_R));
  w.friction = k.B * x_dot * x_dot;
  w.pump = sum(load(in.P_S) * Q);
  w.valve = sum(load(in.C_R) * abs(Q) * Q * Q);
  if (k.coupled) {
    const T dp = out.p[0] - out.p[1];
    w.leakage = k.leak_internal * dp * dp + k.leak_external[0] * out.p[0] * out.p[0] +
                k.leak_external[1] * out.p[1] * out.p[1];
  }
  if (any(out.bypassing))
    for (int s = 0; s < 2; ++s)
      w.relief += out.P_C[s] * out.bypass_C[s] + out.p[s] * out.bypass_p[s];
  return w;
}

// Compression of the oil [J], and of the flow in hoses of inertance I.
template <class T>
inline T compression_energy(const T (&C)[2], const T (&P_C)[2]) {
  return 0.5 * C[0] * P_C[0] * P_C[0] + 0.5 * C[1] * P_C[1] * P_C[1];
}
template <class T>
inline T hose_energy(T I_1, T I_2, const T (&Q)[2]) {
  return 0.5 * I_1 * Q[0] * Q[0] + 0.5 * I_2 * Q[1] * Q[1];
}

// --- An actuator within a step ------------------------------------------------------------------------------
// d: ActuatorStep or its lanes.

// Newton's last evaluation is one step before the accepted speed; the slopes extrapolate to it.
template <bool kShared = false, class T, class Drive>
inline void carry_to(T x_dot, Drive& d) {
  const T step = x_dot - d.x_dot;
  store(load(d.out.P_C) + load(d.out.dP_C) * step, d.out.P_C);
  store(load(d.out.Q) + load(d.out.dQ) * step, d.out.Q);
  store(load(d.out.p) + load(d.out.dp) * step, d.out.p);
  if (kShared) d.out.force += d.out.dforce * step;
  d.x_dot = x_dot;
}

// To the accepted speed with all that the ledger needs: as straight as Newton's last step took them, so that
// they balance.
template <class T, class Drive>
inline void carry_all(T x_dot, Drive& d) {
  const hydraulics::BasicStageConstants<T>& k = *d.constants;
  const T step = x_dot - d.x_dot;
  const PairOf<T> dp = step * load(d.out.dp);
  PairOf<T> flow = step * k.sign_area;
  if (k.coupled) flow += k.leak_internal * (dp - swapped(dp)) + k.leak_external * dp;
  if (any(d.out.bypassing)) [[unlikely]] {
    const MaskOf<T> is = d.out.bypassing;
    for (int s = 0; s < 2; ++s) {
      const auto slope = [&](T y) {
        return select(y > 0.0, k.G_high, select(y < 0.0, k.G_low, 0.0));
      };
      const T change = slope(d.out.bypass_p[s]) * dp[s];
      add_where<T>(is, slope(d.out.bypass_C[s]) * step * d.out.dP_C[s], d.out.bypass_C[s]);
      add_where<T>(is, change, d.out.bypass_p[s]);
      flow[s] = select(is, flow[s] + change, flow[s]);
    }
  }
  store(load(d.out.o_R) + flow, d.out.o_R);
  d.stop.force += step * d.stop.dforce;
  carry_to(x_dot, d);
}

// How a line fills or empties over the step: at this rate its pressure settles behind the orifice.
template <class Pair>
struct BasicFilling {
  Pair Q;      // at the start
  Pair theta;  // weight of the step's end
};

// Rate 1 / (2 C_R |Q| C). a: the actuator's state.
template <class T, class State>
inline BasicFilling<PairOf<T>> filling(const State& a, const hydraulics::BasicStageInput<T>& in,
                                       double h) {
  using Pair = PairOf<T>;
  const Pair dP = load(in.P_S) - load(a.P_C);
  const Pair C_R = load(in.C_R);
  const Pair drop = sqrt(abs(dP) * C_R);  // C_R |Q|
  return {with_sign(drop / C_R, dP),
          integration::fitted_theta_of_inverse(2.0 / h * load(a.C) * drop)};
}

// Gain and explicit part of an open valve's lines in one step. Leakage and protective flow may be faster than the
// step and are taken wholly at its end; so they are in a closed valve's.
template <class Pair>
struct OpenLines {
  Pair g_C, side_flow_weight, P_star;
};
template <class T, class State>
inline OpenLines<PairOf<T>> open_lines(const State& a, const BasicFilling<PairOf<T>>& f, double h,
                                       const PairOf<T>& sign_area, T x_dot) {
  using Pair = PairOf<T>;
  const Pair C = load(a.C);
  return {h * f.theta / C, 1.0 / f.theta,
          load(a.P_C) + h * (1.0 - f.theta) / C * (f.Q - sign_area * x_dot)};
}
// Explicit part of a closed valve's lines: trapezoidal, with the piston's flow at the start known.
template <class T>
inline PairOf<T> closed_start(const hydraulics::BasicStageConstants<T>& half,
                              const PairOf<T>& P_star, T x_dot) {
  return P_star - half.g_C * half.sign_area * x_dot;
}

// A closed valve's flow state follows the residual flow (eq. 14-15), which does not act on the oil.
template <class T>
inline T follow_residual(T Q, const hydraulics::BasicStageInput<T>& in, int s, T P_C,
                         double decay_over_step) {
  const T residual = hydraulics::residual_flow<T>(in.P_S[s], P_C, in.C_R[s]);
  return residual + decay_over_step * (Q - residual);
}

// --- Ledger -------------------------------------------------------------------------------------------------

// Enters the powers of a stage into the ledger, with its quadrature weight [s].
template <bool kShared = false, class Drive, class Ledger>
inline void book(const Drive& d, double weight, Ledger& energy) {
  const auto w = powers(*d.constants, d.in, d.out, d.x_dot);
  energy.pump += weight * w.pump;
  energy.valve += weight * w.valve;
  energy.line += weight * w.line;
  add_where(d.out.bypassing, weight * w.relief, energy.relief);
  if (d.constants->coupled) energy.leakage += weight * w.leakage;
  energy.friction += weight * w.friction;
  const auto stopped = d.stop.force != 0.0;
  if (any(stopped))
    energy.stops = select(stopped, energy.stops - weight * d.stop.force * d.x_dot, energy.stops);
  if constexpr (kShared)
    if (d.share < 1.0) [[unlikely]]
      energy.switching += weight * (1.0 - d.share) * (d.force_before - d.out.force) * d.x_dot;
}

// Enters a trapezoidal step's losses, from the means of flow and pressure: these balance the change of
// kinetic and oil energy exactly. Leakage and protective flow are those of the end.
template <class T, class State, class Drive, class Ledger>
inline void book_trapezoid(const State& start, T x_dot_start, double h, const Drive& d,
                           Ledger& energy) {
  const hydraulics::BasicStageConstants<T>& k = *d.constants;
  const T x_dot = 0.5 * (x_dot_start + d.x_dot);
  const PairOf<T> P_C = 0.5 * (load(start.P_C) + load(d.out.P_C));
  const PairOf<T> p = 0.5 * (load(start.p) + load(d.out.p));
  const PairOf<T> side_flow = load(d.out.o_R) - k.sign_area * d.x_dot;
  energy.line += h * sum((P_C - p) * (k.sign_area * x_dot + side_flow));
  energy.friction += h * k.B * x_dot * x_dot;
  if (any(d.out.bypassing))
    add_where(d.out.bypassing, h * sum(P_C * load(d.out.bypass_C) + p * load(d.out.bypass_p)),
              energy.relief);
  energy.stops -= h * d.mean_stop * x_dot;
  if (k.coupled)
    for (int s = 0; s < 2; ++s)
      energy.leakage +=
          h * p[s] *
          (k.leak_internal * (d.out.p[s] - d.out.p[1 - s]) + k.leak_external[s] * d.out.p[s]);
}

// An open line's work: the source's, and the loss in the orifice, from the means of flow and
// pressure. The line weighs the piston's flow otherwise than the bodies do; that is entered as the model's.
template <class T>
struct FillingWork {
  PairOf<T> volume;
  T pump, valve, model;
};
template <class T, class State, class Drive>
inline FillingWork<T> filling_work(const State& start, const BasicFilling<PairOf<T>>& f,
                                   T x_dot_start, double h, const Drive& d) {
  using Pair = PairOf<T>;
  const Pair P_S = load(d.in.P_S);
  const Pair P = 0.5 * (load(start.P_C) + load(d.out.P_C));
  const Pair volume = h * ((1.0 - f.theta) * f.Q + f.theta * load(d.out.Q));
  return {volume, sum(P_S * volume), sum((P_S - P) * volume),
          h * (d.x_dot - x_dot_start) * sum(P * d.constants->sign_area * (f.theta - 0.5))};
}

}  // namespace knuckleboom::machine
