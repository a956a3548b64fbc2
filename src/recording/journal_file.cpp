#include "knuckleboom/recording/journal_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "io/rename_new.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& shown, int error) {
  if (error == ENOENT)
    throw FileError(shown.string(),
                    fmt::format("cannot be written: there is no folder '{}'; create it first",
                                shown.has_parent_path() ? shown.parent_path().string() : "."));
  throw FileError(shown.string(), fmt::format("cannot be written: {}", error_text(error)));
}

}  // namespace

std::string error_text(int error) { return std::generic_category().message(error); }

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

std::optional<JournalFile> JournalFile::create(const fs::path& path, std::string_view header,
                                               const char* subject) {
  const fs::path temporary = temporary_name(path);
  Descriptor file(
      ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0666));
  if (file.get() < 0) cannot_write(path, errno);
  int error = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error == EOPNOTSUPP || error == ENOLCK) error = 0;  // no lock on this file system; go on
  if (error == 0) error = write_all(file.get(), header);
  if (error == 0) error = rename_new(temporary, path);
  if (error == 0) return JournalFile(path, std::move(file), header.size(), subject);
  ::unlink(temporary.c_str());
  if (error == EEXIST) return std::nullopt;
  cannot_write(path, error);
}

JournalFile JournalFile::resume(const fs::path& path, const char* subject) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_APPEND));
  if (file.get() < 0) cannot_write(path, errno);
  const int error = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error == EWOULDBLOCK)
    throw FileError(
        path.string(),
        fmt::format("another program is writing this {}; let it come to its end", subject));
  if (error != 0 && error != EOPNOTSUPP && error != ENOLCK) cannot_write(path, error);
  struct stat there {};
  if (::fstat(file.get(), &there) != 0) cannot_write(path, errno);
  return {path, std::move(file), static_cast<std::uint64_t>(there.st_size), subject};
}

void JournalFile::cut(std::uint64_t bytes) {
  if (bytes < bytes_ && ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail(errno);
  bytes_ = std::min(bytes_, bytes);
}

void JournalFile::write(std::string_view bytes) {
  if (file_.get() < 0) throw FileError(path_.string(), "the recording has ended already");
  bytes_ += bytes.size();
  if (const int error = write_all(file_.get(), bytes); error != 0) fail(error);
}

void JournalFile::sync() {
  if (file_.get() >= 0 && ::fdatasync(file_.get()) != 0 && errno != EINVAL) fail(errno);
}

void JournalFile::fail(int error) {
  close();
  throw FileError(path_.string(),
                  fmt::format("cannot be written: {}; the {} up to here is kept in it",
                              error_text(error), subject_));
}

}  // namespace knuckleboom::io
