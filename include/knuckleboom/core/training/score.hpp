// Figures of an attempt. Pure: reads observations only, so that live, headless, replayed runs and
// logs of real machines agree. docs/reference/figures.md defines each figure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::training {

// Incremented whenever a figure, an event or a result is taken otherwise than before: attempts are compared
// only within one version. docs/reference/figures.md lists them.
inline constexpr int kJudging = 4;

// Figures of an attempt so far, as numbers; kFigures says what each is.
struct Score {
  double time_s;
  double path_m;
  double shortest_m;
  double path_ratio;
  double extra_way_m;
  double collisions;
  double collision_impulse_Ns;
  double end_stop_hits;
  double relief_s;
  double lever_reversals;
  double together;
  double energy_J;
  double placed;
  double error_m;
  double overshoot_m;
  double cycles;
  double cycle_s;
  double reach_s;
  double grip_s;
  double move_s;
  double release_s;
  double legs;
  double smoothness;
  double movements_per_leg;
  double submovements_per_leg;
  double swing_peak_rad;
  double swing_leg_rad;
  double lever_movements;
  double control_effort_s;
  double still_s;
  double reversals_per_leg;
  double lever_movements_per_leg;
  double effort_per_leg_s;
  double energy_per_leg_J;
  double driven_m;
  double drive_speed;
  double on_way;
  double counted_s;
  double faultless;
  double set_down_m_s;
  double load_acceleration_m_s2;
  double fall_error_rad;
  double stump_m;
  double stems_hit;
  double length_right;
  double fed_back;
  double value_share;
  double piled;
  double mixed;
  double logs_on_way;
  double rut_m;
  double deep_ruts;
  double basal_area_m2_ha;
  double basal_removed;
  double damaged;
  double technique;
  double points;
  double diagnosis_s;
  double diagnosis_right;
};

// Parts of an observation, as bits of a set: those in a log, those that a figure is read from.
enum Observed : std::uint32_t {
  kObservedTip = 1u << 0,
  kObservedHead = 1u << 1,
  kObservedLevers = 1u << 2,
  kObservedDemand = 1u << 3,
  kObservedContacts = 1u << 4,
  kObservedStops = 1u << 5,
  kObservedRelief = 1u << 6,
  kObservedPump = 1u << 7,
  kObservedGrip = 1u << 8,
  kObservedTask = 1u << 9,  // the task; not in a log
  kObservedImpulse = 1u << 10,
  kObservedDense = 1u << 11,   // the tip at a sufficient rate for its jerk
  kObservedWay = 1u << 12,     // the tip with noise too low to lengthen its path
  kObservedCalm = 1u << 13,    // the tip with noise too low to look like movement
  kObservedTravel = 1u << 14,  // the functions' positions over their full speeds
  kObservedDrive = 1u << 15,   // the speed of the carrier's wheels
};
// By the number of the bit, for people.
inline constexpr std::string_view kObservedNames[] = {
    "tip",  "head", "levers",  "demands", "contacts",  "end stops", "relief",    "pump",
    "grip", "task", "impulse", "25 Hz",   "calm path", "calm tip",  "functions", "wheels"};

enum class Better { kLess, kMore, kNeither };

// Everything that the program knows about a figure. Score's state, limits of exercises, panels,
// summaries, judge, learners, channels and attributes of sessions, report and
// docs/reference/figures.md follow.
struct Figure {
  state::Field field;     // its place in the state; its name is the key in files: "time_s"
  double Score::*member;  // where it is read
  std::string_view name;
  std::string_view label;
  std::string_view unit;  // empty: a number
  Better better;
  int decimals;  // as shown to people, in the unit (angles: in degrees)
  std::string_view description;
  std::uint32_t needs = 0;  // bits of Observed; without one of them it is unknown
  bool in_detail = false;   // for reports only, not shown while driving
  bool averages = false;    // a mean: 0 if there was nothing to average
  bool curve = false;       // followed over the attempts of a learner
  bool clock = false;       // shown in minutes and seconds
  bool negative = false;    // may be below 0
  bool elapsed = true;      // seconds are elapsed time, not an integral over it

  double read(const Score& score) const { return score.*member; }

  constexpr Figure from(std::uint32_t observed) const {
    return with([&](Figure& f) { f.needs = observed; });
  }
  constexpr Figure detail() const {
    return with([](Figure& f) { f.in_detail = true; });
  }
  constexpr Figure mean() const {
    return with([](Figure& f) { f.averages = true; });
  }
  constexpr Figure followed() const {
    return with([](Figure& f) { f.curve = true; });
  }
  constexpr Figure as_clock() const {
    return with([](Figure& f) { f.clock = true; });
  }
  constexpr Figure as_integral() const {
    return with([](Figure& f) { f.elapsed = false; });
  }
  constexpr Figure below_zero() const {
    return with([](Figure& f) { f.negative = true; });
  }
  // May be nan: there is nothing to measure.
  constexpr Figure perhaps() const {
    return with([](Figure& f) { f.field.limits = state::kPerhaps; });
  }
  // Likewise, in most exercises: nan is the neutral value, so that states of sessions recorded before there was
  // the figure stay as they were.
  constexpr Figure seldom() const {
    return with([](Figure& f) {
      f.field.limits = state::kPerhaps;
      f.field.neutral = state::value_bits(std::numeric_limits<double>::quiet_NaN());
    });
  }

 private:
  template <class Change>
  constexpr Figure with(Change change) const {
    Figure copy = *this;
    change(copy);
    return copy;
  }
};

#define KB_FIGURE(member, ...) \
  Figure { KB_FIELD(member), &S::member, #member, __VA_ARGS__ }
// In the order of the members of Score.
inline constexpr auto kFigures = [] {
  using S = Score;
  using enum Better;
  constexpr std::uint32_t kCycle = kObservedTip | kObservedGrip;
  constexpr std::uint32_t kPart = kCycle | kObservedCalm;
  constexpr std::uint32_t kWay = kObservedTip | kObservedWay;
  constexpr std::uint32_t kDense = kObservedTip | kObservedDense | kObservedCalm;
  return std::array{
      KB_FIGURE(
          time_s, "Time", "s", kLess, 1,
          "from the first lever movement on, in whole ticks, and what passed before it beyond 10 s "
          "from the start")
          .followed()
          .as_clock(),
      KB_FIGURE(path_m, "Tip path", "m", kLess, 2,
                "way of the tip, from tick to tick; in a log, of the tip smoothed with 1 Hz")
          .from(kWay),
      KB_FIGURE(shortest_m, "Shortest path", "m", kNeither, 2,
                "sum of the straight legs so far, between the places where the tip did its work")
          .from(kCycle),
      KB_FIGURE(path_ratio, "Path over shortest", "", kLess, 2,
                "tip path up to the end of the last leg, over the shortest path; 0 before the "
                "first leg has ended")
          .from(kWay | kObservedGrip)
          .mean()
          .followed(),
      KB_FIGURE(extra_way_m, "Extra way", "m", kLess, 2,
                "tip path up to the end of the last leg, less the shortest path")
          .from(kWay | kObservedGrip)
          .detail(),
      KB_FIGURE(collisions, "Collisions", "", kLess, 0,
                "contacts begun between machine (or held log) and what is not to be touched")
          .from(kObservedContacts),
      KB_FIGURE(collision_impulse_Ns, "Collision impulse", "N s", kLess, 0,
                "normal impulse of all contacts with what is not to be touched")
          .from(kObservedImpulse),
      KB_FIGURE(
          end_stop_hits, "End stop hits", "", kLess, 0,
          "times that an actuator ran into its end stop; not that of the jaws, whose work it is")
          .from(kObservedStops),
      KB_FIGURE(relief_s, "Time at relief", "s", kLess, 1,
                "time with at least one relief valve open")
          .from(kObservedRelief),
      KB_FIGURE(lever_reversals, "Lever reversals", "", kLess, 0,
                "turning points of all lever axes: a lever that returns by more than 0.1 of its "
                "travel from its furthest point has reversed")
          .from(kObservedLevers)
          .followed(),
      KB_FIGURE(
          together, "Functions together", "", kMore, 2,
          "share of the functions that made their way at the same time, 0: one after the other, "
          "1: all the way together; mean over the legs by their length")
          .from(kObservedTip | kObservedTravel)
          .mean()
          .followed(),
      KB_FIGURE(energy_J, "Pump work", "J", kLess, 0, "work of the pump on the lines")
          .from(kObservedPump),
      KB_FIGURE(placed, "Done", "", kMore, 0, "targets reached, logs in their bunks, or stops made")
          .from(kObservedTask),
      KB_FIGURE(error_m, "Mean error", "m", kLess, 2,
                "mean over the completed steps: distance from the target's centre when it counted, "
                "or of the log's centre from that of its place, or from the bunk's, along the "
                "bunk; for a path, mean over "
                "its length of the largest distance from its nearest point in each 5 cm; "
                "for a way, distance along it from the stop")
          .from(kObservedTask),
      KB_FIGURE(overshoot_m, "Overshoot", "m", kLess, 2,
                "travel beyond the target along the straight approach to it, mean over the "
                "completed steps (reach, head, logs)")
          .from(kObservedTask)
          .detail(),
      KB_FIGURE(cycles, "Log cycles", "", kNeither, 0,
                "logs gripped, carried and released, in any exercise")
          .from(kCycle)
          .detail(),
      KB_FIGURE(
          cycle_s, "Cycle time", "s", kLess, 1,
          "time of all log cycles, over the logs that were brought; in free play over the cycles")
          .from(kCycle)
          .detail()
          .mean(),
      KB_FIGURE(reach_s, "Reaching", "s", kLess, 1, "part of the cycle time: travelling empty")
          .from(kPart)
          .detail()
          .mean(),
      KB_FIGURE(grip_s, "Gripping", "s", kLess, 1,
                "part of the cycle time: stationary over the log")
          .from(kPart)
          .detail()
          .mean(),
      KB_FIGURE(move_s, "Moving", "s", kLess, 1, "part of the cycle time: travelling with the log")
          .from(kPart)
          .detail()
          .mean(),
      KB_FIGURE(release_s, "Releasing", "s", kLess, 1,
                "part of the cycle time: stationary at the release")
          .from(kPart)
          .detail()
          .mean(),
      KB_FIGURE(legs, "Legs", "", kNeither, 0, "legs that have ended").from(kObservedTip).detail(),
      KB_FIGURE(
          smoothness, "Smoothness (LDLJ)", "", kMore, 2,
          "log dimensionless jerk of the tip's speed over each whole leg, stops included, mean "
          "over the legs by their length: the closer to 0, the smoother; the smoothest "
          "possible motion from rest to rest has -5.32")
          .from(kDense)
          .below_zero()
          .detail()
          .mean(),
      KB_FIGURE(
          movements_per_leg, "Movements per leg", "", kLess, 2,
          "ways of 5 cm or more between rests, mean over the legs; a rest is less than 2 cm in "
          "0.5 s, however the tip creeps")
          .from(kDense)
          .detail()
          .mean(),
      KB_FIGURE(
          submovements_per_leg, "Speed peaks per leg", "", kLess, 2,
          "peaks of the tip's speed, mean over the legs, 1 at best; a peak stands out by a tenth "
          "of the leg's highest speed, and by 0.03 m/s")
          .from(kDense)
          .detail()
          .mean(),
      KB_FIGURE(swing_peak_rad, "Head swing, peak", "rad", kLess, 1,
                "largest angle of the hanging head from the vertical; without a head undefined")
          .from(kObservedHead)
          .detail()
          .perhaps(),
      KB_FIGURE(
          swing_leg_rad, "Head swing per leg", "rad", kLess, 1,
          "largest angle of the hanging head from the vertical in each leg, mean over the legs "
          "by their length; without a head undefined")
          .from(kObservedTip | kObservedHead)
          .detail()
          .mean()
          .perhaps(),
      KB_FIGURE(lever_movements, "Lever movements", "", kLess, 0,
                "times that a lever left neutral: beyond 0.1, after it was below 0.05")
          .from(kObservedLevers)
          .detail(),
      KB_FIGURE(control_effort_s, "Control effort", "s", kLess, 1,
                "integral over time of the sum of the squares of all lever positions")
          .from(kObservedLevers)
          .detail()
          .as_integral(),
      KB_FIGURE(
          still_s, "Standing still", "s", kLess, 1,
          "time in which no function's actuator moved, above 2 % of its full speed, and no wheel "
          "faster than 0.1 m/s")
          .from(kObservedTravel)
          .detail()
          .followed(),
      KB_FIGURE(reversals_per_leg, "Reversals per leg", "", kLess, 2,
                "lever reversals at the end of the last leg, over the legs")
          .from(kObservedTip | kObservedLevers)
          .detail()
          .mean(),
      KB_FIGURE(lever_movements_per_leg, "Lever use per leg", "", kLess, 2,
                "lever movements at the end of the last leg, over the legs")
          .from(kObservedTip | kObservedLevers)
          .detail()
          .mean(),
      KB_FIGURE(effort_per_leg_s, "Effort per leg", "s", kLess, 2,
                "control effort at the end of the last leg, over the legs")
          .from(kObservedTip | kObservedLevers)
          .detail()
          .mean()
          .as_integral(),
      KB_FIGURE(energy_per_leg_J, "Pump work per leg", "J", kLess, 0,
                "work of the pump at the end of the last leg, over the legs")
          .from(kObservedTip | kObservedPump)
          .detail()
          .mean(),
      KB_FIGURE(driven_m, "Driven", "m", kNeither, 1,
                "way of the wheels' treads, forwards and backwards, while they are faster than "
                "0.1 m/s")
          .from(kObservedDrive)
          .detail(),
      KB_FIGURE(drive_speed, "Driving speed", "m/s", kMore, 2,
                "way of the wheels' treads over the time in which they are faster than 0.1 m/s")
          .from(kObservedDrive)
          .detail()
          .mean(),
      KB_FIGURE(on_way, "Wheels on the way", "", kMore, 3,
                "share of the wheels that are on the way with their whole width, the least in each "
                "5 cm of it, mean over its length driven so far")
          .from(kObservedTask)
          .detail()
          .mean()
          .perhaps(),
      KB_FIGURE(
          counted_s, "Time that counts", "s", kLess, 1,
          "time, without the ways to a log that the exercise leaves out, each up to where the "
          "grip is within 1 m of it on the map")
          .from(kObservedTask)
          .detail()
          .as_clock()
          .perhaps(),
      KB_FIGURE(
          faultless, "Without a fault", "", kMore, 2,
          "share of the steps done so far, at the end of all steps, that were right the first "
          "time: a log was let go once, and stayed where it lay")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(
          set_down_m_s, "Set-down speed", "m/s", kLess, 2,
          "highest speed downwards of a log's lowest point, when it came within 2 cm of where "
          "a log lies in its place")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(load_acceleration_m_s2, "Peak acceleration", "m/s2", kLess, 1,
                "largest acceleration of the held log's centre, from its places at 50 Hz")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(fall_error_rad, "Direction of the fall", "rad", kLess, 1,
                "largest angle on the map between where a felled tree lies and where it was to lie")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(stump_m, "Stump", "m", kLess, 2, "height of the highest stump that was left")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(stems_hit, "Stems hit", "", kLess, 0,
                "standing stems that falling ones have come upon")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(length_right, "Lengths right", "", kMore, 2,
                "share of the logs cut as a product whose true length is within 3 cm of the one "
                "wanted")
          .from(kObservedTask)
          .detail()
          .mean()
          .perhaps(),
      KB_FIGURE(fed_back, "Fed back", "", kLess, 2,
                "way by which stems were fed back, over the way by which they were fed towards "
                "their tips")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(value_share, "Value", "", kMore, 2,
                "of the logs by the exercise's prices, over that of the best rows of logs from the "
                "same stems")
          .from(kObservedTask)
          .detail()
          .mean()
          .perhaps(),
      KB_FIGURE(piled, "Piled", "", kMore, 2,
                "share of the logs cut as a product that lie in a place of it, in its direction, "
                "when the last tree was done")
          .from(kObservedTask)
          .detail()
          .mean()
          .seldom(),
      KB_FIGURE(mixed, "Mixed", "", kLess, 2,
                "share of the logs cut as a product that lie in a place of another one, at that "
                "time")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(logs_on_way, "Logs on the road", "", kLess, 0,
                "logs and offcuts that lie on the way, at that time")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(rut_m, "Deepest rut", "m", kLess, 2,
                "estimate of the deepest rut on the way, by passes, wheel load and class of soil; "
                "the ground itself is rigid")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(deep_ruts, "Deep ruts", "", kLess, 3,
                "share of the way driven on with a rut deeper than 10 cm, by the same estimate")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(basal_area_m2_ha, "Basal area", "m2/ha", kNeither, 1,
                "sections at breast height of the trees of the stand that are not felled, by the "
                "stand's area")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(basal_removed, "Basal area removed", "", kNeither, 2,
                "basal area of the stand that has been felled, over that of its marked trees")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(damaged, "Damaged trees", "", kLess, 3,
                "share of the stand's trees that are not felled which a stem, the machine or what "
                "it holds has struck, or its knives have gripped; however lightly")
          .from(kObservedTask)
          .detail()
          .seldom(),
      KB_FIGURE(technique, "Technique", "", kMore, 2,
                "mean of functions together, smoothness, movements per leg and path over shortest, "
                "each from 0 to 1, at the end of an attempt at an exercise that has points")
          .from(kObservedTask)
          .detail()
          .perhaps(),
      KB_FIGURE(points, "Points", "", kMore, 1,
                "of 100, at the end of an attempt at an exercise that has points: 40 for the time, "
                "40 for steps without a fault, 20 for technique; 0 if not all was done or another "
                "limit is broken")
          .from(kObservedTask)
          .detail()
          .followed()
          .perhaps(),
      KB_FIGURE(diagnosis_s, "Diagnosis after", "s", kLess, 1,
                "from the beginning of the fault that was drawn until the operator said what "
                "it is; 0 before that")
          .from(kObservedTask)
          .detail()
          .mean()
          .perhaps(),
      KB_FIGURE(diagnosis_right, "Diagnosis right", "", kMore, 0,
                "1: the operator named kind and function of the fault that had begun; 0: others, "
                "or nothing")
          .from(kObservedTask)
          .detail()
          .perhaps()};
}();
#undef KB_FIGURE

constexpr auto state_fields(const Score* /*type*/) {
  return std::apply([](const auto&... figure) { return state::fields_of<Score>(figure.field...); },
                    kFigures);
}

constexpr std::span<const Figure> figures() { return kFigures; }
// Null: there is no such figure.
const Figure* find_figure(std::string_view name);

// The points of an attempt, and what it takes: docs/theory/judging.md, "Points".
inline constexpr double kPassPoints = 60.0, kGoodPoints = 75.0, kExcellentPoints = 90.0;
inline constexpr double kPassTimeShare = 0.3;
// "excellent", "good"; empty: neither.
std::string_view grade(double points);
struct Points;
enum class TaskKind : std::int32_t;
// 0 beginner's time or longer to 1 experienced operator's or shorter.
double time_share(const Points& times, double counted_s);
// 0 to 1. What is undefined counts as 0.
double technique(const Score& score);

// It is 0, and can be nothing else in such a task: logs are counted where none are carried.
bool tells_nothing(TaskKind task, const Figure& figure, double value);

// Undefined: a mean over nothing, or NaN. It violates every limit.
bool is_undefined(const Figure& figure, double value);

}  // namespace knuckleboom::training
