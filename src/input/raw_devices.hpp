// SDL's devices as they are: raw values, identities, attachment, without interpretation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "knuckleboom/core/command/lever_setup.hpp"

struct _SDL_Joystick;  // NOLINT(bugprone-reserved-identifier): named by SDL

namespace knuckleboom::input {

// Sets the hints without which SDL drops or distorts lever values. Call it before any SDL_Init.
void prepare_sdl_input();

// Frees SDL's data of the calling thread, its last error message. For the end of threads not
// created by SDL.
void leave_sdl();

struct RawState {
  std::vector<int> axes;                 // kRawMin to kRawMax
  std::vector<std::uint8_t> axis_known;  // 0: never reported, so its position is unknown
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
  // Starts SDL's joystick subsystem and opens the attached devices.
  RawDevices();
  ~RawDevices();
  RawDevices(const RawDevices&) = delete;
  RawDevices& operator=(const RawDevices&) = delete;

  // Polls the drivers: removes and adds devices and reads all values. Needs no event loop. True if
  // any value or the set of devices has changed since the last call.
  bool poll();

  const std::vector<RawDevice>& attached() const { return devices_; }  // in order of attachment
  const RawDevice* find(int id) const;

  // One message per device that could not be opened (or for SDL itself), each reported once.
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

// Linux's data of a device file such as /dev/input/event7: the USB port, which unlike the number of
// the file stays the same after replugging, and the serial. Empty if unknown.
struct DevicePlace {
  std::string port, serial;
};
DevicePlace device_place(const std::string& device_file,
                         const std::filesystem::path& sysfs = "/sys");

}  // namespace knuckleboom::input
