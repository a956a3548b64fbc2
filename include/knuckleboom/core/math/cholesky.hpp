// Factor and solve for the small symmetric positive systems of a tick.
#pragma once

namespace knuckleboom {

namespace detail {

// L D L^T without square roots. Size > 0: number of unknowns known when compiling, so that the loops
// unroll; 0: n counts.
template <int Size, int Stride>
inline bool solve_positive_definite(int n_given, double (*A)[Stride], double* b) {
  const int n = Size > 0 ? Size : n_given;
  constexpr int kRows = Size > 0 ? Size : Stride;
  double inverse[kRows] = {};  // zeros only to silence g++, which cannot follow the order of the
                               // loops
  double scaled[kRows];
  for (int j = 0; j < n; ++j) {
    double d = A[j][j];
    for (int k = 0; k < j; ++k) {
      scaled[k] = A[j][k];
      A[j][k] = scaled[k] * inverse[k];
      d -= A[j][k] * scaled[k];
    }
    if (!(d > 0.0)) return false;
    inverse[j] = 1.0 / d;
    for (int i = j + 1; i < n; ++i) {
      double s = A[i][j];
      for (int k = 0; k < j; ++k) s -= A[i][k] * A[j][k];
      A[i][j] = s;
    }
  }
  for (int i = 0; i < n; ++i) {
    double s = b[i];
    for (int k = 0; k < i; ++k) s -= A[i][k] * b[k];
    b[i] = s;
  }
  for (int i = n - 1; i >= 0; --i) {
    double s = b[i] * inverse[i];
    for (int k = i + 1; k < n; ++k) s -= A[k][i] * b[k];
    b[i] = s;
  }
  return true;
}

}  // namespace detail

// Solves A x = b in place (b becomes x). A is row-major with row length Stride; its lower half is read
// and overwritten. Returns false if A is not positive definite.
template <int Stride>
inline bool solve_positive_definite(int n, double (*A)[Stride], double* b) {
  switch (n) {
    case 1:
      return detail::solve_positive_definite<1, Stride>(n, A, b);
    case 2:
      return detail::solve_positive_definite<2, Stride>(n, A, b);
    case 3:
      return detail::solve_positive_definite<3, Stride>(n, A, b);
    case 4:
      return detail::solve_positive_definite<4, Stride>(n, A, b);
    case 5:
      return detail::solve_positive_definite<5, Stride>(n, A, b);
    case 6:
      return detail::solve_positive_definite<6, Stride>(n, A, b);
    default:
      return detail::solve_positive_definite<0, Stride>(n, A, b);
  }
}

// Entry (i, i) of the inverse of a positive definite A, of which the lower half is read.
template <int Stride>
inline double inverse_diagonal(int n, const double (*A)[Stride], int i) {
  if (n == 3) {
    const int j = i == 0 ? 1 : 0;
    const int k = i == 2 ? 1 : 2;  // j < k
    const double minor = A[j][j] * A[k][k] - A[k][j] * A[k][j];
    const double det = A[0][0] * (A[1][1] * A[2][2] - A[2][1] * A[2][1]) -
                       A[1][0] * (A[1][0] * A[2][2] - A[2][1] * A[2][0]) +
                       A[2][0] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
    return minor / det;
  }
  double copy[Stride][Stride];
  double b[Stride] = {};
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) copy[r][c] = A[r][c];
  b[i] = 1.0;
  solve_positive_definite<Stride>(n, copy, b);
  return b[i];
}

}  // namespace knuckleboom
