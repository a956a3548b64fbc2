#include "peer/program.hpp"

#include <csignal>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/within.hpp"
#include "endpoint/error.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "knuckleboom/version.hpp"
#include "peer/check.hpp"
#include "peer/hardware.hpp"
#include "peer/lever_stand.hpp"

namespace knuckleboom::peer {
namespace {

constexpr double kMost = 1e6;

struct Asked {
  std::string signals, log, levers, input, devices;
  double check_s = 0.0;
  double duration_s = -1.0;
  double rate_Hz = 0.0;  // 0: the mode's own
  double latency_ms = 0.0, jitter_ms = 0.0, silence_ms = 0.0;
  double quantum = 0.0;
  WireSettings wire;
};

void add_modes(CLI::App& program, Asked& o) {
  const char* group = "What to play, one of";
  CLI::Option* signals =
      program.add_option("--signals", o.signals, "The hardware of this signal file")
          ->type_name("FILE.toml")
          ->group(group);
  CLI::Option* levers =
      program
          .add_option("--levers", o.levers,
                      "A lever stand for 'knuckleboom drive --levers-from' with the same address")
          ->type_name("udp:ADDRESS:PORT")
          ->group(group);
  CLI::Option* check =
      program
          .add_option("--check", o.check_s,
                      "Both ends in this process for so long, with rubbish and strangers; says "
                      "whether all rules were kept")
          ->type_name("S")
          ->check(app::within(0.1, 86400.0))
          ->group(group);
  signals->excludes(levers)->excludes(check);
  levers->excludes(check);
  program.add_option("--log", o.log, "Sensors from this log instead of the plant")
      ->type_name("FILE.csv")
      ->needs(signals);
  program.add_option("--quantum", o.quantum, "Sensors are whole multiples of this")
      ->type_name("NUMBER")
      ->check(app::within(0.0, kMost))
      ->needs(signals);
  program
      .add_option("--input", o.input, "Levers as in this input file instead of those plugged in")
      ->type_name("FILE.csv")
      ->needs(levers);
  program
      .add_option("--devices", o.devices, "Device file of the levers; without it the user's own")
      ->type_name("FILE.toml")
      ->needs(levers);
  program.add_option("--rate", o.rate_Hz, "Packets a second; without it 1000, of levers 500")
      ->type_name("HZ")
      ->check(app::within(1.0, 10000.0));
  program.add_option("--duration", o.duration_s, "End after so long; without it at Ctrl-C")
      ->type_name("S")
      ->check(app::within(0.0, kMost));
}

void add_wire(CLI::App& program, Asked& o) {
  const char* group = "The wire to the machine";
  const auto share = [&](const char* name, double& value, const char* text) {
    program.add_option(name, value, text)
        ->type_name("SHARE")
        ->check(app::within(0.0, 1.0))
        ->group(group);
  };
  const auto time = [&](const char* name, double& value, const char* text) {
    program.add_option(name, value, text)
        ->type_name("MS")
        ->check(app::within(0.0, 10000.0))
        ->group(group);
  };
  time("--latency", o.latency_ms, "Every packet is so late");
  time("--jitter", o.jitter_ms, "And by up to this more, evenly");
  share("--loss", o.wire.loss, "So many packets are lost, 0.01 for 1 %");
  share("--repeat", o.wire.repeat, "So many come twice");
  share("--reorder", o.wire.reorder, "So many are overtaken by the next");
  time("--silence", o.silence_ms, "Nothing gets through for so long");
  program.add_option("--silence-every", o.wire.silence_every_s, "Once in this time")
      ->type_name("S")
      ->check(app::within(0.0, kMost))
      ->group(group);
  program.add_option("--seed", o.wire.seed, "Of the dice; the same gives the same")
      ->type_name("N")
      ->group(group);
}

int dispatch(Asked& o) {
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
    app::say(to_text(settings, result));
    return result.passed() ? app::kSuccess : app::kBeyondTolerance;
  }
  if (!o.levers.empty()) {
    LeverStandSettings settings{o.levers, o.input, o.devices, o.wire, 500.0, o.duration_s};
    if (o.rate_Hz > 0.0) settings.rate_Hz = o.rate_Hz;
    app::say(run_lever_stand(settings));
    return app::kSuccess;
  }
  HardwareSettings settings{
      io::read_signals(o.signals), o.log, o.wire, o.quantum, 1000.0, o.duration_s};
  if (o.rate_Hz > 0.0) settings.rate_Hz = o.rate_Hz;
  app::say(play_hardware(settings));
  return app::kSuccess;
}

}  // namespace

int run_program(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  app::guard_standard_streams();
  CLI::App program("Plays the hardware around a simulated machine: sensors, or a lever stand.",
                   "knuckleboom-peer");
  program.set_version_flag("--version",
                           fmt::format("knuckleboom-peer {} ({})", kVersion, kRevision));
  program.set_help_flag("-h,--help", "Show this text");
  program.footer(
      "\nExamples:\n"
      "  knuckleboom-peer --levers udp:127.0.0.1:47001\n"
      "  knuckleboom-peer --signals bench.toml --latency 3 --jitter 2 --loss 0.01\n"
      "  knuckleboom-peer --check 600 --jitter 2 --loss 0.01 --repeat 0.01 --reorder 0.01\n");
  Asked asked;
  add_modes(program, asked);
  add_wire(program, asked);
  try {
    program.parse(argc, argv);
    if (asked.signals.empty() && asked.levers.empty() && asked.check_s <= 0.0) {
      app::complain(
          "say what to play: --signals FILE.toml, --levers udp:ADDRESS:PORT or --check S");
      return app::kUserMistake;
    }
    const int status = dispatch(asked);
    return app::all_was_said() ? status : static_cast<int>(app::kInternalError);
  } catch (const CLI::Success& wanted) {
    std::ostringstream text;
    program.exit(wanted, text, text);
    app::say(text.str());
    return app::kSuccess;
  } catch (const CLI::ParseError& error) {
    app::complain(error.what());
  } catch (const endpoint::EndpointError& error) {
    app::complain(error.what());
  } catch (const io::FileError& error) {
    app::complain(error.what());
  } catch (const std::invalid_argument& error) {
    app::complain(error.what());
  } catch (const std::exception& error) {
    app::complain(fmt::format("internal error: {}", error.what()));
    return app::kInternalError;
  }
  return app::kUserMistake;
}

}  // namespace knuckleboom::peer
