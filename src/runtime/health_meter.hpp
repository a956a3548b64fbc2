// Gathers the timing of a thread. No heap, and cheap enough for every tick.
#pragma once

#include <algorithm>
#include <cstdint>

#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::runtime {

struct MeanAndMax {
  std::int64_t count = 0, sum_ns = 0, max_ns = 0;

  void add(std::int64_t ns) {
    ++count;
    sum_ns += ns;
    max_ns = std::max(max_ns, ns);
  }
  double mean_us() const {
    return count == 0 ? 0.0 : static_cast<double>(sum_ns) * 1e-3 / static_cast<double>(count);
  }
  double max_us() const { return static_cast<double>(max_ns) * 1e-3; }
};

struct HealthMeter {
  TickTimes lateness;
  MeanAndMax tick, publication, input;

  void fill(const Pacer& pacer, std::int64_t recording_lost, ThreadHealth& health) const {
    health.ticks = tick.count;
    health.overruns = pacer.overruns();
    health.lost_s = pacer.lost_s();
    health.tick_mean_us = tick.mean_us();
    health.tick_max_us = tick.max_us();
    health.publish_mean_us = publication.mean_us();
    health.inputs = input.count;
    health.input_mean_us = input.mean_us();
    health.input_max_us = input.max_us();
    health.recording_lost = recording_lost;
  }
};

}  // namespace knuckleboom::runtime
