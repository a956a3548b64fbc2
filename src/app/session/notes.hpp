// Notes to instants of recorded sessions, in the database of learners: a signed session file stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/recording/session_file.hpp"
#include "learners/database.hpp"

namespace knuckleboom::app {

inline constexpr std::size_t kLongestNote = 160;  // bytes
inline constexpr const char* kNoteEvent = "note";

// All of them throw UserError without a folder for the database, and io::FileError.
std::vector<learners::Note> notes_of(const io::SessionHeader& header);
void add_note(const io::SessionHeader& header, std::int64_t tick, const std::string& text);
void remove_note(const learners::Note& note);

// The events of a session and the notes among them, for people to see; they are no part of what it claims. A note
// outside the session, of a database that was changed by hand, is left out.
std::vector<io::SessionEvent> with_notes(const io::SessionRecord& record,
                                         const std::vector<learners::Note>& notes);

}  // namespace knuckleboom::app
