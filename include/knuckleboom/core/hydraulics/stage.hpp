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
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/hydraulics/stage_constants.hpp"
#include "knuckleboom/core/math/pair.hpp"
#include "knuckleboom/core/math/quadratic.hpp"

namespace knuckleboom::hydraulics {

enum class LineModel : int {
  kDynamic,    // open valve, full model: P_C and Q are states
  kResistive,  // open valve, the paper's reduced model: orifice and line in series alone (fig. 7)
  kFilling,    // open valve, reduced model: P_C is a state, the flow follows it at once
  kClosed,     // closed valve: no flow from the source, P_C is a state (eq. 18-20)
};

// g = 0 gives the instantaneous relations: P_C = P_star, Q = Q_star. C: capacitances of both lines;
// null: those of the lines.
StageConstants make_stage(const Circuit& circuit, double g, double port_tolerance = 1.0,
                          double side_flow_weight = 1.0, const CircuitFault& fault = {},
                          const double* C = nullptr);

// Explicit part of the stage, and the valve.
struct alignas(16) StageInput {
  double P_star[2];
  double Q_star[2];
  double P_S[2];
  double C_R[2];
};

struct alignas(16) StageResult {
  double P_C[2], Q[2], p[2];        // capacitance pressure, inflow, port pressure
  double dP_C[2], dQ[2], dp[2];     // their derivatives by x_dot
  double o_R[2];                    // line flow, out of the capacitance
  double bypass_C[2], bypass_p[2];  // protective flow out of node and port, to tank
  bool bypassing;                   // any of them is not zero
  double force;                     // of the oil alone [N, N m]
  double dforce;                    // by x_dot
};

namespace detail {

// Flow of the protective valves out of a node, and its slope.
struct Bypass {
  double flow, slope;
};
inline Bypass bypass(const StageConstants& k, double P) {
  if (P > k.P_high) return {k.G_high * (P - k.P_high), k.G_high};
  if (P < k.P_low) return {k.G_low * (P - k.P_low), k.G_low};
  return {0.0, 0.0};
}

struct Response {
  double P_C, Q, p;
  double dP_C, dQ, dp;  // by o_R
  double direct;        // of P_C and p by o, at given o_R
  double direct_Q;      // of Q
  double bypass_C;
};

// Capacitance with inflow Q(P_C): g_C and P_star may have been changed by an open protective valve.
inline void solve_node(double g_I, double g_C, double P_star, double Q_star, double P_S, double C_R,
                       double o_R, Response& out) {
  const double b = 1.0 + g_I * g_C;
  const double a = g_I * C_R;
  const double r = Q_star + g_I * (P_S - P_star + g_C * o_R);
  const double root = std::sqrt(b * b + 4.0 * a * std::fabs(r));
  out.Q = 2.0 * r / (b + root);
  out.dQ = g_I * g_C / root;
  out.P_C = P_star + g_C * (out.Q - o_R);
  out.dP_C = g_C * (out.dQ - 1.0);
}

template <LineModel Model>
inline Response respond(const StageConstants& k, const StageInput& in, int s, double o,
                        double o_R) {
  const double R = k.R[s];
  Response out;
  out.bypass_C = 0.0;
  out.direct = out.direct_Q = 0.0;
  if constexpr (Model == LineModel::kFilling) {
    // P_C = P_base + g_C Q - weight g_C o_R, C_R Q|Q| = P_S - P_C
    const double weight = k.side_flow_weight[s];
    const double beside = (weight - 1.0) * k.g_C[s];
    const auto fill = [&](double scale, double P_base) {
      const double g_Q = k.g_C[s] * scale;
      const double g_o = weight * g_Q;
      const double r = in.P_S[s] - P_base + g_o * o_R;
      const double root = std::sqrt(g_Q * g_Q + 4.0 * in.C_R[s] * std::fabs(r));
      const double slope = root > 0.0 ? 1.0 / root : 0.0;  // of Q by r
      out.Q = r != 0.0 ? 2.0 * r / (g_Q + root) : 0.0;
      out.dQ = g_o * slope;
      out.P_C = P_base + g_Q * out.Q - g_o * o_R;
      out.dP_C = g_Q * out.dQ - g_o;
      out.direct = beside * scale * (1.0 - g_Q * slope);
      out.direct_Q = -beside * scale * slope;
    };
    const double P_base = in.P_star[s] + beside * o;
    fill(1.0, P_base);
    if (out.P_C > k.P_high || out.P_C < k.P_low) [[unlikely]] {
      const bool high = out.P_C > k.P_high;
      const double G = high ? k.G_high : k.G_low;
      const double P_0 = high ? k.P_high : k.P_low;
      const double g = weight * k.g_C[s] * G;
      const double scale = 1.0 / (1.0 + g);
      fill(scale, (P_base + g * P_0) * scale);
      out.bypass_C = G * (out.P_C - P_0);
    }
  } else if constexpr (Model == LineModel::kResistive) {
    out.Q = o_R;
    out.dQ = 1.0;
    out.P_C = in.P_S[s] - in.C_R[s] * signed_square(o_R);
    out.dP_C = -2.0 * in.C_R[s] * std::fabs(o_R);
  } else {
    const auto solve = [&](double g_C, double P_star) {
      if constexpr (Model == LineModel::kDynamic) {
        solve_node(k.g_I[s], g_C, P_star, in.Q_star[s], in.P_S[s], in.C_R[s], o_R, out);
      } else {
        out.Q = 0.0;
        out.dQ = 0.0;
        out.P_C = P_star - g_C * o_R;
        out.dP_C = -g_C;
      }
    };
    double g_C = k.g_C[s];
    double P_star = in.P_star[s];
    if constexpr (Model == LineModel::kClosed) {
      // P_C = P_star - g_C (o + weight (o_R - o))
      out.direct = (k.side_flow_weight[s] - 1.0) * g_C;
      P_star += out.direct * o;
      g_C *= k.side_flow_weight[s];
    }
    solve(g_C, P_star);
    if (out.P_C > k.P_high || out.P_C < k.P_low) [[unlikely]] {
      // An open valve with flow G (P - P_0) leaves the form of the node's equation unchanged.
      const bool high = out.P_C > k.P_high;
      const double G = high ? k.G_high : k.G_low;
      const double P_0 = high ? k.P_high : k.P_low;
      const double scale = 1.0 / (1.0 + g_C * G);
      solve(g_C * scale, (P_star + g_C * G * P_0) * scale);
      out.direct *= scale;
      out.bypass_C = G * (out.P_C - P_0);
    }
  }
  if (k.linear_line) {
    out.p = out.P_C - R * o_R;
    out.dp = out.dP_C - R;
  } else {
    out.p = out.P_C - R * signed_square(o_R);
    out.dp = out.dP_C - 2.0 * R * std::fabs(o_R);
  }
  return out;
}

inline void store_side(const StageConstants& k, const Response& r, int s, double o_R, double do_R,
                       StageResult& out) {
  out.P_C[s] = r.P_C;
  out.Q[s] = r.Q;
  out.p[s] = r.p;
  const double direct = r.direct * k.sign_area[s];
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
template <LineModel Model>
inline double port_start(const StageConstants& k, const StageInput& in, int s, double o,
                         double p_other) {
  double P_base, X;  // p = P_base - X o_R - R o_R|o_R|
  double R = k.linear_line ? 0.0 : k.R[s];
  if constexpr (Model == LineModel::kResistive) {
    P_base = in.P_S[s];
    X = 0.0;
    R += in.C_R[s];
  } else {
    const Response r = respond<Model>(k, in, s, o, o);
    X = -r.dP_C;
    P_base = r.P_C + X * o;
  }
  if (k.linear_line) X += k.R[s];
  const double G[3] = {0.0, k.G_high, k.G_low};
  const double P_0[3] = {0.0, k.P_high, k.P_low};
  double p = 0.0;
  for (int region = 0; region < 3; ++region) {
    if (region > 0 && G[region] == 0.0) continue;
    // o_R = flow + slope p
    const double slope = k.leak_internal + k.leak_external[s] + G[region];
    const double flow =
        o - k.leak_internal * p_other - (region > 0 ? G[region] * P_0[region] : 0.0);
    const double o_R = solve_signed_quadratic(slope * R, 1.0 + slope * X, slope * P_base + flow);
    p = P_base - X * o_R - R * signed_square(o_R);
    if (region == 0 && p <= k.P_high && p >= k.P_low) break;
    if (region == 1 && p >= k.P_high) break;
  }
  return p;
}

// A Newton step that would pass the opening point of a protective valve ends there: the slope
// beyond differs by orders of magnitude.
inline double stop_at_kink(const StageConstants& k, double from, double to) {
  constexpr double kJustBeyond = 1e-6;  // Pa
  for (const double kink : {k.P_low, k.P_high}) {
    const double outward = kink == k.P_low ? -kJustBeyond : kJustBeyond;
    const bool was_out = outward < 0.0 ? from < kink : from > kink;
    const bool is_out = outward < 0.0 ? to < kink : to > kink;
    if (was_out != is_out) return is_out ? kink + outward : kink;
  }
  return to;
}

// One port with the other's pressure given. The residual increases with the pressure with a slope
// of at least one, so its value brackets the root; Newton within the bracket.
template <LineModel Model>
inline double solve_port(const StageConstants& k, const StageInput& in, int s, double o,
                         double p_other) {
  double p = port_start<Model>(k, in, s, o, p_other);
  double low = -INFINITY, high = INFINITY;
  for (int i = 0; i < 200; ++i) {
    const Bypass y = bypass(k, p);
    const double slope = k.leak_internal + k.leak_external[s] + y.slope;
    const double o_R = o + k.leak_internal * (p - p_other) + k.leak_external[s] * p + y.flow;
    const Response r = respond<Model>(k, in, s, o, o_R);
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

// Port pressures p with p_s = f_s(o_s + L_s(p)): Newton in two unknowns.
template <LineModel Model>
inline void solve_coupled(const StageConstants& k, const StageInput& in, double x_dot,
                          const double (&p_start)[2], StageResult& out) {
  constexpr int kMaxIterations = 20;
  constexpr double kResolution = 1e-15;
  const double o[2] = {k.sign_area[0] * x_dot, k.sign_area[1] * x_dot};
  double p[2];
  p[0] = port_start<Model>(k, in, 0, o[0], p_start[1]);
  p[1] = port_start<Model>(k, in, 1, o[1], p[0]);
  Response r[2];
  Bypass y[2];
  double o_R[2], Jd[2], Jo[2];
  double inverse_det = 0.0;
  for (int iteration = 0;; ++iteration) {
    double G[2];
    for (int s = 0; s < 2; ++s) {
      y[s] = bypass(k, p[s]);
      o_R[s] = o[s] + k.leak_internal * (p[s] - p[1 - s]) + k.leak_external[s] * p[s] + y[s].flow;
      r[s] = respond<Model>(k, in, s, o[s], o_R[s]);
      G[s] = p[s] - r[s].p;
      Jd[s] = 1.0 - r[s].dp * (k.leak_internal + k.leak_external[s] + y[s].slope);
      Jo[s] = r[s].dp * k.leak_internal;
    }
    inverse_det = 1.0 / (Jd[0] * Jd[1] - Jo[0] * Jo[1]);
    const double next[2] = {
        stop_at_kink(k, p[0], p[0] - (Jd[1] * G[0] - Jo[0] * G[1]) * inverse_det),
        stop_at_kink(k, p[1], p[1] - (Jd[0] * G[1] - Jo[1] * G[0]) * inverse_det)};
    // The residual decides, not the step: an open protective valve turns a step of 1 Pa into a flow
    // that changes the pressure at a nearly closed orifice by bars. The second term is the
    // resolution of the numbers.
    if (std::fabs(G[0]) < k.port_tolerance + kResolution * std::fabs(Jd[0] * p[0]) &&
        std::fabs(G[1]) < k.port_tolerance + kResolution * std::fabs(Jd[1] * p[1]))
      break;
    if (iteration == kMaxIterations) break;
    p[0] = next[0];
    p[1] = next[1];
    if (iteration == kMaxIterations - 1) bisect_ports<Model>(k, in, o, p);
  }
  // dp/dx_dot from the same Jacobian.
  const double f0 = (r[0].dp + r[0].direct) * k.sign_area[0];
  const double f1 = (r[1].dp + r[1].direct) * k.sign_area[1];
  const double dp[2] = {(Jd[1] * f0 - Jo[0] * f1) * inverse_det,
                        (Jd[0] * f1 - Jo[1] * f0) * inverse_det};
  out.force = 0.0;
  out.dforce = 0.0;
  out.bypassing = false;
  for (int s = 0; s < 2; ++s) {
    const double do_R = k.sign_area[s] + k.leak_internal * (dp[s] - dp[1 - s]) +
                        (k.leak_external[s] + y[s].slope) * dp[s];
    store_side(k, r[s], s, o_R[s], do_R, out);
    out.bypass_p[s] = y[s].flow;
    out.bypassing = out.bypassing || y[s].flow != 0.0;
  }
}

// At rest and with no step (g_C = 0) an orifice has no slope: there this stands for its root.
inline constexpr double kBelowAnyRoot = 1e-200;

// The usual case in pairs; false: a protective valve takes part, or is not a number.
inline bool finish_pair(const StageConstants& k, Pair P_C, Pair p, Pair dP_C, Pair dp,
                        bool node_counts, StageResult& out) {
  const Pair force = k.sign_area * p;
  const Pair dforce = k.sign_area * dp;
  store(P_C, out.P_C);
  store(p, out.p);
  store(dP_C, out.dP_C);
  store(dp, out.dp);
  store(Pair{}, out.bypass_C);
  store(Pair{}, out.bypass_p);
  out.bypassing = false;
  out.force = sum(force);
  out.dforce = sum(dforce);
  return within(p, node_counts ? P_C : p, k.low, k.high);
}

// Closed valve, linear lines with leakage, no protective valve open: everything is linear.
inline bool solve_closed_linear(const StageConstants& k, const StageInput& in, double x_dot,
                                StageResult& out) {
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
  return finish_pair(k, P_star - k.g_C * (o + k.side_flow_weight * leak), p,
                     -k.g_C * (k.sign_area + k.side_flow_weight * dleak), dp, true, out);
}

// No leakage, no protective valve open: each line by itself.
template <LineModel Model>
inline bool solve_apart(const StageConstants& k, const StageInput& in, double x_dot,
                        StageResult& out) {
  const Pair o = k.sign_area * x_dot;
  Pair Q, dQ, P_C, dP_C, direct{};  // slopes by o
  if constexpr (Model == LineModel::kResistive) {
    const Pair C_R = load(in.C_R);
    Q = o;
    dQ = both(1.0);
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
  return finish_pair(k, P_C, p, dP_C * k.sign_area + direct, dp * k.sign_area + direct,
                     Model != LineModel::kResistive, out);
}

// Slopes of the protective valves that are open at P, and the flow G P_0 that they would take in at P = 0.
struct BypassPair {
  Pair G{}, G_P_0{};
};
inline BypassPair bypass_pair(const StageConstants& k, Pair P) {
  BypassPair out;
  if (within(P, P, k.low, k.high)) [[likely]]
    return out;
  for (int s = 0; s < 2; ++s) {
    const Bypass y = bypass(k, P[s]);
    out.G[s] = y.slope;
    out.G_P_0[s] = y.slope * P[s] - y.flow;
  }
  return out;
}

// The capacitances of both lines with their orifices and protective valves. B: pressure without the flow Q
// and without protective valve.
struct ResponsePair {
  Pair P_C, Q;
  Pair dP_C, dQ;  // by B
  Pair bypass_C;
};
template <LineModel Model>
inline ResponsePair respond_pair(const StageConstants& k, const StageInput& in, Pair g_o, Pair B) {
  ResponsePair out;
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
  fill(both(1.0), B);
  out.bypass_C = Pair{};
  if (!within(out.P_C, out.P_C, k.low, k.high)) [[unlikely]] {
    const BypassPair y = bypass_pair(k, out.P_C);
    const Pair scale = 1.0 / (1.0 + g_o * y.G);
    fill(scale, (B + g_o * y.G_P_0) * scale);
    out.bypass_C = y.G * out.P_C - y.G_P_0;
  }
  return out;
}

// Both ports by Newton from those of the last evaluation, leakage and protective valves included: they are
// slow within a step, or remain as they were, so that two evaluations usually do. False where eight do not.
template <LineModel Model>
inline bool solve_ports(const StageConstants& k, const StageInput& in, double x_dot,
                        const double (&p_start)[2], StageResult& out) {
  constexpr int kMaxIterations = 8;
  constexpr double kResolution = 1e-15;
  const Pair o = k.sign_area * x_dot;
  const Pair g_o = k.side_flow_weight * k.g_C;  // of leakage
  const Pair B_0 = load(in.P_star) - k.g_C * o;
  const Pair leak_slope = k.leak_internal + k.leak_external;
  Pair p = load(p_start);
  for (int i = 0; i < kMaxIterations; ++i) {
    const BypassPair y = bypass_pair(k, p);
    const Pair bypass_p = y.G * p - y.G_P_0;
    const Pair leak = k.leak_internal * (p - swapped(p)) + k.leak_external * p + bypass_p;
    const Pair o_R = o + leak;
    const ResponsePair r = respond_pair<Model>(k, in, g_o, B_0 - g_o * leak);
    const Pair drop = k.linear_line ? k.R * o_R : k.R * signed_square(o_R);
    const Pair R = k.linear_line ? k.R : 2.0 * k.R * abs(o_R);
    const Pair left = p - r.P_C + drop;
    const Pair dp_leak = -g_o * r.dP_C - R;
    const Pair own = 1.0 - dp_leak * (leak_slope + y.G);
    const Pair other = dp_leak * k.leak_internal;
    const double inverse_det = 1.0 / (own[0] * own[1] - other[0] * other[1]);
    const auto solve = [&](Pair f) {
      return (swapped(own) * f - other * swapped(f)) * inverse_det;
    };
    const Pair allowed = k.port_tolerance + kResolution * abs(own * p);
    if (!within(left, left, -allowed, allowed)) {
      p -= solve(left);
      continue;
    }
    const Pair dp = solve((-k.g_C * r.dP_C - R) * k.sign_area);
    const Pair dleak = k.leak_internal * (dp - swapped(dp)) + (k.leak_external + y.G) * dp;
    const Pair dB = -(k.g_C * k.sign_area + g_o * dleak);
    finish_pair(k, r.P_C, r.P_C - drop, r.dP_C * dB, dp, true, out);
    store(r.Q, out.Q);
    store(r.dQ * dB, out.dQ);
    store(o_R, out.o_R);
    store(r.bypass_C, out.bypass_C);
    store(bypass_p, out.bypass_p);
    const Pair any = abs(r.bypass_C) + abs(bypass_p);
    out.bypassing = sum(any) != 0.0;
    return true;
  }
  return false;
}

template <LineModel Model>
inline void evaluate(const StageConstants& k, const StageInput& in, double x_dot,
                     const double (&p_start)[2], StageResult& out) {
  if constexpr (Model == LineModel::kClosed)
    if (k.coupled && k.linear_line && solve_closed_linear(k, in, x_dot, out)) return;
  if constexpr (Model == LineModel::kFilling)
    if (k.coupled && solve_ports<Model>(k, in, x_dot, p_start, out)) return;
  if (!k.coupled) [[likely]] {
    if (solve_apart<Model>(k, in, x_dot, out)) [[likely]]
      return;
    if constexpr (Model == LineModel::kFilling)
      if (solve_ports<Model>(k, in, x_dot, p_start, out)) return;
    const double o0 = k.sign_area[0] * x_dot;
    const double o1 = k.sign_area[1] * x_dot;
    const Response r0 = respond<Model>(k, in, 0, o0, o0);
    const Response r1 = respond<Model>(k, in, 1, o1, o1);
    if (r0.p <= k.P_high && r0.p >= k.P_low && r1.p <= k.P_high && r1.p >= k.P_low) {
      out.force = 0.0;
      out.dforce = 0.0;
      out.bypassing = false;
      store_side(k, r0, 0, o0, k.sign_area[0], out);
      store_side(k, r1, 1, o1, k.sign_area[1], out);
      return;
    }
  }
  solve_coupled<Model>(k, in, x_dot, p_start, out);
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
inline double residual_flow(double P_S, double P_C, double C_R) {
  const double dP = P_S - P_C;
  return std::copysign(std::sqrt(std::fabs(dP) / C_R), dP);
}

}  // namespace knuckleboom::hydraulics
