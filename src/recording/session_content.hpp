// The blocks of a session, read with suspicion: a checksum says that they are as they were written, not that
// a recorder wrote them. What no recorder writes is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "journal_blocks.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "session_blocks.hpp"

namespace knuckleboom::io {

// A hash is taken at the start and at each multiple of so many ticks.
inline constexpr std::int64_t kSessionHashTicks = 100;

// Fault of a header, in words that follow "the session's"; empty if it is sound.
std::string fault_of(const SessionHeader& header);

// How far a journal goes. Throws FileError: another version's; UnreadableJournal.
struct SessionExtent {
  SessionHeader header;
  SessionEndMark end;
};
SessionExtent extent_of(const std::filesystem::path& journal);
// False: the payload of a block of the kind kEnd is none.
bool read_end_mark(std::string_view payload, SessionEndMark& end);

// Hands on what lies within the extent. Throws UnreadableJournal.
class SessionContent {
 public:
  // shown: the file in messages. Both must outlive it.
  SessionContent(std::string shown, const SessionExtent& extent, SessionSink& sink);

  // Blocks other than the header and the marks.
  void take(JournalKind kind, std::string_view payload);
  // After the last: whether as much has come as the extent says. Returns how many records were lost.
  std::int64_t finish() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void check(bool good, const char* what) const;
  std::int64_t take_tick(ByteReader& reader, std::int64_t& last, bool strictly,
                         const char* what) const;
  void input(ByteReader& reader);
  void hash(ByteReader& reader);
  void state(std::string_view payload);
  void row(ByteReader& reader, std::size_t bytes);
  void event(ByteReader& reader);
  void attempt(ByteReader& reader);

  const std::string shown_;
  const SessionExtent& extent_;
  SessionSink& sink_;
  const std::int64_t first_, end_;
  command::OperatorInput levers_{};
  std::vector<float> values_;
  std::int64_t last_input_, last_hash_, last_state_, last_row_, last_attempt_;
  std::int64_t hashes_ = 0;  // at multiples of kSessionHashTicks
  std::int64_t gaps_ = 0;    // records lost, as events say
};

// The content of a journal. Returns how many records were lost. Throws FileError.
std::int64_t read_journal(const std::filesystem::path& journal, const SessionExtent& extent,
                          SessionSink& sink);

}  // namespace knuckleboom::io
