#include "ground_table.hpp"

#include "declare/scenario_keys.hpp"

namespace knuckleboom::io {

void read_ground(TableReader& root, const Key& key, Report& report, world::GroundRecipe& ground) {
  namespace keys = declare::keys;
  constexpr double kDitchPoints = 4.0;  // of the grid across a ditch, at least
  const Node* node = root.subtable(key);
  if (node == nullptr) return;
  TableReader reader(report, *node, keys::ground::table, "'ground'");
  reader.fill(ground);
  if (ground.bump_length < 2.0 * ground.spacing)
    reader.error(keys::ground::bump_length,
                 "bumps must be at least twice as long as the ground's 'spacing'");
  for (const Node* one : reader.tables(keys::ground::ditches)) {
    TableReader ditch(report, *one, keys::ditch::table, "the ditch");
    ditch.fill(ground.ditches.emplace_back());
    if (ground.ditches.back().width < kDitchPoints * ground.spacing)
      ditch.error(keys::ditch::width,
                  "a ditch must be at least four times as wide as the ground's 'spacing'");
    ditch.done();
  }
  for (const Node* one : reader.tables(keys::ground::stumps)) {
    TableReader stump(report, *one, keys::stump::table, "the stump");
    stump.fill(ground.stumps.emplace_back());
    stump.done();
  }
  reader.done();
}

}  // namespace knuckleboom::io
