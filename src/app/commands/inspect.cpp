// knuckleboom inspect: what follows from a machine file.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "app/commands/import_text.hpp"
#include "app/commands/options.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/modes.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {
namespace {

struct InspectOptions {
  std::string machine;
  std::vector<std::string>
      at;  // "joint=position"; joints left out stand in the middle of their range
  std::vector<std::string> assignments;
  bool sources = false;  // show the source of every number
  std::string json;      // file; empty: none
};

using machine::MachineModel;

constexpr int kRangeSamples = 200;

// --- What is found ------------------------------------------------------------

struct JointFacts {
  std::string name, body, unit;
  bool limited = false;
  double lower = 0.0, upper = 0.0;
  int actuator = -1;
};

// Displacement and lever of an actuator over its joint's range.
struct LinkageFacts {
  double x_min = std::numeric_limits<double>::infinity();
  double x_max = -std::numeric_limits<double>::infinity();
  double lever_min = std::numeric_limits<double>::infinity();  // of |J|
  double lever_max = 0.0;
  double lever_min_at = 0.0, lever_max_at = 0.0;
};

struct PoseFacts {
  std::string name;
  std::string unsettled;  // why there is no such pose; else empty, and all below counts
  std::vector<double> q;  // of each joint with a coordinate
  std::vector<Eigen::Quaterniond> turned;  // of each ball
  double tip[3] = {};
  std::vector<double> load;            // of each joint with a coordinate, to be held [N m, N]
  std::vector<double> force;           // of each actuator
  std::vector<double> x, J;            // of each actuator
  std::vector<double> mass;            // M_Eq of each actuator [kg, kg m^2]; nan: nothing moves it
  std::vector<double> port_a, port_b;  // with the unloaded side at tank pressure [Pa]
  std::vector<analysis::Mode> modes;
  std::int64_t dependent = 0;  // joints that follow from the others
  double quality = 1.0;
  std::string singular;  // sentence, if this pose is one
  std::string branch;    // the same if the loops have closed in another way than in the middle

  // Whether the machine can stand here with finite loads and pressures.
  bool finite() const {
    bool all = std::isfinite(tip[0]) && std::isfinite(tip[1]) && std::isfinite(tip[2]);
    for (const std::vector<double>* list : {&q, &load, &force, &x, &J, &port_a, &port_b})
      for (const double number : *list) all = all && std::isfinite(number);
    return all;
  }
};

bool limited(const multibody::Body& body) { return body.upper > body.lower; }

const multibody::Body& body_of(const MachineModel& model, int link) {
  return model.tree.body(model.tree.link(link).body);
}

std::string body_name(const MachineModel& model, int body) {
  return body == multibody::kBase ? "base" : model.tree.body(body).name;
}

// Joints with a coordinate of their own: all but the turns of balls.
std::vector<int> coordinates(const MachineModel& model) {
  std::vector<int> out;
  for (int i = 0; i < model.joint_count(); ++i)
    if (model.ball_of(i) == nullptr) out.push_back(i);
  return out;
}

std::vector<double> of_coordinates(const MachineModel& model, const double* by_joint) {
  std::vector<double> out;
  for (const int i : coordinates(model)) out.push_back(by_joint[i]);
  return out;
}

std::vector<JointFacts> joint_facts(const MachineModel& model) {
  std::vector<JointFacts> out;
  for (const int i : coordinates(model)) {
    const multibody::Body& body = body_of(model, i);
    JointFacts facts{model.joint_name(i), body.name,  model.tree.link(i).revolute ? "rad" : "m",
                     limited(body),       body.lower, body.upper};
    for (std::size_t k = 0; k < model.actuators.size(); ++k)
      if (model.actuators[k].link == i) facts.actuator = static_cast<int>(k);
    out.push_back(std::move(facts));
  }
  return out;
}

LinkageFacts linkage_facts(const MachineModel& model, int actuator) {
  LinkageFacts facts;
  const multibody::Body& body =
      body_of(model, model.actuators[static_cast<std::size_t>(actuator)].link);
  for (int i = 0; i <= kRangeSamples; ++i) {
    const double q = body.lower + (body.upper - body.lower) * i / kRangeSamples;
    const machine::LinkageState s = machine::displacement(model, actuator, q);
    facts.x_min = std::min(facts.x_min, s.x);
    facts.x_max = std::max(facts.x_max, s.x);
    if (std::fabs(s.J) < facts.lever_min) {
      facts.lever_min = std::fabs(s.J);
      facts.lever_min_at = q;
    }
    if (std::fabs(s.J) > facts.lever_max) {
      facts.lever_max = std::fabs(s.J);
      facts.lever_max_at = q;
    }
  }
  return facts;
}

// The mass that each actuator has to move while the others stand still and joints without actuator are free: the diagonal of
// M_Eq in Papadopoulos and Gonthier (2002), eq. 9 and 12, here (J M^-1 J^T)^-1 with the rows J of the actuators'
// displacements. Its force at rest is their F_S.
std::vector<double> equivalent_masses(const MachineModel& model,
                                      const machine::MachineState& state) {
  const auto count = static_cast<Eigen::Index>(model.actuators.size());
  std::vector<double> out(model.actuators.size(), std::numeric_limits<double>::quiet_NaN());
  if (count == 0) return out;
  const machine::FreeMass free(model, state);
  const auto along = [&](int k, int l) {
    double row[kMaxLinks], other[kMaxLinks];
    machine::displacement_row(model, k, state.q, row);
    machine::displacement_row(model, l, state.q, other);
    for (int i = 0; k != l && i < model.joint_count(); ++i) row[i] += other[i];
    return free.inverse_along(row);
  };
  Eigen::MatrixXd mobility(count, count);
  for (int k = 0; k < count; ++k) mobility(k, k) = along(k, k);
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < k; ++l)
      mobility(k, l) = mobility(l, k) = 0.5 * (along(k, l) - mobility(k, k) - mobility(l, l));
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(mobility);
  if (!solver.isInvertible()) return out;
  const Eigen::MatrixXd mass = solver.inverse();
  for (int k = 0; k < count; ++k) out[static_cast<std::size_t>(k)] = mass(k, k);
  return out;
}

// modes: whether to look for them.
PoseFacts pose_facts(const MachineModel& model, const std::string& name,
                     const std::vector<std::optional<double>>& q, bool modes = true) {
  command::Scenario scenario;
  scenario.name = "inspect";
  scenario.duration_s = scenario.tick_s;
  for (int i = 0; i < model.joint_count(); ++i) {
    if (!q[static_cast<std::size_t>(i)]) continue;
    command::InitialJoint joint;
    joint.joint = model.joint_name(i);
    joint.position = *q[static_cast<std::size_t>(i)];
    scenario.initial.push_back(joint);
  }
  PoseFacts facts;
  facts.name = name;
  std::optional<sim::Simulation> simulation;
  try {
    simulation.emplace(model, scenario);
  } catch (const std::invalid_argument& error) {
    facts.unsettled = error.what();
    return facts;
  }
  const sim::SimState state = simulation->initial_state(machine::Fidelity::kFull);
  const machine::MachineState& m = state.machine;

  facts.q = of_coordinates(model, m.q);
  for (const multibody::Ball& ball : model.balls)
    facts.turned.push_back(multibody::orientation(m.q + ball.first));
  const Vec3 tip = machine::tip_position(model, m.q);
  for (int c = 0; c < 3; ++c) facts.tip[c] = tip(c);
  double load[kMaxLinks], force[kMaxActuators];
  machine::static_loads(model, m.inertia, m.q, m.dependent, force, load);
  facts.load = of_coordinates(model, load);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const machine::LinkageState s = machine::displacement(model, static_cast<int>(k), m.q);
    facts.x.push_back(s.x);
    facts.J.push_back(s.J);
    facts.force.push_back(force[k]);
    facts.port_a.push_back(m.actuator[k].p[0]);
    facts.port_b.push_back(m.actuator[k].p[1]);
  }
  facts.mass = equivalent_masses(model, m);
  if (modes) facts.modes = analysis::closed_valve_modes(*simulation, state);
  if (!model.loop_system.empty()) {
    double closed[kMaxLinks];
    std::copy(m.q, m.q + model.joint_count(), closed);
    multibody::Embedding e;
    model.loop_system.embed(model.tree, m.dependent, m.v, closed, e);
    facts.dependent = m.dependent;
    facts.quality = e.quality;
    if (e.quality < machine::kSingularQuality)
      facts.singular = machine::singular_sentence(model, e.worst, m.q);
  }
  return facts;
}

// Moves the independent joints straight from a pose with closed loops to another one, the dependent ones
// with them. Empty: they come to where they stand there, or the way leads through a pose where that cannot be
// told. Not for machines with balls: those have no straight way.
std::string branch_sentence(const MachineModel& model, const PoseFacts& from, const PoseFacts& to) {
  constexpr int kSteps = 200;
  constexpr double kApart = 0.05;  // rad, m
  const double zero[kMaxLinks] = {};
  double q[kMaxLinks] = {};
  std::copy(from.q.begin(), from.q.end(), q);
  for (int step = 1; step <= kSteps; ++step) {
    const double share = static_cast<double>(step) / kSteps;
    for (int i = 0; i < model.joint_count(); ++i)
      if ((from.dependent >> i & 1) == 0) {
        const auto u = static_cast<std::size_t>(i);
        q[i] = from.q[u] + share * (to.q[u] - from.q[u]);
      }
    multibody::Embedding e;
    model.loop_system.embed(model.tree, from.dependent, zero, q, e);
    if (e.gap > 0.0 || e.quality < machine::kSingularQuality) return {};
  }
  std::vector<std::string> apart;
  for (int i = 0; i < model.joint_count(); ++i) {
    if ((from.dependent >> i & 1) == 0) continue;
    const bool turns = model.tree.link(i).revolute;
    double away = to.q[static_cast<std::size_t>(i)] - q[i];
    if (turns) away = std::remainder(away, 2.0 * std::numbers::pi);
    if (std::fabs(away) > kApart)
      apart.push_back(fmt::format("'{0}' at {1:.4g} {2} (--at {0}={1:.4g})", model.joint_name(i),
                                  q[i], turns ? "rad" : "m"));
  }
  if (apart.empty()) return {};
  return fmt::format(
      "the loops have closed on another branch than in the middle of the ranges; from there the "
      "machine would come here with {}",
      listing(apart));
}

const multibody::Coupling* coupling_of(const MachineModel& model, int link) {
  const auto found = std::find_if(model.couplings.begin(), model.couplings.end(),
                                  [link](const multibody::Coupling& c) { return c.joint == link; });
  return found == model.couplings.end() ? nullptr : &*found;
}

// Where only couplings join joints, those that a user has placed lead, else those that follow none.
void let_follow(const MachineModel& model, const std::vector<bool>& placed,
                std::vector<std::optional<double>>& q) {
  const multibody::LoopSystem& loops = model.loop_system;
  for (int g = 0; g < loops.group_count(); ++g) {
    const multibody::LoopSystem::Group& group = loops.group(g);
    if (!group.linear()) continue;
    const bool any = std::any_of(group.joint.begin(), group.joint.end(),
                                 [&](int j) { return placed[static_cast<std::size_t>(j)]; });
    for (const int j : group.joint) {
      const auto i = static_cast<std::size_t>(j);
      if (any ? !placed[i] : coupling_of(model, j) != nullptr) q[i].reset();
    }
  }
}

// Share of the way from the lower to the upper limit, for every joint; those without limits stand at 0,
// and those without actuator hang.
std::vector<std::optional<double>> pose_at(const MachineModel& model, double share) {
  std::vector<std::optional<double>> q;
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = body_of(model, i);
    q.emplace_back(limited(body) ? body.lower + share * (body.upper - body.lower) : 0.0);
    if (model.passive(i)) q.back().reset();
  }
  let_follow(model, std::vector<bool>(q.size()), q);
  return q;
}

std::vector<PoseFacts> all_poses(const MachineModel& model, const std::vector<std::string>& at) {
  bool all_free = model.joint_count() > 0;
  for (int i = 0; i < model.joint_count(); ++i) all_free = all_free && model.passive(i);
  // Without any actuator the three below would be one and the same.
  if (at.empty() && all_free)
    return {pose_facts(model,
                       "hanging freely: limits do not hold a joint without actuator, --at does",
                       pose_at(model, 0.5))};
  if (at.empty())
    return {pose_facts(model, "middle of the ranges", pose_at(model, 0.5)),
            pose_facts(model, "a tenth above the lower limits", pose_at(model, 0.1)),
            pose_facts(model, "a tenth below the upper limits", pose_at(model, 0.9))};
  std::vector<std::optional<double>> q = pose_at(model, 0.5);
  std::vector<bool> placed(q.size());
  std::vector<std::string> joints;
  for (const int i : coordinates(model)) joints.push_back(model.joint_name(i));
  for (const std::string& assignment : at) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
      throw UserError(fmt::format("--at {}: write JOINT=POSITION, such as {}=0.5", assignment,
                                  joints.empty() ? std::string("boom") : joints.front()));
    const std::string joint = assignment.substr(0, equals);
    const auto found = std::find(joints.begin(), joints.end(), joint);
    if (const auto ball = std::find_if(model.balls.begin(), model.balls.end(),
                                       [&](const auto& b) { return b.name == joint; });
        ball != model.balls.end())
      throw UserError(
          fmt::format("--at {}: joint '{}' turns in any direction and has no position "
                      "that one number gives; here it stands as it comes to rest",
                      assignment, joint));
    if (found == joints.end())
      throw UserError(fmt::format("--at {}: machine '{}' has no joint '{}'{}", assignment,
                                  model.name, joint, alternatives(joint, joints)));
    const auto i = static_cast<std::size_t>(model.tree.find_joint(joint));
    const double position = parse_number(assignment.substr(equals + 1), "--at " + joint);
    q[i] = position;
    placed[i] = true;
    const multibody::Body& body = body_of(model, static_cast<int>(i));
    if (limited(body) && !(position >= body.lower && position <= body.upper))
      throw UserError(fmt::format("--at {}: joint '{}' goes from {:g} to {:g}", assignment, joint,
                                  body.lower, body.upper));
  }
  let_follow(model, placed, q);
  PoseFacts pose = pose_facts(model, "as given", q);
  if (!pose.unsettled.empty() && model.balls.empty()) throw UserError(pose.unsettled);
  if (pose.unsettled.empty() && !model.loops.empty() && model.balls.empty()) {
    const PoseFacts middle = pose_facts(model, {}, pose_at(model, 0.5), false);
    if (middle.unsettled.empty()) pose.branch = branch_sentence(model, middle, pose);
  }
  return {std::move(pose)};
}

// --- Valves -------------------------------------------------------------------

constexpr double kOpenings[] = {0.1, 0.5, 1.0};
constexpr double kReferencePressures[] = {1e6, 10e6};  // Pa across one edge
constexpr const char* kEdgeNames[] = {"pump to a", "b to tank", "pump to b", "a to tank"};

double edge_flow(const hydraulics::Valve& valve, int edge, double opening, double dP) {
  return std::sqrt(dP /
                   hydraulics::resistance(valve, static_cast<hydraulics::Edge>(edge), opening));
}

bool same_edges(const hydraulics::Valve& valve) {
  for (int edge = 1; edge < 4; ++edge)
    for (const double opening : kOpenings)
      if (edge_flow(valve, edge, opening, 1e6) != edge_flow(valve, 0, opening, 1e6)) return false;
  return true;
}

// --- Text ---------------------------------------------------------------------

constexpr double kLitresPerMinute = 60'000.0;  // per m^3/s

// Dry friction between its Coulomb and its static value; empty if there is none.
std::string friction_words(const friction::FrictionModel& dry, bool turns) {
  constexpr const char* kNames[] = {"", "Coulomb", "continuous Coulomb", "Stribeck", "LuGre"};
  if (dry.kind == friction::Kind::kNone) return {};
  const char* const unit = turns ? "N m" : "N";
  return fmt::format(", {} friction {} to {}", kNames[static_cast<int>(dry.kind)],
                     with_prefix(dry.F_c, unit), with_prefix(dry.F_s, unit));
}

std::string own_friction_words(const MachineModel& model, int link, bool turns) {
  if (model.joint_friction.empty()) return {};
  return friction_words(model.joint_friction[static_cast<std::size_t>(link)], turns);
}

std::string passive_words(const MachineModel& model, const JointFacts& joint) {
  const int link = model.tree.find_joint(joint.name);
  const multibody::Body& body = body_of(model, link);
  const bool turns = joint.unit == "rad";
  const auto drive = std::find_if(model.drives.begin(), model.drives.end(),
                                  [link](const machine::JointDrive& d) { return d.link == link; });
  std::string text = drive != model.drives.end()                           ? ", drive of its own"
                     : coupling_of(model, link) != nullptr                 ? ", follows another"
                     : model.loop_system.has(link) && !model.loops.empty() ? ", in a loop"
                                                                           : ", passive";
  if (body.damping > 0.0)
    text += fmt::format(", damping {:g} {}", body.damping, turns ? "N m s/rad" : "N s/m");
  if (body.stop_stiffness > 0.0)
    text += ", stops " + with_prefix(body.stop_stiffness, turns ? "N m/rad" : "N/m");
  return text + own_friction_words(model, link, turns) + "\n";
}

// Joints that turn in any direction.
std::string balls_text(const MachineModel& model) {
  const auto listed = [](const Vec3& v) {
    return fmt::format("{:g}, {:g}, {:g}", v.x(), v.y(), v.z());
  };
  std::string text;
  for (const multibody::Ball& ball : model.balls) {
    const multibody::Body& body = body_of(model, ball.first + multibody::kTurns - 1);
    text += fmt::format("  {:<12}turns body '{}' in any direction", ball.name, body.name);
    if (!ball.damping.isZero(0.0)) text += ", damping " + listed(ball.damping) + " N m s/rad";
    if (!ball.stiffness.isZero(0.0)) text += ", spring " + listed(ball.stiffness) + " N m/rad";
    text += "\n";
  }
  return text;
}

std::string joints_text(const MachineModel& model, const std::vector<JointFacts>& joints) {
  std::string text = "\njoints\n";
  for (const JointFacts& joint : joints) {
    text +=
        fmt::format("  {:<12}{:<10}", joint.name, joint.unit == "rad" ? "revolute" : "prismatic");
    text += joint.limited ? fmt::format("{:g} to {:g} {}", joint.lower, joint.upper, joint.unit)
                          : std::string("no limits");
    if (joint.actuator < 0) {
      text += passive_words(model, joint);
      continue;
    }
    const machine::Actuator& actuator = model.actuators[static_cast<std::size_t>(joint.actuator)];
    const bool cylinder = actuator.circuit.kind == hydraulics::ActuatorKind::kCylinder;
    text += fmt::format(", {} '{}'{}{}\n",
                        actuator.air ? "pneumatic cylinder"
                        : cylinder   ? "cylinder"
                                     : "motor",
                        actuator.name, friction_words(actuator.friction, !cylinder),
                        own_friction_words(model, actuator.link, joint.unit == "rad"));
    if (actuator.linkage.kind == machine::LinkageKind::kPins)
      text += fmt::format("  {:<12}between pins on '{}' and '{}', length {:.4f} to {:.4f} m\n", "",
                          body_name(model, actuator.linkage.base_body),
                          body_name(model, actuator.linkage.rod_body), actuator.linkage.length_min,
                          actuator.linkage.length_max);
    if (actuator.linkage.kind != machine::LinkageKind::kTriangle || !joint.limited) continue;
    const LinkageFacts linkage = linkage_facts(model, joint.actuator);
    text += fmt::format("  {:<12}length {:.4f} to {:.4f} m, stroke {:.4f} m\n", "", linkage.x_min,
                        linkage.x_max, linkage.x_max - linkage.x_min);
    text += fmt::format("  {:<12}lever arm {:.4f} m (at {:.3f} rad) to {:.4f} m (at {:.3f} rad)\n",
                        "", linkage.lever_min, linkage.lever_min_at, linkage.lever_max,
                        linkage.lever_max_at);
  }
  return text;
}

std::string loops_text(const MachineModel& model) {
  if (model.loops.empty()) return {};
  std::string text = "\nloops\n";
  for (const multibody::Loop& loop : model.loops)
    text += fmt::format("  {:<12}point of '{}' on a {} of '{}'\n", loop.name,
                        body_name(model, loop.body_a),
                        loop.kind == multibody::LoopKind::kPointPoint ? "point" : "line",
                        body_name(model, loop.body_b));
  return text;
}

std::string couplings_text(const MachineModel& model) {
  if (model.couplings.empty()) return {};
  const auto unit = [&model](int link) { return model.tree.link(link).revolute ? "rad" : "m"; };
  std::string text = "\ncouplings\n";
  for (const multibody::Coupling& c : model.couplings)
    text += fmt::format("  {:<12}follows '{}' by {:g} {} for each {}, from {:g} {}\n",
                        model.joint_name(c.joint), model.joint_name(c.follows), c.ratio,
                        unit(c.joint), unit(c.follows), c.offset, unit(c.joint));
  return text;
}

// Which joints follow from which at a pose, and how well.
std::string bench_pose_text(const MachineModel& model, const PoseFacts& pose) {
  if (model.loop_system.empty() || !pose.unsettled.empty()) return {};
  std::vector<std::string> follow;
  for (int i = 0; i < model.joint_count(); ++i)
    if ((pose.dependent >> i & 1) != 0) follow.push_back(model.joint_name(i));
  std::string text = fmt::format("  {:<12}{} {}, determined to {:.3f} of the best possible\n",
                                 model.loops.empty() ? "couplings" : "loops", listing(follow),
                                 follow.size() == 1 ? "follows" : "follow", pose.quality);
  if (!pose.singular.empty()) text += fmt::format("  warning: {}\n", pose.singular);
  if (!pose.branch.empty()) text += fmt::format("  warning: {}\n", pose.branch);
  return text;
}

std::string masses_text(const MachineModel& model, double& total) {
  std::string text = "\nmasses\n";
  total = 0.0;
  for (int i = 0; i < model.tree.body_count(); ++i) {
    const multibody::Body& body = model.tree.body(i);
    total += body.inertia.mass;
    text += fmt::format("  {:<18}{:g} kg\n", body.name, body.inertia.mass);
  }
  return text + fmt::format("  {:<18}{:g} kg\n", "all", total);
}

std::string outside_text(const MachineModel& model) {
  std::string text;
  if (const std::string parts = outside_parts(model); !parts.empty()) text += "\n" + parts + "\n";
  const machine::Grapple& g = model.grapple;
  if (g.driven())
    text += fmt::format(
        "grapple on '{}': jaws '{}' and '{}' of {:g} m on hinges {:g} m apart open to {:g} m\n",
        model.tree.body(g.body).name, model.tree.body(g.jaw[0]).name,
        model.tree.body(g.jaw[1]).name, g.jaw_length, g.hinge_distance, g.opening_max);
  else if (g.present)
    text += fmt::format(
        "grapple on '{}': opens {:g} m in {:g} s, jaws {:g} m on hinges {:g} m apart, grip {}\n",
        model.tree.body(g.body).name, g.opening_max, g.closing_time_s, g.jaw_length,
        g.hinge_distance, with_prefix(g.grip_force_N, "N"));
  return text;
}

// To two digits, without a sign on zero.
double megapascals(double pascals) {
  const double hundredths = std::round(pascals * 1e-4);
  return hundredths == 0.0 ? 0.0 : 0.01 * hundredths;
}

// To four digits behind the point, without a sign on zero.
double without_sign_of_zero(double ratio) { return std::fabs(ratio) < 0.5e-4 ? 0.0 : ratio; }

// Rounding errors of a computation are nothing. In SI units.
double without_dust(double value) { return std::fabs(value) < 1e-9 ? 0.0 : value; }

std::string pose_text(const MachineModel& model, const PoseFacts& pose) {
  std::string text = fmt::format("\nat rest, {}\n", pose.name);
  if (!pose.unsettled.empty()) return text + fmt::format("  nowhere: {}\n", pose.unsettled);
  if (!pose.finite())
    return text +
           "  there are no finite loads and pressures that hold the machine here; "
           "'knuckleboom check' remarks on unusual numbers\n";
  std::vector<std::string> words;
  const std::vector<int> joints = coordinates(model);
  for (std::size_t n = 0; n < joints.size(); ++n)
    words.push_back(fmt::format("{} {:.4g} {}", model.joint_name(joints[n]),
                                without_dust(pose.q[n]),
                                model.tree.link(joints[n]).revolute ? "rad" : "m"));
  for (std::size_t b = 0; b < model.balls.size(); ++b) {
    const Eigen::AngleAxisd turn(pose.turned[b]);
    const Vec3& axis = turn.axis();
    words.push_back(fmt::format("{} turned by {:.4g} rad about ({:.3g}, {:.3g}, {:.3g})",
                                model.balls[b].name, turn.angle(), axis.x(), axis.y(), axis.z()));
  }
  text += fmt::format("  {}; tip at ({:.3f}, {:.3f}, {:.3f}) m\n", listing(words), pose.tip[0],
                      pose.tip[1], pose.tip[2]);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const machine::Actuator& actuator = model.actuators[k];
    const bool cylinder = actuator.circuit.kind == hydraulics::ActuatorKind::kCylinder;
    const auto joint = static_cast<std::size_t>(
        std::find(joints.begin(), joints.end(), actuator.link) - joints.begin());
    text += fmt::format("  {:<12}load {}", actuator.name,
                        with_prefix(without_dust(pose.load[joint]),
                                    model.tree.link(actuator.link).revolute ? "N m" : "N"));
    if (cylinder)
      text += fmt::format(", length {:.4f} m, lever {:+.4f} m, force F_S {}", pose.x[k], pose.J[k],
                          with_prefix(without_dust(pose.force[k]), "N"));
    if (std::isfinite(pose.mass[k]))
      text += fmt::format(", M_Eq {:.4g} {}", pose.mass[k], cylinder ? "kg" : "kg m2");
    // Chambers of air start at pressures of their own, whatever the load.
    if (!model.on_air())
      text += fmt::format(", ports {:.2f} and {:.2f} MPa", megapascals(pose.port_a[k]),
                          megapascals(pose.port_b[k]));
    text += '\n';
  }
  for (const machine::JointDrive& drive : model.drives) {
    const auto joint = static_cast<std::size_t>(
        std::find(joints.begin(), joints.end(), drive.link) - joints.begin());
    text += fmt::format("  {:<12}drive holds it with {}\n", model.joint_name(drive.link),
                        with_prefix(without_dust(pose.load[joint]),
                                    model.tree.link(drive.link).revolute ? "N m" : "N"));
  }
  for (const analysis::Mode& mode : pose.modes) {
    if (!mode.oscillates) {
      const bool grows = mode.time_constant_s < 0.0;
      text +=
          fmt::format("  {:<12}time constant {:.3g} s{}\n", grows ? "growth" : "decay",
                      std::fabs(mode.time_constant_s), grows ? ": it moves away from here" : "");
      continue;
    }
    std::string shape;
    for (int i = 0; i < model.joint_count(); ++i) {
      const double part = mode.shape[static_cast<std::size_t>(i)];
      if (std::fabs(part) >= 0.005)
        shape += fmt::format("{}{} {:.2f}", shape.empty() ? "" : ", ", model.joint_name(i), part);
    }
    const double damping = without_sign_of_zero(mode.damping_ratio);
    text += fmt::format("  mode        {:.2f} Hz, damping ratio {:.4f} ({}){}\n", mode.frequency_Hz,
                        damping, shape, damping <= -5e-5 ? ": it grows" : "");
  }
  return text;
}

// Further valves between spools and lines.
std::string section_text(const MachineModel& model) {
  using hydraulics::CompensatorKind;
  using hydraulics::HoldingKind;
  std::string text;
  for (const machine::Actuator& actuator : model.actuators) {
    const hydraulics::Compensator& compensator = actuator.circuit.valve.compensator;
    std::vector<std::string> words;
    if (compensator.kind == CompensatorKind::kUpstream)
      words.push_back(fmt::format("compensated, {:.3g} bar over the edge, lag {:g} s",
                                  1e-5 * compensator.margin_Pa, compensator.lag_s));
    if (compensator.kind == CompensatorKind::kFlowSharing)
      words.push_back(fmt::format("flow sharing, lag {:g} s", compensator.lag_s));
    if (compensator.kind == CompensatorKind::kNone && actuator.circuit.valve.load_check)
      words.emplace_back("load check");
    for (int s = 0; s < 2; ++s) {
      const hydraulics::LoadHolding& holding = actuator.circuit.holding[s];
      const char* port = s == 0 ? "a" : "b";
      if (holding.kind == HoldingKind::kCounterbalance)
        words.push_back(fmt::format("counterbalance at port {}: {:.4g} bar, pilot {:g}:1", port,
                                    1e-5 * holding.set_Pa, holding.pilot_ratio));
      if (holding.kind == HoldingKind::kPilotCheck)
        words.push_back(fmt::format("pilot check at port {}, {:g}:1", port, holding.pilot_ratio));
    }
    if (!words.empty()) text += fmt::format("  {:<24}{}\n", actuator.name, listing(words));
  }
  return text;
}

std::string supply_text(const machine::Supply& supply) {
  using hydraulics::PumpControl;
  if (supply.kind == hydraulics::SupplyKind::kConstant)
    return fmt::format("  {:<24}pump {:g} MPa, tank {:g} MPa\n", "supply", 1e-6 * supply.pump_Pa,
                       1e-6 * supply.tank_Pa);
  const hydraulics::PumpSupply& pump = supply.pump;
  const double speed = pump.speed_ratio * pump.engine.speed;
  std::string text =
      fmt::format("  {:<24}pump {:.4g} l/min at {:.4g} rpm", "supply",
                  kLitresPerMinute * pump.displacement * speed, speed * 30.0 / std::numbers::pi);
  if (pump.control == PumpControl::kFixed) text += ", full displacement";
  if (pump.control == PumpControl::kPressure)
    text += fmt::format(", regulated to {:.4g} bar", 1e-5 * supply.pump_Pa);
  if (pump.control == PumpControl::kLoadSensing)
    text += fmt::format(", load sensing with {:.3g} bar, {:.3g} to {:.4g} bar",
                        1e-5 * pump.margin_Pa, 1e-5 * pump.standby_Pa, 1e-5 * supply.pump_Pa);
  if (pump.power_limit_W > 0.0)
    text += fmt::format(", at most {}", with_prefix(pump.power_limit_W, "W"));
  text += fmt::format("\n  {:<24}gallery {:.3g} l, main relief {:.4g} bar, tank {:g} bar\n", "",
                      1e3 * pump.gallery_volume, 1e-5 * pump.relief_Pa, 1e-5 * supply.tank_Pa);
  const hydraulics::Engine& engine = pump.engine;
  if (engine.inertia > 0.0)
    text += fmt::format("  {:<24}engine {:.4g} N m, droop {:.3g} %, {}\n", "", engine.torque_max,
                        100.0 * engine.droop,
                        with_prefix(engine.torque_max * engine.speed * (1.0 - engine.droop), "W"));
  for (const hydraulics::Accumulator& a : pump.accumulators)
    text += fmt::format("  {:<24}accumulator {:.3g} l, precharge {:.4g} bar, exponent {:g}\n", "",
                        1e3 * a.gas_volume, 1e-5 * a.precharge_Pa, a.exponent);
  return text;
}

// An absurd conductance gives a flow beyond any number.
std::string litres_text(double flow) {
  return std::isfinite(flow) ? fmt::format("{:.1f}", kLitresPerMinute * flow) : "no limit";
}

// One valve serves all pneumatic cylinders.
std::string air_text(const MachineModel& model) {
  const machine::Actuator& actuator = model.actuators.front();
  const hydraulics::Valve& spool = actuator.circuit.valve;
  const pneumatics::Valve& valve = actuator.air->valve;
  return fmt::format(
      "\nair: {:.4g} bar absolute, surroundings {:.4g} bar; valves of {:.3g} mm2 (C_d A_0), dead "
      "zone "
      "{:g} V, full at {:g} V, spool time constant {:g} s\n",
      1e-5 * model.air.P_supply, 1e-5 * model.air.P_ambient, 1e6 * valve.area_max,
      valve.dead_zone_V, spool.full_V, spool.spool_time_constant_s);
}

std::string valves_text(const MachineModel& model) {
  if (model.on_air()) return air_text(model);
  std::string text = fmt::format(
      "\nvalves: flow in l/min through one edge at 1 MPa and 10 MPa across it\n  {:<24}{:>16}{:>16}"
      "{:>16}\n",
      "", "opening 10 %", "50 %", "100 %");
  for (const machine::Actuator& actuator : model.actuators) {
    const hydraulics::Valve& valve = actuator.circuit.valve;
    const int edges = same_edges(valve) ? 1 : 4;
    for (int edge = 0; edge < edges; ++edge) {
      text += fmt::format("  {:<24}", fmt::format("{}, {}", actuator.name,
                                                  edges == 1 ? "every edge" : kEdgeNames[edge]));
      for (const double opening : kOpenings)
        text += fmt::format(
            "{:>16}", litres_text(edge_flow(valve, edge, opening, kReferencePressures[0])) + " / " +
                          litres_text(edge_flow(valve, edge, opening, kReferencePressures[1])));
      text += '\n';
    }
    text +=
        fmt::format("  {:<24}overlap {:g} V, full at {:g} V{}\n", "", valve.overlap_V, valve.full_V,
                    valve.spool_time_constant_s > 0.0
                        ? fmt::format(", spool time constant {:g} s", valve.spool_time_constant_s)
                        : std::string());
  }
  return text + section_text(model) + supply_text(model.supply);
}

// Most numbers of a file share a few sources, so the table only points to them.
std::string sources_text(const MachineModel& model) {
  std::size_t key_width = 0, value_width = 0;
  std::vector<std::string> sources;
  for (const machine::Source& source : model.sources) {
    key_width = std::max(key_width, source.key.size());
    value_width = std::max(value_width, source.value.size());
    if (std::find(sources.begin(), sources.end(), source.source) == sources.end())
      sources.push_back(source.source);
  }
  std::string text = "\nwhere the numbers come from\n";
  for (std::size_t i = 0; i < sources.size(); ++i)
    text += fmt::format("  [{}] {}\n", i + 1, sources[i]);
  text += '\n';
  for (const machine::Source& source : model.sources) {
    const auto found = std::find(sources.begin(), sources.end(), source.source);
    text += fmt::format("  {:<{}}  {:<{}}  [{}]\n", source.key, key_width, source.value,
                        value_width, found - sources.begin() + 1);
  }
  return text;
}

// --- JSON ---------------------------------------------------------------------

void add_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& values) {
  json.key(key).begin_array();
  for (const double value : values) json.value(value);
  json.end_array();
}

void add_pose(JsonWriter& json, const MachineModel& model, const PoseFacts& pose) {
  json.begin_object().member("name", pose.name);
  if (!pose.unsettled.empty()) {
    json.member("unsettled", pose.unsettled).end_object();
    return;
  }
  add_numbers(json, "position", pose.q);
  for (std::size_t b = 0; b < model.balls.size(); ++b) {
    const Eigen::Quaterniond& q = pose.turned[b];
    add_numbers(json, (model.balls[b].name + "_q").c_str(), {q.w(), q.x(), q.y(), q.z()});
  }
  add_numbers(json, "tip_m", {pose.tip[0], pose.tip[1], pose.tip[2]});
  add_numbers(json, "load", pose.load);
  add_numbers(json, "actuator_displacement", pose.x);
  add_numbers(json, "lever", pose.J);
  add_numbers(json, "actuator_force", pose.force);
  add_numbers(json, "equivalent_mass", pose.mass);
  add_numbers(json, "port_a_Pa", pose.port_a);
  add_numbers(json, "port_b_Pa", pose.port_b);
  json.key("modes").begin_array();
  for (const analysis::Mode& mode : pose.modes) {
    json.begin_object();
    if (mode.oscillates) {
      json.member("frequency_Hz", mode.frequency_Hz).member("damping_ratio", mode.damping_ratio);
      add_numbers(json, "shape", mode.shape);
    } else {
      json.member("time_constant_s", mode.time_constant_s);
    }
    json.end_object();
  }
  json.end_array().end_object();
}

std::string to_json(const io::MachineFile& file, const std::vector<JointFacts>& joints,
                    const std::vector<PoseFacts>& poses, double total_mass) {
  const MachineModel& model = file.model;
  JsonWriter json;
  json.begin_object()
      .member("machine", model.name)
      .member("machine_hash", file.hash.hex)
      .member("mass_kg", total_mass);
  json.key("joints").begin_array();
  for (const JointFacts& joint : joints) {
    json.begin_object().member("name", joint.name).member("unit", joint.unit);
    if (joint.limited) json.member("lower", joint.lower).member("upper", joint.upper);
    if (joint.actuator >= 0) {
      const machine::Actuator& actuator = model.actuators[static_cast<std::size_t>(joint.actuator)];
      json.member("actuator", actuator.name);
      if (joint.limited && actuator.linkage.kind != machine::LinkageKind::kPins) {
        const LinkageFacts linkage = linkage_facts(model, joint.actuator);
        json.member("displacement_min", linkage.x_min)
            .member("displacement_max", linkage.x_max)
            .member("lever_min", linkage.lever_min)
            .member("lever_max", linkage.lever_max);
      }
    }
    json.end_object();
  }
  json.end_array();
  json.key("couplings").begin_array();
  for (const multibody::Coupling& c : model.couplings)
    json.begin_object()
        .member("joint", model.joint_name(c.joint))
        .member("follows", model.joint_name(c.follows))
        .member("ratio", c.ratio)
        .member("offset", c.offset)
        .end_object();
  json.end_array();
  json.key("poses").begin_array();
  for (const PoseFacts& pose : poses) add_pose(json, model, pose);
  json.end_array();
  json.key("valves").begin_array();
  for (const machine::Actuator& actuator : model.actuators) {
    if (actuator.air) continue;
    json.begin_object().member("actuator", actuator.name).key("flow_m3_per_s").begin_array();
    for (int edge = 0; edge < 4; ++edge)
      for (const double opening : kOpenings)
        for (const double dP : kReferencePressures)
          json.begin_object()
              .member("edge", kEdgeNames[edge])
              .member("opening", opening)
              .member("pressure_drop_Pa", dP)
              .member("flow", edge_flow(actuator.circuit.valve, edge, opening, dP))
              .end_object();
    json.end_array().end_object();
  }
  json.end_array();
  if (!file.imports.empty()) add_imports(json, file);
  json.key("sources").begin_array();
  for (const machine::Source& source : model.sources)
    json.begin_object()
        .member("key", source.key)
        .member("value", source.value)
        .member("source", source.source)
        .end_object();
  json.end_array().end_object();
  return json.text();
}

int inspect(const InspectOptions& options) {
  if (!options.json.empty()) check_output_path(options.json, "--json");
  const io::Overrides overrides = io::sort_overrides(options.assignments);
  if (const io::Override* other = io::beyond_machine(overrides))
    throw UserError(fmt::format(
        "--set {}: inspect knows no scenario; change keys of the machine only", other->key));
  const std::filesystem::path path = find_machine(options.machine);
  const bool bare = path.extension() == io::kUrdfSuffix;
  if (!bare) io::refuse_other_kind(path.string(), io::FileKind::kMachine);
  const io::MachineFile file =
      bare ? io::read_urdf(path, overrides.machine) : io::read_machine(path, overrides.machine);
  tell_remarks_on_set(file.remarks);
  check_distinct({{"--json", options.json}}, file.files);
  const MachineModel& model = file.model;
  const std::vector<JointFacts> joints = joint_facts(model);
  const std::vector<PoseFacts> poses = all_poses(model, options.at);

  std::string text = model.name;
  if (!model.description.empty()) text += ": " + model.description;
  text += "\n";
  if (!file.purpose.empty()) text += io::purpose_sentence(file) + ".\n";
  if (const std::string note = io::machine_note(model); !note.empty()) text += note + ".\n";
  text += import_text(file);
  text += joints_text(model, joints) + balls_text(model);
  double total_mass = 0.0;
  text += masses_text(model, total_mass);
  text += loops_text(model) + couplings_text(model);
  text += outside_text(model);
  for (const PoseFacts& pose : poses) text += pose_text(model, pose) + bench_pose_text(model, pose);
  if (!model.actuators.empty())
    text += fmt::format("  ({}modes: valves closed, without end stops{})\n",
                        model.on_air() ? "" : "ports: the unloaded side at tank pressure; ",
                        model.wheels.empty() ? ""
                                             : "; as if the carrier floated: tyres, their grip "
                                               "and the joint lock are left out");
  if (!model.actuators.empty()) text += valves_text(model);
  if (options.sources)
    text += sources_text(model);
  else if (!model.sources.empty())
    text += "\n(--sources adds the source of every number)\n";
  if (!options.json.empty()) io::write_file(options.json, to_json(file, joints, poses, total_mass));
  say(text);
  return kSuccess;
}

}  // namespace

Command inspect_command() {
  const auto o = std::make_shared<InspectOptions>();
  return {
      .name = "inspect",
      .sentence = "Show what follows from a machine file: joints, lever arms, pressures, modes",
      .arguments = {machine_argument(o->machine),
                    {.name = "--at",
                     .target = &o->at,
                     .kind = {"JOINT=VALUE"},
                     .sentence = "Position of a joint [rad, m]",
                     .without = "the middle of its range"},
                    set_option(o->assignments, "the machine"),
                    unset_option(o->assignments),
                    {.name = "--sources",
                     .target = &o->sources,
                     .sentence = "Show the source of every number"},
                    {"--json", &o->json, file_value("FILE", ".json"), "Write the same as JSON"}},
      .examples = {"knuckleboom inspect harvester",
                   "knuckleboom inspect harvester --at boom=0.5 --at stick=-1.3"},
      .run = [o] { return inspect(*o); }};
}

}  // namespace knuckleboom::app
