// Texts of a running emulation: a block of live values, a line of them, events, the summary. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/emulation/live_thread.hpp"

namespace knuckleboom::app {

// Data of a run for the texts below.
struct LiveContext {
  const emulation::HilBench& bench;
  std::string title;
  bool has_udp = false, has_can = false, paced = true;
  std::vector<double> tuned;  // at the start, by tunable
};

// Lines for a wide terminal.
std::vector<std::string> live_block(const LiveContext& context, const PublishedBench& now);
// The most important values, in one line.
std::string live_line(const LiveContext& context, const PublishedBench& now);
std::string event_sentence(const LiveContext& context, const LiveNotice& notice);
// "name 0.001 m, network" of each.
std::string shown_values(const LiveContext& context, const emulation::HilState& state,
                         const std::vector<int>& signals);
std::string signal_list(const LiveContext& context, const emulation::HilState& state);
std::string tunable_list(const LiveContext& context, const emulation::HilState& state);
// All signals: name, value, unit, source, stale, tick.
std::string snapshot_text(const LiveContext& context, const emulation::HilState& state);
// At the end: one message per line.
std::string live_summary(const LiveContext& context, const PublishedBench& end);

}  // namespace knuckleboom::app
