#include "input/calibration.hpp"

#include <algorithm>
#include <cstdlib>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::input {
namespace {

constexpr int kAllRaw = command::kRawMax - command::kRawMin;
constexpr int kLeastTravel = kAllRaw / 8;
constexpr double kEndShare = 0.1;      // of the travel: rests at the end
constexpr double kMiddleShare = 0.25;  // of the travel: least on the shorter side of a centre
constexpr double kNoisyShare = 0.2;    // of the shorter side

constexpr int kStill = 3000;          // raw values within which a lever at rest may vary
constexpr double kStillFor = 0.3;     // s
constexpr double kPatience = 3.0;     // s; an axis still noisy then is always noisy
constexpr int kClearMove = 12000;     // raw values
constexpr double kHeld = 1.0;         // s
constexpr double kClearlyMost = 1.5;  // times any other axis

}  // namespace

// --- Range --------------------------------------------------------------------

void RangeRecorder::Range::take(int value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void RangeRecorder::take(const RawState& state, std::vector<Range>& ranges) {
  if (ranges.size() < state.axes.size()) ranges.resize(state.axes.size());
  for (std::size_t i = 0; i < state.axes.size(); ++i)
    if (state.axis_known[i] != 0) ranges[i].take(state.axes[i]);
}

void RangeRecorder::rest(const RawState& state) {
  take(state, rest_);
  take(state, all_);
}

void RangeRecorder::move(const RawState& state) { take(state, all_); }

bool RangeRecorder::moved(int axis) const {
  return axis >= 0 && static_cast<std::size_t>(axis) < all_.size() &&
         nth(all_, axis).width() >= kLeastTravel;
}

std::optional<command::AxisCalibration> RangeRecorder::result(int axis,
                                                              std::string& refusal) const {
  if (!moved(axis)) {
    refusal = fmt::format(
        "axis {} hardly moved; move it slowly through its whole travel, end to end", axis);
    return std::nullopt;
  }
  if (static_cast<std::size_t>(axis) >= rest_.size() || nth(rest_, axis).width() < 0) {
    refusal = fmt::format("axis {} was never seen at rest; let go of it when asked to", axis);
    return std::nullopt;
  }
  const Range& all = nth(all_, axis);
  const Range& rest = nth(rest_, axis);
  command::AxisCalibration c{all.low, rest.low + rest.width() / 2, all.high,
                             (3 * rest.width() + 3) / 4};  // half the spread and half as much again
  const double travel = all.width();
  double shorter = std::min(c.max - c.centre, c.centre - c.min);
  if (shorter < kEndShare * travel) {
    (c.centre - c.min < c.max - c.centre ? c.min : c.max) = c.centre;
    shorter = c.max - c.min;
  } else if (shorter < kMiddleShare * travel) {
    refusal = fmt::format(
        "axis {} came to rest at {:.0f} % of its travel, which is neither the middle nor an end; "
        "let go of it when asked to",
        axis, 100.0 * (c.centre - c.min) / travel);
    return std::nullopt;
  }
  if (c.noise > kNoisyShare * shorter) {
    refusal = fmt::format("axis {} does not come to rest ({} to {}); let go of it when asked to",
                          axis, rest.low, rest.high);
    return std::nullopt;
  }
  return c;
}

// --- Which control ------------------------------------------------------------

void MoveDetector::next() {
  asked_before_ = true;
  ready_ = false;
  started_s_ = window_s_ = moved_s_ = -1.0;
}

MoveDetector::Axis& MoveDetector::axis_of(int device, int number) {
  for (Axis& axis : axes_)
    if (axis.device == device && axis.number == number) return axis;
  Axis axis;
  axis.device = device;
  axis.number = number;
  return axes_.emplace_back(axis);
}

void MoveDetector::read(const std::vector<RawDevice>& devices) {
  std::erase_if(axes_, [&devices](const Axis& axis) {
    return std::none_of(devices.begin(), devices.end(),
                        [&axis](const RawDevice& d) { return d.id == axis.device; });
  });
  for (const RawDevice& device : devices)
    for (int i = 0; i < static_cast<int>(device.state.axes.size()); ++i) {
      if (nth(device.state.axis_known, i) == 0) continue;
      Axis& axis = axis_of(device.id, i);
      axis.value = nth(device.state.axes, i);
      // An axis never reported may be anywhere: its first value is its rest position.
      if (!axis.known) axis.reference = axis.low = axis.high = axis.value;
      axis.known = true;
      axis.low = std::min(axis.low, axis.value);
      axis.high = std::max(axis.high, axis.value);
      if (std::abs(axis.excursion()) > std::abs(axis.farthest)) axis.farthest = axis.excursion();
    }
}

// A held lever does not move either: the one found last must be back at rest.
bool MoveDetector::last_is_back() const {
  if (!asked_before_) return true;
  return std::all_of(axes_.begin(), axes_.end(), [this](const Axis& axis) {
    return axis.device != found_.device || axis.number != found_.number ||
           found_.kind != command::ControlKind::kAxis ||
           std::abs(axis.excursion()) < kClearMove / 2;
  });
}

void MoveDetector::wait_for_stillness(const std::vector<RawDevice>& devices, double now_s) {
  if (started_s_ < 0.0) {
    started_s_ = window_s_ = now_s;
    for (Axis& axis : axes_) axis.low = axis.high = axis.value;
  }
  if (now_s - window_s_ < kStillFor) return;
  const bool still = std::all_of(axes_.begin(), axes_.end(),
                                 [](const Axis& axis) { return axis.high - axis.low <= kStill; });
  const bool patience_ends = now_s - started_s_ >= kPatience;
  ready_ = last_is_back() && (still || patience_ends);
  for (Axis& axis : axes_) {
    if (ready_) {
      axis.restless = axis.high - axis.low > kStill;
      axis.reference = axis.low + (axis.high - axis.low) / 2;
      axis.farthest = 0;
    }
    axis.low = axis.high = axis.value;
  }
  window_s_ = now_s;
  if (ready_) before_ = devices;
}

bool MoveDetector::find_button_or_hat(const std::vector<RawDevice>& devices) {
  for (const RawDevice& device : devices) {
    const auto old = std::find_if(before_.begin(), before_.end(),
                                  [&device](const RawDevice& d) { return d.id == device.id; });
    if (old == before_.end()) continue;
    for (std::size_t i = 0; i < device.state.buttons.size(); ++i)
      if (device.state.buttons[i] != 0 && old->state.buttons[i] == 0) {
        found_ = {device.id, command::ControlKind::kButtons, static_cast<int>(i), true};
        return true;
      }
    for (std::size_t i = 0; i < device.state.hats.size(); ++i) {
      const int bits = device.state.hats[i];
      if (bits == 0 || old->state.hats[i] != 0) continue;
      const bool sideways = (bits & (SDL_HAT_LEFT | SDL_HAT_RIGHT)) != 0;
      found_ = {device.id, sideways ? command::ControlKind::kHatX : command::ControlKind::kHatY,
                static_cast<int>(i), (bits & (SDL_HAT_RIGHT | SDL_HAT_UP)) != 0};
      return true;
    }
  }
  return false;
}

MoveDetector::Outcome MoveDetector::judge(double now_s) {
  const Axis* most = nullptr;
  int second = 0;
  for (const Axis& axis : axes_) {
    if (axis.restless) continue;
    const int far = std::abs(axis.farthest);
    if (most == nullptr || far > std::abs(most->farthest)) {
      second = most == nullptr ? 0 : std::abs(most->farthest);
      most = &axis;
    } else {
      second = std::max(second, far);
    }
  }
  if (most == nullptr || std::abs(most->farthest) < kClearMove) return Outcome::kNothing;
  if (moved_s_ < 0.0) moved_s_ = now_s;
  const bool is_back = std::abs(most->excursion()) < std::abs(most->farthest) / 3;
  if (!is_back && now_s - moved_s_ < kHeld) return Outcome::kNothing;
  found_ = {most->device, command::ControlKind::kAxis, most->number, most->farthest > 0};
  const bool clear = std::abs(most->farthest) >= kClearlyMost * second;
  next();
  return clear ? Outcome::kFound : Outcome::kTwoAtOnce;
}

MoveDetector::Outcome MoveDetector::look(const std::vector<RawDevice>& devices, double now_s) {
  read(devices);
  if (!ready_) {
    wait_for_stillness(devices, now_s);
    return Outcome::kNothing;
  }
  if (find_button_or_hat(devices)) {
    next();
    return Outcome::kFound;
  }
  return judge(now_s);
}

}  // namespace knuckleboom::input
