// Output of the program. Neither function throws: a closed or full stream must not end a run.
#pragma once

#include <string_view>

namespace knuckleboom::app {

// Replaces closed standard streams with dummy descriptors, so that no file of a run takes their
// number. Writing to them still fails.
void guard_standard_streams();

// To standard output.
void say(std::string_view text);
// The same for what a run has found out at its end, which goes to the log as well.
void say_at_end(std::string_view text);

// Line by line to standard error, each headed by the program's name, and to the log.
void complain(std::string_view text);

// Flushes standard output. False if any output so far has been lost.
bool all_was_said();

// Whether standard output is a pipe without a reader (| head).
bool reader_went_away();

}  // namespace knuckleboom::app
