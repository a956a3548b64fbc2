// Everything there is of one person, and its deletion.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "learners/database.hpp"

namespace knuckleboom::app {

struct Belongings {
  std::vector<std::filesystem::path> files;    // hers for certain: session files and journals
  std::vector<std::filesystem::path> missing;  // filed, but not where they were
  // Where one of hers is filed or a half-made one may lie, but not known to be hers: each with one
  // sentence on why it stays.
  std::vector<std::pair<std::filesystem::path, std::string>> others;
  std::vector<std::string> remarks;  // on how sessions were read
};

// Looks at the files that are filed under the learner, and at those in the folder of sessions. Hers is
// - what stands at a filed path and has the recording's id in it,
// - a session or journal in the folder whose header has her key or, without any key, her name,
// - what cannot be read as a session, if it has the name of one (or of one half made) and her key in its
//   bytes, and none of the other keys.
// Throws io::FileError while one of them is being recorded, or if the folder cannot be read.
Belongings belongings_of(const learners::Learner& learner,
                         const std::vector<learners::FiledSession>& filed,
                         const std::filesystem::path& sessions,
                         const std::vector<std::string>& other_keys = {});

// A link and what it leads to. Returns a sentence for each file that is still there.
std::vector<std::string> remove_files(const std::vector<std::filesystem::path>& files);

}  // namespace knuckleboom::app
