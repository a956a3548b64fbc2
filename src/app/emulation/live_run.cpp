#include "app/emulation/live_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/emulation/live_commands.hpp"
#include "app/emulation/live_console.hpp"
#include "app/emulation/live_picture.hpp"
#include "app/emulation/live_texts.hpp"
#include "app/emulation/live_thread.hpp"
#include "app/emulation/load_emulation.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/log.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "app/shell/wire_key.hpp"
#include "app/telemetry/telemetry_server.hpp"
#include "app/window/display.hpp"
#include "app/window/exit_guard.hpp"
#include "app/window/picture.hpp"
#include "knuckleboom/core/emulation/hil_texts.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/table_file.hpp"
#include "knuckleboom/runtime/emulation_recorder.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilBench;
using emulation::HilMode;
using emulation::HilReason;
using Kind = ConsoleCommand::Kind;

constexpr int kPollMs = 20;
constexpr std::int64_t kPicturePeriod = 16'600'000;  // ns
constexpr int kWarmUpPictures = 3;
constexpr std::int64_t kBlockPeriod = 100'000'000;   // ns
constexpr std::int64_t kLinePeriod = 1'000'000'000;  // ns

// Signals logged by default.
const std::vector<std::string> kUsualSignals = {"mode",      "phase",    "tip.?",     "target.?",
                                                "tip_error", "sensor.*", "contact.*", "energy.*"};

void check_options(const LiveOptions& o) {
  if (!o.paced && o.commands.empty())
    throw UserError("--no-pace needs --commands FILE: it is too fast for typing");
  if (!o.paced && o.telemetry.wanted())
    throw UserError("--telemetry shows real time; leave --no-pace out");
  if (!o.paced && o.window)
    throw UserError(
        "--window shows real time; leave --no-pace out, or save the last frame with "
        "--screenshot FILE.png");
  if (o.signals.empty() && !o.played.empty())
    throw UserError("--played needs --signals FILE.toml, which says what comes from the log");
}

// Initial sources that are impossible in this run.
void check_sources(const io::SignalFile& signals, const LiveOptions& o) {
  std::vector<io::Diagnostic> faults;
  for (const io::OutsideSignal& signal : signals.in) {
    const exchange::Source source = signal.rule.source;
    const auto fault = [&](const char* why) {
      faults.push_back(
          {o.signals, signal.line, 0, fmt::format(fmt::runtime(why), signal.rule.name)});
    };
    if (source == exchange::Source::kLog && o.played.empty())
      fault("signal '{}' comes from a log; name one with --played FILE.csv");
    if (source == exchange::Source::kNetwork && !o.paced)
      fault(
          "signal '{}' comes from the network, which --no-pace does without; give it source = "
          "\"simulated\" or \"log\"");
    if (source == exchange::Source::kNetwork && signals.udp.empty() && signals.can.empty())
      fault("signal '{}' comes from the network, but the file names neither udp nor can");
  }
  if (!faults.empty()) throw io::FileError(std::move(faults));
}

struct Loaded {
  LoadedEmulation emulation;
  std::unique_ptr<HilBench> bench;
};

// Files that are read and must not be overwritten.
std::vector<std::string> inputs_of(const LoadedEmulation& emulation, const LiveOptions& o) {
  std::vector<std::string> out = emulation.files;
  for (const std::string* file : {&o.commands, &o.played, &o.dbc})
    if (!file->empty()) out.push_back(*file);
  return out;
}

Loaded load(const EmulateOptions& options) {
  Loaded out;
  const LiveOptions& live = options.live;
  out.emulation = load_emulation(options, live.signals);
  const io::SignalFile& signals = out.emulation.signals;
  if (!live.signals.empty()) {
    check_signals(signals, live.signals, emulation::hil_signals(out.emulation.plan));
    check_sources(signals, live);
  }
  out.bench = std::make_unique<HilBench>(out.emulation.plan, incoming_rules(signals));
  return out;
}

class LiveRun {
 public:
  LiveRun(const EmulateOptions& options, Loaded loaded)
      : options_(options.live),
        loaded_(std::move(loaded)),
        context_{*loaded_.bench, loaded_.emulation.title(), false, false, options_.paced, {}} {
    const HilBench& bench = *loaded_.bench;
    std::vector<TimedCommand> schedule;
    if (!options_.commands.empty())
      for (TimedConsoleCommand& timed : read_commands(bench, options_.commands))
        for (const LiveCommand& command : commands_of(std::move(timed.command)))
          schedule.push_back({timed.tick, command});
    std::optional<io::Trace> played;
    if (!options_.played.empty()) {
      played = io::read_table(options_.played, options_.dbc);
      tell_notes(options_.played, played->notes);
    }
    if (!options_.signals.empty()) {
      const io::SignalFile& signals = loaded_.emulation.signals;
      endpoints_.emplace(signals, bench, played ? &*played : nullptr, options_.paced,
                         options_.paced ? wire_key(options_.key, signals) : endpoint::WireKey{});
    }
    context_.has_udp = endpoints_ && endpoints_->has_udp();
    context_.has_can = endpoints_ && endpoints_->has_can();
    if (!options_.log.empty()) log_ = open_signal_log(options_, bench, options_.paced);
    open_recorder(options);
    open_feed();
    live_.emplace(bench, endpoints_ ? &*endpoints_ : nullptr, recorder_ ? &*recorder_ : nullptr,
                  log_.get(), std::move(schedule), settings());
    live_->refresh();
    open_picture();
    for (std::size_t i = 0; i < bench.tunables().size(); ++i)
      context_.tuned.push_back(bench.tuned(live_->published().state, static_cast<int>(i)));
  }

  int run() {
    log(LogLevel::kInfo, "live emulation " + context_.title);
    if (options_.paced)
      run_paced();
    else
      while (live_->tick()) {
        take_answers();
        if (picture_) picture_->remember(live_->state());
        if (interrupted()) break;
      }
    live_->stop();
    take_answers();
    keep_last_picture();
    return finish();
  }

 private:
  LiveSettings settings() const {
    LiveSettings out;
    if (options_.duration_s)
      out.end_tick = std::llround(*options_.duration_s / loaded_.bench->tick_s());
    out.end_when_over = !options_.paced && !options_.duration_s;
    out.feed = feed_.get();
    return out;
  }

  // From the initial state of the run.
  void open_recorder(const EmulateOptions& options) {
    if (options.live.record.empty()) return;
    recorder_.emplace(
        io::EmulationRecordingWriter(
            options.live.record,
            io::emulation_recording_header(loaded_.emulation.texts, *loaded_.bench)),
        loaded_.bench->initial_state(),
        runtime::EmulationRecorderSettings{io::kEmulationHashTicks, options.live.paced});
  }

  // All signals, for the telemetry server.
  void open_feed() {
    telemetry_ = open_telemetry(options_.telemetry);
    if (!telemetry_) return;
    const HilBench& bench = *loaded_.bench;
    feed_ = std::make_shared<BenchFeed>(
        bench.tick_s(), [](const emulation::HilState& from, emulation::HilState& to) { to = from; },
        [&bench](const emulation::HilState& state, std::vector<double>& row) {
          for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = bench.value(state, static_cast<int>(i));
        });
    std::vector<io::ChannelInfo> infos;
    for (const emulation::HilSignal& one : bench.signals())
      infos.push_back({one.name, one.unit, one.description});
    telemetry_->show(infos, feed_);
  }

  void run_paced() {
    console_.emplace(
        [this](const std::string& line) { return completions_of(*loaded_.bench, line); });
    if (console_->at_terminal()) event("space stops it; 'help' lists the commands, Ctrl-C quits");
    runtime::Clock& clock = runtime::monotonic_clock();
    std::int64_t shown_ns = 0;
    // Xlib ends the program when its display is lost.
    const ExitGuard guard([this] {
      complain("the display went away");
      live_->stop();
      console_.reset();
      static_cast<void>(picture_.release());  // its library must not be called any more
      finish();
    });
    // The first frames take long, and buttons would not respond.
    for (int i = 0; options_.window && picture_ && i < kWarmUpPictures; ++i) show();
    live_->start();
    while (!live_->over() && !interrupted() && !reader_went_away()) {
      live_->beat();
      const std::int64_t begun = clock.now_ns();
      if (options_.window && picture_ && !show()) break;
      const std::int64_t rest = begun + kPicturePeriod - clock.now_ns();
      obey(console_->read(options_.window
                              ? static_cast<int>(std::max<std::int64_t>(0, rest / 1'000'000))
                              : kPollMs));
      live_->refresh();
      take_answers();
      tell_faults();
      const std::int64_t now = clock.now_ns();
      const std::int64_t period = console_->at_terminal() ? kBlockPeriod : kLinePeriod;
      if (now - shown_ns < period) continue;
      shown_ns = now;
      if (console_->at_terminal())
        console_->show(live_block(context_, live_->published()));
      else
        console_->say(live_line(context_, live_->published()) + "\n");
    }
    live_->stop();
    live_->refresh();
    take_answers();
    if (console_->at_terminal()) console_->show({});
    console_.reset();
  }

  void open_picture() {
    LivePictureRequest request;
    request.assets = assets_folder();
    request.offscreen = !options_.window || !somebody_watches();
    if (options_.window && request.offscreen && options_.screenshot.empty()) {
      complain(
          "there is no display, so this run has no window; a picture of its end is drawn all the "
          "same with --screenshot FILE.png");
      return;
    }
    if (!options_.window && options_.screenshot.empty()) return;
    try {
      leave_a_processor();
      picture_ = std::make_unique<LivePicture>(*loaded_.bench, request);
      for (const std::string& note : picture_->notes()) complain(note);
    } catch (const view::WindowError& error) {
      if (!options_.screenshot.empty()) throw RunFailure(error.what());
      complain(error.what());
      complain("going on without a window");
    }
  }

  LiveTiming timing(const PublishedBench& now) const {
    LiveTiming out;
    out.paced = options_.paced;
    out.lateness_p99_us = now.health.lateness.p99_us;
    out.lateness_max_us = now.health.lateness.max_us;
    out.overruns = now.health.overruns;
    out.network = context_.has_udp || context_.has_can;
    out.received = now.endpoints.udp.session.arrivals.received + now.endpoints.can.received;
    out.lost = now.endpoints.udp.session.arrivals.lost;
    return out;
  }

  // A frame, and the commands given in it; false: the window was closed.
  bool show() {
    const PublishedBench& now = live_->published();
    const bool open = picture_->frame(now.state, timing(now), newest_event_);
    for (const std::string& command : picture_->commands()) do_command(command);
    return open;
  }

  void keep_last_picture() {
    if (options_.screenshot.empty()) return;
    live_->refresh();
    const PublishedBench& end = live_->published();
    failed_ = !keep_picture(picture_->picture(end.state, timing(end), newest_event_),
                            options_.screenshot) ||
              failed_;
  }

  void obey(const Typed& typed) {
    if (typed.stop) do_command("stop");
    for (const std::string& line : typed.lines) do_command(line);
    if (typed.end) do_command("quit");
  }

  void do_command(const std::string& line) {
    try {
      ConsoleCommand command = parse_command(*loaded_.bench, line);
      if (command.kind == Kind::kHelp) return say_to_user(std::string(command_help()));
      for (const LiveCommand& one : commands_of(std::move(command))) live_->send(one);
    } catch (const UserError& error) {
      say_to_user(fmt::format("{}\n", error.what()));
    }
  }

  // Its requests to the tick thread; the answer returns with its number.
  std::vector<LiveCommand> commands_of(ConsoleCommand command) {
    const auto id = static_cast<std::int32_t>(asked_.size());
    asked_.push_back(std::move(command));
    const ConsoleCommand& asked = asked_.back();
    std::vector<LiveCommand> out;
    switch (asked.kind) {
      case Kind::kBench:
        for (const emulation::HilCommand& one : asked.bench)
          out.push_back({LiveCommand::Kind::kBench, id, one});
        return out;
      case Kind::kLog:
        return {{LiveCommand::Kind::kLog, id, {{}, 0, asked.on ? 1.0 : 0.0}}};
      case Kind::kQuit:
        return {{LiveCommand::Kind::kQuit, id, {}}};
      case Kind::kHelp:
        return {};
      default:
        return {{LiveCommand::Kind::kCopy, id, {}}};
    }
  }

  void take_answers() {
    LiveNotice notice;
    while (live_->take(notice)) {
      std::string text = event_sentence(context_, notice);
      if (notice.kind == LiveNotice::Kind::kRefused && notice.id >= 0)
        text += fmt::format(" ('{}')", asked_[static_cast<std::size_t>(notice.id)].text);
      event(text);
    }
    while (const LiveCopy* const copy = live_->copy()) {
      answer(asked_[static_cast<std::size_t>(copy->id)], copy->state);
      live_->drop_copy();
    }
  }

  void answer(const ConsoleCommand& asked, const emulation::HilState& state) {
    switch (asked.kind) {
      case Kind::kSnapshot:
        return write_snapshot(asked.file, state);
      case Kind::kShow:
        return say_to_user(shown_values(context_, state, asked.signals));
      case Kind::kSignals:
        return say_to_user(signal_list(context_, state));
      case Kind::kTunables:
        return say_to_user(tunable_list(context_, state));
      default:
        return;
    }
  }

  void write_snapshot(const std::string& file, const emulation::HilState& state) {
    try {
      const std::string text = snapshot_text(context_, state);
      std::string path = file;
      if (file.empty()) {
        io::AtomicFile out(fmt::format("snapshot-{}.csv", state.tick));
        out.write(text);
        path = out.close_new().string();
      } else {
        check_distinct({{"--log", options_.log},
                        {"--record", options_.record},
                        {"--screenshot", options_.screenshot},
                        {"snapshot", file}},
                       inputs_of(loaded_.emulation, options_));
        io::write_file(file, text);
      }
      event(fmt::format("{:.3f} s: snapshot in {}", loaded_.bench->time(state), path));
    } catch (const io::FileError& error) {
      event(error.what());
      failed_ = true;
    } catch (const UserError& error) {
      event(error.what());
      failed_ = true;
    }
  }

  void tell_faults() {
    if (recorder_)
      if (const std::string fault = recorder_->take_fault(); !fault.empty()) event(fault);
    if (!log_ || log_fault_told_) return;
    const std::string fault = log_->fault();
    if (fault.empty()) return;
    log_fault_told_ = true;
    event("nothing is logged any more: " + fault);
  }

  void event(const std::string& sentence) {
    newest_event_ = sentence;
    log(LogLevel::kInfo, sentence);
    say_to_user(sentence + "\n");
  }

  void say_to_user(const std::string& text) {
    if (console_)
      console_->say(text);
    else
      say(text);
  }

  // A failed log does not affect the summary or the end of the recording.
  std::string finish_log() {
    try {
      log_->finish();
    } catch (const io::FileError& error) {
      complain(error.what());
      failed_ = true;
      return {};
    }
    return fmt::format("{} logged in {}{}.\n", counted(log_->rows(), "row", "rows"), options_.log,
                       log_->lost() > 0
                           ? fmt::format("; {} were lost as the disk did not keep up", log_->lost())
                           : "");
  }

  int finish() {
    live_->refresh();
    const PublishedBench& end = live_->published();
    std::string text = live_summary(context_, end);
    text += fmt::format("State after it: {:016x}.\n", state::hash(live_->state()));
    if (log_) text += finish_log();
    if (recorder_) {
      const runtime::EmulationRecordingOutcome recording =
          recorder_->finish(live_->state(), emulation::sentence(*loaded_.bench, live_->state()));
      failed_ = failed_ || !recording.fault.empty();
      text +=
          recording.fault.empty()
              ? fmt::format("Recorded in {}; 'knuckleboom emulate --replay {}' runs it again.\n",
                            recording.file.string(), recording.file.string())
              : recording.fault + "\n";
    }
    say_at_end(text);
    if (live_->state().reason == HilReason::kNotFinite) return kNonFinite;
    if (!options_.paced && interrupted()) return kInterruptedRun;
    const bool by_itself =
        live_->state().mode == HilMode::kStopped && live_->state().reason != HilReason::kUser;
    return by_itself ? kBeyondTolerance : failed_ ? kUserMistake : kSuccess;
  }

  const LiveOptions& options_;
  Loaded loaded_;
  LiveContext context_;
  std::vector<ConsoleCommand> asked_;  // by the numbers of their answers
  std::optional<LiveEndpoints> endpoints_;
  std::unique_ptr<SignalLog> log_;
  std::shared_ptr<BenchFeed> feed_;
  std::unique_ptr<TelemetryServer> telemetry_;
  std::optional<runtime::EmulationRecorder> recorder_;
  std::optional<LiveThread> live_;
  std::optional<LiveConsole> console_;
  std::unique_ptr<LivePicture> picture_;
  std::string newest_event_;
  bool log_fault_told_ = false, failed_ = false;
};

}  // namespace

std::unique_ptr<SignalLog> open_signal_log(const LiveOptions& options, const HilBench& bench,
                                           bool own_thread) {
  const emulation::EmulationPlan& plan = bench.emulation().plan();
  io::TraceHeader header;
  header.program = io::this_program();
  header.machine = plan.emulated.model.name;
  header.scenario = plan.name;
  header.fidelity = "full";
  header.tick_s = plan.tick_s;
  header.remarks = {fmt::format("host: {}", plan.host.model.name)};
  SignalLogSettings settings;
  settings.file = options.log;
  settings.signals =
      choose_signals(bench, options.log_signals.empty() ? kUsualSignals : options.log_signals);
  if (settings.signals.size() > kMostLogged)
    throw UserError(fmt::format("--log-signals: these are {} signals; {} can be logged at most",
                                settings.signals.size(), kMostLogged));
  settings.every = options.log_every;
  settings.own_thread = own_thread;
  return std::make_unique<SignalLog>(bench, header, std::move(settings));
}

int run_live(const EmulateOptions& options) {
  check_options(options.live);
  if (!options.live.log.empty()) check_output_path(options.live.log, "--log");
  if (!options.live.screenshot.empty()) {
    if (!options.live.screenshot.ends_with(".png"))
      throw UserError(fmt::format("--screenshot {}: pictures are PNG files; end the name in .png",
                                  options.live.screenshot));
    check_output_path(options.live.screenshot, "--screenshot");
  }
  if (!options.live.record.empty()) check_output_path(options.live.record, "--record");
  Loaded loaded = load(options);
  check_distinct({{"--log", options.live.log},
                  {"--record", options.live.record},
                  {"--screenshot", options.live.screenshot}},
                 inputs_of(loaded.emulation, options.live));
  try {
    return LiveRun(options, std::move(loaded)).run();
  } catch (const endpoint::EndpointError& error) {
    throw UserError(error.what());
  }
}

}  // namespace knuckleboom::app
