#include "endpoint/log_player.hpp"

#include <cmath>

#include <fmt/format.h>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::endpoint {
namespace {

std::vector<double> times_of(const io::Trace& log) {
  std::vector<double> times = nth(log.data, log.time_column());
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]))
      throw io::FileError(log.file, fmt::format("the times do not increase in row {}", i + 1));
  const double first = times.empty() ? 0.0 : times.front();
  for (double& t : times) t -= first;
  return times;
}

}  // namespace

LogPlayer::LogPlayer(const io::Trace& log, std::span<const io::OutsideSignal> signals)
    : times_(times_of(log)) {
  bool any = false;
  for (const io::OutsideSignal& signal : signals) {
    const int column = log.find(signal.column.empty() ? signal.rule.name : signal.column);
    if (column < 0 && !signal.column.empty()) log.column(signal.column);  // throws, naming it
    values_.push_back(column < 0 ? std::vector<double>() : nth(log.data, column));
    any = any || column >= 0;
  }
  if (!any) throw io::FileError(log.file, "none of its columns is one of the signals");
}

void LogPlayer::play(double t_s, exchange::SignalFrame& frame) {
  frame.fresh = 0;
  const std::size_t before = next_;
  while (next_ < times_.size() && times_[next_] <= t_s) ++next_;
  for (std::size_t row = before; row < next_; ++row)
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (values_[k].empty() || !std::isfinite(values_[k][row])) continue;
      frame.value[k] = values_[k][row];
      frame.fresh |= std::uint64_t{1} << k;
    }
  frame.sequence = next_;
  if (next_ > 0) frame.stamp_ns = static_cast<std::int64_t>(times_[next_ - 1] * 1e9);
}

}  // namespace knuckleboom::endpoint
