#include "knuckleboom/core/training/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

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

int broken_limit(const Exercise& exercise, const Score& score) {
  for (std::size_t i = 0; i < exercise.limits.size(); ++i) {
    const Limit& limit = exercise.limits[i];
    const Figure* figure = find_figure(limit.figure);
    if (figure == nullptr) continue;
    const double value = figure->read(score);
    if (is_undefined(*figure, value) || (limit.has_most && value > limit.most) ||
        (limit.has_least && value < limit.least))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace knuckleboom::training
