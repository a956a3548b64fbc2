// Authentic rounds of CAN frames. A frame has eight bytes and no room for a tag, so one more frame
// follows each round of frames: two bytes of a counter and six of a SipHash-2-4 over the counter and
// all frames of the round. Its key follows from the wire's and from a challenge that the receiver sends
// in a frame of seven bytes, so that a recording of an earlier day is worth nothing. Pure: one end.
//
// That is less than UDP has: 48 bits, a round counts as a whole or not at all, and whoever may write
// to the bus can silence it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "endpoint/can_frames.hpp"
#include "endpoint/key.hpp"

namespace knuckleboom::endpoint {

class CanGuard {
 public:
  // first: of the file's two guard ids ours is the lower one, as the machine's is.
  CanGuard(const WireKey& key, std::uint32_t id, bool first);

  std::uint32_t id_of_other() const { return other_id_; }
  // The frame behind a round of frames, which are in ascending order of ids; nothing (length 0) before the
  // other side has sent a challenge.
  CanFrame seal(std::span<const CanFrame> round);
  // Whether our challenge is due: every 0.1 s while the other side has not been heard for so long.
  bool must_ask(std::int64_t now_ns);
  CanFrame challenge() const;

  enum class Heard { kChallenge, kGood, kForged, kFormer };
  // A frame with the other side's id, behind the frames of a round as they were received.
  Heard hear(const CanFrame& guard, std::span<const CanFrame> round, std::int64_t now_ns);

 private:
  using Key = std::array<std::uint8_t, 16>;
  using Nonce = std::array<std::uint8_t, 7>;
  Key key_of(bool of_first, const Nonce& nonce) const;

  WireKey wire_;
  bool first_;
  std::uint32_t own_id_, other_id_;
  // Sending.
  Nonce asked_{};
  bool was_asked_ = false;
  Key sealing_{};
  std::uint64_t counter_ = 0;
  // Receiving.
  Nonce nonce_{};
  Key opening_{};
  std::uint64_t newest_ =
      0;                // the smallest counter that may come; 0: the challenge is not answered yet
  bool heard_ = false;  // ever
  std::int64_t heard_ns_ = 0, asked_ns_ = 0, drawn_ns_ = 0;
};

}  // namespace knuckleboom::endpoint
