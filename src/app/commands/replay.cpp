// The sub-command replay: a recorded session, run again and compared with what was recorded.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/commands/stage.hpp"
#include "app/replay/replay_texts.hpp"
#include "app/replay/replay_window.hpp"
#include "app/session/filing.hpp"
#include "app/session/names.hpp"
#include "app/session/open_session.hpp"
#include "app/session/trust.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "app/window/display.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "view/window.hpp"

namespace knuckleboom::app {
namespace {

struct ReplayOptions {
  std::string file;
  bool headless = false, paused = false, recompute = false;
  double from_s = 0.0, speed = 1.0;
  std::string loop;                // "12-15.5" [s]
  std::vector<std::string> plots;  // names of channels
  std::string video;               // file
  DriveOptions picture;            // of it only what concerns window and picture
};

namespace fs = std::filesystem;

constexpr std::int64_t kInterruptTicks = 4096;
constexpr std::size_t kMismatchesSaid = 10;
constexpr int kSeeks = 50;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// How long it takes to show any instant, measured at some of them; the hashes on the way are compared.
std::string seek_times(runtime::Replayer& replayer) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> instant(replayer.first_tick(), replayer.end_tick());
  double sum = 0.0, worst = 0.0;
  for (int i = 0; i < kSeeks; ++i) {
    const auto start = std::chrono::steady_clock::now();
    replayer.seek(instant(random));
    const double elapsed = seconds_since(start);
    sum += elapsed;
    worst = std::max(worst, elapsed);
  }
  return fmt::format("mean {:.1f} ms, longest {:.1f} ms, {} instants", 1e3 * sum / kSeeks,
                     1e3 * worst, kSeeks);
}

// Results, figures, events and channels as its inputs give them, and who signed it. False: not believed.
bool say_trust(const io::SessionRecord& record) {
  try {
    const Examined examined = examine(record, Check::kCompute);
    say(replay_line("attempts, events", examined.as_computed ? "as computed here" : "claims"));
    say(replay_line("trust", trust_text(examined.trust)));
    return true;
  } catch (const io::FileError& error) {
    complain(error.what());
    return false;
  }
}

int check(runtime::Replayer& replayer, bool recomputed) {
  const std::size_t said = replayer.remarks().size();
  const auto start = std::chrono::steady_clock::now();
  while (replayer.step())
    if (replayer.tick() % kInterruptTicks == 0 && interrupted()) break;
  const double elapsed = seconds_since(start);
  const bool end_equal = replayer.end_is_equal();
  const std::int64_t equal = replayer.hashes_equal();
  const double simulated =
      static_cast<double>(replayer.tick() - replayer.first_tick()) * replayer.record().tick_s();
  const std::string state = io::state_hash(replayer.state());
  const std::vector<std::string> warnings =
      watch_sentences(replayer.session().machine(), replayer.state().sim.machine.watch);
  const std::int64_t refused = interrupted() ? 0 : replayer.check_states();
  const std::string seeks = interrupted() ? std::string() : seek_times(replayer);

  for (std::size_t i = 0; i < replayer.remarks().size() - said && i < kMismatchesSaid; ++i)
    complain(replayer.remarks()[said + i]);
  for (std::size_t i = 0; i < replayer.mismatches().size() && i < kMismatchesSaid; ++i)
    complain(mismatch_sentence(replayer, replayer.mismatches()[i]));
  if (replayer.mismatch_count() > static_cast<std::int64_t>(kMismatchesSaid))
    complain(fmt::format("... and {} more stretches",
                         replayer.mismatch_count() - static_cast<std::int64_t>(kMismatchesSaid)));
  if (!end_equal) complain("the last state is not the one that was recorded");
  const bool believed = recomputed || interrupted() || say_trust(replayer.record());

  const std::size_t hashes = replayer.record().hashes.size();
  say(replay_line("hashes", interrupted() ? fmt::format("{} equal so far, of {}", equal, hashes)
                                          : fmt::format("{} of {} equal", equal, hashes)));
  say(replay_line("state", state));
  say(replay_line("speed", fmt::format("{:.0f} x real time, {:.2f} s",
                                       simulated / std::max(elapsed, 1e-9), elapsed)));
  if (!seeks.empty()) say(replay_line("seek", seeks));
  for (const std::string& warning : warnings) say("warning: " + warning + "\n");
  if (interrupted()) {
    complain(fmt::format("stopped at {:.1f} s, before the end", simulated));
    return kInterruptedRun;
  }
  return replayer.mismatch_count() > 0 || !end_equal || refused > 0 || !believed ? kBeyondTolerance
                                                                                 : kSuccess;
}

void read_section(const std::string& text, ReplayShow& show) {
  const std::size_t dash = text.find('-', 1);
  if (dash == std::string::npos)
    throw UserError(fmt::format("--loop {}: say from where to where, such as 12-15.5", text));
  show.loop_begin_s = parse_number(text.substr(0, dash), "--loop");
  show.loop_end_s = parse_number(text.substr(dash + 1), "--loop");
  if (show.loop_begin_s < 0.0 || show.loop_end_s <= show.loop_begin_s)
    throw UserError(fmt::format("--loop {}: its end must come after its begin", text));
}

int show(const ReplayOptions& options, DriveRequest request, io::SessionRecord record) {
  ReplayShow show;
  show.record = std::move(record);
  show.from_s = options.from_s;
  show.speed = options.speed;
  show.paused = options.paused;
  show.plots = options.plots;
  show.video = options.video;
  // It ends by itself, without anybody who watches.
  if (!show.video.empty() && !request.ends()) request.duration_s = kLongestTime;
  if (!options.loop.empty()) read_section(options.loop, show);
  try {
    return run_stage(std::move(request), std::move(show));
  } catch (const view::WindowError& error) {
    throw RunFailure(error.what());
  }
}

int replay(const ReplayOptions& options) {
  if (options.file.ends_with(io::kEmulationRecordingSuffix))
    throw UserError(fmt::format(
        "{} is a recording of an emulation; 'knuckleboom emulate --replay {}' runs it again",
        options.file, options.file));
  conceal_learners();
  DriveRequest request = request_of(options.picture);
  if (!request.learner.empty()) {  // whose the take-over is
    WhoDrives who = who_drives(request.learner);
    if (!who.fault.empty()) complain(who.fault);
    request.learner = std::move(who.name);
    request.learner_id = std::move(who.key);
    request.choice.settings = std::move(who.settings);
  }
  const InterruptGuard guard;
  io::SessionRecord record = open_session(options.file, options.recompute);
  if (options.headless && !options.video.empty())
    throw UserError("--video needs rendering; leave out --headless");
  if (!options.headless && !request.ends() && options.video.empty() && !somebody_watches())
    complain(
        "there is no display, so the session is only checked; with --frames, --duration or "
        "--screenshot pictures are drawn all the same");
  else if (!options.headless)
    return show(options, std::move(request), std::move(record));
  runtime::Replayer replayer(std::move(record));
  say(replay_description(replayer));
  for (const std::string& remark : replayer.remarks()) complain(remark);
  if (replayer.source() == runtime::Replayer::Source::kChannels) {
    complain("nothing could be compared");
    return kBeyondTolerance;
  }
  return check(replayer, options.recompute);
}

}  // namespace

Command replay_command() {
  const auto o = std::make_shared<ReplayOptions>();
  return {
      .name = "replay",
      .sentence = "Run a recorded session again: watch it, compare it, take over",
      .arguments = joined(
          {{{.name = "file",
             .target = &o->file,
             .kind = session_value(),
             .sentence =
                 "Session file, or its name in the user's folder of sessions; an interrupted "
                 "recording is completed first",
             .required = true},
            headless_option(o->headless),
            {.name = "--recompute",
             .target = &o->recompute,
             .sentence =
                 "Compute the session again from its inputs first, whatever program recorded it"},
            {.name = "--from",
             .target = &o->from_s,
             .kind = {"T"},
             .sentence = "Begin at this instant of the session [s]",
             .range = Range{0.0, kLongestTime}},
            {.name = "--speed",
             .target = &o->speed,
             .kind = {"X"},
             .sentence = "Speed, 0.1 to 10 times real time",
             .range = Range{0.1, 10.0}},
            {.name = "--paused", .target = &o->paused, .sentence = "Begin paused"},
            {"--loop", &o->loop, {"A-B"}, "Repeat this section, such as 12-15.5 [s]"},
            {"--plot",
             &o->plots,
             {"CHANNEL"},
             "Show this channel as a curve over the timeline, up to four"}},
           {{.name = "--video",
             .target = &o->video,
             .kind = file_value("FILE.mp4", ".mp4"),
             .sentence = "Make a video, from --from to the end, by the program ffmpeg"}},
           window_options(o->picture),
           recording_options(o->picture),
           {{.name = "--at",
             .target = &o->picture.at_s,
             .kind = {"T"},
             .sentence = "Time of the screenshot, from the start of the program [s]",
             .range = Range{0.0, kLongestTime}}}}),
      .examples = {"knuckleboom replay drive.h5",
                   "knuckleboom replay drive.h5 --from 42 --speed 0.2 --plot boom_port_a_Pa",
                   "knuckleboom replay drive.h5 --headless",
                   "knuckleboom replay drive.h5 --video drive.mp4 --instruments off",
                   "knuckleboom replay 2026-11-28T06-40-12_reach_1f2e3d4c --headless"},
      .run = [o] { return replay(*o); }};
}

}  // namespace knuckleboom::app
