// Laws of linkages over a type of number (math/lanes.hpp).
#pragma once

#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::machine {

template <class T>
struct BasicLinkageState {
  T x;  // m or rad
  T J;  // dx/dq
};
// A cylinder's triangle: length^2 = k0 + kc cos q + ks sin q.
template <class T>
inline BasicLinkageState<T> triangle_state(T k0, T kc, T ks, T sin_q, T cos_q) {
  const T x = sqrt(larger(T(0.0), k0 + kc * cos_q + ks * sin_q));
  return {x, (ks * cos_q - kc * sin_q) / (2.0 * x)};
}

}  // namespace knuckleboom::machine
