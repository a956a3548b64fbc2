#include "friction_table.hpp"

#include <fmt/format.h>

#include "declare/body_keys.hpp"

namespace knuckleboom::io {

using friction::FrictionModel;
using friction::Kind;

FrictionModel read_friction(Report& report, TableReader& parent, const Key& table,
                            const Key& beside, double& viscous) {
  namespace k = declare::keys::friction_law;
  const Node* node = parent.subtable(table);
  // A needed key is not missing where a table stands in its place.
  const auto given = parent.quantity(beside);
  if (given) viscous = *given;
  if (node == nullptr) return {};
  TableReader reader(report, *node, k::table, fmt::format("the friction of {}", parent.what()));
  reader.slides(parent.slides());
  FrictionModel model;
  const bool known = reader.fill(model);
  const auto own = reader.quantity(k::viscous);
  if (own) viscous = *own;
  if (own && given)
    reader.error(
        k::viscous,
        fmt::format("{} gives viscous friction twice, here and as '{}'; remove one of them",
                    parent.what(), beside.name));
  if (known && model.kind == Kind::kNone && !given && !reader.has(k::viscous))
    reader.missing(k::viscous);
  if (known) reader.done();
  const bool dry = model.kind != Kind::kNone;
  const bool continuous = model.kind == Kind::kContinuous;
  if (dry && model.F_s > 0.0 && model.F_s < model.F_c)
    reader.error(k::fixed_friction,
                 fmt::format("{} has a static friction below Coulomb friction; exchange "
                             "'static' and 'coulomb' or make 'static' larger",
                             reader.what()));
  if (!dry) return {};
  if (continuous) {
    if (model.F_s > 0.0 && model.F_s <= viscous * model.v_min)
      reader.error(k::peak_speed, fmt::format("viscous friction alone is as large as 'static' at "
                                              "the 'peak_speed' of {}; make it smaller",
                                              reader.what()));
    return friction::continuous_coulomb_viscous(model.F_c, model.F_s, viscous, model.v_min,
                                                model.n);
  }
  return model;
}

}  // namespace knuckleboom::io
