#include "app/shell/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

namespace {
// kept: control characters that may stay.
std::string without_controls(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto [code, length] = io::decode_utf8(text, i);
    const std::string_view bytes = text.substr(i, std::max<std::size_t>(length, 1));
    const bool control =
        io::is_control(code) && (code >= 0x20 || kept.find(bytes) == std::string_view::npos);
    if (length == 0 || control)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.back()));
    else if (io::disturbs_text(code))
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    else
      out += bytes;
    i += bytes.size();
  }
  return out;
}
}  // namespace

std::string printable(std::string_view text) { return without_controls(text, "\n\t"); }

std::string one_line(std::string_view text) { return without_controls(text, {}); }

std::string spoken(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  // The joint is named after what it does; operators speak of the part.
  constexpr std::string_view kJoint = "extension";
  if (name.starts_with(kJoint)) name.replace(0, kJoint.size(), "telescope");
  return name;
}

namespace {
std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}
}  // namespace

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string shown = one_line(text);
  const std::size_t characters = characters_in(shown);
  const std::string blanks(characters < width ? width - characters : 0, ' ');
  return right ? blanks + shown : shown + blanks;
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows, std::string_view sides) {
  std::vector<std::size_t> widths(sides.size(), 0);
  for (const std::vector<std::string>& row : rows)
    for (std::size_t i = 0; row.size() > 1 && i < row.size(); ++i)
      widths[i] = std::max(widths[i], characters_in(one_line(row[i])));
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += (i > 0 ? "  " : "") + padded(row[i], row.size() > 1 ? widths[i] : 0, sides[i] == 'r');
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
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
