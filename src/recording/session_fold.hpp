// From journals to session files.
#pragma once

#include <filesystem>

namespace knuckleboom::io {

// Writes the session file under its name, in full or not at all; nothing of that name may be there. Throws
// FileError.
void fold_journal(const std::filesystem::path& journal, const std::filesystem::path& session);

// Whether the session file is whole and has all of the journal's session in it.
bool is_session_of(const std::filesystem::path& session, const std::filesystem::path& journal);

}  // namespace knuckleboom::io
