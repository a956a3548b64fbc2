// The coach's rules on operators that are made up, with habits of known strength.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "coach/advice.hpp"
#include "unit/coach/operators.hpp"

namespace knuckleboom::coach_test {
namespace {

using coach::Advice;
using coach::Verdict;

constexpr double kSeverities[] = {0.7, 1.0, 1.5, 2.0};  // and 0
constexpr double kWanted = 1.5;

coach::Occasions occasions_of(const Style& style, std::uint64_t seed) {
  coach::Observer observer(all_told());
  work(style, seed, [&](const coach::Sample& sample) { observer.add(sample); });
  return observer.finish();
}

Advice advice_for(const Style& style, std::uint64_t seed) {
  return advise(occasions_of(style, seed), all_told());
}

std::vector<Habit> habits_that_are_on() {
  std::vector<Habit> out;
  for (int i = 0; i < kHabits; ++i)
    if (coach::rule_of(static_cast<Habit>(i)).off.empty()) out.push_back(static_cast<Habit>(i));
  return out;
}

// The others: without the habit or mild, half of its threshold.
Style style_of(Habit habit, double severity, std::uint64_t seed) {
  Style style;
  std::uint64_t bits = seed * 0x9e3779b97f4a7c15ULL;
  for (double& one : style.severity) {
    bits ^= bits >> 29;
    bits *= 0xbf58476d1ce4e5b9ULL;
    one = (bits >> 60 & 1U) != 0 ? 0.5 : 0.1;
  }
  style.severity[static_cast<std::size_t>(Habit::kOneByOne)] *= 0.8;
  style.severity[static_cast<std::size_t>(habit)] = severity;
  return style;
}

// Share of sessions in which each rule speaks, and any.
struct Cell {
  std::array<int, kHabits> speaks{};
  int any = 0, sessions = 0;
};

void count(const Advice& advice, Cell& cell) {
  bool any = false;
  for (const coach::Finding& one : advice.findings) {
    const bool speaks = one.verdict == Verdict::kAdvised;
    cell.speaks[static_cast<std::size_t>(one.habit)] += speaks ? 1 : 0;
    any = any || speaks;
  }
  cell.any += any ? 1 : 0;
  ++cell.sessions;
}

Cell cell_of(Habit habit, double severity, int sessions) {
  Cell cell;
  for (int i = 0; i < sessions; ++i) {
    const auto seed = static_cast<std::uint64_t>(1 + i + 1000 * static_cast<int>(habit));
    Style style = style_of(habit, severity, seed);
    style.exact = static_cast<int>(habit);
    count(advice_for(style, seed), cell);
  }
  return cell;
}

// Sessions in a cell: few, or as many as the environment says.
int sessions_wanted() {
  const char* wanted = std::getenv("KNUCKLEBOOM_COACH_SESSIONS");
  return wanted != nullptr ? std::atoi(wanted) : 2;
}
bool whole_matrix() { return std::getenv("KNUCKLEBOOM_COACH_SESSIONS") != nullptr; }

bool is_asked(Habit habit) {
  const char* rule = std::getenv("KNUCKLEBOOM_COACH_RULE");
  return rule == nullptr || std::atoi(rule) == coach::number_of(habit);
}
bool is_asked(Habit habit, double severity) {
  if (!is_asked(habit)) return false;
  const char* only = std::getenv("KNUCKLEBOOM_COACH_SEVERITY");
  if (only != nullptr) return std::atof(only) == severity;
  return whole_matrix() || severity == kWanted;
}

double percent(int of, int sessions) { return 100.0 * of / sessions; }

std::string row_of(const std::string& what, const Cell& cell) {
  std::string row = "| " + what + " |";
  for (const Habit habit : habits_that_are_on())
    row += fmt::format(" {:.3g} |",
                       percent(cell.speaks[static_cast<std::size_t>(habit)], cell.sessions));
  return row + fmt::format(" {:.3g} |\n", percent(cell.any, cell.sessions));
}

std::string head_of(const std::string& what, bool any = true) {
  std::string head = "| " + what + " |", line = "|---|";
  for (const Habit habit : habits_that_are_on()) {
    head += fmt::format(" {} |", coach::number_of(habit));
    line += "---|";
  }
  return head + (any ? " any |\n" : "\n") + line + (any ? "---|\n" : "\n");
}

// By the binomial distribution: how often the bound is above a threshold.
double speaks_by_chance(double share, int n, double threshold) {
  double term = std::pow(1.0 - share, n), sum = 0.0;
  for (int k = 0; k <= n; ++k) {
    if (coach::share_bound(k, n, -1) > threshold) sum += term;
    term *= share / (1.0 - share) * (n - k) / (k + 1.0);
  }
  return sum;
}

// In how many percent of sessions a habit of 1.5 times the threshold is found if each occasion is drawn by itself.
std::string found_row(int logs) {
  std::string row = fmt::format("| {} |", logs);
  for (const Habit habit : habits_that_are_on()) {
    const coach::Rule& rule = coach::rule_of(habit);
    const double share = kWanted * rule.threshold;
    const bool legs = habit == Habit::kLateTurn || habit == Habit::kHunts;  // two for each log
    const int n =
        habit == Habit::kRegrips ? static_cast<int>(logs / (1.0 - share)) : (legs ? 2 : 1) * logs;
    row += rule.measure == coach::Measure::kShare
               ? fmt::format(" {:.0f} |", 100.0 * speaks_by_chance(share, n, rule.threshold))
               : " - |";
  }
  return row + "\n";
}

void expect_alone(Habit habit, double severity, const Cell& cell) {
  for (const Habit other : habits_that_are_on()) {
    const double speaks = percent(cell.speaks[static_cast<std::size_t>(other)], cell.sessions);
    const std::string where =
        fmt::format("rule {} at {:g} times the threshold of {}", coach::number_of(other), severity,
                    coach::number_of(habit));
    if (other == habit)
      EXPECT_GE(speaks, 90.0) << where;
    else
      EXPECT_LE(speaks, 5.0) << where;
  }
}

// Each habit alone speaks, and nothing else does. All cells, with the matrix as a page, by
// KNUCKLEBOOM_COACH_SESSIONS=200 KNUCKLEBOOM_COACH_MATRIX=FILE; those of one severity or rule by KNUCKLEBOOM_COACH_SEVERITY and
// KNUCKLEBOOM_COACH_RULE.
TEST(Coach, TellsHabitsApart) {
  const int sessions = sessions_wanted();
  std::string page = head_of("habit, severity");
  if (std::getenv("KNUCKLEBOOM_COACH_RULE") == nullptr) {
    const Cell none = cell_of(Habit::kFarOut, 0.0, whole_matrix() ? sessions : 10);
    page += row_of("none, 0", none);
    for (const Habit habit : habits_that_are_on())
      EXPECT_LE(percent(none.speaks[static_cast<std::size_t>(habit)], none.sessions), 3.0)
          << coach::number_of(habit);
    EXPECT_LE(percent(none.any, none.sessions), 10.0);
  }
  for (const Habit habit : habits_that_are_on())
    for (const double severity : kSeverities) {
      if (!is_asked(habit, severity)) continue;
      const Cell cell = cell_of(habit, severity, sessions);
      page += row_of(fmt::format("{}, {:g}", coach::number_of(habit), severity), cell);
      if (severity < kWanted) continue;
      expect_alone(habit, severity, cell);
    }
  if (whole_matrix()) {
    page += "\n" + head_of("logs", false);
    for (const int logs : {10, 20, 48, 120}) page += found_row(logs);
  }
  if (const char* file = std::getenv("KNUCKLEBOOM_COACH_MATRIX")) std::ofstream(file) << page;
}

// --- Evidence -------------------------------------------------------------------

TEST(Coach, BoundOfAShareHoldsInFourOfFiveCases) {
  EXPECT_NEAR(coach::share_bound(8, 8, -1), 1.0 / (1.0 + 0.7083 / 8.0), 1e-4);
  EXPECT_NEAR(coach::share_bound(0, 8, 1), 0.7083 / 8.7083, 1e-4);
  for (const double share : {0.15, 0.3, 0.4})
    for (const int n : {20, 60, 150})
      EXPECT_NEAR(speaks_by_chance(share, n, share), 0.2, 0.09) << share << " " << n;
}

TEST(Coach, BoundOfAMedianHoldsInFourOfFiveCases) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> value(1.0);
  int above = 0;
  constexpr int kTrials = 300;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> values(31);
    for (double& one : values) one = value(random);
    above += coach::median_bound(values, -1) > std::log(2.0) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(above) / kTrials, 0.2, 0.07);
  EXPECT_EQ(coach::median_bound({2.0, 2.0, 2.0}, 1), 2.0);
}

coach::Occasions some(Habit habit, int n, int counted, double lost_s) {
  coach::Occasions out;
  for (int i = 0; i < n; ++i) {
    const bool counts = i < counted;
    out[static_cast<std::size_t>(habit)].push_back(
        {10.0 * i, 10.0 * i + 5.0, 0.1 * i, counts, counts ? lost_s + i : 0.0});
  }
  return out;
}

void add(const coach::Occasions& from, coach::Occasions& to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i].insert(to[i].end(), from[i].begin(), from[i].end());
}

TEST(Coach, SaysWhatCostsMostWithTheirThreeWorstMoments) {
  coach::Occasions all = some(Habit::kDrags, 20, 15, 1.0);
  add(some(Habit::kRegrips, 20, 15, 14.0), all);
  add(some(Habit::kSwings, 20, 15, 2.0), all);
  add(some(Habit::kLevels, 20, 0, 0.0), all);
  add(some(Habit::kLateTurn, 20, 0, 0.0), all);
  const Advice advice = advise(all, all_told());
  const auto said = advice.said();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0]->habit, Habit::kRegrips);
  EXPECT_EQ(said[1]->habit, Habit::kSwings);
  ASSERT_EQ(said[0]->marks_s.size(), 3U);
  EXPECT_EQ(said[0]->marks_s[0], 120.0);
  EXPECT_EQ(said[0]->marks_s[2], 140.0);
  // 15 times 14 s and 0 to 14 s more.
  EXPECT_EQ(
      coach::advice_text(*said[0]),
      "15 of 20 grabs were taken again, which cost about 5:15 min: close firmly at the middle "
      "of the log.");
  ASSERT_NE(advice.praise(), nullptr);
  EXPECT_EQ(advice.praise()->habit, Habit::kLevels);  // 0.3 * 20 * 6.1 s against 0.4 * 20 * 1 s
}

// Where each occasion is drawn by itself, 48 logs are too few for a share near its threshold; five sessions of an
// operator together, as in "learners coach", are enough.
TEST(Coach, FiveSessionsTogetherTellAHabitThatIsDrawn) {
  const int operators = sessions_wanted();
  for (const Habit habit : habits_that_are_on()) {
    if (whole_matrix() ? !is_asked(habit) : habit != Habit::kTooClose)
      continue;  // the one that needs most
    Cell cell;
    for (int i = 0; i < operators; ++i) {
      const auto seed =
          static_cast<std::uint64_t>(500'000 + 10 * i + 10'000 * static_cast<int>(habit));
      coach::Occasions all;
      for (std::uint64_t session = 0; session < 5; ++session)
        add(occasions_of(style_of(habit, kWanted, seed), seed + session), all);
      count(advise(all, all_told()), cell);
    }
    std::printf("rule %d, drawn, five sessions: found in %.1f %% of %d\n", coach::number_of(habit),
                percent(cell.speaks[static_cast<std::size_t>(habit)], cell.sessions),
                cell.sessions);
    expect_alone(habit, kWanted, cell);
  }
}

// Targets 1.5 m apart, touched one after the other at 1 m/s, with a rest at each.
Advice advice_for_targets(double rest_s, std::uint32_t more_signals = 0) {
  const coach::Told told{coach::kTip | coach::kGrips | coach::kWork | more_signals, false, -1};
  coach::Observer observer(told);
  coach::Sample sample;
  const auto add_for = [&](double seconds, double speed) {
    sample.work.moves = speed > 0.0;
    sample.work.tip_m_s[0] = speed;
    for (int i = 0; i < std::lround(seconds / training::kElementSample); ++i) {
      sample.work.tip_m[0] += speed * training::kElementSample;
      sample.seen.tip_W[0] = sample.work.tip_m[0];
      observer.add(sample);
    }
  };
  sample.seen.held = -1;
  for (int target = 0; target < 8; ++target) {
    add_for(1.5, 1.0);
    add_for(rest_s, 0.0);
    sample.seen.legs += 1.0;
  }
  add_for(0.1, 0.0);
  return advise(observer.finish(), told);
}

// Where nothing is gripped a way to a target is a cycle.
TEST(Coach, SeesWhoHesitatesBetweenTargets) {
  const Advice slow = advice_for_targets(1.5);
  ASSERT_EQ(slow.said().size(), 1U);
  EXPECT_EQ(slow.said()[0]->habit, Habit::kHesitates);
  EXPECT_EQ(slow.said()[0]->occasions, 8);
  EXPECT_NEAR(slow.said()[0]->figure, 0.5, 0.05);
  // 1.5 s of 3 s, less 15 %: 1.05 s at each of eight.
  EXPECT_NEAR(slow.said()[0]->lost_s, 8.4, 0.5);
  EXPECT_TRUE(advice_for_targets(0.1).said().empty());
  EXPECT_TRUE(advice_for_targets(1.5, coach::kDriving).said().empty());
}

TEST(Coach, IsSilentWithoutEvidence) {
  const auto verdict = [](const coach::Occasions& all, const coach::Told& told) {
    return advise(all, told).findings[static_cast<std::size_t>(Habit::kDrags)].verdict;
  };
  EXPECT_EQ(verdict(some(Habit::kDrags, 7, 7, 1.0), all_told()), Verdict::kTooFew);
  EXPECT_EQ(verdict(some(Habit::kDrags, 8, 8, 1.0), all_told()), Verdict::kAdvised);
  EXPECT_EQ(verdict(some(Habit::kDrags, 20, 5, 1.0), all_told()), Verdict::kQuiet);  // 25 %
  coach::Told less = all_told();
  less.signals &= ~coach::kWork;
  const Advice advice = advise(some(Habit::kDrags, 20, 20, 1.0), less);
  EXPECT_EQ(advice.findings[static_cast<std::size_t>(Habit::kDrags)].missing,
            "signals of the work elements");
  EXPECT_TRUE(advice.said().empty());
  const coach::Occasions off = some(Habit::kHalfGrabs, 20, 20, 1.0);
  EXPECT_TRUE(advise(off, all_told()).said().empty());
}

// Nothing, one sample, and an attempt that is cut off at any place.
TEST(Coach, TakesAttemptsThatAreCutOff) {
  std::vector<coach::Sample> samples;
  Style style;
  style.cycles = 3;
  style.severity.fill(1.5);
  work(style, 1, [&](const coach::Sample& sample) { samples.push_back(sample); });
  for (std::size_t n = 0; n <= samples.size(); n += std::max<std::size_t>(1, samples.size() / 37)) {
    coach::Observer observer(all_told());
    for (std::size_t i = 0; i < n; ++i) observer.add(samples[i]);
    for (const auto& occasions : observer.finish())
      for (const coach::Occasion& one : occasions) {
        EXPECT_LE(one.begin_s, one.at_s);
        EXPECT_GE(one.begin_s, 0.0);
        EXPECT_GE(one.lost_s, 0.0);
      }
  }
}

}  // namespace
}  // namespace knuckleboom::coach_test
