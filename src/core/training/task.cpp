// Completion of steps: docs/reference/exercise_file.md.
#include "knuckleboom/core/training/task.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/training/load_part.hpp"
#include "knuckleboom/core/training/scorer.hpp"

namespace knuckleboom::training {
namespace {

constexpr double kMovedAxis = 0.03;       // of a lever's travel; it starts the attempt
constexpr double kErrorPiece = 0.05;      // m of a path that has one error
constexpr double kCraneReach = 9.5;       // m on the map from a crane's foot; beyond it one drives
constexpr double kCalmSpeed = 0.1;        // m/s; a log slower than it
constexpr double kCalmTime = 0.5;         // s; after this time it has come to rest
constexpr double kBunkAngle = 0.35;       // rad; of a log from its bunk's direction
constexpr double kHeapAboveStakes = 0.3;  // m; allowed height of a heap above the stakes
constexpr double kBelowBeams = 0.05;      // m
constexpr double kStopped = 0.03;         // m/s of the wheels
constexpr double kHaltTime = 1.0;         // s; after this time a stop has been made
constexpr double kNearOnWay = 6.0;    // m along the way; what is further off is another part of it
constexpr double kNearLog = 1.0;      // m on the map; the way to a log ends there
constexpr double kTouchDown = 0.02;   // m above where a log lies
constexpr double kLoadSample = 0.02;  // s
constexpr double kLoadSide = 0.45;    // of a load space, to the middle of one of its sides
constexpr double kOverMiddle = 0.3;   // m; so far over the middle may a log lie
constexpr double kBoxMargin = 0.5;    // m beyond a bunk; where the head is inside the load space
constexpr double kGroundTouch = 0.02,
                 kBunkTouch = 0.25;  // m above the ground, of a held log that touches

constexpr double kRollersMove = 0.1;   // m/s; 2 % of a head's full speed
constexpr double kCrownTouch = 0.5;    // m above the ground, of a tip that lies on its branches
constexpr double kFallenRise = 0.259;  // cosine; a tree that leans by more than 75 degrees
constexpr double kFallenSpeed = 0.5;   // m/s of its tip
constexpr double kFallenTime = 0.3;    // s
constexpr double kFellHeight = 0.8;    // m above the ground, where a head grips
constexpr double kLeastCut = 0.5;      // m off a stem that has been worked on
constexpr double kMostFedBack = 0.1;   // of the way fed; more is a fault
constexpr double kQuarterOfPi = 0.785398163397448310;
constexpr double kMostFallError = 0.262, kMostStump = 0.1;  // rad, m; more is a fault

// A log's axis is its own x.
Vec3 axis_of(const PoseSnapshot& log) {
  const double w = log.q[0], x = log.q[1], y = log.q[2], z = log.q[3];
  return {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)};
}

bool lever_moved(const SessionSnapshot& snapshot) {
  const auto beyond = [](double axis) { return std::fabs(axis) > kMovedAxis; };
  const auto any = [](double demand) { return demand != 0.0; };
  return std::any_of(std::begin(snapshot.input.axis), std::end(snapshot.input.axis), beyond) &&
         std::any_of(std::begin(snapshot.shaped), std::end(snapshot.shaped), any);
}

// Foot of the perpendicular on a segment, as a share of it.
double share_along(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  return std::clamp((p - a).dot(ab) / ab.squaredNorm(), 0.0, 1.0);
}

// Ticks before the first lever movement that count: who thinks for longer than kReadyTime is on the clock.
std::int64_t waited_ticks(double dt, std::int64_t start_tick) {
  return std::max<std::int64_t>(0, start_tick - std::llround(kReadyTime / dt));
}

Observation observe_snapshot(TaskKind kind, double dt, std::int64_t ticks,
                             const SessionSnapshot& snapshot, const double (&last_tip_W)[3]) {
  Observation out{};
  out.ticks = ticks;
  out.dt = dt;
  for (int c = 0; c < 3; ++c) {
    out.tip_W[c] = snapshot.sim.tip_W[c];
    out.hang_W[c] = snapshot.hang_W[c];
  }
  out.step_m = distance(out.tip_W, last_tip_W);
  for (int i = 0; i < command::kLeverAxes; ++i) out.axis[i] = snapshot.input.axis[i];
  for (int i = 0; i < sim::kMaxLeverFunctions; ++i) {
    out.shaped[i] = snapshot.shaped[i];
    out.travel_s[i] = snapshot.travel_s[i];
  }
  for (int i = 0; i < world::kObstacles; ++i) {
    if (!counts_as_collision(kind, static_cast<world::Obstacle>(i))) continue;
    out.collisions += static_cast<double>(snapshot.collisions[i]);
    out.impulse_Ns += snapshot.impulse[i];
  }
  out.at_stop = snapshot.at_stop;
  out.relief_ticks = static_cast<double>(snapshot.sim.health.relief_ticks);
  out.pump_work_J = snapshot.pump_work_J;
  out.speed = snapshot.sim.speed;
  out.held = snapshot.held_log;
  return out;
}

// Horizontal position.
Vec3 on_the_map(const Vec3& p) { return {p.x(), p.y(), 0.0}; }

// Angle of a log or stem from level.
double tilt_of(const Vec3& axis) { return angle_between_lines(axis, on_the_map(axis)); }

// A log lies as a place wants it, whose direction is given.
bool lies_along(const PoseSnapshot& log, const Place& place, const Vec3& along_W) {
  const Vec3 axis = axis_of(log);
  return tilt_of(axis) <= place.tilt &&
         angle_between_lines(on_the_map(axis), along_W) <= place.angle;
}

std::vector<StandTree> trees_of_stand(const Exercise& exercise) {
  std::vector<StandTree> out;
  const Stand& stand = exercise.stand;
  if (!fells(exercise.task) || !stand.given()) return out;
  for (std::size_t i = 0; i < exercise.trees.size(); ++i) {
    const world::Stem& stem = exercise.world.stems[i];
    const double dbh = exercise.trees[i].dbh;
    if (species_of(exercise, exercise.trees[i]) != nullptr &&
        std::fabs(stem.x - stand.x) <= 0.5 * stand.length &&
        std::fabs(stem.y - stand.y) <= 0.5 * stand.width)
      out.push_back({static_cast<int>(i), kQuarterOfPi * dbh * dbh,
                     std::ranges::any_of(exercise.fell_tasks, [i](const FellTask& task) {
                       return task.stem == static_cast<int>(i);
                     })});
  }
  return out;
}

void check(const Exercise& exercise) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("exercise '" + exercise.name + "' " + why);
  };
  const bool targets = exercise.task == TaskKind::kReach || exercise.task == TaskKind::kHead;
  if (targets && exercise.targets.empty()) refuse("has no targets");
  if (exercise.task == TaskKind::kPath && exercise.targets.size() < 2)
    refuse("needs at least two targets for a path");
  if (exercise.task == TaskKind::kPath)
    for (std::size_t i = 1; i < exercise.targets.size(); ++i)
      if (!((exercise.targets[i].p_W - exercise.targets[i - 1].p_W).squaredNorm() > 0.0))
        refuse("has a path that does not go on from target " + std::to_string(i));
  if (exercise.task == TaskKind::kLogs && exercise.log_tasks.empty()) refuse("has no log tasks");
  if (fells(exercise.task) && exercise.fell_tasks.empty()) refuse("has no trees to be felled");
  if (fells(exercise.task) && exercise.stand.given() && trees_of_stand(exercise).empty())
    refuse("has a stand without a tree in it");
  if (exercise.task == TaskKind::kBuck && exercise.prices.products.empty())
    refuse("has no products to be cut");
  const world::WayRecipe& way = exercise.world.way;
  if (exercise.task == TaskKind::kDrive && (way.corners.empty() || way.stops.empty()))
    refuse("needs a way with a stop");
  const auto in = [](int index, std::size_t size) {
    return index >= 0 && static_cast<std::size_t>(index) < size;
  };
  for (const LogTask& log_task : exercise.log_tasks)
    if (!in(log_task.log, exercise.world.logs.size()) ||
        !in(log_task.log, static_cast<std::size_t>(world::kMaxLogs)) ||
        !(log_task.place >= 0
              ? in(log_task.place, exercise.places.size())
              : is_load_space(log_task.bunk) || in(log_task.bunk, exercise.world.bunks.size())))
      refuse("has a log task with a log, bunk or place that is not there");
  if (exercise.visitors.size() > static_cast<std::size_t>(kMaxVisitors))
    refuse("has more visitors than there is room for");
  for (const FellTask& fell : exercise.fell_tasks)
    if (!in(fell.stem, exercise.trees.size())) refuse("has a tree to be felled that is not there");
  for (const Limit& limit : exercise.limits)
    if (const Figure* figure = find_figure(limit.figure); figure == nullptr)
      refuse("has a limit on '" + limit.figure + "', which is not a figure");
    else if (std::isnan(figure->read(blank_score(exercise))))
      refuse("has a limit on '" + limit.figure + "', which it does not measure");
}

}  // namespace

Task::Task(const Exercise& exercise, const DangerZone& zone, std::vector<Tyre> tyres)
    : exercise_(exercise), zone_(zone), way_(exercise.world.way) {
  check(exercise);
  if (way_.present()) ruts_ = Ruts(exercise.world.way, way_.length(), std::move(tyres));
  stand_ = trees_of_stand(exercise);
  ground_ = world::make_ground(exercise.world.ground);
  for (const world::Bunk& bunk : exercise.world.bunks) {
    const SinCos heading = sin_cos(bunk.heading);
    const world::Capsule beam = world::bunk_parts(bunk, ground_).front();
    bunks_.push_back({Vec3(bunk.x, bunk.y, beam.a.z() + beam.radius + 0.5 * bunk.height),
                      Vec3(heading.cos, heading.sin, 0.0)});
  }
  for (const double stop : exercise.world.way.stops) {
    const world::WayPoint at = way_.at(stop);
    stops_W_.emplace_back(at.x, at.y, world::height(ground_, at.x, at.y));
  }
  for (const Place& place : exercise.places) {
    const SinCos heading = sin_cos(place.heading);
    places_.push_back({Vec3(place.x, place.y,
                            world::height(ground_, place.x, place.y) + std::max(0.0, place.height)),
                       Vec3(heading.cos, heading.sin, 0.0)});
  }
  if (exercise.task == TaskKind::kBuck)
    for (const FellTask& fell : exercise.fell_tasks) {
      const timber::TreeRecipe& recipe = nth(exercise.trees, fell.stem);
      if (const timber::Species* species = species_of(exercise, recipe))
        trees_.emplace_back(*species, recipe);
    }
  if (exercise.task != TaskKind::kPath) return;
  arc_.push_back(0.0);
  for (std::size_t i = 1; i < exercise.targets.size(); ++i)
    arc_.push_back(arc_.back() + (exercise.targets[i].p_W - exercise.targets[i - 1].p_W).norm());
}

TaskState Task::initial_state() const { return {}; }
ScoreState Task::initial_score() const {
  ScoreState score{};
  score.score = blank_score(exercise_);
  score.elements = start_elements();
  return score;
}

int Task::steps() const {
  switch (exercise_.task) {
    case TaskKind::kFree:
      return 0;
    case TaskKind::kLogs:
      return static_cast<int>(exercise_.log_tasks.size());
    case TaskKind::kDrive:
      return static_cast<int>(exercise_.world.way.stops.size());
    case TaskKind::kFell:
    case TaskKind::kBuck:
      return static_cast<int>(exercise_.fell_tasks.size());
    case TaskKind::kReach:
    case TaskKind::kPath:
    case TaskKind::kHead:
      break;
  }
  return static_cast<int>(exercise_.targets.size());
}

std::string Task::check_state(const TaskState& task) const {
  const bool going = task.phase == TaskPhase::kReady || task.phase == TaskPhase::kRunning;
  const bool stands = exercise_.stand_s > 0.0 || asks_diagnosis(exercise_);  // done, and waiting
  const int last = going && steps() > 0 && !stands ? steps() - 1 : steps();
  if (task.step < 0 || task.step > last)
    return state::objection("step", task.step,
                            "the exercise is in steps 0 to " + std::to_string(last) + " there");
  if (task.start_tick < 0)
    return state::objection("start_tick", static_cast<double>(task.start_tick),
                            "expected 0 or more");
  if (task.danger > static_cast<std::int32_t>(exercise_.visitors.size()))
    return state::objection("danger", task.danger, "so many people do not come by");
  if ((task.danger != 0) != (task.danger_kind != DangerKind::kNone) ||
      (task.danger != 0 && task.phase != TaskPhase::kFailed))
    return state::objection("danger", task.danger, "it goes with a kind, and ends the task");
  if (task.danger == 0 ? task.danger_m != 0.0 : task.danger_m >= zone_.radius)
    return state::objection("danger_m", task.danger_m, "somebody in danger is within the zone");
  if (task.inside_ticks > 0 &&
      (exercise_.visitors.empty() || zone_.radius == 0.0 || task.phase == TaskPhase::kReady))
    return state::objection("inside_ticks", static_cast<double>(task.inside_ticks),
                            "nobody comes by");
  return {};
}

namespace {

// As much as is cheap enough for each tick.
void show_work(const ElementState& work, SessionSnapshot& out) {
  for (int t = 0; t < kTracks; ++t) {
    const ElementTrack& track = work.track[t];
    out.element[t] = track.count > 0 ? track.open[track.count - 1].element : Element::kIdle;
  }
  out.load_phase = work.phase;
  out.element_load = work.load;
  out.element_signals = work.signals;
  out.gap_m = work.gap_m;
  out.held_tilt_rad = work.tilt_rad;
}

}  // namespace

// Steps that were right the first time, over so many.
double Task::right_share(const TaskState& task, int of) {
  return of > 0 ? static_cast<double>(std::max(0, task.step - task.faults)) / of : 0.0;
}

void Task::observe(double dt, SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const {
  if (task.phase == TaskPhase::kReady) {
    const bool moved = lever_moved(snapshot);
    if (!moved || score.primed == 0)
      set_start(observe_snapshot(exercise_.task, dt, 0, snapshot, snapshot.sim.tip_W), score);
    if (moved) {
      task.phase = TaskPhase::kRunning;
      task.start_tick = snapshot.sim.tick - 1;
      wait_elements(waited_ticks(dt, task.start_tick), score.elements);
    }
  }
  look_at_visitors(dt, task, snapshot);
  if (task.phase == TaskPhase::kRunning) {
    Observation at = observe_snapshot(exercise_.task, dt, snapshot.sim.tick - task.start_tick,
                                      snapshot, score.last_tip_W);
    at.waited_s = dt * static_cast<double>(waited_ticks(dt, task.start_tick));
    const std::int64_t samples = score.motion.samples;
    gather(exercise_.task == TaskKind::kFree, at, score);
    if (score.motion.samples != samples)
      follow_elements(dt,
                      element_sample(at.ticks, (score.legs.moved & ~snapshot.on_wheels) != 0,
                                     score.elements, snapshot),
                      score.elements);
    advance(dt, snapshot, task, score);
    watch_visitors(dt, snapshot, task);
    score.score.placed = task.step;
    if (task.error_count > 0.0) score.score.error_m = task.error_sum / task.error_count;
    if (!std::isnan(score.score.counted_s))
      score.score.counted_s = score.score.time_s - task.uncounted_s;
    if (!std::isnan(score.score.faultless)) score.score.faultless = right_share(task, task.step);
    end_if_over(at, snapshot.sim.tick, task, score);
  }
  if (has_ended(task.phase)) return show(dt, task, score, snapshot);
  snapshot.task = report(dt, snapshot, task);
  snapshot.score = score.score;
  show_work(score.elements, snapshot);
}

void Task::look_at_visitors(double dt, const TaskState& task, SessionSnapshot& snapshot) const {
  if (exercise_.visitors.empty()) return;
  const std::int64_t ticks =
      task.phase == TaskPhase::kReady ? 0 : snapshot.sim.tick - task.start_tick;
  show_visitors(exercise_, ground_, zone_, dt * static_cast<double>(ticks), snapshot);
}

void Task::watch_visitors(double dt, const SessionSnapshot& snapshot, TaskState& task) const {
  if (exercise_.visitors.empty()) return;
  const VisitorSnapshot* nearest = nearest_visitor(snapshot);
  task.inside_ticks = nearest->inside != 0 ? task.inside_ticks + 1 : 0;
  const Endangered now = endangered(snapshot, zone_, dt * static_cast<double>(task.inside_ticks));
  if (now.visitor < 0) return;
  task.danger = now.visitor + 1;
  task.danger_kind = now.kind;
  task.danger_m = snapshot.visitor[now.visitor].away_m;
}

void Task::show(double dt, const TaskState& task, const ScoreState& score,
                SessionSnapshot& snapshot) const {
  look_at_visitors(dt, task, snapshot);
  snapshot.task = report(dt, snapshot, task);
  snapshot.score = score.score;
  const ElementState& work = score.elements;
  show_work(work, snapshot);
  const std::int64_t end =
      task.phase == TaskPhase::kRunning ? snapshot.sim.tick - task.start_tick : work.end;
  for (int t = 0; t < kTracks; ++t) {
    const ElementTicks ticks = element_ticks(work.track[t], end);
    const ElementTicks pieces = element_pieces(work.track[t]);
    for (int e = 0; e < kElements; ++e) {
      snapshot.element_s[t][e] = dt * static_cast<double>(nth(ticks, e));
      snapshot.element_pieces[t][e] = nth(pieces, e);
    }
  }
  for (int p = 0; p < kLoadPhases; ++p) {
    const std::int64_t more = p == static_cast<int>(work.phase) ? end - work.end : 0;
    snapshot.load_phase_s[p] = dt * static_cast<double>(work.phase_ticks[p] + more);
  }
}

// --- Work elements --------------------------------------------------------------

namespace {

// Height of the lowest point of a log that lies at this pose.
double lowest_of(const world::LogSize& log, const PoseSnapshot& pose) {
  const double up = axis_of(pose).z();
  return pose.p[2] - 0.5 * log.length * std::fabs(up) -
         log.radius * std::sqrt(std::max(0.0, 1.0 - up * up));
}

// Between the floor and the stakes, up to so far above them. offset: from the middle; half: of the room.
bool in_room(const Vec3& offset, const Vec3& along, const Vec3& up, const Vec3& half,
             double above) {
  const double height = offset.dot(up);
  return std::fabs(offset.dot(along)) <= half.x() + kBoxMargin &&
         std::fabs(offset.dot(up.cross(along))) <= half.y() && height >= -half.z() - kBoxMargin &&
         height <= half.z() + above;
}

// The held log lies on the floor of the load space, or on a log in it that it crosses or lies beside.
bool on_load(const world::LogSize& log, const PoseSnapshot& pose, const world::WorldRecipe& recipe,
             const SessionSnapshot& snapshot) {
  const LoadSnapshot& load = snapshot.load;
  const Vec3 centre = vec(pose.p), up = vec(load.up_W), along = vec(load.along_W);
  const double lowest = lowest_of(log, pose) + (centre - vec(load.centre_W)).dot(up) - centre.z();
  if (lowest < -load.half_m[2] + kGroundTouch) return true;
  const Vec3 across = up.cross(along);
  for (int i = 0; i < snapshot.log_count; ++i) {
    if (!load.logs.has(i)) continue;
    const Vec3 away = centre - vec(snapshot.log[i].p);
    const double beside = away.dot(across),
                 reach = log.radius + log_size(i, recipe, snapshot).radius + kGroundTouch;
    const double height = away.dot(up);
    if (height > 0.0 && beside * beside + height * height < reach * reach) return true;
  }
  return false;
}

bool in_load_space(const Vec3& p_W, double above, const LoadSnapshot& load) {
  return load.half_m[0] > 0.0 && in_room(p_W - vec(load.centre_W), vec(load.along_W),
                                         vec(load.up_W), vec(load.half_m), above);
}

}  // namespace

bool Task::in_bunk(const Vec3& p_W, double above) const {
  for (std::size_t b = 0; b < bunks_.size(); ++b) {
    const world::Bunk& size = exercise_.world.bunks[b];
    if (in_room(p_W - bunks_[b].centre_W, bunks_[b].along_W, Vec3::UnitZ(),
                0.5 * Vec3(size.length, size.width, size.height), above))
      return true;
  }
  return false;
}

ElementSample Task::element_sample(std::int64_t tick, bool crane_moves, const ElementState& work,
                                   const SessionSnapshot& snapshot) const {
  const bool head = work.head != 0;
  const auto in_load = [&](const Vec3& p_W, double above) {
    return in_load_space(p_W, above, snapshot.load) || (work.own_load == 0 && in_bunk(p_W, above));
  };
  const bool moves =
      crane_moves || (head && (snapshot.saw > 0.0 || std::fabs(snapshot.feed_m_s) > kRollersMove));
  ElementSample at;
  at.tick = tick;
  at.moves = moves;
  at.carrier_m_s = snapshot.sim.speed;
  for (int c = 0; c < 3; ++c) {
    at.tip_m[c] = snapshot.sim.tip_W[c];
    // On wheels the crane alone: what the carrier adds does not count while the crane is still.
    if (moves || snapshot.sim.wheel_count == 0) at.tip_m_s[c] = snapshot.tip_v_W[c];
  }
  at.opening = snapshot.grapple_opening;
  at.held = snapshot.held_log;
  const Vec3 grip = vec(snapshot.grip_W);
  at.in_box = in_load(grip, kBoxMargin);
  for (int i = 0; i < snapshot.log_count; ++i) {
    if (snapshot.log_status[i] == world::LogStatus::kAbsent) continue;
    const world::LogSize log = log_size(i, exercise_.world, snapshot);
    const PoseSnapshot& pose = snapshot.log[i];
    const Vec3 centre = vec(pose.p), axis = axis_of(pose);
    if (i == at.held) {
      at.tilt_rad = tilt_of(axis);
      const double floor = world::height(ground_, centre.x(), centre.y());
      const bool in_box = in_load(centre, 0.0);
      const double touch = in_box || in_bunk(centre, 0.0) ? kBunkTouch : kGroundTouch;
      at.on_ground =
          lowest_of(log, pose) < floor + touch || (in_box && snapshot.load.half_m[0] > 0.0 &&
                                                   on_load(log, pose, exercise_.world, snapshot));
      continue;
    }
    if (snapshot.carried.has(i)) continue;  // with the held one
    const Vec3 off = grip - centre;
    const double along = std::clamp(off.dot(axis), -0.5 * log.length, 0.5 * log.length);
    at.gap_m = std::min(at.gap_m, (off - along * axis).norm() - log.radius);
    if (snapshot.load.logs.has(i) || in_load(centre, 0.0)) ++at.load;
  }
  if (head) look_at_trees(snapshot, at);
  return at;
}

// The stem in a harvester's head, and the way to the nearest one that stands.
void Task::look_at_trees(const SessionSnapshot& snapshot, ElementSample& at) const {
  at.saw = snapshot.saw > 0.0;
  at.feed_m_s = snapshot.feed_m_s;
  if (const TreeSnapshot* tree = tree_in_head(snapshot)) {
    at.stem = tree->stem;
    at.standing = tree->attached != 0;
    const Vec3 n = vec(tree->n_W);
    const Vec3 tip = vec(tree->butt_W) + (nth(exercise_.trees, tree->stem).height - tree->from) * n;
    at.tilt_rad = tilt_of(n);
    at.on_ground = tip.z() < world::height(ground_, tip.x(), tip.y()) + kCrownTouch;
  }
  for (std::size_t i = 0; i < exercise_.trees.size(); ++i) {
    if (exercise_.trees[i].species.empty()) continue;
    const world::Stem& stem = exercise_.world.stems[i];
    const double x = stem.x - snapshot.grip_W[0], y = stem.y - snapshot.grip_W[1];
    const double gap = std::sqrt(x * x + y * y) - stem.radius;
    if (gap < at.gap_m && tree_of(static_cast<int>(i), snapshot) == nullptr) at.gap_m = gap;
  }
}

void Task::advance(double dt, const SessionSnapshot& snapshot, TaskState& task,
                   ScoreState& score) const {
  if (task.step == steps() && exercise_.stand_s == 0.0) return;  // a diagnosis is missing
  switch (exercise_.task) {
    case TaskKind::kFree:
      break;
    case TaskKind::kReach:
    case TaskKind::kHead:
      advance_targets(dt, snapshot, task, score);
      break;
    case TaskKind::kPath:
      advance_path(snapshot, task, score);
      break;
    case TaskKind::kLogs:
      if (asks_to_drive(exercise_)) follow_way(snapshot, task, score);
      if (task.step < steps()) advance_logs(dt, snapshot, task, score);
      if (exercise_.stand_s > 0.0) check_standing(dt, snapshot, task);
      break;
    case TaskKind::kDrive:
      advance_drive(dt, snapshot, task, score);
      break;
    case TaskKind::kFell:
      look_at_stand(snapshot, score.score);
      advance_felling(dt, snapshot, task, score);
      break;
    case TaskKind::kBuck:
      look_at_stand(snapshot, score.score);
      advance_bucking(dt, snapshot, task, score);
      break;
  }
}

void Task::end_if_over(const Observation& at, std::int64_t tick, TaskState& task,
                       ScoreState& score) const {
  const bool said = !asks_diagnosis(exercise_) || score.score.diagnosis_s > 0.0;
  const bool done = steps() > 0 && task.step == steps() && said &&
                    task.stood_s >= exercise_.stand_s - 0.5 * at.dt;
  // Half a tick of tolerance: in floating point the limit is not exactly a whole number of ticks.
  const bool late =
      exercise_.time_limit_s > 0.0 && score.score.time_s > exercise_.time_limit_s - 0.5 * at.dt;
  const bool danger = task.danger != 0;
  if (!done && !late && !danger) return;
  finish_elements(at.dt, at.ticks, score.elements);
  finish(exercise_.task == TaskKind::kFree, at.dt * static_cast<double>(at.ticks), score);
  const double right = right_share(task, steps());
  if (!std::isnan(score.score.faultless)) score.score.faultless = right;
  if (exercise_.points.given()) {
    score.score.technique = technique(score.score);
    if (done && !danger && gates_hold(exercise_, score.score))
      score.score.points = 40.0 * time_share(exercise_.points, score.score.counted_s) +
                           40.0 * right + 20.0 * score.score.technique;
  }
  // Free play has no task: its time is simply over.
  const bool good = !danger && (done || exercise_.task == TaskKind::kFree) &&
                    broken_limit(exercise_, score.score) < 0;
  task.phase = good ? TaskPhase::kPassed : TaskPhase::kFailed;
  task.end_tick = tick;
}

// --- Reach and head -----------------------------------------------------------

namespace {
// Angle of the hanging head from plumb; there is none: a quarter turn.
double out_of_plumb(const SessionSnapshot& snapshot) {
  const Vec3 hang = vec(snapshot.hang_W);
  if (hang.isZero(0.0)) return kQuarterTurn;
  return angle_of(on_the_map(hang).norm(), -hang.z());
}
}  // namespace

void Task::advance_targets(double dt, const SessionSnapshot& snapshot, TaskState& task,
                           ScoreState& score) const {
  const Target& target = nth(exercise_.targets, task.step);
  const bool head = exercise_.task == TaskKind::kHead;
  const Vec3 mover = vec(head ? snapshot.grip_W : snapshot.sim.tip_W);
  const double away = (mover - target.p_W).norm();
  if (score.approach.active == 0) begin_approach(mover, target.p_W, score.approach);
  follow_approach(mover, score.approach);
  const bool there =
      away <= target.radius &&
      (!head || angle_between_lines(vec(snapshot.grip_axis_W), target.axis_W) <= target.angle) &&
      (target.plumb == 0.0 || out_of_plumb(snapshot) <= target.plumb);
  task.dwell_s = there ? task.dwell_s + dt : 0.0;
  // Half a tick of tolerance: sums of ticks are not exact.
  if (!there || task.dwell_s < target.dwell_s - 0.5 * dt) return;
  end_leg(score);
  end_approach(score.score, score.approach);
  task.error_sum += away;
  task.error_count += 1.0;
  task.dwell_s = 0.0;
  ++task.step;
}

// --- Path ---------------------------------------------------------------------

Vec3 Task::path_point(double s) const {
  std::size_t i = 1;
  while (i + 1 < arc_.size() && arc_[i] < s) ++i;
  const Vec3& a = exercise_.targets[i - 1].p_W;
  const Vec3& b = exercise_.targets[i].p_W;
  return a + std::clamp((s - arc_[i - 1]) / (arc_[i] - arc_[i - 1]), 0.0, 1.0) * (b - a);
}

namespace {
// Each piece of a path counts once, by its largest error: who stands still on the line gains nothing.
void count_error(double error, double progress, TaskState& task) {
  const double pieces =
      std::floor(progress / kErrorPiece) - std::floor(task.progress / kErrorPiece);
  task.error_sum += pieces * task.worst_m;
  task.error_count += pieces;
  if (pieces > 0.0) task.worst_m = error;
}
}  // namespace

void Task::advance_path(const SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const {
  const Vec3 tip = vec(snapshot.sim.tip_W);
  if (task.on_path == 0) {
    if ((tip - exercise_.targets[0].p_W).norm() > exercise_.targets[0].radius) return;
    task.on_path = 1;
    task.step = 1;
    end_leg(score);
  }
  // The nearest point of the whole path gives the error; the nearest within the tolerance ahead
  // gives the progress. Progress never jumps further than the tolerance, so corners are not cut and
  // loops not skipped.
  double error = (tip - exercise_.targets[0].p_W).norm();
  double best = -1.0, best_distance = 0.0;
  for (std::size_t i = 1; i < arc_.size(); ++i) {
    const Vec3& a = exercise_.targets[i - 1].p_W;
    const Vec3& b = exercise_.targets[i].p_W;
    const double radius = exercise_.targets[i].radius;
    const double length = arc_[i] - arc_[i - 1];
    const double share = share_along(tip, a, b);
    error = std::min(error, (a + share * (b - a) - tip).norm());
    const double from = std::max(task.progress, arc_[i - 1]);
    const double to = std::min(task.progress + radius, arc_[i]);
    if (from > to) continue;
    const double s = std::clamp(arc_[i - 1] + share * length, from, to);
    const double away = (a + (s - arc_[i - 1]) / length * (b - a) - tip).norm();
    if (away > radius || (best >= 0.0 && away >= best_distance)) continue;
    best = s;
    best_distance = away;
  }
  task.worst_m = std::max(task.worst_m, error);
  if (best > task.progress) {
    finish_leg(snapshot.sim.tip_W, score.score.path_m, best - task.progress, score);
    count_error(error, best, task);
    task.progress = best;
  }
  // The end counts from its tolerance on; stopping there is enough.
  const auto passed = [&](int step) {
    const auto i = static_cast<std::size_t>(step);
    const double early = i + 1 == arc_.size() ? exercise_.targets[i].radius : 0.0;
    return task.progress >= arc_[i] - early;
  };
  while (task.step < steps() && passed(task.step)) ++task.step;
  if (task.step == steps()) count_leg(snapshot.sim.tip_W, arc_.back(), score);
}

// --- Logs ---------------------------------------------------------------------

Task::Spot Task::goal(const LogTask& wanted, const SessionSnapshot& snapshot) const {
  if (into_load_space(wanted)) {
    const double side = side_of_load(wanted.bunk) * kLoadSide * snapshot.load.half_m[1];
    Spot spot{vec(snapshot.load.centre_W), vec(snapshot.load.along_W)};
    spot.centre_W += side * left_of(snapshot.load);
    return spot;
  }
  if (wanted.place < 0) return nth(bunks_, wanted.bunk);
  Spot spot = nth(places_, wanted.place);
  if (nth(exercise_.places, wanted.place).height < 0.0)
    spot.centre_W.z() += nth(exercise_.world.logs, wanted.log).radius;
  return spot;
}

namespace {

// On its side of the load space: its middle over that of the space by a little at most.
bool lies_in_load(const LogTask& wanted, const SessionSnapshot& snapshot) {
  if (!snapshot.load.logs.has(wanted.log)) return false;
  const LoadSnapshot& load = snapshot.load;
  const double across = (vec(snapshot.log[wanted.log].p) - vec(load.centre_W)).dot(left_of(load));
  // A log that is brought with others may roll; its side is where it is to be let go.
  return wanted.gathered || side_of_load(wanted.bunk) * across >= -kOverMiddle;
}

}  // namespace

bool Task::lies_there(const LogTask& wanted, const SessionSnapshot& snapshot) const {
  if (into_load_space(wanted)) return lies_in_load(wanted, snapshot);
  if (wanted.place < 0) return lies_in_bunk(wanted, snapshot);
  const Place& place = nth(exercise_.places, wanted.place);
  const Spot spot = goal(wanted, snapshot);
  const PoseSnapshot& log = snapshot.log[wanted.log];
  const Vec3 off = vec(log.p) - spot.centre_W;
  // A heap may be as high as it becomes.
  return (wanted.gathered ? on_the_map(off) : off).norm() <= place.radius &&
         lies_along(log, place, spot.along_W);
}

bool Task::lies_in_bunk(const LogTask& wanted, const SessionSnapshot& snapshot) const {
  const Spot& bunk = nth(bunks_, wanted.bunk);
  const world::Bunk& size = nth(exercise_.world.bunks, wanted.bunk);
  const Vec3 offset = vec(snapshot.log[wanted.log].p) - bunk.centre_W;
  const double along = offset.dot(bunk.along_W);
  const double across = bunk.along_W.x() * offset.y() - bunk.along_W.y() * offset.x();
  // A log that is brought with others is to lie with both ends on the beams.
  const double over = nth(exercise_.world.logs, wanted.log).length - size.length;
  const double room = wanted.gathered ? std::min(size.length, std::max(over, 0.0)) : size.length;
  return std::fabs(along) <= 0.5 * room && std::fabs(across) <= 0.5 * size.width &&
         offset.z() >= -0.5 * size.height - kBelowBeams &&
         offset.z() <= 0.5 * size.height + kHeapAboveStakes &&
         angle_between_lines(axis_of(snapshot.log[wanted.log]), bunk.along_W) <= kBunkAngle;
}

// Speed at which it is set down in a place, and acceleration while it is held.
void Task::follow_load(double dt, const SessionSnapshot& snapshot, TaskState& task,
                       Score& score) const {
  const LogTask& wanted = nth(exercise_.log_tasks, task.step);
  const world::Log& log = nth(exercise_.world.logs, wanted.log);
  const Vec3 centre = vec(snapshot.log[wanted.log].p);
  const double lowest = lowest_of(world::size_of(log), snapshot.log[wanted.log]);
  if (task.carried != 0 && wanted.place >= 0) {
    const Vec3 goal_W = goal(wanted, snapshot).centre_W;
    const double down = goal_W.z() - log.radius + kTouchDown;
    if (task.lowest_z > down && lowest <= down && on_the_map(centre - goal_W).norm() < kNearLog)
      score.set_down_m_s = std::max(score.set_down_m_s, (task.lowest_z - lowest) / dt);
  }
  task.lowest_z = lowest;

  if (snapshot.held_log != wanted.log) task.samples = 0;
  const std::int64_t every = std::llround(kLoadSample / dt);
  if (snapshot.held_log != wanted.log || snapshot.sim.tick % every != 0) return;
  const double h = dt * static_cast<double>(every);
  const Vec3 last = vec(task.load_p[0]), before = vec(task.load_p[1]);
  if (task.samples == 2)
    score.load_acceleration_m_s2 =
        std::max(score.load_acceleration_m_s2, (centre - 2.0 * last + before).norm() / (h * h));
  else
    ++task.samples;
  for (int c = 0; c < 3; ++c) {
    task.load_p[1][c] = last(c);
    task.load_p[0][c] = centre(c);
  }
}

void Task::advance_logs(double dt, const SessionSnapshot& snapshot, TaskState& task,
                        ScoreState& score) const {
  const LogTask& wanted = nth(exercise_.log_tasks, task.step);
  const Vec3 centre = vec(snapshot.log[wanted.log].p);
  const double speed = (centre - vec(task.last_log_W)).norm() / dt;
  for (int c = 0; c < 3; ++c) task.last_log_W[c] = centre(c);
  const bool held = snapshot.held_log == wanted.log;
  const Vec3 grip = on_the_map(vec(snapshot.grip_W)), log = on_the_map(centre);
  if (score.approach.active == 0) begin_approach(grip, log, score.approach);
  if (held || (grip - log).norm() < kNearLog) task.arrived = 1;
  if (!wanted.timed && task.arrived == 0) task.uncounted_s += dt;
  if (held && task.carried == 0) {  // the leg to the log ends with the first grip
    end_leg(score);
    task.carried = 1;
    end_approach_at(grip, score.score, score.approach);
    begin_approach(log, on_the_map(goal(wanted, snapshot).centre_W), score.approach);
  }
  if (held || task.carried == 0) follow_approach(held ? log : grip, score.approach);
  follow_load(dt, snapshot, task, score.score);
  // A log that was never lifted is not placed: one brought too early must be gripped again, but not out of a load or
  // a heap.
  const bool brought = task.carried != 0 || into_load_space(wanted) || wanted.gathered;
  const bool free = brought && !held && !(wanted.gathered && snapshot.carried.has(wanted.log));
  const bool there = free && lies_there(wanted, snapshot);
  const bool resting = snapshot.log_status[wanted.log] == world::LogStatus::kResting;
  const bool calm = resting || speed < kCalmSpeed;
  task.dwell_s = there && calm ? task.dwell_s + dt : 0.0;
  task.beside_s = task.carried != 0 && free && !there && calm ? task.beside_s + dt : 0.0;
  if (task.beside_s >= kCalmTime) task.faulty = 1;
  if (there && (resting || task.dwell_s >= kCalmTime)) place_log(task, snapshot, score);
}

void Task::place_log(TaskState& task, const SessionSnapshot& snapshot, ScoreState& score) const {
  const LogTask& wanted = nth(exercise_.log_tasks, task.step);
  const Spot spot = goal(wanted, snapshot);
  const Vec3 off = vec(snapshot.log[wanted.log].p) - spot.centre_W;
  end_leg(score);
  end_approach_at(on_the_map(vec(snapshot.log[wanted.log].p)), score.score, score.approach);
  const bool beside = wanted.place < 0 || wanted.gathered;
  task.error_sum += beside ? std::fabs(off.dot(spot.along_W)) : off.norm();
  task.error_count += 1.0;
  task.faults += task.faulty;
  begin_step(task.step + 1, task);
}

void Task::begin_step(int step, TaskState& task) const {
  task.step = step;
  task.dwell_s = task.beside_s = 0.0;
  task.carried = task.arrived = task.faulty = task.samples = 0;
}

// A log that has left its place is to be brought again, and all after it.
void Task::check_standing(double dt, const SessionSnapshot& snapshot, TaskState& task) const {
  for (int i = 0; i < task.step; ++i) {
    const LogTask& placed = nth(exercise_.log_tasks, i);
    if (snapshot.held_log != placed.log && lies_there(placed, snapshot)) continue;
    begin_step(i, task);
    task.faulty = 1;
    task.faults = std::min(task.faults, i);
  }
  const bool untouched = snapshot.held_log < 0 && snapshot.contact_force == 0.0;
  task.stood_s = task.step == steps() && untouched ? task.stood_s + dt : 0.0;
}

// --- Way ----------------------------------------------------------------------

// Where the machine is on it, and how much of its wheels.
void Task::follow_way(const SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const {
  const world::WayRecipe& recipe = exercise_.world.way;
  const auto near = [&](double x, double y) {
    return way_.nearest(x, y, task.along_m - kNearOnWay, task.along_m + kNearOnWay);
  };
  task.along_m = near(snapshot.foot_W[0], snapshot.foot_W[1]).along;
  const auto place_of = [&](const double(&p)[2]) { return near(p[0], p[1]); };
  const int wheels = snapshot.sim.wheel_count;
  int outside = 0;
  for (int i = 0; i < wheels; ++i) {
    const world::WayPlace ends[] = {place_of(snapshot.wheel_W[i][0]),
                                    place_of(snapshot.wheel_W[i][1])};
    if (std::max(std::fabs(ends[0].offset), std::fabs(ends[1].offset)) > 0.5 * recipe.width)
      ++outside;
    if (ruts_.present())
      ruts_.roll(i,
                 {0.5 * (ends[0].along + ends[1].along), 0.5 * (ends[0].offset + ends[1].offset)},
                 snapshot.sim.wheel[i].load, task.ruts);
  }
  if (ruts_.present()) {
    score.score.rut_m = ruts_.deepest(task.ruts);
    score.score.deep_ruts = ruts_.deep_share(task.ruts);
  }
  if (wheels > 0) task.outside = std::max(task.outside, static_cast<double>(outside) / wheels);
  // Each piece of the way counts once, by its worst: who drives to and fro where it is easy gains nothing.
  const double pieces =
      std::floor(task.along_m / kErrorPiece) - std::floor(task.progress / kErrorPiece);
  task.progress = std::max(task.progress, task.along_m);
  if (pieces > 0.0) {
    task.inside_sum += pieces * (1.0 - task.outside);
    task.inside_count += pieces;
    task.outside = 0.0;
    score.score.on_way = task.inside_sum / task.inside_count;
  }
}

void Task::advance_drive(double dt, const SessionSnapshot& snapshot, TaskState& task,
                         ScoreState& score) const {
  follow_way(snapshot, task, score);
  const world::WayRecipe& recipe = exercise_.world.way;
  const double away = std::fabs(task.along_m - nth(recipe.stops, task.step));
  const bool there = away <= recipe.stop_within && std::fabs(snapshot.sim.speed) < kStopped;
  task.dwell_s = there ? task.dwell_s + dt : 0.0;
  if (task.dwell_s < kHaltTime - 0.5 * dt) return;
  task.error_sum += away;
  task.error_count += 1.0;
  task.dwell_s = 0.0;
  ++task.step;
}

// --- Felling ------------------------------------------------------------------

const TreeSnapshot* tree_of(int stem, const SessionSnapshot& snapshot) {
  for (std::int64_t k = 0; k < snapshot.tree_count; ++k)
    if (snapshot.tree[k].stem == stem) return &snapshot.tree[k];
  return nullptr;
}
const TreeSnapshot* tree_in_head(const SessionSnapshot& snapshot) {
  for (std::int64_t k = 0; k < snapshot.tree_count; ++k)
    if (snapshot.tree[k].gripped != 0) return &snapshot.tree[k];
  return nullptr;
}

namespace {
// Whether it is in the head. The leg to the tree ends with the first grip.
bool follow_grip(const TreeSnapshot* tree, TaskState& task, ScoreState& score) {
  if (tree == nullptr || tree->gripped == 0) return false;
  if (task.carried == 0) end_leg(score);
  task.carried = 1;
  return true;
}
}  // namespace

void Task::advance_felling(double dt, const SessionSnapshot& snapshot, TaskState& task,
                           ScoreState& score) const {
  if (task.step >= steps()) return;
  const FellTask& wanted = nth(exercise_.fell_tasks, task.step);
  const TreeSnapshot* tree = tree_of(wanted.stem, snapshot);
  follow_grip(tree, task, score);
  const bool fallen = tree != nullptr && tree->attached == 0 && tree->n_W[2] < kFallenRise &&
                      tree->tip_m_s < kFallenSpeed;
  task.dwell_s = fallen ? task.dwell_s + dt : 0.0;
  if (!fallen || task.dwell_s < kFallenTime - 0.5 * dt) return;
  const SinCos towards = sin_cos(wanted.towards);
  const Vec3 lies(tree->n_W[0], tree->n_W[1], 0.0), goal(towards.cos, towards.sin, 0.0);
  const double error = angle_of(lies.cross(goal).norm(), lies.dot(goal));
  score.score.fall_error_rad = std::max(score.score.fall_error_rad, error);
  score.score.stump_m = std::max(score.score.stump_m, tree->stump);
  score.score.stems_hit += tree->hits;
  if (error > kMostFallError || tree->stump > kMostStump || tree->hits > 0) ++task.faults;
  end_leg(score);
  begin_step(task.step + 1, task);
}

// As the best product that it is long enough for.
double Task::value_of(const CutSnapshot& cut, const timber::Tree& tree) const {
  double best = 0.0;
  const timber::PriceList& prices = exercise_.prices;
  for (std::size_t p = 0; p < prices.products.size(); ++p)
    for (const double length : nth(prices.products, static_cast<int>(p)).lengths) {
      if (length > cut.size.length + kLengthWithin) continue;
      best = std::max(best, timber::log_value(prices, static_cast<int>(p), length, tree.profile(),
                                              tree.recipe(), cut.from)
                                .value_or(0.0));
    }
  return best;
}

// Adds the logs of a tree that is done. Whether those of a product have its length, all but one: the noise of
// a good measuring wheel puts one in eight beyond what counts as right.
bool Task::judge_logs(const TreeSnapshot& tree, const SessionSnapshot& snapshot, TaskState& task,
                      ScoreState& score) const {
  int wrong = 0;
  const timber::Tree& as_grown = nth(trees_, task.step);
  for (std::int32_t k = 0; k < snapshot.cut_count; ++k) {
    const CutSnapshot& cut = snapshot.cut[k];
    if (cut.stem != tree.stem) continue;
    task.value += value_of(cut, as_grown);
    if (cut.product < 0) continue;
    const bool there = std::fabs(cut.size.length - cut.wanted_m) <= kLengthWithin;
    ++task.logs_cut;
    there ? ++task.logs_right : ++wrong;
  }
  task.best_value +=
      timber::buck(exercise_.prices, as_grown.profile(), as_grown.recipe(), tree.stump).value;
  if (task.logs_cut > 0)
    score.score.length_right =
        static_cast<double>(task.logs_right) / static_cast<double>(task.logs_cut);
  if (task.best_value > 0.0) score.score.value_share = task.value / task.best_value;
  return wrong <= 1;
}

// Where the logs of all trees lie now. Whether those of this one lie right, and none of it on the way.
bool Task::judge_piles(int stem, const SessionSnapshot& snapshot, Score& score) const {
  if (std::isnan(score.piled) && std::isnan(score.logs_on_way)) return true;
  const int places = static_cast<int>(exercise_.places.size());
  const auto pose_of = [&](std::int32_t cut) -> const PoseSnapshot& {
    return snapshot.log[snapshot.first_cut + cut];
  };
  const auto lies_near = [&](int place, const PoseSnapshot& log) {
    return on_the_map(vec(log.p) - nth(places_, place).centre_W).norm() <=
           nth(exercise_.places, place).radius;
  };
  // A pile is a place with a log of its product.
  const auto is_pile = [&](int place) {
    for (std::int32_t k = 0; k < snapshot.cut_count; ++k)
      if (snapshot.cut[k].product == nth(exercise_.places, place).product &&
          lies_near(place, pose_of(k)))
        return true;
    return false;
  };
  double logs = 0.0, piled = 0.0, mixed = 0.0, in_way = 0.0;
  bool right = true;
  for (std::int32_t k = 0; k < snapshot.cut_count; ++k) {
    const CutSnapshot& cut = snapshot.cut[k];
    const PoseSnapshot& pose = pose_of(k);
    const bool bars = lies_on_way(cut.size, pose);
    if (bars) in_way += 1.0;
    bool in_own = false, in_other = false;
    for (int i = 0; i < places; ++i) {
      const Place& place = nth(exercise_.places, i);
      if (place.product < 0 || !lies_near(i, pose)) continue;
      if (place.product != cut.product)
        in_other = in_other || is_pile(i);
      else
        in_own = in_own || lies_along(pose, place, nth(places_, i).along_W);
    }
    if (cut.product >= 0) {
      logs += 1.0;
      piled += in_own ? 1.0 : 0.0;
      mixed += in_other && !in_own ? 1.0 : 0.0;
    }
    const bool stays = cut.product < 0 || in_own || std::isnan(score.piled);
    if (cut.stem == stem) right = right && stays && !bars;
  }
  if (!std::isnan(score.piled)) {
    score.piled = logs > 0.0 ? piled / logs : 0.0;
    score.mixed = logs > 0.0 ? mixed / logs : 0.0;
  }
  if (!std::isnan(score.logs_on_way)) score.logs_on_way = in_way;
  return right;
}

bool Task::lies_on_way(const world::LogSize& log, const PoseSnapshot& pose) const {
  if (!way_.present()) return false;
  constexpr int kSpots = 4;  // on each side of the middle
  const Vec3 centre = vec(pose.p), half = 0.5 * log.length * axis_of(pose);
  for (int i = -kSpots; i <= kSpots; ++i) {
    const Vec3 at = centre + i / static_cast<double>(kSpots) * half;
    const world::WayPlace place = way_.nearest(at.x(), at.y(), 0.0, way_.length());
    const bool beside = place.along <= 0.0 || place.along >= way_.length();
    if (!beside && std::fabs(place.offset) < 0.5 * exercise_.world.way.width + log.radius)
      return true;
  }
  return false;
}

// The trees of the stand: what is felled, and which of the others have been struck.
void Task::look_at_stand(const SessionSnapshot& snapshot, Score& score) const {
  if (stand_.empty()) return;
  double all = 0.0, marked = 0.0, felled = 0.0, left = 0.0, hurt = 0.0;
  std::array<bool, timber::kMostStems> gone{};
  for (std::int64_t k = 0; k < snapshot.tree_count; ++k)
    if (snapshot.tree[k].attached == 0) nth(gone, snapshot.tree[k].stem) = true;
  // Those that have been cut up altogether.
  for (std::int32_t k = 0; k < snapshot.cut_count; ++k) nth(gone, snapshot.cut[k].stem) = true;
  for (const StandTree& tree : stand_) {
    all += tree.section;
    if (tree.marked) marked += tree.section;
    if (nth(gone, tree.stem)) {
      felled += tree.section;
      continue;
    }
    left += 1.0;
    if (snapshot.hurt.has(tree.stem)) hurt += 1.0;
  }
  constexpr double kHectare = 1e4;  // m^2
  score.basal_area_m2_ha =
      kHectare * (all - felled) / (exercise_.stand.length * exercise_.stand.width);
  score.basal_removed = marked > 0.0 ? felled / marked : 0.0;
  score.damaged = left > 0.0 ? hurt / left : 0.0;
}

// A tree is done when it has been let go and something of it was cut off.
void Task::advance_bucking(double dt, const SessionSnapshot& snapshot, TaskState& task,
                           ScoreState& score) const {
  if (task.step >= steps()) return;
  const FellTask& wanted = nth(exercise_.fell_tasks, task.step);
  const TreeSnapshot* tree = tree_of(wanted.stem, snapshot);
  const bool gripped = follow_grip(tree, task, score);
  if (gripped) {
    task.progress = snapshot.fed_m;
    task.worst_m = snapshot.fed_back_m;
  }
  const bool done =
      tree != nullptr && !gripped && tree->attached == 0 && tree->from > tree->stump + kLeastCut;
  task.dwell_s = done ? task.dwell_s + dt : 0.0;
  if (!done || task.dwell_s < kFallenTime - 0.5 * dt) return;
  task.fed_m += task.progress;
  task.fed_back_m += task.worst_m;
  if (task.fed_m > 0.0) score.score.fed_back = task.fed_back_m / task.fed_m;
  bool right = judge_logs(*tree, snapshot, task, score);
  right = judge_piles(tree->stem, snapshot, score.score) && right;
  score.score.stump_m = std::max(score.score.stump_m, tree->stump);
  score.score.stems_hit += tree->hits;
  if (!right || tree->stump > kMostStump || tree->hits > 0 ||
      task.worst_m > kMostFedBack * task.progress)
    ++task.faults;
  end_leg(score);
  begin_step(task.step + 1, task);
}

void Task::report_felling(const SessionSnapshot& snapshot, const TaskState& state,
                          TaskSnapshot& out) const {
  const FellTask& wanted = nth(exercise_.fell_tasks, state.step);
  const world::Stem& stem = nth(exercise_.world.stems, wanted.stem);
  const Vec3 at(stem.x, stem.y, world::height(ground_, stem.x, stem.y) + kFellHeight);
  for (int c = 0; c < 3; ++c) out.target_W[c] = at(c);
  out.distance = (at - vec(snapshot.grip_W)).norm();
  const SinCos towards = sin_cos(wanted.towards);
  out.angle =
      angle_between_lines(on_the_map(vec(snapshot.reach_W)), Vec3(towards.cos, towards.sin, 0.0));
}

// --- What readers see ---------------------------------------------------------

void Task::report_targets(const SessionSnapshot& snapshot, const TaskState& state,
                          TaskSnapshot& out) const {
  const Target& target = nth(exercise_.targets, state.step);
  const bool head = exercise_.task == TaskKind::kHead;
  const Vec3 from = vec(head ? snapshot.grip_W : snapshot.sim.tip_W);
  Vec3 to = target.p_W;
  out.distance = (to - from).norm();
  if (head) out.angle = angle_between_lines(vec(snapshot.grip_axis_W), target.axis_W);
  if (target.plumb > 0.0) out.angle = out_of_plumb(snapshot);
  if (target.dwell_s > 0.0) out.dwell = std::min(1.0, state.dwell_s / target.dwell_s);
  if (state.on_path != 0) {
    out.distance = (path_point(state.progress) - from).norm();
    to = path_point(state.progress + target.radius);
  }
  for (int c = 0; c < 3; ++c) out.target_W[c] = to(c);
}

void Task::report_logs(const SessionSnapshot& snapshot, const TaskState& state,
                       TaskSnapshot& out) const {
  const LogTask& wanted = nth(exercise_.log_tasks, state.step);
  const Spot spot = goal(wanted, snapshot);
  const PoseSnapshot& log = snapshot.log[wanted.log];
  const bool held = snapshot.held_log == wanted.log;
  // A load is driven to where it goes first.
  const bool aboard = wanted.gathered && snapshot.load.logs.has(wanted.log);
  const bool drives = aboard && !into_load_space(wanted) &&
                      on_the_map(spot.centre_W - vec(snapshot.foot_W)).norm() > kCraneReach;
  const Vec3 from = drives ? vec(snapshot.foot_W) : held ? vec(log.p) : vec(snapshot.grip_W);
  const Vec3 to = held || drives ? spot.centre_W : vec(log.p);
  out.distance = (to - from).norm();
  out.angle = angle_between_lines(axis_of(log), held ? spot.along_W : vec(snapshot.grip_axis_W));
  out.dwell = std::min(1.0, state.dwell_s / kCalmTime);
  for (int c = 0; c < 3; ++c) out.target_W[c] = to(c);
}

void Task::report_drive(const TaskState& state, TaskSnapshot& out) const {
  for (int c = 0; c < 3; ++c) out.target_W[c] = nth(stops_W_, state.step)(c);
  out.distance = std::fabs(nth(exercise_.world.way.stops, state.step) - state.along_m);
  out.dwell = std::min(1.0, state.dwell_s / kHaltTime);
}

TaskSnapshot Task::report(double dt, const SessionSnapshot& snapshot,
                          const TaskState& state) const {
  TaskSnapshot out{};
  out.phase = state.phase;
  out.step = state.step;
  out.steps = steps();
  out.target = -1;
  out.time_left_s = -1.0;
  if (exercise_.time_limit_s > 0.0) {
    const bool ended = has_ended(state.phase);
    const std::int64_t now = ended ? state.end_tick : snapshot.sim.tick;
    const std::int64_t ticks = state.phase == TaskPhase::kReady
                                   ? waited_ticks(dt, now)
                                   : now - state.start_tick + waited_ticks(dt, state.start_tick);
    out.time_left_s = std::max(0.0, exercise_.time_limit_s - dt * static_cast<double>(ticks));
  }
  out.danger = state.danger;
  out.danger_kind = state.danger_kind;
  out.danger_m = state.danger_m;
  if (exercise_.stand_s > 0.0) out.dwell = std::min(1.0, state.stood_s / exercise_.stand_s);
  if (has_ended(state.phase) || state.step >= steps()) return out;
  out.target = state.step;
  if (exercise_.task == TaskKind::kLogs)
    report_logs(snapshot, state, out);
  else if (exercise_.task == TaskKind::kDrive)
    report_drive(state, out);
  else if (fells(exercise_.task))
    report_felling(snapshot, state, out);
  else
    report_targets(snapshot, state, out);
  return out;
}

}  // namespace knuckleboom::training
