// Levers that exist in SDL only. They work without display and hardware.
#pragma once

#include <cstdint>
#include <string>

#include <SDL2/SDL.h>
#include <gtest/gtest.h>

#include "input/raw_devices.hpp"

namespace knuckleboom::test {

struct StickShape {
  int axes = 3;
  int buttons = 4;
  int hats = 1;
  SDL_JoystickType type = SDL_JOYSTICK_TYPE_FLIGHT_STICK;
  std::uint16_t product = 0x0001;  // another product is another model
  const char* name = "Test stick";
};

// Attached while it lives. Two of one shape have the same guid and neither path nor serial.
class VirtualStick {
 public:
  explicit VirtualStick(const StickShape& shape = {}) {
    SDL_VirtualJoystickDesc description{};
    description.version = SDL_VIRTUAL_JOYSTICK_DESC_VERSION;
    description.type = static_cast<Uint16>(shape.type);
    description.naxes = static_cast<Uint16>(shape.axes);
    description.nbuttons = static_cast<Uint16>(shape.buttons);
    description.nhats = static_cast<Uint16>(shape.hats);
    description.vendor_id = 0x1209;
    description.product_id = shape.product;
    description.name = shape.name;
    const int index = SDL_JoystickAttachVirtualEx(&description);
    EXPECT_GE(index, 0) << SDL_GetError();
    handle_ = SDL_JoystickOpen(index);
    EXPECT_NE(handle_, nullptr) << SDL_GetError();
    id_ = SDL_JoystickInstanceID(handle_);
  }
  ~VirtualStick() {
    for (int index = 0; index < SDL_NumJoysticks(); ++index)
      if (SDL_JoystickGetDeviceInstanceID(index) == id_) SDL_JoystickDetachVirtual(index);
    SDL_JoystickClose(handle_);
  }
  VirtualStick(const VirtualStick&) = delete;
  VirtualStick& operator=(const VirtualStick&) = delete;

  int id() const { return id_; }
  void axis(int number, int value) {
    EXPECT_EQ(SDL_JoystickSetVirtualAxis(handle_, number, static_cast<Sint16>(value)), 0);
  }
  void button(int number, bool pressed) {
    EXPECT_EQ(SDL_JoystickSetVirtualButton(handle_, number, pressed ? SDL_PRESSED : SDL_RELEASED),
              0);
  }
  void hat(int number, int bits) {
    EXPECT_EQ(SDL_JoystickSetVirtualHat(handle_, number, static_cast<Uint8>(bits)), 0);
  }

 private:
  SDL_Joystick* handle_ = nullptr;
  SDL_JoystickID id_ = -1;
};

// SDL's joysticks for one test, however many ran before it in the process.
class SdlJoysticks : public testing::Test {
 protected:
  static void SetUpTestSuite() { SDL_setenv("SDL_VIDEODRIVER", "dummy", 1); }
  void SetUp() override {
    input::prepare_sdl_input();
    ASSERT_EQ(SDL_InitSubSystem(SDL_INIT_JOYSTICK | SDL_INIT_GAMECONTROLLER), 0) << SDL_GetError();
    if (SDL_NumJoysticks() != 0) GTEST_SKIP() << "a real controller is attached";
  }
  void TearDown() override { SDL_QuitSubSystem(SDL_INIT_JOYSTICK | SDL_INIT_GAMECONTROLLER); }
};

}  // namespace knuckleboom::test
