#include "app/shell/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "knuckleboom/io/utf8.hpp"

namespace knuckleboom::app {
std::string with_prefix(double value, std::string_view unit) {
  struct Prefix {
    double factor;
    const char* name;
  };
  constexpr Prefix kPrefixes[] = {{1e9, "G"},  {1e6, "M"},  {1e3, "k"},  {1.0, ""},
                                  {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}};
  if (!std::isfinite(value)) return "not finite";
  if (value == 0.0) return fmt::format("0 {}", unit);
  // mPa could be confused with MPa.
  if (unit == "Pa" && std::fabs(value) < 1.0) return fmt::format("{:.2g} Pa", value);
  for (const Prefix& prefix : kPrefixes)
    // 999.6 rounds to 1000 and belongs to the next prefix.
    if (std::fabs(value) >= 0.9995 * prefix.factor)
      return fmt::format("{:.3g} {}{}", value / prefix.factor, prefix.name, unit);
  return fmt::format("{:.2e} {}", value, unit);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto [code, length] = io::decode_utf8(text, i);
    const std::string_view bytes = text.substr(i, std::max<std::size_t>(length, 1));
    const bool control =
        (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
    if (length == 0 || control)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.back()));
    else
      out += bytes;
    i += bytes.size();
  }
  return out;
}

std::string spoken(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  // The joint is named after what it does; operators speak of the part.
  constexpr std::string_view kJoint = "extension";
  if (name.starts_with(kJoint)) name.replace(0, kJoint.size(), "telescope");
  return name;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string shown = printable(text);
  const auto characters =
      static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      }));
  const std::string blanks(characters < width ? width - characters : 0, ' ');
  return right ? blanks + shown : shown + blanks;
}

void erase_character(std::string& text) {
  while (!text.empty()) {
    const auto last = static_cast<unsigned char>(text.back());
    text.pop_back();
    if ((last & 0xC0U) != 0x80U) return;  // the first byte of a character
  }
}

double parse_number(const std::string& text, std::string_view what) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value))
    throw UserError(fmt::format("'{}' is no number for {}", text, what));
  return value;
}

}  // namespace knuckleboom::app
