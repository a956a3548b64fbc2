// Sessions by name, and on their way into the database of learners.
#pragma once

#include <filesystem>
#include <string>

#include "knuckleboom/recording/session_file.hpp"
#include "learners/database.hpp"

namespace knuckleboom::app {

// knuckleboom/learners.db in the user's data folder; it may not exist. Throws UserError without a home.
std::filesystem::path learners_file();

// What the database keeps of a session. One that was taken over from another began in the middle: it has
// no results.
learners::FiledSession filed_session(const io::SessionOutline& outline,
                                     const std::filesystem::path& file);

// The name as it is filed and its key; a new name is added. A trainer goes on without the database: then
// fault has a sentence and the key is empty.
struct WhoDrives {
  std::string name, key, fault;
};
WhoDrives who_drives(const std::string& name);

// Files a session under the learner that its header names. Empty: done, or nobody is named; else one
// sentence. Never throws.
std::string file_session(const std::filesystem::path& file) noexcept;

// A session file by path, or by its name in the user's folder of sessions with or without .h5. A
// recording that was cut off is turned into a session file first, and that is said.
std::filesystem::path find_session(const std::string& name_or_file);

}  // namespace knuckleboom::app
