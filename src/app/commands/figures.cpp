#include "app/commands/figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/tip.hpp"

namespace knuckleboom::app {
namespace {

constexpr const char* kTime = "time [s]";

std::vector<double> scaled(const std::vector<double>& values, double factor) {
  std::vector<double> out(values);
  for (double& value : out) value *= factor;
  return out;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b,
                               double factor) {
  std::vector<double> out(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor * (a[i] - b[i]);
  return out;
}

bool actuated(const machine::MachineModel& model, int link) {
  return std::any_of(model.actuators.begin(), model.actuators.end(),
                     [link](const machine::Actuator& a) { return a.link == link; });
}

std::string unit_of(const machine::MachineModel& model, int link) {
  return model.tree.link(link).revolute ? "rad" : "m";
}

// Where the tip is seen from the side: the horizontal distance from the base's vertical axis, so that
// a swing does not shorten the picture.
std::vector<double> reach(const analysis::Recording& run) {
  const std::vector<double>& x = run.column("tip_x_m");
  const std::vector<double>& y = run.column("tip_y_m");
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::hypot(x[i], y[i]);
  return out;
}

LineStyle style_of(std::size_t run) { return run == 0 ? LineStyle::kThick : LineStyle::kThin; }

// Where the tip would be if every joint stood at its reference.
Curve tip_reference(const machine::MachineModel& model, const analysis::Recording& run) {
  Curve curve{"reference", {}, {}, 6, LineStyle::kDashed};
  const std::size_t rows = run.time().size();
  struct Place {
    int joint;
    const std::vector<double>* column;
  };
  std::vector<Place> columns;
  for (int i = 0; i < model.joint_count(); ++i)
    if (model.ball_of(i) == nullptr)
      columns.push_back(
          {i, &run.column(fmt::format("{}_{}{}", model.joint_name(i),
                                      actuated(model, i) ? "ref_" : "", unit_of(model, i)))});
  for (std::size_t row = 0; row < rows; ++row) {
    double q[kMaxLinks] = {};
    for (const Place& place : columns) q[place.joint] = (*place.column)[row];
    for (const multibody::Ball& ball : model.balls) {
      const auto part = [&](const char* name) { return run.column(ball.name + name)[row]; };
      const Eigen::Quaterniond turned(part("_qw"), part("_qx"), part("_qy"), part("_qz"));
      multibody::place(turned.normalized().toRotationMatrix(), q + ball.first);
    }
    const Vec3 tip = machine::tip_position(model, q);
    curve.x.push_back(std::hypot(tip.x(), tip.y()));
    curve.y.push_back(tip.z());
  }
  return curve;
}

// A load on one slide goes along a straight line, which its joint's panel shows as well.
bool has_tip_path(const machine::MachineModel& model) {
  return model.joint_count() > 1 || (model.joint_count() == 1 && model.tree.link(0).revolute);
}

Panel tip_panel(const machine::MachineModel& model, const std::vector<NamedRun>& runs,
                bool with_reference = true) {
  Panel panel{"tip path from the side",
              "distance from the base's vertical axis [m]",
              "height [m]",
              {},
              true,
              0.2};
  if (with_reference) panel.curves.push_back(tip_reference(model, *runs[0].recording));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const analysis::Recording& run = *runs[r].recording;
    panel.curves.push_back({runs.size() > 1 ? runs[r].name : "tip", reach(run),
                            run.column("tip_z_m"), static_cast<int>(r),
                            runs.size() > 1 ? style_of(r) : LineStyle::kSolid});
  }
  return panel;
}

// As Xue, Schoenborn and Orr (2005) show mechanisms in their figures 4 and 5: torques, joint speeds and the forces
// that hold the loops closed.
std::vector<Panel> mechanism_panels(const machine::MachineModel& model,
                                    const analysis::Recording& run) {
  const std::vector<double>& t = run.time();
  Panel torques{"torques of the joints' own drives", kTime, "torque [N m]", {}, false, 0.1};
  Panel speeds{"joint speeds", kTime, "speed [rad/s]", {}, false, 0.01};
  for (const machine::JointDrive& drive : model.drives)
    if (model.tree.link(drive.link).revolute)
      torques.curves.push_back({model.joint_name(drive.link), t,
                                run.column(model.joint_name(drive.link) + "_applied_Nm"),
                                drive.link});
  for (int i = 0; i < model.joint_count(); ++i)
    if (model.ball_of(i) == nullptr && model.tree.link(i).revolute)
      speeds.curves.push_back(
          {model.joint_name(i), t, run.column(model.joint_name(i) + "_rad_s"), i});
  std::vector<Panel> out;
  if (!torques.curves.empty()) out.push_back(std::move(torques));
  if (!speeds.curves.empty()) out.push_back(std::move(speeds));
  for (const multibody::Loop& loop : model.loops) {
    Panel force{"force that closes loop " + loop.name, kTime, "force [N]", {}, false, 1.0};
    for (int axis = 0; axis < 3; ++axis)
      force.curves.push_back({std::string(1, "xyz"[axis]), t,
                              run.column(fmt::format("{}_force_{}_N", loop.name, "xyz"[axis])),
                              axis});
    out.push_back(std::move(force));
  }
  return out;
}

Curve curve_of(const NamedRun& run, std::size_t index, const std::string& column, double factor) {
  return {run.name, run.recording->time(), scaled(run.recording->column(column), factor),
          static_cast<int>(index), style_of(index)};
}

}  // namespace

Figure run_figure(const machine::MachineModel& model, const command::Scenario& scenario,
                  const analysis::Recording& run, const std::string& title,
                  const std::string& note) {
  // By voltage a joint has no reference: what is recorded as such goes along with its position.
  const auto by_voltage = [&scenario](const std::string& joint) {
    return std::any_of(
        scenario.programs.begin(), scenario.programs.end(), [&](const auto& program) {
          return program.joint == joint && program.mode == command::JointMode::kVoltage;
        });
  };
  bool any_reference = false;
  std::vector<Panel> joints;
  Panel valves{"valve commands", kTime, "voltage [V]", {}, false, 1.0};
  Panel pressures{"port pressures (a solid, b dashed)", kTime, "pressure [MPa]", {}, false, 1.0};
  for (int i = 0; i < model.joint_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const std::string& joint = model.joint_name(i);
    const std::string unit = unit_of(model, i);
    Panel panel{"joint " + joint, kTime, fmt::format("position [{}]", unit), {}, false, 0.02};
    if (actuated(model, i)) {
      if (!by_voltage(joint)) {
        any_reference = true;
        panel.curves.push_back({"reference", run.time(),
                                run.column(fmt::format("{}_ref_{}", joint, unit)), 6,
                                LineStyle::kDashed});
      }
      valves.curves.push_back({joint, run.time(), run.column(joint + "_valve_V"), i});
      pressures.curves.push_back(
          {joint, run.time(), scaled(run.column(joint + "_port_a_Pa"), 1e-6), i});
      pressures.curves.push_back(
          {"", run.time(), scaled(run.column(joint + "_port_b_Pa"), 1e-6), i, LineStyle::kDashed});
    }
    panel.curves.push_back(
        {"position", run.time(), run.column(fmt::format("{}_{}", joint, unit)), i});
    joints.push_back(std::move(panel));
  }

  for (const multibody::Ball& ball : model.balls) {
    Panel panel{"joint " + ball.name, kTime, "orientation, quaternion (w dashed)", {}, false, 0.02};
    // A trace keeps w above zero; here the other sign continues the curves.
    std::vector<double> parts[4];
    for (std::size_t k = 0; k < 4; ++k)
      parts[k] = run.column(fmt::format("{}_q{}", ball.name, "xyzw"[k]));
    for (std::size_t row = 1; row < parts[0].size(); ++row) {
      double along = 0.0;
      for (const std::vector<double>& part : parts) along += part[row - 1] * part[row];
      for (std::vector<double>& part : parts) part[row] *= std::copysign(1.0, along);
    }
    for (std::size_t k = 0; k < 4; ++k)
      panel.curves.push_back({std::string(1, "xyzw"[k]), run.time(), std::move(parts[k]),
                              k == 3 ? 6 : static_cast<int>(k),
                              k == 3 ? LineStyle::kDashed : LineStyle::kSolid});
    joints.push_back(std::move(panel));
  }

  // Joints on the left, the rest on the right; what one side has more of fills both.
  std::vector<Panel> others;
  if (!valves.curves.empty()) others = {valves, pressures};
  if (!model.drives.empty())
    for (Panel& panel : mechanism_panels(model, run)) others.push_back(std::move(panel));
  if (has_tip_path(model)) others.push_back(tip_panel(model, {{"", &run}}, any_reference));
  Figure figure{title, note, {}, 2};
  std::size_t j = 0, o = 0;
  while (j < joints.size() || o < others.size()) {
    for (int side = 0; side < 2; ++side) {
      const bool joint_next = j < joints.size() && (side == 0 || o >= others.size());
      if (joint_next)
        figure.panels.push_back(joints[j++]);
      else if (o < others.size())
        figure.panels.push_back(others[o++]);
    }
  }
  return figure;
}

Figure comparison_figure(const machine::MachineModel& model, const std::vector<NamedRun>& runs,
                         const std::string& title, const std::string& note) {
  Figure figure{title, note, {}, 3};
  const analysis::Recording& first = *runs.front().recording;
  Panel apart{"joint positions less those of the " + runs.front().name + " model",
              kTime,
              "difference [mrad, mm]",
              {},
              false,
              0.01};
  std::vector<Panel> passive;
  for (int i = 0; i < model.joint_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const std::string& joint = model.joint_name(i);
    const std::string unit = unit_of(model, i);
    const std::string place = fmt::format("{}_{}", joint, unit);
    Panel position{"joint " + joint, kTime, fmt::format("position [{}]", unit), {}, false, 0.002};
    Panel valve{"valve command of " + joint, kTime, "voltage [V]", {}, false, 0.5};
    Panel ports{"port pressures of " + joint, kTime, "pressure [MPa]", {}, false, 0.2};
    for (std::size_t r = 0; r < runs.size(); ++r) {
      position.curves.push_back(curve_of(runs[r], r, place, 1.0));
      if (r > 0)
        apart.curves.push_back(
            {runs.size() > 2 ? fmt::format("{}, {}", joint, runs[r].name) : joint, first.time(),
             difference(runs[r].recording->column(place), first.column(place), 1e3), i,
             r == 1 ? LineStyle::kSolid : LineStyle::kDashed});
      if (!actuated(model, i)) continue;
      valve.curves.push_back(curve_of(runs[r], r, joint + "_valve_V", 1.0));
      for (int port = 0; port < 2; ++port) {
        Curve curve = curve_of(runs[r], r, joint + (port == 0 ? "_port_a_Pa" : "_port_b_Pa"), 1e-6);
        // Two ports of two models in one panel: each its own colour, each model its own width.
        curve.title = fmt::format("{} {}", port == 0 ? "a" : "b", runs[r].name);
        curve.color = static_cast<int>(r) + (port == 0 ? 0 : 4);
        ports.curves.push_back(std::move(curve));
      }
    }
    if (!actuated(model, i)) {
      passive.push_back(std::move(position));
      continue;
    }
    figure.panels.push_back(std::move(position));
    figure.panels.push_back(std::move(valve));
    figure.panels.push_back(std::move(ports));
  }
  std::ranges::move(passive, std::back_inserter(figure.panels));
  figure.panels.push_back(tip_panel(model, runs));
  figure.panels.push_back(std::move(apart));
  Panel tip{"tip away from that of the " + runs.front().name + " model",
            kTime,
            "distance [mm]",
            {},
            false,
            0.01};
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const analysis::Recording& run = *runs[r].recording;
    std::vector<double> distance(std::min(run.rows(), first.rows()));
    for (std::size_t k = 0; k < distance.size(); ++k)
      distance[k] = 1e3 * std::hypot(run.column("tip_x_m")[k] - first.column("tip_x_m")[k],
                                     run.column("tip_y_m")[k] - first.column("tip_y_m")[k],
                                     run.column("tip_z_m")[k] - first.column("tip_z_m")[k]);
    tip.curves.push_back({runs[r].name, first.time(), std::move(distance), static_cast<int>(r)});
  }
  figure.panels.push_back(std::move(tip));
  return figure;
}

Figure paper_figure(const std::vector<NamedRun>& runs, const std::string& title,
                    const std::string& note) {
  Panel error{"Stick position tracking error (figure 8)", kTime, "error [mrad]", {}, false, 1.0};
  Panel port{
      "Stick cylinder output pressure P4 (figure 9)", kTime, "pressure [MPa]", {}, false, 1.0};
  Panel command{"Stick command voltage (figure 10)", kTime, "voltage [V]", {}, false, 1.0};
  Panel locked{"Pressure P1 of the locked boom cylinder (figure 11)",
               kTime,
               "pressure [MPa]",
               {},
               false,
               0.5};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const analysis::Recording& run = *runs[r].recording;
    error.curves.push_back({runs[r].name, run.time(),
                            difference(run.column("stick_ref_rad"), run.column("stick_rad"), 1e3),
                            static_cast<int>(r), style_of(r)});
    port.curves.push_back(curve_of(runs[r], r, "stick_port_b_Pa", 1e-6));
    command.curves.push_back(curve_of(runs[r], r, "stick_valve_V", 1.0));
    locked.curves.push_back(curve_of(runs[r], r, "boom_port_a_Pa", 1e-6));
  }
  return {title, note, {error, port, command, locked}, 2};
}

}  // namespace knuckleboom::app
