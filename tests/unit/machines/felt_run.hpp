// A machine in the pose of tests/data/feel/pose.toml, its valves thrown open and shut.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::felt {

inline constexpr double kStart = 1.0;  // the levers move [s]

struct Lever {
  const char* joint;
  double volts;
};

// A machine with a telescope, and what it carries beyond its own.
struct Loaded {
  const char* machine;
  machine::Fidelity fidelity;
  double load_kg = 0.0;
  std::vector<std::string> overrides{};  // of the machine
  std::vector<std::string> pose{};       // overrides of the scenario
};

// One value a tick, from the levers' first move on.
struct Series {
  std::vector<double> value;
  double at(double t) const { return value.at(index(t)); }
  double mean(double from, double to) const {
    double sum = 0.0;
    for (std::size_t i = index(from); i < index(to); ++i) sum += value[i];
    return sum / static_cast<double>(index(to) - index(from));
  }
  std::size_t index(double t) const {
    return std::min(value.size() - 1, static_cast<std::size_t>(std::lround(t / 1e-3)));
  }
};

struct Drive {
  std::map<std::string, Series> position, rate,
      flow;  // by joint; flow into the pump's edge [m^3/s]
  Series tip_x, tip_z, off_plumb, pump, load_signal, pump_flow;
  Series swing_torque, swing_drop;  // of the oil [N m], between the ports [Pa]
  double neutral = 0.0;             // since the levers' first move [s]
  machine::Health health{};
  double out_of_balance = 0.0;  // energy residual [J]
};

inline machine::MachineModel model(const Loaded& setup) {
  std::vector<io::Override> overrides;
  for (const std::string& text : setup.overrides) overrides.push_back(io::parse_override(text));
  const std::string folder = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/machines/";
  return io::read_machine(folder + setup.machine + "/machine.toml", overrides).model;
}

// The way of its cylinder; the tip goes twice as far.
inline double middle_of_telescope(const machine::MachineModel& machine) {
  const int body = machine.tree.link(machine.tree.find_joint("extension")).body;
  return 0.5 * machine.tree.body(body).upper;
}

// Angle between the grapple's own vertical and the world's [rad].
inline double off_plumb(const machine::MachineModel& machine, const double* q) {
  const int id = machine.tree.find_body("grapple");
  const multibody::Body& body = machine.tree.body(id);
  machine::PointPose top, bottom;
  machine::locate(machine, {body.link, body.in_link.p}, q, top);
  machine::locate(machine, {body.link, body.in_link.p - body.in_link.R * Vec3::UnitZ()}, q, bottom);
  const Vec3 down = bottom.p_W - top.p_W;
  return std::atan2(std::hypot(down.x(), down.y()), -down.z());
}

// Levers to the given volts for `held` seconds, then `after` seconds in neutral. The load hangs at the
// grapple's centre of mass from the beginning.
inline Drive drive(const Loaded& setup, const std::vector<Lever>& levers, double held,
                   double after) {
  const machine::MachineModel machine = model(setup);
  char text[160];
  std::snprintf(text, sizeof text, "initial.extension.position_m=%.4f",
                middle_of_telescope(machine));
  std::vector<io::Override> overrides{io::parse_override(text)};
  for (const Lever& lever : levers) {
    const std::string key = std::string("joint.") + lever.joint + ".terms.0.";
    overrides.push_back(io::parse_override(key + "value_V=" + std::to_string(lever.volts)));
    overrides.push_back(io::parse_override(key + "end_s=" + std::to_string(kStart + held)));
  }
  std::snprintf(text, sizeof text, "duration_s=%.3f", kStart + held + after);
  overrides.push_back(io::parse_override(text));
  for (const std::string& start : setup.pose) overrides.push_back(io::parse_override(start));
  const std::string file = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/data/feel/pose.toml";
  const sim::Simulation simulation(machine, io::read_scenario(file, overrides).scenario);
  sim::SimState state = simulation.initial_state(setup.fidelity);
  if (setup.load_kg > 0.0) {
    const multibody::Body& body = machine.tree.body(machine.tree.find_body("grapple"));
    multibody::RigidInertia load;
    load.mass = setup.load_kg;
    load.com = body.inertia.com;
    load.about_com = (0.1 * setup.load_kg) * Mat3::Identity();
    simulation.attach(state, body.link, multibody::to_link_inertia(load, body.in_link),
                      Vec3::Zero(), Vec3::Zero());
    // The oil takes the weight; the levers wait for it.
    for (int k = 0; k < 20000; ++k) {
      sim::SimState before = state;
      simulation.step(state);
      state.tick = before.tick;
    }
  }
  Drive run;
  run.neutral = held;
  while (state.tick < simulation.tick_count()) {
    simulation.step(state);
    if (simulation.time(state) < kStart) continue;
    const sim::Snapshot s = sim::take_snapshot(simulation, state);
    for (int j = 0; j < s.joint_count; ++j) {
      run.position[machine.joint_name(j)].value.push_back(s.joint[j].position);
      run.rate[machine.joint_name(j)].value.push_back(s.joint[j].rate);
      const int a = s.actuator_of_joint[j];
      if (a >= 0)
        run.flow[machine.joint_name(j)].value.push_back(
            std::max(s.actuator[a].flow_a_m3_per_s, s.actuator[a].flow_b_m3_per_s));
    }
    run.tip_x.value.push_back(s.tip_W[0]);
    run.tip_z.value.push_back(s.tip_W[2]);
    run.off_plumb.value.push_back(off_plumb(machine, state.machine.q));
    run.pump.value.push_back(s.pump_Pa);
    run.load_signal.value.push_back(s.load_signal_Pa);
    run.pump_flow.value.push_back(s.pump_flow_m3_per_s);
    const sim::ActuatorSnapshot& swing = s.actuator[s.actuator_of_joint[0]];
    run.swing_torque.value.push_back(swing.force);
    run.swing_drop.value.push_back(swing.port_a_Pa - swing.port_b_Pa);
  }
  run.health = state.machine.health;
  run.out_of_balance = std::fabs(simulation.energy_residual(state));
  return run;
}

// Mean speed over the last half second before neutral, in the levers' sense: always positive.
inline double full_speed(const Drive& run, const std::string& joint) {
  return std::fabs(run.rate.at(joint).mean(run.neutral - 0.5, run.neutral));
}

// Until the joint first goes at this share of its speed [s].
inline double time_to(const Drive& run, const std::string& joint, double share) {
  const double speed = share * full_speed(run, joint);
  const std::vector<double>& rate = run.rate.at(joint).value;
  for (std::size_t i = 0; i < rate.size(); ++i)
    if (std::fabs(rate[i]) >= speed) return 1e-3 * static_cast<double>(i);
  throw std::runtime_error("never as fast");
}

// Where the joint comes to rest: its mean over the last second.
inline double rest(const Drive& run, const std::string& joint) {
  const Series& position = run.position.at(joint);
  const double end = 1e-3 * static_cast<double>(position.value.size() - 1);
  return position.mean(end - 1.0, end);
}

// The motion that is left after neutral: the first swing from extreme to extreme, the time until all
// later ones are below a tenth of it, and the frequency of the first two.
struct Ring {
  double first, time, frequency;
};
inline Ring ring(const Series& series, double neutral) {
  const std::vector<double>& x = series.value;
  std::vector<std::size_t> extreme;
  for (std::size_t i = series.index(neutral + 0.02); i + 1 < x.size(); ++i)
    if ((x[i] - x[i - 1]) * (x[i + 1] - x[i]) < 0.0 &&
        (extreme.empty() || std::fabs(x[i] - x[extreme.back()]) > 1e-4))
      extreme.push_back(i);
  if (extreme.size() < 3) return {0.0, 0.0, 0.0};
  Ring out{std::fabs(x[extreme[1]] - x[extreme[0]]), 0.0,
           1e3 / static_cast<double>(extreme[2] - extreme[0])};
  for (std::size_t i = 1; i < extreme.size(); ++i)
    if (std::fabs(x[extreme[i]] - x[extreme[i - 1]]) > 0.1 * out.first)
      out.time = 1e-3 * static_cast<double>(extreme[i]) - neutral;
  return out;
}

// Until a value stays below a limit, since neutral [s].
inline double below(const Series& series, double neutral, double limit) {
  double time = 0.0;
  for (std::size_t i = series.index(neutral); i < series.value.size(); ++i)
    if (series.value[i] >= limit) time = 1e-3 * static_cast<double>(i) - neutral;
  return time;
}

}  // namespace knuckleboom::felt
