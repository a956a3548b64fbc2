// Signals in CAN's frames of up to eight bytes: little-endian integers with scale and offset. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::endpoint {

struct CanFrame {
  std::uint32_t id = 0;
  int length = 0;  // bytes
  std::uint8_t data[8] = {};
  bool whole = true;  // all its values were finite; otherwise it must not be sent
};

// One frame for each id, in ascending order, long enough for its signals. Signals without a place
// are left out.
std::vector<CanFrame> frames_of(std::span<const io::OutsideSignal> signals);

// Rounds to nearest; values outside the integer's range are limited to it.
void pack(std::span<const io::OutsideSignal> signals, std::span<const double> values,
          std::span<CanFrame> frames);

// Signals of the frame's id become fresh, except those for which the frame is too short. False if
// the frame has none.
bool unpack(std::span<const io::OutsideSignal> signals, const CanFrame& received,
            exchange::SignalFrame& frame);

}  // namespace knuckleboom::endpoint
