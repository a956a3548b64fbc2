// Detection by moving: the range of an axis, and the control meant by the user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/raw_devices.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"

namespace knuckleboom::input {

// Gathers the values of one device's axes at rest and over their whole travel.
class RangeRecorder {
 public:
  void rest(const RawState& state);  // nobody touches it
  void move(const RawState& state);

  // Moved by an eighth of all raw values at least.
  bool moved(int axis) const;
  // Empty, with the reason, for an axis that hardly moved, does not come to rest, or rests neither
  // near the middle nor at one end (a trigger or pedal).
  std::optional<command::AxisCalibration> result(int axis, std::string& refusal) const;

 private:
  struct Range {
    int low = command::kRawMax, high = command::kRawMin;
    void take(int value);
    int width() const { return high - low; }
  };
  static void take(const RawState& state, std::vector<Range>& ranges);

  std::vector<Range> rest_, all_;
};

// Finds the control that the user moves, even if others rest off-centre, are noisy or were never
// reported.
class MoveDetector {
 public:
  enum class Outcome { kNothing, kFound, kTwoAtOnce };
  struct Found {
    int device = -1;
    command::ControlKind kind = command::ControlKind::kAxis;
    int number = 0;        // axis, button or hat
    bool positive = true;  // raw value went up; hat right or away from the operator
  };

  // At each poll. kFound once the moved control has returned or been held for a second; kTwoAtOnce
  // if another axis moved nearly as far, then it starts again.
  Outcome look(const std::vector<RawDevice>& devices, double now_s);
  const Found& found() const { return found_; }
  // All controls were still for a moment (or are known to be noisy): a move counts now.
  bool ready() const { return ready_; }
  // For the next question: the control found last must be released first.
  void next();

 private:
  struct Axis {
    int device = -1;
    int number = 0;
    bool known = false;
    int value = 0;
    int reference = 0;      // where it rests
    int low = 0, high = 0;  // within the present window of stillness
    int farthest = 0;       // signed excursion from the reference
    bool restless = false;

    int excursion() const { return value - reference; }
  };
  Axis& axis_of(int device, int number);
  void read(const std::vector<RawDevice>& devices);
  void wait_for_stillness(const std::vector<RawDevice>& devices, double now_s);
  bool last_is_back() const;
  bool find_button_or_hat(const std::vector<RawDevice>& devices);
  Outcome judge(double now_s);

  std::vector<Axis> axes_;
  std::vector<RawDevice> before_;  // buttons and hats when it became ready
  Found found_;
  bool asked_before_ = false;
  bool ready_ = false;
  double started_s_ = -1.0;  // of the question
  double window_s_ = -1.0;   // start of the window of stillness
  double moved_s_ = -1.0;    // first clear excursion
};

}  // namespace knuckleboom::input
