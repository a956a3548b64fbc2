#include "report/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <fmt/format.h>

#include "knuckleboom/io/utf8.hpp"

namespace knuckleboom::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_allowed(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return true;
  if (io::is_control(c) || c == 0xFFFE || c == 0xFFFF) return false;
  return !io::disturbs_text(c);
}

void append_escaped(char32_t c, std::string& out) {
  switch (c) {
    case U'&':
      out += "&amp;";
      return;
    case U'<':
      out += "&lt;";
      return;
    case U'>':
      out += "&gt;";
      return;
    case U'"':
      out += "&quot;";
      return;
    case U'\'':
      out += "&#39;";
      return;
    default:
      io::append_utf8(is_allowed(c) ? c : kReplacement, out);
  }
}

std::string digits(double value, int significant) {
  const double size = std::abs(value);
  int decimals = size == 0.0 ? 0 : significant - 1 - static_cast<int>(std::floor(std::log10(size)));
  decimals = std::clamp(decimals, 0, significant);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  if (text == "-0") text.erase(0, 1);
  return text;
}

bool takes_prefix(std::string_view unit) { return unit == "J" || unit == "W"; }

double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  return 10.0 * power;
}

std::vector<double> multiples(double step, double low, double high) {
  std::vector<double> out;
  const double slack = 1e-6 * step;
  const double first = std::ceil((low - slack) / step), last = std::floor((high + slack) / step);
  for (double k = first; k <= last; k += 1.0) out.push_back(k == 0.0 ? 0.0 : k * step);
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size();) {
    const io::Utf8Character character = io::decode_utf8(text, i);
    append_escaped(character.length == 0 ? kReplacement : character.code, out);
    i += std::max<std::size_t>(character.length, 1);
  }
  return out;
}

std::string quantity(double value, std::string_view unit, bool passes) {
  if (!std::isfinite(value)) return "–";
  std::string_view prefix;
  if (unit == "rad") return fmt::format("{}°", digits(value * 180.0 / std::numbers::pi, 3));
  if (unit == "Pa") return digits(value * 1e-5, 3) + " bar";
  if (unit == "s" && passes && std::abs(value) >= 60.0)
    return fmt::format("{} min", clock_text(value));
  if (takes_prefix(unit)) {
    struct Prefix {
      double factor;
      const char* name;
    };
    for (const Prefix p : {Prefix{1e9, "G"}, Prefix{1e6, "M"}, Prefix{1e3, "k"}}) {
      if (std::abs(value) < p.factor * 0.9995) continue;
      value /= p.factor;
      prefix = p.name;
      break;
    }
  }
  std::string text = digits(value, 3);
  if (prefix.empty() && unit.empty()) return text;
  return fmt::format("{} {}{}", text, prefix, unit);
}

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  const auto tenths = std::llround(std::abs(seconds) * 10.0);
  return fmt::format("{}{}:{:02}.{}", seconds < 0.0 && tenths > 0 ? "-" : "", tenths / 600,
                     tenths / 10 % 60, tenths % 10);
}

std::string date_text(std::string_view utc) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  const auto fits = [](char wanted, char got) {
    return wanted == 'd' ? got >= '0' && got <= '9' : got == wanted;
  };
  if (utc.size() != kForm.size() || !std::equal(kForm.begin(), kForm.end(), utc.begin(), fits))
    return std::string(utc);
  return fmt::format("{} {} UTC", utc.substr(0, 10), utc.substr(11, 5));
}

std::vector<double> ticks(double low, double high, int most) {
  if (!(high > low) || !std::isfinite(high - low)) return {low};
  double step = nice_step((high - low) / std::max(most, 2));
  std::vector<double> out = multiples(step, low, high);
  while (static_cast<int>(out.size()) > std::max(most, 2)) {
    step = nice_step(step * 1.01);
    out = multiples(step, low, high);
  }
  return out;
}

std::vector<double> time_ticks(double low, double high, int most) {
  if (!(high - low >= 2.0)) return ticks(low, high, most);
  for (const double step : {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0,
                            1800.0, 3600.0, 7200.0, 21600.0, 86400.0}) {
    if ((high - low) / step > most) continue;
    return multiples(step, low, high);
  }
  return ticks(low, high, most);
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks) {
  double step = 1.0;
  if (ticks.size() > 1) step = std::abs(ticks[1] - ticks[0]);
  if (ticks.size() == 1 && ticks[0] != 0.0) step = std::abs(ticks[0]);
  int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 9);
  std::vector<std::string> out;
  out.reserve(ticks.size());
  for (const double value : ticks) out.push_back(fmt::format("{:.{}f}", value, decimals));
  return out;
}

}  // namespace knuckleboom::report
