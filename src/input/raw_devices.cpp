#include "input/raw_devices.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/format.h>

namespace knuckleboom::input {
namespace {

constexpr Uint32 kParts = SDL_INIT_JOYSTICK | SDL_INIT_GAMECONTROLLER;

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The value of NAME=value in a uevent file.
std::string uevent_value(const std::filesystem::path& file, std::string_view name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return line.substr(name.size() + 1);
  return {};
}

std::string guid_of(SDL_Joystick* joystick) {
  std::array<char, 33> text{};
  SDL_JoystickGetGUIDString(SDL_JoystickGetGUID(joystick), text.data(),
                            static_cast<int>(text.size()));
  return text.data();
}

command::DeviceIdentity identity_of(SDL_Joystick* joystick) {
  command::DeviceIdentity identity;
  identity.guid = guid_of(joystick);
  const DevicePlace place = device_place(text_of(SDL_JoystickPath(joystick)));
  identity.port = place.port;
  identity.serial = text_of(SDL_JoystickGetSerial(joystick));
  if (identity.serial.empty()) identity.serial = place.serial;
  identity.name = text_of(SDL_JoystickName(joystick));
  return identity;
}

std::string mapping_of(int index) {
  if (SDL_IsGameController(index) == SDL_FALSE) return {};
  char* text = SDL_GameControllerMappingForDeviceIndex(index);
  std::string mapping = text_of(text);
  SDL_free(text);
  return mapping;
}

RawState read(SDL_Joystick* joystick) {
  RawState state;
  for (int i = 0; i < SDL_JoystickNumAxes(joystick); ++i) {
    Sint16 unused = 0;
    state.axes.push_back(SDL_JoystickGetAxis(joystick, i));
    state.axis_known.push_back(SDL_JoystickGetAxisInitialState(joystick, i, &unused) == SDL_TRUE);
  }
  for (int i = 0; i < SDL_JoystickNumButtons(joystick); ++i)
    state.buttons.push_back(SDL_JoystickGetButton(joystick, i));
  for (int i = 0; i < SDL_JoystickNumHats(joystick); ++i)
    state.hats.push_back(SDL_JoystickGetHat(joystick, i));
  return state;
}

// SDL's indices must not change while they are used.
class JoystickLock {
 public:
  JoystickLock() { SDL_LockJoysticks(); }
  ~JoystickLock() { SDL_UnlockJoysticks(); }
  JoystickLock(const JoystickLock&) = delete;
  JoystickLock& operator=(const JoystickLock&) = delete;
};

}  // namespace

void prepare_sdl_input() {
  // Otherwise all levers are dead while the window has no focus.
  SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
  // Otherwise the kernel's flat zone (about 12 % of the travel) is removed, even for throttles.
  SDL_SetHint(SDL_HINT_LINUX_JOYSTICK_DEADZONES, "0");
  // The older Linux interface has its own dead zones.
  SDL_SetHint(SDL_HINT_LINUX_JOYSTICK_CLASSIC, "0");
}

void leave_sdl() { SDL_TLSCleanup(); }

RawDevices::RawDevices() {
  prepare_sdl_input();
  started_ = SDL_InitSubSystem(kParts) == 0;
  if (!started_)
    problems_.push_back(
        fmt::format("levers and controllers cannot be used: {}; the keyboard can", SDL_GetError()));
  // Values are read at each poll; events would only fill SDL's queue.
  SDL_JoystickEventState(SDL_IGNORE);
  SDL_GameControllerEventState(SDL_IGNORE);
  poll();
}

RawDevices::~RawDevices() {
  for (SDL_Joystick* handle : handles_) SDL_JoystickClose(handle);
  if (started_) SDL_QuitSubSystem(kParts);
}

bool RawDevices::poll() {
  if (!started_) return false;
  const JoystickLock lock;
  SDL_JoystickUpdate();
  bool changed = drop_removed();
  changed = open_new() || changed;
  return read_values() || changed;
}

bool RawDevices::drop_removed() {
  bool changed = false;
  for (std::size_t i = 0; i < handles_.size();) {
    if (SDL_JoystickGetAttached(handles_[i]) == SDL_TRUE) {
      ++i;
      continue;
    }
    SDL_JoystickClose(handles_[i]);
    handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(i));
    devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(i));
    changed = true;
  }
  return changed;
}

bool RawDevices::open_new() {
  bool changed = false;
  for (int index = 0; index < SDL_NumJoysticks(); ++index) {
    const int id = SDL_JoystickGetDeviceInstanceID(index);
    if (id < 0 || find(id) != nullptr ||
        std::find(refused_.begin(), refused_.end(), id) != refused_.end())
      continue;
    SDL_Joystick* handle = SDL_JoystickOpen(index);
    if (handle == nullptr) {
      refused_.push_back(id);
      problems_.push_back(fmt::format("{} cannot be opened: {}",
                                      text_of(SDL_JoystickNameForIndex(index)), SDL_GetError()));
      continue;
    }
    handles_.push_back(handle);
    devices_.push_back({id, identity_of(handle), mapping_of(index), {}});
    changed = true;
  }
  // A newly opened device reports its axes only at the next update.
  if (changed) SDL_JoystickUpdate();
  return changed;
}

bool RawDevices::read_values() {
  bool changed = false;
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    RawState state = read(handles_[i]);
    if (state == devices_[i].state) continue;
    devices_[i].state = std::move(state);
    changed = true;
  }
  return changed;
}

const RawDevice* RawDevices::find(int id) const {
  for (const RawDevice& device : devices_)
    if (device.id == id) return &device;
  return nullptr;
}

std::vector<std::string> RawDevices::take_problems() { return std::exchange(problems_, {}); }

DevicePlace device_place(const std::string& device_file, const std::filesystem::path& sysfs) {
  constexpr std::string_view kInput = "/dev/input/";
  constexpr std::string_view kHid = "/dev/hidraw";
  const std::string name = std::filesystem::path(device_file).filename().string();
  if (device_file.starts_with(kInput)) {
    const auto device = sysfs / "class/input" / name / "device";
    return {first_line(device / "phys"), first_line(device / "uniq")};
  }
  if (device_file.starts_with(kHid)) {
    const auto uevent = sysfs / "class/hidraw" / name / "device/uevent";
    return {uevent_value(uevent, "HID_PHYS"), uevent_value(uevent, "HID_UNIQ")};
  }
  return {};
}

}  // namespace knuckleboom::input
