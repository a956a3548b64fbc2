#include "app/commands/watched_run.hpp"

#include <chrono>
#include <cstdio>

#include <unistd.h>

#include "app/shell/interrupt.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/recording/session_file.hpp"

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
  io::TraceHeader header;
  header.program = io::this_program();
  header.machine = loaded.machine.model.name;
  header.machine_hash = loaded.machine.hash;
  header.scenario = loaded.scenario.scenario.name;
  header.scenario_hash = loaded.scenario.hash;
  header.fidelity = method.name;
  header.tick_s = simulation.tick_s();
  if (const std::string note = loaded.note(); !note.empty()) header.remarks.push_back(note);
  const machine::MachineModel& model = simulation.model();
  for (int i = 0; i < model.joint_count(); ++i)
    header.joints.push_back({model.joint_name(i), model.tree.link(i).revolute});
  for (const sim::Channel& channel : sim::channels(model)) header.columns.push_back(channel.name);
  return header;
}

}  // namespace knuckleboom::app
