#include "app/learners/deletion.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "knuckleboom/recording/session_journal.hpp"
#include "learners/same_name.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<fs::path>& paths, const fs::path& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

bool is_of(const io::SessionHeader& header, const learners::Learner& learner) {
  return header.learner_id.empty()
             ? !header.learner.empty() && learners::same_name(header.learner, learner.name)
             : header.learner_id == learner.key;
}

// What a program that died left half made is no session file, but has the key in it.
bool holds(const fs::path& file, const std::string& key) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return bytes.find(key) != std::string::npos;
}

// What stands at the place of a filed session.
enum class Found { kNothing, kIt, kOther };
Found look_at(const learners::FiledSession& filed, const learners::Learner& learner) {
  std::error_code error;
  if (!fs::exists(filed.file, error)) return Found::kNothing;
  try {
    const io::SessionHeader header = io::read_session_outline(filed.file).header;
    return header.id == filed.recording || is_of(header, learner) ? Found::kIt : Found::kOther;
  } catch (const io::FileError&) {
    return Found::kIt;  // damaged; it may still hold the name
  }
}

}  // namespace

Belongings belongings_of(const learners::Learner& learner,
                         const std::vector<learners::FiledSession>& filed,
                         const fs::path& sessions) {
  Belongings out;
  for (const learners::FiledSession& session : filed) switch (look_at(session, learner)) {
      case Found::kNothing:
        out.missing.push_back(session.file);
        break;
      case Found::kIt:
        out.files.push_back(session.file);
        break;
      case Found::kOther:
        out.others.push_back(session.file);
        break;
    }
  std::error_code error;
  const std::vector<fs::path> abandoned = io::abandoned_journals(sessions);
  for (const fs::directory_entry& entry : fs::directory_iterator(sessions, error)) {
    const fs::path path = fs::absolute(entry.path()).lexically_normal();
    const bool journal = path.extension() == io::kJournalSuffix;
    if (contains(out.files, path)) continue;
    if (!journal && path.extension() != io::kSessionSuffix) {
      if (entry.is_regular_file(error) && holds(path, learner.key)) out.files.push_back(path);
      continue;
    }
    try {
      if (!is_of(io::read_session_outline(path).header, learner)) continue;
    } catch (const io::FileError&) {
      continue;  // whose it is cannot be told
    }
    if (journal && !contains(abandoned, entry.path()))
      throw io::FileError(
          path.string(),
          fmt::format("'{}' is driving just now; end that session first", learner.name));
    out.files.push_back(path);
  }
  return out;
}

std::vector<std::string> remove_files(const std::vector<fs::path>& files) {
  std::vector<std::string> sentences;
  for (const fs::path& file : files) {
    std::error_code error;
    fs::remove(file, error);
    if (error)
      sentences.push_back(
          fmt::format("{} could not be deleted: {}", file.string(), error.message()));
  }
  return sentences;
}

}  // namespace knuckleboom::app
