#include "knuckleboom/io/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "rename_new.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kMostNames = 1000;  // tried

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : shown_(path), target_(path) {
  std::error_code error;
  if (path.empty()) throw FileError("(no name)", "cannot write to a file without a name");
  // Renaming over a link would replace the link and not the file it points to.
  if (std::filesystem::is_symlink(path, error)) {
    const auto resolved = std::filesystem::weakly_canonical(path, error);
    if (!error) target_ = resolved;
  }
  const auto status = std::filesystem::status(target_, error);
  if (std::filesystem::is_directory(status))
    throw FileError(path.string(), "cannot be written: this is a directory; give a file name");
  const bool direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (direct) {
    // A pipe that nobody reads would keep us waiting.
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 && errno == ENXIO)
      throw FileError(path.string(),
                      "cannot be written: this is a socket, or a pipe without a reader");
    if (descriptor_ >= 0)
      ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  } else {
    // A file that may not be written must not be replaced either.
    if (std::filesystem::exists(status) && ::access(target_.c_str(), W_OK) != 0) fail(errno);
    static std::atomic<unsigned> counter{0};
    temporary_ = target_;
    temporary_ += fmt::format(".{}.{}.tmp", ::getpid(), counter++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) {
    const int code = errno;
    const std::filesystem::path folder =
        target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
    temporary_.clear();
    if (code == ENOENT)
      throw FileError(path.string(),
                      fmt::format("cannot be written: there is no folder '{}'; create it first",
                                  folder.string()));
    fail(code);
  }
  buffer_.reserve(2 * kBuffer);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(int error) {
  const bool kept = !temporary_.empty();
  discard();
  throw FileError(shown_.string(), fmt::format("cannot be written: {}{}", reason(error),
                                               kept ? "; nothing of it was left behind" : ""));
}

void AtomicFile::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    done += static_cast<std::size_t>(n);
  }
  buffer_.clear();
}

void AtomicFile::write(std::string_view text) {
  if (descriptor_ < 0) throw FileError(shown_.string(), "cannot be written: it is closed already");
  buffer_.append(text);
  if (buffer_.size() >= kBuffer) flush();
}

bool AtomicFile::finish() {
  if (descriptor_ < 0) return false;
  flush();
  // On disk before the name changes: a crash leaves the old file or the new one.
  if (!temporary_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail(errno);
  return !temporary_.empty();
}

void AtomicFile::close() {
  if (!finish()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

std::filesystem::path AtomicFile::close_new() {
  std::filesystem::path name = shown_;
  if (!finish()) return name;
  int error = rename_new(temporary_, target_);
  for (int number = 2; error == EEXIST && number <= kMostNames; ++number) {
    name = numbered(shown_, number);
    error = rename_new(temporary_, name);
  }
  if (error != 0) fail(error);
  temporary_.clear();
  return name;
}

std::filesystem::path numbered(const std::filesystem::path& path, int number) {
  if (path.empty() || number < 2) return path;
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.close();
}

}  // namespace knuckleboom::io
