// The machine's sound on the system's sound device.
#pragma once

#include <memory>
#include <string>

#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::sound {

// For one thread. Without a device everything works and is silent.
class Sound {
 public:
  // Never fails; see sentence(). Muted, it opens no device before it is not muted any more.
  static Sound open(bool muted);
  ~Sound();
  Sound(Sound&&) noexcept;
  Sound& operator=(Sound&&) noexcept;

  // For each picture. Notices a device that went away.
  void update(const training::SessionSnapshot& snapshot);

  void set_muted(bool muted);
  bool muted() const;
  void set_paused(bool paused);    // silent as long as the session stands still
  void set_volume(double volume);  // 0 to 1
  double volume() const;

  bool available() const;  // there is a device, and it is open
  // What there is to hear, or why there is nothing; changes when the device goes away.
  const std::string& sentence() const;

 private:
  struct Impl;
  explicit Sound(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace knuckleboom::sound
