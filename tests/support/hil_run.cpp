#include "support/hil_run.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <utility>

#include "knuckleboom/runtime/emulation_recorder.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using emulation::HilCommandKind;

constexpr const char* kSignals = R"(
[[signal]]
name = "operator.x"
direction = "in"
least = -0.05
most = 0.05
stale_s = 0.02

[[signal]]
name = "operator.z"
direction = "in"
least = -0.05
most = 0.05
stale_s = 0.02

[[signal]]
name = "sensor.force_z"
direction = "in"
least = -2000
most = 2000
stale_s = 0.05

[[signal]]
name = "host.elbow.speed"
direction = "in"
least = -2
most = 2
stale_s = 0.02
safe_state = "hold"

[[signal]]
name = "emulated.yaw.motor_speed"
direction = "in"
least = -1
most = 1
stale_s = 0.03
)";

}  // namespace

io::EmulationTexts shipped_emulation_texts(const std::string& emulation,
                                           std::vector<std::string> assignments) {
  const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  io::EmulationTexts out = io::read_emulation_texts(
      config / "emulations" / (emulation + ".toml"), {}, std::move(assignments),
      [&config](const std::string& name, const io::ScenarioPlaces::Place&) {
        return config / "machines" / name / "machine.toml";
      });
  out.texts.push_back({"signals", "signals.toml", kSignals});
  return out;
}

emulation::EmulationPlan shipped_emulation(const std::string& name) {
  return io::make_emulation(shipped_emulation_texts(name)).plan;
}

OutsideRun outside_run(const emulation::HilBench& bench, std::int64_t ticks, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  const auto below = [&random](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  OutsideRun out;
  const int signals = bench.exchange().signals();
  const auto command = [&out](std::int64_t tick, HilCommandKind kind, int index = 0,
                              double value = 0.0) {
    out.commands.push_back({tick, {kind, index, value}});
  };
  const int stiffness = bench.find_tunable("site.stiffness_N_per_m");
  const int bandwidth = bench.find_tunable("control.bandwidth_Hz");
  command(0, HilCommandKind::kRun);
  std::int64_t silent_until = 0;
  exchange::ExchangeInput input{};
  for (std::int64_t k = 0; k < ticks; ++k) {
    const double dice = share(random);
    if (dice < 0.004)
      command(k, HilCommandKind::kSource, below(signals), below(3));
    else if (dice < 0.006)
      command(k, HilCommandKind::kTune, bandwidth, 1.0 + 2.0 * share(random));
    else if (dice < 0.008)
      command(k, HilCommandKind::kTune, stiffness, 1e5 * (1.0 + share(random)));
    else if (dice < 0.010)
      command(k, share(random) < 0.7 ? HilCommandKind::kHold : HilCommandKind::kStop);
    else if (dice < 0.011)
      command(k, HilCommandKind::kWatchdog, static_cast<int>(emulation::HilReason::kLateTick),
              0.12);
    else if (dice < 0.014)
      command(k, HilCommandKind::kReset);
    else if (dice < 0.025)
      command(k, HilCommandKind::kRun);
    if (share(random) < 0.003) silent_until = k + below(120);
    for (exchange::SignalFrame* const frame : {&input.log, &input.network}) {
      frame->fresh = 0;
      // One packet in ten is lost.
      if (k < silent_until || share(random) < 0.1) continue;
      ++frame->sequence;
      frame->stamp_ns = 1'000'000 * k + below(1000);
      for (int i = 0; i < signals; ++i) {
        frame->fresh |= share(random) < 0.95 ? std::uint64_t{1} << i : 0;
        const double size = bench.exchange().rule(i).most * 0.1;
        double value = size * std::sin(1e-3 * static_cast<double>(k) + i);
        if (share(random) < 0.01) value = std::numeric_limits<double>::quiet_NaN();
        if (share(random) < 0.01) value = -std::numeric_limits<double>::infinity();
        if (share(random) < 0.01) value = 1e9;
        frame->value[i] = value;
      }
    }
    out.inputs.push_back(input);
  }
  command(ticks, HilCommandKind::kStop);
  return out;
}

emulation::HilState record_emulation(const io::EmulationTexts& texts,
                                     const emulation::HilBench& bench, const OutsideRun& run,
                                     const std::string& file) {
  emulation::HilState state = bench.initial_state();
  runtime::EmulationRecorderSettings settings;
  settings.own_thread = false;
  runtime::EmulationRecorder recorder(
      io::EmulationRecordingWriter(file, io::emulation_recording_header(texts, bench)), state,
      settings);
  std::size_t next = 0;
  const auto apply = [&] {
    for (; next < run.commands.size() && run.commands[next].tick == state.tick; ++next) {
      const char* const refusal = bench.apply(run.commands[next].command, state);
      if (*refusal == '\0') recorder.command(state.tick, run.commands[next].command);
    }
  };
  for (const exchange::ExchangeInput& input : run.inputs) {
    apply();
    recorder.input(state.tick, input);
    bench.step(state, input);
    recorder.after_tick(state);
  }
  apply();
  recorder.finish(state, "end of the test");
  return state;
}

}  // namespace knuckleboom::test
