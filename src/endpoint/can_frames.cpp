#include "endpoint/can_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace knuckleboom::endpoint {
namespace {

int bytes_of(const io::CanPlace& place) { return place.wide ? 4 : 2; }

std::int64_t least_of(const io::CanPlace& place) {
  return place.wide ? std::numeric_limits<std::int32_t>::min()
                    : std::numeric_limits<std::int16_t>::min();
}

std::int64_t most_of(const io::CanPlace& place) { return -least_of(place) - 1; }

std::int64_t raw_of(const io::CanPlace& place, double value) {
  const double raw = (value - place.offset) / place.scale;
  if (!(raw > static_cast<double>(least_of(place)))) return least_of(place);
  if (raw >= static_cast<double>(most_of(place))) return most_of(place);
  return std::llround(raw);
}

double value_of(const io::CanPlace& place, const std::uint8_t* data) {
  std::uint32_t bits = 0;
  for (int i = 0; i < bytes_of(place); ++i)
    bits |= static_cast<std::uint32_t>(data[place.start_byte + i]) << (8 * i);
  const double raw = place.wide ? static_cast<double>(static_cast<std::int32_t>(bits))
                                : static_cast<double>(static_cast<std::int16_t>(bits));
  return place.scale * raw + place.offset;
}

}  // namespace

std::vector<CanFrame> frames_of(std::span<const io::OutsideSignal> signals) {
  std::vector<CanFrame> frames;
  for (const io::OutsideSignal& signal : signals) {
    if (!signal.can) continue;
    auto found = std::lower_bound(frames.begin(), frames.end(), signal.can->id,
                                  [](const CanFrame& f, std::uint32_t id) { return f.id < id; });
    if (found == frames.end() || found->id != signal.can->id)
      found = frames.insert(found, CanFrame{signal.can->id, 0, {}, true});
    found->length = std::max(found->length, signal.can->start_byte + bytes_of(*signal.can));
  }
  return frames;
}

void pack(std::span<const io::OutsideSignal> signals, std::span<const double> values,
          std::span<CanFrame> frames) {
  for (CanFrame& frame : frames) {
    frame.whole = true;
    for (std::size_t k = 0; k < signals.size(); ++k) {
      if (!signals[k].can || signals[k].can->id != frame.id) continue;
      const io::CanPlace& place = *signals[k].can;
      frame.whole = frame.whole && std::isfinite(values[k]);
      const auto bits = static_cast<std::uint64_t>(raw_of(place, values[k]));
      for (int i = 0; i < bytes_of(place); ++i)
        frame.data[place.start_byte + i] = static_cast<std::uint8_t>(bits >> (8 * i) & 0xFFU);
    }
  }
}

bool unpack(std::span<const io::OutsideSignal> signals, const CanFrame& received,
            exchange::SignalFrame& frame) {
  bool any = false;
  for (std::size_t k = 0; k < signals.size(); ++k) {
    if (!signals[k].can || signals[k].can->id != received.id) continue;
    const io::CanPlace& place = *signals[k].can;
    if (place.start_byte + bytes_of(place) > received.length) continue;
    frame.value[k] = value_of(place, received.data);
    frame.fresh |= std::uint64_t{1} << k;
    any = true;
  }
  return any;
}

}  // namespace knuckleboom::endpoint
