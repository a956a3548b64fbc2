// A catalogue of gettext as text (.po, .pot).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace knuckleboom::testing_texts {

struct Message {
  std::string plural;                     // empty: it has none
  std::vector<std::string> translations;  // one, or one for each form
  bool fuzzy = false;
};
// By context and text.
using Messages = std::map<std::pair<std::string, std::string>, Message>;

Messages read_catalogue(const std::filesystem::path& file);

// The values that a format takes, in no order: "0:.1f" for each. Bare ones are numbered.
std::vector<std::string> values_of(const std::string& text);

}  // namespace knuckleboom::testing_texts
