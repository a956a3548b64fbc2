// Occasions for the coach's rules, from the samples of an attempt. They go through the scorer and the automaton
// of the work elements as those of a session do; the rules look at what comes out, and at the signals beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "coach/habits.hpp"
#include "knuckleboom/core/training/elements.hpp"
#include "knuckleboom/core/training/observation.hpp"
#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::coach {

// Every kElementSample. Number, time step and tick are set by the observer.
struct Sample {
  training::Observation seen{};
  training::ElementSample work{};
  double reach_m = 0.0;
};

// Content of the samples.
struct Told {
  std::uint32_t signals = 0;  // bits of Signal
  bool free = true;  // legs end with grips and releases; false: where Observation::legs rises
  int rotator = -1;  // number of the function; -1: none
};

struct Occasion {
  double begin_s, at_s;  // since the first sample
  double value;
  bool counts;  // beyond the rule's limit
  double lost_s;
};

using Occasions = std::array<std::vector<Occasion>, kHabits>;

class Observer {
 public:
  explicit Observer(const Told& told) : told_(told), elements_(training::start_elements()) {}

  void add(const Sample& sample);
  // After the last sample. Once.
  Occasions finish();

 private:
  struct Point {  // of the leg under way
    double tip_W[3];
    double speed, rotator;
    int turned;  // levers moved over to the other side so far
    double s;
  };
  struct Look {  // of the last seconds
    double opening, swing;
  };
  struct Grab {
    std::int64_t taken;
    double at_s;
  };

  double now_s() const;
  void follow_levers(const training::Observation& at);
  void follow_leg();
  void end_leg(double share);
  void look_at_turn(std::size_t end, double length);
  void look_at_approach(std::size_t end, double length);
  void follow_work(const Sample& sample);
  void grab(const Sample& sample);
  void let_go();
  void follow_rest(const training::ElementSample& at);
  void rest_in_leg(double begin_s);
  double swing_at_closing(std::int64_t taken) const;
  void note(Habit habit, double begin_s, double value, bool counts, double lost_s);

  Told told_;
  std::int64_t samples_ = 0;
  training::ScoreState score_{};
  training::ElementState elements_;
  std::vector<training::FinalPiece> pieces_;
  Occasions occasions_;

  std::vector<Point> leg_;
  std::size_t released_ = 0;  // in it, one more than the point; 0: not so far
  int turned_ = 0;
  std::int32_t side_[command::kLeverAxes] = {};

  std::vector<Look> looks_;  // a ring
  std::vector<Grab> grabs_;
  std::int32_t held_ = -1;  // for certain
  double dragged_m_ = 0.0, dragged_s_ = 0.0, drag_begin_s_ = 0.0;
  double levelled_s_ = 0.0, level_begin_s_ = 0.0;
  // In the cycle under way.
  double crane_s_ = 0.0, rest_s_ = 0.0, this_rest_s_ = 0.0, longest_rest_s_ = 0.0,
         longest_begin_s_ = 0.0;
  // Where nothing is gripped a leg is a cycle: at its begin.
  double leg_crane_s_ = 0.0, leg_rest_s_ = 0.0;
};

}  // namespace knuckleboom::coach
