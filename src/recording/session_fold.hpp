// From journals to session files.
#pragma once

#include <filesystem>

namespace knuckleboom::io {

// Writes the session file under its name, in full or not at all. fresh: nothing of that name may be
// there. Throws FileError.
void fold_journal(const std::filesystem::path& journal, const std::filesystem::path& session,
                  bool fresh);

// Whether the session file is whole and has the journal's session in it.
bool is_session_of(const std::filesystem::path& session, const std::filesystem::path& journal);

// The same into a file that is there, for reading only.
void fold_journal_into(const std::filesystem::path& journal, const std::filesystem::path& file);

}  // namespace knuckleboom::io
