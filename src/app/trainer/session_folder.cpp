#include "app/trainer/session_folder.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/session/filing.hpp"
#include "app/shell/config_paths.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

// The first free name from this number on.
fs::path free_name(const fs::path& path, int number) {
  std::error_code ignored;
  for (;; ++number) {
    fs::path name = io::numbered(path, number);
    fs::path journal = name;
    journal += io::kJournalSuffix;
    if (name.empty() || (!fs::exists(name, ignored) && !fs::exists(journal, ignored))) return name;
  }
}

void remark_other_name(const fs::path& asked, const fs::path& got, int number,
                       std::vector<std::string>& remarks) {
  if (got == asked) return;
  remarks.push_back(number > 1 ? fmt::format("This session is recorded into {}.", got.string())
                               : fmt::format("{} is there already; this is recorded into {}.",
                                             asked.string(), got.string()));
}

// Reported once, and nothing is deleted: the data may still be useful.
std::string aside(const fs::path& journal, const io::UnreadableJournal& why) {
  try {
    return fmt::format("A session that was cut off cannot be kept and was renamed to {}: {}",
                       io::set_aside(journal).filename().string(), why.what());
  } catch (const io::FileError& error) {
    return fmt::format("A session that was cut off can neither be kept ({}) nor set aside: {}",
                       why.what(), error.what());
  }
}

}  // namespace

RecordingChoice recording_choice(const DriveRequest& request, int number, bool watched,
                                 bool taken_over) {
  RecordingChoice out;
  if (taken_over && !request.record_input.empty()) {
    out.remarks.emplace_back(
        "--record-input: what is taken over does not begin with its exercise, so its input alone "
        "would not lead to the same; only the session is recorded.");
  } else {
    out.input = free_name(request.record_input, number);
    remark_other_name(request.record_input, out.input, number, out.remarks);
  }
  if (request.no_record) return out;
  out.file = free_name(request.session, number);
  remark_other_name(request.session, out.file, number, out.remarks);
  out.folder = request.sessions;
  out.learner = request.learner;
  out.learner_id = request.learner_id;
  out.instructor = request.instructor;
  out.previous = last_filed(out.learner_id);
  if (out.file.empty() && out.folder.empty() && (watched || !out.learner.empty())) {
    out.folder = user_session_folder();
    if (out.folder.empty() && !out.learner.empty())
      out.remarks.push_back(fmt::format(
          "what {} does is not recorded: there is no folder for it, as neither XDG_DATA_HOME nor "
          "HOME is an absolute path; --session FILE.h5 or --sessions DIR names one",
          out.learner));
  }
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
    } catch (const io::UnreadableJournal& unreadable) {
      sentences.push_back(aside(journal, unreadable));
    } catch (const io::FileError& error) {
      sentences.push_back(
          fmt::format("A session that was cut off could not be kept: {}", error.what()));
    }
  }
  return sentences;
}

}  // namespace knuckleboom::app
