// A folder of its own for a test, gone with all that is in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  // Names of what is in it, sorted.
  std::vector<std::string> entries() const;
  // Writes a file, and the folders that lead to it.
  std::filesystem::path write(const std::string& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace knuckleboom::test
