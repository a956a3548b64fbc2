// Newton's method for the joint speeds of one implicit stage:
//   (M / g) (v - v_star) + bias = tau(v),  tau_i depending on v_i alone.
// tau falls with v (valves and friction resist), so the problem is convex and has one solution.
#pragma once

#include <cmath>

#include "knuckleboom/core/math/cholesky.hpp"

namespace knuckleboom::integration {

struct NewtonReport {
  int iterations;
  bool converged;
};

inline constexpr int kMaxNewtonIterations = 40;

// M_g: M / g, row length Stride. law(v, tau, dtau) fills n entries. held[i]: v_i is given and stays;
// the row is left out, and its acceleration does not act on the others (may be null). On return v is
// the solution and step the last Newton step, by which the law's last evaluation point lies behind it.
template <int Stride, class Law>
NewtonReport solve_joint_speeds(int n, const double (*M_g)[Stride], const double* v_star,
                                const double* bias, const bool* held, double tolerance, double* v,
                                double* step, Law&& law) {
  double tau[Stride];
  double dtau[Stride];
  double A[Stride][Stride];
  double last = INFINITY;
  for (int iteration = 1; iteration <= kMaxNewtonIterations; ++iteration) {
    law(v, tau, dtau);
    double d[Stride];
    for (int i = 0; i < n; ++i) d[i] = v[i] - v_star[i];
    if (held != nullptr)
      for (int i = 0; i < n; ++i)
        if (held[i]) d[i] = 0.0;
    for (int i = 0; i < n; ++i) {
      double residual = bias[i] - tau[i];
      for (int j = 0; j < n; ++j) residual += M_g[i][j] * d[j];
      step[i] = -residual;
      for (int j = 0; j < i; ++j) A[i][j] = M_g[i][j];
      A[i][i] = M_g[i][i] - dtau[i];
    }
    if (held != nullptr) {
      for (int i = 0; i < n; ++i) {
        if (!held[i]) continue;
        step[i] = 0.0;
        for (int j = 0; j < n; ++j) (j < i ? A[i][j] : A[j][i]) = 0.0;
        A[i][i] = 1.0;
      }
    }
    if (!solve_positive_definite<Stride>(n, A, step)) return {iteration, false};
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = std::fmax(size, std::fabs(step[i]));
    if (!(size < INFINITY)) return {iteration, false};
    // Slope changes (protective valves, cushions) can make Newton hop to and fro; a half step ends that.
    if (iteration > 6 && size > 0.5 * last)
      for (int i = 0; i < n; ++i) step[i] *= 0.5;
    last = size;
    for (int i = 0; i < n; ++i) v[i] += step[i];
    if (size <= tolerance) return {iteration, true};
  }
  return {kMaxNewtonIterations, false};
}

}  // namespace knuckleboom::integration
