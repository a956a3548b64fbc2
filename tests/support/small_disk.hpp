// Disks that are soon full.
#pragma once

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include <sys/mount.h>
#include <sys/resource.h>

namespace knuckleboom::test {

// A small file system of its own where that is allowed, else a limit on the size of files.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder, std::size_t bytes)
      : folder_(folder), bytes_(bytes) {
    std::filesystem::create_directories(folder);
    const std::string options = "size=" + std::to_string(bytes);
    mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  // In the process that is to have it.
  void limit() const {
    if (mounted_) return;
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{bytes_, bytes_};
    ::setrlimit(RLIMIT_FSIZE, &most);
  }

 private:
  std::filesystem::path folder_;
  std::size_t bytes_;
  bool mounted_ = false;
};

}  // namespace knuckleboom::test
