#include "rename_new.hpp"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace knuckleboom::io {

namespace {
constexpr std::string_view kTemporarySuffix = ".tmp";
}

std::filesystem::path temporary_name(const std::filesystem::path& file) {
  std::filesystem::path name = file;
  name += fmt::format(".{}{}", ::getpid(), kTemporarySuffix);
  return name;
}

std::string made_name(const std::filesystem::path& temporary) {
  std::string name = temporary.filename().string();
  if (!name.ends_with(kTemporarySuffix)) return {};
  name.resize(name.size() - kTemporarySuffix.size());
  const std::size_t dot = name.rfind('.');
  const bool numbered = dot != std::string::npos && dot + 1 < name.size() &&
                        name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return numbered ? name.substr(0, dot) : std::string();
}

int rename_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems without it: a link to an existing name fails as well.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

}  // namespace knuckleboom::io
