// Sessions by name, and their filing in the database of learners.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/session/trust.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "learners/database.hpp"

namespace knuckleboom::app {

// knuckleboom/learners.db in the user's data folder; it may not exist. Throws UserError without a home.
std::filesystem::path learners_file();

// Database entry of a session. One that was taken over from another began in the middle and has no
// results.
learners::FiledSession filed_session(const io::SessionRecord& record, const Examined& examined);
// As Database::file(), with the seal of this computer.
bool file_sealed(learners::Database& database, const learners::Learner& learner,
                 learners::FiledSession session);
// As Database::sessions(); a row that was changed by hand is not trusted.
std::vector<learners::FiledSession> filed_sessions(const learners::Database& database,
                                                   const learners::Learner& learner,
                                                   const std::string& exercise = {});
// The same of the answers to a quiz.
void file_sealed(learners::Database& database, const learners::Learner& learner,
                 learners::QuizTaken quiz);
std::vector<learners::QuizTaken> filed_quizzes(const learners::Database& database,
                                               const learners::Learner& learner);
// The filed session of anybody that has the same attempts under another id, to the last digit: hands do not do that.
// Empty: none.
std::optional<learners::FiledSession> original_of(const learners::Database& database,
                                                  const learners::FiledSession& session);
// Whether this can stand in the header of a recording: a database may have been changed by hand.
bool is_learner_key(const std::string& key);
// Digest of a learner's session filed last; empty: none, or the database cannot be read. Never throws.
std::string last_filed(const std::string& learner_id) noexcept;
// Name of who drove; empty: nobody, or a learner who is not filed here. Never throws.
std::string learner_shown(const io::SessionHeader& header) noexcept;

// The filed name and its key; a new name is added. The trainer continues without the database: then
// fault has a message and the key is empty.
struct WhoDrives {
  std::string name, key, pin_hash, fault;  // pin_hash: empty: no PIN
  std::string settings;                    // the learner's own: operator_settings.hpp
};
WhoDrives who_drives(const std::string& name);

// A learner's own settings as text, without those that this program does not know; empty: none. Throws
// io::FileError.
std::string settings_text(const learners::Database& database, const learners::Learner& learner);

// Files a session under the learner whose id its header has. Empty: done, or no learner; otherwise a
// message. Never throws.
std::string file_session(const std::filesystem::path& file) noexcept;

// Signs a session that this program has just recorded, and files it. Messages go to the console, and the last
// one is returned; empty: done.
std::string sign_and_file(const std::filesystem::path& file) noexcept;

// By the ending of its name: a session, or the journal of one; other HDF5 files are tables.
bool is_session_file(const std::filesystem::path& path);

// A session file by path, or by its name in the user's folder of sessions with or without .h5. A
// recording that was cut off is first converted into a session file, with a message.
std::filesystem::path find_session(const std::string& name_or_file);

}  // namespace knuckleboom::app
