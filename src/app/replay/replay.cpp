#include "app/replay/replay.hpp"

#include <chrono>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/config_paths.hpp"
#include "app/console.hpp"
#include "app/exit_status.hpp"
#include "app/interrupt.hpp"
#include "knuckleboom/io/session_journal.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/runtime/replayer.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kInterruptTicks = 4096;
constexpr std::size_t kMismatchesSaid = 10;

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<20} {}\n", name, text);
}

std::string where(const runtime::Replayer& replayer, std::int64_t tick) {
  return fmt::format(
      "tick {} ({:.3f} s)", tick,
      static_cast<double>(tick - replayer.first_tick()) * replayer.record().tick_s());
}

std::string sentence(const runtime::Replayer& replayer, const runtime::ReplayMismatch& m) {
  std::string text =
      fmt::format("the replay differs from the recording at {}", where(replayer, m.tick));
  if (m.equal_tick >= 0) text += fmt::format(", equal up to tick {}", m.equal_tick);
  if (!m.channel.empty())
    text +=
        fmt::format("; channel {} at tick {}: recorded {:.9g}, computed {:.9g}, {:.3g}{}{} apart",
                    m.channel, m.channel_tick, m.recorded, m.computed,
                    std::abs(m.computed - m.recorded), m.unit.empty() ? "" : " ", m.unit);
  if (m.resumed_tick >= 0)
    text +=
        fmt::format("; it goes on from the stored state at {}", where(replayer, m.resumed_tick));
  return text;
}

std::string description(const runtime::Replayer& replayer) {
  const io::SessionRecord& record = replayer.record();
  const io::SessionHeader& header = record.header;
  const training::Exercise& exercise = replayer.session().exercise();
  std::string text = fmt::format("{} on {}, levers {}, {:g} Hz\n",
                                 exercise.title.empty() ? exercise.name : exercise.title,
                                 replayer.session().machine().name,
                                 replayer.session().control().pattern().name, header.rate_Hz);
  text += line("session", header.id);
  text += line("recorded", header.start_utc + " by " + header.program);
  if (!header.learner.empty()) text += line("learner", header.learner);
  if (!header.parent_id.empty())
    text +=
        line("taken over from", fmt::format("{} at tick {}", header.parent_id, header.parent_tick));
  text += line("length", fmt::format("{} ticks, {:.3f} s", record.end.end_tick - header.first_tick,
                                     record.duration_s()));
  text += line("recording", fmt::format("{} lever positions and commands, {} events, {} states, "
                                        "{} channels",
                                        record.inputs.size() - 1, record.events.size(),
                                        record.state_ticks.size(), header.channels.size()));
  return text;
}

int check(runtime::Replayer& replayer) {
  const auto start = std::chrono::steady_clock::now();
  while (replayer.step())
    if (replayer.tick() % kInterruptTicks == 0 && interrupted()) break;
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool end_equal = replayer.end_is_equal();

  for (std::size_t i = 0; i < replayer.mismatches().size() && i < kMismatchesSaid; ++i)
    complain(sentence(replayer, replayer.mismatches()[i]));
  if (replayer.mismatch_count() > static_cast<std::int64_t>(kMismatchesSaid))
    complain(fmt::format("... and {} more stretches",
                         replayer.mismatch_count() - static_cast<std::int64_t>(kMismatchesSaid)));
  if (!end_equal) complain("the last state is not the one that was recorded");

  const double simulated =
      static_cast<double>(replayer.tick() - replayer.first_tick()) * replayer.record().tick_s();
  say(line("hashes", fmt::format("{} of {} equal", replayer.hashes_equal(),
                                 replayer.record().hashes.size())));
  say(line("state", io::state_hash(replayer.state())));
  say(line("speed", fmt::format("{:.0f} x real time, {:.2f} s", simulated / std::max(elapsed, 1e-9),
                                elapsed)));
  if (interrupted()) {
    complain("stopped before the end");
    return kInterruptedRun;
  }
  return replayer.mismatch_count() > 0 || !end_equal ? kBeyondTolerance : kSuccess;
}

}  // namespace

fs::path find_session(const std::string& name_or_file) {
  std::error_code ignored;
  fs::path path = name_or_file;
  const fs::path folder = user_session_folder();
  if (name_or_file.find('/') == std::string::npos && !fs::exists(path, ignored) &&
      !folder.empty()) {
    for (const char* suffix : {"", io::kSessionSuffix}) {
      const fs::path in_folder = folder / (name_or_file + suffix);
      fs::path journal = in_folder;
      journal += io::kJournalSuffix;
      if (!fs::is_regular_file(in_folder, ignored) && !fs::is_regular_file(journal, ignored))
        continue;
      path = in_folder;
      break;
    }
  }
  fs::path journal = path;
  if (path.extension() != io::kJournalSuffix) journal += io::kJournalSuffix;
  if ((fs::exists(path, ignored) && journal != path) || !fs::exists(journal, ignored)) return path;
  try {
    path = io::recover_session(journal);
    complain(
        fmt::format("{} was cut off; what it holds is now in {}", journal.string(), path.string()));
    return path;
  } catch (const io::FileError& error) {
    // Still being recorded, or no room: it can be read all the same.
    complain(error.what());
    return journal;
  }
}

int replay(const ReplayOptions& options) {
  const InterruptGuard guard;
  if (!options.headless)
    throw UserError("replay shows no picture yet; --headless checks the session");
  runtime::Replayer replayer(io::read_session(find_session(options.file)));
  say(description(replayer));
  for (const std::string& remark : replayer.remarks()) complain(remark);
  if (replayer.source() == runtime::Replayer::Source::kChannels) {
    complain("nothing could be compared");
    return kBeyondTolerance;
  }
  return check(replayer);
}

}  // namespace knuckleboom::app
