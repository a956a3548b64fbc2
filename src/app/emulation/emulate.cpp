#include "app/emulation/emulate.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/emulation/emulation_run.hpp"
#include "app/emulation/live_run.hpp"
#include "app/emulation/load_emulation.hpp"
#include "app/emulation/replay_emulation.hpp"
#include "app/emulation/study.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

using emulation::Emulation;
using emulation::Exchange;

constexpr const char* kAxes = "xyz";

const char* scheme_name(emulation::Scheme scheme) {
  return scheme == emulation::Scheme::kAcceleration ? "acceleration" : "position";
}

double generated_share(const EmulationMeasures& m) {
  return m.exchanged > 0.0 ? m.generated / m.exchanged : 0.0;
}

// --- Trace ------------------------------------------------------------------------------------------

std::vector<std::string> columns() {
  std::vector<std::string> names = {"t_s", "phase"};
  for (const char* what :
       {"emulated_{}_m", "host_{}_m", "emulated_{}_m_s", "host_{}_m_s", "ideal_{}_m", "force_{}_N",
        "moment_{}_N_m", "felt_{}_N", "ideal_force_{}_N"})
    for (int i = 0; i < 3; ++i) names.push_back(fmt::format(fmt::runtime(what), kAxes[i]));
  for (const char* what : {"tilt_rad", "host_energy_J", "emulated_energy_J"})
    names.emplace_back(what);
  return names;
}

void write_trace(const LoadedEmulation& loaded, const EmulationRun& run, const EmulationRun& ideal,
                 const std::string& path) {
  io::TraceHeader header;
  header.program = io::this_program();
  header.machine = loaded.plan.emulated.model.name;
  header.scenario = loaded.plan.name;
  header.scenario_hash = {loaded.hash};
  header.fidelity = "full";
  header.tick_s = loaded.plan.tick_s;
  header.remarks = {fmt::format("host: {}", loaded.plan.host.model.name),
                    "all vectors in the worksite's frame: z into the material"};
  header.columns = columns();
  io::TraceWriter writer(path, header);
  std::vector<double> row;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const EmulationRow& r = run.rows[i];
    const EmulationRow& own = ideal.rows[std::min(i, ideal.rows.size() - 1)];
    row = {r.t_s, static_cast<double>(r.phase)};
    for (const Vec3& v : {r.emulated_p, r.host_p, r.emulated_v, r.host_v, own.host_p, r.force,
                          r.moment, r.felt, own.force})
      row.insert(row.end(), {v.x(), v.y(), v.z()});
    row.insert(row.end(), {r.tilt_rad, r.host_energy, r.emulated_energy});
    writer.write(row);
  }
  writer.close();
}

// --- Picture ----------------------------------------------------------------------------------------

constexpr std::size_t kPoints = 4000;  // of a curve

template <typename Value>
Curve curve(const EmulationRun& run, std::string title, int color, LineStyle style, Value value) {
  Curve out{std::move(title), {}, {}, color, style};
  const std::size_t every = run.rows.size() / kPoints + 1;
  for (std::size_t i = 0; i < run.rows.size(); i += every) {
    out.x.push_back(run.rows[i].t_s);
    out.y.push_back(value(run.rows[i]));
  }
  return out;
}

Figure figure(const LoadedEmulation& loaded, const EmulationRun& run, const EmulationRun& ideal) {
  Figure out{loaded.title(),
             fmt::format("{} scheme, sensor delay {} ticks, contact {:g} N/m; thin: the emulated "
                         "machine alone",
                         scheme_name(loaded.plan.scheme), loaded.plan.sensor.delay,
                         loaded.plan.site.law.stiffness),
             {},
             2};
  Panel speeds{"speed of the host's tip", "time [s]", "[mm/s]", {}, false, 1e-3};
  Panel forces{"force on the peg", "time [s]", "[N]", {}, false, 1e-3};
  Panel errors{"host's tip less emulated tip", "time [s]", "[mm]", {}, false, 1e-3};
  Panel places{"place of the peg's end", "time [s]", "[mm]", {}, false, 1e-3};
  for (int i = 0; i < 3; ++i) {
    const std::string name(1, kAxes[i]);
    speeds.curves.push_back(curve(run, name, i, LineStyle::kSolid,
                                  [i](const EmulationRow& r) { return 1e3 * r.host_v[i]; }));
    forces.curves.push_back(
        curve(run, name, i, LineStyle::kThick, [i](const EmulationRow& r) { return r.force[i]; }));
    forces.curves.push_back(curve(ideal, "", i + 3, LineStyle::kThin,
                                  [i](const EmulationRow& r) { return r.force[i]; }));
    errors.curves.push_back(curve(run, name, i, LineStyle::kSolid, [i](const EmulationRow& r) {
      return 1e3 * (r.host_p[i] - r.emulated_p[i]);
    }));
    places.curves.push_back(curve(run, name, i, LineStyle::kThick,
                                  [i](const EmulationRow& r) { return 1e3 * r.host_p[i]; }));
    places.curves.push_back(curve(ideal, "", i + 3, LineStyle::kThin,
                                  [i](const EmulationRow& r) { return 1e3 * r.host_p[i]; }));
  }
  out.panels = {std::move(places), std::move(speeds), std::move(forces), std::move(errors)};
  return out;
}

// Both machines and what they did that no real one does.
std::vector<std::string> warnings(const LoadedEmulation& loaded, const EmulationRun& run) {
  std::vector<std::string> out;
  for (const std::string& one : watch_sentences(loaded.plan.host.model, run.end.host.machine.watch))
    out.push_back("host: " + one);
  for (const std::string& one :
       watch_sentences(loaded.plan.emulated.model, run.end.emulated.machine.watch))
    out.push_back("emulated machine: " + one);
  return out;
}

// --- Summary ----------------------------------------------------------------------------------------

std::string to_text(const LoadedEmulation& loaded, const Emulation& emulation,
                    const EmulationRun& run, const EmulationMeasures& m) {
  const emulation::EmulationPlan& plan = loaded.plan;
  std::string text = fmt::format(
      "{}\n{} scheme, contact {:g} N/m, sensor delay {} ticks, {:.1f} s\n\nExchanges of a tick, in "
      "their order\n",
      loaded.title(), scheme_name(plan.scheme), plan.site.law.stiffness, plan.sensor.delay,
      run.rows.empty() ? 0.0 : run.rows.back().t_s);
  int number = 1;
  for (const Exchange& e : emulation.exchanges())
    text += fmt::format("  {}  {:<17} -> {:<17} {:<44} {:>6.2f} ms\n", number++, e.from, e.to,
                        e.what, 1e3 * e.delay_s);
  text +=
      fmt::format("     around the loop {:>73.2f} ms\n\nPhases\n", 1e3 * emulation.loop_delay_s());
  for (std::size_t i = 0; i < run.rows.size();) {
    std::size_t end = i;
    while (end < run.rows.size() && run.rows[end].phase == run.rows[i].phase) ++end;
    const auto phase = static_cast<std::size_t>(run.rows[i].phase);
    if (phase < plan.phases.size()) {
      const EmulationRow& last = run.rows[end - 1];
      text += fmt::format(
          "  {:<14} {:>6.2f} to {:>6.2f} s   at its end {:>7.1f} N against the peg, {:>6.1f} N "
          "across, {:>7.2f} mm deep\n",
          plan.phases[phase].name, run.rows[i].t_s, last.t_s, -last.force.z(),
          std::hypot(last.force.x(), last.force.y()), 1e3 * last.host_p.z());
    }
    i = end;
  }
  const auto millimetres = [](const Vec3& v) {
    return fmt::format("{:.3f}  {:.3f}  {:.3f} mm", 1e3 * v.x(), 1e3 * v.y(), 1e3 * v.z());
  };
  text += fmt::format("\n  {:<52}{}\n", "position error x, y, z: host against emulated tip",
                      millimetres(m.position_error));
  text += fmt::format("  {:<52}{}\n", "  against the emulated machine alone",
                      millimetres(m.ideal_error));
  text +=
      fmt::format("  {:<52}{:.2f} % of {:.1f} N\n", "force error against the machine alone, rms",
                  100.0 * m.force_error, m.force_rms);
  text += fmt::format("  {:<52}{:.4f} J, {:.2f} % of {:.3f} J\n", "energy added by the emulation",
                      m.generated, 100.0 * generated_share(m), m.exchanged);
  text += fmt::format(
      "  {:<52}{:.1f} N rms{}\n", "oscillation of the normal force, at most", m.ripple,
      m.growth > 0.0 ? fmt::format(", times {:.2f} in a quarter of a phase", m.growth) : "");
  text +=
      fmt::format("  {:<52}{:.2f} mm, {:.3f} deg, {:.1f} N\n", "depth, tilt and force at the end",
                  1e3 * m.depth, m.final_tilt_rad * 57.29577951308232, m.final_force);
  const emulation::EmulationHealth& h = run.end.health;
  if (h.host_singular + h.emulated_singular > 0)
    text += fmt::format(
        "  {} ticks of the host and {} of the emulated machine were near singular "
        "poses\n",
        h.host_singular, h.emulated_singular);
  if (h.valve_full > 0) text += fmt::format("  a valve was fully open in {} ticks\n", h.valve_full);
  if (!run.finite) text += "  the run left the real numbers and was ended\n";
  for (const std::string& warning : warnings(loaded, run)) text += "warning: " + warning + "\n";
  return text;
}

std::string to_json(const LoadedEmulation& loaded, const Emulation& emulation,
                    const EmulationRun& run, const EmulationMeasures& m) {
  JsonWriter json;
  json.begin_object()
      .member("emulation", loaded.plan.name)
      .member("emulation_hash", loaded.hash)
      .member("host", loaded.plan.host.model.name)
      .member("emulated", loaded.plan.emulated.model.name)
      .member("scheme", scheme_name(loaded.plan.scheme))
      .member("stiffness_N_per_m", loaded.plan.site.law.stiffness)
      .member("sensor_delay_ticks", loaded.plan.sensor.delay)
      .member("finite", run.finite);
  json.key("exchanges").begin_array();
  for (const Exchange& e : emulation.exchanges())
    json.begin_object()
        .member("from", e.from)
        .member("to", e.to)
        .member("what", e.what)
        .member("delay_s", e.delay_s)
        .end_object();
  json.end_array().member("loop_delay_s", emulation.loop_delay_s());
  const auto axes = [&json](const char* name, const Vec3& v) {
    json.key(name).begin_array().value(v.x()).value(v.y()).value(v.z()).end_array();
  };
  axes("position_error_m", m.position_error);
  axes("ideal_error_m", m.ideal_error);
  json.member("force_error", m.force_error)
      .member("ideal_force_rms_N", m.force_rms)
      .member("peak_force_N", m.peak_force)
      .member("generated_J", m.generated)
      .member("exchanged_J", m.exchanged)
      .member("generated_share", generated_share(m))
      .member("growth", m.growth)
      .member("ripple_N", m.ripple)
      .member("depth_m", m.depth)
      .member("tilt_rad", m.final_tilt_rad)
      .member("force_N", m.final_force)
      .member("warnings", warnings(loaded, run))
      .end_object();
  return json.text();
}

int replay(const EmulateOptions& o) {
  if (!o.scenario.empty() || !o.scheme.empty() || o.delay_ticks || o.stiffness ||
      !o.study.empty() || !o.assignments.empty() || !o.plot.empty() || !o.trace.empty() ||
      !o.summary.empty() || o.live.on)
    throw UserError(
        "--replay runs the recording as it was; leave out the emulation and the options of a run");
  if (!o.live.log.empty()) check_output_path(o.live.log, "--log");
  check_distinct({{"--log", o.live.log}}, {o.replay});
  runtime::EmulationReplayer replayer(io::read_emulation_recording(o.replay));
  if (o.live.log.empty()) return replay_emulation(replayer);
  const std::unique_ptr<SignalLog> log = open_signal_log(o.live, replayer.bench(), false);
  const int status = replay_emulation(
      replayer, [&log](const emulation::HilState& state) { log->after_tick(state); });
  log->finish();
  return status;
}

}  // namespace

int emulate(const EmulateOptions& options) {
  const InterruptGuard guard;
  if (!options.replay.empty()) return replay(options);
  if (options.scenario.empty())
    throw UserError(
        "emulate needs the name of an emulation ('knuckleboom list emulations' has them), or "
        "--replay with a recording");
  if (options.scenario.ends_with(io::kEmulationRecordingSuffix))
    throw UserError(fmt::format(
        "{} is a recording and no emulation; 'knuckleboom emulate --replay {}' runs it again",
        options.scenario, options.scenario));
  if (options.live.on) return run_live(options);
  if (!options.live.log.empty()) throw UserError("--log goes with --live or --replay");
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.trace.empty()) check_output_path(options.trace, "--trace");
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  const LoadedEmulation loaded = load_emulation(options);
  check_distinct(
      {{"--plot", options.plot}, {"--trace", options.trace}, {"--summary", options.summary}},
      loaded.files);
  if (!options.study.empty()) {
    if (!options.trace.empty())
      throw UserError("--trace goes with a run, not with --study; leave one of them out");
    if (options.study == "delay") return delay_study(loaded, options);
    if (options.study == "bandwidth") return bandwidth_study(loaded, options);
    return robustness_study(loaded, options);
  }
  const Emulation emulation(loaded.plan);
  const Emulation alone(loaded.plan, true);
  const EmulationRun run = run_emulation(emulation);
  if (run.interrupted) return kInterruptedRun;
  const EmulationRun ideal = run_emulation(alone, &run);
  if (ideal.interrupted) return kInterruptedRun;
  const EmulationMeasures measures = measure(run, ideal);
  say(to_text(loaded, emulation, run, measures));
  if (!options.trace.empty()) write_trace(loaded, run, ideal, options.trace);
  if (!options.summary.empty())
    io::write_file(options.summary, to_json(loaded, emulation, run, measures));
  if (!options.plot.empty()) draw(figure(loaded, run, ideal), options.plot);
  return run.finite ? kSuccess : kNonFinite;
}

}  // namespace knuckleboom::app
