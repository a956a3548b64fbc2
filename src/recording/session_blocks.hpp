// The content of a session on its way from one form to another: the same calls take it into blocks of a
// journal, into an HDF5 file, or into memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "journal_blocks.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

// In the bits that say what of an input has changed, above those of the axes.
inline constexpr std::uint16_t kButtonsMoved = 1U << command::kLeverAxes;

// Each sort comes with ticks that never go back.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  virtual void lever(std::int64_t tick, const command::OperatorInput& input) = 0;
  virtual void command(std::int64_t tick, const training::Command& command) = 0;
  virtual void event(const SessionEvent& event) = 0;
  virtual void hash(const StateHash& hash) = 0;
  virtual void attempt(const SessionAttempt& attempt) = 0;
  virtual void state(std::int64_t tick, std::string_view bytes) = 0;
  virtual void row(std::int64_t tick, std::span<const float> values) = 0;
};

class SessionBlocks final : public SessionSink, public BlockBuffer {
 public:
  // Begins with the header, which is block 0.
  explicit SessionBlocks(const SessionHeader& header);

  void lever(std::int64_t tick, const command::OperatorInput& input) override;
  void command(std::int64_t tick, const training::Command& command) override;
  void event(const SessionEvent& event) override;
  void hash(const StateHash& hash) override;
  void attempt(const SessionAttempt& attempt) override;
  void state(std::int64_t tick, std::string_view bytes) override;
  // As the header describes it.
  void state(std::int64_t tick, const training::SessionState& state);
  void row(std::int64_t tick, std::span<const float> values) override;

  // Everything up to end_tick has come.
  void progress(std::int64_t end_tick);
  void end(const SessionEndMark& end);
  // How far it goes, where that is known from the start: of streams, not of journals.
  void extent(const SessionEndMark& end);

  void close_gathered();

 private:
  StateDescription states_;
  std::string inputs_, hashes_;  // the blocks that are being gathered
  command::OperatorInput last_{};
};

}  // namespace knuckleboom::io
