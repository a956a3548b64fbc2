// The sound of the machine, computed sample by sample: docs/theory/sound.md.
//
// No device, no heap after construction, no lock: for the callback of an audio device and for
// tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sound/sound_state.hpp"

namespace knuckleboom::sound {

inline constexpr double kEngineSpeedRpm = 1500.0;  // without load
inline constexpr double kEngineDroop = 0.12;       // share lost at full load
inline constexpr double kHalfLoadW = 25e3;         // pump power of half load
inline constexpr int kCylinders = 6;               // four-stroke
inline constexpr int kPistons = 9;                 // of the pump, at the engine's speed
inline constexpr double kToothHz = 925.0;          // cutters of a chain of 38 m/s, 41 mm apart
inline constexpr double kSawDroop = 0.15;          // share of its speed lost in the wood
inline constexpr double kSpikePitch = 0.03;        // of the feed rollers [m]
inline constexpr double kFullFeed = 5.0;           // of full loudness [m/s]

// Load 0..1 of a pump power; always below 1.
double load_of(double pump_power_W);

// A value that follows its target without a jump.
class Glide {
 public:
  Glide(double time_constant_s, double rate_Hz, double start);
  void set(double target) { target_ = target; }
  double next();
  double value() const { return value_; }

 private:
  double share_, value_, target_;
};

// A decaying tone excited by knocks: x + iy rotates and decays.
class Mode {
 public:
  Mode(double frequency_Hz, double decay_s, double gain, double rate_Hz);
  double next(double excitation);

 private:
  double c_, s_, gain_;
  double x_ = 0.0, y_ = 0.0;
};

// A body that rings when hit.
class Knocker {
 public:
  Knocker(std::vector<Mode> modes, double rate_Hz);
  // Takes the number of hits so far and the strength of the newest, 0..1.
  void follow(std::int64_t count, double strength);
  double next();
  std::int64_t knocks() const { return knocks_; }

 private:
  std::vector<Mode> modes_;
  double share_;             // share of the impact applied per sample
  double blow_ = 0.0;        // remaining impact
  std::int64_t count_ = -1;  // -1: unknown yet
  std::int64_t knocks_ = 0;
};

class Synth {
 public:
  explicit Synth(double rate_Hz);

  void set(const SoundState& state);
  void render(std::span<float> samples);  // appends to the past: mono, within -1..1

  double engine_rpm() const { return speed_.value(); }
  std::int64_t knocks() const {
    return stop_.knocks() + collision_.knocks() + branches_.knocks() + fall_.knocks();
  }

 private:
  double engine(double load);
  double pump(double load);
  double hiss(double relief);
  double saw(double chain, double cut);
  double rollers(double speed);
  double noise();  // white, -1..1

  double rate_Hz_;
  std::vector<float> soft_, harsh_;  // one cycle of the engine: two turns, kCylinders strokes
  double cycle_ = 0.0, pump_turn_ = 0.0, tooth_ = 0.0, spike_ = 0.0;  // phases, 0..1
  Glide speed_, load_, relief_, volume_, chain_, cut_, feed_;
  std::uint32_t seed_ = 0x9e3779b9;
  double roar_ = 0.0, hiss_1_ = 0.0, hiss_2_ = 0.0, bark_ = 0.0;  // filter memory
  Knocker stop_, collision_, branches_, fall_;
};

}  // namespace knuckleboom::sound
