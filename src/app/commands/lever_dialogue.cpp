#include "app/commands/lever_dialogue.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "input/calibration.hpp"

namespace knuckleboom::app {
namespace {

using command::AxisBinding;
using command::ControlKind;
using command::LeverAxis;
using command::LeverSetup;
using input::MoveDetector;

constexpr double kRest = 1.0;            // s, observed with hands off
constexpr int kUncalibratedNoise = 655;  // raw values: 2 % of the travel

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// --- Calibration --------------------------------------------------------------

class Calibration {
 public:
  Calibration(input::LeverDesk& desk, int device, const LeverTalk& talk)
      : desk_(desk), device_(device), talk_(talk), name_(state_of().identity.name) {}

  // False if the user stopped.
  bool observe() {
    talk_.say(fmt::format("{}: take your hands off it and press Enter.\n", name_));
    if (!until_enter(nullptr) || !rest()) return false;
    talk_.say(
        "Now move it slowly through its whole travel, all axes and triggers, a few times; "
        "then press Enter.\n");
    if (!until_enter(&input::RangeRecorder::move)) return false;
    talk_.say("Let go of it again and press Enter.\n");
    return until_enter(&input::RangeRecorder::move) && rest();
  }

  // Into the bindings of the device's slot.
  void apply(int slot, LeverSetup& setup) const {
    std::vector<int> axes;
    for (const AxisBinding& b : setup.axes)
      if (b.slot == slot && b.kind == ControlKind::kAxis &&
          std::find(axes.begin(), axes.end(), b.number) == axes.end())
        axes.push_back(b.number);
    if (std::none_of(axes.begin(), axes.end(), [this](int a) { return recorder_.moved(a); }))
      throw UserError(fmt::format(
          "no bound axis of {} was moved through its travel; nothing was written", name_));
    for (const int axis : axes) {
      if (!recorder_.moved(axis)) {
        talk_.say(fmt::format("axis {}: not moved, it keeps its calibration\n", axis));
        continue;
      }
      std::string refusal;
      const auto found = recorder_.result(axis, refusal);
      if (!found) throw UserError(fmt::format("{}: {}; nothing was written", name_, refusal));
      for (AxisBinding& b : setup.axes)
        if (b.slot == slot && b.kind == ControlKind::kAxis && b.number == axis)
          b.calibration = *found;
      talk_.say(fmt::format("axis {}: {} to {}, centre {}, noise {}\n", axis, found->min,
                            found->max, found->centre, found->noise));
    }
  }

 private:
  using Take = void (input::RangeRecorder::*)(const input::RawState&);

  const input::RawDevice& state_of() const {
    const input::RawDevice* device = desk_.raw().find(device_);
    if (device == nullptr)
      throw UserError(fmt::format("{} was unplugged; nothing was written",
                                  name_.empty() ? "the device" : name_));
    return *device;
  }
  // One poll; returns its time.
  double look(Take take) {
    const double now = talk_.wait();
    desk_.poll(now);
    const input::RawDevice& device = state_of();
    if (take != nullptr) (recorder_.*take)(device.state);
    return now;
  }
  bool until_enter(Take take) {
    while (!talk_.entered()) {
      if (talk_.stopped()) return false;
      look(take);
    }
    return true;
  }
  bool rest() {
    const double start = look(nullptr);
    while (look(&input::RangeRecorder::rest) - start < kRest)
      if (talk_.stopped()) return false;
    return true;
  }

  input::LeverDesk& desk_;
  int device_;
  const LeverTalk& talk_;
  std::string name_;
  input::RangeRecorder recorder_;
};

// --- Binding ------------------------------------------------------------------

struct Question {
  LeverAxis axis;
  const char* move;      // towards its positive end
  const char* opposite;  // asked for if a button was the answer
};
constexpr Question kQuestions[] = {
    {LeverAxis::kLeftX, "left lever to the right", "left lever to the left"},
    {LeverAxis::kLeftY, "left lever forward, away from you", "left lever back"},
    {LeverAxis::kRightX, "right lever to the right", "right lever to the left"},
    {LeverAxis::kRightY, "right lever forward, away from you", "right lever back"},
    {LeverAxis::kLeftRocker, "left rocker (or button) to the right", "left rocker to the left"},
    {LeverAxis::kRightRocker, "right rocker (or button) to the right", "right rocker to the left"},
    {LeverAxis::kLeftTwist, "left lever twisted clockwise", "left lever twisted back"},
    {LeverAxis::kRightTwist, "right lever twisted clockwise", "right lever twisted back"},
    {LeverAxis::kLeftPedal, "left pedal forward", "left pedal back"},
    {LeverAxis::kRightPedal, "right pedal forward", "right pedal back"},
};

enum class Answer { kFound, kSkipped, kStopped };

class Binder {
 public:
  Binder(input::LeverDesk& desk, const LeverTalk& talk) : desk_(desk), talk_(talk) {}

  std::optional<LeverSetup> run() {
    setup_ = desk_.setup();
    if (desk_.is_default()) setup_.axes.clear();  // a guess is not to be mixed with answers
    for (const input::DeviceLine& line : desk_.devices())
      if (line.slot >= 0) device_of_slot_.push_back(line.device);
    talk_.say("Take your hands off all levers. Then do what is asked; Enter skips.\n");
    for (const Question& question : kQuestions)
      if (!ask(question)) return std::nullopt;
    tidy();
    return setup_;
  }

 private:
  Answer wait_for_move(const std::string& what) {
    talk_.say(fmt::format("{}: move it (Enter skips)\n", what));
    for (;;) {
      if (talk_.stopped()) return Answer::kStopped;
      if (talk_.entered()) return Answer::kSkipped;
      const double now = talk_.wait();
      desk_.poll(now);
      switch (detector_.look(desk_.raw().attached(), now)) {
        case MoveDetector::Outcome::kNothing:
          break;
        case MoveDetector::Outcome::kFound:
          return Answer::kFound;
        case MoveDetector::Outcome::kTwoAtOnce:
          talk_.say("Two axes moved alike; move only the one that is meant.\n");
          break;
      }
    }
  }

  bool ask(const Question& question) {
    const std::string name(command::name_of(question.axis));
    const Answer answer = wait_for_move(fmt::format("{} - {}", name, question.move));
    if (answer != Answer::kFound) {
      if (answer == Answer::kSkipped)
        talk_.say(fmt::format("  {} {}\n", name,
                              is_bound(question.axis) ? "stays as it is" : "is left out"));
      return answer == Answer::kSkipped;
    }
    const MoveDetector::Found found = detector_.found();
    AxisBinding binding;
    binding.function = question.axis;
    binding.slot = slot_of(found.device);
    binding.kind = found.kind;
    if (found.kind != ControlKind::kButtons) {
      binding.number = found.number;
      binding.invert = !found.positive;
      if (found.kind == ControlKind::kAxis) binding.calibration = calibration_of(binding);
      talk_.say(fmt::format("  {} is {} {} of {}{}\n", name,
                            found.kind == ControlKind::kAxis ? "axis" : "hat", found.number,
                            name_of(found.device), binding.invert ? ", inverted" : ""));
      take(binding);
      return true;
    }
    binding.positive = found.number;
    talk_.say(fmt::format("  {} is button {} of {}\n", name, found.number, name_of(found.device)));
    return ask_opposite(question, binding);
  }

  bool is_bound(LeverAxis axis) const {
    return std::any_of(setup_.axes.begin(), setup_.axes.end(),
                       [axis](const AxisBinding& b) { return b.function == axis; });
  }

  // The button for the other direction, which may be of another device.
  bool ask_opposite(const Question& question, const AxisBinding& positive) {
    take(positive);
    const Answer answer = wait_for_move(fmt::format("  the other way, {}", question.opposite));
    if (answer != Answer::kFound) return answer == Answer::kSkipped;
    const MoveDetector::Found found = detector_.found();
    if (found.kind != ControlKind::kButtons) {
      talk_.say("  that is no button; the other way stays without one\n");
      return true;
    }
    AxisBinding negative = positive;
    negative.slot = slot_of(found.device);
    negative.positive = -1;
    negative.negative = found.number;
    if (negative.slot == positive.slot) {
      setup_.axes.back().negative = found.number;
    } else {
      setup_.axes.push_back(negative);
    }
    talk_.say(fmt::format("  and button {} of {}\n", found.number, name_of(found.device)));
    return true;
  }

  // Replaces what moved this lever axis, and what else the control did.
  void take(const AxisBinding& binding) {
    std::erase_if(setup_.axes, [&binding](const AxisBinding& b) {
      const bool same_control =
          b.slot == binding.slot && b.kind == binding.kind &&
          (b.kind == ControlKind::kButtons
               ? b.positive == binding.positive || b.negative == binding.positive
               : b.number == binding.number);
      return b.function == binding.function || same_control;
    });
    std::erase_if(setup_.buttons, [&binding](const command::ButtonBinding& b) {
      return command::same_part(binding, b);
    });
    setup_.axes.push_back(binding);
  }

  command::AxisCalibration calibration_of(const AxisBinding& binding) const {
    for (const AxisBinding& b : setup_.axes)
      if (b.slot == binding.slot && b.kind == ControlKind::kAxis && b.number == binding.number)
        return b.calibration;
    command::AxisCalibration usual;
    usual.noise = kUncalibratedNoise;
    return usual;
  }

  std::string name_of(int device) const {
    const input::RawDevice* found = desk_.raw().find(device);
    return found != nullptr ? found->identity.name : "a device";
  }

  int slot_of(int device) {
    const auto known = std::find(device_of_slot_.begin(), device_of_slot_.end(), device);
    if (known != device_of_slot_.end()) return static_cast<int>(known - device_of_slot_.begin());
    const input::RawDevice* raw = desk_.raw().find(device);
    if (raw == nullptr) throw UserError("the device was unplugged; nothing was written");
    device_of_slot_.push_back(device);
    setup_.devices.push_back({"", raw->identity});
    return static_cast<int>(setup_.devices.size()) - 1;
  }

  // Slots without bindings go; equal devices stand in their order of attachment; names say the side.
  void tidy() {
    std::vector<int> order;
    for (int slot = 0; slot < static_cast<int>(setup_.devices.size()); ++slot)
      if (std::any_of(setup_.axes.begin(), setup_.axes.end(),
                      [slot](const AxisBinding& b) { return b.slot == slot; }))
        order.push_back(slot);
    const auto attachment = [this](int slot) {
      const auto& attached = desk_.raw().attached();
      return std::find_if(
                 attached.begin(), attached.end(),
                 [&](const input::RawDevice& d) { return d.id == device_of_slot_[at(slot)]; }) -
             attached.begin();
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return attachment(a) < attachment(b); });
    LeverSetup tidy;
    for (const int slot : order) {
      tidy.devices.push_back(setup_.devices[at(slot)]);
      for (AxisBinding b : setup_.axes)
        if (b.slot == slot) {
          b.slot = static_cast<int>(tidy.devices.size()) - 1;
          tidy.axes.push_back(b);
        }
      for (command::ButtonBinding b : setup_.buttons)
        if (b.slot == slot) {
          b.slot = static_cast<int>(tidy.devices.size()) - 1;
          tidy.buttons.push_back(b);
        }
    }
    name_slots(tidy);
    setup_ = std::move(tidy);
  }

  static void name_slots(LeverSetup& setup) {
    std::vector<std::string> used;
    for (int slot = 0; slot < static_cast<int>(setup.devices.size()); ++slot) {
      const auto moves = [&](std::string_view side) {
        return std::any_of(setup.axes.begin(), setup.axes.end(), [&](const AxisBinding& b) {
          return b.slot == slot && command::name_of(b.function).starts_with(side);
        });
      };
      const bool left = moves("left");
      std::string base = left && moves("right") ? "both" : left ? "left" : "right";
      std::string name = base;
      for (int n = 2; std::find(used.begin(), used.end(), name) != used.end(); ++n)
        name = fmt::format("{}_{}", base, n);
      used.push_back(name);
      setup.devices[at(slot)].name = std::move(name);
    }
  }

  input::LeverDesk& desk_;
  const LeverTalk& talk_;
  LeverSetup setup_;
  std::vector<int> device_of_slot_;
  MoveDetector detector_;
};

}  // namespace

std::optional<LeverSetup> calibrate_levers(input::LeverDesk& desk, const std::vector<int>& devices,
                                           const LeverTalk& talk) {
  LeverSetup setup = desk.setup();
  for (const int device : devices) {
    const auto lines = desk.devices();
    const auto line = std::find_if(lines.begin(), lines.end(), [device](const auto& l) {
      return l.device == device && l.slot >= 0;
    });
    if (line == lines.end())
      throw UserError(
          "no lever is bound to that device, or it cannot be told from an equal one; say what its "
          "axes do with 'knuckleboom levers bind' first");
    Calibration calibration(desk, device, talk);
    if (!calibration.observe()) return std::nullopt;
    calibration.apply(line->slot, setup);
  }
  return setup;
}

std::optional<LeverSetup> bind_levers(input::LeverDesk& desk, const LeverTalk& talk) {
  return Binder(desk, talk).run();
}

}  // namespace knuckleboom::app
