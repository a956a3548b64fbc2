// Cholesky factor and solve for the small symmetric positive systems of a tick.
#pragma once

#include <cmath>

namespace knuckleboom {

// Solves A x = b in place (b becomes x). A is row-major with row length Stride; its lower half is read
// and overwritten by the factor. Returns false if A is not positive definite.
template <int Stride>
inline bool solve_positive_definite(int n, double (*A)[Stride], double* b) {
  for (int j = 0; j < n; ++j) {
    double d = A[j][j];
    for (int k = 0; k < j; ++k) d -= A[j][k] * A[j][k];
    if (!(d > 0.0)) return false;
    const double inverse = 1.0 / std::sqrt(d);
    A[j][j] = inverse;  // the reciprocal serves both solves
    for (int i = j + 1; i < n; ++i) {
      double s = A[i][j];
      for (int k = 0; k < j; ++k) s -= A[i][k] * A[j][k];
      A[i][j] = s * inverse;
    }
  }
  for (int i = 0; i < n; ++i) {
    double s = b[i];
    for (int k = 0; k < i; ++k) s -= A[i][k] * b[k];
    b[i] = s * A[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    double s = b[i];
    for (int k = i + 1; k < n; ++k) s -= A[k][i] * b[k];
    b[i] = s * A[i][i];
  }
  return true;
}

}  // namespace knuckleboom
