// Ruts that wheels leave on a way: an estimate by passes, wheel load and class of soil. The ground itself stays
// rigid. docs/theory/wheels.md, "Ruts".
#pragma once

#include <cstdint>
#include <vector>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/world/way.hpp"

namespace knuckleboom::training {

struct Tyre {
  double width = 0.71;       // m
  double stiffness = 450e3;  // N/m
};

inline constexpr int kRutPieces = 512;   // of a way, on either side of its middle
inline constexpr double kDeepRut = 0.1;  // m; what the recommendation for thinnings counts

struct RutState {
  double power_sum[2]
                  [kRutPieces];  // of the depths of single passes, to the power of the soil [m^a]
  // By wheel: where it was when its last pass was counted, and its load since.
  double from_m[kMaxWheels], load_sum[kMaxWheels];
  std::int32_t ticks[kMaxWheels];
  double deepest;             // of the sums
  std::int64_t driven, deep;  // pieces with a pass on either side, and those with a deep rut
};
constexpr auto state_fields(const RutState* /*type*/) {
  using namespace knuckleboom::state;
  using S = RutState;
  return state::fields_of<S>(KB_FIELD(power_sum, kPositive), KB_FIELD(from_m, kPosition),
                             KB_FIELD(load_sum), KB_FIELD(ticks, kCounter32),
                             KB_FIELD(deepest, kPositive), KB_FIELD(driven, below(kRutPieces + 1)),
                             KB_FIELD(deep, below(kRutPieces + 1)));
}

// Depth after one pass of a wheel [m]. load: N.
double rut_of_pass(world::Soil soil, const Tyre& tyre, double load);

class Ruts {
 public:
  Ruts() = default;
  // tyres: by wheel.
  Ruts(const world::WayRecipe& recipe, double length, std::vector<Tyre> tyres);

  bool present() const { return soil_ != world::Soil::kUntold && !tyres_.empty(); }
  // One tick of a wheel: where it is, along the way and beside its middle [m], and its load [N].
  void roll(int wheel, const world::WayPlace& at, double load, RutState& state) const;
  double deepest(const RutState& state) const;  // m
  // Share of the way driven on.
  double deep_share(const RutState& state) const;

 private:
  world::Soil soil_ = world::Soil::kUntold;
  std::vector<Tyre> tyres_;
  double piece_ = 1.0;     // m
  double deep_sum_ = 0.0;  // of a rut that counts as deep
};

}  // namespace knuckleboom::training
