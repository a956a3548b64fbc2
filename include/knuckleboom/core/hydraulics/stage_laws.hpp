// One circuit within one implicit stage of the integrator: pressures, flows and force as functions
// of the actuator speed, with their derivatives.
//
// A stage with step weight g (gamma h) replaces dy/dt = f(y) by y = y_star + g f(y). Per side s, with
// o the flow out of the port into the actuator (sign_s area_s x_dot) and o_R the flow through the line:
//   C dP_C/dt = Q - o_R - bypass(P_C)          capacitance (eq. 18-19)
//   I dQ/dt   = P_S - C_R Q|Q| - P_C           orifice and inertance (A6a, eq. 13)
//   p         = P_C - R o_R|o_R|  or  P_C - R o_R
//   o_R       = o + leakage(p) + bypass(p)     port
// Each hose is then one scalar quadratic in Q, solved in closed form; the ports couple only where there
// is leakage or an open relief or anti-cavitation valve, by a short Newton iteration.
//
// Over a type of number (math/lanes.hpp); who makes the constants: stage.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/hydraulics/stage_constants.hpp"
#include "knuckleboom/core/math/quadratic.hpp"

namespace knuckleboom::hydraulics {

enum class LineModel : int {
  kDynamic,    // open valve, full model: P_C and Q are states
  kResistive,  // open valve, the paper's reduced model: orifice and line in series alone (fig. 7)
  kFilling,    // open valve, reduced model: P_C is a state, the flow follows it at once
  kClosed,     // closed valve: no flow from the source, P_C is a state (eq. 18-20)
};

// Explicit part of the stage, and the valve.
template <class T>
struct alignas(PairOf<T>) BasicStageInput {
  T P_star[2];
  T Q_star[2];
  T P_S[2];
  T C_R[2];
};
using StageInput = BasicStageInput<double>;

template <class T>
struct alignas(PairOf<T>) BasicStageResult {
  T P_C[2], Q[2], p[2];        // capacitance pressure, inflow, port pressure
  T dP_C[2], dQ[2], dp[2];     // their derivatives by x_dot
  T o_R[2];                    // line flow, out of the capacitance
  T bypass_C[2], bypass_p[2];  // protective flow out of node and port, to tank
  MaskOf<T> bypassing;         // any of them is not zero
  T force;                     // of the oil alone [N, N m]
  T dforce;                    // by x_dot
};
using StageResult = BasicStageResult<double>;

namespace detail {

// Flow of the protective valves out of a node, and its slope.
template <class T>
struct Bypass {
  T flow, slope;
};
template <class T>
inline Bypass<T> bypass(const BasicStageConstants<T>& k, T P) {
  const MaskOf<T> high = P > k.P_high;
  const MaskOf<T> beyond = high || P < k.P_low;
  if (!any(beyond)) return {0.0, 0.0};
  const T G = select(high, k.G_high, k.G_low);
  return {select(beyond, G * (P - select(high, k.P_high, k.P_low)), 0.0), select(beyond, G, 0.0)};
}

template <class T>
struct Response {
  T P_C, Q, p;
  T dP_C, dQ, dp;  // by o_R
  T direct;        // of P_C and p by o, at given o_R
  T direct_Q;      // of Q
  T bypass_C;
};
template <class T>
inline Response<T> select(MaskOf<T> is, const Response<T>& a, const Response<T>& b) {
  return {knuckleboom::select(is, a.P_C, b.P_C),
          knuckleboom::select(is, a.Q, b.Q),
          knuckleboom::select(is, a.p, b.p),
          knuckleboom::select(is, a.dP_C, b.dP_C),
          knuckleboom::select(is, a.dQ, b.dQ),
          knuckleboom::select(is, a.dp, b.dp),
          knuckleboom::select(is, a.direct, b.direct),
          knuckleboom::select(is, a.direct_Q, b.direct_Q),
          knuckleboom::select(is, a.bypass_C, b.bypass_C)};
}
using knuckleboom::select;

// Capacitance with inflow Q(P_C): g_C and P_star may have been changed by an open protective valve.
template <class T>
inline void solve_node(T g_I, T g_C, T P_star, T Q_star, T P_S, T C_R, T o_R, Response<T>& out) {
  const T b = 1.0 + g_I * g_C;
  const T a = g_I * C_R;
  const T r = Q_star + g_I * (P_S - P_star + g_C * o_R);
  const T root = sqrt(b * b + 4.0 * a * abs(r));
  out.Q = 2.0 * r / (b + root);
  out.dQ = g_I * g_C / root;
  out.P_C = P_star + g_C * (out.Q - o_R);
  out.dP_C = g_C * (out.dQ - 1.0);
}

template <LineModel Model, class T>
[[gnu::always_inline]] inline Response<T> respond(const BasicStageConstants<T>& k,
                                                  const BasicStageInput<T>& in, int s, T o, T o_R) {
  const T R = k.R[s];
  Response<T> out;
  out.bypass_C = 0.0;
  out.direct = out.direct_Q = 0.0;
  // Beyond the settings of the protective valves: again, with these open.
  const auto again = [&](auto&& solve) __attribute__((always_inline)) {
    const MaskOf<T> high = out.P_C > k.P_high;
    const MaskOf<T> beyond = high || out.P_C < k.P_low;
    if (!any(beyond)) [[likely]]
      return;
    [[maybe_unused]] Response<T> before;
    if constexpr (kIsLanes<T>) before = out;
    const T G = select(high, k.G_high, k.G_low);
    const T P_0 = select(high, k.P_high, k.P_low);
    solve(G, P_0);
    out.bypass_C = G * (out.P_C - P_0);
    if constexpr (kIsLanes<T>) out = detail::select<T>(beyond, out, before);
  };
  if constexpr (Model == LineModel::kFilling) {
    // P_C = P_base + g_C Q - weight g_C o_R, C_R Q|Q| = P_S - P_C
    const T weight = k.side_flow_weight[s];
    const T beside = (weight - 1.0) * k.g_C[s];
    const auto fill = [&](T scale, T P_base) __attribute__((always_inline)) {
      const T g_Q = k.g_C[s] * scale;
      const T g_o = weight * g_Q;
      const T r = in.P_S[s] - P_base + g_o * o_R;
      const T root = sqrt(g_Q * g_Q + 4.0 * in.C_R[s] * abs(r));
      const T slope = select(root > 0.0, 1.0 / root, 0.0);  // of Q by r
      out.Q = select(r != 0.0, 2.0 * r / (g_Q + root), 0.0);
      out.dQ = g_o * slope;
      out.P_C = P_base + g_Q * out.Q - g_o * o_R;
      out.dP_C = g_Q * out.dQ - g_o;
      out.direct = beside * scale * (1.0 - g_Q * slope);
      out.direct_Q = -beside * scale * slope;
    };
    const T P_base = in.P_star[s] + beside * o;
    fill(1.0, P_base);
    again([&](T G, T P_0) {
      const T g = weight * k.g_C[s] * G;
      const T scale = 1.0 / (1.0 + g);
      fill(scale, (P_base + g * P_0) * scale);
    });
  } else if constexpr (Model == LineModel::kResistive) {
    out.Q = o_R;
    out.dQ = 1.0;
    out.P_C = in.P_S[s] - in.C_R[s] * signed_square(o_R);
    out.dP_C = -2.0 * in.C_R[s] * abs(o_R);
  } else {
    const auto solve = [&](T g_C, T P_star) __attribute__((always_inline)) {
      if constexpr (Model == LineModel::kDynamic) {
        solve_node<T>(k.g_I[s], g_C, P_star, in.Q_star[s], in.P_S[s], in.C_R[s], o_R, out);
      } else {
        out.Q = 0.0;
        out.dQ = 0.0;
        out.P_C = P_star - g_C * o_R;
        out.dP_C = -g_C;
      }
    };
    T g_C = k.g_C[s];
    T P_star = in.P_star[s];
    if constexpr (Model == LineModel::kClosed) {
      // P_C = P_star - g_C (o + weight (o_R - o))
      out.direct = (k.side_flow_weight[s] - 1.0) * g_C;
      P_star += out.direct * o;
      g_C *= k.side_flow_weight[s];
    }
    solve(g_C, P_star);
    again([&](T G, T P_0) {
      // An open valve with flow G (P - P_0) leaves the form of the node's equation unchanged.
      const T scale = 1.0 / (1.0 + g_C * G);
      solve(g_C * scale, (P_star + g_C * G * P_0) * scale);
      out.direct *= scale;
    });
  }
  if (k.linear_line) {
    out.p = out.P_C - R * o_R;
    out.dp = out.dP_C - R;
  } else {
    out.p = out.P_C - R * signed_square(o_R);
    out.dp = out.dP_C - 2.0 * R * abs(o_R);
  }
  return out;
}

template <class T>
inline void store_side(const BasicStageConstants<T>& k, const Response<T>& r, int s, T o_R, T do_R,
                       BasicStageResult<T>& out) {
  out.P_C[s] = r.P_C;
  out.Q[s] = r.Q;
  out.p[s] = r.p;
  const T direct = r.direct * k.sign_area[s];
  out.dP_C[s] = r.dP_C * do_R + direct;
  out.dQ[s] = r.dQ * do_R + r.direct_Q * k.sign_area[s];
  out.dp[s] = r.dp * do_R + direct;
  out.o_R[s] = o_R;
  out.bypass_C[s] = r.bypass_C;
  out.bypass_p[s] = 0.0;
  out.bypassing = out.bypassing || r.bypass_C != 0.0;
  out.force += k.sign_area[s] * r.p;
  out.dforce += k.sign_area[s] * out.dp[s];
}

// Start of the port pressure iteration. With the capacitance's response linearised, a port alone is
// one quadratic per state of its protective valve, solved in closed form; from elsewhere Newton
// would halve its way down a parabola.
template <LineModel Model, class T>
[[gnu::always_inline]] inline T port_start(const BasicStageConstants<T>& k,
                                           const BasicStageInput<T>& in, int s, T o, T p_other) {
  T P_base, X;  // p = P_base - X o_R - R o_R|o_R|
  T R = k.linear_line ? T(0.0) : T(k.R[s]);
  if constexpr (Model == LineModel::kResistive) {
    P_base = in.P_S[s];
    X = 0.0;
    R += in.C_R[s];
  } else {
    const Response<T> r = respond<Model, T>(k, in, s, o, o);
    X = -r.dP_C;
    P_base = r.P_C + X * o;
  }
  if (k.linear_line) X += k.R[s];
  const T G[3] = {0.0, k.G_high, k.G_low};
  const T P_0[3] = {0.0, k.P_high, k.P_low};
  T p = 0.0;
  MaskOf<T> found{};
  for (int region = 0; region < 3; ++region) {
    MaskOf<T> skip = found;
    if (region > 0) skip = skip || G[region] == 0.0;
    if (all(skip)) continue;
    // o_R = flow + slope p
    const T slope = k.leak_internal + k.leak_external[s] + G[region];
    const T flow =
        o - k.leak_internal * p_other - (region > 0 ? T(G[region] * P_0[region]) : T(0.0));
    const T o_R = solve_signed_quadratic<T>(slope * R, 1.0 + slope * X, slope * P_base + flow);
    p = select(skip, p, P_base - X * o_R - R * signed_square(o_R));
    if (region == 0) found = p <= k.P_high && p >= k.P_low;
    if (region == 1) found = found || (p >= k.P_high && !skip);
    if (all(found)) break;
  }
  return p;
}

// A Newton step that would pass the opening point of a protective valve ends there: the slope
// beyond differs by orders of magnitude.
template <class T>
inline T stop_at_kink(const BasicStageConstants<T>& k, T from, T to) {
  constexpr double kJustBeyond = 1e-6;  // Pa
  const MaskOf<T> was_low = from < k.P_low, is_low = to < k.P_low;
  const MaskOf<T> was_high = from > k.P_high, is_high = to > k.P_high;
  const MaskOf<T> crosses_low = was_low ^ is_low;
  const MaskOf<T> crosses_high = was_high ^ is_high;
  if (!any(crosses_low | crosses_high)) return to;
  return select(crosses_low, select(is_low, k.P_low - kJustBeyond, k.P_low),
                select(crosses_high, select(is_high, k.P_high + kJustBeyond, k.P_high), to));
}

// One port with the other's pressure given. The residual increases with the pressure with a slope
// of at least one, so its value brackets the root; Newton within the bracket.
template <LineModel Model>
inline double solve_port(const StageConstants& k, const StageInput& in, int s, double o,
                         double p_other) {
  double p = port_start<Model>(k, in, s, o, p_other);
  double low = -INFINITY, high = INFINITY;
  for (int i = 0; i < 200; ++i) {
    const Bypass<double> y = bypass(k, p);
    const double slope = k.leak_internal + k.leak_external[s] + y.slope;
    const double o_R = o + k.leak_internal * (p - p_other) + k.leak_external[s] * p + y.flow;
    const Response<double> r = respond<Model>(k, in, s, o, o_R);
    const double left = p - r.p;
    if (left > 0.0) {
      high = std::min(high, p);
      low = std::max(low, p - left);
    } else {
      low = std::max(low, p);
      high = std::min(high, p - left);
    }
    double next = p - left / (1.0 - r.dp * slope);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == p || high - low <= 1e-15 * std::fabs(p)) break;
    // Every third step halves the bracket, however slow Newton is on a parabola.
    p = i % 3 == 2 ? 0.5 * (low + high) : next;
  }
  return p;
}

// Both ports by bisection on the second: its response to itself has a slope below one. For the rare
// case that Newton in two unknowns fails.
template <LineModel Model>
inline void bisect_ports(const StageConstants& k, const StageInput& in, const double (&o)[2],
                         double (&p)[2]) {
  const auto excess = [&](double p_1) {
    p[0] = solve_port<Model>(k, in, 0, o[0], p_1);
    return p_1 - solve_port<Model>(k, in, 1, o[1], p[0]);
  };
  double low = p[1], high = p[1];
  double width = 1e5;
  for (int i = 0; i < 60 && excess(low) > 0.0; ++i, width *= 2.0) low -= width;
  width = 1e5;
  for (int i = 0; i < 60 && excess(high) < 0.0; ++i, width *= 2.0) high += width;
  for (int i = 0; i < 100 && high - low > 1e-15 * (std::fabs(low) + std::fabs(high)); ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? high : low) = middle;
  }
  p[1] = 0.5 * (low + high);
  p[0] = solve_port<Model>(k, in, 0, o[0], p[1]);
}

// Port pressures p with p_s = f_s(o_s + L_s(p)): Newton in two unknowns. Returns which are solved: a single
// machine always, of lanes those where Newton was enough. idle: lanes that need not be.
template <LineModel Model, class T>
inline MaskOf<T> solve_coupled(const BasicStageConstants<T>& k, const BasicStageInput<T>& in,
                               T x_dot, const T (&p_start)[2], BasicStageResult<T>& out,
                               MaskOf<T> idle) {
  constexpr int kMaxIterations = 20;
  constexpr double kResolution = 1e-15;
  const T o[2] = {k.sign_area[0] * x_dot, k.sign_area[1] * x_dot};
  T p[2];
  p[0] = port_start<Model, T>(k, in, 0, o[0], p_start[1]);
  p[1] = port_start<Model, T>(k, in, 1, o[1], p[0]);
  Response<T> r[2];
  Bypass<T> y[2];
  T o_R[2], Jd[2], Jo[2];
  T inverse_det = 0.0;
  MaskOf<T> close;
  for (int iteration = 0;; ++iteration) {
    T G[2];
    for (int s = 0; s < 2; ++s) {
      y[s] = bypass<T>(k, p[s]);
      o_R[s] = o[s] + k.leak_internal * (p[s] - p[1 - s]) + k.leak_external[s] * p[s] + y[s].flow;
      r[s] = respond<Model, T>(k, in, s, o[s], o_R[s]);
      G[s] = p[s] - r[s].p;
      Jd[s] = 1.0 - r[s].dp * (k.leak_internal + k.leak_external[s] + y[s].slope);
      Jo[s] = r[s].dp * k.leak_internal;
    }
    inverse_det = 1.0 / (Jd[0] * Jd[1] - Jo[0] * Jo[1]);
    const T next[2] = {
        stop_at_kink<T>(k, p[0], p[0] - (Jd[1] * G[0] - Jo[0] * G[1]) * inverse_det),
        stop_at_kink<T>(k, p[1], p[1] - (Jd[0] * G[1] - Jo[1] * G[0]) * inverse_det)};
    // The residual decides, not the step: an open protective valve turns a step of 1 Pa into a flow
    // that changes the pressure at a nearly closed orifice by bars. The second term is the
    // resolution of the numbers.
    close = abs(G[0]) < k.port_tolerance + kResolution * abs(Jd[0] * p[0]) &&
            abs(G[1]) < k.port_tolerance + kResolution * abs(Jd[1] * p[1]);
    if constexpr (kIsLanes<T>) {
      if (all(close | idle) || iteration == kMaxIterations - 1) break;
      p[0] = select(close, p[0], next[0]);
      p[1] = select(close, p[1], next[1]);
    } else {
      if (close || iteration == kMaxIterations) break;
      p[0] = next[0];
      p[1] = next[1];
      if (iteration == kMaxIterations - 1) bisect_ports<Model>(k, in, o, p);
    }
  }
  // dp/dx_dot from the same Jacobian.
  const T f0 = (r[0].dp + r[0].direct) * k.sign_area[0];
  const T f1 = (r[1].dp + r[1].direct) * k.sign_area[1];
  const T dp[2] = {(Jd[1] * f0 - Jo[0] * f1) * inverse_det,
                   (Jd[0] * f1 - Jo[1] * f0) * inverse_det};
  out.force = 0.0;
  out.dforce = 0.0;
  out.bypassing = x_dot != x_dot;
  for (int s = 0; s < 2; ++s) {
    const T do_R = k.sign_area[s] + k.leak_internal * (dp[s] - dp[1 - s]) +
                   (k.leak_external[s] + y[s].slope) * dp[s];
    store_side<T>(k, r[s], s, o_R[s], do_R, out);
    out.bypass_p[s] = y[s].flow;
    out.bypassing = out.bypassing || y[s].flow != 0.0;
  }
  return close;
}

// At rest and with no step (g_C = 0) an orifice has no slope: there this stands for its root.
inline constexpr double kBelowAnyRoot = 1e-200;

// The usual case in pairs; false: a protective valve takes part, or is not a number.
template <class T>
inline MaskOf<T> finish_pair(const BasicStageConstants<T>& k, PairOf<T> P_C, PairOf<T> p,
                             PairOf<T> dP_C, PairOf<T> dp, bool node_counts,
                             BasicStageResult<T>& out) {
  const PairOf<T> force = k.sign_area * p;
  const PairOf<T> dforce = k.sign_area * dp;
  store(P_C, out.P_C);
  store(p, out.p);
  store(dP_C, out.dP_C);
  store(dp, out.dp);
  store(PairOf<T>{}, out.bypass_C);
  store(PairOf<T>{}, out.bypass_p);
  out.bypassing = MaskOf<T>{};
  out.force = sum(force);
  out.dforce = sum(dforce);
  return within(p, node_counts ? P_C : p, k.low, k.high);
}

// Closed valve, linear lines with leakage, no protective valve open: everything is linear.
template <class T>
inline MaskOf<T> solve_closed_linear(const BasicStageConstants<T>& k, const BasicStageInput<T>& in,
                                     T x_dot, BasicStageResult<T>& out) {
  using Pair = PairOf<T>;
  const Pair P_star = load(in.P_star);
  const Pair df = -(k.g_C + k.R) * k.sign_area;
  const Pair f = P_star + df * x_dot;
  const Pair p = k.closed[0] * f[0] + k.closed[1] * f[1];
  const Pair dp = k.closed[0] * df[0] + k.closed[1] * df[1];
  const Pair leak = k.leak_internal * (p - swapped(p)) + k.leak_external * p;
  const Pair dleak = k.leak_internal * (dp - swapped(dp)) + k.leak_external * dp;
  const Pair o = k.sign_area * x_dot;
  store(Pair{}, out.Q);
  store(Pair{}, out.dQ);
  store(o + leak, out.o_R);
  return finish_pair<T>(k, P_star - k.g_C * (o + k.side_flow_weight * leak), p,
                        -k.g_C * (k.sign_area + k.side_flow_weight * dleak), dp, true, out);
}

// No leakage, no protective valve open: each line by itself.
template <LineModel Model, class T>
inline MaskOf<T> solve_apart(const BasicStageConstants<T>& k, const BasicStageInput<T>& in, T x_dot,
                             BasicStageResult<T>& out) {
  using Pair = PairOf<T>;
  const Pair o = k.sign_area * x_dot;
  Pair Q, dQ, P_C, dP_C, direct{};  // slopes by o
  if constexpr (Model == LineModel::kResistive) {
    const Pair C_R = load(in.C_R);
    Q = o;
    dQ = both(T(1.0));
    P_C = load(in.P_S) - C_R * signed_square(o);
    dP_C = -2.0 * C_R * abs(o);
  } else if constexpr (Model == LineModel::kDynamic) {
    const Pair P_star = load(in.P_star);
    const Pair b = 1.0 + k.g_I * k.g_C;
    const Pair a = k.g_I * load(in.C_R);
    const Pair r = load(in.Q_star) + k.g_I * (load(in.P_S) - P_star + k.g_C * o);
    const Pair root = sqrt(b * b + 4.0 * a * abs(r));
    Q = 2.0 * r / (b + root);
    dQ = k.g_I * k.g_C / root;
    P_C = P_star + k.g_C * (Q - o);
    dP_C = k.g_C * (dQ - 1.0);
  } else if constexpr (Model == LineModel::kFilling) {
    const Pair P_star = load(in.P_star);
    const Pair C_R = load(in.C_R);
    const Pair r = load(in.P_S) - P_star + k.g_C * o;
    const Pair root = sqrt(k.g_C * k.g_C + 4.0 * C_R * abs(r));
    Q = 2.0 * r / (k.g_C + root + kBelowAnyRoot);
    dQ = k.g_C / (root + kBelowAnyRoot);
    P_C = P_star + k.g_C * (Q - o);
    dP_C = k.g_C * (dQ - 1.0);
  } else {
    direct = (k.side_flow_weight - 1.0) * k.g_C;
    const Pair g_C = k.g_C * k.side_flow_weight;
    Q = dQ = Pair{};
    P_C = load(in.P_star) + direct * o - g_C * o;
    dP_C = -g_C;
  }
  const Pair p = k.linear_line ? P_C - k.R * o : P_C - k.R * signed_square(o);
  const Pair dp = k.linear_line ? dP_C - k.R : dP_C - 2.0 * k.R * abs(o);
  if constexpr (Model == LineModel::kClosed) direct *= k.sign_area;
  store(Q, out.Q);
  store(dQ * k.sign_area, out.dQ);
  store(o, out.o_R);
  return finish_pair<T>(k, P_C, p, dP_C * k.sign_area + direct, dp * k.sign_area + direct,
                        Model != LineModel::kResistive, out);
}

// Slopes of the protective valves that are open at P, and the flow G P_0 that they would take in at P = 0.
template <class T>
struct BypassPair {
  PairOf<T> G{}, G_P_0{};
};
template <class T>
inline BypassPair<T> bypass_pair(const BasicStageConstants<T>& k, PairOf<T> P) {
  BypassPair<T> out;
  const MaskOf<T> inside = within(P, P, k.low, k.high);
  if (all(inside)) [[likely]]
    return out;
  for (int s = 0; s < 2; ++s) {
    const Bypass<T> y = bypass<T>(k, P[s]);
    out.G[s] = select(inside, out.G[s], y.slope);
    out.G_P_0[s] = select(inside, out.G_P_0[s], y.slope * P[s] - y.flow);
  }
  return out;
}

// The capacitances of both lines with their orifices and protective valves. B: pressure without the flow Q
// and without protective valve.
template <class T>
struct ResponsePair {
  PairOf<T> P_C, Q;
  PairOf<T> dP_C, dQ;  // by B
  PairOf<T> bypass_C;
};
template <LineModel Model, class T>
inline ResponsePair<T> respond_pair(const BasicStageConstants<T>& k, const BasicStageInput<T>& in,
                                    PairOf<T> g_o, PairOf<T> B) {
  using Pair = PairOf<T>;
  ResponsePair<T> out;
  const auto fill = [&](Pair scale, Pair B_scaled) {
    const Pair g_C = k.g_C * scale;
    Pair a = load(in.C_R), b = g_C, r = load(in.P_S) - B_scaled, gain = scale;
    if constexpr (Model == LineModel::kDynamic) {
      a *= k.g_I;
      b = 1.0 + k.g_I * b;
      r = load(in.Q_star) + k.g_I * r;
      gain *= k.g_I;
    }
    const Pair root = sqrt(b * b + 4.0 * a * abs(r)) + kBelowAnyRoot;
    out.Q = 2.0 * r / (b + root);
    out.dQ = -gain / root;
    out.P_C = B_scaled + g_C * out.Q;
    out.dP_C = scale + g_C * out.dQ;
  };
  fill(both(T(1.0)), B);
  out.bypass_C = Pair{};
  const MaskOf<T> inside = within(out.P_C, out.P_C, k.low, k.high);
  if (!all(inside)) [[unlikely]] {
    const ResponsePair<T> before = out;
    const BypassPair<T> y = bypass_pair<T>(k, out.P_C);
    const Pair scale = 1.0 / (1.0 + g_o * y.G);
    fill(scale, (B + g_o * y.G_P_0) * scale);
    out.bypass_C = y.G * out.P_C - y.G_P_0;
    if constexpr (kIsLanes<T>)
      out = {select(inside, before.P_C, out.P_C), select(inside, before.Q, out.Q),
             select(inside, before.dP_C, out.dP_C), select(inside, before.dQ, out.dQ),
             select(inside, before.bypass_C, out.bypass_C)};
  }
  return out;
}

// Both ports by Newton from those of the last evaluation, leakage and protective valves included: they are
// slow within a step, or remain as they were, so that two evaluations usually do. Returns where eight do; a single
// machine's result is filled in only then. idle: lanes that need not be solved.
template <LineModel Model, class T>
inline MaskOf<T> solve_ports(const BasicStageConstants<T>& k, const BasicStageInput<T>& in, T x_dot,
                             const T (&p_start)[2], BasicStageResult<T>& out,
                             [[maybe_unused]] MaskOf<T> idle) {
  using Pair = PairOf<T>;
  constexpr int kMaxIterations = 8;
  constexpr double kResolution = 1e-15;
  const Pair o = k.sign_area * x_dot;
  const Pair g_o = k.side_flow_weight * k.g_C;  // of leakage
  const Pair B_0 = load(in.P_star) - k.g_C * o;
  const Pair leak_slope = k.leak_internal + k.leak_external;
  Pair p = load(p_start);
  for (int i = 1;; ++i) {
    const BypassPair<T> y = bypass_pair<T>(k, p);
    const Pair bypass_p = y.G * p - y.G_P_0;
    const Pair leak = k.leak_internal * (p - swapped(p)) + k.leak_external * p + bypass_p;
    const Pair o_R = o + leak;
    const ResponsePair<T> r = respond_pair<Model, T>(k, in, g_o, B_0 - g_o * leak);
    const Pair drop = k.linear_line ? k.R * o_R : k.R * signed_square(o_R);
    const Pair R = k.linear_line ? k.R : 2.0 * k.R * abs(o_R);
    const Pair left = p - r.P_C + drop;
    const Pair dp_leak = -g_o * r.dP_C - R;
    const Pair own = 1.0 - dp_leak * (leak_slope + y.G);
    const Pair other = dp_leak * k.leak_internal;
    const T inverse_det = 1.0 / (own[0] * own[1] - other[0] * other[1]);
    const auto solve = [&](Pair f) {
      return (swapped(own) * f - other * swapped(f)) * inverse_det;
    };
    const Pair allowed = k.port_tolerance + kResolution * abs(own * p);
    const MaskOf<T> close = within(left, left, -allowed, allowed);
    if constexpr (kIsLanes<T>) {
      if (i < kMaxIterations && !all(close | idle)) {
        p = select(close, p, p - solve(left));
        continue;
      }
    } else if (!close) {
      if (i == kMaxIterations) return false;
      p -= solve(left);
      continue;
    }
    const Pair dp = solve((-k.g_C * r.dP_C - R) * k.sign_area);
    const Pair dleak = k.leak_internal * (dp - swapped(dp)) + (k.leak_external + y.G) * dp;
    const Pair dB = -(k.g_C * k.sign_area + g_o * dleak);
    finish_pair<T>(k, r.P_C, r.P_C - drop, r.dP_C * dB, dp, true, out);
    store(r.Q, out.Q);
    store(r.dQ * dB, out.dQ);
    store(o_R, out.o_R);
    store(r.bypass_C, out.bypass_C);
    store(bypass_p, out.bypass_p);
    const Pair any_bypass = abs(r.bypass_C) + abs(bypass_p);
    out.bypassing = sum(any_bypass) != 0.0;
    return close;
  }
}

// No leakage, both lines by themselves, with protective valves at their capacitances alone. Returns where none is
// open at a port; a single machine's result is filled in only then.
template <LineModel Model, class T>
inline MaskOf<T> respond_apart(const BasicStageConstants<T>& k, const BasicStageInput<T>& in,
                               T x_dot, BasicStageResult<T>& out) {
  const T o0 = k.sign_area[0] * x_dot;
  const T o1 = k.sign_area[1] * x_dot;
  const Response<T> r0 = respond<Model, T>(k, in, 0, o0, o0);
  const Response<T> r1 = respond<Model, T>(k, in, 1, o1, o1);
  const MaskOf<T> calm = r0.p <= k.P_high && r0.p >= k.P_low && r1.p <= k.P_high && r1.p >= k.P_low;
  if (!any(calm)) return calm;
  out.force = 0.0;
  out.dforce = 0.0;
  out.bypassing = MaskOf<T>{};
  store_side<T>(k, r0, 0, o0, k.sign_area[0], out);
  store_side<T>(k, r1, 1, o1, k.sign_area[1], out);
  return calm;
}

// Lanes of one result into another.
template <class T>
inline void keep_result(MaskOf<T> is, const BasicStageResult<T>& from, BasicStageResult<T>& to) {
  const auto pair = [&](const T(&a)[2], T(&b)[2]) __attribute__((always_inline)) {
    b[0] = select(is, a[0], b[0]);
    b[1] = select(is, a[1], b[1]);
  };
  pair(from.P_C, to.P_C);
  pair(from.Q, to.Q);
  pair(from.p, to.p);
  pair(from.dP_C, to.dP_C);
  pair(from.dQ, to.dQ);
  pair(from.dp, to.dp);
  pair(from.o_R, to.o_R);
  pair(from.bypass_C, to.bypass_C);
  pair(from.bypass_p, to.bypass_p);
  to.bypassing = (is & from.bypassing) | (to.bypassing & !is);
  to.force = select(is, from.force, to.force);
  to.dforce = select(is, from.dforce, to.dforce);
}

template <LineModel Model>
inline void evaluate(const StageConstants& k, const StageInput& in, double x_dot,
                     const double (&p_start)[2], StageResult& out) {
  if constexpr (Model == LineModel::kClosed)
    if (k.coupled && k.linear_line && solve_closed_linear(k, in, x_dot, out)) return;
  if constexpr (Model == LineModel::kFilling)
    if (k.coupled && solve_ports<Model>(k, in, x_dot, p_start, out, false)) return;
  if (!k.coupled) [[likely]] {
    if (solve_apart<Model>(k, in, x_dot, out)) [[likely]]
      return;
    if constexpr (Model == LineModel::kFilling)
      if (solve_ports<Model>(k, in, x_dot, p_start, out, false)) return;
    if (respond_apart<Model>(k, in, x_dot, out)) return;
  }
  solve_coupled<Model>(k, in, x_dot, p_start, out, false);
}

// Lanes: the same order of attempts, each for those that are left. wanted: lanes that are to be evaluated; the
// others keep nothing of value. Returns the lanes of these that only the single machine can solve.
template <LineModel Model, class T>
inline MaskOf<T> evaluate_lanes(const BasicStageConstants<T>& k, const BasicStageInput<T>& in,
                                T x_dot, const T (&p_start)[2], BasicStageResult<T>& out,
                                MaskOf<T> wanted) {
  MaskOf<T> left = wanted;
  bool first = true;
  const auto attempt = [&](auto&& solve) __attribute__((always_inline)) {
    if (!any(left)) return;
    if (first) {
      left = left & !solve(out);
      first = false;
      return;
    }
    BasicStageResult<T> own = out;
    const MaskOf<T> solved = solve(own) & left;
    keep_result(solved, own, out);
    left = left & !solved;
  };
  const bool linear = Model == LineModel::kClosed && k.coupled && k.linear_line;
  if (linear)
    attempt([&](BasicStageResult<T>& to) { return solve_closed_linear<T>(k, in, x_dot, to); });
  if (!k.coupled)
    attempt([&](BasicStageResult<T>& to) { return solve_apart<Model, T>(k, in, x_dot, to); });
  if (Model == LineModel::kFilling) {
    attempt([&](BasicStageResult<T>& to) {
      return solve_ports<Model, T>(k, in, x_dot, p_start, to, !left);
    });
    return left;
  }
  if (!k.coupled)
    attempt([&](BasicStageResult<T>& to) { return respond_apart<Model, T>(k, in, x_dot, to); });
  attempt([&](BasicStageResult<T>& to) {
    return solve_coupled<Model, T>(k, in, x_dot, p_start, to, !left);
  });
  return left;
}

}  // namespace detail

// p_start: port pressures to start the coupled iteration from.
inline void evaluate_stage(LineModel model, const StageConstants& k, const StageInput& in,
                           double x_dot, const double (&p_start)[2], StageResult& out) {
  switch (model) {
    case LineModel::kDynamic:
      return detail::evaluate<LineModel::kDynamic>(k, in, x_dot, p_start, out);
    case LineModel::kResistive:
      return detail::evaluate<LineModel::kResistive>(k, in, x_dot, p_start, out);
    case LineModel::kFilling:
      return detail::evaluate<LineModel::kFilling>(k, in, x_dot, p_start, out);
    case LineModel::kClosed:
      return detail::evaluate<LineModel::kClosed>(k, in, x_dot, p_start, out);
  }
}

// Flow through a closed valve's maximum resistance (eq. 14).
template <class T>
inline T residual_flow(T P_S, T P_C, T C_R) {
  const T dP = P_S - P_C;
  return with_sign(sqrt(abs(dP) / C_R), dP);
}

}  // namespace knuckleboom::hydraulics
