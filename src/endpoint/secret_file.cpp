#include "endpoint/secret_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "endpoint/error.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr std::size_t kMostSecretBytes = 4096;

std::string told(int fault) { return std::generic_category().message(fault); }

// A descriptor that closes itself.
class SecretFile {
 public:
  SecretFile(const std::filesystem::path& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~SecretFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  SecretFile(const SecretFile&) = delete;
  SecretFile& operator=(const SecretFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

void write_secret(const std::filesystem::path& path, int flags, std::string_view text) {
  const SecretFile file(path, flags);
  const bool good =
      file.fd() >= 0 &&
      ::write(file.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file.fd()) == 0;
  if (!good)
    throw EndpointError(fmt::format("{} cannot be written: {}", path.string(), told(errno)));
}

std::string read_secret(const std::filesystem::path& path, const char* absent, const char* advice) {
  const SecretFile file(path, O_RDONLY | O_NONBLOCK);
  if (file.fd() < 0)
    throw EndpointError(errno == ENOENT
                            ? fmt::format(fmt::runtime(absent), path.string())
                            : fmt::format("{} cannot be read: {}", path.string(), told(errno)));
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode))
    throw EndpointError(fmt::format("{} is no file", path.string()));
  if (advice != nullptr &&
      ((info.st_mode & 077U) != 0 || (info.st_uid != ::geteuid() && info.st_uid != 0)))
    throw EndpointError(
        fmt::format("{0} can be read or changed by others, so it is no secret: ", path.string()) +
        fmt::format(fmt::runtime(advice), path.string()));
  std::string text(kMostSecretBytes, '\0');
  const ssize_t size = ::read(file.fd(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

}  // namespace knuckleboom::endpoint
