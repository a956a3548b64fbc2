#include "friction_table.hpp"

#include <fmt/format.h>

namespace knuckleboom::io {

using friction::FrictionModel;
using friction::Kind;

FrictionModel read_friction(Report& report, TableReader& parent, bool rotary,
                            std::string_view viscous_key, bool viscous_needed, double& viscous) {
  const Dimension damping = rotary ? Dimension::kRotaryDamping : Dimension::kDamping;
  const Dimension force = rotary ? Dimension::kTorque : Dimension::kForce;
  const Dimension speed = rotary ? Dimension::kAngularSpeed : Dimension::kSpeed;
  const Dimension stiffness = rotary ? Dimension::kRotaryStiffness : Dimension::kStiffness;
  const Node* node = parent.subtable("friction");
  const auto beside = parent.quantity(viscous_key, damping, kNonNegative);
  if (beside) viscous = *beside;
  if (node == nullptr) {
    if (viscous_needed && !parent.has(viscous_key)) parent.missing(viscous_key, {damping});
    return {};
  }
  TableReader reader(report, *node, fmt::format("the friction of {}", parent.what()));
  const auto kind = reader.choice<Kind>("model", {{"viscous", Kind::kNone},
                                                  {"coulomb_viscous", Kind::kCoulomb},
                                                  {"continuous_coulomb_viscous", Kind::kContinuous},
                                                  {"stribeck", Kind::kStribeck},
                                                  {"lugre", Kind::kLuGre}});
  if (!reader.has("model")) reader.missing("model", {Dimension::kNone});
  const auto own = reader.quantity("viscous", damping, kNonNegative);
  if (own) viscous = *own;
  if (own && beside)
    reader.error(
        "viscous",
        fmt::format("{} gives viscous friction twice, here and as '{}'; remove one of them",
                    parent.what(), viscous_key));
  FrictionModel model;
  model.kind = kind.value_or(Kind::kNone);
  if (kind == Kind::kNone && !own && !beside && !reader.has("viscous"))
    reader.missing("viscous", {damping});
  const auto read = [&](double& value, std::string_view stem, Dimension dimension, Range range,
                        bool needed) {
    if (const auto given = reader.quantity(stem, dimension, range)) value = *given;
    if (needed && kind && !reader.has(stem)) reader.missing(stem, {dimension});
  };
  const bool dry = model.kind != Kind::kNone;
  const bool curve = model.kind == Kind::kStribeck || model.kind == Kind::kLuGre;
  const bool continuous = model.kind == Kind::kContinuous;
  const bool bristles = model.kind == Kind::kLuGre;
  read(model.F_c, "coulomb", force, kPositive, dry);
  read(model.F_s, "static", force, kPositive, dry);
  read(model.v_s, "stribeck_speed", speed, kPositive, curve);
  read(model.v_min, "peak_speed", speed, kPositive, continuous);
  read(model.n, "fall_end", Dimension::kNone, Range{1.0, 1e6, true}, continuous);
  read(model.sigma_0, "bristle_stiffness", stiffness, kPositive, bristles);
  read(model.sigma_1, "bristle_damping", damping, kNonNegative, bristles);
  reader.done();
  if (dry && model.F_s > 0.0 && model.F_s < model.F_c)
    reader.error("static", fmt::format("{} has a static friction below Coulomb friction; exchange "
                                       "'static' and 'coulomb' or make 'static' larger",
                                       reader.what()));
  if (!dry) return {};
  if (continuous) {
    if (model.F_s > 0.0 && model.F_s <= viscous * model.v_min)
      reader.error("peak_speed", fmt::format("viscous friction alone is as large as 'static' at "
                                             "the 'peak_speed' of {}; make it smaller",
                                             reader.what()));
    return friction::continuous_coulomb_viscous(model.F_c, model.F_s, viscous, model.v_min,
                                                model.n);
  }
  return model;
}

}  // namespace knuckleboom::io
