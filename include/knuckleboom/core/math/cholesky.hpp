// Factor and solve for the small symmetric positive systems of a tick.
#pragma once

#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom {

namespace detail {

// L D L^T without square roots, over the lower half of A; inverse: of D. Size > 0: number of unknowns known
// when compiling, so that the loops unroll; 0: n counts.
template <int Size, int Stride, class T>
inline MaskOf<T> factor(int n_given, T (*A)[Stride], T* inverse) {
  const int n = Size > 0 ? Size : n_given;
  T scaled[Size > 0 ? Size : Stride];
  const T zero = 0.0;
  MaskOf<T> sound = zero == zero;  // nothing is wrong with no unknowns
  for (int j = 0; j < n; ++j) {
    T d = A[j][j];
    for (int k = 0; k < j; ++k) {
      scaled[k] = A[j][k];
      A[j][k] = scaled[k] * inverse[k];
      d -= A[j][k] * scaled[k];
    }
    const MaskOf<T> positive = d > 0.0;
    sound = sound & positive;
    if (!any(sound)) return sound;
    inverse[j] = 1.0 / d;
    for (int i = j + 1; i < n; ++i) {
      T s = A[i][j];
      for (int k = 0; k < j; ++k) s -= A[i][k] * A[j][k];
      A[i][j] = s;
    }
  }
  return sound;
}

// b becomes x of A x = b, as far down as row `last`; b is zero above row `first`.
template <int Size, int Stride, class T>
inline void solve_factored(int n_given, const T (*A)[Stride], const T* inverse, T* b, int first = 0,
                           int last = 0) {
  const int n = Size > 0 ? Size : n_given;
  for (int i = first; i < n; ++i) {
    T s = b[i];
    for (int k = first; k < i; ++k) s -= A[i][k] * b[k];
    b[i] = s;
  }
  for (int i = n - 1; i >= last; --i) {
    T s = b[i] * inverse[i];
    for (int k = i + 1; k < n; ++k) s -= A[k][i] * b[k];
    b[i] = s;
  }
}

template <int Size, int Stride, class T>
inline MaskOf<T> solve_positive_definite(int n, T (*A)[Stride], T* b) {
  T inverse[Size > 0 ? Size : Stride] = {};  // zeros only to calm g++, which loses the loops' order
  const MaskOf<T> sound = factor<Size>(n, A, inverse);
  if (!any(sound)) return sound;
  solve_factored<Size, Stride, T>(n, A, inverse, b);
  return sound;
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

// Entries (i, i) of the inverse of a positive definite A, of which the lower half is read; factored once.
template <int Stride>
class InverseDiagonal {
 public:
  InverseDiagonal(int n, const double (*A)[Stride]) : n_(n), A_(A) {}

  double operator()(int i) {
    if (n_ == 3) {
      const auto& A = A_;
      const int j = i == 0 ? 1 : 0;
      const int k = i == 2 ? 1 : 2;  // j < k
      const double minor = A[j][j] * A[k][k] - A[k][j] * A[k][j];
      const double det = A[0][0] * (A[1][1] * A[2][2] - A[2][1] * A[2][1]) -
                         A[1][0] * (A[1][0] * A[2][2] - A[2][1] * A[2][0]) +
                         A[2][0] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
      return minor / det;
    }
    if (!factored_) {
      for (int r = 0; r < n_; ++r)
        for (int c = 0; c <= r; ++c) copy_[r][c] = A_[r][c];
      sound_ = detail::factor<0>(n_, copy_, inverse_);
      factored_ = true;
    }
    double b[Stride] = {};
    b[i] = 1.0;
    if (sound_) detail::solve_factored<0>(n_, copy_, inverse_, b, i, i);
    return b[i];
  }

 private:
  int n_;
  const double (*A_)[Stride];
  bool factored_ = false, sound_ = false;
  double copy_[Stride][Stride], inverse_[Stride];
};

}  // namespace knuckleboom
