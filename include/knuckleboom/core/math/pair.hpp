// Two numbers side by side, such as those of a circuit's two lines: one instruction does for both, on every
// x86-64 processor. Each lane gets the bits that the single operation gives.
#pragma once

#include <cmath>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace knuckleboom {

// Arithmetic and p[lane] are the compiler's (g++, clang).
using Pair = double __attribute__((vector_size(16)));
using PairBits = long long __attribute__((vector_size(16)));

inline Pair both(double x) { return Pair{x, x}; }
inline Pair load(const double (&x)[2]) {
  Pair p;
  std::memcpy(&p, x, sizeof p);
  return p;
}
inline void store(Pair p, double (&x)[2]) { std::memcpy(x, &p, sizeof p); }
inline Pair swapped(Pair p) { return Pair{p[1], p[0]}; }
inline double sum(Pair p) { return p[0] + p[1]; }

inline Pair abs(Pair p) {
  constexpr long long kAllButSign = 0x7fffffffffffffff;
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(p) & PairBits{kAllButSign, kAllButSign});
}

// p, which is not negative, with the signs of `of`.
inline Pair with_sign(Pair p, Pair of) {
  constexpr long long kSign = -0x7fffffffffffffff - 1;
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(p) |
                                (reinterpret_cast<PairBits>(of) & PairBits{kSign, kSign}));
}

inline Pair sqrt(Pair p) {
#ifdef __SSE2__
  return _mm_sqrt_pd(p);
#else
  return Pair{std::sqrt(p[0]), std::sqrt(p[1])};
#endif
}

// Whether both lanes of a and b lie within those of low and high.
inline bool within(Pair a, Pair b, Pair low, Pair high) {
#ifdef __SSE2__
  return _mm_movemask_pd(_mm_and_pd(_mm_cmpge_pd(_mm_min_pd(a, b), low),
                                    _mm_cmple_pd(_mm_max_pd(a, b), high))) == 3;
#else
  const PairBits is = (a >= low) & (a <= high) & (b >= low) & (b <= high);
  return (is[0] & is[1]) != 0;
#endif
}

// x|x|.
inline Pair signed_square(Pair x) { return x * abs(x); }

}  // namespace knuckleboom
