// Results of a run: as text, and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/io/load_case.hpp"

namespace knuckleboom::app {

struct RunSummary {
  std::string machine, scenario, fidelity;
  std::string machine_hash, scenario_hash, state_hash;
  std::string controller;  // an FMU in place of the machine's own; empty: those
  double tick_s = 0.0;
  double start_s = 0.0;      // of the scenario; above zero for a resumed run
  double simulated_s = 0.0;  // by this run
  double wall_s = 0.0;       // stepping alone
  double real_time_factor = 0.0;
  double p50_us = 0.0, p99_us = 0.0, max_us = 0.0;
  double clock_read_ns = 0.0;
  bool realtime = false;
  std::string realtime_sentence;
  double elapsed_s = 0.0, lost_s = 0.0, worst_lateness_s = 0.0;
  std::int64_t overruns = 0;
  machine::Health health{};  // since the start of the scenario
  machine::EnergyLedger energy{};
  bool has_pump = false;  // and an engine, beside a constant source
  hydraulics::SupplyLedger supply{};
  double supply_stored_J = 0.0;
  double stored_change_J = 0.0;
  double energy_residual_J = 0.0;
  // Relative to the work of the pump; where that has done little or less, to all energy turned over.
  double energy_residual = 0.0;
  bool pump_worked = false;
  std::int64_t tip_unreachable = 0;
  int loops = 0;
  double loop_gap_m = 0.0;
  std::optional<double> outside_conditions;  // share of time; of the paper's model
  std::vector<std::string> warnings;         // in plain words
};

// False if a run ends with kNonFinite: it or its energy left the real numbers, or its step mostly failed
// to converge.
bool usable(const sim::Simulation& simulation, const analysis::RunResult& run);

RunSummary summarise(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                     const analysis::Method& method, const analysis::RunResult& run, bool realtime);

std::string to_text(const RunSummary& summary);
std::string to_json(const RunSummary& summary);

}  // namespace knuckleboom::app
