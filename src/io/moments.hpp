// Moments of inertia as the files give them.
#pragma once

#include <fmt/format.h>

#include "knuckleboom/core/math/vector.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] as a matrix; false if the key is not there or wrong.
inline bool read_moments(TableReader& reader, const Key& key, Mat3& I) {
  const auto given = reader.numbers(key);
  if (!given) return false;
  const std::vector<double>& m = *given;
  if (m.size() != 3 && m.size() != 6) {
    reader.error(key, fmt::format("'{}' has {} entries; expected [xx, yy, zz] or "
                                  "[xx, yy, zz, xy, xz, yz]",
                                  key.name, m.size()));
    return false;
  }
  I.diagonal() = Vec3(m[0], m[1], m[2]);
  if (m.size() == 6) {
    I(0, 1) = I(1, 0) = m[3];
    I(0, 2) = I(2, 0) = m[4];
    I(1, 2) = I(2, 1) = m[5];
  }
  return true;
}

}  // namespace knuckleboom::io
