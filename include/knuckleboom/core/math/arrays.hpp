// Vectors and quaternions as the plain arrays of states and snapshots, and elements by an int.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom {

// Element i, an int or an enumerator, of what is indexed by unsigned numbers; unchecked, like the operator.
template <class Container>
constexpr decltype(auto) nth(Container&& container, auto i) {
  return container[static_cast<std::size_t>(i)];
}

// The first of them.
template <class T, std::size_t size>
void copy_first(const T (&from)[size], int count, T (&to)[size]) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

inline Vec3 vec(const double* p) { return {p[0], p[1], p[2]}; }
inline void store(const Vec3& v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = v(i);
}

// In arrays w x y z.
inline Eigen::Quaterniond quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }
inline void store(const Eigen::Quaterniond& q, double* out) {
  out[0] = q.w();
  out[1] = q.x();
  out[2] = q.y();
  out[3] = q.z();
}

}  // namespace knuckleboom
