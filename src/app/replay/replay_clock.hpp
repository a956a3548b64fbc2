// Position and speed of a replay, in ticks of the session.
#pragma once

#include <cstdint>

namespace knuckleboom::app {

class ReplayClock {
 public:
  ReplayClock(std::int64_t first_tick, std::int64_t end_tick, double tick_s);

  // Real time passes [s]. Pauses at the end of the session.
  void advance(double dt_s);

  void seek(double tick);         // limited to the session
  void step(std::int64_t ticks);  // to a whole tick, and pauses; ticks < 0: back
  void set_paused(bool paused);   // continuing at the end restarts
  bool paused() const { return paused_; }

  void set_speed(double speed);  // limited to kSlowest .. kFastest
  void faster();
  void slower();
  double speed() const { return speed_; }

  // A repeated section. Its end must be after its beginning; otherwise there is none.
  void begin_loop();  // here
  void end_loop();    // here, and back to its begin
  void set_loop(double begin_tick, double end_tick);
  void clear_loop();
  bool loops() const { return loop_end_ > loop_begin_; }
  double loop_begin() const { return loop_begin_; }
  double loop_end() const { return loop_end_; }

  // A whole tick and the share of the way to the next.
  std::int64_t tick() const;
  double share() const;
  double position() const { return position_; }
  bool at_end() const { return position_ >= end_; }

  static constexpr double kSlowest = 0.1, kFastest = 10.0;

 private:
  double first_, end_, tick_s_;
  double position_;
  double speed_ = 1.0;
  bool paused_ = false;
  double loop_begin_ = -1.0, loop_end_ = -1.0;
};

}  // namespace knuckleboom::app
