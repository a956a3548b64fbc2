// Random trees of rigid bodies and random states of them, the same on every machine for one seed.
#pragma once

#include <array>
#include <cstdint>

#include "knuckleboom/core/multibody/tree.hpp"

namespace knuckleboom::test {

// SplitMix64. The distributions of <random> differ between standard libraries; these do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits();
  double uniform(double low, double high);
  double log_uniform(double low, double high);
  int index(int count);  // 0 .. count - 1
  bool chance(double probability);
  Vec3 vector(double half_width);  // in a cube
  Vec3 direction();
  Mat3 rotation();  // uniform over all orientations

 private:
  std::uint64_t state_;
};

struct TreeOptions {
  int min_bodies = 1;
  int max_bodies = 12;
  bool serial = false;          // each body on the one before
  bool massless_links = false;  // some links get their inertia from welded bodies or children only
};

// At least one body moves. Joints revolute, prismatic and fixed about slanted axes, full inertias,
// gravity in any direction; some welded bodies are point masses, some have no mass at all.
multibody::Tree random_tree(Random& random, const TreeOptions& options = {});

// Inertia of some spread of mass of about this size.
multibody::RigidInertia random_inertia(Random& random, double mass, double size);

using Coordinates = std::array<double, kMaxLinks>;

struct MotionState {
  Coordinates q{}, v{}, a{}, tau{};
};
MotionState random_state(Random& random, const multibody::Tree& tree);

}  // namespace knuckleboom::test
