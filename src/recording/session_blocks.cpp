#include "session_blocks.hpp"

#include <bit>
#include <cstddef>
#include <stdexcept>

#include "bytes.hpp"
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

std::string end_mark(const SessionEndMark& end) {
  std::string payload;
  put(payload, end.end_tick);
  put(payload, end.end_hash);
  put(payload, end.lost);
  put(payload, static_cast<std::uint64_t>(end.health.size()));
  for (const auto& [name, value] : end.health) {
    put_text(payload, name);
    put(payload, value);
  }
  return payload;
}

}  // namespace

SessionBlocks::SessionBlocks(const SessionHeader& header) : states_(states_of(header)) {
  block(JournalKind::kHeader, to_bytes(header));
}

void SessionBlocks::lever(std::int64_t tick, const command::OperatorInput& input) {
  put(inputs_, static_cast<std::uint8_t>(training::InputEventKind::kInput));
  put(inputs_, tick);
  // Only the axes that have moved; compared by their bits, as -0 is not 0.
  std::uint16_t moved = 0;
  for (std::size_t i = 0; i < command::kLeverAxes; ++i)
    if (std::bit_cast<std::uint64_t>(input.axis[i]) != std::bit_cast<std::uint64_t>(last_.axis[i]))
      moved = static_cast<std::uint16_t>(moved | (1U << i));
  if (input.buttons != last_.buttons) moved = static_cast<std::uint16_t>(moved | kButtonsMoved);
  put(inputs_, moved);
  for (std::size_t i = 0; i < command::kLeverAxes; ++i)
    if ((moved >> i & 1U) != 0) put(inputs_, input.axis[i]);
  if ((moved & kButtonsMoved) != 0) put(inputs_, input.buttons);
  last_ = input;
  close_if_large(JournalKind::kInputs, inputs_);
}

void SessionBlocks::command(std::int64_t tick, const training::Command& command) {
  put(inputs_, static_cast<std::uint8_t>(training::InputEventKind::kCommand));
  put(inputs_, tick);
  put(inputs_, static_cast<std::int32_t>(command.kind));
  put(inputs_, command.value);
  close_if_large(JournalKind::kInputs, inputs_);
}

void SessionBlocks::hash(const StateHash& hash) {
  put(hashes_, hash.tick);
  put(hashes_, hash.value);
}

void SessionBlocks::close_gathered() {
  close(JournalKind::kInputs, inputs_);
  close(JournalKind::kHashes, hashes_);
}

void SessionBlocks::event(const SessionEvent& event) {
  std::string payload;
  put(payload, event.tick);
  put_text(payload, event.kind);
  for (const double value : event.value) put(payload, value);
  put_text(payload, event.text);
  block(JournalKind::kEvent, payload);
}

void SessionBlocks::attempt(const SessionAttempt& attempt) {
  std::string payload;
  put(payload, attempt.begin_tick);
  put(payload, attempt.end_tick);
  put(payload, static_cast<std::int32_t>(attempt.phase));
  for (const double figure : attempt.figures) put(payload, figure);
  block(JournalKind::kAttempt, payload);
}

void SessionBlocks::state(std::int64_t tick, std::string_view bytes) {
  std::string payload;
  payload.reserve(sizeof tick + bytes.size());
  put(payload, tick);
  payload.append(bytes);
  block(JournalKind::kState, payload);
}

void SessionBlocks::state(std::int64_t tick, const training::SessionState& state) {
  if (states_.empty()) {
    this->state(tick, {reinterpret_cast<const char*>(&state), sizeof state});
    return;
  }
  std::string record(states_.record_bytes(), '\0');
  const std::string unfit =
      convert(state::struct_of<training::SessionState>(), &state, states_.type(), record.data());
  if (!unfit.empty()) throw std::logic_error("a state does not fit its description: " + unfit);
  this->state(tick, record);
}

void SessionBlocks::row(std::int64_t tick, std::span<const float> values) {
  std::string payload;
  put(payload, tick);
  payload.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  block(JournalKind::kRow, payload);
}

void SessionBlocks::progress(std::int64_t end_tick) {
  close_gathered();
  std::string payload;
  put(payload, end_tick);
  block(JournalKind::kProgress, payload);
}

void SessionBlocks::end(const SessionEndMark& end) {
  close_gathered();
  block(JournalKind::kEnd, end_mark(end));
}

void SessionBlocks::extent(const SessionEndMark& end) {
  std::string payload;
  put(payload, static_cast<std::uint8_t>(end.complete ? 1 : 0));
  payload += end_mark(end);
  block(StreamBlock::kExtent, payload);
}

}  // namespace knuckleboom::io
