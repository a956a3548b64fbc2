// The pictures of runs.
#pragma once

#include <string>
#include <vector>

#include "app/shell/plot.hpp"
#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::app {

// Points of a recording that are drawn: a curve of this many samples looks continuous.
inline constexpr std::int64_t kPlotRows = 8000;

// One run: joints with the references they follow, valve commands and port pressures if there are
// actuators, and the tip's path unless it is a slide's line.
Figure run_figure(const machine::MachineModel& model, const command::Scenario& scenario,
                  const analysis::Recording& run, const std::string& title,
                  const std::string& note);

// The same run by several models, laid over each other.
struct NamedRun {
  std::string name;
  const analysis::Recording* recording;
};
Figure comparison_figure(const machine::MachineModel& model, const std::vector<NamedRun>& runs,
                         const std::string& title, const std::string& note);

// Figures 8 to 11 of the paper, of the joint that moves and the one that is locked.
Figure paper_figure(const std::vector<NamedRun>& runs, const std::string& title,
                    const std::string& note);

}  // namespace knuckleboom::app
