#include "sound/synth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace knuckleboom::sound {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr std::size_t kTable = 4096;

// Levels relative to full scale, before the limiter.
constexpr double kEngineIdle = 0.22, kEngineFull = 0.50;
constexpr double kRoarIdle = 0.10, kRoarFull = 0.25;
constexpr double kPumpFull = 0.16;
constexpr double kHiss = 0.30;
constexpr double kKnock = 0.9;
constexpr double kChain = 0.10, kChainInWood = 0.28;
constexpr double kRasp = 0.25;     // of the chips
constexpr double kRollers = 0.22;  // at kFullFeed

constexpr double kRoarCornerHz = 250.0;
constexpr double kHissCornerHz = 3500.0;
constexpr double kBarkCornerHz = 900.0;
constexpr double kMostEngineRpm = 3000.0;
constexpr double kMostFeed = 10.0;  // m/s

// Impact speeds of full loudness.
constexpr double kFullStop = 0.4;       // m/s
constexpr double kFullCollision = 1.0;  // m/s
constexpr double kFullWhorl = 4.0;      // m/s
constexpr double kFullFall = 15.0;      // m/s

double finite(double value) { return std::isfinite(value) ? value : 0.0; }

double one_pole(double time_constant_s, double rate_Hz) {
  return 1.0 - std::exp(-1.0 / (time_constant_s * rate_Hz));
}

// Loudness grows with the square root of the speed, so that light touches are audible.
double strength(double speed, double full) {
  return std::clamp(std::sqrt(std::max(finite(speed), 0.0) / full), 0.15, 1.0);
}

// A fixed scatter from -1 to 1 that makes each cylinder a little different.
double scatter(int order) { return std::sin(12.9898 * order + 78.233 * order * order); }

// One engine cycle: the firing strokes with their harmonics, which fall off with the given power, and
// between them weak orders of the cycle from the cylinders' differences. Peak 1.
std::vector<float> engine_cycle(double fall_off, int harmonics, double unevenness) {
  std::vector<double> wave(kTable, 0.0);
  for (int order = 1; order <= harmonics * kCylinders; ++order) {
    const bool firing = order % kCylinders == 0;
    const double amplitude = firing ? std::pow(order / kCylinders, -fall_off)
                                    : unevenness * scatter(order) / (1.0 + 0.1 * order);
    const double phase = firing ? 0.0 : scatter(order + 100) * std::numbers::pi;
    for (std::size_t i = 0; i < kTable; ++i)
      wave[i] += amplitude * std::sin(kTurn * order * static_cast<double>(i) / kTable + phase);
  }
  double peak = 0.0;
  for (const double value : wave) peak = std::max(peak, std::fabs(value));
  std::vector<float> out(kTable + 1);  // the first sample again, for interpolation
  for (std::size_t i = 0; i <= kTable; ++i) out[i] = static_cast<float>(wave[i % kTable] / peak);
  return out;
}

double look_up(const std::vector<float>& table, double phase) {
  const double place = phase * kTable;
  const auto i = std::min(static_cast<std::size_t>(place), kTable - 1);
  const double part = place - static_cast<double>(i);
  return table[i] + part * (static_cast<double>(table[i + 1]) - table[i]);
}

void advance(double& phase, double step) {
  phase += step;
  if (phase >= 1.0) phase -= 1.0;
}

// Linear for small values, never beyond 1.
double limited(double x) { return x / std::sqrt(1.0 + x * x); }

}  // namespace

double load_of(double pump_power_W) {
  const double power = std::max(finite(pump_power_W), 0.0);
  return power / (power + kHalfLoadW);
}

// --- Glide --------------------------------------------------------------------

Glide::Glide(double time_constant_s, double rate_Hz, double start)
    : share_(one_pole(time_constant_s, rate_Hz)), value_(start), target_(start) {}

double Glide::next() {
  const double gap = target_ - value_;
  // Reaches the target, so that silence is exact.
  value_ = std::fabs(gap) < 1e-6 ? target_ : value_ + share_ * gap;
  return value_;
}

// --- Knocks -------------------------------------------------------------------

Mode::Mode(double frequency_Hz, double decay_s, double gain, double rate_Hz) : gain_(gain) {
  const double r = std::exp(-1.0 / (decay_s * rate_Hz));
  c_ = r * std::cos(kTurn * frequency_Hz / rate_Hz);
  s_ = r * std::sin(kTurn * frequency_Hz / rate_Hz);
}

double Mode::next(double excitation) {
  x_ += excitation;
  const double x = c_ * x_ - s_ * y_;
  y_ = s_ * x_ + c_ * y_;
  x_ = std::fabs(x) + std::fabs(y_) < 1e-9 ? 0.0 : x;  // no denormal numbers
  if (x_ == 0.0) y_ = 0.0;
  return gain_ * y_;  // starts at 0
}

Knocker::Knocker(std::vector<Mode> modes, double rate_Hz)
    : modes_(std::move(modes)), share_(one_pole(0.8e-3, rate_Hz)) {}

void Knocker::follow(std::int64_t count, double strength) {
  if (count_ >= 0 && count > count_) {
    blow_ = std::min(blow_ + strength, 1.0);
    ++knocks_;
  }
  count_ = count;
}

double Knocker::next() {
  const double given = share_ * blow_;
  blow_ = blow_ < 1e-6 ? 0.0 : blow_ - given;
  double sum = 0.0;
  for (Mode& mode : modes_) sum += mode.next(given);
  return sum;
}

// --- Synth --------------------------------------------------------------------

Synth::Synth(double rate_Hz)
    : rate_Hz_(rate_Hz),
      soft_(engine_cycle(1.3, 6, 0.08)),
      harsh_(engine_cycle(0.8, 14, 0.16)),
      speed_(0.15, rate_Hz, kEngineSpeedRpm),
      load_(0.06, rate_Hz, 0.0),
      relief_(0.03, rate_Hz, 0.0),
      volume_(0.02, rate_Hz, 0.0),
      chain_(0.12, rate_Hz, 0.0),
      cut_(0.05, rate_Hz, 0.0),
      feed_(0.04, rate_Hz, 0.0),
      // A thud of the whole boom in its stop; a clank of the head on wood or steel.
      stop_({Mode(58.0, 0.09, 0.8, rate_Hz), Mode(131.0, 0.05, 0.5, rate_Hz),
             Mode(410.0, 0.02, 0.2, rate_Hz)},
            rate_Hz),
      collision_({Mode(112.0, 0.06, 0.7, rate_Hz), Mode(347.0, 0.08, 0.4, rate_Hz),
                  Mode(923.0, 0.05, 0.25, rate_Hz), Mode(1571.0, 0.03, 0.12, rate_Hz)},
                 rate_Hz),
      // A crack of dry wood; a tree on the ground, which shakes it.
      branches_({Mode(640.0, 0.015, 0.3, rate_Hz), Mode(1730.0, 0.010, 0.3, rate_Hz),
                 Mode(2900.0, 0.006, 0.2, rate_Hz)},
                rate_Hz),
      fall_({Mode(37.0, 0.30, 0.9, rate_Hz), Mode(61.0, 0.20, 0.6, rate_Hz),
             Mode(173.0, 0.08, 0.25, rate_Hz)},
            rate_Hz) {}

void Synth::set(const SoundState& state) {
  const double load = load_of(state.pump_power_W);
  load_.set(load);
  const double turns_rpm = finite(state.engine_rad_per_s) * 60.0 / kTurn;
  speed_.set(turns_rpm > 0.0 ? std::min(turns_rpm, kMostEngineRpm)
                             : kEngineSpeedRpm * (1.0 - kEngineDroop * load));
  relief_.set(std::clamp(finite(state.relief), 0.0, 1.0));
  volume_.set(state.silent ? 0.0 : std::clamp(finite(state.volume), 0.0, 1.0));
  stop_.follow(state.stop_hits, strength(state.stop_speed, kFullStop));
  collision_.follow(state.collisions, strength(state.collision_speed, kFullCollision));
  branches_.follow(state.whorls, strength(state.whorl_speed, kFullWhorl));
  fall_.follow(state.falls, strength(state.fall_speed, kFullFall));
  chain_.set(std::clamp(finite(state.chain), 0.0, 1.0));
  cut_.set(std::clamp(finite(state.cut), 0.0, 1.0));
  feed_.set(std::min(std::fabs(finite(state.feed_m_s)), kMostFeed));
}

void Synth::render(std::span<float> samples) {
  for (float& sample : samples) {
    const double load = load_.next();
    const double turn = speed_.next() / 60.0 / rate_Hz_;
    advance(cycle_, 0.5 * turn);
    advance(pump_turn_, turn);
    const double sum =
        engine(load) + pump(load) + hiss(relief_.next()) + saw(chain_.next(), cut_.next()) +
        rollers(feed_.next()) +
        kKnock * (stop_.next() + collision_.next() + branches_.next() + fall_.next());
    sample = static_cast<float>(volume_.next() * limited(sum));
  }
}

double Synth::engine(double load) {
  const double note = (1.0 - load) * look_up(soft_, cycle_) + load * look_up(harsh_, cycle_);
  roar_ += std::min(1.0, kTurn * kRoarCornerHz / rate_Hz_) * (noise() - roar_);
  return (kEngineIdle + load * (kEngineFull - kEngineIdle)) * note +
         (kRoarIdle + load * (kRoarFull - kRoarIdle)) * roar_;
}

double Synth::pump(double load) {
  const double phase = kTurn * kPistons * pump_turn_;
  return kPumpFull * load *
         (std::sin(phase) + 0.45 * std::sin(2.0 * phase) + 0.2 * std::sin(3.0 * phase));
}

// White noise minus two low-pass filters: a second-order high-pass.
double Synth::hiss(double relief) {
  const double share = std::min(1.0, kTurn * kHissCornerHz / rate_Hz_);
  const double white = noise();
  hiss_1_ += share * (white - hiss_1_);
  const double high = white - hiss_1_;
  hiss_2_ += share * (high - hiss_2_);
  return kHiss * relief * (high - hiss_2_);
}

// The chain's cutters; in the wood it loses speed, and chips fly with each of them.
double Synth::saw(double chain, double cut) {
  advance(tooth_, kToothHz * chain * (1.0 - kSawDroop * cut) / rate_Hz_);
  if (chain == 0.0) return 0.0;
  const double phase = kTurn * tooth_;
  const double tone = std::sin(phase) + 0.5 * std::sin(2.0 * phase) + 0.3 * std::sin(3.0 * phase);
  const double level = kChain + cut * (kChainInWood - kChain);
  return chain * (level * tone + kRasp * cut * (0.5 + 0.5 * std::sin(phase)) * noise());
}

// Spikes that bite into the bark, as often as they pass.
double Synth::rollers(double speed) {
  advance(spike_, speed / kSpikePitch / rate_Hz_);
  bark_ += std::min(1.0, kTurn * kBarkCornerHz / rate_Hz_) * (noise() - bark_);
  const double phase = kTurn * spike_;
  const double bite = 0.6 * std::sin(phase) + 0.3 * std::sin(2.0 * phase);
  return kRollers * std::min(speed / kFullFeed, 1.0) * (bite + (1.0 + bite) * bark_);
}

double Synth::noise() {
  seed_ ^= seed_ << 13;
  seed_ ^= seed_ >> 17;
  seed_ ^= seed_ << 5;
  return static_cast<double>(seed_) * (2.0 / 4294967296.0) - 1.0;
}

}  // namespace knuckleboom::sound
