// Files that grow while something goes on: journals of sessions, recordings of emulations.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace knuckleboom::io {

std::string error_text(int error);  // of errno

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// All of it; returns 0 or an error number.
int write_all(int descriptor, std::string_view bytes);

// A file with its first block under its name, locked while this program lives. Nobody ever sees one without
// that block, and nothing that is there is touched. Returns its descriptor, or -1 with `taken`: the name has
// been given already. Throws FileError.
int create_journal(const std::filesystem::path& journal, std::string_view header, bool& taken);

}  // namespace knuckleboom::io
