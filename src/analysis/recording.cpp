#include "knuckleboom/analysis/recording.hpp"

#include <algorithm>
#include <stdexcept>

namespace knuckleboom::analysis {

Recording::Recording(const machine::MachineModel& model, std::size_t expected_rows)
    : channels_(sim::all_channels(model)) {
  columns_.resize(channels_.size());
  for (std::vector<double>& column : columns_) column.reserve(expected_rows);
}

void Recording::add(const sim::Snapshot& snapshot) {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    columns_[i].push_back(channels_[i].value(snapshot));
}

const std::vector<double>& Recording::column(std::string_view name) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i].name == name) return columns_[i];
  throw std::out_of_range("no channel is called '" + std::string(name) + "'");
}

io::Trace Recording::to_trace(const std::string& title) const {
  io::Trace trace;
  for (const sim::Channel& channel : channels_) trace.columns.push_back(channel.name);
  trace.data = columns_;
  trace.file = title;
  return trace;
}

std::int64_t recording_stride(std::int64_t ticks, std::int64_t limit) {
  return std::max<std::int64_t>(1, (ticks + limit - 1) / limit);
}

}  // namespace knuckleboom::analysis
