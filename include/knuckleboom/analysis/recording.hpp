// The channels of a run in memory, for plots and comparisons.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::analysis {

class Recording {
 public:
  explicit Recording(const machine::MachineModel& model, std::size_t expected_rows = 0);

  void add(const sim::Snapshot& snapshot);

  std::size_t rows() const { return columns_.front().size(); }
  const std::vector<sim::Channel>& channels() const { return channels_; }
  // By channel, in their order.
  const std::vector<double>& column(std::size_t channel) const { return columns_[channel]; }
  // By name. Throws std::out_of_range for an unknown name.
  const std::vector<double>& column(std::string_view name) const;
  const std::vector<double>& time() const { return columns_.front(); }

  // Converted to a trace, as read from a file.
  io::Trace to_trace(const std::string& title) const;

 private:
  std::vector<sim::Channel> channels_;
  std::vector<std::vector<double>> columns_;
};

// Ticks between the rows of a recording: as dense as possible with at most `limit` rows.
std::int64_t recording_stride(std::int64_t ticks, std::int64_t limit);

}  // namespace knuckleboom::analysis
