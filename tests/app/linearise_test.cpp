// knuckleboom linearise, end to end.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A matrix of a MAT-file of level 5 that is not compressed, read by its description alone: tag (type, bytes),
// and inside of a matrix flags, dimensions, name and numbers, each with a tag of its own and filled up to 8 bytes.
std::vector<double> matrix_of(const std::string& file, const std::string& name, int& rows) {
  const auto word = [&file](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, file.data() + at, 4);
    return value;
  };
  constexpr std::uint32_t kMatrix = 14, kDouble = 9;
  for (std::size_t at = 128; at + 8 <= file.size(); at += 8 + word(at + 4)) {
    if (word(at) != kMatrix) continue;
    const std::size_t dimensions = at + 24;  // behind its own tag, and tag and content of the flags
    std::size_t next = dimensions + 8 + (word(dimensions + 4) + 7) / 8 * 8;
    rows = static_cast<int>(word(dimensions + 8));
    // A short name stands in its tag.
    const bool small = word(next) >> 16 != 0;
    const std::size_t length = small ? word(next) >> 16 : word(next + 4);
    const std::string found = file.substr(next + (small ? 4 : 8), length);
    next += small ? 8 : 8 + (length + 7) / 8 * 8;
    if (found != name || word(next) != kDouble) continue;
    std::vector<double> numbers(word(next + 4) / sizeof(double));
    std::memcpy(numbers.data(), file.data() + next + 8, numbers.size() * sizeof(double));
    return numbers;
  }
  return {};
}

// The stick's loop at twice the gain: with oil in the open valve it swings, without it settles.
TEST(Linearise, ShowsWhyTwiceTheGainIsUnstable) {
  const std::vector<std::string> base = {
      "linearise", "stick_sine", "--at", "7", "--set", "controller.stick.kp_V_per_rad=80"};
  const TemporaryFolder folder;
  const std::string json = (folder / "l.json").string(), csv = (folder / "l.csv").string(),
                    mat = (folder / "l.mat").string();
  std::vector<std::string> full = base;
  full.insert(full.end(), {"--fidelity", "full", "--json", json, "--csv", csv, "--mat", mat,
                           "--bode", "stick_ref_rad:tip_z_m"});
  const Outcome oil = run(full);
  ASSERT_EQ(oil.status, 0) << oil.errors;
  EXPECT_THAT(oil.output, HasSubstr("unstable: a swing of"));
  EXPECT_THAT(oil.output, HasSubstr("boom   no loop: its valve is shut"));
  std::vector<std::string> paper = base;
  paper.insert(paper.end(), {"--fidelity", "paper"});
  const Outcome none = run(paper);
  ASSERT_EQ(none.status, 0) << none.errors;
  EXPECT_THAT(none.output, HasSubstr("stable with its loops closed"));
  EXPECT_THAT(none.output, Not(HasSubstr("unstable")));

  // One model in three files.
  int rows = 0;
  const std::vector<double> A = matrix_of(content_of(mat), "A", rows);
  ASSERT_EQ(rows, 14);
  ASSERT_EQ(A.size(), 14U * 14U);
  EXPECT_EQ(A[3 * 14], 1.0);  // by columns: the rate of the first position is the first rate
  const std::string table = content_of(csv);
  EXPECT_THAT(table, HasSubstr("\nd/dt stick_flow_a_m3_s,m3/s,"));
  const std::string text = content_of(json);
  EXPECT_THAT(text, HasSubstr("\"gain_margin\""));
  EXPECT_THAT(text, HasSubstr("\"loops_closed\": true"));
}

TEST(Linearise, RefusesInASentence) {
  const auto refused = [](std::vector<std::string> options, const std::string& sentence) {
    options.insert(options.begin(), "linearise");
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr(sentence));
  };
  refused({"stick_sine", "--at", "50"}, "--at 50: the scenario goes from 0 to 40 s");
  refused({"stick_sine", "--at", "-1"}, "the scenario goes from 0 to 40 s");
  refused({"stick_sine", "--at", "0", "--bode", "stick_valv_V:stick_rad"},
          "there is no input 'stick_valv_V'; did you mean 'stick_valve_V'?");
  refused({"stick_sine", "--at", "0", "--bode", "stick_valve_V:stick"},
          "there is no output 'stick'");
  refused({"stick_sine", "--at", "0", "--bode", "stick_rad"}, "write INPUT:OUTPUT");
  refused({"stick_sine", "--at", "0", "--rtol", "1e-8"}, "--rtol is the tolerance of a converged");
  refused({"forwarder_drive", "--at", "0"}, "stands on wheels");
}

}  // namespace
}  // namespace knuckleboom::test
