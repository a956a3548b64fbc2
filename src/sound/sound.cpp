#include "sound/sound.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <SDL2/SDL.h>

#include "knuckleboom/runtime/latest_value.hpp"
#include "sound/sound_state.hpp"
#include "sound/synth.hpp"

namespace knuckleboom::sound {
namespace {

constexpr int kRateHz = 48000;
constexpr Uint16 kBlock = 1024;  // samples for each call of the device: 21 ms

}  // namespace

struct Sound::Impl {
  ~Impl() {
    close_device();
    if (initialised) SDL_QuitSubSystem(SDL_INIT_AUDIO);
  }
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void open_device() {
    initialised = SDL_InitSubSystem(SDL_INIT_AUDIO) == 0;
    if (initialised) {
      SDL_AudioSpec wanted{};
      wanted.freq = kRateHz;
      wanted.format = AUDIO_F32SYS;
      wanted.channels = 1;
      wanted.samples = kBlock;
      wanted.callback = &Impl::fill;
      wanted.userdata = this;
      SDL_AudioSpec got{};
      device = SDL_OpenAudioDevice(nullptr, 0, &wanted, &got, 0);  // SDL converts if necessary
    }
    if (device == 0) {
      sentence = std::string("no sound: ") + SDL_GetError();
      return;
    }
    sentence = std::string("sound by ") + SDL_GetCurrentAudioDriver();
    SDL_PauseAudioDevice(device, 0);
  }

  void close_device() {
    if (device != 0) SDL_CloseAudioDevice(device);  // waits for the callback
    device = 0;
  }

  // Runs on the device's own thread.
  static void fill(void* self, Uint8* stream, int bytes) {
    auto* impl = static_cast<Impl*>(self);
    if (impl->latest.refresh()) impl->synth.set(impl->latest.value());
    impl->synth.render(
        {reinterpret_cast<float*>(stream), static_cast<std::size_t>(bytes) / sizeof(float)});
  }

  // The device is opened on first use: without sound its driver prints no messages.
  void set_muted(bool now) {
    muted = now;
    if (!muted && !std::exchange(tried, true)) open_device();
    send();
  }

  void send() {
    state.silent = muted || paused;
    latest.write(state);
  }

  bool initialised = false;
  SDL_AudioDeviceID device = 0;  // 0: none
  std::string sentence = "sound off";
  SoundFollower follower;
  SoundState state;
  bool muted = true, paused = false;
  bool tried = false;  // to open the device
  runtime::LatestValue<SoundState> latest;
  Synth synth{kRateHz};
};

Sound Sound::open(bool muted) {
  auto impl = std::make_unique<Impl>();
  impl->set_muted(muted);
  return Sound(std::move(impl));
}
Sound::Sound(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sound::~Sound() = default;
Sound::Sound(Sound&&) noexcept = default;
Sound& Sound::operator=(Sound&&) noexcept = default;

void Sound::update(const training::SessionSnapshot& snapshot) {
  if (impl_->device != 0 && SDL_GetAudioDeviceStatus(impl_->device) == SDL_AUDIO_STOPPED) {
    impl_->close_device();
    impl_->sentence = "the sound device went away; going on without sound";
  }
  impl_->follower.follow(snapshot, impl_->state);
  impl_->send();
}

void Sound::set_muted(bool muted) { impl_->set_muted(muted); }
bool Sound::muted() const { return impl_->muted; }

void Sound::set_paused(bool paused) {
  impl_->paused = paused;
  impl_->send();
}

void Sound::set_volume(double volume) {
  impl_->state.volume = std::clamp(volume, 0.0, 1.0);
  impl_->send();
}
double Sound::volume() const { return impl_->state.volume; }

bool Sound::available() const { return impl_->device != 0; }
const std::string& Sound::sentence() const { return impl_->sentence; }

}  // namespace knuckleboom::sound
