#include "app/commands/watched_run.hpp"

#include <chrono>
#include <cstdio>

#include <unistd.h>

#include "app/shell/interrupt.hpp"
#include "knuckleboom/analysis/trace_header.hpp"

namespace knuckleboom::app {
namespace {

using SteadyClock = std::chrono::steady_clock;

// One line on a terminal, a few times a second.
class Progress {
 public:
  explicit Progress(const sim::Simulation& simulation)
      : on_(isatty(STDERR_FILENO) != 0),
        end_s_(static_cast<double>(simulation.tick_count()) * simulation.tick_s()) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double t_s, double wall_s, double simulated_s) {
    if (!on_) return;
    const auto now = SteadyClock::now();
    if (now - last_ < std::chrono::milliseconds(250)) return;
    last_ = now;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%.1f of %.1f s simulated, %.0f times real time", t_s, end_s_,
                 wall_s > 0.0 ? simulated_s / wall_s : 0.0);
    std::fflush(stderr);
  }

 private:
  bool on_;
  bool shown_ = false;
  double end_s_;
  SteadyClock::time_point last_ = SteadyClock::now();
};

analysis::RunWatch watch(Progress& progress) {
  return {&interrupted, [&progress](double t_s, double wall_s, double simulated_s) {
            progress.show(t_s, wall_s, simulated_s);
          }};
}

}  // namespace

analysis::RunResult execute_watched(const sim::Simulation& simulation, analysis::Engine& engine,
                                    const sim::SimState& start, analysis::ExecuteOptions options) {
  Progress progress(simulation);
  static_cast<analysis::RunWatch&>(options) = watch(progress);
  return analysis::execute(simulation, engine, start, options);
}

analysis::ModelRun run_watched(const sim::Simulation& simulation, const analysis::Method& method,
                               std::optional<double> relative_tolerance, std::int64_t row_limit) {
  Progress progress(simulation);
  return analysis::run_model(simulation, method, relative_tolerance, row_limit, watch(progress));
}

io::TraceHeader trace_header(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                             const analysis::Method& method) {
  return analysis::trace_header(loaded, simulation, method);
}

}  // namespace knuckleboom::app
