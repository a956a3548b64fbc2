#include "knuckleboom/recording/session_journal.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "bytes.hpp"
#include "io/rename_new.hpp"
#include "journal_blocks.hpp"
#include "journal_file.hpp"
#include "session_fold.hpp"
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGathered = std::size_t{64} << 10;
constexpr int kMostNames = 1000;  // tried
constexpr const char* kTemporarySuffix = ".tmp";
constexpr const char* kUnreadableSuffix = ".unreadable";
constexpr std::chrono::hours kUnfinishedAge{1};

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
  const std::string head = journal_block(JournalKind::kHeader, 0, to_bytes(header));
  for (int i = 1; i <= kMostNames; ++i) {
    fs::path session =
        folder / (session_name(header) + (i > 1 ? fmt::format("-{}", i) : "") + kSessionSuffix);
    fs::path journal = beside(session, kJournalSuffix);
    if (fs::exists(session, error)) continue;
    bool taken = false;
    const int descriptor = create_journal(journal, head, taken);
    if (taken) continue;
    SessionJournal made(std::move(session), std::move(journal), descriptor, head.size());
    made.own_name_ = true;
    return made;
  }
  throw FileError(folder.string(), "there is no free name for the session; tidy up the folder");
}

SessionJournal::SessionJournal(const fs::path& session_file, const SessionHeader& header)
    : session_(session_file), journal_(beside(session_file, kJournalSuffix)) {
  std::error_code ignored;
  if (session_.empty()) throw FileError("(no name)", "cannot write to a file without a name");
  if (fs::is_directory(session_, ignored))
    throw FileError(session_.string(), "cannot be written: this is a directory; give a file name");
  const std::string head = journal_block(JournalKind::kHeader, 0, to_bytes(header));
  bool taken = false;
  descriptor_ = create_journal(journal_, head, taken);
  if (taken)
    throw FileError(session_.string(),
                    fmt::format("{} is there, a recording that goes on or was cut off; choose "
                                "another name, or turn it into a session with 'knuckleboom replay "
                                "{} --headless'",
                                journal_.filename().string(), journal_.string()));
  sequence_ = 1;
  bytes_ = head.size();
}

SessionJournal::SessionJournal(fs::path session, fs::path journal, int descriptor,
                               std::uint64_t bytes)
    : session_(std::move(session)),
      journal_(std::move(journal)),
      descriptor_(descriptor),
      sequence_(1),
      bytes_(bytes) {}

SessionJournal::SessionJournal(SessionJournal&& other) noexcept
    : session_(std::move(other.session_)),
      journal_(std::move(other.journal_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      sequence_(other.sequence_),
      bytes_(other.bytes_),
      buffer_(std::move(other.buffer_)),
      inputs_(std::move(other.inputs_)),
      hashes_(std::move(other.hashes_)),
      last_(other.last_),
      own_name_(other.own_name_) {}

SessionJournal::~SessionJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// --- Writing ------------------------------------------------------------------

void SessionJournal::block(JournalKind kind, std::string_view payload) {
  buffer_ += journal_block(kind, sequence_++, payload);
}

void SessionJournal::add(const training::InputEvent& input) {
  put(inputs_, static_cast<std::uint8_t>(input.kind));
  put(inputs_, input.tick);
  switch (input.kind) {
    case training::InputEventKind::kInput: {
      // Only the axes that have moved; compared by their bits, as -0 is not 0.
      std::uint16_t moved = 0;
      for (std::size_t i = 0; i < command::kLeverAxes; ++i)
        if (std::bit_cast<std::uint64_t>(input.input.axis[i]) !=
            std::bit_cast<std::uint64_t>(last_.axis[i]))
          moved = static_cast<std::uint16_t>(moved | (1U << i));
      put(inputs_, moved);
      for (std::size_t i = 0; i < command::kLeverAxes; ++i)
        if ((moved >> i & 1U) != 0) put(inputs_, input.input.axis[i]);
      last_ = input.input;
      break;
    }
    case training::InputEventKind::kCommand:
      put(inputs_, static_cast<std::int32_t>(input.command.kind));
      put(inputs_, input.command.value);
      break;
    case training::InputEventKind::kEnd:
      break;
  }
  if (inputs_.size() >= kGathered) close_inputs();
}

void SessionJournal::close_inputs() {
  if (!inputs_.empty()) block(JournalKind::kInputs, inputs_);
  inputs_.clear();
}

void SessionJournal::add(const StateHash& hash) {
  put(hashes_, hash.tick);
  put(hashes_, hash.value);
}

void SessionJournal::close_hashes() {
  if (!hashes_.empty()) block(JournalKind::kHashes, hashes_);
  hashes_.clear();
}

void SessionJournal::add(const SessionEvent& event) {
  std::string payload;
  put(payload, event.tick);
  put_text(payload, event.kind);
  for (const double value : event.value) put(payload, value);
  put_text(payload, event.text);
  block(JournalKind::kEvent, payload);
}

void SessionJournal::add(const SessionAttempt& attempt) {
  std::string payload;
  put(payload, attempt.begin_tick);
  put(payload, attempt.end_tick);
  put(payload, static_cast<std::int32_t>(attempt.phase));
  for (const double figure : attempt.figures) put(payload, figure);
  block(JournalKind::kAttempt, payload);
}

void SessionJournal::add_state(std::int64_t tick, const training::SessionState& state) {
  std::string payload;
  payload.reserve(sizeof tick + sizeof state);
  put(payload, tick);
  payload.append(reinterpret_cast<const char*>(&state), sizeof state);
  block(JournalKind::kState, payload);
}

void SessionJournal::add_row(std::int64_t tick, std::span<const float> values) {
  std::string payload;
  put(payload, tick);
  payload.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  block(JournalKind::kRow, payload);
}

void SessionJournal::flush(std::int64_t end_tick) {
  close_inputs();
  close_hashes();
  std::string payload;
  put(payload, end_tick);
  block(JournalKind::kProgress, payload);
  write();
}

void SessionJournal::write() {
  if (descriptor_ < 0) throw FileError(session_.string(), "the recording has ended already");
  const int error = write_all(descriptor_, buffer_);
  bytes_ += buffer_.size();
  buffer_.clear();
  if (error != 0) fail(error);
}

void SessionJournal::sync() {
  if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0 && errno != EINVAL) fail(errno);
}

void SessionJournal::fail(int error) {
  ::close(std::exchange(descriptor_, -1));
  throw FileError(journal_.string(),
                  fmt::format("cannot be written: {}; the session up to here is kept in it",
                              error_text(error)));
}

void SessionJournal::close(const SessionEndMark& end) {
  close_inputs();
  close_hashes();
  std::string payload;
  put(payload, end.end_tick);
  put(payload, end.end_hash);
  put(payload, end.lost);
  put(payload, static_cast<std::uint64_t>(end.health.size()));
  for (const auto& [name, value] : end.health) {
    put_text(payload, name);
    put(payload, value);
  }
  block(JournalKind::kEnd, payload);
  write();
  // The lock is held until the session file is there.
  const Descriptor held(std::exchange(descriptor_, -1));
  fold_journal(journal_, session_, own_name_);
  ::unlink(journal_.c_str());
}

void SessionJournal::discard() {
  if (descriptor_ < 0) return;
  ::unlink(journal_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

namespace {

// Of a session whose journal is locked: nobody is writing any of these.
void remove_temporaries(const fs::path& session) {
  const std::string start = session.filename().string() + ".";
  std::error_code ignored;
  const fs::path folder = session.has_parent_path() ? session.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(start) &&
        entry.path().extension() == kTemporarySuffix)
      ::unlink(entry.path().c_str());
}

}  // namespace

// --- Journals that were left behind --------------------------------------------

std::filesystem::path recover_session(const fs::path& journal) {
  const Descriptor file(::open(journal.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0)
    throw FileError(journal.string(), fmt::format("cannot be read: {}", error_text(errno)));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw FileError(journal.string(), "this session is being recorded just now");
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
  fold_journal(journal, session, true);
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
    if (entry.path().extension() != kTemporarySuffix ||
        entry.path().filename().string().find(kJournalSuffix) == std::string::npos)
      continue;
    const fs::file_time_type written = entry.last_write_time(ignored);
    if (fs::file_time_type::clock::now() - written > kUnfinishedAge) ::unlink(entry.path().c_str());
  }
}

std::vector<fs::path> abandoned_journals(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != kJournalSuffix || !entry.is_regular_file(ignored)) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) == 0)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace knuckleboom::io
