// knuckleboom demo: the paper's case with both models, and its pictures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/commands/figures.hpp"
#include "app/commands/options.hpp"
#include "app/commands/summary.hpp"
#include "app/commands/watched_run.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/io/load_case.hpp"

namespace knuckleboom::app {
namespace {

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t n = std::min(a.size(), b.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0.0;
}

int demo(const std::string& folder) {
  const std::filesystem::path out = folder;
  const InterruptGuard guard;
  check_gnuplot(out / "stick_sine.svg");
  const io::LoadedCase loaded = io::load_case(std::string("stick_sine"), {}, {});
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);

  const OutputFolder made(out, "--output");
  std::vector<analysis::ModelRun> runs;
  for (const char* name : {"full", "paper"}) {
    runs.push_back(
        run_watched(simulation, analysis::find_method(name), std::nullopt, analysis::kCompareRows));
    if (runs.back().result.interrupted) {
      complain(fmt::format("stopped; no pictures were drawn"));
      return kInterruptedRun;
    }
  }

  std::string text =
      fmt::format("{}, {:g} s: {}\n", loaded.title(), loaded.scenario.scenario.duration_s,
                  loaded.scenario.scenario.description);
  if (const std::string note = loaded.note(); !note.empty()) text += note + ".\n";
  text += '\n';
  bool finite = true;
  std::vector<std::string> warnings;
  for (const analysis::ModelRun& run : runs) {
    const RunSummary s = summarise(loaded, simulation, run.method, run.result, false);
    finite = finite && usable(simulation, run.result);
    text += fmt::format(
        "  {:<14} {:>5.0f} times real time, a tick {:.2f} µs in the median, {}, energy residual "
        "{:.1e} of the "
        "pump's work\n",
        run.method.name + " model", s.real_time_factor, s.p50_us,
        counted(s.health.valve_switches, "valve switch", "valve switches"), s.energy_residual);
    for (const std::string& warning : s.warnings)
      warnings.push_back(run.method.name + ": " + warning);
  }
  const analysis::Recording& full = runs[0].recording;
  const analysis::Recording& paper = runs[1].recording;
  text += fmt::format(
      "  full against paper: stick angle within {}, stick command {} rms apart\n",
      with_prefix(largest_difference(full.column("stick_rad"), paper.column("stick_rad")), "rad"),
      with_prefix(rms_difference(full.column("stick_valve_V"), paper.column("stick_valve_V")),
                  "V"));
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  say(text);
  std::fflush(stdout);

  const std::vector<NamedRun> named = {{"full", &full}, {"paper", &paper}};
  const Figure all = paper_figure(named, loaded.title(), loaded.note());
  const char* const names[] = {"figure_8_stick_error", "figure_9_stick_pressure",
                               "figure_10_stick_command", "figure_11_boom_pressure"};
  std::vector<std::pair<std::string, Figure>> figures = {{"figures_8_to_11", all}};
  for (std::size_t i = 0; i < all.panels.size(); ++i)
    figures.emplace_back(names[i], Figure{all.title, all.note, {all.panels[i]}, 1});
  say("\npictures:\n");
  for (const auto& [name, figure] : figures)
    for (const char* extension : {".svg", ".png"}) {
      const std::filesystem::path path = out / (name + extension);
      draw(figure, path);
      say(fmt::format("  {}\n", path.string()));
    }
  return finite ? kSuccess : kNonFinite;
}

}  // namespace

Command demo_command() {
  const auto folder = std::make_shared<std::string>("out");
  return {.name = "demo",
          .sentence =
              "Run the reference case with the full and the paper's model and plot the paper's "
              "figures 8 to 11",
          .arguments = {{.name = "--output",
                         .target = folder.get(),
                         .kind = folder_value(),
                         .sentence = "Folder for the plots",
                         .without = "out"}},
          .examples = {"knuckleboom demo --output pictures"},
          .run = [folder] { return demo(*folder); }};
}

}  // namespace knuckleboom::app
