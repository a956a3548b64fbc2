// Newton's method for the joint speeds of one implicit stage:
//   M_g (v - v_start) + bias = tau(v),   M_g = M / g,
// tau_i depending on v_i alone, or (kDense) with a symmetric slope across joints. tau decreases
// with v (valves, friction and stops resist), so the residual is the gradient of a convex function:
// there is one solution, and a line search along Newton's direction always finds it.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "knuckleboom/core/math/cholesky.hpp"

namespace knuckleboom::integration {

struct NewtonReport {
  int iterations;  // evaluations of the law
  bool converged;
};

inline constexpr int kMaxNewtonIterations = 100;
// The last Newton step of every joint is below kCoarse and below kRelative of its speed (or kFine):
// the remaining error is at most the step's square over twice the speed (an orifice's parabola).
inline constexpr double kCoarse = 1e-5;  // rad/s, m/s
inline constexpr double kFine = 1e-7;
inline constexpr double kRelative = 1e-2;
// Where the law's steepest slope is known, the error is at most that slope's share of the inertia's times the
// step, wherever the law bends, and times half the step over the speed on a parabola.
inline constexpr double kErrorAtBend = 1e-6;
inline constexpr double kErrorOnParabola =
    0.5 * kCoarse * kRelative;  // times the speed over the step
// Line search: remaining slope along the step, relative to its start, and width of the final
// bracket.
inline constexpr double kOvershoot = 0.5;
inline constexpr double kNarrow = 1e-3;

namespace detail {

// Slopes of the law: one for each joint, or a matrix of which the lower half is used.
template <int Stride>
inline double slope_at(const double (&dtau)[Stride], int i, int j) {
  return i == j ? dtau[i] : 0.0;
}
template <int Stride>
inline double slope_at(const double (&dtau)[Stride][Stride], int i, int j) {
  return dtau[i][j];
}

// Whether a joint's Newton step is its last. v: after it; M_g, slope: of the inertia, of the law.
template <class T>
inline MaskOf<T> is_last(T step, T v) {
  const T size = abs(step);
  return size <= kCoarse && (size <= kFine || size <= kRelative * abs(v));
}
template <class T>
inline MaskOf<T> is_last(T step, T v, T M_g, T slope) {
  const T size = abs(step);
  const T left = slope * size;
  return size <= kFine ||
         (left <= kErrorAtBend * M_g && 0.5 * left * size <= kErrorOnParabola * M_g * abs(v));
}

// Size > 0: number of joints known when compiling; 0: n_given counts.
template <int Size, int Stride, bool kDense = false, class Law>
NewtonReport solve_joint_speeds(int n_given, const double (*M_g)[Stride], const double* v_start,
                                const double* bias, const bool* held, double* v, Law& law,
                                const double* steepest = nullptr) {
  const int n = Size > 0 ? Size : n_given;
  double tau[Stride];
  std::conditional_t<kDense, double[Stride][Stride], double[Stride]> dtau;
  double residual[Stride];
  double step[Stride];
  double A[Stride][Stride];
  double slope_start = 0.0;  // of the convex function along the step, at its start: negative
  double fraction = 1.0;
  struct {
    double low, high, slope_low;
  } search{0.0, 1.0, 0.0};  // along the step, in fractions of it
  for (int iteration = 1; iteration <= kMaxNewtonIterations; ++iteration) {
    for (int i = 0; i < n; ++i) {
      tau[i] = 0.0;
      if constexpr (kDense) {
        for (int j = 0; j <= i; ++j) dtau[i][j] = 0.0;
      } else {
        dtau[i] = 0.0;
      }
    }
    law(v, tau, dtau);
    for (int i = 0; i < n; ++i) {
      double sum = bias[i] - tau[i];
      for (int j = 0; j < n; ++j) sum += M_g[i][j] * (v[j] - v_start[j]);
      residual[i] = sum;
    }
    if (held != nullptr) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
          if (held[j]) residual[i] -= M_g[i][j] * (v[j] - v_start[j]);
        if (held[i]) residual[i] = 0.0;
      }
    }
    if (iteration > 1) {
      double slope = 0.0;
      for (int i = 0; i < n; ++i) slope += residual[i] * step[i];
      if (slope > -kOvershoot * slope_start && slope_start < 0.0 &&
          search.high - search.low > kNarrow) {
        // Past the minimum and steeply up again: back to the secant's estimate of it. At a kink the
        // bracket shrinks onto it, and Newton continues with the slope beyond.
        search.high = fraction;
        const double share = std::clamp(search.slope_low / (search.slope_low - slope), 0.1, 0.9);
        const double to = search.low + (search.high - search.low) * share;
        for (int i = 0; i < n; ++i) v[i] += (to - fraction) * step[i];
        fraction = to;
        continue;
      }
      if (slope < kOvershoot * slope_start && fraction < 1.0 &&
          search.high - search.low > kNarrow) {
        // Too far back: the minimum is in between.
        search.low = fraction;
        search.slope_low = slope;
        const double to = 0.5 * (search.low + search.high);
        for (int i = 0; i < n; ++i) v[i] += (to - fraction) * step[i];
        fraction = to;
        continue;
      }
    }
    for (int i = 0; i < n; ++i) {
      step[i] = -residual[i];
      for (int j = 0; j < i; ++j) {
        A[i][j] = M_g[i][j];
        if constexpr (kDense) A[i][j] -= dtau[i][j];
      }
      A[i][i] = M_g[i][i] - slope_at<Stride>(dtau, i, i);
    }
    if (held != nullptr) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j)
          if (held[i] || held[j]) A[i][j] = 0.0;
        if (held[i]) A[i][i] = 1.0;
      }
    }
    if (!knuckleboom::detail::solve_positive_definite<Size, Stride>(n, A, step))
      return {iteration, false};
    bool close = true;
    slope_start = 0.0;
    fraction = 1.0;
    for (int i = 0; i < n; ++i) {
      v[i] += step[i];
      slope_start += residual[i] * step[i];
      close = close && (steepest == nullptr ? is_last(step[i], v[i])
                                            : is_last(step[i], v[i], M_g[i][i],
                                                      steepest[i] - slope_at<Stride>(dtau, i, i)));
    }
    search = {0.0, 1.0, slope_start};
    if (close) return {iteration, true};
    if (!(slope_start <= 0.0)) return {iteration, false};  // not a number
  }
  return {kMaxNewtonIterations, false};
}

}  // namespace detail

// Row length Stride. law(v, tau, dtau) adds to n entries that are zero. held[i] (may be null): v_i is
// given and fixed; its row is left out and its acceleration does not act on the others. On return v is
// the solution; the law was last evaluated up to one accepted Newton step before it. steepest[i] (null: not
// known): what -dtau_i can be at most at a speed nearby, beside what it is.
template <int Stride, class Law>
NewtonReport solve_joint_speeds(int n, const double (*M_g)[Stride], const double* v_start,
                                const double* bias, const bool* held, double* v, Law&& law,
                                const double* steepest = nullptr) {
  switch (n) {
    case 3:
      return detail::solve_joint_speeds<3, Stride>(n, M_g, v_start, bias, held, v, law, steepest);
    case 5:
      return detail::solve_joint_speeds<5, Stride>(n, M_g, v_start, bias, held, v, law, steepest);
    case 6:
      return detail::solve_joint_speeds<6, Stride>(n, M_g, v_start, bias, held, v, law, steepest);
    default:
      return detail::solve_joint_speeds<0, Stride>(n, M_g, v_start, bias, held, v, law, steepest);
  }
}

// The same for a law whose force on one joint also changes with the others' speeds: law(v, tau, dtau) with
// dtau[i][j] = d tau_i / d v_j, symmetric; the lower half counts.
template <int Stride, class Law>
NewtonReport solve_dense_joint_speeds(int n, const double (*M_g)[Stride], const double* v_start,
                                      const double* bias, const bool* held, double* v, Law&& law) {
  return detail::solve_joint_speeds<0, Stride, true>(n, M_g, v_start, bias, held, v, law);
}

}  // namespace knuckleboom::integration
