#include "knuckleboom/core/training/ruts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::training {
namespace {

constexpr double kShortestPiece = 0.5;  // m
constexpr double kWheelRut = 0.224;     // Maclaurin 1990

// Estimates: resistance to a cone [Pa], and how slowly further passes deepen a rut.
struct SoilLaw {
  double cone, multipass;
};
SoilLaw law_of(world::Soil soil) {
  switch (soil) {
    case world::Soil::kSoft:
      return {0.3e6, 2.5};
    case world::Soil::kMedium:
      return {0.5e6, 3.5};
    case world::Soil::kFirm:
    case world::Soil::kUntold:
      break;
  }
  return {1.0e6, 4.5};
}

}  // namespace

// 0.224 d / N^1.25 with N = C (b d)^0.8 (W / k)^0.4 / W: the diameter cancels.
double rut_of_pass(world::Soil soil, const Tyre& tyre, double load) {
  const double W = std::max(load, 0.0), C = law_of(soil).cone;
  return kWheelRut * std::sqrt(W) * std::sqrt(std::sqrt(W)) * std::sqrt(tyre.stiffness) /
         (C * std::sqrt(std::sqrt(C)) * tyre.width);
}

Ruts::Ruts(const world::WayRecipe& recipe, double length, std::vector<Tyre> tyres)
    : soil_(recipe.soil),
      tyres_(std::move(tyres)),
      piece_(std::max(kShortestPiece, length / kRutPieces)),
      deep_sum_(power(kDeepRut, law_of(recipe.soil).multipass)) {}

void Ruts::roll(int wheel, const world::WayPlace& at, double load, RutState& state) const {
  std::int32_t& ticks = state.ticks[wheel];
  const double from = state.from_m[wheel];
  if (ticks > 0 && std::fabs(at.along - from) < piece_) {
    state.load_sum[wheel] += load;
    ++ticks;
    return;
  }
  const double mean = ticks > 0 ? state.load_sum[wheel] / ticks : 0.0;
  const bool passes = ticks > 0;
  state.from_m[wheel] = at.along;
  state.load_sum[wheel] = load;
  ticks = 1;
  if (!passes) return;
  const int piece =
      std::clamp(static_cast<int>(0.5 * (from + at.along) / piece_), 0, kRutPieces - 1);
  const auto is_deep = [&] {
    return std::max(state.power_sum[0][piece], state.power_sum[1][piece]) > deep_sum_;
  };
  const bool was_deep = is_deep();
  if (state.power_sum[0][piece] == 0.0 && state.power_sum[1][piece] == 0.0) ++state.driven;
  double& sum = state.power_sum[at.offset < 0.0 ? 1 : 0][piece];
  const double depth = rut_of_pass(soil_, nth(tyres_, wheel), mean);
  sum += power(std::min(depth, 1.0), law_of(soil_).multipass);
  state.deepest = std::max(state.deepest, sum);
  if (!was_deep && is_deep()) ++state.deep;
}

double Ruts::deepest(const RutState& state) const {
  return power(std::min(state.deepest, 1.0), 1.0 / law_of(soil_).multipass);
}

double Ruts::deep_share(const RutState& state) const {
  return state.driven > 0 ? static_cast<double>(state.deep) / static_cast<double>(state.driven)
                          : 0.0;
}

}  // namespace knuckleboom::training
