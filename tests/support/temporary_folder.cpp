#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace knuckleboom::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  // The process number alone is not enough, since a killed process may leave its folder behind.
  std::string name = fs::temp_directory_path() / "knuckleboom_XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("no folder can be made in " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::entries() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path TemporaryFolder::write(const std::string& name, std::string_view text) const {
  fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

}  // namespace knuckleboom::test
