// One attempt at an exercise, as shown in the report: plain values, independent of their source.
//
// SI units. Times count from the first lever movement; earlier events have negative times.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace knuckleboom::report {

enum class Outcome {
  kPassed,
  kFailed,
  kBrokenOff,  // ended before the exercise did: a restart, or the end of the session
  kNotBegun,   // no lever was moved
  kFree,       // without a task
};

struct Figure {
  std::string name;  // the key in files: "time_s"
  std::string label;
  std::string unit;  // empty: a number
  double value = 0.0;
  std::optional<double> least, most;  // to pass; none: not judged
  bool detail = false;                // shown among the detailed figures
  bool passes = true;                 // in seconds: elapsed time, not an integral
  bool followed = false;              // has a learning curve even if it is not judged
  bool heads = false;                 // stands first for every attempt of the session
  std::string better = {};            // "less is better"; empty: neither
};

enum class Verdict { kNone, kWithin, kBeyond };
// A NaN figure violates every limit.
Verdict verdict(const Figure& figure);

enum class EventKind {
  kTask,       // phases and steps
  kGrip,       // grip and release
  kContact,    // not a mistake in this exercise
  kCollision,  // counted as a mistake
  kEndStop,
  kRelief,
  kControl,  // control mode, model
  kFault,
  kBookmark,
  kMessage,
  kOther,
};

struct Event {
  double t_s = 0.0;
  EventKind kind = EventKind::kOther;
  std::string text;
  double lasts_s = 0.0;  // 0: a moment
};

struct Point {
  double x = 0.0, y = 0.0, z = 0.0;  // world frame: x forward, y left, z up [m]
};

// A quantity over time; one value for each of Attempt::t_s. NaN leaves a gap.
struct Series {
  std::string label;
  std::string unit;
  std::vector<double> value;
};

// Both ports of one actuator, and its relief setting.
struct Pressures {
  std::string label;
  std::vector<double> a_Pa, b_Pa;
  std::optional<double> relief_Pa;
};

struct Place {
  std::string name;
  Point p;
  double radius = 0.0;  // m
};

// A work element, or a phase of a load.
struct Work {
  std::string part;  // "Crane"
  std::string name;  // "OUT"
  double seconds = 0.0;
  long long times = 0;  // how often it was; 0: not told
};

struct Attempt {
  std::string title;    // of the exercise
  std::string learner;  // empty: unknown
  std::string started;  // "2026-11-28T06:40:12Z"
  std::string exercise, machine, levers, build;
  std::string source;  // file it was read from
  std::string trust;   // how far it can be believed, and why no further
  int number = 1, of = 1;
  Outcome outcome = Outcome::kNotBegun;
  std::string points;       // "92.1 of 100 points, excellent"; empty: there are none
  double duration_s = 0.0;  // from its begin to its end

  std::vector<Figure> figures;
  std::vector<Work> work;           // part after part; each adds up to the attempt's time
  std::vector<std::string> advice;  // of the coach
  std::string advice_remark;        // how far it can be believed
  std::vector<Event> events;
  std::vector<double> t_s;  // rising
  std::vector<Point> tip;
  std::string tip_label = "Tip";
  std::vector<Series> joints, levers_moved;
  std::vector<Pressures> pressures;
  std::vector<double> pump_Pa;

  std::vector<Place> targets, stems;
  std::vector<Point> ideal;  // corners of the reference path; empty: none
  std::string ideal_label;

  std::vector<std::pair<std::string, std::string>> health;  // of the recording: what, how much
  std::vector<std::string> remarks;                         // messages shown first
};

// An earlier result in the same exercise, for the learning curves.
struct Result {
  std::string started;
  Outcome outcome = Outcome::kNotBegun;
  std::vector<std::pair<std::string, double>> figures;  // by Figure::name
  int trust = 1;                                        // level, 0 to 4
};

}  // namespace knuckleboom::report
