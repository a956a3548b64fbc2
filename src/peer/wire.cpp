#include "peer/wire.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::peer {
namespace {

constexpr std::size_t kSlots = 1024;
constexpr std::size_t kRemembered = 4096;  // numbers, to know a repetition

std::int64_t ns_of(double s) { return static_cast<std::int64_t>(s * 1e9); }

}  // namespace

Wire::Wire(const WireSettings& settings)
    : settings_(settings), slots_(kSlots), delivered_(kRemembered, -1) {
  for (Slot& slot : slots_) slot.number = -1;
}

bool Wire::chance(double share) { return uniform(mixed_bits(settings_.seed) + draws_++) < share; }

bool Wire::silent(std::int64_t now_ns) const {
  if (settings_.silence_every_s <= 0.0) return false;
  const double t =
      std::fmod(static_cast<double>(now_ns - first_ns_) * 1e-9, settings_.silence_every_s);
  return t >= settings_.silence_every_s - settings_.silence_s;
}

void Wire::put(const endpoint::Datagram& datagram, std::int64_t now_ns) {
  if (first_ns_ < 0) first_ns_ = now_ns;
  ++counters_.put;
  // Always the same number of random draws: the fate of one packet does not affect the next.
  const bool lost = chance(settings_.loss);
  const bool twice = chance(settings_.repeat);
  const bool held_back = chance(settings_.reorder);
  const double wait = settings_.jitter_s * uniform(mixed_bits(settings_.seed) + draws_++);
  const std::int64_t due = now_ns + ns_of(settings_.latency_s + wait);
  for (Slot& slot : slots_)
    if (slot.number >= 0 && slot.waits) {
      slot.waits = false;
      slot.due_ns = std::max(slot.due_ns, due + 1);
    }
  if (lost || silent(now_ns)) {
    ++counters_.dropped;
    return;
  }
  hold(datagram, due, held_back);
  if (twice) hold(datagram, due + 2, false);
}

void Wire::hold(const endpoint::Datagram& datagram, std::int64_t due_ns, bool waits) {
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.number < 0; });
  if (free == slots_.end()) {
    ++counters_.crowded;
    return;
  }
  *free = {datagram, due_ns, counters_.put - 1, waits};
  ++held_;
}

void Wire::send(Slot& slot, endpoint::UdpEndpoint& to) {
  to.send(slot.datagram);
  ++counters_.delivered;
  std::int64_t& last = delivered_[static_cast<std::size_t>(slot.number) % kRemembered];
  if (last == slot.number)
    ++counters_.repeated;
  else if (slot.number < newest_delivered_)
    ++counters_.overtaken;
  last = slot.number;
  newest_delivered_ = std::max(newest_delivered_, slot.number);
  slot.number = -1;
  --held_;
}

void Wire::deliver(std::int64_t now_ns, endpoint::UdpEndpoint& to) {
  while (held_ > 0) {
    Slot* first = nullptr;
    for (Slot& slot : slots_) {
      if (slot.number < 0 || slot.waits || slot.due_ns > now_ns) continue;
      if (first == nullptr || slot.due_ns < first->due_ns) first = &slot;
    }
    if (first == nullptr) return;
    send(*first, to);
  }
}

}  // namespace knuckleboom::peer
