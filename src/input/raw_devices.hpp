// The devices SDL knows, as they are: raw values, identities, attachment. No meaning is given to
// anything here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "knuckleboom/core/command/lever_setup.hpp"

struct _SDL_Joystick;  // NOLINT(bugprone-reserved-identifier): named by SDL

namespace knuckleboom::input {

// Sets the hints without which SDL drops or bends lever values. Call it before any SDL_Init.
void prepare_sdl_input();

// Frees what SDL keeps for the calling thread, its last sentence of error. For the end of threads that SDL has
// not made itself.
void leave_sdl();

struct RawState {
  std::vector<int> axes;                 // kRawMin to kRawMax
  std::vector<std::uint8_t> axis_known;  // 0: never reported, so where it stands is not known
  std::vector<std::uint8_t> buttons;     // 1: pressed
  std::vector<std::uint8_t> hats;        // SDL_HAT_ bits

  bool operator==(const RawState&) const = default;
};

struct RawDevice {
  int id = -1;  // never used again after a removal
  command::DeviceIdentity identity;
  std::string gamepad_mapping;  // SDL's mapping if it is a game controller
  RawState state;
};

// All attached devices, open. One at a time: SDL's devices are global to the process.
class RawDevices {
 public:
  // Starts SDL's joystick part and takes what is attached.
  RawDevices();
  ~RawDevices();
  RawDevices(const RawDevices&) = delete;
  RawDevices& operator=(const RawDevices&) = delete;

  // Asks the drivers. Drops what has gone, adds what has come and reads all values. Needs no event
  // loop. True if any value differs from the last call's or the set of devices does.
  bool poll();

  const std::vector<RawDevice>& attached() const { return devices_; }  // in order of attachment
  const RawDevice* find(int id) const;

  // One sentence per device that could not be opened (or for SDL itself), each told once.
  std::vector<std::string> take_problems();

 private:
  bool drop_removed();
  bool open_new();
  bool read_values();

  bool started_ = false;
  std::vector<RawDevice> devices_;
  std::vector<_SDL_Joystick*> handles_;  // of devices_
  std::vector<int> refused_;             // ids that could not be opened
  std::vector<std::string> problems_;
};

// What Linux knows of a device file such as /dev/input/event7: the USB port, which unlike the number
// of the file stays the same after replugging, and the serial. Empty where it does not say.
struct DevicePlace {
  std::string port, serial;
};
DevicePlace device_place(const std::string& device_file,
                         const std::filesystem::path& sysfs = "/sys");

}  // namespace knuckleboom::input
