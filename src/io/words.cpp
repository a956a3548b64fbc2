#include "knuckleboom/io/words.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

// Insertions, deletions, replacements and exchanges of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

const std::string* closest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 64) return nullptr;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > 64) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = &candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string* found = closest(word, candidates);
  return found != nullptr ? fmt::format("; did you mean '{}'?", *found) : std::string();
}

std::string alternatives(std::string_view word, std::span<const std::string> names) {
  std::vector<std::string> named;
  std::copy_if(names.begin(), names.end(), std::back_inserter(named),
               [](const std::string& name) { return !name.empty(); });
  const std::string close = suggestion(word, named);
  if (!close.empty()) return close;
  return fmt::format("; there {} {}", named.size() == 1 ? "is only" : "are", listing(named));
}

std::string listing(std::span<const std::string> names, std::string_view conjunction) {
  if (names.empty()) return "none";
  std::string text;
  const std::size_t shown = std::min<std::size_t>(names.size(), 20);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? fmt::format(" {} ", conjunction) : ", ";
    text += names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string counted(long long count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace knuckleboom::io
