#include "app/workbench/bench_history.hpp"

#include <algorithm>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kMostHistory = 120'000;  // rows, 20 min at 100 Hz

}  // namespace

void BenchHistory::follow(const machine::MachineModel& model) {
  std::vector<sim::Channel> now = sim::all_channels(model);
  const bool same = std::equal(now.begin(), now.end(), channels_.begin(), channels_.end(),
                               [](const auto& a, const auto& b) { return a.name == b.name; });
  channels_ = std::move(now);
  if (!same) columns_.assign(channels_.size(), {});
}

void BenchHistory::add(const sim::Snapshot& snapshot) {
  // The first channel is the time.
  while (rows() > 0 && time().back() >= snapshot.t_s)
    for (std::vector<double>& column : columns_) column.pop_back();
  if (rows() >= kMostHistory) {
    lost_ = true;
    for (std::vector<double>& column : columns_)
      column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(kMostHistory / 4));
  }
  for (std::size_t i = 0; i < channels_.size(); ++i)
    columns_[i].push_back(channels_[i].value(snapshot));
}

int BenchHistory::find(std::string_view channel) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i].name == channel) return static_cast<int>(i);
  return -1;
}

}  // namespace knuckleboom::app
