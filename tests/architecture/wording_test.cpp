// Wording of comments and pages: a comment names its subject first, and phrases that made first
// readers stumble do not come back.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/paths.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstWords[] = {"What ", "Of "};

constexpr std::string_view kPhrases[] = {
    "for ever",     "dearest",    "shall be slimmer", "held oil",        "turned round",
    "drawn by lot", "is told by", "the books of",     "keeps the books", "half again the"};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// Numbers of the lines on which a comment begins with a first word of the list. Further lines of
// the same comment may begin with any word.
std::vector<int> bad_beginnings(std::string_view text) {
  std::vector<int> out;
  bool goes_on = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t slashes = line.find("// ");
    const bool alone = trimmed(line).starts_with("//");
    if (slashes != std::string_view::npos && !(alone && goes_on)) {
      const std::string_view words = trimmed(line.substr(slashes + 3));
      if (std::any_of(std::begin(kFirstWords), std::end(kFirstWords),
                      [words](std::string_view word) { return words.starts_with(word); }))
        out.push_back(number);
    }
    goes_on = alone && slashes != std::string_view::npos;
  }
  return out;
}

// In lower case, with one blank for every line break and the comment marks and blanks around it.
std::string flat(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || text.substr(i, 2) == "//") {
      if (!out.empty() && out.back() != ' ') out += ' ';
      if (c == '/') ++i;
    } else {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::vector<std::string> phrases_in(std::string_view text) {
  const std::string words = flat(text) + " ";
  const auto has = [&words](std::string_view phrase) {
    for (std::size_t at = words.find(phrase); at != std::string::npos;
         at = words.find(phrase, at + 1))
      if (std::isalpha(static_cast<unsigned char>(words[at + phrase.size()])) == 0) return true;
    return false;
  };
  std::vector<std::string> out;
  for (const std::string_view phrase : kPhrases)
    if (has(phrase)) out.emplace_back(phrase);
  return out;
}

bool is_source(const fs::path& file) {
  const fs::path ending = file.extension();
  return ending == ".cpp" || ending == ".hpp" || ending == ".h";
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_below(const fs::path& folder, bool (*wanted)(const fs::path&)) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && wanted(entry.path())) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Wording, findsBadBeginningsAndPhrases) {
  EXPECT_EQ(bad_beginnings("// What it is.\nint a;  // Of a pair.\n// Sum\n// Of all.\n// ok\n"),
            (std::vector<int>{1, 2}));
  EXPECT_EQ(bad_beginnings("a();\n  // What it is.\n\n//Of\n  // What else.\n"),
            (std::vector<int>{2, 5}));
  EXPECT_EQ(phrases_in("// It stays for\n  // ever; the Dearest part"),
            (std::vector<std::string>{"for ever", "dearest"}));
  EXPECT_TRUE(phrases_in("for every one").empty());
}

TEST(Wording, commentsNameTheirSubjectFirst) {
  for (const char* folder : {"include", "src", "tests"})
    for (const fs::path& file : files_below(fs::path(KNUCKLEBOOM_SOURCE_DIR) / folder, is_source)) {
      if (file.filename() == "wording_test.cpp") continue;
      for (const int line : bad_beginnings(content(file)))
        ADD_FAILURE() << file << ":" << line << ": a comment begins with \"What\" or \"Of\"";
    }
}

TEST(Wording, noPhraseComesBackThatReadersStumbledOver) {
  std::vector<fs::path> files =
      files_below(fs::path(KNUCKLEBOOM_SOURCE_DIR) / "docs",
                  [](const fs::path& file) { return file.extension() == ".md"; });
  files.push_back(fs::path(KNUCKLEBOOM_SOURCE_DIR) / "README.md");
  for (const char* folder : {"include", "src", "tests"})
    for (const fs::path& file : files_below(fs::path(KNUCKLEBOOM_SOURCE_DIR) / folder, is_source))
      if (file.filename() != "wording_test.cpp") files.push_back(file);
  for (const fs::path& file : files)
    for (const std::string& phrase : phrases_in(content(file)))
      ADD_FAILURE() << file << ": '" << phrase << "'";
}

}  // namespace
