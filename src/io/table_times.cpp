#include "table_times.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "knuckleboom/io/log_file.hpp"

namespace knuckleboom::io {
namespace {

constexpr double kDay = 86400.0;

// Takes digits off the front; nothing: there are none, or too many.
std::optional<int> take_digits(std::string_view& text, std::size_t most) {
  int value = 0;
  const auto [at, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto n = static_cast<std::size_t>(at - text.data());
  if (code != std::errc() || n == 0 || n > most || text.front() == '-' || text.front() == '+')
    return std::nullopt;
  text.remove_prefix(n);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> days_since_1970(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

// Year first, or day and month, or with slashes month and day.
std::optional<double> take_date(std::string_view& text) {
  std::string_view rest = text;
  const auto first = take_digits(rest, 4);
  if (!first || rest.empty()) return std::nullopt;
  const char mark = rest.front();
  if (mark != '-' && mark != '/' && mark != '.') return std::nullopt;
  rest.remove_prefix(1);
  const auto second = take_digits(rest, 2);
  if (!second || !take(rest, mark)) return std::nullopt;
  const auto third = take_digits(rest, 4);
  if (!third) return std::nullopt;
  std::optional<double> days;
  if (*first > 31)
    days = days_since_1970(*first, *second, *third);
  else if (mark == '/' && *first <= 12)
    days = days_since_1970(*third < 100 ? *third + 2000 : *third, *first, *second);
  else
    days = days_since_1970(*third < 100 ? *third + 2000 : *third, *second, *first);
  if (days) text = rest;
  return days;
}

std::optional<double> take_fraction(std::string_view& text) {
  double scale = 0.1, value = 0.0;
  std::size_t n = 0;
  for (; n < text.size() && text[n] >= '0' && text[n] <= '9'; ++n, scale *= 0.1)
    value += scale * (text[n] - '0');
  if (n == 0) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

std::optional<double> take_time_of_day(std::string_view& text) {
  const auto first = take_digits(text, 4);
  if (!first || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  double time = *first * 60.0 + *second;  // minutes and seconds
  if (take(text, ':')) {
    const auto third = take_digits(text, 2);
    if (!third || *third > 60 || *first > 24) return std::nullopt;
    time = time * 60.0 + *third;
  } else if (!text.starts_with('.') && !text.starts_with(',')) {
    time *= 60.0;  // hours and minutes
  }
  if (text.starts_with('.') || text.starts_with(',') || text.starts_with(':')) {
    text.remove_prefix(1);
    const auto fraction = take_fraction(text);
    if (!fraction) return std::nullopt;
    time += *fraction;
  }
  std::string_view half = text;
  while (take(half, ' ')) {
  }
  if (half == "PM" || half == "pm") {
    if (time < kDay / 2) time += kDay / 2;
    text = {};
  } else if (half == "AM" || half == "am") {
    if (time >= kDay / 2) time -= kDay / 2;
    text = {};
  }
  return time;
}

// "Z", "+02:00", "+0200", " UTC".
std::optional<double> take_zone(std::string_view& text) {
  while (take(text, ' ')) {
  }
  if (text.empty()) return 0.0;
  if (text == "Z" || text == "UTC" || text == "GMT") {
    text = {};
    return 0.0;
  }
  const double sign = text.front() == '-' ? -1.0 : 1.0;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  std::string_view hours = text.substr(0, 2);
  const auto h = take_digits(hours, 2);
  if (!h) return std::nullopt;
  text.remove_prefix(std::min<std::size_t>(2, text.size()));
  take(text, ':');
  const auto m = take_digits(text, 2);
  return sign * (*h * 3600.0 + m.value_or(0) * 60.0);
}

// Rows of one stamp go evenly up to the next one. The first and the last stamp may have lost rows at the
// ends of the log: theirs are as far apart as others'.
std::size_t spread_evenly(std::vector<double>& t_s) {
  const double step = usual_step(t_s);
  if (step <= 0.0) return 0;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < t_s.size(); ++i)
    if (i == 0 || t_s[i] != t_s[i - 1]) begins.push_back(i);
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) sizes.push_back(begins[k + 1] - begins[k]);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const std::size_t usual = *middle;
  std::size_t shared = 0;
  begins.push_back(t_s.size());
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const std::size_t from = begins[k], n = begins[k + 1] - from;
    if (n == 1) continue;
    shared += n;
    const bool last = k + 2 == begins.size();
    const double stamp = t_s[from];
    const double span = last ? step : t_s[begins[k + 1]] - stamp;
    const bool cut = k == 0 && n < usual;
    const double each = (k == 0 || last) && n < usual ? span / static_cast<double>(usual)
                                                      : span / static_cast<double>(n);
    const double start = cut ? stamp + span - each * static_cast<double>(n) : stamp;
    for (std::size_t j = 0; j < n; ++j) t_s[from + j] = start + each * static_cast<double>(j);
  }
  return shared;
}

}  // namespace

double usual_step(std::span<const double> t_s) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < t_s.size(); ++i)
    if (t_s[i] > t_s[i - 1]) steps.push_back(t_s[i] - t_s[i - 1]);
  if (steps.empty()) return 0.0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

std::optional<double> clock_time(std::string_view field) {
  const auto days = take_date(field);
  if (days) {
    if (field.empty()) return *days * kDay;
    if (!take(field, 'T') && !take(field, ' ')) return std::nullopt;
    while (take(field, ' ')) {
    }
  }
  const auto time = take_time_of_day(field);
  if (!time) return std::nullopt;
  const auto zone = take_zone(field);
  if (!zone || !field.empty()) return std::nullopt;
  return days.value_or(0.0) * kDay + *time - *zone;
}

std::optional<double> epoch_unit(double first, double last) {
  for (const double unit : {1.0, 1e-3, 1e-6, 1e-9}) {
    constexpr double kSince = 6.3e8, kUntil = 4.1e9;  // 1990 to 2100
    if (first * unit >= kSince && last * unit >= first * unit && last * unit < kUntil) return unit;
  }
  return std::nullopt;
}

std::optional<std::size_t> mend_times(std::vector<double>& t_s, bool clocks, bool spread,
                                      std::vector<std::string>& notes) {
  if (clocks && !t_s.empty() && t_s.front() < 2 * kDay) {
    double days = 0.0, before = t_s.front();
    for (double& t : t_s) {
      if (t + days < before - kDay / 2) days += kDay;
      t += days;
      before = t;
    }
    if (days > 0.0) notes.emplace_back("the log goes on after midnight");
  }
  const bool equal = std::adjacent_find(t_s.begin(), t_s.end()) != t_s.end();
  if (equal && spread)
    if (const std::size_t shared = spread_evenly(t_s); shared > 0)
      notes.push_back(
          fmt::format("{} of {} rows have a time that another row has as well; they are spread "
                      "evenly up to the next time",
                      shared, t_s.size()));
  for (std::size_t i = 0; i < t_s.size(); ++i)
    if (!std::isfinite(t_s[i]) || (i > 0 && t_s[i] <= t_s[i - 1])) return i;
  return std::nullopt;
}

}  // namespace knuckleboom::io
