#include "app/trainer/session_folder.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/config_paths.hpp"
#include "app/learners/filing.hpp"
#include "knuckleboom/io/session_journal.hpp"

namespace knuckleboom::app {

namespace {

// Nothing that was recorded is written over: the first name from this number on that is free.
std::filesystem::path free_name(const std::filesystem::path& path, int number) {
  std::error_code ignored;
  for (;; ++number) {
    std::filesystem::path name = numbered(path, number);
    std::filesystem::path journal = name;
    journal += io::kJournalSuffix;
    if (name.empty() ||
        (!std::filesystem::exists(name, ignored) && !std::filesystem::exists(journal, ignored)))
      return name;
  }
}

}  // namespace

RecordingChoice recording_choice(const DriveRequest& request, int number, bool watched) {
  RecordingChoice out;
  out.input = numbered(request.record_input, number);
  if (request.no_record) return out;
  out.file = free_name(request.session, number);
  out.folder = request.sessions;
  out.learner = request.learner;
  out.learner_id = request.learner_id;
  if (out.file.empty() && out.folder.empty() && (watched || !out.learner.empty()))
    out.folder = user_session_folder();
  return out;
}

std::vector<std::string> keep_cut_off_sessions(const std::filesystem::path& folder) {
  std::vector<std::string> sentences;
  io::remove_unfinished(folder);
  for (const std::filesystem::path& journal : io::abandoned_journals(folder)) {
    try {
      const std::filesystem::path kept = io::recover_session(journal);
      sentences.push_back(
          fmt::format("A session that was cut off has been kept: {}", kept.string()));
      if (std::string fault = file_session(kept); !fault.empty())
        sentences.push_back(std::move(fault));
    } catch (const io::FileError& error) {
      sentences.push_back(
          fmt::format("A session that was cut off could not be kept: {}", error.what()));
    }
  }
  return sentences;
}

}  // namespace knuckleboom::app
