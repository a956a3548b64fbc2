// The tick of a running emulation does not use the heap: with sockets, a played and a written log,
// commands, snapshots and a watchdog.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/emulation/live_thread.hpp"
#include "app/emulation/load_emulation.hpp"
#include "heap_counter.hpp"
#include "support/paths.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilCommandKind;

constexpr const char* kSignals = R"(
udp = "udp:127.0.0.1:47741"
[[signal]]
name = "operator.x"
direction = "in"
[[signal]]
name = "operator.z"
direction = "in"
source = "log"
[[signal]]
name = "host.base.valve"
direction = "out"
[[signal]]
name = "tip.z"
direction = "out"
)";

TEST(NoHeap, InALiveTick) {
  EmulateOptions options;
  options.scenario = KNUCKLEBOOM_SOURCE_DIR "/config/emulations/peg_on_plane.toml";
  const io::SignalFile signals = io::read_signals_text(kSignals, "signals");
  const emulation::HilBench bench(load_emulation(options).plan, incoming_rules(signals));
  const io::Trace played =
      io::read_trace_text("t_s,operator.z\n0,0\n0.1,0.01\n0.2,0.02\n", "played");
  const endpoint::WireKey key = test::key_of(1);
  LiveEndpoints endpoints(signals, bench, &played, true, key);
  endpoint::UdpSettings other = endpoint::udp_settings("udp:127.0.0.1:47742@127.0.0.1:47741");
  other.receives = 2;
  other.key = key;
  endpoint::UdpEndpoint hardware(other);

  const std::string file = testing::TempDir() + "live_" + std::to_string(getpid()) + ".csv";
  SignalLogSettings log_settings;
  log_settings.file = file;
  log_settings.signals = choose_signals(bench, {"*"});
  SignalLog log(bench, {}, log_settings);  // never finished: no file is left

  std::vector<TimedCommand> schedule;
  const auto at = [&schedule](std::int64_t tick, HilCommandKind kind, double value = 0.0) {
    schedule.push_back({tick, {LiveCommand::Kind::kBench, 0, {kind, 0, value}}});
  };
  at(10, HilCommandKind::kRun);
  at(50, HilCommandKind::kSource, 2.0);
  schedule.push_back({100, {LiveCommand::Kind::kCopy, 0, {}}});
  at(200, HilCommandKind::kTune, 1.0);
  at(300, HilCommandKind::kRun);  // refused
  at(400, HilCommandKind::kWatchdog);
  at(500, HilCommandKind::kStop);
  at(600, HilCommandKind::kReset);
  LiveThread live(bench, &endpoints, nullptr, &log, schedule, {});
  exchange::SignalFrame heard{};
  const std::vector<double> axes = {0.05, 0.0};
  long calls = 0;
  {
    const test::HeapCounter heap;
    for (std::int64_t k = 0; k < 700; ++k) {
      hardware.send(axes, k * 1'000'000);
      live.tick();
      hardware.receive(k * 1'000'000, heard);
    }
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(live.state().tick, 700);
  EXPECT_GT(hardware.counters().session.arrivals.received, 600);
  EXPECT_NE(live.copy(), nullptr);
  live.refresh();
  EXPECT_GT(live.published().endpoints.udp.session.arrivals.received, 600);
}

}  // namespace
}  // namespace knuckleboom::app
