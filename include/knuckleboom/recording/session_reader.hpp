// The process that reads foreign session files: the same program once more, as a child that may do next to
// nothing. docs/reference/session_file.md, "In a process of its own".
#pragma once

#include <functional>

namespace knuckleboom::io {

// Whether the program was started as that process. To be asked first of all in main().
bool is_session_reader(int argc, const char* const* argv);

// Reads what it is handed until nobody asks any more, and ends the program. before: called with the bytes of
// each file; for tests of what happens when the library fails.
[[noreturn]] void run_session_reader(
    const std::function<void(const char* bytes, unsigned long size)>& before = {});

}  // namespace knuckleboom::io
