// Journal of a running recording, beside the session file: blocks with checksums are appended to it. If
// the program is killed, all blocks written before are sound. At the end, or when it is next found, the
// journal becomes a session file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/recording/journal_file.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

inline constexpr const char* kSessionSuffix = ".h5";
inline constexpr const char* kJournalSuffix = ".journal";
// By its first bytes; false for what cannot be read.
bool is_journal(const std::filesystem::path& path);
inline constexpr const char* kUnreadableSuffix = ".unreadable";  // of a journal that was set aside

enum class JournalKind : std::uint32_t {
  kHeader = 1,
  kInputs,
  kHashes,
  kState,
  kRow,
  kEvent,
  kAttempt,
  kProgress,
  kEnd,
};

class SessionBlocks;

class SessionJournal {
 public:
  // A new session file in the folder, named after the header; nothing that is there is touched. The
  // folder is made if it is missing. Throws FileError.
  static SessionJournal in_folder(const std::filesystem::path& folder, const SessionHeader& header);
  // The same under a name of the caller's.
  SessionJournal(const std::filesystem::path& session_file, const SessionHeader& header);
  ~SessionJournal();
  SessionJournal(SessionJournal&&) noexcept;
  SessionJournal& operator=(SessionJournal&&) = delete;

  const std::filesystem::path& session_file() const { return session_; }
  const std::filesystem::path& journal_file() const { return file_->path(); }

  // Into memory; flush() passes it to the system.
  void add(const training::InputEvent& input);
  void add(const SessionEvent& event);
  void add(const StateHash& hash);
  void add(const SessionAttempt& attempt);
  void add_state(std::int64_t tick, const training::SessionState& state);
  void add_row(std::int64_t tick, std::span<const float> values);

  // Everything up to end_tick has been added: a reader may count on it. Throws FileError, after which
  // nothing more is written; what was flushed before stays.
  void flush(std::int64_t end_tick);
  void sync() { file_->sync(); }  // onto the disk; for a machine that loses its power

  // Completes the recording: the journal becomes the session file. Throws FileError, also if there is
  // something of that name by now; the journal then stays and can be recovered later.
  void close(const SessionEndMark& end);
  // Removes the journal, which has nothing worth keeping.
  void discard();

 private:
  SessionJournal(std::filesystem::path session, std::optional<JournalFile> file,
                 std::unique_ptr<SessionBlocks> blocks);

  std::filesystem::path session_;
  std::optional<JournalFile> file_;        // always one
  std::unique_ptr<SessionBlocks> blocks_;  // that are not yet written
};

// A journal that can never become a session file.
class UnreadableJournal : public FileError {
 public:
  using FileError::FileError;
};

// Makes a session file from a journal that was left behind, and removes the journal. Throws FileError:
// recording is still going on, no room, another version's; UnreadableJournal. Returns the session file.
std::filesystem::path recover_session(const std::filesystem::path& journal);
// Renames an unreadable journal: FILE.journal becomes FILE.journal.unreadable, or with a number if that
// exists. Returns the new name. Throws FileError.
std::filesystem::path set_aside(const std::filesystem::path& journal);
// Journals in a folder that no program is writing to any more; not what merely has such a name.
std::vector<std::filesystem::path> abandoned_journals(const std::filesystem::path& folder);
// Removes what programs have left in a folder that died while they made a journal; not what is younger
// than an hour, is still open in one of them, or has another sort of name.
void remove_unfinished(const std::filesystem::path& folder);
// Whether the name is one that a program gives to a session or journal while it makes it.
bool is_unfinished_name(const std::filesystem::path& file);

}  // namespace knuckleboom::io
