// An operator's task: the exact content of an exercise file, in SI units.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/timber/bucking.hpp"
#include "knuckleboom/core/timber/tree.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::training {

enum class TaskKind : std::int32_t {
  kFree,   // no task
  kReach,  // touch the targets in order with the tip
  kPath,   // follow the targets' polyline or arc with the tip
  kLogs,   // carry the logs, in order, to their bunks
  kHead,   // bring the head to the targets' place and direction
  kDrive,  // drive along the world's way and halt at its stops
  kFell,   // fell the trees, in order, each in its direction
  kBuck,   // the same, and cut them into the logs of the price list
};

inline bool fells(TaskKind kind) { return kind == TaskKind::kFell || kind == TaskKind::kBuck; }

struct Target {
  std::string name;
  Vec3 p_W = Vec3::Zero();      // m
  Vec3 axis_W = Vec3::UnitZ();  // head: required direction of the grapple's log axis; path: unused
  double radius = 0.25;         // counts as reached within it [m]
  double angle = 0.26;          // head: within it [rad]
  double dwell_s = 0.0;         // to stay before it counts
  double plumb = 0.0;  // reach: the head hangs within it of plumb; 0: however it swings [rad]
};

// A marked place for a log, or for all logs of a product that a head cuts.
struct Place {
  std::string name;
  double x = 0.0, y = 0.0;  // of the log's centre [m]
  double heading = 0.0;     // of its axis; either end may point there [rad]
  double height = -1.0;  // of its centre above the ground [m]; negative: as it lies on the ground
  double radius = 0.3;   // how far its centre may be off [m]
  double angle = 0.349;  // and its axis, seen from above [rad]
  double tilt = 0.349;   // and from level [rad]
  int colour = 0;
  int product = -1;  // index in the price list, -1: for one log
};

inline constexpr int kLoadSpace = -2;  // in place of a bunk: the machine's
struct LogTask {
  int log = 0;            // index in the world's logs
  int bunk = 0;           // index in the world's bunks, or kLoadSpace; -1: to a place
  int place = -1;         // index in the exercise's places
  bool timed = true;      // false: the way to the log does not count
  bool gathered = false;  // of a pile: several may be brought at once, in any order
};

// A tree to be felled.
struct FellTask {
  int stem = 0;          // index in the world's stems
  double towards = 0.0;  // direction in which it is to lie, from x [rad]
};

// Somebody who comes by: docs/theory/judging.md, "Danger zones".
enum class VisitorKind : std::int32_t { kPerson, kVehicle };
struct VisitorPoint {
  double x = 0.0, y = 0.0;  // m
  double wait_s = 0.0;      // so long he stands there
};
struct Visitor {
  std::string name;
  VisitorKind kind = VisitorKind::kPerson;
  double from_s = 0.0;               // after the first lever movement he sets out
  double speed = 1.4;                // m/s
  std::vector<VisitorPoint> points;  // the way from the first to the last, where he stays
};
inline constexpr int kMaxVisitors = 8;

// A rectangle of the stand, along x and y, whose trees are counted before and after a thinning.
struct Stand {
  double x = 0.0, y = 0.0;           // of its middle [m]
  double length = 0.0, width = 0.0;  // along x and y [m]; 0: none
  bool given() const { return length > 0.0 && width > 0.0; }
};

// To pass, figure (see figures()) must not exceed `most` (nor fall below `least`).
struct Limit {
  std::string figure;
  bool has_most = false, has_least = false;
  double most = 0.0, least = 0.0;
  std::string source;  // where it comes from; empty: not told
};

// Times between which an attempt earns points; both 0: there are no points.
struct Points {
  double experienced_s = 0.0, beginner_s = 0.0;
  std::string experienced_source, beginner_source;
  bool given() const { return beginner_s > experienced_s; }
};

struct Exercise {
  std::string name;
  std::string title;
  std::vector<std::string> briefing;  // paragraphs
  std::string machine;                // used when none is named
  std::string levers;
  command::ControlMode mode = command::ControlMode::kValve;
  machine::Fidelity fidelity = machine::Fidelity::kReduced;
  double rate_Hz = 1000.0;
  int lesson = 0;             // position in the order of learning; 0: none
  double time_limit_s = 0.0;  // 0: none; after it the attempt has failed
  std::vector<command::InitialJoint> initial;
  bool load_space = true;        // the machine's is fitted, if it has one
  double grapple_opening = 1.0;  // at the start, 0 closed .. 1 open
  world::WorldRecipe world;
  std::vector<timber::TreeRecipe> trees;  // of the world's stems; species empty: a post
  std::vector<timber::Species> species;   // those that they name
  TaskKind task = TaskKind::kFree;
  std::vector<Target> targets;
  std::vector<Place> places;
  std::vector<LogTask> log_tasks;
  std::vector<FellTask> fell_tasks;
  timber::PriceList prices;  // of what a head cuts; no products: it knows of none
  std::vector<Visitor> visitors;
  Stand stand;
  double stand_s = 0.0;  // at the end all logs lie in their places, untouched for so long
  Points points;
  std::vector<Limit> limits;
  std::vector<command::Fault> faults;
  command::FaultLot fault_lot;
};

// Whether it has places for the products that a head cuts.
inline bool piles_products(const Exercise& exercise) {
  for (const Place& place : exercise.places)
    if (place.product >= 0) return true;
  return false;
}

// Whether its machine is to drive from place to place.
inline bool asks_to_drive(const Exercise& exercise) {
  return exercise.task == TaskKind::kDrive ||
         (exercise.task == TaskKind::kLogs && !exercise.world.way.stops.empty());
}

// One of its trees'; null: a post.
inline const timber::Species* species_of(const Exercise& exercise, const timber::TreeRecipe& tree) {
  for (const timber::Species& species : exercise.species)
    if (species.name == tree.species) return &species;
  return nullptr;
}

enum class TaskPhase : std::int32_t {
  kReady,  // waits for the first lever movement
  kRunning,
  kPassed,  // all done, within the limits
  kFailed,  // all done or out of time, and beyond a limit; or somebody was in danger
};
constexpr bool has_ended(TaskPhase phase) {
  return phase == TaskPhase::kPassed || phase == TaskPhase::kFailed;
}

}  // namespace knuckleboom::training
