// Texts of a running emulation: a block of live values, a line of them, events, the summary. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/emulation/live_loop.hpp"

namespace knuckleboom::app {

// Data of a run for the texts below.
struct LiveContext {
  const emulation::HardwareLoop& loop;
  std::string title;
  bool has_udp = false, has_can = false, paced = true;
  std::vector<double> tuned;  // at the start, by tunable
};

// Lines for a wide terminal.
std::vector<std::string> live_block(const LiveContext& context, const PublishedLoop& now);
// The most important values, in one line.
std::string live_line(const LiveContext& context, const PublishedLoop& now);
std::string event_sentence(const LiveContext& context, const LiveNotice& notice);
// "name 0.001 m, network" of each.
std::string shown_values(const LiveContext& context, const emulation::LoopState& state,
                         const std::vector<int>& signals);
std::string signal_list(const LiveContext& context, const emulation::LoopState& state);
std::string tunable_list(const LiveContext& context, const emulation::LoopState& state);
// All signals: name, value, unit, source, stale, tick.
std::string snapshot_text(const LiveContext& context, const emulation::LoopState& state);
// At the end: one message per line.
std::string live_summary(const LiveContext& context, const PublishedLoop& end);

}  // namespace knuckleboom::app
