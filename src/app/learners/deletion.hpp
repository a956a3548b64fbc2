// Everything there is of one person, and its deletion.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "learners/database.hpp"

namespace knuckleboom::app {

struct Belongings {
  std::vector<std::filesystem::path> files;    // session files and journals that are there
  std::vector<std::filesystem::path> missing;  // filed, but not where they were
  std::vector<std::filesystem::path> others;   // something else stands there now; it stays
};

// Files that are filed under the learner, and those in the folder of sessions whose header has the key or
// name. Throws io::FileError while one of them is being recorded.
Belongings belongings_of(const learners::Learner& learner,
                         const std::vector<learners::FiledSession>& filed,
                         const std::filesystem::path& sessions);

// Returns a sentence for each file that is still there.
std::vector<std::string> remove_files(const std::vector<std::filesystem::path>& files);

}  // namespace knuckleboom::app
