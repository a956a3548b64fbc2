#include "session_fold.hpp"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "io/rename_new.hpp"
#include "session_content.hpp"
#include "session_guard.hpp"
#include "session_writer.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

// HDF5 does not say why: a full disk is nearly always the reason.
[[noreturn]] void cannot_write(const fs::path& shown, int error) {
  throw FileError(shown.string(),
                  fmt::format("the session file cannot be written: {}",
                              error != 0 ? std::generic_category().message(error)
                                         : "no room on the disk, or the device is gone"));
}

// A file of our own to be written, gone unless it is kept.
class Temporary {
 public:
  Temporary(fs::path path, const fs::path& shown) : path_(std::move(path)) {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) cannot_write(shown, errno);
    ::close(descriptor);
  }
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

void write_session(const fs::path& journal, const fs::path& file) {
  SessionExtent extent = extent_of(journal);
  try {
    const auto lock = hdf5_lock();
    SessionWriter writer(file, extent.header);
    extent.end.lost = read_journal(journal, extent, writer);
    writer.finish(extent.end);
  } catch (const Hdf5Error&) {
    cannot_write(file, 0);
  }
  guard(file, file);
}

}  // namespace

void fold_journal(const fs::path& journal, const fs::path& session) {
  Temporary temporary(temporary_name(session), session);
  write_session(journal, temporary.path());
  if (const int error = rename_new(temporary.path(), session); error != 0)
    cannot_write(session, error);
  temporary.keep();
}

bool is_session_of(const fs::path& session, const fs::path& journal) {
  std::error_code error;
  if (!fs::exists(session, error)) return false;
  try {
    const SessionOutline outline = read_session_outline(session);
    const SessionExtent extent = extent_of(journal);
    return outline.end.complete && extent.end.complete && outline.header.id == extent.header.id &&
           outline.end.end_tick == extent.end.end_tick &&
           outline.end.end_hash == extent.end.end_hash;
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace knuckleboom::io
