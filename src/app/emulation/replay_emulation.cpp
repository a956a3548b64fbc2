#include "app/emulation/replay_emulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/emulation/hil_texts.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::int64_t kInterruptTicks = 512;

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<12} {}\n", name, text);
}

std::string at(const runtime::EmulationReplayer& replayer, std::int64_t tick) {
  return fmt::format("tick {} ({:.3f} s)", tick,
                     static_cast<double>(tick) * replayer.bench().tick_s());
}

// First difference from the recording; empty: none.
std::string difference(const runtime::EmulationReplayer& replayer) {
  if (replayer.first_difference() >= 0)
    return fmt::format(
        "the replay differs from the recording at {}{}", at(replayer, replayer.first_difference()),
        replayer.equal_up_to() >= 0 ? fmt::format(", equal up to tick {}", replayer.equal_up_to())
                                    : "");
  if (!replayer.end_is_equal()) return "the last state is not the one that was recorded";
  return "";
}

}  // namespace

std::string description_of(const runtime::EmulationReplayer& replayer) {
  const io::EmulationRecording& recording = replayer.recording();
  const io::EmulationRecordingHeader& header = recording.header;
  const emulation::EmulationPlan& plan = replayer.bench().emulation().plan();
  std::string text =
      fmt::format("{}: {} by {}\n", plan.name, plan.emulated.model.name, plan.host.model.name);
  text += line("recording", header.id);
  text += line("recorded", printable(header.start_utc + " by " + header.program));
  text +=
      line("length",
           fmt::format("{} ticks, {:.3f} s{}", recording.end.end_tick,
                       static_cast<double>(recording.end.end_tick) * header.tick_s,
                       recording.end.reason.empty() ? "" : "; " + printable(recording.end.reason)));
  text += line("holds", fmt::format("{}, {} with something from outside",
                                    counted(static_cast<long long>(recording.commands.size()),
                                            "command", "commands"),
                                    counted(recording.frames, "tick", "ticks")));
  return text;
}

int replay_emulation(runtime::EmulationReplayer& replayer, const AfterTick& after_tick) {
  say(description_of(replayer));
  for (const std::string& remark : replayer.remarks()) complain(remark);
  const auto start = std::chrono::steady_clock::now();
  bool stopped = false;
  while (!stopped && replayer.step()) {
    if (after_tick) after_tick(replayer.state());
    stopped = replayer.state().tick % kInterruptTicks == 0 && interrupted();
  }
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string differs = difference(replayer);
  if (differs.empty() && replayer.refused() > 0)
    differs = fmt::format("{} recorded as taken {} refused by the bench",
                          counted(replayer.refused(), "command that is", "commands that are"),
                          replayer.refused() == 1 ? "is" : "are");
  if (!differs.empty()) complain(differs);
  say(line("ended", emulation::sentence(replayer.bench(), replayer.state())));
  say(line("hashes", fmt::format("{} of {} equal", replayer.hashes_equal(),
                                 stopped ? static_cast<std::size_t>(replayer.hashes_compared())
                                         : replayer.recording().hashes.size())));
  say(line("state", fmt::format("{:016x}", state::hash(replayer.state()))));
  say(line("speed", fmt::format("{:.0f} x real time, {:.2f} s",
                                replayer.bench().time(replayer.state()) / std::max(elapsed, 1e-9),
                                elapsed)));
  if (stopped) {
    complain("stopped before the end");
    return kInterruptedRun;
  }
  return differs.empty() ? kSuccess : kBeyondTolerance;
}

}  // namespace knuckleboom::app
