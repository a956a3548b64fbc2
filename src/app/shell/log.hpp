// The log of this program's start, a file in the user's state folder: what was asked, found and granted,
// and every message to the user. docs/reference/log.md
//
// Written by any thread but a tick's, whose events come by queues to a thread that logs them. Nothing
// here throws or waits for a disk that is full: a log that cannot be written is left out. The file is
// made with the first record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::app {

enum class LogLevel : std::int32_t { kDebug, kInfo, kWarning, kError, kOff };

// "debug", "info", "warning", "error", "off".
std::vector<std::string> log_levels();

// The program's command and its version head the file. level: one of log_levels(), the least to be kept;
// empty: that of $KNUCKLEBOOM_LOG, or info. Called once, before it nothing is logged.
void open_log(std::string_view command, std::string_view version, std::string_view level);
// One record; lines of the text stay together. Home folder and concealed words are left out.
void log(LogLevel level, std::string_view text);
// From now on the word does not appear in records: a learner's name.
void conceal_in_log(std::string word);

// The text as a record has it: without home folder and concealed words.
std::string without_people(std::string_view text);

// Files of the newest starts, the newest first.
std::vector<std::filesystem::path> log_files();

}  // namespace knuckleboom::app
