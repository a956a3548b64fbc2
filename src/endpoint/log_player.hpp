// Plays signals from a log, as if received from outside: the newest row at or before each time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::endpoint {

class LogPlayer {
 public:
  // Columns by the signals' `column` or name, numbers as they are; a signal without a column is
  // never fresh. Throws FileError: a requested column is missing, times do not increase, no signal
  // at all.
  LogPlayer(const io::Trace& log, std::span<const io::OutsideSignal> signals);

  // Time since the log's first row; must not decrease without rewind(). Rows since the last call
  // are fresh, except missing numbers; after the last row nothing is fresh.
  void play(double t_s, exchange::SignalFrame& frame);
  void rewind() { next_ = 0; }
  double duration_s() const { return times_.empty() ? 0.0 : times_.back(); }

 private:
  std::vector<double> times_;                // from 0
  std::vector<std::vector<double>> values_;  // by signal; empty: no column
  std::size_t next_ = 0;
};

}  // namespace knuckleboom::endpoint
