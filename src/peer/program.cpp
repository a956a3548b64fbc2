#include "peer/program.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/command_line/key_options.hpp"
#include "app/command_line/parse.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "endpoint/error.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "knuckleboom/version.hpp"
#include "peer/check.hpp"
#include "peer/hardware.hpp"
#include "peer/lever_stand.hpp"

namespace knuckleboom::peer {
namespace {

constexpr double kMostOption = 1e6;

struct PeerOptions {
  std::string signals, log, dbc, levers, input, devices;
  double check_s = 0.0;
  double duration_s = -1.0;
  double rate_Hz = 0.0;  // 0: the mode's own
  double latency_ms = 0.0, jitter_ms = 0.0, silence_ms = 0.0;
  double quantum = 0.0;
  WireSettings wire;
  app::KeyChoice key;
};

int play(PeerOptions& o) {
  if (o.signals.empty() && o.levers.empty() && o.check_s <= 0.0)
    throw UserError(
        "say what to play: --signals FILE.toml, --levers udp:ADDRESS:PORT or --check S");
  o.wire.latency_s = 1e-3 * o.latency_ms;
  o.wire.jitter_s = 1e-3 * o.jitter_ms;
  o.wire.silence_s = 1e-3 * o.silence_ms;
  const app::InterruptGuard guard;
  if (o.check_s > 0.0) {
    CheckSettings settings;
    settings.duration_s = o.check_s;
    if (o.rate_Hz > 0.0) settings.rate_Hz = o.rate_Hz;
    settings.wire = o.wire;
    const CheckResult result = check(settings);
    app::say_at_end(to_text(settings, result));
    return result.passed() ? app::kSuccess : app::kBeyondTolerance;
  }
  if (!o.levers.empty()) {
    LeverStandSettings settings{o.levers, o.input,     o.devices, o.wire, app::wire_key(o.key),
                                500.0,    o.duration_s};
    if (o.rate_Hz > 0.0) settings.rate_Hz = o.rate_Hz;
    app::say_at_end(run_lever_stand(settings));
    return app::kSuccess;
  }
  HardwareSettings settings{
      io::read_signals(o.signals), o.log, o.dbc, o.wire, {}, o.quantum, 1000.0, o.duration_s};
  settings.key = app::wire_key(o.key, settings.signals);
  if (o.rate_Hz > 0.0) settings.rate_Hz = o.rate_Hz;
  app::say_at_end(play_hardware(settings));
  return app::kSuccess;
}

std::vector<app::Argument> modes(PeerOptions& o) {
  using app::Range;
  using Path = app::ValueKind::Path;
  const app::ValueKind toml{"FILE.toml", nullptr, Path::kFile, ".toml"};
  const app::ValueKind csv{"FILE.csv", nullptr, Path::kFile, ".csv"};
  const std::string group = "What to play, one of";
  return {
      {.name = "--signals",
       .target = &o.signals,
       .kind = toml,
       .sentence = "Simulate the hardware of this signal file",
       .group = group,
       .excludes = {"--levers", "--check"}},
      {.name = "--levers",
       .target = &o.levers,
       .kind = {"udp:ADDRESS:PORT"},
       .sentence = "Be a lever stand for 'knuckleboom drive --levers-from' with the same address",
       .group = group,
       .excludes = {"--check"}},
      {.name = "--check",
       .target = &o.check_s,
       .kind = {"S"},
       .sentence = "Both ends in one process for this time, with corrupted packets from its own "
                   "port and from a stranger's; status 4 if a rule was broken",
       .range = Range{0.1, 86400.0},
       .group = group},
      {.name = "--log",
       .target = &o.log,
       .kind = csv,
       .sentence = "Sensors from this log where it has a column",
       .needs = {"--signals"}},
      {.name = "--dbc",
       .target = &o.dbc,
       .kind = {"FILE.dbc", nullptr, Path::kFile, ".dbc"},
       .sentence = "The log is one of a CAN bus (candump, ASC), and this DBC describes it",
       .needs = {"--log"}},
      {.name = "--quantum",
       .target = &o.quantum,
       .kind = {"NUMBER"},
       .sentence = "Resolution of the sensors",
       .range = Range{0.0, kMostOption},
       .needs = {"--signals"}},
      {.name = "--input",
       .target = &o.input,
       .kind = csv,
       .sentence = "Levers as in this input file instead of those plugged in",
       .needs = {"--levers"}},
      {.name = "--devices",
       .target = &o.devices,
       .kind = toml,
       .sentence = "Device file of the levers",
       .without = "the user's own",
       .needs = {"--levers"}},
      {.name = "--rate",
       .target = &o.rate_Hz,
       .kind = {"HZ"},
       .sentence = "Packets per second",
       .without = "1000, of levers 500",
       .range = Range{1.0, 10000.0}},
      {.name = "--duration",
       .target = &o.duration_s,
       .kind = {"S"},
       .sentence = "End after this time",
       .without = "at Ctrl-C, or at the end of the input file",
       .range = Range{0.0, kMostOption}}};
}

std::vector<app::Argument> wire(PeerOptions& o) {
  using app::Range;
  const auto share = [](std::string name, double& value, std::string text) -> app::Argument {
    return {.name = std::move(name),
            .target = &value,
            .kind = {"SHARE"},
            .sentence = std::move(text),
            .range = Range{0.0, 1.0}};
  };
  const auto time = [](std::string name, double& value, std::string text) -> app::Argument {
    return {.name = std::move(name),
            .target = &value,
            .kind = {"MS"},
            .sentence = std::move(text),
            .range = Range{0.0, 10000.0}};
  };
  std::vector<app::Argument> options = {
      time("--latency", o.latency_ms,
           "Delay of every packet; above 500 it is no connection any more"),
      time("--jitter", o.jitter_ms, "Further delay, evenly distributed up to this"),
      share("--loss", o.wire.loss, "Share of packets that are lost, 0.01 for 1 %"),
      share("--repeat", o.wire.repeat, "Share of packets that arrive twice"),
      share("--reorder", o.wire.reorder, "Share of packets that the next one overtakes"),
      time("--silence", o.silence_ms, "Time during which nothing gets through"),
      {.name = "--silence-every",
       .target = &o.wire.silence_every_s,
       .kind = {"S"},
       .sentence = "Period of these silences",
       .range = Range{0.0, kMostOption}},
      {"--seed", &o.wire.seed, {"N"}, "Seed of the random numbers; the same gives the same"}};
  for (app::Argument& option : options) option.group = "The wire to the machine";
  return options;
}

}  // namespace

app::Command peer_program() {
  const auto o = std::make_shared<PeerOptions>();
  std::vector<app::Argument> arguments = modes(*o);
  for (app::Argument& option : app::key_options(o->key, "")) arguments.push_back(std::move(option));
  for (app::Argument& option : wire(*o)) arguments.push_back(std::move(option));
  return {.name = "knuckleboom-peer",
          .sentence = "Plays the hardware around a simulated machine: sensors, or a lever stand",
          .arguments = std::move(arguments),
          .examples =
              {"knuckleboom-peer --levers udp:127.0.0.1:47001",
               "knuckleboom-peer --signals bench.toml --latency 3 --jitter 2 --loss 0.01",
               "knuckleboom-peer --check 600 --jitter 2 --loss 0.01 --repeat 0.01 --reorder 0.01"},
          .run = [o] {
            try {
              return play(*o);
            } catch (const endpoint::EndpointError& error) {
              throw UserError(error.what());
            }
          }};
}

}  // namespace knuckleboom::peer
