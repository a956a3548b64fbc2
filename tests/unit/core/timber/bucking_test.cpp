// The optimiser against all rows of logs there are.
#include "knuckleboom/core/timber/bucking.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/io/timber_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::bucking_test {
namespace {

using timber::PriceList;
using timber::Profile;
using timber::TreeRecipe;

const std::string kRoot = KNUCKLEBOOM_SOURCE_DIR;

PriceList thinning() {
  return io::read_price_list(kRoot + "/config/price_lists/thinning.toml").content;
}

// The best row of logs and offcuts from a height on, by trying each.
double best_of_all(const PriceList& list, const Profile& profile, const TreeRecipe& tree,
                   double from, long& tried) {
  ++tried;
  double best = 0.0;
  if (from + list.offcut <= profile.height)
    best = best_of_all(list, profile, tree, from + list.offcut, tried);
  for (int i = 0; i < static_cast<int>(list.products.size()); ++i) {
    const timber::Product& product = list.products[static_cast<std::size_t>(i)];
    for (const double length : product.lengths)
      if (const auto value = timber::log_value(list, i, length, profile, tree, from))
        best = std::max(
            best, *value + best_of_all(list, profile, tree, from + length + product.trim, tried));
  }
  return best;
}

// 200 stems of three species, with rot, sweep and forks, for several lists of prices: as worth as the best of
// more than 100 000 rows.
TEST(Bucking, IsAsGoodAsTryingAllRows) {
  PriceList list = thinning();
  list.offcut = 1.0;
  long tried = 0;
  int with_logs = 0;
  std::uint64_t number = 0;
  const char* const species[] = {"spruce", "pine", "birch"};
  timber::Species data[3];
  for (int i = 0; i < 3; ++i)
    data[i] = io::read_species(kRoot + "/config/species/" + species[i] + ".toml").content;
  for (int i = 0; i < 200; ++i) {
    TreeRecipe recipe;
    recipe.species = species[i % 3];
    recipe.dbh = 0.11 + 0.2 * uniform(++number);
    recipe.height = std::clamp(60.0 * recipe.dbh * (0.8 + 0.4 * uniform(++number)), 8.0, 15.5);
    recipe.seed = static_cast<std::uint64_t>(i + 1);
    recipe.rot_height = i % 4 == 1 ? 3.0 * uniform(++number) : 0.0;
    recipe.sweep = i % 5 == 2 ? 0.03 * uniform(++number) : 0.0;
    recipe.sweep_to = 5.0;
    recipe.fork_height = i % 7 == 3 ? 4.0 + 4.0 * uniform(++number) : 0.0;
    for (timber::Product& product : list.products) product.price = 100.0 * uniform(++number);
    const timber::Tree tree(data[i % 3], recipe);
    const double best = best_of_all(list, tree.profile(), recipe, 0.1, tried);
    const timber::Bucking plan = timber::buck(list, tree.profile(), recipe, 0.1);
    EXPECT_NEAR(plan.value, best, 1e-9 * (1.0 + best)) << i;
    EXPECT_NEAR(timber::value_on(plan, list, tree.profile(), recipe), best, 1e-9 * (1.0 + best));
    with_logs += plan.count > 0 ? 1 : 0;
    for (int k = 0; k < plan.count; ++k) {
      const timber::PlannedLog& log = plan.log[k];
      EXPECT_TRUE(
          timber::log_value(list, log.product, log.length, tree.profile(), recipe, log.from));
      if (k > 0) {
        EXPECT_GE(log.from + 1e-9,
                  plan.log[k - 1].from + plan.log[k - 1].length + plan.log[k - 1].trim);
      }
    }
  }
  EXPECT_GT(with_logs, 150);
  EXPECT_GT(tried, 100'000);
}

TEST(Bucking, KeepsToWhatProductsAllow) {
  PriceList list;
  list.products.resize(1);
  timber::Product& only = list.products[0];
  only.name = "only";
  only.lengths = {3.0};
  only.price = 1.0;
  only.least_top = 0.18;
  Profile p;
  p.height = 12.1;
  p.knots = 122;
  for (int i = 0; i < p.knots; ++i) p.over[i] = p.under[i] = 0.30 - 0.02 * 0.1 * i;
  TreeRecipe tree;
  tree.species = "spruce";
  const auto first = [&] { return timber::buck(list, p, tree, 0.1).log[0].from; };
  // 18 cm thick at 6 m: one log from 0.1 m, and a second one would end at 6.1 m.
  EXPECT_EQ(timber::buck(list, p, tree, 0.1).count, 1);
  EXPECT_DOUBLE_EQ(first(), 0.1);
  only.least_top = 0.17;
  EXPECT_EQ(timber::buck(list, p, tree, 0.1).count, 2);
  tree.rot_height = 0.9;
  EXPECT_DOUBLE_EQ(first(), 1.1);  // two offcuts of half a metre
  only.rot = true;
  EXPECT_DOUBLE_EQ(first(), 0.1);
  tree.sweep = 0.02;
  tree.sweep_to = 1.2;
  only.most_sweep = 0.01;
  EXPECT_DOUBLE_EQ(first(), 1.6);
  tree.sweep = 0.0;
  tree.fork_height = 2.0;
  EXPECT_DOUBLE_EQ(first(), 2.1);
  tree.fork_height = 0.0;
  only.species = {"pine"};
  EXPECT_EQ(timber::buck(list, p, tree, 0.1).count, 0);
}

// A frustum by hand: thick end 28.8 cm at 0.6 m, thin end 22.8 cm.
TEST(Bucking, PricesVolumeByTopAndLength) {
  PriceList list;
  list.over_bark = true;
  list.products.resize(1);
  timber::Product& only = list.products[0];
  only.lengths = {3.0};
  only.trim = 0.1;
  only.price = 50.0;
  only.top_factor = {{20.0, 24.0}, {1.0, 2.0}};
  only.length_factor = {{2.0, 4.0}, {1.0, 1.5}};
  Profile p;
  p.height = 12.0;
  p.knots = 121;
  for (int i = 0; i < p.knots; ++i) p.over[i] = 0.30 - 0.02 * 0.1 * i;
  const double a = 0.144, b = 0.114, top = 22.6;
  const double volume = 3.14159265358979 * 3.0 / 3.0 * (a * a + a * b + b * b);
  const auto value = timber::log_value(list, 0, 3.0, p, {}, 0.6);
  ASSERT_TRUE(value);
  EXPECT_NEAR(*value, volume * 50.0 * (1.0 + (top - 20.0) / 4.0) * 1.25, 1e-9);
}

TEST(Bucking, ObjectsToListsThatCannotBeCutBy) {
  PriceList list = thinning();
  EXPECT_EQ(timber::objection(list), "");
  list.products[0].lengths = {4.05};
  EXPECT_NE(timber::objection(list), "");
  list.products[0].lengths = {1.0};
  EXPECT_NE(timber::objection(list), "");
  list.products.clear();
  EXPECT_NE(timber::objection(list), "");
}

}  // namespace
}  // namespace knuckleboom::bucking_test
