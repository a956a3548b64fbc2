#include "app/workbench/bench_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/log.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "app/window/display.hpp"
#include "app/window/exit_guard.hpp"
#include "app/window/frame_pace.hpp"
#include "app/window/picture.hpp"
#include "app/workbench/bench_commands.hpp"
#include "app/workbench/bench_levers.hpp"
#include "app/workbench/bench_panel.hpp"
#include "app/workbench/bench_picture.hpp"
#include "app/workbench/bench_results.hpp"
#include "app/workbench/bench_thread.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/io/state_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBenchTabs[] = {"drive", "channels", "keys", "bodies", "pose", "levers"};
constexpr double kBenchFrames = 60.0;  // 1/s
constexpr double kToTheStart = 1e9;    // s
constexpr double kBenchSlack = 1e-9;   // s; a command exactly at a tick comes before it

void check_bench_ending(const std::string& file, const std::string& option, const char* ending) {
  if (file.empty()) return;
  if (!file.ends_with(ending))
    throw UserError(fmt::format("{} {}: end the name in {}", option, file, ending));
  check_output_path(file, option);
}

void check_bench_options(const BenchOptions& o, const std::vector<TimedBenchCommand>& script) {
  check_bench_ending(o.trace, "--trace", ".csv");
  check_bench_ending(o.scenario, "--scenario", ".toml");
  check_bench_ending(o.screenshot, "--screenshot", ".png");
  check_distinct({{"--trace", o.trace}, {"--scenario", o.scenario}, {"--screenshot", o.screenshot}},
                 {o.subject, o.machine, o.script});
  if (o.at_s && o.screenshot.empty())
    throw UserError("--at says when the screenshot is taken; add --screenshot FILE.png");
  const bool quits = std::any_of(script.begin(), script.end(), [](const auto& timed) {
    return timed.command.verb == BenchVerb::kQuit;
  });
  if (o.headless && !o.duration_s && !quits)
    throw UserError("--headless needs an end: --duration S, or a line 'SECONDS quit' in --script");
}

WorkbenchRequest bench_request(const BenchOptions& o) {
  const analysis::Method& method = analysis::find_method(o.fidelity);
  if (method.converged)
    throw UserError(fmt::format(
        "the workbench runs in real time; choose full, reduced or paper, not {}", o.fidelity));
  return {o.subject, o.machine, o.assignments, method.fidelity};
}

class BenchRun {
 public:
  BenchRun(const BenchOptions& options, std::vector<TimedBenchCommand> script,
           std::int64_t begun_ns)
      : options_(options),
        script_(std::move(script)),
        begun_ns_(begun_ns),
        bench_(bench_request(options)),
        levers_(bench_, options.levers) {
    history_.follow(bench_.model());
    rest_ = bench_rest(bench_);
    add_row();
    curves_.choose(bench_, history_);
    seen_make_ = bench_.make();
  }

  int headless() {
    while (!over(bench_.time()) && !interrupted()) {
      run_script(bench_.time());
      if (quit_ || over(bench_.time())) break;
      if (due(bench_.time())) keep_picture_now();
      step();
    }
    if (!options_.screenshot.empty() && !kept_) keep_picture_now();
    return finish();
  }

  int live() {
    open_picture(false);
    const double opened = 1e-9 * static_cast<double>(now_ns() - begun_ns_);
    thread_ = std::make_unique<BenchThread>(bench_);
    // Xlib ends the program when its display is lost.
    const ExitGuard guard([this] {
      complain("the display went away");
      thread_->stop();
      static_cast<void>(picture_.release());  // its library must not be called any more
      finish();
    });
    bool open = show_frame();
    log(LogLevel::kInfo,
        fmt::format("workbench of {}, first picture after {:.2f} s", bench_.model().name, opened));
    say(fmt::format("The window opened after {:.2f} s.\n", opened));
    if (!options_.paused) thread_->start();
    while (open && !quit_ && !interrupted()) {
      const std::int64_t frame_start = now_ns();
      open = show_frame();
      const std::vector<std::string> asked = picture_->commands();
      for (const std::string& command : asked) obey(command);
      for (const JointDemand& demand : levers_.demands(bench_, picture_->levers()))
        tell([&] { thread_->demand(demand); });
      for (const std::string& notice : picture_->take_lever_notices()) event_ = notice;
      run_script(thread_->newest().snapshot.t_s);
      if (due(thread_->newest().snapshot.t_s)) keep_picture_now();
      if (over(thread_->newest().snapshot.t_s)) break;
      rest_of_frame(frame_start, kBenchFrames);
    }
    thread_->stop();
    take_rows();
    if (!options_.screenshot.empty() && !kept_) keep_picture_now();
    return finish();
  }

 private:
  bool over(double t) const {
    return options_.duration_s && t >= *options_.duration_s - kBenchSlack;
  }
  bool due(double t) const {
    return options_.at_s && !kept_ && !options_.screenshot.empty() &&
           t >= *options_.at_s - kBenchSlack;
  }

  void open_picture(bool offscreen) {
    BenchPictureRequest request;
    request.assets = assets_folder();
    request.offscreen = offscreen;
    request.levers = !offscreen;
    leave_a_processor();
    picture_ = std::make_unique<BenchPicture>(bench_, request);
    for (std::size_t i = 0; i < std::size(kBenchTabs); ++i)
      if (options_.tab == kBenchTabs[i]) picture_->open_tab(static_cast<int>(i));
    for (const std::string& note : picture_->notes()) complain(note);
  }

  // --- Time ---
  void step() {
    bench_.step();
    if (bench_.state().sim.tick % bench_row_ticks(bench_) == 0) add_row();
  }
  void add_row() { history_.add(sim::take_snapshot(bench_.simulation(), bench_.state().sim)); }
  void take_rows() {
    sim::Snapshot row;
    while (thread_ && thread_->row(row)) history_.add(row);
  }

  void run_script(double t) {
    while (next_ < script_.size() && script_[next_].seconds <= t + kBenchSlack && !quit_)
      obey(script_[next_++].command);
  }

  // --- Commands ---
  void obey(const std::string& line) {
    tell([&] { do_command(parse_bench_command(line)); });
  }
  void obey(const BenchCommand& command) {
    tell([&] { do_command(command); });
  }
  template <class Do>
  void tell(Do action) {
    try {
      action();
    } catch (const std::exception& error) {
      if (dynamic_cast<const UserError*>(&error) == nullptr &&
          dynamic_cast<const io::FileError*>(&error) == nullptr)
        throw;
      event_ = error.what();
      complain(event_);
      ++refused_;
    }
  }

  // The machine belongs to this thread meanwhile.
  template <class Do>
  void while_it_stands(Do action) {
    const bool ran = thread_ && thread_->running();
    if (ran) thread_->stop();
    take_rows();
    const auto go_on = [&] {
      if (bench_.make() != seen_make_) take_new_make();
      rest_ = bench_rest(bench_);
      if (thread_)
        thread_->show();
      else
        add_row();
      if (ran) thread_->start();
    };
    try {
      action();
    } catch (...) {
      go_on();
      throw;
    }
    go_on();
  }

  void take_new_make() {
    seen_make_ = bench_.make();
    history_.follow(bench_.model());
    levers_ = BenchLevers(bench_, options_.levers);
    if (picture_) picture_->rebuild();
  }

  void do_command(const BenchCommand& command) {
    switch (command.verb) {
      case BenchVerb::kDrive:
        if (thread_)
          thread_->demand({bench_.joint(command.words[0]), command.kind,
                           command.numbers.empty() ? 0.0 : command.numbers[0]});
        else
          do_deed(bench_, command);
        return;
      case BenchVerb::kRun:
        if (thread_) thread_->start();
        return;
      case BenchVerb::kPause:
        if (thread_) thread_->stop();
        take_rows();
        return;
      case BenchVerb::kStep:
        return while_it_stands([&] {
          const auto ticks = command.numbers.empty() ? 1 : std::llround(command.numbers[0]);
          for (long long i = 0; i < ticks && !interrupted(); ++i) step();
        });
      case BenchVerb::kRewind:
        return while_it_stands([&] {
          const double t =
              bench_.rewind(command.numbers.empty() ? kToTheStart : command.numbers[0]);
          event_ = fmt::format("back at {:g} s", t);
        });
      case BenchVerb::kShow:
        return curves_.show(history_, command.words[0]);
      case BenchVerb::kHide:
        return curves_.hide(command.words[0]);
      case BenchVerb::kSave:
        return while_it_stands([&] { save(command.words[0]); });
      case BenchVerb::kHelp:
        say(bench_command_help());
        return;
      case BenchVerb::kQuit:
        quit_ = true;
        return;
      default:
        while_it_stands([&] { do_deed(bench_, command); });
        event_ = command.text;
    }
  }

  void save(const std::string& file) {
    if (file.ends_with(".toml"))
      save_bench_scenario(bench_, file);
    else if (file.ends_with(".csv"))
      save_bench_trace(bench_, history_, file);
    else if (file.ends_with(".png"))
      write_picture(file);
    else
      throw UserError(fmt::format(
          "save {}: end the name in .toml for a scenario, .csv for a trace or .png for a picture",
          file));
    event_ = fmt::format("{} is written", file);
    say(event_ + "\n");
  }

  // --- Pictures ---
  BenchFrame frame(const BenchShot& shot) const {
    return {rest_,   shot,  thread_ == nullptr || thread_->running(), history_, curves_,
            levers_, event_};
  }
  bool show_frame() {
    take_rows();
    return picture_->frame(frame(thread_->newest()));
  }
  void write_picture(const std::string& file) {
    if (!picture_) open_picture(true);
    BenchShot shot{};
    if (thread_) {
      shot = thread_->newest();
    } else {
      shot.snapshot = sim::take_snapshot(bench_.simulation(), bench_.state().sim);
      std::copy_n(bench_.state().demand, kMaxLinks, shot.demand);
    }
    failed_ = !keep_picture(picture_->picture(frame(shot)), file) || failed_;
  }
  void keep_picture_now() {
    kept_ = true;
    write_picture(options_.screenshot);
  }

  int finish() {
    tell([&] {
      if (!options_.trace.empty()) save_bench_trace(bench_, history_, options_.trace);
    });
    tell([&] {
      if (!options_.scenario.empty()) save_bench_scenario(bench_, options_.scenario);
    });
    const sim::SimState& state = bench_.state().sim;
    say_at_end(fmt::format(
        "{} on the workbench: {:g} s simulated, {} by hand, {} refused\nState after it: {}\n",
        bench_.model().name, bench_.time(),
        counted(static_cast<long long>(bench_.deeds().size()), "change", "changes"),
        counted(refused_, "command", "commands"), io::state_hash(state)));
    if (state.machine.health.non_finite > 0) {
      complain("the simulation left the real numbers; rewind and do less");
      return kNonFinite;
    }
    if (failed_) return kInternalError;
    return interrupted()                       ? kInterruptedRun
           : refused_ > 0 && options_.headless ? kUserMistake
                                               : kSuccess;
  }

  BenchOptions options_;
  std::vector<TimedBenchCommand> script_;
  std::size_t next_ = 0;
  std::int64_t begun_ns_;
  Workbench bench_;
  BenchLevers levers_;
  BenchHistory history_;
  BenchCurves curves_;
  BenchRest rest_;
  std::unique_ptr<BenchPicture> picture_;
  std::string event_;
  std::int64_t seen_make_ = 0;
  long long refused_ = 0;
  bool quit_ = false, kept_ = false, failed_ = false;
  std::unique_ptr<BenchThread> thread_;  // the last: it ends first
};

}  // namespace

std::vector<std::string> bench_tabs() { return {std::begin(kBenchTabs), std::end(kBenchTabs)}; }

int run_bench(const BenchOptions& options) {
  const std::int64_t begun = now_ns();
  std::vector<TimedBenchCommand> script;
  if (!options.script.empty()) script = read_bench_script(options.script);
  check_bench_options(options, script);
  const InterruptGuard guard;
  if (!options.headless && !somebody_watches())
    throw UserError("there is no display for the window; add --headless and --duration S");
  try {
    BenchRun run(options, std::move(script), begun);
    return options.headless ? run.headless() : run.live();
  } catch (const view::WindowError& error) {
    throw RunFailure(error.what());
  }
}

}  // namespace knuckleboom::app
