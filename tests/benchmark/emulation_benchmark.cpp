// Cost of a tick of an emulation as a bench, of the 1 ms available: alone, with six axes over UDP,
// and with the host in hardware: 30 values in, 6 out.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/emulation/live_thread.hpp"
#include "app/emulation/load_emulation.hpp"
#include "support/paths.hpp"

namespace knuckleboom::app {
namespace {

constexpr int kBack = 20000;  // ticks, after which a run starts anew: all phases are over then

LoadedEmulation load(const std::string& name, const std::string& signals) {
  const std::string config = KNUCKLEBOOM_SOURCE_DIR "/config/";
  EmulateOptions options;
  options.scenario = config + "emulations/" + name + ".toml";
  return load_emulation(options, signals.empty() ? "" : config + "signals/" + signals + ".toml");
}

std::vector<TimedCommand> run_at_once() {
  return {{400, {LiveCommand::Kind::kBench, 0, {emulation::HilCommandKind::kRun, 0, 0.0}}}};
}

void EmulationTick(benchmark::State& state, const char* name) {
  const emulation::HilBench bench(load(name, "").plan);
  emulation::HilState running = bench.initial_state();
  bench.apply({emulation::HilCommandKind::kRun, 0, 0.0}, running);
  emulation::HilState now = running;
  for (auto _ : state) {
    bench.step(now, {});
    if (now.tick == kBack) now = running;
  }
}
BENCHMARK_CAPTURE(EmulationTick, peg_on_plane, "peg_on_plane");
BENCHMARK_CAPTURE(EmulationTick, peg_in_hole, "peg_in_hole");
BENCHMARK_CAPTURE(EmulationTick, crane_on_plane, "crane_on_plane");

// The whole tick of the live thread, publication included, and the peer's packet with it.
void EmulationTickWithEndpoint(benchmark::State& state, const char* signals) {
  const LoadedEmulation loaded = load("peg_on_plane", signals);
  const emulation::HilBench bench(loaded.plan, incoming_rules(loaded.signals));
  io::SignalFile file = loaded.signals;
  file.udp = "udp:127.0.0.1:47851";
  const endpoint::WireKey key = endpoint::drawn_key();
  LiveEndpoints endpoints(file, bench, nullptr, true, key);
  endpoint::UdpSettings other = endpoint::udp_settings("udp:127.0.0.1:47852@127.0.0.1:47851");
  other.receives = static_cast<int>(file.out.size());
  other.key = key;
  endpoint::UdpEndpoint peer(other);
  LiveThread live(bench, &endpoints, nullptr, nullptr, run_at_once(), {});
  // Values of the simulated parts, as from identical hardware.
  std::vector<double> values(file.in.size(), 0.0);
  exchange::SignalFrame heard{};
  std::int64_t now = 0;
  for (auto _ : state) {
    const machine::MachineState& host = live.state().emulation.host.machine;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const emulation::HilSignal& s =
          bench.signals()[static_cast<std::size_t>(bench.signal_of(static_cast<int>(i)))];
      if (s.name.ends_with(".position")) values[i] = host.q[s.joint];
      if (s.name.ends_with(".speed")) values[i] = host.v[s.joint];
      if (s.name.find(".pressure_") != std::string::npos)
        values[i] = host.actuator[s.joint].p[s.part];
    }
    now = static_cast<std::int64_t>(1e9 * bench.time(live.state()));
    peer.send(values, now);
    live.tick();
    peer.receive(now, heard);
  }
  if (live.state().exchange.signal[0].stale != 0) state.SkipWithError("nothing came through");
}
BENCHMARK_CAPTURE(EmulationTickWithEndpoint, operator_stand, "operator_stand");
BENCHMARK_CAPTURE(EmulationTickWithEndpoint, host_in_hardware, "host_in_hardware");

}  // namespace
}  // namespace knuckleboom::app
