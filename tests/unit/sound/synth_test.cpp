#include "sound/synth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::sound {
namespace {

constexpr double kRateHz = 48000.0;

std::vector<float> render(Synth& synth, double seconds) {
  std::vector<float> out(static_cast<std::size_t>(seconds * kRateHz));
  synth.render(out);
  return out;
}

// After every glide has arrived.
std::vector<float> steady(Synth& synth, const SoundState& state, double seconds = 1.0) {
  synth.set(state);
  render(synth, 3.0);
  return render(synth, seconds);
}

SoundState at_power(double power_W) {
  SoundState state;
  state.pump_power_W = power_W;
  state.volume = 1.0;
  return state;
}

double rms(std::span<const float> x) {
  double sum = 0.0;
  for (const float v : x) sum += static_cast<double>(v) * v;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

// Amplitude of one line of the spectrum (Goertzel, with a Hann window).
double amplitude(const std::vector<float>& x, double frequency_Hz) {
  const double w = 2.0 * std::numbers::pi * frequency_Hz / kRateHz;
  const auto n = static_cast<double>(x.size());
  double s1 = 0.0, s2 = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double window = 1.0 - std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / n);
    const double s0 = window * x[i] + 2.0 * std::cos(w) * s1 - s2;
    s2 = s1;
    s1 = s0;
  }
  return 2.0 / n * std::hypot(s1 - s2 * std::cos(w), s2 * std::sin(w));
}

double strongest_line(const std::vector<float>& x, double from_Hz, double to_Hz) {
  double best = 0.0, at = 0.0;
  for (double f = from_Hz; f <= to_Hz; f += 0.25) {
    const double a = amplitude(x, f);
    if (a > best) {
      best = a;
      at = f;
    }
  }
  return at;
}

// rms of what lies above about 5 kHz.
double high_band(const std::vector<float>& x) {
  std::vector<float> y(x);
  for (int pass = 0; pass < 4; ++pass) {
    double low = 0.0;
    for (float& v : y) {
      low += 0.5 * (v - low);
      v = static_cast<float>(v - low);
    }
  }
  return rms(y);
}

double largest_step(const std::vector<float>& x) {
  double step = 0.0;
  for (std::size_t i = 1; i < x.size(); ++i)
    step = std::max(step, std::fabs(static_cast<double>(x[i]) - x[i - 1]));
  return step;
}

// A six-cylinder four-stroke fires three times a turn.
double firing_Hz(double rpm) { return rpm / 60.0 * 3.0; }

TEST(Synth, theEngineFiresAsOftenAsItsSpeedSays) {
  Synth synth(kRateHz);
  const std::vector<float> idle = steady(synth, at_power(0.0));
  EXPECT_NEAR(synth.engine_rpm(), 1500.0, 1.0);
  EXPECT_NEAR(strongest_line(idle, 30.0, 120.0), 75.0, 0.3);
  EXPECT_NEAR(strongest_line(idle, 30.0, 120.0), firing_Hz(synth.engine_rpm()), 0.3);
  // At half load.
  const std::vector<float> half = steady(synth, at_power(kHalfLoadW));
  EXPECT_NEAR(synth.engine_rpm(), 1410.0, 1.0);
  EXPECT_NEAR(strongest_line(half, 30.0, 120.0), 70.5, 0.3);
}

TEST(Synth, thePumpSingsWithItsPistons) {
  Synth synth(kRateHz);
  const std::vector<float> idle = steady(synth, at_power(0.0));
  const double none = amplitude(idle, 9.0 * 25.0);  // 1500 rpm; three times the firing note
  const std::vector<float> loaded = steady(synth, at_power(60e3));
  const double tone_Hz = 9.0 * synth.engine_rpm() / 60.0;
  EXPECT_NEAR(strongest_line(loaded, tone_Hz - 8.0, tone_Hz + 8.0), tone_Hz, 0.3);
  EXPECT_GT(amplitude(loaded, tone_Hz), 2.0 * none);
}

TEST(Synth, loadLowersThePitchAndRaisesTheLevel) {
  Synth synth(kRateHz);
  double last_pitch = 1e9, last_level = 0.0;
  for (const double power : {0.0, 5e3, 15e3, 40e3, 120e3}) {
    const std::vector<float> x = steady(synth, at_power(power));
    const double pitch = strongest_line(x, 50.0, 90.0);
    EXPECT_LT(pitch, last_pitch - 0.4) << power;
    EXPECT_GT(rms(x), 1.05 * last_level) << power;
    last_pitch = pitch;
    last_level = rms(x);
  }
  EXPECT_GT(synth.engine_rpm(), kEngineSpeedRpm * (1.0 - kEngineDroop));
}

TEST(Synth, aPowerThatIsNoPowerIsNoLoad) {
  EXPECT_EQ(load_of(-5e3), 0.0);
  EXPECT_EQ(load_of(std::nan("")), 0.0);
  EXPECT_EQ(load_of(std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_EQ(load_of(kHalfLoadW), 0.5);
  EXPECT_LT(load_of(1e9), 1.0);
}

// Wheels and pump together may slow it down further than the pump's power says.
TEST(Synth, anEngineThatIsModelledTurnsAsItDoes) {
  Synth synth(kRateHz);
  SoundState state = at_power(0.0);
  state.engine_rad_per_s = 1200.0 / 60.0 * 2.0 * std::numbers::pi;
  const std::vector<float> x = steady(synth, state);
  EXPECT_NEAR(synth.engine_rpm(), 1200.0, 0.1);
  EXPECT_NEAR(strongest_line(x, 30.0, 120.0), 60.0, 0.3);
}

TEST(Synth, theChainSingsWithItsCutters) {
  Synth synth(kRateHz);
  SoundState state = at_power(0.0);
  const std::vector<float> idle = steady(synth, state);
  state.chain = 1.0;
  const std::vector<float> free = steady(synth, state);
  // 38 m/s, a cutter every 41 mm.
  EXPECT_NEAR(strongest_line(free, 700.0, 1100.0), 38.0 / 0.0411, 1.0);
  state.cut = 1.0;
  const std::vector<float> wood = steady(synth, state);
  const double lower = 0.85 * 925.0;
  EXPECT_NEAR(strongest_line(wood, 700.0, 1100.0), lower, 1.0);
  EXPECT_GT(amplitude(free, 925.0), 30.0 * amplitude(idle, 925.0));
  EXPECT_GT(amplitude(wood, lower), 2.0 * amplitude(free, 925.0));
  state.chain = state.cut = 0.0;
  EXPECT_LT(amplitude(steady(synth, state), 925.0), 1.2 * amplitude(idle, 925.0) + 1e-3);
}

TEST(Synth, theRollersGrowlAsTheStemRuns) {
  for (const double speed : {1.2, -3.0, 5.0}) {
    Synth synth(kRateHz);
    SoundState state = at_power(0.0);
    state.feed_m_s = speed;
    const double spikes_Hz = std::fabs(speed) / 0.03;
    const std::vector<float> x = steady(synth, state);
    EXPECT_NEAR(strongest_line(x, spikes_Hz - 3.0, spikes_Hz + 3.0), spikes_Hz, 0.3) << speed;
  }
}

TEST(Synth, hissesOnlyWhileAReliefValveIsOpen) {
  for (const double power : {0.0, 60e3}) {
    Synth synth(kRateHz);
    SoundState state = at_power(power);
    const double closed = high_band(steady(synth, state));
    state.relief = 0.8;
    const double open = high_band(steady(synth, state));
    state.relief = 0.0;
    const double again = high_band(steady(synth, state));
    EXPECT_GT(open, 10.0 * closed) << power;  // 20 dB
    EXPECT_LT(again, 1.1 * closed) << power;
  }
}

TEST(Synth, knocksOncePerBlow) {
  Synth synth(kRateHz);
  SoundState state = at_power(0.0);
  state.stop_hits = 7;  // before anybody listened
  state.collisions = 3;
  steady(synth, state);
  EXPECT_EQ(synth.knocks(), 0);
  for (int i = 1; i <= 5; ++i) {
    if (i % 2 == 0)
      state.stop_hits += 1;
    else
      state.collisions += 1;
    synth.set(state);
    render(synth, 0.1);
    synth.set(state);  // the same state again
    render(synth, 0.2);
    EXPECT_EQ(synth.knocks(), i);
  }
  // A restart sets the counts back.
  state.stop_hits = 0;
  state.collisions = 0;
  synth.set(state);
  EXPECT_EQ(synth.knocks(), 5);
  state.collisions = 1;
  synth.set(state);
  EXPECT_EQ(synth.knocks(), 6);
}

// Peak over the 60 ms after a blow, and over the second after that.
TEST(Synth, aHarderBlowIsLouderAndDiesAway) {
  const auto peaks = [](double speed) {
    Synth synth(kRateHz);
    SoundState state = at_power(0.0);
    const double before = rms(steady(synth, state));
    state.collisions = 1;
    state.collision_speed = speed;
    synth.set(state);
    const double blow = rms(render(synth, 0.06));
    render(synth, 0.5);
    const double after = rms(render(synth, 0.5));
    EXPECT_NEAR(after, before, 0.05 * before);
    return blow / before;
  };
  const double soft = peaks(0.1), medium = peaks(0.4), hard = peaks(1.0);
  EXPECT_GT(soft, 1.05);
  EXPECT_GT(medium, 1.2 * soft);
  EXPECT_GT(hard, 1.2 * medium);
}

TEST(Synth, neverClipsWhateverHappens) {
  Synth synth(kRateHz);
  const double odd[] = {0.0,  1e9,   -1e9,
                        0.5,  1e300, std::nan(""),
                        60e3, -0.0,  std::numeric_limits<double>::infinity()};
  SoundState state;
  for (int i = 0; i < 300; ++i) {
    const auto pick = [&](int step) { return odd[static_cast<std::size_t>(i * step + step) % 9]; };
    state.pump_power_W = pick(1);
    state.relief = pick(2);
    state.stop_speed = pick(4);
    state.collision_speed = pick(5);
    state.volume = pick(7);
    state.chain = pick(3);
    state.cut = pick(6);
    state.feed_m_s = pick(8);
    state.engine_rad_per_s = pick(5);
    state.whorl_speed = state.fall_speed = pick(2);
    state.whorls += i % 2;
    state.falls += i % 5;
    state.stop_hits += i % 3;
    state.collisions += i % 2;
    synth.set(state);
    for (const float x : render(synth, 0.01)) ASSERT_LE(std::fabs(x), 1.0F) << i;
  }
}

// A jump of a parameter must not be heard as a click: no step between samples that is larger than what
// the sound before or after has of its own.
TEST(Synth, doesNotClickWhenSomethingChanges) {
  SoundState quiet = at_power(0.0);
  SoundState loaded = at_power(80e3);
  SoundState muted = loaded;
  muted.silent = true;
  SoundState soft = loaded;
  soft.volume = 0.1;
  const SoundState states[] = {quiet, loaded, muted, loaded, soft, loaded, quiet, loaded, muted};
  Synth synth(kRateHz);
  double before = largest_step(steady(synth, states[0]));
  for (std::size_t i = 1; i < std::size(states); ++i) {
    synth.set(states[i]);
    const std::vector<float> change = render(synth, 1.0);
    const double after = largest_step(steady(synth, states[i]));
    EXPECT_LT(largest_step(change), 1.15 * std::max(before, after)) << i;
    before = after;
  }
  // A knock starts from nothing too: its first sample is no step.
  SoundState hit = quiet;
  hit.collisions = 1;
  hit.collision_speed = 1.0;
  Synth a(kRateHz), b(kRateHz);
  steady(a, quiet);
  steady(b, quiet);
  b.set(hit);
  const std::vector<float> without = render(a, 0.05), with = render(b, 0.05);
  std::vector<float> knock(with.size());
  for (std::size_t i = 0; i < with.size(); ++i) knock[i] = with[i] - without[i];
  EXPECT_LT(std::fabs(knock[0]), 0.01);
  EXPECT_LT(largest_step(knock), 0.05);
}

TEST(Synth, isSilentWhenMuted) {
  Synth synth(kRateHz);
  SoundState state = at_power(50e3);
  state.relief = 1.0;
  EXPECT_GT(rms(steady(synth, state)), 0.1);
  state.silent = true;
  synth.set(state);
  render(synth, 0.4);
  for (const float x : render(synth, 0.5)) ASSERT_EQ(x, 0.0F);
  // An impact during silence is not played later.
  state.collisions += 1;
  synth.set(state);
  for (const float x : render(synth, 0.2)) ASSERT_EQ(x, 0.0F);
  render(synth, 2.0);
  state.silent = false;
  EXPECT_GT(rms(steady(synth, state)), 0.1);
}

TEST(Synth, soundsTheSameAtAnotherRate) {
  Synth synth(22050.0);
  synth.set(at_power(0.0));
  std::vector<float> x(3 * 22050);
  synth.render(x);
  synth.render(x);
  Synth other(kRateHz);
  EXPECT_NEAR(rms(x), rms(steady(other, at_power(0.0))), 0.1 * rms(x));
}

}  // namespace
}  // namespace knuckleboom::sound
