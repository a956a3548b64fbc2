// The operator's desk: all levers, controllers and the keyboard together give one OperatorInput.
//
// Safety: a lever that vanishes gives neutral at the very poll that finds it gone. A lever that
// appears (at the start, after replugging, or by assignment) gives neutral until all its bound axes
// have been near their centre at the same time. Nothing is assigned by guessing (input/slots.hpp).
//
// Times are the caller's [s], on any monotonic clock. One thread at a time; LeverThread polls it in
// parallel to SDL's event loop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input/keyboard.hpp"
#include "input/menu_input.hpp"
#include "input/raw_devices.hpp"
#include "input/remote_levers.hpp"
#include "input/slots.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"
#include "knuckleboom/core/command/operator_input.hpp"

union SDL_Event;

namespace knuckleboom::input {

struct Notice {
  double at_s = 0.0;
  bool warning = false;  // otherwise only information
  std::string text;      // one sentence
};

enum class DeviceState {
  kMissing,  // a slot without device
  kCentre,   // present, but neutral until centred
  kInUse,
  kUnclear,  // one of several equal ones: neutral until the user assigns it
  kUnused,   // without a slot
};

// A line of the levers' menu.
struct DeviceLine {
  DeviceState state = DeviceState::kMissing;
  int slot = -1;           // -1: none
  int device = -1;         // -1: missing
  int proposed_slot = -1;  // of kUnclear
  std::string slot_name;   // "left"
  std::string device_name;
  double deflection = 0.0;  // largest of its axes, 0 to 1, whatever the state: "this one moves"
};

class LeverDesk {
 public:
  // Starts SDL's joysticks. Without devices in the setup the default layout of the attached devices
  // is used (default_layout.hpp); a second stick attached later joins it.
  explicit LeverDesk(command::LeverSetup setup = {}, double now_s = 0.0);
  ~LeverDesk();
  LeverDesk(const LeverDesk&) = delete;
  LeverDesk& operator=(const LeverDesk&) = delete;

  // Keys and window focus. SDL's joystick events are switched off: poll() reads the devices.
  void handle(const SDL_Event& event);

  // Once per frame or more often: reads all devices, moves the keyboard's levers, detects attached
  // and removed devices. Positions reported by a driver before the call are in current() after it.
  // keys_known: see KeyboardLevers::advance().
  void poll(double now_s, bool keys_known = true);

  // Levers and keyboard, and levers alone, as of the last poll.
  const command::OperatorInput& current() const { return current_; }
  const command::OperatorInput& levers() const { return levers_; }
  // The poll that first saw the newest change of a lever or key; -1: none yet.
  double newest_event_s() const { return newest_event_s_; }

  // Since the last call, oldest first.
  std::vector<Notice> take_notices();
  // Reasons why levers do not work now, one message each; empty if none.
  std::vector<std::string> warnings() const;
  std::vector<DeviceLine> devices() const;

  // The user's assignment of devices.
  void swap_levers();    // left <-> right; settles unclear ones as well, in the other order
  void confirm_order();  // unclear devices are taken in their order of attachment
  bool assign(int slot, int device);
  bool anything_unclear() const { return !slots_.unclear().empty(); }

  // The present setup, to be saved as the user's device file.
  command::LeverSetup setup() const;
  bool is_default() const { return default_; }
  // Replaces the setup; every lever must be centred again.
  void use(command::LeverSetup setup);

  // Levers over the network, in addition to those plugged in; nullptr: none.
  void listen_to(std::unique_ptr<RemoteLevers> remote);
  const RemoteLevers* remote() const { return remote_.get(); }

  KeyboardLevers& keyboard() { return keyboard_; }
  // Buttons of all attached devices for menus (menu_input.hpp).
  MenuButtons menu_buttons() const;
  const RawDevices& raw() const { return raw_; }

 private:
  void say(bool warning, std::string text);
  void take_setup(command::LeverSetup setup);
  void follow(const std::vector<SlotChange>& changes);
  void offer_default_layout();
  void tell_lacking(int slot, const RawDevice& device);
  void read_levers();
  void read_remote();
  void read_buttons(int slot, const RawState& state);
  bool is_centred(int slot, const RawState& state) const;
  std::string lever_name(int slot) const;
  std::string centre_hint(int slot) const;
  void add_buttons(const RawDevice& device, MenuButtons& held) const;
  bool is_bound_button(int device, int button) const;

  RawDevices raw_;
  command::LeverSetup setup_;
  bool default_ = false;
  bool may_grow_ = false;  // the default layout may take in a second lever
  bool first_look_ = false;
  SlotTable slots_;
  std::vector<char> centred_;  // by slot
  KeyboardLevers keyboard_;
  std::unique_ptr<RemoteLevers> remote_;
  command::OperatorInput current_{}, levers_{};
  std::vector<Notice> notices_;
  double now_s_ = 0.0;
  double newest_event_s_ = -1.0;
};

// Position of one binding, -1 to 1; 0 for missing or unreported parts.
double position(const command::AxisBinding& binding, const RawState& state);

}  // namespace knuckleboom::input
