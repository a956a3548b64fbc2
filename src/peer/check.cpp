#include "peer/check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "app/shell/interrupt.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/runtime/pacer.hpp"
#include "peer/plant.hpp"

namespace knuckleboom::peer {
namespace {

constexpr int kSignals = 4;
constexpr double kMost = 1.0;
constexpr double kMostRate = 20.0;         // a second
constexpr std::int64_t kSeenNumbers = 64;  // sequence numbers, by the endpoint
constexpr int kWireSteps = 5;              // per tick: delays are in fifths of a tick

exchange::Exchange rules(double tick_s) {
  std::vector<exchange::SignalRule> rules(kSignals);
  for (int i = 0; i < kSignals; ++i) {
    exchange::SignalRule& rule = nth(rules, i);
    rule.name = fmt::format("signal_{}", i);
    rule.least = -kMost;
    rule.most = kMost;
    rule.most_rate = kMostRate;
    rule.blend_s = 0.05;
    rule.source = exchange::Source::kNetwork;
  }
  return {rules, tick_s};
}

std::vector<io::OutsideSignal> plant_signals(bool in) {
  std::vector<io::OutsideSignal> signals(kSignals);
  for (int i = 0; i < kSignals; ++i) {
    io::OutsideSignal& signal = nth(signals, i);
    signal.rule.name = fmt::format("{}_{}", in ? "position" : "command", i);
    if (in) signal.plant = {fmt::format("command_{}", i), 1.0, 0.0, 0.02};
  }
  return signals;
}

struct Tick {
  double value[kSignals];
  std::uint64_t fresh;
};

exchange::ExchangeInput input_of(const Tick& tick) {
  exchange::ExchangeInput input{};
  std::copy_n(tick.value, kSignals, input.network.value);
  input.network.fresh = tick.fresh;
  return input;
}

void add_to(std::uint64_t& hash, const exchange::ExchangeState& state) {
  for (int i = 0; i < kSignals; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &state.signal[i].output, sizeof bits);
    hash = mixed_bits(hash ^ bits);
  }
}

// Simple model of the required behaviour of the machine's side.
class Account {
 public:
  explicit Account(std::int64_t stale_ticks) : stale_ticks_(stale_ticks) {
    silent_.fill(stale_ticks);
  }

  void look(const Tick& tick, const exchange::ExchangeState& state, CheckResult& result) {
    for (std::size_t i = 0; i < kSignals; ++i) {
      const bool heard = (tick.fresh >> i & 1U) != 0 && std::isfinite(tick.value[i]);
      silent_[i] = heard ? 0 : silent_[i] + 1;
      const bool stale = silent_[i] >= stale_ticks_;
      const exchange::SignalState& s = state.signal[i];
      if ((s.stale != 0) != stale) ++result.stale_wrong;
      if (silent_[i] == stale_ticks_) ++result.stale;
      const double change = std::fabs(s.output - before_[i]);
      before_[i] = s.output;
      const bool rate_kept = stale || change <= kMostRate * tick_s * (1.0 + 1e-12);
      if (!(std::fabs(s.output) <= kMost) || !rate_kept || (stale && s.output != 0.0))
        ++result.out_of_bounds;
      result.largest = std::max(result.largest, std::fabs(s.output));
      if (!stale) result.fastest = std::max(result.fastest, change);
    }
  }
  double tick_s = 1e-3;

 private:
  std::int64_t stale_ticks_;
  std::array<std::int64_t, kSignals> silent_{};
  std::array<double, kSignals> before_{};
};

// Everything that sends to the machine's side.
class PeerSide {
 public:
  PeerSide(const CheckSettings& settings, const endpoint::UdpAddress& machine,
           const endpoint::WireKey& key)
      : settings_(settings),
        endpoint_({machine, {}, kSignals, key, 0.05, 0}),
        stranger_({machine, {}, kSignals, key, 0.05, 0}),
        wire_(settings.wire),
        plant_(plant_signals(true), plant_signals(false), 1.0 / settings.rate_Hz) {}

  endpoint::UdpAddress address() const { return endpoint_.listens_at(); }

  void run(const std::atomic<bool>& stop) {
    runtime::Clock& clock = runtime::monotonic_clock();
    runtime::Pacer pacer(1.0 / (settings_.rate_Hz * kWireSteps));
    pacer.start();
    for (std::int64_t k = 0; !stop; ++k) {
      pacer.wait();
      const std::int64_t now = clock.now_ns();
      if (k % kWireSteps == 0) tick(now);
      wire_.deliver(now, endpoint_);
      pacer.tick_finished();
    }
  }

  void report(CheckResult& result) const {
    result.wire = wire_.counters();
    result.forged_by_strangers = by_strangers_;
    result.forged_by_peer = by_peer_;
  }

 private:
  double draw() { return uniform(mixed_bits(settings_.wire.seed + 1) + draws_++); }

  void tick(std::int64_t now) {
    endpoint_.receive(now, commands_);
    plant_.step(std::span(commands_.value).first(kSignals));
    std::array<double, kSignals> values{};
    std::copy_n(plant_.values().begin(), kSignals, values.begin());
    if (draw() < settings_.insane) derange(values);
    const endpoint::Datagram datagram = endpoint_.compose(values, now);
    wire_.put(datagram, now);
    if (draw() < settings_.forged) {
      stranger_.send(std::array<double, kSignals>{1.0, 1.0, 1.0, 1.0}, now);
      ++by_strangers_;
    }
    if (draw() < settings_.forged) send_rubbish(datagram);
  }

  void derange(std::array<double, kSignals>& values) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const double what[] = {std::nan(""), kInfinite, -kInfinite, 1e308, -1e308, 5.0};
    for (double& value : values) value = nth(what, 6.0 * draw());
  }

  // Packets with flipped bits, cut short, too long, or entirely random.
  void send_rubbish(endpoint::Datagram datagram) {
    const double kind = draw();
    const auto at = static_cast<std::size_t>(draw() * static_cast<double>(datagram.size));
    if (kind < 0.4) {
      datagram.bytes[at] ^= std::byte{0x10};
    } else if (kind < 0.7) {
      datagram.size = at;
    } else if (kind < 0.85) {
      datagram.size = endpoint::kMaxPacket;
    } else {
      for (std::byte& byte : datagram.bytes) byte = static_cast<std::byte>(256.0 * draw());
    }
    endpoint_.send(datagram);
    ++by_peer_;
  }

  CheckSettings settings_;
  endpoint::UdpEndpoint endpoint_, stranger_;
  Wire wire_;
  Plant plant_;
  exchange::SignalFrame commands_{};
  std::uint64_t draws_ = 0;
  std::int64_t by_strangers_ = 0, by_peer_ = 0;
};

class MachineSide {
 public:
  MachineSide(const CheckSettings& settings, const endpoint::WireKey& key)
      : tick_s_(1.0 / settings.rate_Hz),
        ticks_(static_cast<std::int64_t>(std::llround(settings.duration_s * settings.rate_Hz))),
        exchange_(rules(tick_s_)),
        endpoint_({{"127.0.0.1", 9}, {}, kSignals, key, 0.05, 0}),
        account_(exchange_.stale_ticks(0)) {
    account_.tick_s = tick_s_;
    tape_.reserve(static_cast<std::size_t>(ticks_));
  }

  endpoint::UdpEndpoint& endpoint() { return endpoint_; }

  void run(CheckResult& result) {
    runtime::Clock& clock = runtime::monotonic_clock();
    runtime::Pacer pacer(tick_s_);
    exchange::ExchangeState state = exchange_.start();
    std::uint64_t hash = 0;
    std::int64_t spent = 0, worst = 0;
    pacer.start();
    for (std::int64_t k = 0; k < ticks_ && !app::interrupted(); ++k) {
      pacer.wait();
      const std::int64_t begin = clock.now_ns();
      const Tick tick = one_tick(k, begin, state);
      const std::int64_t took = clock.now_ns() - begin;
      spent += took;
      worst = std::max(worst, took);
      account_.look(tick, state, result);
      add_to(hash, state);
      pacer.tick_finished();
      ++result.ticks;
    }
    result.worst_lateness_s = pacer.worst_lateness_s();
    result.lost_s = pacer.lost_s();
    result.poll_mean_s = static_cast<double>(spent) * 1e-9 /
                         static_cast<double>(std::max<std::int64_t>(result.ticks, 1));
    result.poll_worst_s = static_cast<double>(worst) * 1e-9;
    for (int i = 0; i < kSignals; ++i) {
      result.refused += state.signal[i].received[1].refused;
      result.limited += state.signal[i].received[1].limited;
    }
    result.same_bits = replayed(state, hash);
  }

  // Packets delivered after the last tick belong to the counters.
  void drain() {
    exchange::SignalFrame frame{};
    for (int i = 0; i < 20; ++i) endpoint_.receive(runtime::monotonic_clock().now_ns(), frame);
  }

 private:
  Tick one_tick(std::int64_t k, std::int64_t now, exchange::ExchangeState& state) {
    endpoint_.receive(now, input_.network);
    Tick tick{};
    std::copy_n(input_.network.value, kSignals, tick.value);
    tick.fresh = input_.network.fresh;
    const std::array<double, kSignals> own{};
    exchange_.step(state, input_, own);
    tape_.push_back(tick);
    std::array<double, kSignals> commands{};
    for (int i = 0; i < kSignals; ++i)
      nth(commands, i) = 0.9 * sin_cos(6.0 * static_cast<double>(k) * tick_s_ + i).sin;
    endpoint_.send(commands, now);
    return tick;
  }

  bool replayed(const exchange::ExchangeState& end, std::uint64_t hash) const {
    exchange::ExchangeState state = exchange_.start();
    std::uint64_t again = 0;
    const std::array<double, kSignals> own{};
    for (const Tick& tick : tape_) {
      exchange_.step(state, input_of(tick), own);
      add_to(again, state);
    }
    const auto bytes = [](const exchange::ExchangeState& s) {
      return std::as_bytes(std::span(&s, 1));
    };
    return again == hash && std::ranges::equal(bytes(state), bytes(end));
  }

  double tick_s_;
  std::int64_t ticks_;
  exchange::Exchange exchange_;
  endpoint::UdpEndpoint endpoint_;
  Account account_;
  exchange::ExchangeInput input_{};
  std::vector<Tick> tape_;
};

}  // namespace

bool CheckResult::counters_agree() const {
  const endpoint::ArrivalCounters& a = counters.session.arrivals;
  const std::int64_t doubted = counters.session.former + a.ahead;
  // Packets that the first one of a session overtook count as repeated.
  const std::int64_t slack = doubted + kSeenNumbers;
  return counters.accounted() == counters.datagrams &&
         a.received + a.late + a.reordered + a.repeated + doubted == wire.delivered &&
         std::abs(a.repeated - wire.repeated) <= slack &&
         std::abs(a.reordered - wire.overtaken) <= slack &&
         counters.strangers == forged_by_strangers && counters.forged() == forged_by_peer &&
         a.lost <= wire.dropped + in_flight + doubted && a.lost >= 0;
}

bool CheckResult::passed() const {
  return ticks > 0 && stale_wrong == 0 && out_of_bounds == 0 && same_bits && counters_agree();
}

CheckResult check(const CheckSettings& settings) {
  CheckResult result;
  const endpoint::WireKey key = endpoint::drawn_key();
  MachineSide machine(settings, key);
  PeerSide peer(settings, machine.endpoint().listens_at(), key);
  machine.endpoint().set_peer(peer.address());
  std::atomic<bool> stop{false};
  std::thread other([&] { peer.run(stop); });
  machine.run(result);
  stop = true;
  other.join();
  machine.drain();
  peer.report(result);
  result.counters = machine.endpoint().counters();
  result.in_flight =
      result.wire.put - result.wire.dropped - (result.wire.delivered - result.wire.repeated);
  return result;
}

std::string to_text(const CheckSettings& settings, const CheckResult& r) {
  const endpoint::ArrivalCounters& a = r.counters.session.arrivals;
  const auto word = [](bool good) { return good ? "yes" : "NO"; };
  std::string text = fmt::format(
      "{} ticks at {:g} Hz; worst start {:.2f} ms late, {:.3f} s lost by the pacer\n"
      "wire: {} put in, {} dropped, {} came out, {} of them again, {} overtaken; {} still in it\n"
      "endpoint: {} received, {} lost, {} late, {} repeated, {} out of order, {} not proved\n",
      r.ticks, settings.rate_Hz, 1e3 * r.worst_lateness_s, r.lost_s, r.wire.put, r.wire.dropped,
      r.wire.delivered, r.wire.repeated, r.wire.overtaken, r.in_flight, a.received, a.lost, a.late,
      a.repeated, a.reordered, a.ahead + r.counters.session.former);
  text += fmt::format("forged: {} sent by strangers and {} by the peer, {} and {} refused (",
                      r.forged_by_strangers, r.forged_by_peer, r.counters.strangers,
                      r.counters.forged());
  for (int i = 1; i < endpoint::kRefusals; ++i)
    text +=
        fmt::format("{}{} {}", i > 1 ? ", " : "",
                    endpoint::to_string(static_cast<endpoint::Refusal>(i)), r.counters.refused[i]);
  text += fmt::format(
      ")\nvalues: {} not finite and refused, {} beyond the range and held to it\n"
      "output: largest {:g} of {:g}, fastest {:g} of {:g} in a tick; ticks out of bounds: {}\n"
      "stale: {} times; ticks in which the rule was not kept: {}\n"
      "receive, exchange and send in a tick: mean {:.2f} us, worst {:.1f} us\n"
      "counters agree: {}; the recorded input gives the same bits: {}\n",
      r.refused, r.limited, r.largest, kMost, r.fastest, kMostRate / settings.rate_Hz,
      r.out_of_bounds, r.stale, r.stale_wrong, 1e6 * r.poll_mean_s, 1e6 * r.poll_worst_s,
      word(r.counters_agree()), word(r.same_bits));
  return text + (r.passed() ? "passed\n" : "FAILED\n");
}

}  // namespace knuckleboom::peer
