#include "app/workbench/bench_panel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "app/window/scene_from_session.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"

namespace knuckleboom::app {
namespace {

using machine::MachineModel;

constexpr double kCurveTime = 10.0;  // s
constexpr std::size_t kMostBenchCurves = 8;
constexpr std::size_t kFirstPositions = 3;
constexpr double kRoomBelow = 0.8;                              // of the machine's size
constexpr int kPose = static_cast<int>(DemandKind::kPosition);  // any joint can be placed

multibody::Kinematics kinematics_at(const MachineModel& model, const double* q) {
  const double still[kMaxLinks] = {};
  return multibody::forward_kinematics(model.tree, q, still);
}

Vec3 point_W(const MachineModel& model, const multibody::Kinematics& kinematics, int body,
             const Vec3& p_B) {
  if (body == multibody::kBase) return p_B;
  const multibody::Pose pose = multibody::body_pose(model.tree, kinematics, body);
  return pose.R * p_B + pose.p;
}

// A forestry machine has shapes or wheels; anything else without meshes or forms of its own is an arm.
bool is_arm(const MachineModel& model, const view::MachineLook& look) {
  return look.parts.empty() && model.wheels.empty() && (look.imported || model.shapes.empty());
}

// A body that closes a loop is as long as the way to there.
void end_at_loops(const MachineModel& model, view::MachineLook& look) {
  const auto take = [&](int body, const Vec3& point) {
    for (view::BodyLook& own : look.bodies) {
      if (model.tree.link(own.body).body != body || point.norm() < 1e-6) continue;
      if (own.has_end && own.end_B.norm() >= point.norm()) continue;
      own.end_B = point;
      own.has_end = true;
    }
  };
  for (const multibody::Loop& loop : model.loops) {
    take(loop.body_a, loop.point_a);
    take(loop.body_b, loop.point_b);
  }
}

std::string shown_unit(const std::string& unit) { return unit == "1" || unit == "#" ? "" : unit; }

// Large numbers in thousands or millions of their unit.
void shorten(view::panels::Plot& plot) {
  float most = 0.0F;
  for (const view::panels::PlotCurve& curve : plot.curves)
    for (const auto& [t, y] : curve.points)
      if (std::isfinite(y)) most = std::max(most, std::fabs(y));
  const float scale = most >= 1e5F ? 1e-6F : most >= 1e3F ? 1e-3F : 1.0F;
  if (scale == 1.0F) return;
  plot.title.insert(0, scale < 1e-4F ? "M" : "k");
  for (view::panels::PlotCurve& curve : plot.curves)
    for (auto& [t, y] : curve.points) y *= scale;
}

view::panels::BenchJointRow joint_row_of(const Workbench& bench, const BenchRest& rest,
                                         const BenchShot& shot, int i) {
  view::panels::BenchJointRow row;
  const MachineModel& model = bench.model();
  const bool turns = model.tree.link(i).revolute;
  const char* const units[kDemandKinds] = {"", "V", turns ? "rad" : "m", turns ? "rad/s" : "m/s",
                                           turns ? "N m" : "N"};
  row.name = model.joint_name(i);
  row.unit = turns ? "rad" : "m";
  row.position = shot.snapshot.joint[i].position;
  const Demand& demand = shot.demand[i];
  row.way = static_cast<int>(demand.kind);
  row.value = demand.value;
  for (int kind = 0; kind < kDemandKinds; ++kind) {
    view::panels::BenchWay way{kDemandWords[kind], units[kind], false, 0.0, 0.0};
    way.allowed = bench.can(i, static_cast<DemandKind>(kind));
    if ((way.allowed && kind > 0) || kind == kPose) {
      const Workbench::Reach& reach = nth(nth(rest.reach, i), kind);
      way.low = reach.low;
      way.high = reach.high;
    }
    row.ways.push_back(std::move(way));
  }
  return row;
}

}  // namespace

BenchScene bench_scene(const Workbench& bench) {
  BenchScene out;
  const MachineModel& model = bench.model();
  out.look = machine_look(model);
  out.look.arm = is_arm(model, out.look);
  const multibody::Tree& tree = model.tree;
  end_at_loops(model, out.look);
  const multibody::Kinematics kinematics = kinematics_at(model, bench.state().sim.machine.q);
  Vec3 low = Vec3::Constant(1e9), high = Vec3::Constant(-1e9);
  const auto take = [&](const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  };
  for (const view::BodyLook& body : out.look.bodies) {
    const multibody::Pose pose = multibody::body_pose(tree, kinematics, tree.link(body.body).body);
    take(pose.p);
    if (body.has_end) take(pose.R * body.end_B + pose.p);
  }
  take(point_W(model, kinematics, model.tip_body, model.tip_B));
  out.size = std::max(0.3, (high - low).norm());
  out.middle_W = 0.5 * (low + high);
  if (tree.link_count() == 0 || !model.wheels.empty()) return out;
  if (!out.look.arm) {
    if (out.look.imported) out.floor_z = std::min(0.0, low.z());
    return out;
  }
  // Room to swing below the first joint; its foot reaches down to the floor.
  out.look.foot_W = tree.body(tree.link(0).body).in_parent.p;
  const double foot = out.look.foot_W.z();
  out.floor_z = foot > 0.5 * out.size ? 0.0 : std::min(0.0, foot - kRoomBelow * out.size);
  out.look.foot_height = std::max(0.08, foot - out.floor_z);
  return out;
}

view::WorkbenchPoses bench_poses(const MachineModel& model, const sim::Snapshot& snapshot) {
  view::WorkbenchPoses out;
  const multibody::Tree& tree = model.tree;
  double q[kMaxLinks] = {};
  for (int i = 0; i < model.joint_count(); ++i) q[i] = snapshot.joint[i].position;
  const multibody::Kinematics kinematics = kinematics_at(model, q);
  for (int link = 0; link < tree.link_count(); ++link) {
    const multibody::Pose pose = multibody::body_pose(tree, kinematics, tree.link(link).body);
    nth(out.bodies.body, link) = {pose.R, pose.p};
  }
  out.bodies.t_s = snapshot.t_s;
  out.bodies.tip_W = Vec3(snapshot.tip_W[0], snapshot.tip_W[1], snapshot.tip_W[2]);
  for (int i = 0; i < snapshot.wheel_count; ++i)
    nth(out.bodies.wheel_turned, i) = snapshot.wheel[i].turned;
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    const multibody::Loop& loop = model.loops[l];
    const double* force = snapshot.loop_force_W[l];
    out.forces.push_back({view::ForceMark::kLoop,
                          point_W(model, kinematics, loop.body_a, loop.point_a),
                          Vec3(force[0], force[1], force[2])});
  }
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const machine::Actuator& actuator = model.actuators[k];
    if (actuator.linkage.kind == machine::LinkageKind::kDirect) continue;
    const multibody::Body& body = tree.body(tree.link(actuator.link).body);
    const bool pins = actuator.linkage.kind == machine::LinkageKind::kPins;
    const Vec3 base =
        pins ? point_W(model, kinematics, actuator.linkage.base_body, actuator.linkage.base_pin)
             : point_W(model, kinematics, body.parent,
                       body.in_parent.R * actuator.linkage.base_pin + body.in_parent.p);
    const Vec3 rod =
        point_W(model, kinematics, pins ? actuator.linkage.rod_body : tree.link(actuator.link).body,
                actuator.linkage.rod_pin);
    const Vec3 along = rod - base;
    if (along.norm() > 1e-6)
      out.forces.push_back(
          {view::ForceMark::kActuator, rod, snapshot.actuator[k].force * along.normalized()});
  }
  for (const machine::JointDrive& drive : model.drives) {
    const multibody::Body& body = tree.body(tree.link(drive.link).body);
    const view::Pose& pose = nth(out.bodies.body, drive.link);
    out.forces.push_back({view::ForceMark::kTorque, pose.p,
                          snapshot.joint_applied[drive.link] * (pose.R * body.axis_B)});
  }
  return out;
}

// --- Curves -----------------------------------------------------------------------------------------

void BenchCurves::choose(const Workbench& bench, const BenchHistory& history) {
  std::vector<std::string> names;
  const MachineModel& model = bench.model();
  std::vector<int> joints;
  for (const machine::Actuator& actuator : model.actuators) joints.push_back(actuator.link);
  for (const machine::JointDrive& drive : model.drives) joints.push_back(drive.link);
  if (joints.empty())
    for (int i = 0; i < model.joint_count(); ++i) joints.push_back(i);
  std::string unit;
  for (const int joint : joints) {
    const std::string own = model.tree.link(joint).revolute ? "rad" : "m";
    if (names.size() == kFirstPositions || (!unit.empty() && own != unit)) break;
    unit = own;
    names.push_back(model.joint_name(joint) + "_" + own);
  }
  if (!joints.empty()) {
    const std::string& first = model.joint_name(joints.front());
    for (const char* of : {"_port_a_Pa", "_port_b_Pa"})
      if (!model.actuators.empty()) names.push_back(first + of);
    for (std::size_t d = 0; d < std::min(kFirstPositions, model.drives.size()); ++d)
      for (const char* of : {"_applied_Nm", "_applied_N"})
        names.push_back(model.joint_name(model.drives[d].link) + of);
  }
  if (!model.loops.empty())
    for (const char* of : {"_force_x_N", "_force_z_N"})
      names.push_back(model.loops.front().name + of);
  shown_.clear();
  for (const std::string& name : names) {
    if (history.find(name) < 0) continue;
    try {
      show(history, name);
    } catch (const UserError&) {  // there is no more room
    }
  }
}

void BenchCurves::show(const BenchHistory& history, const std::string& channel) {
  const int found = history.find(channel);
  if (found < 0) {
    std::vector<std::string> names;
    for (const sim::Channel& one : history.channels()) names.push_back(one.name);
    throw UserError(
        fmt::format("there is no channel '{}'{}", channel, io::suggestion(channel, names)));
  }
  if (colour(channel) >= 0) return;
  if (shown_.size() == kMostBenchCurves)
    throw UserError(fmt::format("{} curves are shown already; hide one first", kMostBenchCurves));
  const std::string unit = history.channels()[static_cast<std::size_t>(found)].unit;
  std::vector<std::string> units = {unit};
  for (const Shown& shown : shown_)
    if (std::find(units.begin(), units.end(), shown.unit) == units.end())
      units.push_back(shown.unit);
  if (units.size() > static_cast<std::size_t>(kBenchPlots))
    throw UserError(
        fmt::format("curves of {} units are shown already; hide those of one first", kBenchPlots));
  int free = 0;
  while (std::any_of(shown_.begin(), shown_.end(),
                     [free](const Shown& s) { return s.colour == free; }))
    ++free;
  shown_.push_back({channel, unit, free});
}

void BenchCurves::hide(const std::string& channel) {
  if (std::erase_if(shown_, [&](const Shown& shown) { return shown.channel == channel; }) == 0)
    throw UserError(fmt::format("channel '{}' is not shown", channel));
}

int BenchCurves::colour(const std::string& channel) const {
  for (const Shown& shown : shown_)
    if (shown.channel == channel) return shown.colour;
  return -1;
}

std::vector<view::panels::Plot> BenchCurves::plots(const BenchHistory& history) const {
  std::vector<view::panels::Plot> out;
  std::vector<std::string> units;
  for (const Shown& shown : shown_) {
    const int channel = history.find(shown.channel);
    if (channel < 0) continue;
    const auto known = std::find(units.begin(), units.end(), shown.unit);
    const auto at = static_cast<std::size_t>(known - units.begin());
    if (known == units.end()) {
      units.push_back(shown.unit);
      view::panels::Plot plot;
      plot.title = shown_unit(shown.unit);
      plot.least_span = 1e-4F;
      plot.from_zero = false;
      plot.to_s = static_cast<float>(kCurveTime);
      out.push_back(std::move(plot));
    }
    view::panels::PlotCurve curve{
        shown.channel,
        view::panels::kCurveColours[shown.colour % view::panels::kCurveColourCount],
        {}};
    if (history.rows() > 0) {
      const std::vector<double>& t = history.time();
      const std::vector<double>& y = history.column(channel);
      const double from = std::max(0.0, t.back() - kCurveTime);
      const auto first =
          static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), from) - t.begin());
      for (std::size_t i = first; i < t.size(); ++i)
        curve.points.emplace_back(static_cast<float>(t[i] - from), static_cast<float>(y[i]));
    }
    nth(out, static_cast<int>(at)).curves.push_back(std::move(curve));
  }
  for (view::panels::Plot& plot : out) shorten(plot);
  return out;
}

// --- Panel ------------------------------------------------------------------------------------------

BenchRest bench_rest(const Workbench& bench) {
  BenchRest out;
  out.payloads = bench.payloads();
  for (int i = 0; i < bench.model().joint_count(); ++i) {
    out.there.push_back(!bench.is_absent(i));
    out.reach.emplace_back();
    for (int kind = 1; kind < kDemandKinds; ++kind)
      if (bench.can(i, static_cast<DemandKind>(kind)) || kind == kPose)
        nth(out.reach.back(), kind) = bench.reach(i, static_cast<DemandKind>(kind));
  }
  return out;
}

view::panels::WorkbenchPanel bench_panel(const Workbench& bench, const BenchRest& rest,
                                         const BenchShot& shot, bool running,
                                         const BenchHistory& history, const BenchCurves& curves,
                                         const BenchLevers& levers, const std::string& event,
                                         double frames_per_s) {
  view::panels::WorkbenchPanel panel;
  const MachineModel& model = bench.model();
  panel.running = running;
  panel.title = bench.bench_case().has_scenario ? bench.bench_case().loaded.title() : model.name;
  panel.subtitle = fmt::format("{}   {:.2f} s   {} model", running ? "running" : "paused",
                               shot.snapshot.t_s, machine::word_of(bench.request().fidelity));
  if (frames_per_s > 0.0) panel.subtitle += fmt::format("   {:.0f} pictures/s", frames_per_s);
  if (shot.health.overruns > 0)
    panel.subtitle += fmt::format("   {} late", counted(shot.health.overruns, "tick", "ticks"));
  panel.event = event;
  panel.plots = curves.plots(history);
  for (int i = 0; i < model.joint_count(); ++i)
    if (model.ball_of(i) == nullptr) panel.joints.push_back(joint_row_of(bench, rest, shot, i));
  for (const sim::Channel& channel : history.channels())
    panel.channels.push_back({channel.name, shown_unit(channel.unit), channel.description,
                              channel.value(shot.snapshot), curves.colour(channel.name)});
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    if (!body.name.empty())
      panel.bodies.push_back(
          {body.name, rest.there[static_cast<std::size_t>(i)], body.inertia.mass});
  }
  panel.payloads = rest.payloads;
  panel.keys = bench.assignments();
  panel.levers = levers.lines(bench);
  panel.levers.insert(panel.levers.begin(), "levers: " + levers.name());
  return panel;
}

}  // namespace knuckleboom::app
