// Habits that the coach looks for: each rule once. docs/reference/coach.md
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace knuckleboom::coach {

// Signals that rules need, as bits.
enum Signal : std::uint32_t {
  kTip = 1U << 0,
  kGrips = 1U << 1,     // grips and releases
  kTravel = 1U << 2,    // of the functions
  kRotator = 1U << 3,   // among them
  kWork = 1U << 4,      // signals of the work elements
  kReach = 1U << 5,     // of the tip from the crane's foot
  kDriving = 1U << 6,   // the machine can be driven
  kHead = 1U << 7,      // angle of what hangs from the tip
  kNoSource = 1U << 8,  // nothing tells it yet
};
inline constexpr std::array<std::string_view, 9> kSignalNames = {
    "the tip at 50 Hz",      "grips and releases",           "travel of the functions",
    "travel of the rotator", "signals of the work elements", "reach from the crane's foot",
    "a machine that drives", "angle of the hanging head",    "a source"};

enum class Habit {
  kFarOut,
  kTooClose,
  kOneByOne,
  kLateTurn,
  kDrags,
  kHalfGrabs,
  kRegrips,
  kLevels,
  kHesitates,
  kHunts,
  kSwings,
  kFeedsBack,
  kFellsAstray,
  kSpoilsPiles
};
inline constexpr int kHabits = 14;  // the rule's number less 1

enum class Measure {
  kShare,
  kMedian
};  // share of the occasions beyond the limit; median of their values

struct Rule {
  std::string_view habit;       // "works too far out"
  std::string_view occasion;    // an occasion of it, in the plural: "grips"
  std::string_view definition;  // of an occasion that counts
  double limit;                 // of an occasion's value
  double threshold;             // of the share or of the median
  Measure measure;
  bool below;               // the median is too small
  double cost_s;            // of an occasion that counts
  std::string_view cost;    // where that comes from
  std::string_view source;  // of limit and threshold
  std::uint32_t needs;      // bits of Signal
  // To the operator; {0}: occasions that count, {1}: all of them, {2}: share or median in percent, {3}: lost time.
  std::string_view advice, praise;
  std::string_view off;  // why it is not on; empty: it is
};

inline constexpr std::string_view kUnchecked = "not yet checked on people";

std::span<const Rule, kHabits> rules();
constexpr int number_of(Habit habit) { return static_cast<int>(habit) + 1; }
inline const Rule& rule_of(Habit habit) { return rules()[static_cast<std::size_t>(habit)]; }

// Rows in Markdown for the reference.
std::string rule_rows();
std::string sentence_rows();
// "the tip at 50 Hz, grips and releases", of bits.
std::string signal_names(std::uint32_t bits);

}  // namespace knuckleboom::coach
