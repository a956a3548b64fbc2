// Output files that exist completely or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace knuckleboom::io {

// Writes to a temporary file in the same folder, which close() renames to its final name. Without
// close() the temporary file is removed and a file of that name stays as it was. A pipe or device
// (/dev/stdout) is written to directly. Every failure is a FileError.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  // Passes the text written so far to the system: it stays in the temporary file of a program that
  // dies.
  void flush();
  void close();
  // The same without overwriting: under its name or, if that exists, under the first free one of
  // name-2, name-3, ... Returns that name.
  std::filesystem::path close_new();

 private:
  bool finish();  // on the disk; false: without a name
  void discard() noexcept;
  [[noreturn]] void fail(int error);

  std::filesystem::path shown_;      // as the caller named it
  std::filesystem::path target_;     // symbolic links followed
  std::filesystem::path temporary_;  // empty: written to directly
  std::string buffer_;
  int descriptor_ = -1;
};

// "drive.csv", "drive-2.csv", "drive-3.csv", ... for number 1, 2, 3, ...
std::filesystem::path numbered(const std::filesystem::path& path, int number);

// The whole file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace knuckleboom::io
