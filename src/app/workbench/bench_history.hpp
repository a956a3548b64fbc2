// The channels of a workbench over time, for curves and traces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/sim/channels.hpp"

namespace knuckleboom::app {

class BenchHistory {
 public:
  // Channels of the machine; rows of one with other channels are dropped.
  void follow(const machine::MachineModel& model);
  // A row earlier than the last ones, after a rewind, replaces those.
  void add(const sim::Snapshot& snapshot);

  const std::vector<sim::Channel>& channels() const { return channels_; }
  int find(std::string_view channel) const;  // -1: there is none
  std::size_t rows() const { return columns_.empty() ? 0 : columns_.front().size(); }
  const std::vector<double>& column(int channel) const {
    return columns_[static_cast<std::size_t>(channel)];
  }
  const std::vector<double>& time() const { return columns_.front(); }
  bool lost() const { return lost_; }  // its first rows, since there were too many

 private:
  std::vector<sim::Channel> channels_;
  std::vector<std::vector<double>> columns_;
  bool lost_ = false;
};

}  // namespace knuckleboom::app
