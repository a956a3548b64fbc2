// A file that is open for reading, for another process.
#pragma once

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

class OpenFile {
 public:
  // Throws FileError. expected: "session", "table".
  OpenFile(const std::filesystem::path& path, const char* expected)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      throw FileError(
          path.string(),
          errno == ENOENT
              ? fmt::format("there is no such file; expected a {}", expected)
              : fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace knuckleboom::io
