#include "app/shell/language.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "app/shell/console.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

// Installed, they are beside the program's other files; else where the build has put them.
std::vector<fs::path> catalogue_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error)
    folders.push_back((program.parent_path() / KNUCKLEBOOM_LANGUAGES_FROM_BIN).lexically_normal());
  folders.emplace_back(KNUCKLEBOOM_BUILT_LANGUAGES_DIR);
  return folders;
}

}  // namespace

std::vector<std::string> language_words() {
  std::vector<std::string> words;
  for (const language::Language& one : language::languages()) words.emplace_back(one.code);
  return words;
}

const std::string& language_of(const std::string& word, const std::string& what) {
  if (language::is_known(word)) return word;
  throw UserError(fmt::format("{}: there is no language '{}'{}", what, word,
                              alternatives(word, language_words())));
}

void speak(const std::string& word, const std::string& kept) {
  const std::string code = !word.empty() ? word : !kept.empty() ? kept : language::of_environment();
  if (!language::use(code, catalogue_folders()))
    complain(fmt::format("the texts in '{}' are not installed; English is used", code));
}

}  // namespace knuckleboom::app
