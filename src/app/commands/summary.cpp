#include "app/commands/summary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/session/watch_texts.hpp"
#include "app/shell/json.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::app {
namespace {

// Residuals above this share of the pump's work (or of the turnover) give a warning.
constexpr double kResidualWarning = 1e-3;
// Work of the pump below this share of the turnover is no measure for the residual.
constexpr double kLeastPumpShare = 0.1;
// Energy that a closed valve without momentum makes or loses, as a share of the turnover.
constexpr double kModelWarning = 0.05;

std::string residual_words(const RunSummary& s) {
  if (!std::isfinite(s.energy_residual)) return "not finite";
  return fmt::format("{}, {:.2e} of {}", with_prefix(s.energy_residual_J, "J"), s.energy_residual,
                     s.pump_worked ? "the pump's work" : "the energy turned over");
}

std::vector<std::string> warnings_of(const RunSummary& s, const sim::Simulation& simulation,
                                     const analysis::RunResult& run) {
  std::vector<std::string> out;
  const auto at = [&s](double t) { return fmt::format("{:.6g} s of {}", t, s.scenario); };
  if (run.non_finite)
    out.push_back(
        fmt::format("the simulation left the real numbers at {}: a value is infinite or "
                    "not a number; nothing after that time exists",
                    at(s.start_s + s.simulated_s)));
  if (s.health.newton_unconverged > 0)
    out.push_back(
        fmt::format("the step's Newton iteration did not converge in {}; results near "
                    "those ticks are less exact (a shorter tick_ms helps)",
                    counted(s.health.newton_unconverged, "stage", "stages")));
  if (s.health.friction_unsettled > 0)
    out.push_back(
        fmt::format("it was still open what sticks after {}; friction near those ticks is less "
                    "exact (a shorter "
                    "tick_ms helps)",
                    counted(s.health.friction_unsettled, "stage", "stages")));
  if (analysis::mostly_unconverged(s.health))
    out.push_back("more than a tenth of the stages did not converge; do not use these results");
  if (!run.non_finite && !std::isfinite(s.energy_residual))
    out.push_back("the energy balance is not finite; do not use these results");
  if (s.tip_unreachable > 0)
    out.push_back(
        fmt::format("the tip path was out of reach in {} ({:.2f} s); the machine went as "
                    "near as its joints allow",
                    counted(s.tip_unreachable, "tick", "ticks"),
                    static_cast<double>(s.tip_unreachable) * s.tick_s));
  const machine::MachineModel& model = simulation.model();
  for (std::string& sentence : watch_sentences(model, run.state.machine.watch))
    out.push_back(std::move(sentence));
  if (!run.non_finite && s.energy_residual > kResidualWarning)
    out.push_back(fmt::format(
        "the energy balance is off by {:.2g} % of {}; the step is too long for what "
        "happens here (a shorter tick_ms helps)",
        100.0 * s.energy_residual, s.pump_worked ? "the pump's work" : "the energy turned over"));
  const double turned_over = machine::energy_turned_over(s.energy, s.stored_change_J);
  if (model.closed_valve == machine::ClosedValveModel::kQuasiStatic &&
      std::fabs(s.energy.model) > kModelWarning * turned_over)
    out.push_back(fmt::format(
        "the quasi-static closed valve made {} out of nothing, of {} turned over: use the dynamic "
        "one (closed_valve.model)",
        with_prefix(s.energy.model, "J"), with_prefix(turned_over, "J")));
  if (!run.singular.empty())
    out.push_back(fmt::format(
        "{}, at {} ({} in all); it went on as it went, and may have gone either way", run.singular,
        at(run.singular_at_s), counted(s.health.singular_ticks, "such tick", "such ticks")));
  if (s.health.open_loop_ticks > 0)
    out.push_back(fmt::format(
        "no motion kept the loops closed in {}; their joints were stopped there: the mechanism was "
        "driven against the end of its reach",
        counted(s.health.open_loop_ticks, "tick", "ticks")));
  if (s.realtime && s.overruns == 0 && s.lost_s > 0.0)
    out.push_back(fmt::format("{:.3f} s of real time were lost", s.lost_s));
  if (s.realtime && s.overruns > 0)
    out.push_back(fmt::format("{} of {} ended after the next was due{}",
                              counted(s.overruns, "tick", "ticks"), run.tick_count(),
                              s.lost_s > 0.0
                                  ? fmt::format(" and {:.3f} s of real time were lost", s.lost_s)
                                  : std::string(", and were caught up with")));
  return out;
}

std::string line(std::string_view name, const std::string& content) {
  return fmt::format("  {:<18}{}\n", name, content);
}

}  // namespace

bool usable(const sim::Simulation& simulation, const analysis::RunResult& run) {
  return !run.non_finite && std::isfinite(simulation.energy_residual(run.state)) &&
         !analysis::mostly_unconverged(run.state.machine.health);
}

RunSummary summarise(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                     const analysis::Method& method, const analysis::RunResult& run,
                     bool realtime) {
  RunSummary s;
  s.machine = loaded.machine.model.name;
  s.scenario = loaded.scenario.scenario.name;
  s.fidelity = method.name;
  s.machine_hash = loaded.machine.hash.hex;
  s.scenario_hash = loaded.scenario.hash.hex;
  s.state_hash = io::state_hash(run.state);
  s.tick_s = simulation.tick_s();
  s.start_s = static_cast<double>(run.first_tick) * s.tick_s;
  s.simulated_s = static_cast<double>(run.tick_count()) * s.tick_s;
  s.wall_s = run.wall_s;
  s.real_time_factor = run.wall_s > 0.0 ? s.simulated_s / run.wall_s : 0.0;
  s.p50_us = run.ticks.quantile_us(0.5);
  s.p99_us = run.ticks.quantile_us(0.99);
  s.max_us = run.ticks.max_us();
  s.clock_read_ns = run.clock_read_ns;
  s.realtime = realtime;
  s.realtime_sentence = run.realtime_sentence;
  s.elapsed_s = run.elapsed_s;
  s.lost_s = run.lost_s;
  s.worst_lateness_s = run.worst_lateness_s;
  s.overruns = run.overruns;
  s.health = run.state.machine.health;
  s.energy = run.state.machine.energy;
  s.stored_change_J = simulation.stored_change(run.state);
  s.energy_residual_J = simulation.energy_residual(run.state);
  const machine::Supply& supply = simulation.model().supply;
  s.has_pump = supply.kind == hydraulics::SupplyKind::kPump;
  s.supply = run.state.machine.supply_energy;
  if (s.has_pump)
    s.supply_stored_J = hydraulics::stored_energy(supply.pump, run.state.machine.supply,
                                                  run.state.machine.pump_Pa) -
                        s.supply.start;
  const double turned_over = machine::energy_turned_over(s.energy, s.stored_change_J);
  s.pump_worked = s.energy.pump > kLeastPumpShare * turned_over;
  const double scale = s.pump_worked ? s.energy.pump : turned_over;
  s.energy_residual = scale == 0.0 ? 0.0 : std::fabs(s.energy_residual_J) / scale;
  s.tip_unreachable = run.state.tip_unreachable;
  s.loops = simulation.model().loop_system.loop_count();
  s.loop_gap_m = run.loop_gap_m;
  if (method.fidelity == machine::Fidelity::kPaper)
    s.outside_conditions = static_cast<double>(run.outside_conditions) /
                           static_cast<double>(std::max<std::int64_t>(1, run.tick_count()));
  s.warnings = warnings_of(s, simulation, run);
  return s;
}

std::string to_text(const RunSummary& s) {
  const machine::Health& h = s.health;
  const machine::EnergyLedger& e = s.energy;
  const auto joule = [](double value) { return with_prefix(value, "J"); };
  const auto ticks_s = [&s](std::int64_t ticks) {
    return fmt::format("{:.3f} s", static_cast<double>(ticks) * s.tick_s);
  };

  std::string text = fmt::format("{} on {}, {} model\n", s.scenario, s.machine, s.fidelity);
  if (!s.controller.empty()) text += line("controller", s.controller);
  text += line("simulated", s.start_s > 0.0
                                ? fmt::format("{:g} s, from {:g} s on", s.simulated_s, s.start_s)
                                : fmt::format("{:g} s", s.simulated_s));
  text += line("wall time", fmt::format("{:.4f} s of stepping, {:.0f} times real time", s.wall_s,
                                        s.real_time_factor));
  text += line("tick", fmt::format("{:.2f} µs (p50), {:.2f} µs (p99), {:.2f} µs (longest)",
                                   s.p50_us, s.p99_us, s.max_us));
  if (s.realtime) {
    text += line("paced", fmt::format("{:.3f} s, at most {:.3f} ms late, {}", s.elapsed_s,
                                      1e3 * s.worst_lateness_s, s.realtime_sentence));
    text += line("overruns", fmt::format("{}, {:.3f} s lost", s.overruns, s.lost_s));
  } else {
    text += line("overruns", "none (not paced)");
  }
  text +=
      line("valves", counted(h.valve_switches, "switch", "switches") + " between open and closed");
  text +=
      line("relief", fmt::format("{}, {} at relief", counted(h.relief_events, "event", "events"),
                                 ticks_s(h.relief_ticks)));
  text += line("cavitation",
               fmt::format("{}, {} drawing oil", counted(h.cavitation_events, "event", "events"),
                           ticks_s(h.cavitation_ticks)));
  text += line("end stops", counted(h.stop_hits, "hit", "hits"));
  if (s.outside_conditions)
    text +=
        line("conditions", fmt::format("outside those of the paper's model in {:.1f} % of the time",
                                       100.0 * *s.outside_conditions));
  text += line("energy in",
               fmt::format("pump {}, valve changes {}, model {}, payloads {}{}{}", joule(e.pump),
                           joule(e.switching), joule(e.model), joule(e.events),
                           e.air != 0.0 ? ", air " + joule(e.air) : "",
                           e.external != 0.0 ? ", from outside " + joule(e.external) : ""));
  text += line("energy out",
               fmt::format("valves {}, lines {}, relief {}, leakage {}, friction {}, stops {}",
                           joule(e.valve), joule(e.line), joule(e.relief), joule(e.leakage),
                           joule(e.friction), joule(e.stops)));
  text += line("energy stored", joule(s.stored_change_J));
  if (s.has_pump)
    text +=
        line("supply",
             fmt::format("engine {}; pump losses {}, main relief {}, compensators {}, held "
                         "pressure {}{}, stored {}",
                         joule(s.supply.engine), joule(s.supply.pump_loss), joule(s.supply.relief),
                         joule(s.supply.compensator), joule(s.supply.coupling),
                         s.supply.drive != 0.0 ? ", wheels " + joule(s.supply.drive) : "",
                         joule(s.supply_stored_J)));
  text += line("energy residual", residual_words(s));
  if (h.newton_iterations > 0)
    text += line("Newton",
                 fmt::format("{:.2f} iterations a tick, {} at most in a stage, {} not converged",
                             static_cast<double>(h.newton_iterations) /
                                 static_cast<double>(std::max<std::int64_t>(1, h.ticks)),
                             h.newton_worst, h.newton_unconverged));
  if (s.loops > 0)
    text += line("loops",
                 fmt::format("{}, open by {} at most", s.loops, with_prefix(s.loop_gap_m, "m")));
  text += line("tip out of reach", counted(s.tip_unreachable, "tick", "ticks"));
  text += line("state", s.state_hash);
  for (const std::string& warning : s.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string to_json(const RunSummary& s) {
  const machine::Health& h = s.health;
  const machine::EnergyLedger& e = s.energy;
  JsonWriter json;
  json.begin_object()
      .member("simulated_s", s.simulated_s)
      .member("wall_s", s.wall_s)
      .member("real_time_factor", s.real_time_factor);
  json.key("tick_us")
      .begin_object()
      .member("p50", s.p50_us)
      .member("p99", s.p99_us)
      .member("max", s.max_us)
      .end_object();
  json.member("overruns", s.overruns)
      .member("valve_switches", h.valve_switches)
      .member("relief_events", h.relief_events)
      .member("cavitation_events", h.cavitation_events)
      .member("energy_residual", s.energy_residual)
      .member("energy_residual_J", s.energy_residual_J);
  json.key("energy_J")
      .begin_object()
      .member("pump", e.pump)
      .member("air", e.air)
      .member("switching", e.switching)
      .member("model", e.model)
      .member("events", e.events)
      .member("external", e.external)
      .member("valve", e.valve)
      .member("line", e.line)
      .member("relief", e.relief)
      .member("leakage", e.leakage)
      .member("friction", e.friction)
      .member("stops", e.stops)
      .member("stored_change", s.stored_change_J)
      .end_object();
  if (s.has_pump)
    json.key("supply_J")
        .begin_object()
        .member("engine", s.supply.engine)
        .member("delivered", s.supply.delivered)
        .member("pump_loss", s.supply.pump_loss)
        .member("relief", s.supply.relief)
        .member("compensator", s.supply.compensator)
        .member("coupling", s.supply.coupling)
        .member("drive", s.supply.drive)
        .member("stored_change", s.supply_stored_J)
        .end_object();
  json.member("relief_s", static_cast<double>(h.relief_ticks) * s.tick_s)
      .member("cavitation_s", static_cast<double>(h.cavitation_ticks) * s.tick_s)
      .member("stop_hits", h.stop_hits)
      .member("tip_unreachable_ticks", s.tip_unreachable)
      .member("loop_gap_m", s.loop_gap_m)
      .member("newton_iterations", h.newton_iterations)
      .member("newton_worst", h.newton_worst)
      .member("newton_unconverged", h.newton_unconverged)
      .member("friction_unsettled", h.friction_unsettled)
      .member("non_finite", h.non_finite)
      .member("tick_s", s.tick_s)
      .member("start_s", s.start_s)
      .member("clock_read_ns", s.clock_read_ns)
      .member("realtime", s.realtime);
  if (s.realtime)
    json.member("elapsed_s", s.elapsed_s)
        .member("lost_s", s.lost_s)
        .member("worst_lateness_s", s.worst_lateness_s)
        .member("realtime_request", s.realtime_sentence);
  if (s.outside_conditions) json.member("outside_conditions", *s.outside_conditions);
  if (!s.controller.empty()) json.member("controller", s.controller);
  json.member("machine", s.machine)
      .member("machine_hash", s.machine_hash)
      .member("scenario", s.scenario)
      .member("scenario_hash", s.scenario_hash)
      .member("fidelity", s.fidelity)
      .member("state_hash", s.state_hash)
      .member("version", fmt::format("{} ({})", kVersion, kRevision));
  json.member("warnings", s.warnings).end_object();
  return json.text();
}

}  // namespace knuckleboom::app
