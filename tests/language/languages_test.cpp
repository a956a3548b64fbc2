// The languages of window and report: their catalogues, that no text is left out, and that each fits.
#include <algorithm>
#include <array>
#include <cctype>
#include <clocale>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "app/shell/language.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "language/catalogue_file.hpp"
#include "language/drawn_texts.hpp"
#include "language/text.hpp"
#include "language/window_pages.hpp"
#include "support/paths.hpp"
#include "support/temporary_folder.hpp"
#include "view/panels/gui.hpp"

namespace knuckleboom::testing_texts {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = KNUCKLEBOOM_SOURCE_DIR;
const fs::path kCatalogues = kRoot / "assets/languages";
constexpr std::array<const char*, 3> kTranslated = {"fi", "sv", "de"};
constexpr std::array<std::pair<int, int>, 2> kSizes = {{{1280, 720}, {1920, 1080}}};

bool runs(const std::string& command) { return std::system(command.c_str()) == 0; }

class InLanguage {
 public:
  explicit InLanguage(const std::string& code) { app::speak(code); }
  ~InLanguage() { app::speak("en"); }
  InLanguage(const InLanguage&) = delete;
  InLanguage& operator=(const InLanguage&) = delete;
};

// A catalogue of these lines under the code "xx".
bool use_lines(const std::string& lines) {
  const test::TemporaryFolder folder;
  const fs::path compiled = folder / "xx/LC_MESSAGES";
  fs::create_directories(compiled);
  const fs::path source =
      folder.write("xx.po",
                   "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                   "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n" +
                       lines);
  return runs(fmt::format("msgfmt -o '{}' '{}'", (compiled / "knuckleboom.mo").string(),
                          source.string())) &&
         language::use("xx", {folder.path()});
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

// Longer, in brackets and with marks on its letters; values stay.
std::string pseudo(const std::string& text) {
  static const std::map<char, const char*> kMarked = {
      {'a', "å"}, {'e', "ė"}, {'i', "į"}, {'o', "ø"}, {'u', "ū"}, {'y', "ÿ"},
      {'A', "Å"}, {'E', "Ė"}, {'I', "Į"}, {'O', "Ø"}, {'U', "Ū"}, {'Y', "Ý"}};
  std::string out = "[";
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    const auto found = depth == 0 ? kMarked.find(c) : kMarked.end();
    if (found != kMarked.end())
      out += found->second;
    else
      out += c;
  }
  return out + std::string(text.size() / 4, '~') + "]";
}

// --- Catalogues -----------------------------------------------------------------

TEST(Catalogues, HaveEveryTextOfTheTemplateWithItsValues) {
  const Messages all = read_catalogue(kCatalogues / "knuckleboom.pot");
  EXPECT_GT(all.size(), 900U);
  for (const char* code : kTranslated) {
    const Messages translated = read_catalogue(kCatalogues / (std::string(code) + ".po"));
    for (const auto& [key, message] : all) {
      const auto found = translated.find(key);
      if (found == translated.end()) {
        ADD_FAILURE() << code << ".po lacks: " << key.second;
        continue;
      }
      EXPECT_FALSE(found->second.fuzzy) << code << ": " << key.second;
      EXPECT_EQ(found->second.translations.size(), message.plural.empty() ? 1U : 2U);
      for (std::size_t i = 0; i < found->second.translations.size(); ++i) {
        const std::string& text = found->second.translations[i];
        EXPECT_FALSE(text.empty()) << code << " is not translated: " << key.second;
        EXPECT_EQ(values_of(text), values_of(i == 0 ? key.second : message.plural))
            << code << ": " << text;
      }
    }
    EXPECT_EQ(translated.size(), all.size()) << code << ".po has texts that are no more";
  }
}

TEST(Catalogues, FollowSourcesAndConfiguration) {
  if (!runs("command -v xgettext msgcat >/dev/null"))
    GTEST_SKIP() << "xgettext is not installed (Debian: gettext)";
  const test::TemporaryFolder folder;
  ASSERT_TRUE(runs(fmt::format("'{}' '{}' '{}' '{}'", (kRoot / "src/language/extract.sh").string(),
                               kRoot.string(), KNUCKLEBOOM_BINARY, (folder / "now.pot").string())));
  const Messages now = read_catalogue(folder / "now.pot");
  const Messages kept = read_catalogue(kCatalogues / "knuckleboom.pot");
  for (const auto& [key, message] : now)
    EXPECT_TRUE(kept.contains(key)) << "new: " << key.second << "; ./dev texts, then translate";
  for (const auto& [key, message] : kept)
    EXPECT_TRUE(now.contains(key)) << "gone: " << key.second << "; ./dev texts";
}

TEST(Catalogues, NeedNoLocaleAndChangeNone) {
  ASSERT_STREQ(std::setlocale(LC_ALL, nullptr), "C");
  const InLanguage finnish("fi");
  EXPECT_EQ(language::in_use(), "fi");
  EXPECT_STREQ(tr("Back"), "Takaisin");
  EXPECT_EQ(tr_format("{} of {} lessons", 1, 2), "1 of 2 lessons");  // not in the catalogue
  EXPECT_EQ(tr_count(1, "{} log, {:.0f} kg", "{} logs, {:.0f} kg", 1, 80.4), "1 pölkky, 80 kg");
  EXPECT_EQ(tr_count(3, "{} log, {:.0f} kg", "{} logs, {:.0f} kg", 3, 80.4), "3 pölkkyä, 80 kg");
  EXPECT_STREQ(tr(""), "");
  {
    const language::English english;
    EXPECT_STREQ(tr("Back"), "Back");
  }
  EXPECT_STREQ(tr("Back"), "Takaisin");
  EXPECT_STREQ(std::setlocale(LC_ALL, nullptr), "C");
  EXPECT_STREQ(std::localeconv()->decimal_point, ".");
}

TEST(Catalogues, FallBackToEnglish) {
  EXPECT_FALSE(language::use("tlh", {kCatalogues}));
  EXPECT_STREQ(tr("Back"), "Back");
  EXPECT_THROW(app::language_of("klingon", "--language"), std::runtime_error);
  // A translation with other values is not shown.
  if (!use_lines("msgid \"Log {} of {}\"\nmsgstr \"{} {} {}\"\n\n"
                 "msgid \"Stop {} of {}\"\nmsgstr \"{1}: {0}\"\n"))
    GTEST_SKIP() << "msgfmt is not installed (Debian: gettext)";
  EXPECT_EQ(tr_format("Log {} of {}", 1, 2), "Log 1 of 2");
  EXPECT_EQ(tr_format("Stop {} of {}", 1, 2), "2: 1");
  language::use("en", {});
}

TEST(Catalogues, FollowTheEnvironment) {
  const auto set = [](const char* all, const char* lang) {
    ::setenv("LC_ALL", all, 1);
    ::unsetenv("LC_MESSAGES");
    ::setenv("LANG", lang, 1);
  };
  set("", "sv_SE.UTF-8");
  EXPECT_EQ(language::of_environment(), "sv");
  set("C", "sv_SE.UTF-8");
  EXPECT_EQ(language::of_environment(), "en");
  set("de_AT@euro", "fi_FI");
  EXPECT_EQ(language::of_environment(), "de");
  set("fr_FR", "fi_FI");
  EXPECT_EQ(language::of_environment(), "en");
}

// --- Sources --------------------------------------------------------------------

// In these sources a text of two words or more is for the user.
constexpr const char* kPages[] = {
    "src/view/panels",
    "src/app/trainer/menus.cpp",
    "src/app/trainer/course_pages.cpp",
    "src/app/trainer/course.cpp",
    "src/app/trainer/quiz_page.cpp",
    "src/app/trainer/learner_page.cpp",
    "src/app/trainer/history.cpp",
    "src/app/trainer/pin_entry.cpp",
    "src/app/trainer/settings_page.cpp",
    "src/app/trainer/instructor.cpp",
    "src/app/trainer/trainer_panels.cpp",
    "src/app/trainer/trainer_learning.cpp",
    "src/app/window/keys.cpp",
    "src/app/session/session_texts.cpp",
    "src/app/session/lever_texts.cpp",
    "src/report/page.cpp",
};
// The window of emulate speaks English.
constexpr const char* kEnglish[] = {"emulation_panel", "workbench_panel"};

std::vector<std::string> unmarked_texts(const std::string& source) {
  static const std::regex kToken(
      R"re(//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|"(?:[^"\\\n]|\\.)*")re");
  static const std::regex kWords("[A-Za-z]{2,} [A-Za-z]{2,}");
  static const std::regex kMark(
      R"re((tr|tr_in|tr_format|tr_count|msgid)\(([^;()"]|\([^()"]*\)|"[^"]*",?)*$)re");
  std::vector<std::string> out;
  std::size_t end_of_last = 0;
  bool last_marked = false;
  for (auto i = std::sregex_iterator(source.begin(), source.end(), kToken);
       i != std::sregex_iterator(); ++i) {
    const std::string token = i->str();
    const auto at = static_cast<std::size_t>(i->position());
    if (token.front() != '"') continue;
    const std::string between = source.substr(end_of_last, at - end_of_last);
    const bool goes_on = end_of_last > 0 && between.find_first_not_of(" \n") == std::string::npos;
    const std::size_t begin = at > 600 ? at - 600 : 0;
    const bool marked =
        goes_on ? last_marked : std::regex_search(source.substr(begin, at - begin), kMark);
    end_of_last = at + token.size();
    last_marked = marked;
    // Neither HTML nor the names of its classes.
    if (!marked && std::regex_search(token, kWords) && token.find('<') == std::string::npos &&
        !token.starts_with("\"badge "))
      out.push_back(token);
  }
  return out;
}

TEST(Sources, MarkTheTextsOfPages) {
  EXPECT_EQ(unmarked_texts("f(tr(\"not this one\"), \"but this\"); // \"a comment\""),
            std::vector<std::string>{"\"but this\""});
  std::vector<fs::path> files;
  for (const char* page : kPages) {
    if (fs::is_regular_file(kRoot / page)) files.push_back(kRoot / page);
    if (fs::is_directory(kRoot / page))
      for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / page))
        if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  }
  EXPECT_GT(files.size(), 20U);
  for (const fs::path& file : files) {
    if (std::any_of(std::begin(kEnglish), std::end(kEnglish),
                    [&file](const char* name) { return file.stem() == name; }))
      continue;
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    for (const std::string& one : unmarked_texts(text.str()))
      ADD_FAILURE() << fs::relative(file, kRoot).string()
                    << ": not marked by tr() or msgid(): " << one;
  }
}

// --- Pages ----------------------------------------------------------------------

// Draws each page and hands over what was drawn.
template <typename Use>
bool draw_pages(std::pair<int, int> size, Use use) {
  const auto width = static_cast<float>(size.first), height = static_cast<float>(size.second);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = ImVec2(width, height);
  view::panels::Fonts fonts;
  const float scale = view::panels::scale_for(size.first, size.second);
  const bool loaded = load_fonts(scale, fonts);
  if (loaded)
    for (const WindowPage& page : window_pages()) {
      ImGui::NewFrame();
      ImDrawList& list = *ImGui::GetBackgroundDrawList();
      view::panels::Painter painter(list, fonts, scale, width, height);
      page.draw(painter);
      use(page.name, read_back(list, fonts));
      ImGui::EndFrame();
    }
  ImGui::DestroyContext();
  return loaded;
}

bool overlap(const view::panels::Rect& a, const view::panels::Rect& b) {
  constexpr float kTouch = 1.5F;  // pixels, by which letters may overlap
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() &&
         b.y + kTouch < a.bottom();
}

bool cut_off(const std::string& text) {
  return text.ends_with("...") && !text.ends_with(": ...");  // these wait for an entry
}

// Faults of a page, in words.
std::vector<std::string> faults_of(const Drawn& drawn, float width, float height) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < drawn.runs.size(); ++i) {
    const Line& run = drawn.runs[i];
    if (cut_off(run.text)) out.push_back("cut: " + run.text);
    if (run.box.x < 0.0F || run.box.right() > width || run.box.bottom() > height)
      out.push_back("leaves the window: " + run.text);
    const auto on_card = [&drawn](const view::panels::Rect& letter) {
      return std::any_of(drawn.cards.begin(), drawn.cards.end(), [&letter](const auto& card) {
        return letter.x >= card.x - 1.0F && letter.right() <= card.right() + 1.0F &&
               letter.y >= card.y - 1.0F && letter.bottom() <= card.bottom() + 1.0F;
      });
    };
    if (!std::all_of(run.letters.begin(), run.letters.end(), on_card))
      out.push_back("leaves its card: " + run.text);
    for (std::size_t k = 0; k < i; ++k) {
      const Line& other = drawn.runs[k];
      if (!overlap(run.box, other.box)) continue;
      const bool letters = std::any_of(run.letters.begin(), run.letters.end(), [&](const auto& a) {
        return std::any_of(other.letters.begin(), other.letters.end(),
                           [&a](const auto& b) { return overlap(a, b); });
      });
      if (letters) out.push_back(fmt::format("overlap: {} | {}", other.text, run.text));
    }
  }
  return out;
}

// One test for all: what takes long is to load the exercises.
TEST(Window, HasRoomForEveryTextInEachLanguage) {
  for (const char* code : {"en", "fi", "sv", "de"}) {
    const InLanguage spoken(code);
    std::set<std::string> told;
    for (const auto& size : kSizes) {
      std::size_t runs = 0;
      const bool loaded = draw_pages(size, [&](const std::string& page, const Drawn& drawn) {
        runs += drawn.runs.size();
        for (const std::string& fault :
             faults_of(drawn, static_cast<float>(size.first), static_cast<float>(size.second)))
          if (told.insert(fault).second)
            ADD_FAILURE() << code << ", " << page << " at " << size.first << "x" << size.second
                          << ": " << fault;
      });
      if (!loaded) GTEST_SKIP() << "DejaVu is not installed (Debian: fonts-dejavu-core)";
      EXPECT_GT(runs, 10'000U);
    }
  }
}

// Words of three letters or more that are shown as they are: names, keys, units.
bool stays(const std::string& word) {
  static const std::set<std::string> kKnown = [] {
    std::set<std::string> all = {"Knuckleboom", "Ada",     "Byron", "Charles", "English", "Suomi",
                                 "Svenska",     "Deutsch", "bar",   "UTC",     "min"};
    for (const auto& names : {io::machine_names(), io::lever_names(), io::exercise_names()})
      all.insert(names.begin(), names.end());
    return all;
  }();
  return kKnown.contains(word);
}

// Words without a mark on any vowel.
std::vector<std::string> plain_words(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0 || c == '_' || byte >= 0x80 ||
        (std::isdigit(byte) != 0 && !word.empty())) {
      word += c;
      continue;
    }
    const bool ascii = std::all_of(word.begin(), word.end(),
                                   [](char l) { return static_cast<unsigned char>(l) < 0x80; });
    if (word.size() >= 3 && ascii && word.find_first_of("aeiouyAEIOUY") != std::string::npos &&
        !stays(word))
      out.push_back(word);
    word.clear();
  }
  return out;
}

bool use_pseudo() {
  std::string lines;
  for (const auto& [key, message] : read_catalogue(kCatalogues / "knuckleboom.pot")) {
    if (!key.first.empty()) lines += "msgctxt " + quoted(key.first) + "\n";
    lines += "msgid " + quoted(key.second) + "\n";
    if (message.plural.empty())
      lines += "msgstr " + quoted(pseudo(key.second)) + "\n\n";
    else
      lines += "msgid_plural " + quoted(message.plural) + "\nmsgstr[0] " +
               quoted(pseudo(key.second)) + "\nmsgstr[1] " + quoted(pseudo(message.plural)) +
               "\n\n";
  }
  return use_lines(lines);
}

TEST(PseudoLanguage, FindsTextsThatAreNotTranslated) {
  EXPECT_EQ(pseudo("Log {} of {:.1f}"), "[Løg {} øf {:.1f}~~~~]");
  EXPECT_EQ(plain_words("[Løg 3] left"), std::vector<std::string>{"left"});
  if (!use_pseudo()) GTEST_SKIP() << "msgfmt is not installed (Debian: gettext)";
  std::map<std::string, std::string> found;  // word -> where
  const bool loaded = draw_pages(kSizes[1], [&](const std::string& page, const Drawn& drawn) {
    const bool keys = page.starts_with("help") || page.starts_with("keys");
    for (const Line& run : drawn.runs)
      for (const std::string& word : plain_words(run.text))
        if (!keys) found.emplace(word, page + ": " + run.text);
  });
  for (const std::string& text : report_texts())
    for (const std::string& word : plain_words(text)) found.emplace(word, "report: " + text);
  language::use("en", {});
  if (!loaded) GTEST_SKIP() << "DejaVu is not installed (Debian: fonts-dejavu-core)";
  for (const auto& [word, where] : found) ADD_FAILURE() << word << " in " << where;
}

}  // namespace
}  // namespace knuckleboom::testing_texts
