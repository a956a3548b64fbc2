// Text and numbers of the report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::report {

// Safe as text and within the double quotes of an attribute, in HTML and in XML. Invalid UTF-8 and
// characters that neither allows become U+FFFD, as do those that change the writing direction.
std::string escaped(std::string_view text);

// A few significant digits: "12.3 m", "45.6 bar", "1:23 min", "-" for non-finite values. passes:
// seconds are elapsed time, and long ones are given in minutes.
std::string quantity(double value, std::string_view unit, bool passes = true);
// "0:07.5", "1:23.0", "-0:02.0".
std::string clock_text(double seconds);
// "2026-11-28 06:40 UTC"; other forms are unchanged.
std::string date_text(std::string_view utc);

// Round numbers from low to high, at most `most` (at least 2) of them.
std::vector<double> ticks(double low, double high, int most);
// The same in steps that clocks have: 1, 2, 5, 10, 15, 30 s, 1, 2, 5 min, ...
std::vector<double> time_ticks(double low, double high, int most);
// Labels of ticks, with only as many digits as distinguish them.
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

}  // namespace knuckleboom::report
