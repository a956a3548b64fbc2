#include "knuckleboom/recording/session_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/rename_new.hpp"
#include "journal_blocks.hpp"
#include "session_blocks.hpp"
#include "session_fold.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSubject = "session";
constexpr int kMostNames = 1000;  // tried
constexpr std::chrono::hours kUnfinishedAge{1};

bool begins_a_journal(int descriptor) {
  std::string magic(kJournalMagic.size(), '\0');
  return ::pread(descriptor, magic.data(), magic.size(), 0) == static_cast<ssize_t>(magic.size()) &&
         magic == kJournalMagic;
}

fs::path beside(const fs::path& session, const char* suffix) {
  fs::path path = session;
  path += suffix;
  return path;
}

}  // namespace

// --- Opening ------------------------------------------------------------------

SessionJournal SessionJournal::in_folder(const fs::path& folder, const SessionHeader& header) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw FileError(folder.string(),
                    fmt::format("the folder of sessions cannot be made: {}", error.message()));
  auto blocks = std::make_unique<SessionBlocks>(header);
  for (int i = 1; i <= kMostNames; ++i) {
    fs::path session =
        folder / (session_name(header) + (i > 1 ? fmt::format("-{}", i) : "") + kSessionSuffix);
    const fs::path journal = beside(session, kJournalSuffix);
    if (fs::exists(session, error)) continue;
    std::optional<JournalFile> file = JournalFile::create(journal, blocks->bytes(), kSubject);
    if (file) return {std::move(session), std::move(file), std::move(blocks)};
  }
  throw FileError(folder.string(), "there is no free name for the session; tidy up the folder");
}

SessionJournal::SessionJournal(const fs::path& session_file, const SessionHeader& header)
    : session_(session_file) {
  std::error_code ignored;
  if (session_.empty()) throw FileError("(no name)", "cannot write to a file without a name");
  if (fs::is_directory(session_, ignored))
    throw FileError(session_.string(), "cannot be written: this is a directory; give a file name");
  if (fs::exists(session_, ignored))
    throw FileError(session_.string(),
                    "there is something of that name already, and a recording writes over nothing; "
                    "give another name");
  blocks_ = std::make_unique<SessionBlocks>(header);
  const fs::path journal = beside(session_file, kJournalSuffix);
  file_ = JournalFile::create(journal, blocks_->bytes(), kSubject);
  if (!file_)
    throw FileError(session_.string(),
                    fmt::format("{} is there, a recording that goes on or was cut off; choose "
                                "another name, or turn it into a session with 'knuckleboom replay "
                                "{} --headless'",
                                journal.filename().string(), journal.string()));
  blocks_->clear();
}

SessionJournal::SessionJournal(fs::path session, std::optional<JournalFile> file,
                               std::unique_ptr<SessionBlocks> blocks)
    : session_(std::move(session)), file_(std::move(file)), blocks_(std::move(blocks)) {
  blocks_->clear();
}

SessionJournal::SessionJournal(SessionJournal&&) noexcept = default;
SessionJournal::~SessionJournal() = default;

// --- Writing ------------------------------------------------------------------

void SessionJournal::add(const training::InputEvent& input) {
  if (input.kind == training::InputEventKind::kInput) blocks_->lever(input.tick, input.input);
  if (input.kind == training::InputEventKind::kCommand) blocks_->command(input.tick, input.command);
}

void SessionJournal::add(const StateHash& hash) { blocks_->hash(hash); }
void SessionJournal::add(const SessionEvent& event) { blocks_->event(event); }
void SessionJournal::add(const SessionAttempt& attempt) { blocks_->attempt(attempt); }
void SessionJournal::add_row(std::int64_t tick, std::span<const float> values) {
  blocks_->row(tick, values);
}

void SessionJournal::add_state(std::int64_t tick, const training::SessionState& state) {
  blocks_->state(tick, state);
}

void SessionJournal::flush(std::int64_t end_tick) {
  blocks_->progress(end_tick);
  file_->write(blocks_->take());
}

void SessionJournal::close(const SessionEndMark& end) {
  blocks_->end(end);
  file_->write(blocks_->take());
  // The lock is held until the session file is there.
  const Descriptor held = file_->release();
  const fs::path& journal = journal_file();
  struct stat ours {};
  struct stat there {};
  if (::fstat(held.get(), &ours) != 0 || ::stat(journal.c_str(), &there) != 0 ||
      ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
    throw FileError(journal.string(), "this is not the journal that was written; it was moved");
  fold_journal(journal, session_);
  ::unlink(journal.c_str());
}

void SessionJournal::discard() {
  if (file_->descriptor() < 0) return;
  ::unlink(journal_file().c_str());
  file_->close();
}

namespace {

// For a session whose journal is locked: no other program writes these files.
void remove_temporaries(const fs::path& session) {
  std::error_code ignored;
  const fs::path folder = session.has_parent_path() ? session.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (made_name(entry.path()) == session.filename() && entry.is_regular_file(ignored))
      ::unlink(entry.path().c_str());
}

}  // namespace

// --- Journals that were left behind --------------------------------------------

std::filesystem::path recover_session(const fs::path& journal) {
  const Descriptor file(::open(journal.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0)
    throw FileError(journal.string(), fmt::format("cannot be read: {}", error_text(errno)));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    throw FileError(
        journal.string(),
        errno == EWOULDBLOCK
            ? std::string("this session is being recorded just now")
            : fmt::format("nobody can tell whether it is still being recorded ({}); it stays as "
                          "it is",
                          error_text(errno)));
  fs::path session = journal;
  session.replace_extension();
  remove_temporaries(session);
  // Killed between the two last steps of close(): all is there already.
  if (is_session_of(session, journal)) {
    ::unlink(journal.c_str());
    return session;
  }
  std::error_code ignored;
  for (int i = 2; fs::exists(session, ignored) && i < kMostNames; ++i) {
    session = journal;
    session.replace_extension();
    const std::string stem = session.stem().string();
    session.replace_filename(fmt::format("{}-{}{}", stem, i, session.extension().string()));
  }
  fold_journal(journal, session);
  ::unlink(journal.c_str());
  return session;
}

std::filesystem::path set_aside(const fs::path& journal) {
  int error = EEXIST;
  for (int i = 1; error == EEXIST && i < kMostNames; ++i) {
    fs::path name = journal;
    name += i > 1 ? fmt::format("-{}{}", i, kUnreadableSuffix) : kUnreadableSuffix;
    error = rename_new(journal, name);
    if (error == 0) return name;
  }
  throw FileError(journal.string(), fmt::format("cannot be renamed: {}", error_text(error)));
}

void remove_unfinished(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!made_name(entry.path()).ends_with(kJournalSuffix) || !entry.is_regular_file(ignored))
      continue;
    std::error_code error;
    const fs::file_time_type written = entry.last_write_time(error);
    if (error || fs::file_time_type::clock::now() - written < kUnfinishedAge) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0)
      ::unlink(entry.path().c_str());
  }
}

bool is_unfinished_name(const fs::path& file) {
  const std::string name = made_name(file);
  return name.ends_with(kSessionSuffix) || name.ends_with(kJournalSuffix);
}

std::vector<fs::path> abandoned_journals(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != kJournalSuffix || !entry.is_regular_file(ignored)) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) == 0 &&
        (entry.path().stem().extension() == kSessionSuffix || begins_a_journal(file.get())))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace knuckleboom::io
