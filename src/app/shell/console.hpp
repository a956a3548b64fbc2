// What the program says. Neither function throws: a stream that is closed or full must not end a run.
#pragma once

#include <string_view>

namespace knuckleboom::app {

// Opens nothing-sinks in the place of standard streams that are closed, so that no file of a run takes
// their number. Writing to them fails as it would without.
void guard_standard_streams();

// To standard output.
void say(std::string_view text);

// Line by line to standard error, each headed by the program's name.
void complain(std::string_view text);

// Flushes standard output. False if anything said so far has been lost.
bool all_was_said();

// Whether standard output is a pipe that nobody reads any more (| head).
bool reader_went_away();

}  // namespace knuckleboom::app
