// Names to choose from on the command line, for its help and its completion.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

std::vector<std::string> control_words();
std::vector<std::string> camera_words();
std::vector<std::string> quality_words();
std::vector<std::string> instrument_words();

// In the user's folder of sessions, and in the database; none where there is nothing to read.
std::vector<std::string> session_names();
std::vector<std::string> learner_names();
// From now on the log does not have them.
void conceal_learners();

}  // namespace knuckleboom::app
