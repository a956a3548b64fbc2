#include "knuckleboom/io/state_record.hpp"

#include <cstring>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "support/long_run.hpp"
#include "support/scrambled_state.hpp"

namespace knuckleboom::io {
namespace {

using training::SessionState;

const state::Struct& session_type() { return state::struct_of<SessionState>(); }

std::string converted(const StateDescription& from, const void* record, const StateDescription& to,
                      std::string& out) {
  out.assign(to.record_bytes(), '\x55');
  return convert(from.type(), record, to.type(), out.data());
}

// More places in every array, a field that is off in every part, and each part the other way round.
std::string widened(const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    const std::size_t space = line.find(' ');
    std::vector<std::string> fields{"new_thing f8=2.5", "newer i4[3]"};
    std::size_t at = space + 1;
    while (at < line.size()) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      fields.insert(fields.begin(), line.substr(at, comma - at));
      at = comma + 1;
    }
    std::string joined;
    for (const std::string& field : fields) joined += (joined.empty() ? "" : ",") + field;
    joined = std::regex_replace(joined, std::regex("\\[(\\d)"), "[1$1");
    out += line.substr(0, space + 1) + joined + "\n";
  }
  return out;
}

TEST(StateRecord, describesEveryTypeOnceAndReadsItAgain) {
  const std::string text = describe(session_type());
  EXPECT_NE(text.find("sim::Payload inertia multibody::LinkInertia,link i4,event i4=-1\n"),
            std::string::npos)
      << text;
  const StateDescription read(text);
  EXPECT_EQ(describe(read.type()), text);
  EXPECT_EQ(read.record_bytes(), sizeof(SessionState));
  // One line a type keeps it small beside the states.
  EXPECT_LT(text.size(), 10000U);
}

TEST(StateRecord, ofAnotherLayoutGivesTheSameStateAndHash) {
  const auto state = test::scrambled<SessionState>(5);
  const StateDescription own(session_type());
  const StateDescription wide(widened(describe(session_type())));
  ASSERT_GT(wide.record_bytes(), sizeof(SessionState));
  std::string record;
  ASSERT_EQ(converted(own, &state, wide, record), "");
  EXPECT_EQ(state::hash(wide.type(), record.data()), state::hash(state));
  std::string back;
  ASSERT_EQ(converted(wide, record.data(), own, back), "");
  EXPECT_EQ(std::memcmp(back.data(), &state, sizeof state), 0);
}

TEST(StateRecord, ofAnotherLayoutIsRefusedForWhatIsNotKnownAndNotNeutral) {
  const auto state = test::scrambled<SessionState>(6);
  const StateDescription own(session_type());
  const StateDescription wide(widened(describe(session_type())));
  std::string record, out;
  ASSERT_EQ(converted(own, &state, wide, record), "");
  int number = 0;
  state::for_each_place(wide.type(), record.data(), {}, [&](const state::Place& place) {
    // Ours are not; not all of the others, more of them by KNUCKLEBOOM_LONG=1.
    if (!place.neutral() || ++number % (test::long_run() ? 997 : 3989) != 0) return true;
    const double neutral = place.number();
    test::set_place(place, 3.0);
    EXPECT_EQ(converted(wide, record.data(), own, out),
              "'" + place.trail.text() + "', which this program does not know, is 3");
    test::set_place(place, neutral);
    return true;
  });
  EXPECT_GT(number, 10000);
}

TEST(StateRecord, takesWhatAnOlderOneLacksAsNeutral) {
  const auto state = test::scrambled<SessionState>(7);
  std::string text = describe(session_type());
  const std::size_t held = text.find(",held i4=-1,slot i4=-1");
  ASSERT_NE(held, std::string::npos);
  text.erase(held, std::strlen(",held i4=-1,slot i4=-1"));
  const StateDescription own(session_type()), old(text);
  std::string record, back(sizeof(SessionState), '\0');
  // Into the older one only what it knows goes.
  EXPECT_NE(converted(own, &state, old, record).find("'grapple.held', which"), std::string::npos);
  SessionState plain = state;
  plain.worksite.grapple.held = plain.worksite.grapple.slot = -1;
  ASSERT_EQ(converted(own, &plain, old, record), "");
  ASSERT_EQ(converted(old, record.data(), own, back), "");
  EXPECT_EQ(std::memcmp(back.data(), &plain, sizeof plain), 0);
}

TEST(StateRecord, refusesWhatDescribesNothing) {
  const auto refused = [](const std::string& text) {
    try {
      const StateDescription read(text);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused("A x f8\nB a A[3],b i4=-1\n"));
  for (const char* text : {"",
                           "A",
                           "A ",
                           "A x",
                           "A x f9",

                           "A x f8,x f8",
                           "A x f8[0]",
                           "A x f8[-1]",
                           "A x f8[99999999999]",
                           "A x f8[70000000]",
                           "A x f8[9000][9000]",
                           "A x B",
                           "A x A",

                           "A x f8=z",
                           "A x i4=1.5",
                           "A - f8",
                           "A x f8\nB a A[2][2]",
                           "A x f8\nB - A[2]",
                           "A x f8\nB a A=1",
                           "A x f8[2][2][2]",
                           " x f8"})
    EXPECT_TRUE(refused(text)) << text;
  std::string deep = "T0 x f8\n";
  for (int i = 1; i < 40; ++i)
    deep += "T" + std::to_string(i) + " x T" + std::to_string(i - 1) + "\n";
  EXPECT_TRUE(refused(deep));
  std::string many = "A x f8[1000]\n";
  for (char c = 'B'; c < 'G'; ++c)
    many += std::string(1, c) + " x " + static_cast<char>(c - 1) + "[1000]\n";
  EXPECT_TRUE(refused(many));
}

}  // namespace
}  // namespace knuckleboom::io
