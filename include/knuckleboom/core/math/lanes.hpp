// One number of each of several machines side by side: one instruction does for all of them. Each lane gets the
// bits that the single operation gives, so that a formula written once, over a type of number, serves the single
// machine (double, Pair) and the lanes alike. Conditions are masks; those of the single machine are bool.
// docs/theory/batch.md
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "knuckleboom/core/math/pair.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace knuckleboom {

#define KB_LANES __attribute__((always_inline)) inline

namespace detail {
template <int N>
struct Vectors {
  using Numbers [[gnu::vector_size(8 * N), gnu::may_alias]] = double;
  using Bits [[gnu::vector_size(8 * N), gnu::may_alias]] = long long;
};
}  // namespace detail

// Which lanes: all bits of a lane, or none.
template <int N>
struct Mask {
  typename detail::Vectors<N>::Bits bits;

  KB_LANES friend Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
  KB_LANES friend Mask operator&&(Mask a, Mask b) {
    return a & b;
  }  // NOLINT: of bool it may stop half-way
  KB_LANES friend Mask operator||(Mask a, Mask b) { return a | b; }  // NOLINT
  KB_LANES friend Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
  KB_LANES friend Mask operator^(Mask a, Mask b) { return {a.bits ^ b.bits}; }
  KB_LANES friend Mask operator!(Mask a) { return {~a.bits}; }
  // One bit for each lane.
  KB_LANES unsigned word() const {
#if defined(__AVX__)
    if constexpr (N == 4)
      return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(bits)));
#endif
#if defined(__SSE2__)
    if constexpr (N == 2)
      return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(bits)));
#endif
    unsigned word = 0;
    for (int i = 0; i < N; ++i) word |= bits[i] != 0 ? 1U << i : 0U;
    return word;
  }
  KB_LANES static Mask of(unsigned word) {
    Mask out;
    for (int i = 0; i < N; ++i) out.bits[i] = (word >> i & 1U) != 0 ? -1 : 0;
    return out;
  }
};

#if defined(__AVX512F__) && defined(__AVX512DQ__)
template <>
struct Mask<8> {
  __mmask8 bits;

  KB_LANES friend Mask operator&(Mask a, Mask b) { return {_kand_mask8(a.bits, b.bits)}; }
  KB_LANES friend Mask operator&&(Mask a, Mask b) {
    return a & b;
  }  // NOLINT: of bool it may stop half-way
  KB_LANES friend Mask operator||(Mask a, Mask b) { return a | b; }  // NOLINT
  KB_LANES friend Mask operator|(Mask a, Mask b) { return {_kor_mask8(a.bits, b.bits)}; }
  KB_LANES friend Mask operator^(Mask a, Mask b) { return {_kxor_mask8(a.bits, b.bits)}; }
  KB_LANES friend Mask operator!(Mask a) { return {_knot_mask8(a.bits)}; }
  KB_LANES unsigned word() const { return bits; }
  KB_LANES static Mask of(unsigned word) { return {static_cast<__mmask8>(word)}; }
};
#define KB_LANES_OF_AVX512 1
#endif

template <int N>
struct Lanes {
  using Vector = typename detail::Vectors<N>::Numbers;
  using Bits = typename detail::Vectors<N>::Bits;
  Vector v;

  Lanes() = default;
  KB_LANES Lanes(Vector x) : v(x) {}             // NOLINT
  KB_LANES Lanes(double x) : v(Vector{} + x) {}  // NOLINT, the same for all (x is never -0)
  KB_LANES double operator[](int lane) const { return v[lane]; }
  KB_LANES void set(int lane, double x) { v[lane] = x; }

  KB_LANES friend Lanes operator+(Lanes a, Lanes b) { return {a.v + b.v}; }
  KB_LANES friend Lanes operator-(Lanes a, Lanes b) { return {a.v - b.v}; }
  KB_LANES friend Lanes operator*(Lanes a, Lanes b) { return {a.v * b.v}; }
  KB_LANES friend Lanes operator/(Lanes a, Lanes b) { return {a.v / b.v}; }
  KB_LANES friend Lanes operator-(Lanes a) { return {-a.v}; }
  KB_LANES Lanes& operator+=(Lanes b) { return *this = *this + b; }
  KB_LANES Lanes& operator-=(Lanes b) { return *this = *this - b; }
  KB_LANES Lanes& operator*=(Lanes b) { return *this = *this * b; }
#ifdef KB_LANES_OF_AVX512
#define KB_COMPARE(op, code)                                                                     \
  KB_LANES friend Mask<N> operator op(Lanes a, Lanes b) {                                        \
    if constexpr (N == 8)                                                                        \
      return {_mm512_cmp_pd_mask(reinterpret_cast<__m512d>(a.v), reinterpret_cast<__m512d>(b.v), \
                                 code)};                                                         \
    else                                                                                         \
      return {a.v op b.v};                                                                       \
  }
#else
#define KB_COMPARE(op, code) \
  KB_LANES friend Mask<N> operator op(Lanes a, Lanes b) { return {a.v op b.v}; }
#endif
  KB_COMPARE(<, _CMP_LT_OQ)
  KB_COMPARE(>, _CMP_GT_OQ)
  KB_COMPARE(<=, _CMP_LE_OQ)
  KB_COMPARE(>=, _CMP_GE_OQ)
  KB_COMPARE(==, _CMP_EQ_OQ)
  KB_COMPARE(!=, _CMP_NEQ_UQ)
#undef KB_COMPARE
};

template <int N>
KB_LANES Lanes<N> select(Mask<N> is, Lanes<N> a, std::type_identity_t<Lanes<N>> b) {
#ifdef KB_LANES_OF_AVX512
  if constexpr (N == 8)
    return {reinterpret_cast<typename Lanes<N>::Vector>(_mm512_mask_blend_pd(
        is.bits, reinterpret_cast<__m512d>(b.v), reinterpret_cast<__m512d>(a.v)))};
  else
#endif
    return {is.bits ? a.v : b.v};
}
template <int N>
KB_LANES bool any(Mask<N> is) {
  return is.word() != 0;
}
template <int N>
KB_LANES bool all(Mask<N> is) {
  return is.word() == (1U << N) - 1U;
}
template <int N>
KB_LANES Lanes<N> abs(Lanes<N> x) {
  using Bits = typename Lanes<N>::Bits;
  return {reinterpret_cast<typename Lanes<N>::Vector>(reinterpret_cast<Bits>(x.v) &
                                                      (Bits{} + 0x7fffffffffffffffLL))};
}
template <int N>
KB_LANES Lanes<N> with_sign(Lanes<N> x, Lanes<N> of) {
  using Bits = typename Lanes<N>::Bits;
  return {reinterpret_cast<typename Lanes<N>::Vector>(
      reinterpret_cast<Bits>(x.v) |
      (reinterpret_cast<Bits>(of.v) & (Bits{} + (-0x7fffffffffffffffLL - 1))))};
}
template <int N>
KB_LANES Lanes<N> sqrt(Lanes<N> x) {
#ifdef KB_LANES_OF_AVX512
  if constexpr (N == 8)
    return {reinterpret_cast<typename Lanes<N>::Vector>(
        _mm512_maskz_sqrt_pd(0xff, reinterpret_cast<__m512d>(x.v)))};
#endif
#if defined(__AVX__)
  if constexpr (N == 4)
    return {reinterpret_cast<typename Lanes<N>::Vector>(
        _mm256_sqrt_pd(reinterpret_cast<__m256d>(x.v)))};
#endif
#if defined(__SSE2__)
  if constexpr (N == 2)
    return {
        reinterpret_cast<typename Lanes<N>::Vector>(_mm_sqrt_pd(reinterpret_cast<__m128d>(x.v)))};
#endif
  Lanes<N> out;
  for (int i = 0; i < N; ++i) out.v[i] = std::sqrt(x.v[i]);
  return out;
}
template <int N>
KB_LANES Lanes<N> signed_square(Lanes<N> x) {
  return x * abs(x);
}
// Whether a bit of a number's representation is set, 0 the lowest.
template <int N>
KB_LANES Mask<N> bit_of(Lanes<N> x, int bit) {
  using Bits = typename Lanes<N>::Bits;
  const Bits tested = reinterpret_cast<Bits>(x.v) & (Bits{} + (1LL << bit));
#ifdef KB_LANES_OF_AVX512
  if constexpr (N == 8)
    return {_mm512_test_epi64_mask(reinterpret_cast<__m512i>(tested),
                                   reinterpret_cast<__m512i>(tested))};
  else
#endif
    return {tested != 0};
}
// As std::min, std::max and std::clamp.
template <int N>
KB_LANES Lanes<N> smaller(Lanes<N> a, std::type_identity_t<Lanes<N>> b) {
  return select(b < a, b, a);
}
template <int N>
KB_LANES Lanes<N> larger(Lanes<N> a, std::type_identity_t<Lanes<N>> b) {
  return select(a < b, b, a);
}
template <int N>
KB_LANES Lanes<N> clamped(Lanes<N> x, std::type_identity_t<Lanes<N>> low,
                          std::type_identity_t<Lanes<N>> high) {
  return select(x < low, low, select(high < x, high, x));
}

// Without what is behind the point, below 2^63.
template <int N>
KB_LANES Lanes<N> truncated(Lanes<N> x) {
#ifdef KB_LANES_OF_AVX512
  if constexpr (N == 8)
    return {reinterpret_cast<typename Lanes<N>::Vector>(_mm512_maskz_roundscale_pd(
        0xff, reinterpret_cast<__m512d>(x.v), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))};
#endif
#if defined(__AVX__)
  if constexpr (N == 4)
    return {reinterpret_cast<typename Lanes<N>::Vector>(
        _mm256_round_pd(reinterpret_cast<__m256d>(x.v), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))};
#endif
  Lanes<N> out;
  for (int i = 0; i < N; ++i) out.v[i] = static_cast<double>(static_cast<long long>(x.v[i]));
  return out;
}

// A flag becomes 1.
template <int N>
KB_LANES void raise_where(Mask<N> is, Lanes<N>& flag) {
  flag = select(is, Lanes<N>(1.0), flag);
}

// --- The same for a single machine ------------------------------------------------------------------------

KB_LANES double select(bool is, double a, double b) { return is ? a : b; }
KB_LANES void raise_where(bool is, std::int32_t& flag) {
  if (is) flag = 1;
}
KB_LANES bool any(bool is) { return is; }
KB_LANES bool all(bool is) { return is; }
KB_LANES Pair select(bool is, Pair a, Pair b) { return is ? a : b; }
KB_LANES double abs(double x) { return std::fabs(x); }
KB_LANES double with_sign(double x, double of) { return std::copysign(x, of); }
KB_LANES double sqrt(double x) { return std::sqrt(x); }
KB_LANES double smaller(double a, double b) { return b < a ? b : a; }
KB_LANES double larger(double a, double b) { return a < b ? b : a; }
KB_LANES double clamped(double x, double low, double high) {
  return x < low ? low : high < x ? high : x;
}

// --- Pairs: those of a circuit's two lines ----------------------------------------------------------------

template <int N>
struct LanePair {
  using L = Lanes<N>;
  L x[2];

  LanePair() = default;
  KB_LANES LanePair(L a, L b) : x{a, b} {}
  KB_LANES LanePair(L a) : x{a, a} {}       // NOLINT
  KB_LANES LanePair(double a) : x{a, a} {}  // NOLINT
  KB_LANES L& operator[](int s) { return x[s]; }
  KB_LANES const L& operator[](int s) const { return x[s]; }
#define KB_BOTH(op)                                              \
  KB_LANES friend LanePair operator op(LanePair a, LanePair b) { \
    return {a.x[0] op b.x[0], a.x[1] op b.x[1]};                 \
  }
  KB_BOTH(+)
  KB_BOTH(-)
  KB_BOTH(*)
  KB_BOTH(/)
#undef KB_BOTH
  KB_LANES friend LanePair operator-(LanePair a) { return {-a.x[0], -a.x[1]}; }
  KB_LANES LanePair& operator+=(LanePair b) { return *this = *this + b; }
  KB_LANES LanePair& operator-=(LanePair b) { return *this = *this - b; }
  KB_LANES LanePair& operator*=(LanePair b) { return *this = *this * b; }
};
template <int N>
KB_LANES LanePair<N> both(Lanes<N> x) {
  return {x, x};
}
template <int N>
KB_LANES LanePair<N> load(const Lanes<N> (&x)[2]) {
  return {x[0], x[1]};
}
template <int N>
KB_LANES void store(LanePair<N> p, Lanes<N> (&x)[2]) {
  x[0] = p[0];
  x[1] = p[1];
}
template <int N>
KB_LANES LanePair<N> swapped(LanePair<N> p) {
  return {p[1], p[0]};
}
template <int N>
KB_LANES Lanes<N> sum(LanePair<N> p) {
  return p[0] + p[1];
}
template <int N>
KB_LANES LanePair<N> abs(LanePair<N> p) {
  return {abs(p[0]), abs(p[1])};
}
template <int N>
KB_LANES LanePair<N> with_sign(LanePair<N> p, LanePair<N> of) {
  return {with_sign(p[0], of[0]), with_sign(p[1], of[1])};
}
template <int N>
KB_LANES LanePair<N> sqrt(LanePair<N> p) {
  return {sqrt(p[0]), sqrt(p[1])};
}
template <int N>
KB_LANES LanePair<N> signed_square(LanePair<N> p) {
  return p * abs(p);
}
template <int N>
KB_LANES LanePair<N> select(Mask<N> is, LanePair<N> a, LanePair<N> b) {
  return {select(is, a[0], b[0]), select(is, a[1], b[1])};
}
// As that of Pair, also for what is not a number: the smaller of both and the larger of both decide.
template <int N>
KB_LANES Mask<N> within(LanePair<N> a, LanePair<N> b, LanePair<N> low, LanePair<N> high) {
  const auto one = [&](int s) __attribute__((always_inline)) {
    return (select(a[s] < b[s], a[s], b[s]) >= low[s]) &
           (select(a[s] > b[s], a[s], b[s]) <= high[s]);
  };
  return one(0) & one(1);
}

// --- Types that go together -------------------------------------------------------------------------------

namespace detail {
template <class T>
struct Companions {
  using Pair = knuckleboom::Pair;
  using Mask = bool;
};
template <int N>
struct Companions<Lanes<N>> {
  using Pair = LanePair<N>;
  using Mask = knuckleboom::Mask<N>;
};
}  // namespace detail
template <class T>
using PairOf = typename detail::Companions<T>::Pair;
template <class T>
using MaskOf = typename detail::Companions<T>::Mask;
template <class T>
inline constexpr bool kIsLanes = !std::is_same_v<T, double>;

}  // namespace knuckleboom
