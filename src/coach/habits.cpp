#include "coach/habits.hpp"

#include <fmt/format.h>

namespace knuckleboom::coach {
namespace {

constexpr std::string_view kEstimate = "estimate";
constexpr std::string_view kMeasured = "as it took";

constexpr std::array<Rule, kHabits> kRules = {{
    {.habit = "works too far out",
     .occasion = "grips",
     .definition =
         "grip outside the load space with the tip more than 7 m from the crane's foot, on "
         "a machine that drives",
     .limit = 7.0,
     .threshold = 0.30,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 2.0,
     .cost = kEstimate,
     .source = "Hartsch et al. 2022: best at 4 to 6 m, reposition often; limits estimated",
     .needs = kTip | kGrips | kWork | kReach | kDriving,
     .advice = "{0} of {1} grips were more than 7 m out: drive up first.",
     .praise = "You kept the grips within good reach.",
     .off = {}},
    {.habit = "works too close",
     .occasion = "grips",
     .definition =
         "grip outside the load space with the tip less than 3 m from the crane's foot, on "
         "a machine that drives",
     .limit = 3.0,
     .threshold = 0.20,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 2.0,
     .cost = kEstimate,
     .source = "the same; limits estimated",
     .needs = kTip | kGrips | kWork | kReach | kDriving,
     .advice =
         "{0} of {1} grips were less than 3 m away: stop a little earlier, the boom has no room "
         "there.",
     .praise = "You stopped where the boom had room.",
     .off = {}},
    {.habit = "one function after the other",
     .occasion = "legs of more than 2 m",
     .definition = "functions together in the leg",
     .limit = 0.30,
     .threshold = 0.30,
     .measure = Measure::kMedian,
     .below = true,
     .cost_s = 1.5,
     .cost = "estimate: a quarter of the leg's time",
     .source = "better operators overlap (Purfuerst and Erler 2012); limit estimated",
     .needs = kTip | kTravel,
     .advice =
         "You moved one function after the other in most of {1} ways: begin to slew while you "
         "still lift.",
     .praise = "You moved the functions well together.",
     .off = {}},
    {.habit = "turns the grapple at the end",
     .occasion = "legs of more than 1 m in which it turns",
     .definition = "more than half of the rotator's way after the tip has come within 0.5 m of the "
                   "leg's end",
     .limit = 0.50,
     .threshold = 0.40,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 1.0,
     .cost = "the turn after the arrival, at full speed",
     .source = kEstimate,
     .needs = kTip | kTravel | kRotator,
     .advice = "In {0} of {1} ways the grapple turned only at the end: turn it on the way.",
     .praise = "You turned the grapple on the way.",
     .off = {}},
    {.habit = "drags",
     .occasion = "logs carried",
     .definition = "more than 0.5 m level way with a log on the ground",
     .limit = 0.50,
     .threshold = 0.20,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 1.5,
     .cost = kMeasured,
     .source = kEstimate,
     .needs = kTip | kGrips | kWork,
     .advice = "{0} of {1} logs were dragged over the ground: lift before you swing.",
     .praise = "You lifted the logs before you swung.",
     .off = {}},
    {.habit = "half grabs",
     .occasion = "grabs from a pile",
     .definition = "logs taken over what grapple or pile would have given",
     .limit = 0.60,
     .threshold = 0.60,
     .measure = Measure::kMedian,
     .below = true,
     .cost_s = 10.0,
     .cost = kEstimate,
     .source = "Hartsch et al. 2022: a pile is a full grapple load; limit estimated",
     .needs = kNoSource,
     .advice = "Your grabs were {2} % full in the middle: take more logs at once.",
     .praise = "Your grabs were full.",
     .off =
         "no exercise asks for full grabs, and no machine tells how many logs its grapple takes"},
    {.habit = "drops and takes again",
     .occasion = "grabs",
     .definition =
         "grab of the log that was let go just before, outside the load space and within 2 m "
         "(REGRIP)",
     .limit = 0.0,
     .threshold = 0.15,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 14.4,
     .cost = "Humphrey et al. 2026: 14.4 s each",
     .source = "Humphrey et al. 2026; limit estimated",
     .needs = kTip | kGrips | kWork,
     .advice =
         "{0} of {1} grabs were taken again, which cost about {3}: close firmly at the middle of "
         "the log.",
     .praise = "What you took you held.",
     .off = {}},
    {.habit = "levels every bundle",
     .occasion = "logs carried",
     .definition = "set on end to level it (LEVEL)",
     .limit = 0.0,
     .threshold = 0.30,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 6.1,
     .cost = "Humphrey et al. 2026: 6.1 s each",
     .source = "Humphrey et al. 2026; limit estimated; in an exercise whose logs lie flush",
     .needs = kTip | kGrips | kWork,
     .advice = "{0} of {1} logs were levelled, about {3} in all: they were straight, load them.",
     .praise = "You loaded straight logs as they were.",
     .off = {}},
    {.habit = "hesitates",
     .occasion = "cycles from grab to grab, or from target to target",
     .definition =
         "share of the crane's time at rest: less than 2 cm in 0.5 s, and no actuator moves; "
         "driving does not count",
     .limit = 0.15,
     .threshold = 0.15,
     .measure = Measure::kMedian,
     .below = false,
     .cost_s = 3.0,
     .cost = "the rest beyond the limit",
     .source = "good operators keep the boom moving (Purfuerst and Erler 2012); limit estimated",
     .needs = kTip | kGrips | kWork,
     .advice =
         "The crane stood still for {2} % of the time, about {3} too long: look where to go next "
         "while it still moves.",
     .praise = "You kept the boom moving.",
     .off = {}},
    {.habit = "hunts at the target",
     .occasion = "legs of more than 1 m",
     .definition =
         "within 1 m of the leg's end more than 3 peaks of the tip's speed, or more than 4 "
         "levers moved over to the other side",
     .limit = 3.0,
     .threshold = 0.30,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 3.0,
     .cost = "the time within 1 m beyond 2 s, at most 8 s",
     .source = kEstimate,
     .needs = kTip,
     .advice = "In {0} of {1} ways you hunted for the target: slow down earlier, correct once.",
     .praise = "You arrived without hunting.",
     .off = {}},
    {.habit = "swinging arrival",
     .occasion = "grips",
     .definition =
         "the hanging head is more than 0.2 rad from the vertical when the jaws begin to close",
     .limit = 0.20,
     .threshold = 0.25,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 2.0,
     .cost = kEstimate,
     .source = kEstimate,
     .needs = kTip | kGrips | kWork | kHead,
     .advice =
         "In {0} of {1} grips the grapple still swung when it closed: let it run out ahead of the "
         "tip.",
     .praise = "The grapple hung still when it closed.",
     .off = {}},
    {.habit = "feeds back",
     .occasion = "stems",
     .definition = "length fed backwards over the stem's length",
     .limit = 0.10,
     .threshold = 0.10,
     .measure = Measure::kMedian,
     .below = false,
     .cost_s = 3.0,
     .cost = kEstimate,
     .source = kEstimate,
     .needs = kNoSource,
     .advice = "You fed {2} % of a stem backwards: set the length before you pass it.",
     .praise = "You stopped the feed at the length.",
     .off = "no head feeds yet"},
    {.habit = "fells towards what stays",
     .occasion = "trees",
     .definition = "more than 20 degrees from the planned direction, or a standing tree touched",
     .limit = 20.0,
     .threshold = 0.20,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 5.0,
     .cost = kEstimate,
     .source = "damage to what remains; limits estimated",
     .needs = kNoSource,
     .advice = "{0} of {1} trees fell astray: turn the head before you saw.",
     .praise = "The trees fell where you wanted them.",
     .off = "no exercise has eight trees to fell"},
    {.habit = "spoils the forwarder's work",
     .occasion = "piles",
     .definition =
         "less than 60 % of a grapple load, mixed, or headings that spread by more than 20 "
         "degrees",
     .limit = 0.60,
     .threshold = 0.30,
     .measure = Measure::kShare,
     .below = false,
     .cost_s = 10.0,
     .cost = kEstimate,
     .source = "Hartsch et al. 2022; limits estimated",
     .needs = kNoSource,
     .advice = "{0} of {1} piles were small or mixed: one pile of six, not two of three.",
     .praise = "Your piles are full grapple loads.",
     .off = "no exercise asks for piles yet"},
}};

std::string threshold_text(const Rule& rule) {
  if (rule.measure == Measure::kShare)
    return fmt::format("share > {:.0f} %", 100.0 * rule.threshold);
  return fmt::format("median {} {:g}", rule.below ? '<' : '>', rule.threshold);
}

}  // namespace

std::span<const Rule, kHabits> rules() { return kRules; }

std::string rule_rows() {
  std::string out =
      "| # | habit | occasions | counts if | speaks at | seconds lost | source | state |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (int i = 0; i < kHabits; ++i) {
    const Rule& rule = kRules[static_cast<std::size_t>(i)];
    std::string seconds = rule.cost == kEstimate ? fmt::format("{:g} s each, estimate", rule.cost_s)
                                                 : std::string(rule.cost);
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", i + 1, rule.habit,
                       rule.occasion, rule.definition, threshold_text(rule), seconds, rule.source,
                       rule.off.empty() ? fmt::format("on, {}", kUnchecked)
                                        : fmt::format("not yet: {}", rule.off));
  }
  return out;
}

std::string signal_names(std::uint32_t bits) {
  std::string out;
  for (std::size_t bit = 0; bit < kSignalNames.size(); ++bit)
    if ((bits >> bit & 1U) != 0) out += (out.empty() ? "" : ", ") + std::string(kSignalNames[bit]);
  return out;
}

std::string sentence_rows() {
  std::string out = "| # | sentence | praise | from |\n|---|---|---|---|\n";
  for (int i = 0; i < kHabits; ++i) {
    const Rule& rule = kRules[static_cast<std::size_t>(i)];
    const std::string needs = signal_names(rule.needs & ~kNoSource);
    out += fmt::format("| {} | {} | {} | {} |\n", i + 1,
                       fmt::format(fmt::runtime(rule.advice), "N", "M", "P", "T"), rule.praise,
                       needs.empty() ? "-" : needs);
  }
  return out;
}

}  // namespace knuckleboom::coach
