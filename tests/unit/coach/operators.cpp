#include "unit/coach/operators.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "coach/advice.hpp"

namespace knuckleboom::coach_test {
namespace {

constexpr double kStep = training::kElementSample;
constexpr double kPi = 3.14159265358979323846;

// A crane in cylindrical coordinates: slew, reach, height, rotator, jaws; each moved by a function of its own.
enum Function { kSlew, kOut, kUp, kTurn, kJaws };
constexpr int kFunctions = 5;
constexpr double kFull[kFunctions] = {0.75, 1.2, 1.0, 1.8, 1.2};  // rad/s, m/s, m/s, rad/s, 1/s
constexpr double kBoxSlew = kPi, kBoxReach = 3.5, kBoxUp = 1.6, kOver = 2.8;
constexpr double kTogetherClean = 0.60;  // of an operator without the habit

constexpr double kRestAnyway = 0.5;  // s of a cycle, where moves follow each other

using Joints = std::array<double, kFunctions>;

// How the moves follow each other.
struct Pace {
  double overlap = 0.0;  // of the moves, 0 to 1
  double rest = 0.0;     // between them, over the time of a cycle
};

// From rest to rest with the least jerk: share of the way and of the peak speed.
double way_at(double s) { return s * s * s * (10.0 + s * (6.0 * s - 15.0)); }

class Operator {
 public:
  Operator(const Style& style, const Pace& pace, std::uint64_t seed,
           const std::function<void(const coach::Sample&)>& to)
      : style_(style), pace_(pace), random_(seed), to_(to) {}

  void work() {
    for (int h = 0; h < kHabits; ++h) draw(static_cast<Habit>(h));
    keep_apart(shows_[static_cast<std::size_t>(Habit::kFarOut)],
               shows_[static_cast<std::size_t>(Habit::kTooClose)]);
    q_ = {kBoxSlew, kBoxReach, kOver, 0.0, 0.2};
    hold(1.0);
    for (cycle_ = 0; cycle_ < style_.cycles; ++cycle_) {
      if (cycle_ % 6 == 5) drive();
      cycle();
    }
    hold(1.0);
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double severity(Habit habit) const { return style_.severity[static_cast<std::size_t>(habit)]; }
  bool shows(Habit habit) const {
    return shows_[static_cast<std::size_t>(habit)][static_cast<std::size_t>(cycle_)];
  }
  // Share of the logs that are taken again, for a share of the grabs.
  static double again_of(double share) { return share / (1.0 - std::min(share, 0.5)); }
  // In which cycles a habit shows.
  void draw(Habit habit) {
    const coach::Rule& rule = coach::rule_of(habit);
    std::vector<bool>& shows = shows_[static_cast<std::size_t>(habit)];
    const auto n = static_cast<std::size_t>(style_.cycles);
    shows.assign(n, false);
    if (rule.measure != coach::Measure::kShare) return;
    double share = severity(habit) * rule.threshold;
    // A share of the grabs: a log that is taken again is grabbed and carried twice, and swings, drags or is set on end
    // once.
    if (habit == Habit::kRegrips)
      share = again_of(share);
    else if (habit == Habit::kDrags || habit == Habit::kLevels || habit == Habit::kSwings)
      share *=
          1.0 + again_of(severity(Habit::kRegrips) * coach::rule_of(Habit::kRegrips).threshold);
    share = std::min(1.0, share);
    if (static_cast<int>(habit) != style_.exact) {
      for (std::size_t i = 0; i < n; ++i) shows[i] = uniform(0.0, 1.0) < share;
      return;
    }
    const auto count = static_cast<std::size_t>(std::lround(share * static_cast<double>(n)));
    std::fill_n(shows.begin(), std::min(count, n), true);
    std::shuffle(shows.begin(), shows.end(), random_);
  }

  // No cycle shows both: the second goes to another one.
  static void keep_apart(const std::vector<bool>& first, std::vector<bool>& second) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (!first[i] || !second[i]) continue;
      while (to < first.size() && (first[to] || second[to])) ++to;
      if (to == first.size()) return;
      second[i] = false;
      second[to] = true;
    }
  }

  // --- Samples --------------------------------------------------------------------

  void put(const Joints& to) {
    coach::Sample sample;
    training::Observation& seen = sample.seen;
    training::ElementSample& at = sample.work;
    const double before[3] = {q_[kOut] * std::cos(q_[kSlew]), q_[kOut] * std::sin(q_[kSlew]),
                              q_[kUp]};
    bool moves = false;
    for (int f = 0; f < kFunctions; ++f) {
      const auto i = static_cast<std::size_t>(f);
      const double rate = (to[i] - q_[i]) / kStep / kFull[f];
      moves = moves || std::fabs(rate) > 0.02;
      seen.travel_s[f] = to[i] / kFull[f];
      seen.axis[f] = std::clamp(rate, -1.0, 1.0);
    }
    q_ = to;
    const double tip[3] = {q_[kOut] * std::cos(q_[kSlew]), q_[kOut] * std::sin(q_[kSlew]), q_[kUp]};
    std::normal_distribution<double> noise(0.0, style_.noise_m);
    double step2 = 0.0, to_log2 = 0.0, to_last2 = 0.0, to_box2 = 0.0;
    const double box[3] = {-kBoxReach, 0.0, kBoxUp};
    for (int c = 0; c < 3; ++c) {
      drift_[c] += 0.2 * (noise(random_) - drift_[c]);
      seen.tip_W[c] = tip[c] + drift_[c];
      at.tip_m[c] = tip[c];
      at.tip_m_s[c] = (tip[c] - before[c]) / kStep;
      step2 += (tip[c] - before[c]) * (tip[c] - before[c]);
      to_log2 += (tip[c] - log_[c]) * (tip[c] - log_[c]);
      to_last2 += (tip[c] - last_[c]) * (tip[c] - last_[c]);
      to_box2 += (tip[c] - box[c]) * (tip[c] - box[c]);
    }
    seen.step_m = std::sqrt(step2);
    seen.hang_W[0] = std::sin(swing_);
    seen.hang_W[2] = -std::cos(swing_);
    seen.held = held_;
    seen.speed = speed_;
    at.carrier_m_s = speed_;
    const double log = held_ >= 0 ? 5.0 : std::sqrt(to_log2);
    at.gap_m = std::max(0.0, std::min(log, std::sqrt(to_last2)) - 0.15);
    at.tilt_rad = tilt_;
    at.opening = q_[kJaws];
    at.held = held_;
    at.load = load_;
    at.in_box = std::sqrt(to_box2) < 0.8;
    at.on_ground = held_ >= 0 && (ground_ || (at.in_box && q_[kUp] < kBoxUp + 0.03));
    at.moves = moves;
    sample.reach_m = q_[kOut];
    to_(sample);
    ++put_;
  }
  void hold(double seconds) {
    for (int i = 0; i < std::lround(seconds / kStep); ++i) put(q_);
  }

  // --- Moves ----------------------------------------------------------------------

  struct Move {
    Function function;
    double to;
  };
  // Moves in their order; the more overlap, the earlier each begins.
  void move(const std::vector<Move>& moves, double overlap, double pace = 1.0) {
    struct Part {
      Function function;
      double from, to, begin_s, end_s;
    };
    std::vector<Part> parts;
    double next_s = 0.0, end_s = 0.0;
    std::array<double, kFunctions> free_s{};
    Joints at = q_;
    for (const Move& one : moves) {
      const auto f = static_cast<std::size_t>(one.function);
      const double way = std::fabs(one.to - at[f]);
      const double lasts = std::max(0.3, 1.875 * way / (0.9 * kFull[f]) * pace);
      double begin = std::max((1.0 - overlap) * next_s, free_s[f]);
      if (free_s[f] > 0.0) begin = std::max(begin, end_s - lasts);  // comes down at the end
      parts.push_back({one.function, at[f], one.to, begin, begin + lasts});
      at[f] = one.to;
      free_s[f] = begin + lasts;
      next_s = std::max(next_s + lasts, begin + lasts);
      end_s = std::max(end_s, begin + lasts);
    }
    const int n = static_cast<int>(std::lround(end_s / kStep));
    for (int i = 1; i <= n; ++i) {
      const double t = kStep * i;
      Joints to = q_;
      for (const Part& part : parts) {
        if (t <= part.begin_s) continue;
        const double s = std::min(1.0, (t - part.begin_s) / (part.end_s - part.begin_s));
        to[part.function] = part.from + (part.to - part.from) * way_at(s);
      }
      put(to);
    }
  }
  void place_log(double slew, double reach, double up, double (&p)[3]) {
    p[0] = reach * std::cos(slew);
    p[1] = reach * std::sin(slew);
    p[2] = up;
  }

  // --- A cycle ----------------------------------------------------------------------

  void drive() {
    for (int i = 0; i < std::lround(4.0 / kStep); ++i) {
      speed_ = std::min({1.2, 0.02 * i, 0.02 * (200 - i)});
      put(q_);
    }
    speed_ = 0.0;
    not_work_ += 200;
  }
  void rest(double share_of_it) {
    const std::int64_t before = put_;
    if (rest_s_ > 0.0) hold(rest_s_ * share_of_it);
    not_work_ += put_ - before;
  }
  // Small corrections about the goal, with the levers over to the other side each time.
  void hunt() {
    const double reach = q_[kOut];
    const int times = 5;
    double side = 1.0;
    for (int i = 0; i < times; ++i, side = -side)
      move({{kOut, reach + side * uniform(0.12, 0.2)}}, 1.0, 1.2);
    move({{kOut, reach}}, 1.0);
  }
  // Anybody does these now and then; none is the habit.
  bool now_and_then() { return uniform(0.0, 1.0) < 0.3; }
  void correct() {
    if (now_and_then())
      move({{kOut, q_[kOut] + uniform(-0.2, 0.2)}}, 1.0);
    else if (now_and_then())
      hold(uniform(0.2, 0.7));
  }
  void begin_cycle() {
    swing_ = shows(Habit::kSwings) ? uniform(0.25, 0.4) : uniform(0.02, 0.17);
    const bool far = shows(Habit::kFarOut), close = shows(Habit::kTooClose);
    reach_ = far ? uniform(7.3, 8.5) : close ? uniform(2.1, 2.7) : uniform(3.2, 6.8);
    slew_ = kBoxSlew - uniform(1.1, 2.2) * (uniform(0.0, 1.0) < 0.5 ? 1.0 : -1.0);
    turn_ = uniform(0.5, 1.3) * (uniform(0.0, 1.0) < 0.5 ? 1.0 : -1.0);
    place_log(slew_, reach_, 0.3, log_);
    // Beside the work of the cycle before.
    rest_s_ = last_work_s_ * pace_.rest / (1.0 - pace_.rest) * uniform(0.85, 1.15);
    rest_s_ = std::max(0.0, rest_s_ - kRestAnyway);
  }
  double overlap() { return std::clamp(pace_.overlap + uniform(-0.04, 0.04), 0.0, 1.0); }

  void reach_out() {
    const double pace = uniform(0.95, 1.25), over = overlap();
    const bool late = shows(Habit::kLateTurn);
    std::vector<Move> moves = {{kUp, kOver}, {kSlew, slew_}};
    const double rest_of_turn = now_and_then() ? uniform(0.1, 0.3) * turn_ : 0.0;
    if (!late) moves.push_back({kTurn, turn_ - rest_of_turn});
    moves.push_back({kOut, reach_});
    if (late) {
      move(moves, over, pace);
      move({{kUp, 0.35}, {kTurn, turn_}}, 0.0, pace);
    } else {
      moves.push_back({kUp, 0.35});
      moves.push_back({kJaws, 0.9});
      move(moves, over, pace);
      if (rest_of_turn != 0.0) move({{kTurn, turn_}}, 1.0);
    }
    if (late) move({{kJaws, 0.9}}, 1.0);
    if (shows(Habit::kHunts))
      hunt();
    else
      correct();
  }
  void close_jaws() {
    const double from = q_[kJaws];
    const int n = static_cast<int>(std::lround(uniform(0.6, 1.0) / kStep));
    for (int i = 1; i <= n; ++i) {
      Joints to = q_;
      to[kJaws] = from + (0.3 - from) * i / n;
      if (i == n * 3 / 4) {
        held_ = number_;
        ground_ = true;
      }
      put(to);
    }
    swing_ = 0.02;
  }
  void open_jaws() {
    const int n = static_cast<int>(std::lround(0.6 / kStep));
    for (int i = 1; i <= n; ++i) {
      Joints to = q_;
      to[kJaws] = 0.3 + 0.4 * i / n;
      if (i == n / 3) {
        place_log(q_[kSlew], q_[kOut], q_[kUp], last_);
        held_ = -1;
        ground_ = false;
      }
      put(to);
    }
  }
  void grab_again() {
    // Comes down a little further on, and slips.
    move({{kUp, 0.8}}, 1.0);
    ground_ = false;
    const double side = slew_ > kBoxSlew ? -1.0 : 1.0;
    move({{kSlew, q_[kSlew] + side * 0.9 / q_[kOut]}, {kUp, 0.35}}, 0.6);
    ground_ = true;
    hold(0.3);
    open_jaws();
    hold(0.3);
    std::copy(std::begin(last_), std::end(last_), log_);
    close_jaws();
  }
  void level() {
    move({{kUp, 1.5}}, 1.0);
    ground_ = false;
    move({{kUp, 1.2}}, 1.0);
    ground_ = true;
    for (int i = 0; i < 60; ++i) {
      tilt_ = i < 45 ? 1.0 : std::max(0.1, 1.0 - 0.06 * (i - 44));
      Joints to = q_;
      to[kUp] += i < 30 ? -0.006 : 0.006;
      put(to);
    }
    tilt_ = 0.0;
    ground_ = false;
  }
  void drag(double way) {
    const double side = slew_ > kBoxSlew ? -1.0 : 1.0;
    move({{kSlew, q_[kSlew] + side * way / q_[kOut]}}, 1.0);
  }
  void bring_in() {
    const double pace = uniform(0.95, 1.25), over = overlap();
    if (shows(Habit::kRegrips)) grab_again();
    if (shows(Habit::kDrags))
      drag(uniform(0.8, 1.3));
    else if (now_and_then())
      drag(uniform(0.1, 0.35));
    if (shows(Habit::kLevels)) level();
    ground_ = q_[kUp] < 0.6;
    move({{kUp, q_[kUp] + 0.12}}, 1.0);
    ground_ = false;
    rest(0.4);
    const double drop = kBoxUp + 0.3 + uniform(-0.05, 0.05);
    const bool late = shows(Habit::kLateTurn);
    std::vector<Move> moves = {{kUp, kOver}, {kSlew, kBoxSlew + uniform(-0.05, 0.05)}};
    if (!late) moves.push_back({kTurn, 0.0});
    moves.push_back({kOut, kBoxReach + uniform(-0.1, 0.1)});
    if (late) {
      move(moves, over, pace);
      move({{kUp, drop}, {kTurn, 0.0}}, 0.0, pace);
    } else {
      moves.push_back({kUp, drop});
      move(moves, over, pace);
    }
    if (shows(Habit::kHunts))
      hunt();
    else
      correct();
    move({{kUp, kBoxUp}}, 1.0, 1.6);
    hold(0.2);
    open_jaws();
    ++load_;
  }
  void cycle() {
    begin_cycle();
    const std::int64_t before = put_;
    not_work_ = 0;
    rest(0.6);
    reach_out();
    close_jaws();
    bring_in();
    ++number_;
    last_work_s_ = kStep * static_cast<double>(put_ - before - not_work_);
  }

  Style style_;
  Pace pace_;
  std::mt19937_64 random_;
  const std::function<void(const coach::Sample&)>& to_;
  std::array<std::vector<bool>, kHabits> shows_;
  Joints q_{};
  int cycle_ = 0, number_ = 0, load_ = 0;
  std::int64_t put_ = 0, not_work_ = 0;
  std::int32_t held_ = -1;
  bool ground_ = false;
  double swing_ = 0.02, tilt_ = 0.0, speed_ = 0.0;
  double log_[3] = {}, last_[3] = {-9.0, -9.0, 0.0}, drift_[3] = {};
  double reach_ = 5.0, slew_ = 0.0, turn_ = 0.0, rest_s_ = 0.0, last_work_s_ = 17.0;
};

// Over a whole session, as the rule sees it.
double median_seen(Habit habit, const Style& style, const Pace& pace, std::uint64_t seed) {
  coach::Observer observer(all_told());
  Operator(style, pace, seed, [&](const coach::Sample& sample) { observer.add(sample); }).work();
  const coach::Occasions seen = observer.finish();
  std::vector<double> values;
  for (const coach::Occasion& one : seen[static_cast<std::size_t>(habit)])
    values.push_back(one.value);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double median_together(double overlap) {
  Style style;
  style.cycles = 16;
  return median_seen(Habit::kOneByOne, style, {overlap, 0.0}, 17);
}

// Moves a part of the pace, between 0 and 1, until the habit's median, which rises with it, is as wanted, or as near as
// it comes.
void settle(Habit habit, double wanted, const Style& style, std::uint64_t seed, double Pace::*part,
            Pace& pace) {
  constexpr double kWithin = 0.01;  // of what is wanted
  constexpr int kTries = 12;
  double& value = pace.*part;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < kTries; ++i) {
    const double now = median_seen(habit, style, pace, seed);
    if (std::fabs(now - wanted) < kWithin * wanted) return;
    (now < wanted ? low : high) = value;
    const double guess = value * wanted / std::max(now, 0.1 * wanted);
    value = guess > low && guess < high ? guess : 0.5 * (low + high);
  }
}

}  // namespace

coach::Told all_told() {
  coach::Told told;
  told.signals = ~coach::kNoSource;
  told.rotator = kTurn;
  return told;
}

double overlap_for(double together) {
  static const std::vector<double> table = [] {
    std::vector<double> out;
    for (int i = 0; i <= 20; ++i) out.push_back(median_together(0.05 * i));
    return out;
  }();
  std::size_t i = 1;
  while (i + 1 < table.size() && table[i] < together) ++i;
  const double share = (together - table[i - 1]) / (table[i] - table[i - 1]);
  return 0.05 * (static_cast<double>(i - 1) + std::clamp(share, 0.0, 1.0));
}

void work(const Style& style, std::uint64_t seed,
          const std::function<void(const coach::Sample&)>& to) {
  const auto severity = [&](Habit habit) {
    return style.severity[static_cast<std::size_t>(habit)];
  };
  const double together = std::max(
      0.0, kTogetherClean - severity(Habit::kOneByOne) *
                                (kTogetherClean - coach::rule_of(Habit::kOneByOne).threshold));
  const double rest = severity(Habit::kHesitates) * coach::rule_of(Habit::kHesitates).threshold;
  Pace pace{overlap_for(together), rest};
  // The pauses, corrections and detours of the other habits count as well.
  if (style.exact == static_cast<int>(Habit::kOneByOne))
    settle(Habit::kOneByOne, together, style, seed, &Pace::overlap, pace);
  if (style.exact == static_cast<int>(Habit::kHesitates))
    settle(Habit::kHesitates, rest, style, seed, &Pace::rest, pace);
  Operator(style, pace, seed, to).work();
}

}  // namespace knuckleboom::coach_test
