// What a running emulation says to people: a block of live values, a line of them, events, the summary. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/emulation/live_loop.hpp"

namespace knuckleboom::app {

// Of a run, for the words below.
struct LiveContext {
  const emulation::HardwareLoop& loop;
  std::string title;
  bool has_udp = false, has_can = false, paced = true;
  std::vector<double> tuned;  // at the start, by tunable
};

// Lines, about as wide as the widest terminal needs them.
std::vector<std::string> live_block(const LiveContext& context, const PublishedLoop& now);
// The most of it, in one line.
std::string live_line(const LiveContext& context, const PublishedLoop& now);
std::string event_sentence(const LiveContext& context, const LiveNotice& notice);
// "name 0.001 m, network" of each.
std::string shown_values(const LiveContext& context, const emulation::LoopState& state,
                         const std::vector<int>& signals);
std::string signal_list(const LiveContext& context, const emulation::LoopState& state);
std::string tunable_list(const LiveContext& context, const emulation::LoopState& state);
// All signals: name, value, unit, source, stale, tick.
std::string snapshot_text(const LiveContext& context, const emulation::LoopState& state);
// At the end: one sentence a line.
std::string live_summary(const LiveContext& context, const PublishedLoop& end);

}  // namespace knuckleboom::app
