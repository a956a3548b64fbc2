// People and vehicles that come by while a machine works, and when it endangers them: docs/theory/judging.md, "Danger
// zones".
#pragma once

#include <cstdint>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "knuckleboom/core/world/ground.hpp"

namespace knuckleboom::training {

// As a machine has it.
struct DangerZone {
  double radius =
      0.0;  // around its place on the map, where it works for nobody else; 0: it has none [m]
  double saw_distance = 0.0;  // of the saw's plane from the middle of the grip [m]
};

inline constexpr double kNoticeTime = 3.0;  // s inside, before work that goes on is a danger
inline constexpr double kChainSine =
    0.2588190451025207;  // of 15 degrees; so far from the saw's plane a broken chain flies

// A place on the map, and the direction in which somebody looks there.
struct VisitorPlace {
  double x = 0.0, y = 0.0;  // m
  double ahead_x = 1.0, ahead_y = 0.0;
};
// So long after the first lever movement. He waits at the first point, and stays at the last one.
VisitorPlace place_at(const Visitor& visitor, double t_s);

// Where all of them are: fills visitor and visitor_count.
void show_visitors(const Exercise& exercise, const world::Ground& ground, const DangerZone& zone,
                   double t_s, SessionSnapshot& snapshot);

// Whom the machine endangers in this tick. inside_s: for how long somebody has been inside the zone.
struct Endangered {
  int visitor = -1;  // -1: nobody
  DangerKind kind = DangerKind::kNone;
};
Endangered endangered(const SessionSnapshot& snapshot, const DangerZone& zone, double inside_s);

// The one nearest to the machine; null: there is nobody.
const VisitorSnapshot* nearest_visitor(const SessionSnapshot& snapshot);

}  // namespace knuckleboom::training
