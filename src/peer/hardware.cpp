#include "peer/hardware.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/shell/interrupt.hpp"
#include "app/shell/packet_summary.hpp"
#include "endpoint/log_player.hpp"
#include "endpoint/signal_wire.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/recording/table_file.hpp"
#include "knuckleboom/runtime/pacer.hpp"
#include "peer/plant.hpp"

namespace knuckleboom::peer {
namespace {

// The machine's commands are external signals here: with the same limits and staleness rules.
exchange::Exchange command_rules(const io::SignalFile& signals, double tick_s) {
  std::vector<exchange::SignalRule> rules;
  for (const io::OutsideSignal& signal : signals.out) {
    rules.push_back(signal.rule);
    rules.back().source = exchange::Source::kNetwork;
  }
  return {std::move(rules), tick_s};
}

class Hardware {
 public:
  explicit Hardware(const HardwareSettings& settings)
      : settings_(settings),
        tick_s_(1.0 / settings.rate_Hz),
        commands_(command_rules(settings.signals, tick_s_)),
        state_(commands_.start()),
        plant_(settings.signals.in, settings.signals.out, tick_s_),
        wire_(settings.wire),
        ends_(settings.signals, endpoint::WireEnd::kPeer, settings.key) {
    const io::SignalFile& signals = settings.signals;
    if (!ends_.named())
      throw endpoint::EndpointError(
          "the signal file names neither a UDP endpoint nor a CAN interface; add udp = "
          "\"udp:127.0.0.1:47001\"");
    if (!settings.log.empty()) log_.emplace(io::read_table(settings.log, settings.dbc), signals.in);
    simulated_.assign(signals.out.size(), 0.0);
    outputs_.assign(signals.out.size(), 0.0);
    sensors_.assign(signals.in.size(), 0.0);
  }

  std::string run() {
    runtime::Clock& clock = runtime::monotonic_clock();
    runtime::Pacer pacer(tick_s_);
    pacer.start();
    for (; !over(); ++ticks_) {
      pacer.wait();
      tick(clock.now_ns());
      pacer.tick_finished();
    }
    return told(pacer);
  }

 private:
  bool over() const {
    return app::interrupted() || (settings_.duration_s >= 0.0 &&
                                  static_cast<double>(ticks_) * tick_s_ >= settings_.duration_s);
  }

  void tick(std::int64_t now) {
    ends_.receive(now, input_.network);
    commands_.step(state_, input_, simulated_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i] = state_.signal[i].output;
    plant_.step(outputs_);
    sense();
    if (ends_.udp) {
      wire_.put(ends_.udp->compose(sensors_, now), now);
      wire_.deliver(now, *ends_.udp);
    }
    if (ends_.can) ends_.can->send(sensors_);
  }

  void sense() {
    if (log_) log_->play(static_cast<double>(ticks_) * tick_s_, logged_);
    seen_ |= logged_.fresh;
    for (std::size_t i = 0; i < sensors_.size(); ++i) {
      const bool from_log = (seen_ >> i & 1U) != 0;
      sensors_[i] = quantised(from_log ? logged_.value[i] : plant_.values()[i], settings_.quantum);
    }
  }

  std::string told(const runtime::Pacer& pacer) const {
    std::string text =
        fmt::format("{} ticks, {:.3f} s lost by the pacer\n", ticks_, pacer.lost_s());
    if (ends_.udp) {
      text += fmt::format(
          "from the machine: {}\n"
          "to the machine: {} dropped, {} again, {} overtaken\n",
          app::packet_sentence(ends_.udp->counters()), wire_.counters().dropped,
          wire_.counters().repeated, wire_.counters().overtaken);
    }
    if (ends_.can)
      text += fmt::format(
          "CAN: {} frames received, {} refused, {} rounds forged, {} former, {} sent, {} not "
          "sent\n",
          ends_.can->counters().received, ends_.can->counters().refused,
          ends_.can->counters().forged, ends_.can->counters().former, ends_.can->counters().sent,
          ends_.can->counters().unsent);
    for (int i = 0; i < commands_.signals(); ++i)
      text += fmt::format("{}: {:g}{}, stale {} times\n", commands_.rule(i).name,
                          state_.signal[i].output, state_.signal[i].stale != 0 ? " (stale)" : "",
                          state_.signal[i].received[1].times_stale);
    return text;
  }

  const HardwareSettings& settings_;
  double tick_s_;
  exchange::Exchange commands_;
  exchange::ExchangeState state_;
  exchange::ExchangeInput input_{};
  Plant plant_;
  Wire wire_;
  endpoint::SignalWire ends_;
  std::optional<endpoint::LogPlayer> log_;
  exchange::SignalFrame logged_{};
  std::uint64_t seen_ = 0;  // signals with a value in the log so far
  std::vector<double> simulated_, outputs_, sensors_;
  std::int64_t ticks_ = 0;
};

}  // namespace

std::string play_hardware(const HardwareSettings& settings) { return Hardware(settings).run(); }

}  // namespace knuckleboom::peer
