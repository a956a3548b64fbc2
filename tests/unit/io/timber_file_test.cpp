#include "knuckleboom/io/timber_file.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::timber_file_test {
namespace {

using testing::HasSubstr;

template <class Read>
std::string fault_of(Read read) {
  try {
    read();
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "none";
}
std::string tree_fault(const std::string& text) {
  return fault_of([&] { io::read_tree_text(text, "a.toml"); });
}
std::string list_fault(const std::string& product, const std::string& before = "") {
  return fault_of([&] {
    io::read_price_list_text("name = \"l\"\n" + before + "[[product]]\nname = \"p\"\n" + product,
                             "l.toml");
  });
}

TEST(TimberFile, ReadsATree) {
  const timber::TreeRecipe tree =
      io::read_tree_text(
          "species = \"pine\"\ndbh_cm = 28\nheight_m = 21\nseed = 4\nlean_deg = 180e-1\n"
          "lean_towards_deg = 90\nsweep_percent = 1.8\nsweep_from_m = 1\nsweep_to_m = 6\n"
          "rot_height_m = 2\nfork_height_m = 11\n",
          "a.toml")
          .content;
  EXPECT_EQ(tree.species, "pine");
  EXPECT_DOUBLE_EQ(tree.dbh, 0.28);
  EXPECT_DOUBLE_EQ(tree.height, 21.0);
  EXPECT_EQ(tree.seed, 4U);
  EXPECT_NEAR(tree.lean, 0.314159, 1e-6);
  EXPECT_NEAR(tree.lean_towards, 1.570796, 1e-6);
  EXPECT_DOUBLE_EQ(tree.sweep, 0.018);
  EXPECT_DOUBLE_EQ(tree.sweep_from, 1.0);
  EXPECT_DOUBLE_EQ(tree.sweep_to, 6.0);
  EXPECT_DOUBLE_EQ(tree.rot_height, 2.0);
  EXPECT_DOUBLE_EQ(tree.fork_height, 11.0);
}

TEST(TimberFile, SaysWhatIsWrongWithATree) {
  EXPECT_THAT(tree_fault("dbh_cm = 28\n"), HasSubstr("lacks 'species'"));
  EXPECT_THAT(tree_fault("species = \"pine\"\ndbh_cm = 280\n"), HasSubstr("a.toml:2"));
  EXPECT_THAT(tree_fault("species = \"pine\"\ndbh_cm = 5\nheight_m = 30\n"),
              HasSubstr("between 15 and 250 times its diameter"));
  EXPECT_THAT(tree_fault("species = \"pine\"\nheight_m = 20\nrot_height_m = 21\n"),
              HasSubstr("must lie within its height"));
  EXPECT_THAT(tree_fault("species = \"pine\"\nheigth_m = 20\n"), HasSubstr("did you mean"));
  timber::TreeRecipe stranger;
  stranger.species = "spurce";
  EXPECT_THROW(
      {
        try {
          io::grow(stranger);
        } catch (const UserError& error) {
          EXPECT_THAT(error.what(), HasSubstr("spruce"));
          throw;
        }
      },
      UserError);
}

TEST(TimberFile, ReadsAPriceList) {
  const timber::PriceList list =
      io::read_price_list_text(
          "name = \"l\"\nbark = \"over\"\noffcut_cm = 30\n[[product]]\nname = "
          "\"saw\"\nspecies = [\"pine\", \"spruce\"]\nlengths_m = [4, "
          "4.9]\ntrim_cm = 10\nleast_top_cm = 14\nmost_butt_cm = 60\nprice = "
          "90\ntop_factor = [[14, 1], [20, 1.2]]\nlength_factor = [[4, 1], [5, "
          "1.1]]\nmost_sweep_percent = 1.5\nrot = true\n",
          "l.toml")
          .content;
  EXPECT_TRUE(list.over_bark);
  EXPECT_DOUBLE_EQ(list.offcut, 0.3);
  ASSERT_EQ(list.products.size(), 1U);
  const timber::Product& saw = list.products[0];
  EXPECT_EQ(saw.species, (std::vector<std::string>{"pine", "spruce"}));
  EXPECT_EQ(saw.lengths, (std::vector<double>{4.0, 4.9}));
  EXPECT_DOUBLE_EQ(saw.trim, 0.1);
  EXPECT_DOUBLE_EQ(saw.least_top, 0.14);
  EXPECT_DOUBLE_EQ(saw.most_butt, 0.6);
  EXPECT_DOUBLE_EQ(saw.price, 90.0);
  EXPECT_DOUBLE_EQ(evaluate(saw.top_factor, 17.0).value, 1.1);
  EXPECT_DOUBLE_EQ(evaluate(saw.length_factor, 4.5).value, 1.05);
  EXPECT_DOUBLE_EQ(saw.most_sweep, 0.015);
  EXPECT_TRUE(saw.rot);
}

TEST(TimberFile, SaysWhatIsWrongWithAPriceList) {
  EXPECT_EQ(list_fault("lengths_m = [4, 5.5]\nprice = 3\n"), "none");
  EXPECT_THAT(list_fault("lengths_m = [4.05]\nprice = 3\n"), HasSubstr("whole decimetres"));
  EXPECT_THAT(list_fault("lengths_m = [1.2]\nprice = 3\n"), HasSubstr("at least 1.6 m"));
  EXPECT_THAT(list_fault("lengths_m = [4]\n"), HasSubstr("lacks 'price'"));
  EXPECT_THAT(list_fault("lengths_m = [4]\nprice = 3\n", "offcut_cm = 25\n"),
              HasSubstr("l.toml:2"));
  EXPECT_THAT(list_fault("lengths_m = [4]\nprice = 3\n[[product]]\nname = \"p\"\nlengths_m = [3]\n"
                         "price = 1\n"),
              HasSubstr("there are two products 'p'"));
  EXPECT_THAT(list_fault("lengths_m = [4]\nprice = 3\ntop_factor = [[20, 1], [10, 2]]\n"),
              HasSubstr("top_factor"));
}

TEST(TimberFile, RefusesASpeciesWhoseStemsHaveNoThickness) {
  const std::string rest = "bark = [0, 0, 0.3]\ncrown = [1, 1, 10, 0, 0]\nname = \"x\"\n";
  EXPECT_EQ(fault_of([&] {
              io::read_species_text("taper = [1.25, 0, 0, 0, 0, 0, 0, 0]\n" + rest, "s.toml");
            }),
            "none");
  EXPECT_THAT(fault_of([&] {
                io::read_species_text("taper = [-1.25, 0, 0, 0, 0, 0, 0, 0]\n" + rest, "s.toml");
              }),
              HasSubstr("gives a stem without thickness"));
}

// --- Stems of exercises ------------------------------------------------------------------

std::string exercise(const std::string& stems) {
  return "name = \"e\"\ntitle = \"E\"\nmachine = \"harvester\"\nlevers = \"nordic\"\n[task]\nkind "
         "= "
         "\"free\"\n" +
         stems;
}
std::string stem_fault(const std::string& keys) {
  return fault_of([&] {
    io::read_exercise_text(exercise("[[stem]]\nposition_m = [9, 9]\n" + keys), "e.toml");
  });
}

TEST(StemsOfExercises, MayBeTrees) {
  const training::Exercise e =
      io::read_exercise_text(
          exercise("[[stem]]\nposition_m = [9, 9]\nspecies = \"birch\"\ndbh_cm = "
                   "24\nheight_m = 19\nseed = 3\n[[stem]]\nposition_m = [5, 9]\n"),
          "e.toml")
          .exercise;
  ASSERT_EQ(e.trees.size(), 2U);
  EXPECT_EQ(e.trees[0].species, "birch");
  EXPECT_DOUBLE_EQ(e.trees[0].dbh, 0.24);
  EXPECT_DOUBLE_EQ(e.trees[0].height, 19.0);
  EXPECT_EQ(e.trees[0].seed, 3U);
  EXPECT_DOUBLE_EQ(e.world.stems[0].radius, 0.12);
  EXPECT_TRUE(e.trees[1].species.empty());
  EXPECT_DOUBLE_EQ(e.world.stems[1].radius, 0.15);
}

TEST(StemsOfExercises, SayWhatIsWrongWithTheirTrees) {
  EXPECT_THAT(stem_fault("species = \"birch\"\n"), HasSubstr("lacks 'dbh'"));
  EXPECT_THAT(stem_fault("dbh_cm = 20\n"), HasSubstr("add 'species'"));
  EXPECT_THAT(stem_fault("seed = 2\n"), HasSubstr("'seed' is about a tree"));
  EXPECT_THAT(stem_fault("species = \"birch\"\ndbh_cm = 20\nradius_cm = 10\n"),
              HasSubstr("remove one of them"));
  EXPECT_THAT(stem_fault("species = \"birch\"\ndbh_cm = 20\nheight_m = 2\n"),
              HasSubstr("between 4 and 50 m"));
}

TEST(StemsOfExercises, AreAtMost220) {
  const auto forest = [](int count) {
    std::string stems;
    for (int i = 0; i < count; ++i)
      stems += "[[stem]]\nposition_m = [" + std::to_string(2 * (i % 20) - 50) + ", " +
               std::to_string(10 + 2 * (i / 20)) +
               "]\nspecies = \"spruce\"\ndbh_cm = 20\nheight_m = 17\n";
    return fault_of([&] { io::read_exercise_text(exercise(stems), "e.toml"); });
  };
  EXPECT_EQ(forest(220), "none");
  EXPECT_THAT(forest(221), HasSubstr("220"));
}

}  // namespace
}  // namespace knuckleboom::timber_file_test
