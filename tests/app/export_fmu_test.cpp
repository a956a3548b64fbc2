// knuckleboom export fmu, as a user calls it.
#include <cstdlib>
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

TEST(ExportFmu, ofAnExerciseAndOfAMachineToBeDrivenHasLevers) {
  const TemporaryFolder folder;
  const Outcome exercise =
      run({"export", "fmu", "felling", "-o", (folder / "felling.fmu").string()});
  EXPECT_EQ(exercise.status, 0) << exercise.errors;
  EXPECT_THAT(exercise.output, HasSubstr("felling on harvester_"));
  EXPECT_THAT(exercise.output, testing::ContainsRegex("\n  [1-9][0-9]* inputs"));
  const Outcome machine = run({"export", "fmu", "forwarder", "--inputs", "levers", "--levers",
                               "excavator", "-o", (folder / "forwarder.fmu").string()});
  EXPECT_EQ(machine.status, 0) << machine.errors;
  EXPECT_THAT(machine.output, HasSubstr("free_play on forwarder as an FMU"));
}

// FMU_CHECKER: a program that says by its exit status whether the FMU named last is one, such as "fmpy validate".
TEST(ExportFmu, passesTheValidatorThatIsNamed) {
  const char* const checker = std::getenv("FMU_CHECKER");
  if (checker == nullptr || *checker == '\0')
    GTEST_SKIP() << "FMU_CHECKER names no program that validates FMUs";
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> cases = {{"stick_sine"},
                                                       {"harvester", "--inputs", "volts"},
                                                       {"harvester_wheeled"},
                                                       {"felling", "--sources"},
                                                       {"tip_circle", "--part", "controller"}};
  for (const std::vector<std::string>& one : cases)
    for (const char* version : {"2", "3"}) {
      const std::string file = (folder / (one.front() + version + ".fmu")).string();
      std::vector<std::string> arguments = {"export", "fmu"};
      arguments.insert(arguments.end(), one.begin(), one.end());
      arguments.insert(arguments.end(), {"--fmi", version, "-o", file});
      ASSERT_EQ(run(arguments).status, 0);
      const std::string said = (folder / "said.txt").string();
      EXPECT_EQ(std::system((std::string(checker) + " '" + file + "' >" + said + " 2>&1").c_str()),
                0)
          << one.front() << ": " << content_of(said);
    }
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
  EXPECT_THAT(
      refusal({"harvestr", "-o", (folder / "y.fmu").string()}),
      HasSubstr("there is no machine, scenario or exercise 'harvestr'; did you mean 'harvester'?"));
  EXPECT_THAT(refusal({"harvester", "--machine", "patu655", "-o", (folder / "y.fmu").string()}),
              HasSubstr("'harvester' is a machine; --machine goes with a scenario or exercise"));
  EXPECT_THAT(refusal({"stick_sine", "--inputs", "levers", "-o", (folder / "y.fmu").string()}),
              HasSubstr("--inputs levers: a scenario has none"));
  EXPECT_THAT(refusal({"reach", "--inputs", "volts", "-o", (folder / "y.fmu").string()}),
              HasSubstr("an exercise is done with its levers"));
  EXPECT_THAT(refusal({"reach", "--set", "duration_s=1", "-o", (folder / "y.fmu").string()}),
              HasSubstr("'duration_s' is a key of a scenario, and an exercise is exported"));
}

}  // namespace
}  // namespace knuckleboom::test
