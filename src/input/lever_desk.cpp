#include "input/lever_desk.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "input/default_layout.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "language/text.hpp"

namespace knuckleboom::input {
namespace {

using command::AxisBinding;
using command::ControlKind;
using command::LeverAxis;

template <typename T>
bool has(const std::vector<T>& list, int index) {
  return index >= 0 && static_cast<std::size_t>(index) < list.size();
}

bool pressed(const RawState& state, int button) {
  return has(state.buttons, button) && nth(state.buttons, button) != 0;
}

int hat_axis(const RawState& state, int hat, int negative, int positive) {
  if (!has(state.hats, hat)) return 0;
  const int bits = nth(state.hats, hat);
  return ((bits & positive) != 0 ? 1 : 0) - ((bits & negative) != 0 ? 1 : 0);
}

bool device_has(const AxisBinding& b, const RawState& state) {
  switch (b.kind) {
    case ControlKind::kAxis:
      return has(state.axes, b.number);
    case ControlKind::kButtons:
      return (b.negative < 0 || has(state.buttons, b.negative)) &&
             (b.positive < 0 || has(state.buttons, b.positive));
    case ControlKind::kHatX:
    case ControlKind::kHatY:
      return has(state.hats, b.number);
  }
  return false;
}

// Certainly near its centre; missing parts do not count.
bool rests(const AxisBinding& b, const RawState& state) {
  if (b.kind != ControlKind::kAxis) return position(b, state) == 0.0;
  if (!has(state.axes, b.number)) return true;
  return nth(state.axis_known, b.number) != 0 &&
         command::near_centre(nth(state.axes, b.number), b.calibration);
}

std::vector<AttachedDevice> attached_devices(const RawDevices& raw) {
  std::vector<AttachedDevice> list;
  for (const RawDevice& device : raw.attached()) list.push_back({device.id, device.identity});
  return list;
}

// The slot that moves most axes of one side; -1: none.
int slot_of_side(const command::LeverSetup& setup, LeverAxis x, LeverAxis y) {
  for (const AxisBinding& b : setup.axes)
    if (b.function == x || b.function == y) return b.slot;
  return -1;
}

// Every device of the old set-up has a place in the new one.
bool keeps_all(const command::LeverSetup& now, const command::LeverSetup& old) {
  return std::all_of(old.devices.begin(), old.devices.end(), [&now](const auto& device) {
    return std::any_of(now.devices.begin(), now.devices.end(), [&device](const auto& other) {
      return other.identity.guid == device.identity.guid;
    });
  });
}

}  // namespace

double position(const AxisBinding& b, const RawState& state) {
  double value = 0.0;
  switch (b.kind) {
    case ControlKind::kAxis:
      if (has(state.axes, b.number) && nth(state.axis_known, b.number) != 0)
        value = command::calibrated(nth(state.axes, b.number), b.calibration);
      break;
    case ControlKind::kButtons:
      value = (pressed(state, b.positive) ? 1.0 : 0.0) - (pressed(state, b.negative) ? 1.0 : 0.0);
      break;
    case ControlKind::kHatX:
      value = hat_axis(state, b.number, SDL_HAT_LEFT, SDL_HAT_RIGHT);
      break;
    case ControlKind::kHatY:
      value = hat_axis(state, b.number, SDL_HAT_DOWN, SDL_HAT_UP);
      break;
  }
  return b.invert ? 0.0 - value : value;  // no -0
}

LeverDesk::LeverDesk(command::LeverSetup setup, double now_s) : now_s_(now_s) {
  use(std::move(setup));
}

LeverDesk::~LeverDesk() = default;

// --- Set-up -------------------------------------------------------------------

void LeverDesk::use(command::LeverSetup setup) {
  default_ = setup.devices.empty();
  may_grow_ = default_;
  if (!default_) {
    take_setup(std::move(setup));
    return;
  }
  DefaultLayout layout = default_layout(raw_.attached());
  say(false, std::move(layout.said));
  take_setup(std::move(layout.setup));
}

void LeverDesk::take_setup(command::LeverSetup setup) {
  setup_ = std::move(setup);
  slots_ = SlotTable(setup_.devices);
  centred_.assign(setup_.devices.size(), 0);
  levers_ = {};
  first_look_ = true;
  follow(slots_.update(attached_devices(raw_)));
  first_look_ = false;
}

command::LeverSetup LeverDesk::setup() const {
  command::LeverSetup setup = setup_;
  for (int slot = 0; slot < slots_.slots(); ++slot)
    nth(setup.devices, slot).identity = slots_.slot(slot).identity;
  return setup;
}

// A device without a slot may complete the default layout, but not while a lever is missing, whose
// place it would take.
void LeverDesk::offer_default_layout() {
  for (int i = 0; i < slots_.slots(); ++i)
    if (slots_.device_in(i) < 0) return;
  if (anything_unclear()) return;
  DefaultLayout layout = default_layout(raw_.attached());
  if (layout.setup.devices.size() <= setup_.devices.size() || !keeps_all(layout.setup, setup_))
    return;
  say(true, std::move(layout.said));
  take_setup(std::move(layout.setup));
}

// --- What comes and goes ------------------------------------------------------

void LeverDesk::say(bool warning, std::string text) {
  notices_.push_back({now_s_, warning, std::move(text)});
}

std::string LeverDesk::lever_name(int slot) const {
  const std::string& name = nth(setup_.devices, slot).name;
  if (name == "left" || name == "right")
    return (name == "left" ? tr("the left lever") : tr("the right lever"));
  return tr_format("the device '{}'", name);
}

void LeverDesk::follow(const std::vector<SlotChange>& changes) {
  for (const SlotChange& change : changes) {
    const RawDevice* device = raw_.find(change.device);
    const std::string name = device != nullptr ? device->identity.name : tr("a device");
    switch (change.kind) {
      case SlotChange::Kind::kLost:
        nth(centred_, change.slot) = 0;
        if (device == nullptr)
          say(true, tr_format("{} was unplugged: neutral", lever_name(change.slot)));
        break;
      case SlotChange::Kind::kFilled:
        nth(centred_, change.slot) = 0;
        say(!first_look_, first_look_
                              ? tr_format("{} is {} ({})", lever_name(change.slot), name,
                                          tr(to_string(change.how)))
                              : tr_format("{} is back ({}): move it to the centre",
                                          lever_name(change.slot), tr(to_string(change.how))));
        tell_lacking(change.slot, *device);
        break;
      case SlotChange::Kind::kUnclear:
        say(true, tr_format("{} is attached, but it may be any of several equal levers: say "
                            "which; it is neutral until then",
                            name));
        break;
      case SlotChange::Kind::kUnused:
        say(false, tr_format("{} is attached, but no lever is bound to it", name));
        break;
    }
  }
}

void LeverDesk::tell_lacking(int slot, const RawDevice& device) {
  for (const AxisBinding& b : setup_.axes)
    if (b.slot == slot && !device_has(b, device.state))
      say(true, tr_format("{} has no such control as is bound to {}: that stays neutral",
                          device.identity.name, command::name_of(b.function)));
}

std::vector<Notice> LeverDesk::take_notices() {
  for (std::string& problem : raw_.take_problems()) say(true, std::move(problem));
  return std::exchange(notices_, {});
}

// --- Reading ------------------------------------------------------------------

void LeverDesk::handle(const SDL_Event& event) { keyboard_.handle(event); }

void LeverDesk::poll(double now_s, bool keys_known) {
  now_s_ = now_s;
  raw_.poll();
  const std::vector<SlotChange> changes = slots_.update(attached_devices(raw_));
  follow(changes);
  if (may_grow_ && std::any_of(changes.begin(), changes.end(), [](const SlotChange& c) {
        return c.kind == SlotChange::Kind::kUnused;
      }))
    offer_default_layout();
  read_levers();
  keyboard_.advance(now_s, keys_known);
  const command::OperatorInput before = current_;
  bool changed = false;
  for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
    current_.axis[i] = joined(levers_.axis[i], keyboard_.input().axis[i]);
    changed = changed || current_.axis[i] != before.axis[i];
  }
  current_.buttons = levers_.buttons | keyboard_.input().buttons;
  changed = changed || current_.buttons != before.buttons;
  if (changed) newest_event_s_ = now_s;
}

bool LeverDesk::is_centred(int slot, const RawState& state) const {
  return std::all_of(setup_.axes.begin(), setup_.axes.end(),
                     [&](const AxisBinding& b) { return b.slot != slot || rests(b, state); });
}

void LeverDesk::read_levers() {
  levers_ = {};
  for (int slot = 0; slot < slots_.slots(); ++slot) {
    const RawDevice* device = raw_.find(slots_.device_in(slot));
    if (device == nullptr) continue;
    if (nth(centred_, slot) == 0) {
      if (!is_centred(slot, device->state)) continue;
      nth(centred_, slot) = 1;
    }
    for (const AxisBinding& b : setup_.axes)
      if (b.slot == slot) nth(levers_.axis, b.function) += position(b, device->state);
    read_buttons(slot, device->state);
  }
  read_remote();
  for (double& axis : levers_.axis) axis = std::clamp(axis, -1.0, 1.0);
}

void LeverDesk::read_buttons(int slot, const RawState& state) {
  for (const command::ButtonBinding& b : setup_.buttons) {
    if (b.slot != slot) continue;
    const bool down =
        b.button >= 0
            ? pressed(state, b.button)
            : has(state.hats, b.hat) &&
                  (nth(state.hats, b.hat) & hat_sides()[static_cast<std::size_t>(b.side & 3)]) != 0;
    if (down) levers_.buttons |= std::int64_t{1} << static_cast<int>(b.function);
  }
}

void LeverDesk::listen_to(std::unique_ptr<RemoteLevers> remote) { remote_ = std::move(remote); }

void LeverDesk::read_remote() {
  if (!remote_) return;
  const RemoteLevers::State before = remote_->state();
  remote_->poll(now_s_);
  const RemoteLevers::State now = remote_->state();
  if (now == RemoteLevers::State::kSilent && before != now)
    say(true, tr_format("{} fell silent: neutral", remote_->name()));
  if (before == RemoteLevers::State::kSilent && before != now)
    say(false, tr_format("{} is heard", remote_->name()));
  for (std::size_t i = 0; i < command::kLeverAxes; ++i) levers_.axis[i] += remote_->input().axis[i];
  levers_.buttons |= remote_->input().buttons;
}

// --- For the screen -----------------------------------------------------------

// Parts that are off-centre.
std::string LeverDesk::centre_hint(int slot) const {
  const RawDevice* device = raw_.find(slots_.device_in(slot));
  std::string parts;
  bool known = true;
  for (const AxisBinding& b : setup_.axes) {
    if (b.slot != slot || rests(b, device->state)) continue;
    if (!parts.empty()) parts += ", ";
    parts += command::name_of(b.function);
    known = known && (b.kind != ControlKind::kAxis || nth(device->state.axis_known, b.number) != 0);
  }
  return tr_format("{} is neutral until it has been at its centre: {} ({})", lever_name(slot),
                   known ? tr("let it go") : tr("move it once and let it go"), parts);
}

std::vector<std::string> LeverDesk::warnings() const {
  std::vector<std::string> list;
  for (int slot = 0; slot < slots_.slots(); ++slot) {
    if (slots_.device_in(slot) < 0)
      list.push_back(tr_format("{} ({}) is not plugged in: neutral", lever_name(slot),
                               nth(setup_.devices, slot).identity.name));
    else if (nth(centred_, slot) == 0)
      list.push_back(centre_hint(slot));
  }
  if (remote_ && remote_->state() == RemoteLevers::State::kSilent)
    list.push_back(remote_->silence());
  if (remote_ && remote_->state() == RemoteLevers::State::kCentre)
    list.push_back(
        tr_format("{} is neutral until all its levers have been at their centres: let "
                  "them go",
                  remote_->name()));
  if (anything_unclear())
    list.emplace_back(tr("equal levers are attached and cannot be told apart: say which is which"));
  return list;
}

std::vector<DeviceLine> LeverDesk::devices() const {
  std::vector<DeviceLine> lines;
  for (int slot = 0; slot < slots_.slots(); ++slot) {
    DeviceLine line;
    line.slot = slot;
    line.slot_name = nth(setup_.devices, slot).name;
    line.device = slots_.device_in(slot);
    line.device_name = nth(setup_.devices, slot).identity.name;
    if (line.device >= 0)
      line.state = nth(centred_, slot) != 0 ? DeviceState::kInUse : DeviceState::kCentre;
    lines.push_back(line);
  }
  for (const RawDevice& device : raw_.attached()) {
    if (slots_.slot_of(device.id) >= 0) continue;
    DeviceLine line;
    line.device = device.id;
    line.device_name = device.identity.name;
    line.proposed_slot = slots_.proposed_slot(device.id);
    const auto& unclear = slots_.unclear();
    line.state = std::find(unclear.begin(), unclear.end(), device.id) != unclear.end()
                     ? DeviceState::kUnclear
                     : DeviceState::kUnused;
    lines.push_back(line);
  }
  for (DeviceLine& line : lines) {
    const RawDevice* device = raw_.find(line.device);
    if (device == nullptr) continue;
    for (const int raw : device->state.axes)
      line.deflection =
          std::max(line.deflection, std::abs(raw) / -static_cast<double>(command::kRawMin));
  }
  return lines;
}

MenuButtons LeverDesk::menu_buttons() const {
  MenuButtons held;
  for (const RawDevice& device : raw_.attached()) add_buttons(device, held);
  return held;
}

bool LeverDesk::is_bound_button(int device, int button) const {
  const int slot = slots_.slot_of(device);
  const auto presses = [&](const command::ButtonBinding& b) {
    return b.slot == slot && b.button == button;
  };
  return slot >= 0 &&
         (std::any_of(setup_.buttons.begin(), setup_.buttons.end(), presses) ||
          std::any_of(setup_.axes.begin(), setup_.axes.end(), [&](const AxisBinding& b) {
            return b.slot == slot && b.kind == ControlKind::kButtons &&
                   (b.negative == button || b.positive == button);
          }));
}

void LeverDesk::add_buttons(const RawDevice& device, MenuButtons& held) const {
  const RawState& state = device.state;
  const auto by_mapping = [&](const char* control, int otherwise) {
    const auto found = mapped(device.gamepad_mapping, control);
    if (!is_gamepad(device) || !found) return pressed(state, otherwise);
    if (found->kind == MappedControl::Kind::kHat)
      return has(state.hats, found->number) &&
             (nth(state.hats, found->number) & found->hat_mask) != 0;
    return found->kind == MappedControl::Kind::kButton && pressed(state, found->number);
  };
  held.accept = held.accept || by_mapping("a", 0);
  held.back = held.back || by_mapping("b", 1);
  held.up = held.up || by_mapping("dpup", -1) || hat_axis(state, 0, 0, SDL_HAT_UP) > 0;
  held.down = held.down || by_mapping("dpdown", -1) || hat_axis(state, 0, 0, SDL_HAT_DOWN) > 0;
  held.left = held.left || by_mapping("dpleft", -1) || hat_axis(state, 0, 0, SDL_HAT_LEFT) > 0;
  held.right = held.right || by_mapping("dpright", -1) || hat_axis(state, 0, 0, SDL_HAT_RIGHT) > 0;
  if (is_gamepad(device)) {
    held.menu = held.menu || by_mapping("start", -1);
    return;
  }
  for (const int button : {2, 3})
    held.menu = held.menu || (pressed(state, button) && !is_bound_button(device.id, button));
}

// --- The user's word ----------------------------------------------------------

void LeverDesk::swap_levers() {
  may_grow_ = false;
  const int left = slot_of_side(setup_, LeverAxis::kLeftX, LeverAxis::kLeftY);
  const int right = slot_of_side(setup_, LeverAxis::kRightX, LeverAxis::kRightY);
  std::vector<SlotChange> changes;
  if (left >= 0 && right >= 0 && slots_.swap(left, right, changes)) {
    follow(changes);
    say(false, tr("left and right lever were swapped"));
    return;
  }
  // Devices of different models (or a single one) keep their bindings' calibration: the axes they
  // move are exchanged.
  for (AxisBinding& b : setup_.axes)
    if (b.slot >= 0 && (b.slot == left || b.slot == right))
      b.function = command::mirrored(b.function);
  for (command::ButtonBinding& b : setup_.buttons)
    if (b.slot >= 0 && (b.slot == left || b.slot == right))
      b.function = command::mirrored(b.function);
  if (left >= 0 && right >= 0)
    std::swap(nth(setup_.devices, left).name, nth(setup_.devices, right).name);
  for (const int slot : {left, right})
    if (slot >= 0) nth(centred_, slot) = 0;
  say(false, tr("left and right lever were swapped"));
}

void LeverDesk::confirm_order() {
  std::vector<SlotChange> changes;
  slots_.confirm(changes);
  follow(changes);
}

bool LeverDesk::assign(int slot, int device) {
  std::vector<SlotChange> changes;
  if (!slots_.assign(slot, device, changes)) return false;
  follow(changes);
  return true;
}

}  // namespace knuckleboom::input
