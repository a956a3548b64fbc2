#include "language/text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <system_error>

#include <boost/locale/gnu_gettext.hpp>

// gettext() of the C library is of no use here: it translates nothing in the C locale, nor, from glibc 2.39 on,
// in C.UTF-8, and no other may be installed. Boost.Locale reads the same catalogues without the system's locales.
namespace knuckleboom {
namespace language {
namespace {

namespace fs = std::filesystem;
using Messages = boost::locale::message_format<char>;

constexpr const char* kDomain = "knuckleboom";
constexpr std::array<Language, 4> kLanguages = {
    {{"en", "English"}, {"fi", "Suomi"}, {"sv", "Svenska"}, {"de", "Deutsch"}}};

struct Catalogue {
  std::string code;
  std::locale owner = std::locale::classic();
  const Messages* messages = nullptr;
};

// Never freed, as texts point into them.
using Catalogues = std::map<std::string, std::unique_ptr<Catalogue>>;
Catalogues& catalogues() {
  static Catalogues& all = *new Catalogues;  // NOLINT(cppcoreguidelines-owning-memory)
  return all;
}

std::atomic<const Catalogue*> g_used{nullptr};

const Messages* messages() {
  const Catalogue* used = g_used.load(std::memory_order_acquire);
  return used != nullptr ? used->messages : nullptr;
}

std::unique_ptr<Catalogue> read(const std::string& code, const fs::path& folder) {
  boost::locale::gnu_gettext::messages_info info;
  info.language = code;
  info.encoding = "UTF-8";
  info.domains.emplace_back(kDomain);
  info.paths.push_back(folder.string());
  auto* const messages = boost::locale::gnu_gettext::create_messages_facet<char>(info);
  auto out = std::make_unique<Catalogue>();
  out->code = code;
  out->owner = std::locale(std::locale::classic(), messages);
  out->messages = messages;
  return out;
}

}  // namespace

std::span<const Language> languages() { return kLanguages; }

bool is_known(std::string_view code) {
  return std::any_of(kLanguages.begin(), kLanguages.end(),
                     [code](const Language& one) { return code == one.code; });
}

std::string of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view whole = value;
    const std::string code(whole.substr(0, whole.find_first_of("_.@")));
    return is_known(code) ? code : kLanguages.front().code;
  }
  return kLanguages.front().code;
}

bool use(const std::string& code, const std::vector<fs::path>& folders) {
  g_used.store(nullptr, std::memory_order_release);
  if (code == kLanguages.front().code) return true;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    const fs::path file = folder / code / "LC_MESSAGES" / (std::string(kDomain) + ".mo");
    if (!fs::is_regular_file(file, ignored)) continue;
    std::unique_ptr<Catalogue>& known = catalogues()[file.string()];
    if (!known) known = read(code, folder);
    g_used.store(known.get(), std::memory_order_release);
    return true;
  }
  return false;
}

const std::string& in_use() {
  static const std::string english = kLanguages.front().code;
  const Catalogue* used = g_used.load(std::memory_order_acquire);
  return used != nullptr ? used->code : english;
}

English::English() : before_(g_used.exchange(nullptr)) {}
English::~English() { g_used.store(static_cast<const Catalogue*>(before_)); }

std::string formatted(const char* english, const char* translated, fmt::format_args values) {
  if (translated != english) {
    try {
      return fmt::vformat(translated, values);
    } catch (const fmt::format_error&) {  // English, then
    }
  }
  return fmt::vformat(english, values);
}

const char* counted(const char* one, const char* many, long long count) {
  constexpr long long kMost = std::numeric_limits<int>::max();
  if (const Messages* all = messages())
    if (const char* found =
            all->get(0, nullptr, one, static_cast<int>(std::clamp(count, -kMost, kMost))))
      return found;
  return count == 1 ? one : many;
}

}  // namespace language

const char* tr(const char* text) { return tr_in(nullptr, text); }

std::string tr(std::string_view text) { return tr(std::string(text).c_str()); }

const char* tr_in(const char* context, const char* text) {
  const auto* all = language::messages();
  if (all == nullptr || *text == '\0') return text;  // "" is the catalogue's own head
  const char* found = all->get(0, context, text);
  return found != nullptr ? found : text;
}

}  // namespace knuckleboom
