#include "app/session/coaching.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/session/comparison_key.hpp"
#include "app/session/session_texts.hpp"
#include "language/text.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::app {
namespace {

using Column = std::vector<float>;

constexpr std::string_view kTravelEnding = "_travel_s";
constexpr double kSampleTolerance = 0.02;  // of the step between two rows

// The channels that the coach looks at; empty: not recorded.
class CoachChannels {
 public:
  explicit CoachChannels(const io::SessionRecord& record) : record_(record) {
    constexpr const char* kAxes[] = {"x", "y", "z"};
    for (std::size_t c = 0; c < 3; ++c) {
      tip_[c] = record_.channel_if_known(fmt::format("tip_{}_m", kAxes[c]));
      speed_[c] = record_.channel_if_known(fmt::format("tip_v{}_m_s", kAxes[c]));
    }
    for (std::size_t i = 0; i < command::kLeverAxes; ++i)
      levers_[i] = record_.channel_if_known(fmt::format("lever_{}", command::kLeverAxisNames[i]));
    for (const io::ChannelInfo& channel : record.header.channels) {
      if (!channel.name.ends_with(kTravelEnding) || travel_.size() == sim::kMaxLeverFunctions)
        continue;
      const std::string_view name =
          std::string_view(channel.name).substr(0, channel.name.size() - kTravelEnding.size());
      if (name == "rotator") told_.rotator = static_cast<int>(travel_.size());
      drives_ = drives_ || name == "wheels";
      travel_.push_back(record_.channel_if_known(channel.name));
    }
    constexpr const char* kNames[] = {
        "held_log",  "score_legs",    "speed_m_s", "head_rad",     "reach_m",
        "log_gap_m", "held_tilt_rad", "load_logs", "work_signals", "grapple_opening"};
    static_assert(std::size(kNames) == kOthers);
    for (std::size_t i = 0; i < kOthers; ++i) others_[i] = record_.channel_if_known(kNames[i]);
    tell();
  }

  const coach::Told& told() const { return told_; }

  coach::Sample at(std::size_t row) const {
    coach::Sample out;
    training::Observation& seen = out.seen;
    training::ElementSample& work = out.work;
    training::set_signals(std::lround(value(kSignals, row)), work);
    for (std::size_t c = 0; c < 3; ++c) {
      seen.tip_W[c] = work.tip_m[c] = value(tip_[c], row);
      // On wheels the crane alone, as in the session.
      if (work.moves || others_[kCarrierSpeed].empty()) work.tip_m_s[c] = value(speed_[c], row);
    }
    for (std::size_t i = 0; i < command::kLeverAxes; ++i) seen.axis[i] = value(levers_[i], row);
    for (std::size_t f = 0; f < travel_.size(); ++f) seen.travel_s[f] = value(travel_[f], row);
    seen.legs = value(kLegs, row);
    seen.speed = work.carrier_m_s = value(kCarrierSpeed, row);
    seen.held = work.held =
        others_[kHeld].empty() ? -1 : static_cast<std::int32_t>(std::lround(value(kHeld, row)));
    if (!others_[kSwing].empty()) {
      seen.hang_W[0] = std::sin(value(kSwing, row));
      seen.hang_W[2] = -std::cos(value(kSwing, row));
    }
    work.gap_m = value(kGap, row);
    work.tilt_rad = value(kTilt, row);
    work.load = static_cast<std::int32_t>(std::lround(value(kLoad, row)));
    work.opening = value(kOpening, row);
    out.reach_m = value(kReachOut, row);
    return out;
  }

 private:
  enum Other : std::size_t {
    kHeld,
    kLegs,
    kCarrierSpeed,
    kSwing,
    kReachOut,
    kGap,
    kTilt,
    kLoad,
    kSignals,
    kOpening,
    kOthers
  };

  static double value(const Column& column, std::size_t row) {
    return row < column.size() ? static_cast<double>(column[row]) : 0.0;
  }
  double value(Other what, std::size_t row) const { return value(others_[what], row); }

  bool at_50_Hz() const {
    const auto& ticks = record_.channel_ticks;
    if (ticks.size() < 3) return false;
    const double step = static_cast<double>(ticks[2] - ticks[1]) * record_.tick_s();
    return std::fabs(step / training::kElementSample - 1.0) < kSampleTolerance;
  }

  void tell() {
    told_.free = others_[kLegs].empty();
    std::uint32_t& signals = told_.signals;
    const auto add = [&signals](bool there, std::uint32_t bit) { signals |= there ? bit : 0U; };
    add(!tip_[0].empty() && !tip_[1].empty() && !tip_[2].empty() && at_50_Hz(), coach::kTip);
    add(!others_[kHeld].empty(), coach::kGrips);
    add(!travel_.empty(), coach::kTravel);
    add(told_.rotator >= 0, coach::kRotator);
    add(!others_[kSignals].empty() && !others_[kGap].empty() && !others_[kTilt].empty() &&
            !others_[kOpening].empty() && !speed_[0].empty() && at_50_Hz(),
        coach::kWork);
    add(!others_[kReachOut].empty(), coach::kReach);
    add(drives_, coach::kDriving);
    add(!others_[kSwing].empty(), coach::kHead);
  }

  const io::SessionRecord& record_;
  coach::Told told_;
  bool drives_ = false;
  Column tip_[3], speed_[3], levers_[command::kLeverAxes], others_[kOthers];
  std::vector<Column> travel_;
};

struct Watched {
  coach::Occasions occasions;
  std::vector<double> times_s;  // of each sample, in the session's time
};

double session_time(double at_s, const std::vector<double>& times_s) {
  const auto sample =
      static_cast<std::size_t>(std::max(0.0, std::round(at_s / training::kElementSample)));
  return times_s[std::min(sample, times_s.size() - 1)];
}

Watched watch(const io::SessionRecord& record, const CoachChannels& channels,
              const io::SessionAttempt& attempt) {
  coach::Observer observer(channels.told());
  const auto& ticks = record.channel_ticks;
  std::vector<double> times_s;
  // The figures of an attempt begin with the tick before the first lever movement.
  const std::optional<std::int64_t> moved = first_movement(record, attempt);
  auto tick = std::lower_bound(ticks.begin(), ticks.end(), moved ? *moved - 1 : attempt.end_tick);
  for (; tick != ticks.end() && *tick <= attempt.end_tick; ++tick) {
    observer.add(channels.at(static_cast<std::size_t>(tick - ticks.begin())));
    times_s.push_back(static_cast<double>(*tick - record.header.first_tick) * record.tick_s());
  }
  return {observer.finish(), std::move(times_s)};
}

Coaching look_at(const io::SessionRecord& record, const CoachChannels& channels,
                 const io::SessionAttempt& attempt) {
  const Watched watched = watch(record, channels, attempt);
  return coaching_of(coach::advise(watched.occasions, channels.told()), watched.times_s);
}

}  // namespace

Coaching coach_attempt(const io::SessionRecord& record, std::size_t index) {
  return look_at(record, CoachChannels(record), record.attempts.at(index));
}

std::vector<Coaching> coach_attempts(const io::SessionRecord& record) {
  const CoachChannels channels(record);
  std::vector<Coaching> out;
  for (const io::SessionAttempt& attempt : record.attempts)
    out.push_back(look_at(record, channels, attempt));
  return out;
}

std::vector<CoachView> coach_views(const io::SessionRecord& record) {
  const CoachChannels channels(record);
  std::vector<CoachView> out;
  for (const io::SessionAttempt& attempt : record.attempts) {
    Watched watched = watch(record, channels, attempt);
    for (auto& occasions : watched.occasions)
      for (coach::Occasion& one : occasions) {
        one.begin_s = session_time(one.begin_s, watched.times_s);
        one.at_s = session_time(one.at_s, watched.times_s);
      }
    out.push_back({std::move(watched.occasions), channels.told()});
  }
  return out;
}

Coaching coaching_of(const coach::Advice& advice, const std::vector<double>& times_s) {
  Coaching out;
  const auto add = [&](const coach::Finding& finding) {
    CoachLine line;
    line.text = coach::advice_text(finding);
    line.finding = finding;
    for (const double at_s : finding.marks_s)
      if (!times_s.empty()) line.marks_s.push_back(session_time(at_s, times_s));
    out.lines.push_back(std::move(line));
  };
  for (const coach::Finding* one : advice.said()) add(*one);
  if (const coach::Finding* praise = advice.praise()) add(*praise);
  for (const coach::Finding& one : advice.findings) {
    const coach::Rule& rule = coach::rule_of(one.habit);
    const std::string name = fmt::format("{} {}", coach::number_of(one.habit), rule.habit);
    const auto because = [&](const std::string& why) {
      // Rules with the same reason stand together.
      const std::string ending = ": " + why;
      if (!out.silent.empty() && out.silent.back().ends_with(ending))
        out.silent.back().replace(out.silent.back().size() - ending.size(), ending.size(),
                                  ", " + name + ending);
      else
        out.silent.push_back(name + ending);
    };
    switch (one.verdict) {
      case coach::Verdict::kOff:
        because(std::string(rule.off));
        break;
      case coach::Verdict::kNotFed:
        because("without " + one.missing);
        break;
      case coach::Verdict::kTooFew:
        because(fmt::format("{} of at least {} {}", one.occasions, coach::kLeastOccasions,
                            rule.occasion));
        break;
      case coach::Verdict::kQuiet:
      case coach::Verdict::kPraised:
      case coach::Verdict::kAdvised:
        out.seen.push_back(
            rule.measure == coach::Measure::kShare
                ? fmt::format("{}: {} of {} {}", name, one.counted, one.occasions, rule.occasion)
                : fmt::format("{}: median {:.2f} of {} {}", name, one.figure, one.occasions,
                              rule.occasion));
        break;
    }
  }
  return out;
}

std::string nearest_miss(const training::Exercise& exercise, const training::Score& score) {
  int missed = 0;
  double nearest = std::numeric_limits<double>::infinity();
  std::string out;
  for (const training::Limit& limit : exercise.limits) {
    const training::Figure* figure = training::find_figure(limit.figure);
    if (figure == nullptr) continue;
    const double value = figure->read(score);
    if (!is_beyond(*figure, limit, value, true)) continue;
    ++missed;
    if (training::is_undefined(*figure, value)) continue;
    const double bound = limit.has_most && value > limit.most ? limit.most : limit.least;
    // As a share of the limit; where none is allowed, each counts.
    const double off = std::fabs(value - bound) / (bound != 0.0 ? std::fabs(bound) : 1.0);
    if (off >= nearest) continue;
    nearest = off;
    out = tr_format("Begin with what is nearest to a pass. {}: {}, {}.", tr(figure->label),
                    value_text(*figure, value), limit_text(*figure, limit));
  }
  return missed > 1 ? out : std::string();
}

std::string coach_sentence(const CoachLine& line) {
  std::string times;
  for (const double at_s : line.marks_s)
    times += (times.empty() ? "" : ", ") + view::panels::clock_text(at_s);
  return times.empty() ? line.text : tr_format("{} Look at {}.", line.text, times);
}

std::string to_text(const Coaching& coaching) {
  std::string text = fmt::format("  Advice ({})\n", coach::kUnchecked);
  for (const CoachLine& line : coaching.lines)
    text += fmt::format("    {} {}\n",
                        line.finding.verdict == coach::Verdict::kPraised
                            ? "+"
                            : fmt::format("{}", coach::number_of(line.finding.habit)),
                        coach_sentence(line));
  if (coaching.lines.empty()) text += "    nothing to say\n";
  for (const std::string& seen : coaching.seen) text += fmt::format("    looked at {}\n", seen);
  for (const std::string& silent : coaching.silent)
    text += fmt::format("    not looked at: {}\n", silent);
  return text;
}

}  // namespace knuckleboom::app
