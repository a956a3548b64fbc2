#include "app/learners/deletion.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

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

// Whether the bytes of a file hold a text. A file that cannot be read to its end does not.
bool holds(const fs::path& path, const std::string& text) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string piece;
  while (file) {
    // A text cut in two by the end of a piece is found with the next piece.
    piece.erase(0, piece.size() - std::min(piece.size(), text.size()));
    const std::size_t kept = piece.size();
    piece.resize(kept + kPiece);
    file.read(piece.data() + kept, static_cast<std::streamsize>(kPiece));
    piece.resize(kept + static_cast<std::size_t>(file.gcount()));
    if (piece.find(text) != std::string::npos) return true;
  }
  return false;
}

// FILE.PID.tmp: what a program that died left half made; FILE.journal.unreadable: what was set aside.
bool has_half_made_name(const fs::path& path) {
  return io::is_unfinished_name(path) ||
         (path.extension() == io::kUnreadableSuffix &&
          path.stem().string().find(io::kJournalSuffix) != std::string::npos);
}

class Search {
 public:
  Search(const learners::Learner& learner, const std::vector<std::string>& other_keys)
      : learner_(learner), other_keys_(other_keys) {}

  // Content of the place of a filed session.
  void filed(const learners::FiledSession& session) {
    std::error_code error;
    const fs::file_status status = fs::status(session.file, error);
    if (status.type() == fs::file_type::not_found) {
      out_.missing.push_back(session.file);
    } else if (error) {
      leave(session.file, fmt::format("cannot be looked at ({}) and stays", error.message()));
    } else if (!fs::is_regular_file(status)) {
      leave(session.file, "is not a file and stays");
    } else if (const auto header = header_of(session.file)) {
      if (header->id == session.recording)
        take(session.file);
      else
        leave(session.file, "holds another session now and stays");
    } else if (!take_if_named(session.file)) {
      leave(
          session.file,
          "is not a session that can be read and does not have the learner's key in it; it stays, "
          "delete it by hand if it is hers or his");
    }
  }

  void in_folder(const fs::path& folder) {
    std::error_code error;
    const std::vector<fs::path> abandoned = io::abandoned_journals(folder);
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
      look_at(fs::absolute(entry->path()).lexically_normal(), contains(abandoned, entry->path()));
    if (error && error != std::errc::no_such_file_or_directory)
      throw io::FileError(folder.string(),
                          fmt::format("the folder of sessions cannot be read: {}; nothing was "
                                      "deleted",
                                      error.message()));
  }

  Belongings result() && { return std::move(out_); }

 private:
  void look_at(const fs::path& path, bool abandoned) {
    std::error_code error;
    if (contains(out_.files, path) || is_left(path) || !fs::is_regular_file(path, error)) return;
    const bool journal = path.extension() == io::kJournalSuffix;
    if (!journal && path.extension() != io::kSessionSuffix) {
      if (has_half_made_name(path)) take_if_named(path);
      return;
    }
    const auto header = header_of(path);
    if (header ? !is_of(*header, learner_) : !holds(path, learner_.key)) return;
    if (journal && !abandoned)
      throw io::FileError(
          path.string(),
          fmt::format("'{}' is driving just now; end that session first", learner_.name));
    if (header)
      take(path);
    else
      take_if_named(path);
  }

  std::optional<io::SessionHeader> header_of(const fs::path& path) {
    try {
      io::SessionOutline outline = files_.outline(path);
      out_.remarks.insert(out_.remarks.end(), outline.remarks.begin(), outline.remarks.end());
      return std::move(outline.header);
    } catch (const io::FileError&) {
      return std::nullopt;
    }
  }

  // A newer format, a damaged file, or something else altogether. False: nothing says that it is hers.
  bool take_if_named(const fs::path& path) {
    if (!holds(path, learner_.key)) return false;
    const auto names = [&](const std::string& key) {
      return key != learner_.key && holds(path, key);
    };
    if (std::any_of(other_keys_.begin(), other_keys_.end(), names))
      leave(path, "is not a session that can be read, names other learners as well, and stays");
    else
      take(path);
    return true;
  }

  void take(const fs::path& path) { out_.files.push_back(path); }
  void leave(const fs::path& path, const std::string& why) {
    out_.others.emplace_back(path, fmt::format("{} {}", path.string(), why));
  }
  bool is_left(const fs::path& path) const {
    return std::any_of(out_.others.begin(), out_.others.end(),
                       [&path](const auto& other) { return other.first == path; });
  }

  const learners::Learner& learner_;
  const std::vector<std::string>& other_keys_;
  io::SessionFiles files_;
  Belongings out_;
};

}  // namespace

Belongings belongings_of(const learners::Learner& learner,
                         const std::vector<learners::FiledSession>& filed, const fs::path& sessions,
                         const std::vector<std::string>& other_keys) {
  Search search(learner, other_keys);
  for (const learners::FiledSession& session : filed) search.filed(session);
  if (!sessions.empty()) search.in_folder(sessions);
  return std::move(search).result();
}

std::vector<std::string> remove_files(const std::vector<fs::path>& files) {
  std::vector<std::string> sentences;
  for (const fs::path& file : files) {
    std::error_code error;
    const fs::path real = fs::is_symlink(file, error) ? fs::canonical(file, error) : fs::path();
    if (!error && !real.empty()) fs::remove(real, error);
    if (!error || error == std::errc::no_such_file_or_directory) fs::remove(file, error);
    if (error)
      sentences.push_back(
          fmt::format("{} could not be deleted: {}", file.string(), error.message()));
  }
  return sentences;
}

}  // namespace knuckleboom::app
