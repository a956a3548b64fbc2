// Files that grow while something goes on: journals of sessions, recordings of emulations. If the program is
// killed, everything written before is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace knuckleboom::io {

std::string error_text(int error);  // of errno

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : descriptor_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  void close() {
    if (descriptor_ >= 0) ::close(release());
  }

 private:
  int descriptor_;
};

// All of it; returns 0 or an error number.
int write_all(int descriptor, std::string_view bytes);

class JournalFile {
 public:
  // A file with its first block under its name, locked while this program lives. Nobody ever sees one
  // without that block, and nothing that is there is touched. Empty: the name is taken. subject: "session",
  // for the sentence of a failure. Throws FileError.
  static std::optional<JournalFile> create(const std::filesystem::path& path,
                                           std::string_view header, const char* subject);
  // Locks a file that is there, to go on at its end. Throws FileError, also if another program is writing to it.
  static JournalFile resume(const std::filesystem::path& path, const char* subject);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return file_.get(); }  // -1: has ended
  std::uint64_t bytes() const { return bytes_; }  // written so far

  // Throws FileError, after which nothing more is written; what was written before stays.
  void write(std::string_view bytes);
  void cut(std::uint64_t bytes);  // drops what follows its sound part
  void sync();                    // onto the disk
  void close() { file_.close(); }
  // The end of writing, the lock is still held.
  Descriptor release() { return std::move(file_); }

 private:
  JournalFile(std::filesystem::path path, Descriptor file, std::uint64_t bytes, const char* subject)
      : path_(std::move(path)), file_(std::move(file)), bytes_(bytes), subject_(subject) {}
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t bytes_;
  const char* subject_;
};

}  // namespace knuckleboom::io
