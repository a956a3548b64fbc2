// Times of other people's tables: dates, times of day, stamps since 1970, stamps too coarse to tell rows
// apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::io {

// "2026-05-01 12:00:00.25", "01.05.2026 12:00:00,25", "5/1/2026 0:00:00 PM", "12:00:00.25", "2:03.5" in
// seconds, since 1970 where there is a date, else since midnight or the start. Nothing: it is none.
std::optional<double> clock_time(std::string_view field);

// Times of day go on after midnight; times that do not tell rows apart are spread evenly (if `spread`).
// Returns the first row that then does not increase; adds what was done to the notes.
std::optional<std::size_t> mend_times(std::vector<double>& t_s, bool clocks, bool spread,
                                      std::vector<std::string>& notes);

// The unit in which times look like stamps since 1970: 1, 1e-3, 1e-6 or 1e-9 s; nothing: in none.
std::optional<double> epoch_unit(double first, double last);

}  // namespace knuckleboom::io
