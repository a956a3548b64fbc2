// knuckleboom export fmu, as a user calls it.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ExportFmu, writesOneFileAndTellsWhatIsInIt) {
  const TemporaryFolder folder;
  const std::string file = (folder / "stick.fmu").string();
  const std::vector<std::string> arguments = {"export", "fmu", "stick_sine", "--inputs",
                                              "volts",  "-o",  file};
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("stick_sine on harvester as an FMU of FMI 3.0"));
  EXPECT_THAT(outcome.output, HasSubstr("3 inputs, 31 outputs"));
  const std::string first = content_of(file);
  EXPECT_THAT(first, StartsWith("PK"));
  // Over one of its own; the same again, byte for byte.
  EXPECT_EQ(run(arguments).status, 0);
  EXPECT_TRUE(content_of(file) == first);
}

TEST(ExportFmu, leavesWhatIsNotItsOwnAndSaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.fmu").string();
  write_text(file, "PK, but somebody's");
  const Outcome kept = run({"export", "fmu", "harvester", "-o", file});
  EXPECT_EQ(kept.status, 2);
  EXPECT_THAT(kept.errors, HasSubstr("was not written by this command"));
  EXPECT_EQ(content_of(file), "PK, but somebody's");
  const auto refusal = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"export", "fmu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  EXPECT_THAT(refusal({"harvester", "-o", (folder / "x.zip").string()}),
              HasSubstr("an FMU's name ends in .fmu"));
  EXPECT_THAT(refusal({"harvestr", "-o", (folder / "y.fmu").string()}),
              HasSubstr("there is no machine or scenario 'harvestr'; did you mean 'harvester'?"));
  EXPECT_THAT(refusal({"harvester", "--machine", "patu655", "-o", (folder / "y.fmu").string()}),
              HasSubstr("'harvester' is a machine; --machine goes with a scenario"));
}

}  // namespace
}  // namespace knuckleboom::test
