// Sine and cosine with the same bits on every x86-64 processor.
//
// The C library selects a fused-multiply variant at run time, so its results differ between
// processor types. These use only IEEE add and multiply: the bits depend on the argument alone.
#pragma once

#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom {

template <class T>
struct BasicSinCos {
  T sin;
  T cos;
};
using SinCos = BasicSinCos<double>;

// Argument in rad. Absolute error below 2.3e-16 for |x| <= 1e5 (checked against long double in the
// tests). The argument is not checked, for speed: beyond 1.6e6 the error grows (1e-7 at 1e9), from
// 1e16 on the result is meaningless and may leave [-1, 1]; NaN and infinity give NaN.
template <class T>
inline BasicSinCos<T> sin_cos(T x) {
  // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer without a branch.
  constexpr double kRound = 6755399441055744.0;
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  // pi/2 in three parts of 33, 33 and 53 bits: n times the first two is exact (Cody and Waite).
  constexpr double kHalfPiHigh = 0x1.921fb544p+0;
  constexpr double kHalfPiMid = 0x1.0b4611a6p-34;
  constexpr double kHalfPiLow = 0x1.3198a2e037073p-69;
  const T rounded = x * kTwoOverPi + kRound;
  const T n = rounded - kRound;
  const T r = ((x - n * kHalfPiHigh) - n * kHalfPiMid) - n * kHalfPiLow;
  const T z = r * r;
  // Taylor series about 0 on |r| <= pi/4; the first term left out is below 1e-19.
  const T s =
      r + r * z *
              (-1.0 / 6.0 +
               z * (1.0 / 120.0 +
                    z * (-1.0 / 5040.0 +
                         z * (1.0 / 362880.0 + z * (-1.0 / 39916800.0 +
                                                    z * (1.0 / 6227020800.0 +
                                                         z * (-1.0 / 1307674368000.0 +
                                                              z * (1.0 / 355687428096000.0))))))));
  const T c = 1.0 - 0.5 * z +
              z * z *
                  (1.0 / 24.0 +
                   z * (-1.0 / 720.0 +
                        z * (1.0 / 40320.0 +
                             z * (-1.0 / 3628800.0 +
                                  z * (1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 +
                                                                z * (1.0 / 20922789888000.0)))))));
  if constexpr (kIsLanes<T>) {
    // The sum's lowest bits are those of the integer.
    const MaskOf<T> odd = bit_of(rounded, 0);
    const MaskOf<T> upper = bit_of(rounded, 1);
    const T a = select(odd, c, s);
    const T b = select(odd, s, c);
    return {select(upper, -a, a), select(odd ^ upper, -b, b)};
  } else {
    const int quadrant = static_cast<int>(static_cast<long long>(n) & 3);
    const bool swap = (quadrant & 1) != 0;
    const double a = swap ? c : s;
    const double b = swap ? s : c;
    return {(quadrant & 2) != 0 ? -a : a, quadrant == 1 || quadrant == 2 ? -b : b};
  }
}

}  // namespace knuckleboom
