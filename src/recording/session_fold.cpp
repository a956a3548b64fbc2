#include "session_fold.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bytes.hpp"
#include "journal_blocks.hpp"
#include "session_header.hpp"
#include "session_layout.hpp"
#include "session_writer.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

// What a journal holds, first read for how far it goes, then written block by block.
struct Extent {
  SessionHeader header;
  SessionEndMark end;
  bool any = false;
};

SessionEndMark end_mark(std::string_view payload) {
  ByteReader reader(payload);
  SessionEndMark end;
  end.complete = true;
  end.end_tick = reader.take<std::int64_t>();
  end.end_hash = reader.take<std::uint64_t>();
  end.lost = reader.take<std::int64_t>();
  const auto count = reader.take<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    auto& [name, value] = end.health.emplace_back();
    name = reader.take_text();
    value = reader.take<double>();
  }
  return end;
}

Extent extent_of(const fs::path& journal) {
  Extent out;
  bool others = false;
  scan_journal(journal, [&](JournalKind kind, std::string_view payload) {
    if (!out.any) {
      others = kind == JournalKind::kHeader && is_other_format(payload);
      out.any = !others && kind == JournalKind::kHeader && from_bytes(payload, out.header);
      out.end.end_tick = out.header.first_tick;
      return out.any;
    }
    ByteReader reader(payload);
    if (kind == JournalKind::kProgress) out.end.end_tick = reader.take<std::int64_t>();
    if (kind == JournalKind::kEnd) out.end = end_mark(payload);
    return kind != JournalKind::kEnd;
  });
  if (others)
    throw FileError(journal.string(),
                    "this was recorded by another version of the program; use that version");
  if (!out.any)
    throw UnreadableJournal(journal.string(),
                            "this is no recording of a session, or its beginning is damaged");
  return out;
}

// Takes over what lies within the extent.
class Fold {
 public:
  Fold(const fs::path& journal, const fs::path& file, const Extent& extent)
      : shown_(journal.string()), writer_(file, extent.header), end_(extent.end.end_tick) {}

  bool take(JournalKind kind, std::string_view payload) {
    ByteReader reader(payload);
    switch (kind) {
      case JournalKind::kInputs:
        while (!reader.empty()) input(reader);
        break;
      case JournalKind::kHashes:
        while (!reader.empty()) {
          StateHash hash;
          hash.tick = reader.take<std::int64_t>();
          hash.value = reader.take<std::uint64_t>();
          check(reader);
          if (hash.tick <= end_) writer_.hash(hash);
        }
        break;
      case JournalKind::kState:
        if (const auto tick = reader.take<std::int64_t>(); tick <= end_) {
          check(reader);
          writer_.state(tick, payload.substr(sizeof tick));
        }
        break;
      case JournalKind::kRow:
        row(reader, payload.size());
        break;
      case JournalKind::kEvent:
        event(reader);
        break;
      case JournalKind::kAttempt:
        attempt(reader);
        break;
      case JournalKind::kHeader:
      case JournalKind::kProgress:
        break;
      case JournalKind::kEnd:
        return false;
    }
    return true;
  }
  void finish(const SessionEndMark& end) { writer_.finish(end); }

 private:
  // A block with the right checksum and another content than its kind has.
  void check(const ByteReader& reader) const {
    if (!reader.good())
      throw UnreadableJournal(shown_, "the recording holds what no recording holds");
  }

  void input(ByteReader& reader) {
    const auto kind = static_cast<training::InputEventKind>(reader.take<std::uint8_t>());
    const auto tick = reader.take<std::int64_t>();
    if (kind == training::InputEventKind::kInput) {
      const auto moved = reader.take<std::uint16_t>();
      for (std::size_t i = 0; i < command::kLeverAxes; ++i)
        if ((moved >> i & 1U) != 0) levers_.axis[i] = reader.take<double>();
      check(reader);
      if (tick < end_) writer_.lever(tick, levers_);
    } else if (kind == training::InputEventKind::kCommand) {
      training::Command command{};
      command.kind = static_cast<training::CommandKind>(reader.take<std::int32_t>());
      command.value = reader.take<std::int32_t>();
      check(reader);
      if (tick <= end_) writer_.command(tick, command);
    }
  }

  void row(ByteReader& reader, std::size_t bytes) {
    const auto tick = reader.take<std::int64_t>();
    check(reader);
    values_.resize((bytes - sizeof tick) / sizeof(float));
    for (float& value : values_) value = reader.take<float>();
    if (tick <= end_) writer_.row(tick, values_);
  }

  void event(ByteReader& reader) {
    SessionEvent event;
    event.tick = reader.take<std::int64_t>();
    event.kind = reader.take_text();
    for (double& value : event.value) value = reader.take<double>();
    event.text = reader.take_text();
    check(reader);
    if (event.tick <= end_) writer_.event(event);
  }

  void attempt(ByteReader& reader) {
    SessionAttempt attempt;
    attempt.begin_tick = reader.take<std::int64_t>();
    attempt.end_tick = reader.take<std::int64_t>();
    attempt.phase = static_cast<training::TaskPhase>(reader.take<std::int32_t>());
    while (!reader.empty()) attempt.figures.push_back(reader.take<double>());
    check(reader);
    if (attempt.end_tick <= end_) writer_.attempt(attempt);
  }

  std::string shown_;
  SessionWriter writer_;
  std::int64_t end_;
  command::OperatorInput levers_{};
  std::vector<float> values_;
};

class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  ~Temporary() {
    if (!kept_) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

// HDF5 does not say why: a full disk is nearly always the reason.
[[noreturn]] void cannot_write(const fs::path& shown, int error) {
  throw FileError(shown.string(),
                  fmt::format("the session file cannot be written: {}",
                              error != 0 ? std::generic_category().message(error)
                                         : "no room on the disk, or the device is gone"));
}

void guard(const fs::path& file, const fs::path& shown) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) cannot_write(shown, errno);
  int error = 0;
  try {
    const std::string block = to_text(guard_of(descriptor, shown.string()));
    if (::pwrite(descriptor, block.data(), block.size(), 0) != static_cast<ssize_t>(block.size()) ||
        ::fsync(descriptor) != 0)
      error = errno;
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) cannot_write(shown, error);
}

}  // namespace

void fold_journal_into(const fs::path& journal, const fs::path& file) {
  const Extent extent = extent_of(journal);
  try {
    const auto lock = hdf5_lock();
    Fold fold(journal, file, extent);
    scan_journal(journal, [&fold](JournalKind kind, std::string_view payload) {
      return fold.take(kind, payload);
    });
    fold.finish(extent.end);
  } catch (const Hdf5Error&) {
    cannot_write(file, 0);
  }
  guard(file, file);
}

void fold_journal(const fs::path& journal, const fs::path& session, bool fresh) {
  fs::path name = session;
  name += fmt::format(".{}.tmp", ::getpid());
  Temporary temporary(name);
  fold_journal_into(journal, temporary.path());
  const unsigned flags = fresh ? RENAME_NOREPLACE : 0;
  if (::syscall(SYS_renameat2, AT_FDCWD, temporary.path().c_str(), AT_FDCWD, session.c_str(),
                flags) != 0) {
    if (errno != EINVAL && errno != ENOSYS) cannot_write(session, errno);
    if (fresh && ::access(session.c_str(), F_OK) == 0) cannot_write(session, EEXIST);
    if (std::rename(temporary.path().c_str(), session.c_str()) != 0) cannot_write(session, errno);
  }
  temporary.keep();
}

bool is_session_of(const fs::path& session, const fs::path& journal) {
  std::error_code error;
  if (!fs::exists(session, error)) return false;
  try {
    const SessionOutline outline = read_session_outline(session);
    return outline.end.complete && outline.header.id == extent_of(journal).header.id;
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace knuckleboom::io
