// The language of the window and of reports.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

// Codes, as options and settings have them.
std::vector<std::string> language_words();
// Throws UserError with its purpose for an unknown code.
const std::string& language_of(const std::string& word, const std::string& what);

// word: of an option, or empty; kept: of the settings, or empty; otherwise that of the environment. Without its
// catalogue English is used, and that is said.
void speak(const std::string& word, const std::string& kept = {});

}  // namespace knuckleboom::app
