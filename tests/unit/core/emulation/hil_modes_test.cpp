// The modes of a running emulation: the table's ways, and that the bench goes them and no others.
#include "core/emulation/hil_modes.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/hil_run.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr HilMode kModes[] = {HilMode::kReady, HilMode::kRunning, HilMode::kHolding,
                              HilMode::kStopped};

std::vector<HilEvent> all_events() {
  std::vector<HilEvent> out;
  for (int i = 0; i < kHilEvents; ++i) out.push_back(static_cast<HilEvent>(i));
  return out;
}

// From one mode over any ways.
std::set<HilMode> reachable(HilMode from) {
  std::set<HilMode> seen = {from};
  for (std::vector<HilMode> open = {from}; !open.empty();) {
    const HilMode mode = open.back();
    open.pop_back();
    for (const HilEvent event : all_events())
      if (const HilWay& way = way_of(mode, event); way.leads && seen.insert(way.to).second)
        open.push_back(way.to);
  }
  return seen;
}

TEST(HilModes, LeadEverywhereButBackToReady) {
  EXPECT_EQ(reachable(HilMode::kReady).size(), 4U);
  for (const HilMode mode : {HilMode::kRunning, HilMode::kHolding, HilMode::kStopped})
    EXPECT_EQ(reachable(mode), (std::set{HilMode::kRunning, HilMode::kHolding, HilMode::kStopped}));
}

TEST(HilModes, StopFromEverywhereAndGoOnByAResetOnly) {
  for (const HilMode mode : kModes)
    for (const HilEvent event : {HilEvent::kStop, HilEvent::kWatchdog, HilEvent::kNotFinite}) {
      const HilWay& way = way_of(mode, event);
      EXPECT_TRUE(way.leads || mode == HilMode::kStopped);
      EXPECT_TRUE(!way.leads || way.to == HilMode::kStopped);
    }
  for (const HilEvent event : all_events()) {
    const HilWay& way = way_of(HilMode::kStopped, event);
    EXPECT_EQ(way.leads && way.to != HilMode::kStopped, event == HilEvent::kReset);
  }
  EXPECT_EQ(way_of(HilMode::kStopped, HilEvent::kReset).to, HilMode::kHolding);
}

// No fault makes anything move, and what may move is only begun by a command.
TEST(HilModes, RunByACommandOnly) {
  for (const HilMode mode : kModes)
    for (const HilEvent event : all_events()) {
      const HilWay& way = way_of(mode, event);
      EXPECT_TRUE(!way.leads || way.to != HilMode::kRunning || event == HilEvent::kRun);
    }
}

TEST(HilModes, SayWhyACommandIsNotPossible) {
  for (const HilMode mode : kModes)
    for (const HilEvent event : all_events()) {
      const HilWay& way = way_of(mode, event);
      const bool command = event <= HilEvent::kWatchdog;
      EXPECT_EQ(std::string(way.refusal).empty(), way.leads || !command);
    }
}

struct CommandAndEvent {
  HilCommand command;
  HilEvent event;
};
constexpr auto kLate = static_cast<std::int32_t>(HilReason::kLateTick);
constexpr CommandAndEvent kCommands[] = {
    {{HilCommandKind::kRun, 0, 0.0}, HilEvent::kRun},
    {{HilCommandKind::kHold, 0, 0.0}, HilEvent::kHold},
    {{HilCommandKind::kStop, 0, 0.0}, HilEvent::kStop},
    {{HilCommandKind::kReset, 0, 0.0}, HilEvent::kReset},
    {{HilCommandKind::kWatchdog, kLate, 1.0}, HilEvent::kWatchdog}};

// The shortest commands from ready to a mode.
HilState brought_to(const HilBench& bench, HilMode mode) {
  HilState state = bench.initial_state();
  if (mode == HilMode::kRunning || mode == HilMode::kHolding)
    bench.apply({HilCommandKind::kRun, 0, 0.0}, state);
  if (mode == HilMode::kHolding) bench.apply({HilCommandKind::kHold, 0, 0.0}, state);
  if (mode == HilMode::kStopped) bench.apply({HilCommandKind::kStop, 0, 0.0}, state);
  return state;
}

TEST(HilModes, AreWalkedByTheBenchAsTheTableSays) {
  const HilBench bench(test::shipped_emulation("peg_on_plane"));
  for (const HilMode mode : kModes)
    for (const auto& [command, event] : kCommands) {
      HilState state = brought_to(bench, mode);
      ASSERT_EQ(state.mode, mode);
      const std::int64_t changes = state.runs + state.holds + state.stops;
      const HilWay& way = way_of(mode, event);
      EXPECT_STREQ(bench.apply(command, state), way.refusal);
      EXPECT_EQ(state.mode, way.leads ? way.to : mode);
      EXPECT_EQ(state.runs + state.holds + state.stops, changes + (way.leads ? 1 : 0));
    }
}

// A tip error beyond its limit, found in a tick.
TEST(HilModes, AreChangedInATickAsTheTableSays) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.safety.most_tip_error = -1.0;
  const HilBench bench(plan);
  for (const HilMode mode : kModes) {
    HilState state = brought_to(bench, mode);
    bench.step(state, {});
    const HilWay& way = way_of(mode, HilEvent::kLimitExceeded);
    EXPECT_EQ(state.mode, way.leads ? way.to : mode);
    EXPECT_EQ(state.reason == HilReason::kTipError, way.leads);
  }
}

}  // namespace
}  // namespace knuckleboom::emulation
