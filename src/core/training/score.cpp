#include "knuckleboom/core/training/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::training {

bool counts_as_collision(TaskKind kind, world::Obstacle obstacle) {
  switch (obstacle) {
    case world::Obstacle::kStem:
    case world::Obstacle::kCarrier:
      return true;
    case world::Obstacle::kGround:
    case world::Obstacle::kBunk:
      return kind == TaskKind::kReach || kind == TaskKind::kPath || kind == TaskKind::kHead ||
             kind == TaskKind::kDrive;
    case world::Obstacle::kLog:
      break;
  }
  return false;
}

const Figure* find_figure(std::string_view name) {
  const auto found = std::find_if(kFigures.begin(), kFigures.end(),
                                  [name](const Figure& figure) { return figure.name == name; });
  return found == kFigures.end() ? nullptr : &*found;
}

bool is_undefined(const Figure& figure, double value) {
  return !std::isfinite(value) || (figure.averages && value == 0.0);
}

bool tells_nothing(TaskKind task, const Figure& figure, double value) {
  if (value != 0.0) return false;
  const bool drives = task == TaskKind::kDrive, logs = task == TaskKind::kLogs;
  const bool aims = task == TaskKind::kReach || task == TaskKind::kHead || logs;
  if (figure.member == &Score::error_m) return !(aims || drives || task == TaskKind::kPath);
  if (figure.member == &Score::overshoot_m) return !aims;
  if (figure.member == &Score::cycles) return !logs;
  return figure.member == &Score::driven_m && !drives;
}

double time_share(const Points& times, double counted_s) {
  return std::clamp((times.beginner_s - counted_s) / (times.beginner_s - times.experienced_s), 0.0,
                    1.0);
}

double technique(const Score& score) {
  // From nothing to full marks; all estimates.
  struct Part {
    double Score::*figure;
    double none, full;
  };
  constexpr Part kParts[] = {{&Score::together, 0.0, 0.5},
                             {&Score::smoothness, -16.0, -8.0},
                             {&Score::movements_per_leg, 6.0, 2.0},
                             {&Score::path_ratio, 3.0, 1.5}};
  double sum = 0.0;
  for (const Part& part : kParts) {
    const double value = score.*part.figure;
    // 0: nothing to average.
    if (value != 0.0) sum += std::clamp((value - part.none) / (part.full - part.none), 0.0, 1.0);
  }
  return sum / std::size(kParts);
}

std::string_view grade(double points) {
  if (points >= kExcellentPoints) return "excellent";
  return points >= kGoodPoints ? "good" : "";
}

namespace {
bool is_broken(const Limit& limit, const Score& score) {
  const Figure* figure = find_figure(limit.figure);
  if (figure == nullptr) return false;
  const double value = figure->read(score);
  return is_undefined(*figure, value) || (limit.has_most && value > limit.most) ||
         (limit.has_least && value < limit.least);
}
}  // namespace

int broken_limit(const Exercise& exercise, const Score& score) {
  for (std::size_t i = 0; i < exercise.limits.size(); ++i)
    if (is_broken(exercise.limits[i], score)) return static_cast<int>(i);
  return -1;
}

bool gates_hold(const Exercise& exercise, const Score& score) {
  return std::none_of(exercise.limits.begin(), exercise.limits.end(), [&](const Limit& limit) {
    const Figure* figure = find_figure(limit.figure);
    return figure != nullptr && figure->member != &Score::points &&
           figure->member != &Score::counted_s && is_broken(limit, score);
  });
}

bool asks_diagnosis(const Exercise& exercise) { return exercise.fault_lot.draw > 0; }

Score blank_score(const Exercise& exercise) {
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  const bool bucks = exercise.task == TaskKind::kBuck;
  const bool logs = exercise.task == TaskKind::kLogs, points = exercise.points.given();
  const bool untimed = std::any_of(exercise.log_tasks.begin(), exercise.log_tasks.end(),
                                   [](const LogTask& task) { return !task.timed; });
  Score score{};
  if (!asks_diagnosis(exercise)) score.diagnosis_s = score.diagnosis_right = kNotMeasured;
  if (!points) score.points = score.technique = kNotMeasured;
  if (!points && !untimed) score.counted_s = kNotMeasured;
  if (!points && !logs) score.faultless = kNotMeasured;
  if (!logs) score.load_acceleration_m_s2 = kNotMeasured;
  if (std::all_of(exercise.places.begin(), exercise.places.end(),
                  [](const Place& place) { return place.product >= 0; }))
    score.set_down_m_s = kNotMeasured;
  if (!fells(exercise.task)) score.fall_error_rad = score.stump_m = score.stems_hit = kNotMeasured;
  if (!bucks) score.length_right = score.fed_back = score.value_share = kNotMeasured;
  if (!bucks || !piles_products(exercise)) score.piled = score.mixed = kNotMeasured;
  if (!bucks || exercise.world.way.corners.empty()) score.logs_on_way = kNotMeasured;
  if (!asks_to_drive(exercise)) score.on_way = kNotMeasured;
  if (!asks_to_drive(exercise) || exercise.world.way.soil == world::Soil::kUntold)
    score.rut_m = score.deep_ruts = kNotMeasured;
  if (!fells(exercise.task) || !exercise.stand.given())
    score.basal_area_m2_ha = score.basal_removed = score.damaged = kNotMeasured;
  return score;
}

}  // namespace knuckleboom::training
