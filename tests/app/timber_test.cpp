// knuckleboom tree, buck and fell, end to end.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Timber, ShowsATreeAndAPieceOfIt) {
  const TemporaryFolder folder;
  const std::string plot = (folder / "tree.svg").string(), json = (folder / "tree.json").string();
  const Outcome outcome = run({"tree", "spruce_20", "--set", "seed=0", "--from", "0.1", "--to",
                               "5.1", "--plot", plot, "--summary", json});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("spruce_20: spruce, 20 cm at breast height, 17 m high"),
                    HasSubstr("stem, 0.1 to 5.1 m"), ContainsRegex("crown: [0-9]+ whorls")));
  EXPECT_THAT(content_of(json), ContainsRegex("\"section\": \\{\n *\"volume_m3\": 0\\.14"));
  EXPECT_THAT(content_of(plot), HasSubstr("<svg"));
}

TEST(Timber, CutsATreeIntoLogs) {
  const TemporaryFolder folder;
  const std::string plot = (folder / "logs.svg").string(), json = (folder / "logs.json").string();
  const Outcome outcome =
      run({"buck", "spruce_30", "thinning", "--plot", plot, "--summary", json, "--measured", "4"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(
      outcome.output,
      AllOf(ContainsRegex("sawlog +0\\.10"), ContainsRegex("pulp"),
            ContainsRegex("planned with 4 m measured: (9[5-9]|100)\\.[0-9] % of the highest")));
  EXPECT_THAT(content_of(json),
              AllOf(HasSubstr("\"product\": \"sawlog\""), HasSubstr("\"highest_value\": 57.9")));
  // Rot up to 2.4 m: no sawlog from the butt.
  EXPECT_THAT(run({"buck", "spruce_rotten", "thinning"}).output,
              ContainsRegex("(pulp|pallet) +0\\.10"));
  EXPECT_THAT(
      run({"buck", "spruce_20", "thinning", "--set", "dbh_cm=6", "--set", "height_m=7"}).output,
      HasSubstr("no log of any product fits"));
}

TEST(Timber, FellsATree) {
  const TemporaryFolder folder;
  const std::string plot = (folder / "fall.svg").string(), json = (folder / "fall.json").string();
  const Outcome outcome = run({"fell", "spruce_20", "--towards", "90", "--hinge", "25", "--push",
                               "2", "--plot", plot, "--summary", json});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(ContainsRegex("parts from the stump, 25 mm of wood left"),
                                    ContainsRegex("direction (89|90)\\.[0-9] deg"),
                                    HasSubstr("it lies, its butt")));
  EXPECT_THAT(content_of(json), HasSubstr("\"lies\": true"));
  EXPECT_THAT(content_of(plot), HasSubstr("<svg"));
}

TEST(Timber, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_THAT(run({"tree", "spurce_20"}).errors, HasSubstr("did you mean 'spruce_20'?"));
  EXPECT_THAT(run({"buck", "spruce_20", "thining"}).errors, HasSubstr("thinning"));
  EXPECT_THAT(run({"tree", "spruce_20", "--from", "5", "--to", "4"}).errors,
              HasSubstr("--from 5 is not below"));
  EXPECT_THAT(run({"fell", "spruce_20", "--hinge", "900"}).errors,
              HasSubstr("must not be thicker"));
  const std::string file = (folder / "x.toml").string();
  write_text(file, "species = \"oak\"\ndbh_cm = 30\nheight_m = 20\n");
  const Outcome check = run({"check", file});
  EXPECT_NE(check.status, 0);
  EXPECT_THAT(check.output, HasSubstr(file + ":1:11: there is no species 'oak'"));
  EXPECT_THAT(run({"buck", file, file}).errors, HasSubstr("species 'oak'"));
  EXPECT_THAT(run({"buck", "spruce_20", file}).errors,
              HasSubstr("this is a tree file, not a price list"));
}

TEST(Timber, ChecksSpeciesWhereverTheyAreNamed) {
  const TemporaryFolder folder;
  const auto complaint = [&](const char* name, const std::string& text) {
    write_text(folder / name, text);
    const Outcome outcome = run({"check", (folder / name).string()});
    EXPECT_EQ(outcome.status, 2);
    return outcome.output;
  };
  EXPECT_THAT(complaint("prices.toml",
                        "name = \"mine\"\n[[product]]\nname = \"saw\"\nspecies = [\"spurce\"]\n"
                        "lengths_m = [4]\nprice = 60\nleast_top_cm = 14\n"),
              HasSubstr("prices.toml:4:11: there is no species 'spurce'; did you mean 'spruce'?"));
  std::string exercise = content_of(std::string(kConfig) + "/exercises/head_to_stem.toml");
  const auto lines = std::count(exercise.begin(), exercise.end(), '\n');
  exercise += "\n[[stem]]\nposition_m = [30, 30]\nheight_m = 20\nspecies = \"oak\"\ndbh_cm = 30\n";
  EXPECT_THAT(complaint("mine.toml", exercise), HasSubstr("mine.toml:" + std::to_string(lines + 5) +
                                                          ":11: there is no species 'oak'"));
  // A price list whose only table is misspelt is still one, by its folder.
  std::filesystem::create_directories(folder / "price_lists");
  EXPECT_THAT(complaint("price_lists/a.toml", "name = \"mine\"\n[[produkt]]\nname = \"saw\"\n"),
              HasSubstr("did you mean 'product'?"));
}

}  // namespace
}  // namespace knuckleboom::test
