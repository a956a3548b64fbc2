#include "knuckleboom/core/training/scorer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::training {
namespace {

// Thresholds; docs/reference/figures.md.
constexpr double kReversal = 0.1;        // a lever must return by this to count as reversed
constexpr double kNeutral = 0.05;        // a lever below it is back in neutral
constexpr double kOnTheWay = 0.1;        // m/s, horizontally
constexpr double kShortApproach = 0.05;  // m
constexpr double kLeastWeight = 1e-3;    // m; of a leg that ends where it began
constexpr double kDriving = 0.1;         // m/s of the wheels

// Butterworth low-pass of second order, 5 Hz at kLegSample, by the bilinear transformation.
constexpr double kB0 = 0.067455273889071896, kB1 = 0.13491054777814379;
constexpr double kA1 = -1.1429805025399011, kA2 = 0.41280159809618866;

void copy(const double (&from)[3], double (&to)[3]) {
  for (int c = 0; c < 3; ++c) to[c] = from[c];
}

// --- Levers -------------------------------------------------------------------

// A lever turns when it comes back from its furthest point by more than the hysteresis.
void follow_lever(double axis, double& furthest, std::int32_t& direction, double& reversals) {
  const double moved = axis - furthest;
  if (direction != 0 && moved * direction > 0.0) {
    furthest = axis;
  } else if (std::fabs(moved) > kReversal) {
    if (direction != 0) reversals += 1.0;
    direction = moved > 0.0 ? 1 : -1;
    furthest = axis;
  }
}

void gather_levers(const Observation& at, ScoreState& state) {
  Score& score = state.score;
  for (int i = 0; i < command::kLeverAxes; ++i) {
    const double axis = at.axis[i];
    follow_lever(axis, state.last_axis[i], state.direction[i], score.lever_reversals);
    score.control_effort_s += at.dt * axis * axis;
    if (state.out[i] == 0 && std::fabs(axis) > kReversal) {
      state.out[i] = 1;
      score.lever_movements += 1.0;
    } else if (std::fabs(axis) < kNeutral) {
      state.out[i] = 0;
    }
  }
}

void gather_drive(const Observation& at, ScoreState& state) {
  if (std::fabs(at.speed) <= kDriving) return;
  state.drive_s += at.dt;
  state.score.driven_m += at.dt * std::fabs(at.speed);
  state.score.drive_speed = state.score.driven_m / state.drive_s;
}

// --- Log cycles ---------------------------------------------------------------

void finish_cycle(double now_s, ScoreState& state) {
  CycleState& cycle = state.cycle;
  cycle.reach_sum += cycle.grip_s - cycle.begin_s;
  cycle.grip_sum += cycle.move_s - cycle.grip_s;
  cycle.move_sum += cycle.release_s - cycle.move_s;
  cycle.release_sum += now_s - cycle.release_s;
  cycle.begin_s = now_s;
  cycle.phase = CyclePhase::kReach;
  state.score.cycles += 1.0;
}

// Over the logs that the task wanted, a leg to each and a leg with it: cycles that bring nothing add their
// time and no weight.
void take_cycle_means(bool free, ScoreState& state) {
  const CycleState& cycle = state.cycle;
  Score& score = state.score;
  const double logs = free ? score.cycles : std::min(score.cycles, std::floor(0.5 * score.legs));
  if (logs == 0.0) return;
  score.reach_s = cycle.reach_sum / logs;
  score.grip_s = cycle.grip_sum / logs;
  score.move_s = cycle.move_sum / logs;
  score.release_s = cycle.release_sum / logs;
  score.cycle_s = cycle.begin_s / logs;
}

// The tip moves fast horizontally: the crane travels.
void set_out(double now_s, ScoreState& state) {
  state.motion.fast_s = now_s;
  if (state.cycle.phase == CyclePhase::kGrip) {
    state.cycle.move_s = now_s;
    state.cycle.phase = CyclePhase::kMove;
  } else if (state.cycle.phase == CyclePhase::kRelease) {
    finish_cycle(now_s, state);
  }
}

void gather_grip(bool free, const Observation& at, ScoreState& state) {
  CycleState& cycle = state.cycle;
  const bool held = at.held >= 0, before = cycle.held >= 0;
  cycle.held = at.held;
  if (held) {
    copy(at.tip_W, state.leg_end_W);
    state.leg_end_path_m = state.score.path_m;
  }
  if (held == before) return;
  if (!held) note_release(at.tip_W, state.legs);
  const double arrived = state.motion.fast_s;
  if (held && cycle.phase == CyclePhase::kReach) {
    cycle.grip_s = std::max(arrived, cycle.begin_s);
    cycle.phase = CyclePhase::kGrip;
  } else if (held) {  // gripped again before the crane had left
    cycle.phase = CyclePhase::kMove;
  } else if (cycle.phase == CyclePhase::kMove) {
    cycle.release_s = std::max(arrived, cycle.move_s);
    cycle.phase = CyclePhase::kRelease;
  } else {  // lost before it was moved
    cycle.phase = CyclePhase::kReach;
  }
  if (free) end_leg(state);
}

// --- The tip's motion ---------------------------------------------------------

double low_pass(double x, double& s1, double& s2) {
  const double y = kB0 * x + s1;
  s1 = kB1 * x - kA1 * y + s2;
  s2 = kB0 * x - kA2 * y;
  return y;
}

void take_sample(const Vec3& tip_W, const Observation& at, ScoreState& state) {
  MotionState& motion = state.motion;
  const double now_s = kLegSample * static_cast<double>(motion.samples++);
  Vec3 step;
  for (int c = 0; c < 3; ++c) {
    const double p = low_pass(tip_W(c), motion.filter[2 * c], motion.filter[2 * c + 1]);
    step(c) = p - motion.p_W[c];
    motion.p_W[c] = p;
  }
  const double speed = step.norm() / kLegSample;
  const LegSample sample{{motion.p_W[0], motion.p_W[1], motion.p_W[2]},
                         {speed, motion.speed[0], motion.speed[1]},
                         at.travel_s,
                         at.unmeasured != 0};
  if (!follow_leg(sample, state.legs) && std::fabs(at.speed) <= kDriving)
    state.score.still_s += kLegSample;
  motion.speed[1] = motion.speed[0];
  motion.speed[0] = speed;
  if (std::sqrt(step.x() * step.x() + step.y() * step.y()) >= kOnTheWay * kLegSample)
    set_out(now_s, state);

  const Vec3 hang = vec(at.hang_W);
  if (hang.isZero(0.0)) return;  // there is no head
  const double angle = angle_between_lines(hang, Vec3::UnitZ());
  motion.swing_peak = std::max(motion.swing_peak, angle);
  state.score.swing_peak_rad = std::max(state.score.swing_peak_rad, angle);
}

// Samples are on their own grid; between two ticks the tip moves in a straight line.
void gather_motion(const Observation& at, ScoreState& state) {
  constexpr double kSlack = 1e-9;  // s
  const double now_s = at.dt * static_cast<double>(at.ticks);
  const Vec3 from = vec(state.last_tip_W), to = vec(at.tip_W);
  for (;;) {
    const double due_s = kLegSample * static_cast<double>(state.motion.samples);
    if (due_s > now_s + kSlack) return;
    const double back = std::clamp((now_s - due_s) / at.dt, 0.0, 1.0);
    take_sample(to + back * (from - to), at, state);
  }
}

void start_motion(const Observation& at, MotionState& motion) {
  motion.samples = 1;  // this one, at rest
  copy(at.tip_W, motion.p_W);
  for (int c = 0; c < 3; ++c) {
    motion.filter[2 * c] = (1.0 - kB0) * at.tip_W[c];
    motion.filter[2 * c + 1] = (kB0 - kA2) * at.tip_W[c];
  }
}

}  // namespace

double distance(const double (&a)[3], const double (&b)[3]) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

// --- An attempt ---------------------------------------------------------------

void set_start(const Observation& at, ScoreState& state) {
  copy(at.tip_W, state.last_tip_W);
  copy(at.tip_W, state.leg_from_W);
  for (int i = 0; i < command::kLeverAxes; ++i) state.last_axis[i] = at.axis[i];
  state.start_collisions = at.collisions;
  state.start_impulse = at.impulse_Ns;
  state.start_pump_J = at.pump_work_J;
  state.at_stop = at.at_stop;
  state.start_relief_ticks = at.relief_ticks;
  state.cycle.held = at.held;
  // A log already in the grapple is being moved.
  state.cycle.phase = at.held >= 0 ? CyclePhase::kMove : CyclePhase::kReach;
  start_motion(at, state.motion);
  start_legs(at.tip_W, at.travel_s, at.held >= 0, state.legs);
  const bool head = !vec(at.hang_W).isZero(0.0);
  state.score.swing_peak_rad = state.score.swing_leg_rad =
      head ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  state.primed = 1;
}

void gather(bool free, const Observation& at, ScoreState& state) {
  Score& score = state.score;
  score.time_s = at.dt * static_cast<double>(at.ticks) + at.waited_s;
  score.path_m += at.step_m;
  score.collisions = at.collisions - state.start_collisions;
  score.collision_impulse_Ns = at.impulse_Ns - state.start_impulse;
  score.end_stop_hits += std::popcount(static_cast<std::uint64_t>(at.at_stop & ~state.at_stop));
  state.at_stop = at.at_stop;
  score.relief_s = at.dt * (at.relief_ticks - state.start_relief_ticks);
  score.energy_J = at.pump_work_J - state.start_pump_J;
  gather_levers(at, state);
  gather_drive(at, state);
  gather_motion(at, state);
  copy(at.tip_W, state.last_tip_W);
  gather_grip(free, at, state);
  if (score.cycles > 0.0) take_cycle_means(free, state);
}

void finish(bool free, double end_s, ScoreState& state) {
  if (state.cycle.phase == CyclePhase::kRelease) finish_cycle(end_s, state);
  take_cycle_means(free, state);
  if (free && state.legs.leg.begun != 0)
    count_leg(state.last_tip_W, std::max(straight_leg(state.last_tip_W, state), kLeastWeight),
              state);
}

namespace {
void count_swing(double weight_m, ScoreState& state) {
  MotionState& motion = state.motion;
  motion.swing_sum += weight_m * motion.swing_peak;
  motion.swing_weight += weight_m;
  motion.swing_peak = 0.0;
  const bool head = std::isfinite(state.score.swing_peak_rad);
  if (head && motion.swing_weight > 0.0)
    state.score.swing_leg_rad = motion.swing_sum / motion.swing_weight;
}
}  // namespace

// Per-leg figures change only here: what comes after the last leg belongs to none.
void count_leg(const double (&tip_W)[3], double weight_m, ScoreState& state) {
  Score& score = state.score;
  complete_leg(tip_W, weight_m, state.cycle.held >= 0, state.legs);
  count_swing(weight_m, state);
  score.legs += 1.0;
  score.together = together(state.legs);
  score.smoothness = smoothness(state.legs);
  score.movements_per_leg = movements_per_leg(state.legs);
  score.submovements_per_leg = submovements_per_leg(state.legs);
  score.reversals_per_leg = score.lever_reversals / score.legs;
  score.lever_movements_per_leg = score.lever_movements / score.legs;
  score.effort_per_leg_s = score.control_effort_s / score.legs;
  score.energy_per_leg_J = score.energy_J / score.legs;
}

void end_leg(ScoreState& state) {
  const bool released = ends_at_release(state.cycle.held >= 0, state.legs);
  double end_W[3];
  copy(released ? state.leg_end_W : state.last_tip_W, end_W);
  const double straight = straight_leg(end_W, state);
  count_leg(end_W, straight, state);
  finish_leg(end_W, released ? state.leg_end_path_m : state.score.path_m, straight, state);
}

double straight_leg(const double (&tip_W)[3], const ScoreState& state) {
  return distance(tip_W, state.leg_from_W);
}

void finish_leg(const double (&tip_W)[3], double path_m, double straight, ScoreState& state) {
  state.score.shortest_m += straight;
  copy(tip_W, state.leg_from_W);
  state.score.extra_way_m = path_m - state.score.shortest_m;
  if (state.score.shortest_m > 0.0) state.score.path_ratio = path_m / state.score.shortest_m;
}

// --- Approaches ---------------------------------------------------------------

void begin_approach(const Vec3& from_W, const Vec3& goal_W, ApproachState& state) {
  const Vec3 way = goal_W - from_W;
  state.goal_m = way.norm();
  state.active = state.goal_m > kShortApproach ? 1 : -1;
  state.furthest_m = 0.0;
  if (state.active < 0) return;
  for (int c = 0; c < 3; ++c) {
    state.from_W[c] = from_W(c);
    state.along_W[c] = way(c) / state.goal_m;
  }
}

void follow_approach(const Vec3& p_W, ApproachState& state) {
  if (state.active <= 0) return;
  const double along = (p_W - vec(state.from_W)).dot(vec(state.along_W));
  state.furthest_m = std::max(state.furthest_m, along);
}

void end_approach(Score& score, ApproachState& state) {
  if (state.active > 0) {
    state.sum += std::max(0.0, state.furthest_m - state.goal_m);
    state.count += 1.0;
    score.overshoot_m = state.sum / state.count;
  }
  state.active = 0;
}

void end_approach_at(const Vec3& p_W, Score& score, ApproachState& state) {
  if (state.active <= 0) return end_approach(score, state);
  state.goal_m = (p_W - vec(state.from_W)).dot(vec(state.along_W));
  end_approach(score, state);
}

}  // namespace knuckleboom::training
