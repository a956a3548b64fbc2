// Errors relative to size, over whole vectors or matrices.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::test {

template <class A, class B>
double relative_error(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  const double scale = std::max(a.norm(), b.norm());
  return scale > 0.0 ? (a - b).norm() / scale : 0.0;
}

// NaN must fail a test, and std::max would drop it.
inline void keep_worst(double& worst, double error) {
  if (!(error <= worst)) worst = error;
}

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxLinks, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxLinks, kMaxLinks>;

inline Vector to_vector(const double* x, int n) { return Eigen::Map<const Eigen::VectorXd>(x, n); }

inline Matrix to_matrix(const double (&M)[kMaxLinks][kMaxLinks], int n) {
  Matrix out(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out(i, j) = M[i][j];
  return out;
}

}  // namespace knuckleboom::test
