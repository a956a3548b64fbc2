// The machine's sound on the system's audio device.
#pragma once

#include <memory>
#include <string>

#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::sound {

// For one thread. Without a device everything works silently.
class Sound {
 public:
  // Never fails; see sentence(). While muted it opens no device.
  static Sound open(bool muted);
  ~Sound();
  Sound(Sound&&) noexcept;
  Sound& operator=(Sound&&) noexcept;

  // Called for each frame. Detects a removed device.
  void update(const training::SessionSnapshot& snapshot);

  void set_muted(bool muted);
  bool muted() const;
  void set_paused(bool paused);    // silent while the session is paused
  void set_volume(double volume);  // 0 to 1
  double volume() const;

  bool available() const;  // a device is open
  // Status of the sound; changes when the device is removed.
  const std::string& sentence() const;

 private:
  struct Impl;
  explicit Sound(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace knuckleboom::sound
