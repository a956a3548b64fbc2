// The program that reads foreign session files, knuckleboom-session-reader: a child of the one that wants to know,
// which may do next to nothing. docs/reference/session_file.md, "Reading in a separate process".
#pragma once

#include <functional>

namespace knuckleboom::io {

// Reads what it is handed until nobody asks any more, and ends the program. before: called with the bytes of
// each file; for tests of what happens when the library fails.
[[noreturn]] void run_session_reader(
    const std::function<void(const char* bytes, unsigned long size)>& before = {});

}  // namespace knuckleboom::io
