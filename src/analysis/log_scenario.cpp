#include "knuckleboom/analysis/log_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::analysis {
namespace {

// Numbers of a column at its times, without gaps, as a signal.
command::Signal signal_of(const io::Trace& log, int column, double delay_s) {
  command::Term term;
  term.kind = command::TermKind::kTable;
  term.value = 1.0;
  const std::string& name = log.columns[static_cast<std::size_t>(column)];
  term.held = std::find(log.held.begin(), log.held.end(), name) != log.held.end();
  const std::vector<double>& t = log.data.front();
  const std::vector<double>& y = log.data[static_cast<std::size_t>(column)];
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!std::isfinite(y[i])) continue;
    term.table.x.push_back(t[i] - t.front() + delay_s);
    term.table.y.push_back(y[i]);
  }
  return {{std::move(term)}};
}

// Length of a cylinder at a position of its joint; in loops with the other driven joints in the
// middle of their ranges, and the dependent ones starting from the run's start.
double length_at(const machine::MachineModel& model, int actuator, double position,
                 const LogRun& run) {
  const machine::Actuator& a = model.actuators[static_cast<std::size_t>(actuator)];
  if (a.linkage.kind != machine::LinkageKind::kPins)
    return machine::displacement(model, actuator, position).x;
  double q[kMaxLinks] = {};
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    q[i] = 0.5 * (body.lower + body.upper);
    for (const auto& [name, value] : run.start)
      if (name == model.joint_name(i)) q[i] = value;
  }
  q[a.link] = position;
  bool fixed[kMaxLinks] = {};
  machine::keep_independent(model, fixed);
  double gap = 0.0;
  model.loop_system.assemble(model.tree, fixed, q, gap);
  return machine::displacement_row(model, actuator, q, nullptr);
}

// Joint position at which a cylinder has a length.
double position_at(const machine::MachineModel& model, int actuator, double length,
                   const LogRun& run) {
  const int link = model.actuators[static_cast<std::size_t>(actuator)].link;
  const multibody::Body& body = model.tree.body(model.tree.link(link).body);
  double low = body.lower, high = body.upper;
  const auto excess = [&](double q) { return length_at(model, actuator, q, run) - length; };
  const bool rising = excess(high) > excess(low);
  if ((excess(low) > 0.0) == (excess(high) > 0.0))
    throw UserError(
        fmt::format("joint '{}': the log has its cylinder {:.4f} m long at the start, which no "
                    "position within its limits gives ({:.4f} to {:.4f} m)",
                    model.joint_name(link), length, excess(low) + length, excess(high) + length));
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    ((excess(middle) > 0.0) == rising ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// A start far outside a joint's range indicates wrong units or signs.
void check_start(const machine::MachineModel& model, int link, double position) {
  constexpr double kSlack = 0.2;  // of the range
  const multibody::Body& body = model.tree.body(model.tree.link(link).body);
  const double range = body.upper - body.lower;
  if (!(range > 0.0)) return;
  if (position > body.lower - kSlack * range && position < body.upper + kSlack * range) return;
  const char* unit = model.tree.link(link).revolute ? "rad" : "m";
  throw UserError(
      fmt::format("the log has joint '{}' at {:.4g} {} at rest, outside its range of {:g} to {:g} "
                  "{}; are unit, sign "
                  "and offset of its column right?",
                  model.joint_name(link), position, unit, body.lower, body.upper, unit));
}

}  // namespace

std::vector<io::KnownColumn> drive_columns(const machine::MachineModel& model) {
  std::vector<io::KnownColumn> out;
  for (const machine::Actuator& actuator : model.actuators)
    out.push_back({model.joint_name(actuator.link) + "_valve_V", "V"});
  out.push_back({"pump_Pa", "Pa"});
  out.push_back({"tank_Pa", "Pa"});
  return out;
}

std::vector<io::KnownColumn> log_columns(const machine::MachineModel& model) {
  std::vector<io::KnownColumn> out = drive_columns(model);
  for (const sim::Channel& channel : sim::all_channels(model)) {
    const bool there = std::any_of(out.begin(), out.end(), [&](const io::KnownColumn& one) {
      return one.name == channel.name;
    });
    if (!there && channel.name != "t_s") out.push_back({channel.name, channel.unit});
  }
  return out;
}

std::vector<double> delays(const machine::MachineModel& model,
                           const std::vector<std::pair<std::string, double>>& of_columns) {
  std::vector<double> out(model.actuators.size(), 0.0);
  for (const auto& [column, delay] : of_columns) {
    const auto at = std::find_if(model.actuators.begin(), model.actuators.end(),
                                 [&, &name = column](const auto& actuator) {
                                   return model.joint_name(actuator.link) + "_valve_V" == name;
                                 });
    if (at == model.actuators.end())
      throw UserError(
          fmt::format("'{}' has a delay, but only valve commands can have one", column));
    out[static_cast<std::size_t>(at - model.actuators.begin())] = delay;
  }
  return out;
}

std::optional<double> at_start(const io::Trace& log, const std::string& column, const LogRun& run) {
  const int at = log.find(column);
  if (at < 0) return std::nullopt;
  const std::vector<double>& t = log.data.front();
  const std::vector<double>& y = log.data[static_cast<std::size_t>(at)];
  double n = 0.0, sum = 0.0, sum_t = 0.0, sum_tt = 0.0, sum_ty = 0.0;
  for (std::size_t i = 0; i < t.size() && t[i] - t.front() <= run.rest_s; ++i) {
    if (!std::isfinite(y[i])) continue;
    const double since = t[i] - t.front();
    n += 1.0;
    sum += y[i];
    sum_t += since;
    sum_tt += since * since;
    sum_ty += since * y[i];
  }
  if (n == 0.0) return std::nullopt;
  double shift = 0.0;
  for (const auto& [shifted, by] : run.start_shift)
    if (shifted == column) shift += by;
  const double spread = n * sum_tt - sum_t * sum_t;
  if (run.speed.empty() || !(spread > 0.0)) return sum / n + shift;
  const double slope = (n * sum_ty - sum_t * sum) / spread;
  return (sum - slope * sum_t) / n + shift;
}

command::Scenario log_scenario(const machine::MachineModel& model, const io::Trace& log,
                               const LogRun& run) {
  command::Scenario scenario;
  scenario.name = "log";
  scenario.tick_s = run.tick_s;
  const std::vector<double>& t = log.data.front();
  if (t.size() < 2) throw UserError("the log has no two rows; there is nothing to run");
  // The last row is reached: commands hold what it says.
  scenario.duration_s = std::ceil((t.back() - t.front()) / run.tick_s - 1e-6) * run.tick_s;
  bool driven = false;
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const int link = model.actuators[k].link;
    const std::string& joint = model.joint_name(link);
    command::JointProgram program;
    program.joint = joint;
    program.mode = command::JointMode::kVoltage;
    const int command_column = log.find(joint + "_valve_V");
    if (command_column >= 0) {
      driven = true;
      program.signal =
          signal_of(log, command_column, k < run.delay_s.size() ? run.delay_s[k] : 0.0);
    } else {
      program.signal.terms.push_back({});
    }
    scenario.programs.push_back(std::move(program));

    command::InitialJoint initial;
    initial.joint = joint;
    const auto length = at_start(log, joint + "_length_m", run);
    const std::string unit = model.tree.link(link).revolute ? "_rad" : "_m";
    auto position = at_start(log, joint + unit, run);
    for (const auto& [name, value] : run.start)
      if (name == joint) position = value;
    if (!length && !position)
      throw UserError(
          fmt::format("the log does not say where joint '{0}' starts; map a column to "
                      "{0}{1} or {0}_length_m, or give it in [start]",
                      joint, unit));
    initial.position = length ? position_at(model, static_cast<int>(k), *length, run) : *position;
    check_start(model, link, initial.position);
    if (const auto rod = at_start(log, joint + "_port_b_Pa", run)) {
      initial.port_b_given = true;
      initial.port_b_Pa = *rod;
    }
    scenario.initial.push_back(std::move(initial));
  }
  for (const auto& [name, value] : run.start) {
    const int link = model.tree.find_joint(name);
    if (link == multibody::kBase)
      throw UserError(
          fmt::format("[start] places joint '{}', which the machine does not have", name));
    if (!model.passive(link)) continue;
    command::InitialJoint initial;
    initial.joint = name;
    initial.position = value;
    scenario.initial.push_back(std::move(initial));
  }
  if (!driven)
    throw UserError(fmt::format(
        "the log moves nothing: none of its columns is a valve command; map one to {}_valve_V",
        model.actuators.empty() ? std::string("JOINT")
                                : model.joint_name(model.actuators.front().link)));
  if (const int pump = log.find("pump_Pa"); pump >= 0) scenario.pump_Pa = signal_of(log, pump, 0.0);
  if (const int tank = log.find("tank_Pa"); tank >= 0) scenario.tank_Pa = signal_of(log, tank, 0.0);
  return scenario;
}

void set_in_motion(const sim::Simulation& simulation, const io::Trace& log, const LogRun& run,
                   sim::SimState& state) {
  if (run.speed.empty()) return;
  const machine::MachineModel& model = simulation.model();
  machine::MachineState& m = state.machine;
  for (const auto& [joint, speed] : run.speed)
    if (const int link = model.tree.find_joint(joint); link != multibody::kBase) m.v[link] = speed;
  if (!model.loop_system.empty()) {
    multibody::Embedding embedding;
    machine::embed_at(model, m.q, embedding);
    multibody::expand(embedding, m.v);
  }
  const sim::TickInput input = simulation.scenario_input(state);
  constexpr const char* kPorts[] = {"_port_a_Pa", "_port_b_Pa"};
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const machine::Actuator& actuator = model.actuators[k];
    if (actuator.air) continue;
    const hydraulics::Circuit& circuit = actuator.circuit;
    machine::ActuatorState& a = m.actuator[k];
    const double full_V = circuit.valve.full_V;
    a.command_V = a.spool_V = std::clamp(input.actuator[k].value, -full_V, full_V);
    double row[kMaxLinks] = {};
    machine::displacement_row(model, static_cast<int>(k), m.q, row);
    double speed = 0.0;
    for (int i = 0; i < model.joint_count(); ++i) speed += row[i] * m.v[i];
    const double out[] = {hydraulics::area1(circuit) * speed, -hydraulics::area2(circuit) * speed};
    for (int s = 0; s < 2; ++s) {
      a.Q[s] += out[s];
      if (const auto port = at_start(log, model.joint_name(actuator.link) + kPorts[s], run))
        a.P_C[s] = a.p[s] = *port;
    }
  }
}

}  // namespace knuckleboom::analysis
