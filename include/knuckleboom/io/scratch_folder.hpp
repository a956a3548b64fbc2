// A folder for as long as somebody needs it.
#pragma once

#include <filesystem>

namespace knuckleboom::io {

// Made in the system's folder for temporary files, and removed with all that is in it. Throws FileError.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace knuckleboom::io
