#include "app/workbench/workbench.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "app/workbench/carry.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kSavePeriod = 0.1;         // s
constexpr std::size_t kMostSaves = 600;     // a minute
constexpr double kDrivePositionRate = 5.0;  // of a drive's speed by a position error [1/s]
constexpr double kDriveTurn = 1.5;          // fastest on the way to a position [rad/s]
constexpr double kDriveSlide = 0.5;         // [m/s]
constexpr double kReferenceLead = 0.2;      // of a reference before its joint [rad, m]
constexpr double kTorqueReach = 2.0;        // of a torque's slider, over the weight on the joint
constexpr double kLeastTorque = 1.0;        // N m, N
constexpr std::size_t kMostGiven = 20'000'000;  // numbers

const multibody::Body& body_at(const machine::MachineModel& model, int link) {
  return model.tree.body(model.tree.link(link).body);
}

const char* unit_at(const machine::MachineModel& model, int link, DemandKind kind) {
  const bool turns = model.tree.link(link).revolute;
  switch (kind) {
    case DemandKind::kValve:
      return "V";
    case DemandKind::kPosition:
      return turns ? "rad" : "m";
    case DemandKind::kSpeed:
      return turns ? "rad/s" : "m/s";
    case DemandKind::kTorque:
      return turns ? "N m" : "N";
    case DemandKind::kNone:
      break;
  }
  return "";
}

}  // namespace

Workbench::Workbench(WorkbenchRequest request) : request_(std::move(request)) {
  Setup setup{request_.assignments, {}};
  build(setup, case_, simulation_);
  setups_.push_back(std::move(setup));
  std::memset(static_cast<void*>(&state_), 0, sizeof state_);
  state_.sim = simulation_->initial_state(request_.fidelity);
  hold_new(nullptr);
  save();
}

void Workbench::build(const Setup& setup, BenchCase& loaded,
                      std::unique_ptr<sim::Simulation>& simulation) const {
  loaded = load_bench_case(request_.subject, request_.machine, setup.assignments, setup.start);
  try {
    simulation = std::make_unique<sim::Simulation>(loaded.model(), loaded.loaded.scenario.scenario);
  } catch (const std::invalid_argument& error) {
    throw UserError(error.what());
  }
}

// Without a scenario a joint with a drive stands still until somebody drives it.
void Workbench::hold_new(const machine::MachineModel* before) {
  if (case_.has_scenario) return;
  for (const machine::JointDrive& drive : model().drives) {
    const bool known = before != nullptr &&
                       before->tree.find_joint(model().joint_name(drive.link)) != multibody::kBase;
    if (drive.speed_gain > 0.0 && !known)
      state_.demand[drive.link] = {0.0, 0.0, DemandKind::kSpeed};
  }
}

// --- A tick -----------------------------------------------------------------------------------------

void Workbench::step() {
  sim::SimState& sim = state_.sim;
  const auto driven = [](const Demand& demand) { return demand.kind != DemandKind::kNone; };
  if (std::none_of(state_.demand, state_.demand + model().joint_count(), driven)) {
    simulation_->step(sim);
  } else {
    sim::TickInput input = simulation_->scenario_input(sim);
    for (int i = 0; i < model().joint_count(); ++i) drive(i, input);
    simulation_->step(sim, input);
  }
  note_given();
  const auto period = std::max<std::int64_t>(1, std::llround(kSavePeriod / simulation_->tick_s()));
  if (sim.tick % period == 0) save();
}

void Workbench::drive(int joint, sim::TickInput& input) {
  Demand& demand = state_.demand[joint];
  const double q = state_.sim.machine.q[joint];
  const int k = actuator_of(joint);
  switch (demand.kind) {
    case DemandKind::kNone:
      return;
    case DemandKind::kTorque:
      input.joint[joint] = {demand.value, sim::JointCommandMode::kTorque};
      return;
    case DemandKind::kValve:
      input.actuator[k] = {demand.value, sim::ActuatorMode::kVoltage, 0, 0.0};
      return;
    case DemandKind::kPosition:
      if (k >= 0) {
        input.actuator[k] = {demand.value, sim::ActuatorMode::kPosition, 0, 0.0};
      } else {
        const double fastest = model().tree.link(joint).revolute ? kDriveTurn : kDriveSlide;
        const double speed = kDrivePositionRate * (demand.value - q);
        input.joint[joint] = {std::clamp(speed, -fastest, fastest), sim::JointCommandMode::kSpeed};
      }
      return;
    case DemandKind::kSpeed:
      if (k < 0) {
        input.joint[joint] = {demand.value, sim::JointCommandMode::kSpeed};
        return;
      }
      const multibody::Body& body = body_at(model(), joint);
      double next = demand.reference + simulation_->tick_s() * demand.value;
      if (body.upper > body.lower) next = std::clamp(next, body.lower, body.upper);
      demand.reference = std::clamp(next, q - kReferenceLead, q + kReferenceLead);
      input.actuator[k] = {demand.reference, sim::ActuatorMode::kPosition, 0, 0.0};
      return;
  }
}

std::size_t Workbench::given_columns() const {
  return model().actuators.size() + model().drives.size();
}

void Workbench::note_given() {
  if (given_.size() >= kMostGiven) return;  // a scenario then says that it ends earlier
  for (std::size_t k = 0; k < model().actuators.size(); ++k)
    given_.push_back(state_.sim.machine.actuator[k].command_V);
  for (const machine::JointDrive& drive : model().drives)
    given_.push_back(state_.sim.input.joint[drive.link].value);
}

// --- Deeds ------------------------------------------------------------------------------------------

int Workbench::joint(const std::string& name) const {
  const int link = model().tree.find_joint(name);
  if (link != multibody::kBase) return link;
  std::vector<std::string> names;
  for (int i = 0; i < model().joint_count(); ++i) names.push_back(model().joint_name(i));
  throw UserError(fmt::format("there is no joint '{}'{}", name, io::alternatives(name, names)));
}

int Workbench::actuator_of(int joint) const {
  for (std::size_t k = 0; k < model().actuators.size(); ++k)
    if (model().actuators[k].link == joint) return static_cast<int>(k);
  return -1;
}

const machine::JointDrive* Workbench::drive_of(int joint) const {
  for (const machine::JointDrive& drive : model().drives)
    if (drive.link == joint) return &drive;
  return nullptr;
}

bool Workbench::can(int joint, DemandKind kind) const {
  if (model().ball_of(joint) != nullptr) return kind == DemandKind::kNone;
  const int k = actuator_of(joint);
  const machine::JointDrive* drive = drive_of(joint);
  switch (kind) {
    case DemandKind::kNone:
    case DemandKind::kTorque:
      return true;
    case DemandKind::kValve:
      return k >= 0;
    case DemandKind::kPosition:
    case DemandKind::kSpeed: {
      if (k < 0) return drive != nullptr && drive->speed_gain > 0.0;
      const control::PidGains& gains = nth(model().controllers, k);
      return gains.Kp != 0.0 || gains.Ki != 0.0;
    }
  }
  return false;
}

void Workbench::check_demand(int joint, DemandKind kind, double value) const {
  const std::string& name = model().joint_name(joint);
  if (!can(joint, kind)) {
    const bool actuated = actuator_of(joint) >= 0;
    throw UserError(fmt::format(
        "joint '{}' cannot be driven by {}: {}", name, kDemandWords[static_cast<int>(kind)],
        model().ball_of(joint) != nullptr ? "it turns in any direction"
        : kind == DemandKind::kValve
            ? "it has no actuator; drive it by torque, or by speed where it has a drive"
        : actuated ? "its actuator has no controller; drive it by valve"
                   : "it has no drive with a speed gain; drive it by torque"));
  }
  if (!std::isfinite(value))
    throw UserError(fmt::format("joint '{}': the value must be a finite number", name));
  const multibody::Body& body = body_at(model(), joint);
  if (kind == DemandKind::kPosition && body.upper > body.lower &&
      (value < body.lower || value > body.upper))
    throw UserError(fmt::format("joint '{}' goes from {:.4g} to {:.4g} {}; {:.4g} is beyond that",
                                name, body.lower, body.upper, unit_at(model(), joint, kind),
                                value));
}

void Workbench::demand(int joint, DemandKind kind, double value) {
  check_demand(joint, kind, value);
  Demand& now = state_.demand[joint];
  if (now.kind != kind) now.reference = state_.sim.machine.q[joint];
  now.kind = kind;
  now.value = kind == DemandKind::kNone ? 0.0 : value;
}

Workbench::Reach Workbench::reach(int joint, DemandKind kind) const {
  const machine::MachineModel& m = model();
  const bool turns = m.tree.link(joint).revolute;
  const multibody::Body& body = body_at(m, joint);
  const auto both = [](double most) { return Reach{-most, most}; };
  switch (kind) {
    case DemandKind::kValve:
      return both(nth(m.actuators, actuator_of(joint)).circuit.valve.full_V);
    case DemandKind::kPosition:
      if (body.upper > body.lower) return {body.lower, body.upper};
      return both(turns ? 3.2 : 1.0);
    case DemandKind::kSpeed:
      return both(turns ? 1.0 : 0.5);
    case DemandKind::kTorque: {
      const machine::JointDrive* drive = drive_of(joint);
      if (drive != nullptr && drive->torque_limit > 0.0) return both(drive->torque_limit);
      double force[kMaxActuators], load[kMaxLinks];
      machine::static_loads(m, state_.sim.machine.inertia, state_.sim.machine.q,
                            state_.sim.machine.dependent, force, load);
      return both(std::max(kLeastTorque, kTorqueReach * std::fabs(load[joint])));
    }
    case DemandKind::kNone:
      break;
  }
  return {0.0, 0.0};
}

void Workbench::note(std::string sentence, std::string event) {
  deeds_.push_back({state_.sim.tick, std::move(sentence), std::move(event)});
}

void Workbench::carry_demands(const machine::MachineModel& from) {
  Demand old[kMaxLinks];
  std::copy_n(state_.demand, kMaxLinks, old);
  std::memset(static_cast<void*>(state_.demand), 0, sizeof state_.demand);
  for (int i = 0; i < model().joint_count(); ++i) {
    const int j = from.tree.find_joint(model().joint_name(i));
    if (j != multibody::kBase && can(i, old[j].kind)) state_.demand[i] = old[j];
  }
  hold_new(&from);
}

void Workbench::take(Setup setup, BenchCase loaded, std::unique_ptr<sim::Simulation> simulation) {
  const std::unique_ptr<sim::Simulation> old = std::exchange(simulation_, std::move(simulation));
  const std::size_t columns = old->model().actuators.size() + old->model().drives.size();
  case_ = std::move(loaded);
  setups_.push_back(std::move(setup));
  setup_ = setups_.size() - 1;
  ++make_;
  carry_demands(old->model());
  if (given_columns() != columns) {
    given_.clear();
    given_from_ = state_.sim.tick;
  }
}

void Workbench::change(const std::string& assignment) {
  Setup next = setups_[setup_];
  next.assignments.push_back(assignment);
  BenchCase loaded;
  std::unique_ptr<sim::Simulation> simulation;
  build(next, loaded, simulation);
  state_.sim = carry(*simulation_, state_.sim, *simulation);
  take(std::move(next), std::move(loaded), std::move(simulation));
  note(fmt::format("set {}", assignment));
  save();
}

std::vector<command::InitialJoint> Workbench::pose() const {
  std::vector<command::InitialJoint> out;
  const machine::MachineModel& m = model();
  for (int i = 0; i < m.joint_count(); ++i) {
    if ((state_.sim.machine.dependent >> i & 1) != 0) continue;
    if (const multibody::Ball* ball = m.ball_of(i)) {
      if (ball->first != i) continue;
      command::InitialJoint joint;
      joint.joint = ball->name;
      joint.turned = true;
      joint.R = multibody::orientation(&state_.sim.machine.q[i]).toRotationMatrix();
      out.push_back(joint);
      continue;
    }
    command::InitialJoint joint;
    joint.joint = m.joint_name(i);
    joint.position = state_.sim.machine.q[i];
    // Pressures as the files start them.
    for (const command::InitialJoint& given : simulation_->scenario().initial) {
      if (given.joint != joint.joint) continue;
      joint.port_a_given = given.port_a_given;
      joint.port_b_given = given.port_b_given;
      joint.port_a_Pa = given.port_a_Pa;
      joint.port_b_Pa = given.port_b_Pa;
    }
    out.push_back(joint);
  }
  return out;
}

void Workbench::place(int joint, double position) {
  const std::string& name = model().joint_name(joint);
  if (model().ball_of(joint) != nullptr)
    throw UserError(
        fmt::format("joint '{}' turns in any direction; it cannot be placed by a number", name));
  if ((state_.sim.machine.dependent >> joint & 1) != 0)
    throw UserError(
        fmt::format("joint '{}' follows others through its loop; place one of those", name));
  const multibody::Body& body = body_at(model(), joint);
  if (!std::isfinite(position) ||
      (body.upper > body.lower && (position < body.lower || position > body.upper)))
    throw UserError(fmt::format("joint '{}' goes from {:.4g} to {:.4g} {}", name, body.lower,
                                body.upper, unit_at(model(), joint, DemandKind::kPosition)));
  Setup next = setups_[setup_];
  next.start = pose();
  for (command::InitialJoint& start : next.start)
    if (start.joint == name) start.position = position;
  BenchCase loaded;
  std::unique_ptr<sim::Simulation> simulation;
  build(next, loaded, simulation);
  const sim::SimState before = state_.sim;
  sim::SimState placed = simulation->initial_state(before.fidelity);
  placed.tick = before.tick;
  placed.next_event = before.next_event;
  // Loads are on again, and bodies that had gone stay away.
  for (int slot = 0; slot < sim::kMaxPayloads; ++slot)
    if (before.payload[slot].event != sim::kSlotFree) {
      placed.payload[slot] = before.payload[slot];
      const int link = before.payload[slot].link;
      placed.machine.inertia[link] = placed.machine.inertia[link] + before.payload[slot].inertia;
    }
  for (int i = 0; i < model().joint_count(); ++i)
    if (is_absent(i)) placed.machine.inertia[i] = {};
  placed.machine.absent = before.machine.absent;
  placed.machine.energy.start += simulation->stored_change(placed);
  state_.sim = placed;
  take(std::move(next), std::move(loaded), std::move(simulation));
  for (int i = 0; i < model().joint_count(); ++i) {
    Demand& demand = state_.demand[i];
    demand.reference = state_.sim.machine.q[i];
    if (demand.kind == DemandKind::kPosition) demand.value = state_.sim.machine.q[i];
  }
  if (state_.sim.tick == 0) {
    given_.clear();
  } else {
    note(fmt::format("place {} {:.6g}: the machine starts anew from this pose, at rest", name,
                     position));
    given_.clear();
    given_from_ = state_.sim.tick;
  }
  save();
}

int Workbench::link_of_body(const std::string& body) const {
  const multibody::Tree& tree = model().tree;
  const int found = tree.find_body(body);
  if (found != multibody::kBase && tree.body(found).link != multibody::kBase)
    return tree.body(found).link;
  std::vector<std::string> names;
  for (int i = 0; i < model().joint_count(); ++i)
    names.push_back(tree.body(tree.link(i).body).name);
  throw UserError(found == multibody::kBase
                      ? fmt::format("there is no body '{}'{}", body, io::alternatives(body, names))
                      : fmt::format("body '{}' does not move", body));
}

void Workbench::attach(const std::string& name, const std::string& body, double mass_kg,
                       const Vec3& com_B) {
  if (!(mass_kg > 0.0) || !std::isfinite(mass_kg) || !com_B.allFinite())
    throw UserError(fmt::format("'{}' needs a mass above 0 kg and a place in m", name));
  const std::vector<std::string> known = payloads();
  if (std::find(known.begin(), known.end(), name) != known.end())
    throw UserError(fmt::format("'{}' is attached already; detach it first", name));
  const int link = link_of_body(body);
  if (is_absent(link))
    throw UserError(fmt::format("body '{}' has been removed; assemble it first", body));
  const multibody::Tree& tree = model().tree;
  const multibody::LinkInertia payload = multibody::to_link_inertia(
      {mass_kg, com_B, Mat3::Zero()}, tree.body(tree.find_body(body)).in_link);
  const int slot = simulation_->attach(state_.sim, link, payload, Vec3::Zero(), Vec3::Zero());
  if (slot < 0)
    throw UserError(
        fmt::format("the machine carries {} loads already; detach one first", sim::kMaxPayloads));
  names_.push_back(name);
  state_.payload_name[slot] = static_cast<std::int32_t>(names_.size() - 1);
  note(fmt::format("attach {} {} {:.6g} {:.6g} {:.6g} {:.6g}", name, body, mass_kg, com_B.x(),
                   com_B.y(), com_B.z()),
       fmt::format("kind = \"attach\"\nname = {}\nbody = {}\nmass_kg = {:.17g}\ncom_m = [{:.17g}, "
                   "{:.17g}, {:.17g}]\n"
                   "inertia_kg_m2 = [0, 0, 0]\n",
                   io::toml_string(name), io::toml_string(body), mass_kg, com_B.x(), com_B.y(),
                   com_B.z()));
}

std::vector<std::string> Workbench::payloads() const {
  std::vector<std::string> out;
  for (int slot = 0; slot < sim::kMaxPayloads; ++slot)
    if (state_.sim.payload[slot].event == sim::kNoEvent)
      out.push_back(nth(names_, state_.payload_name[slot]));
  return out;
}

void Workbench::detach(const std::string& name) {
  for (int slot = 0; slot < sim::kMaxPayloads; ++slot) {
    if (state_.sim.payload[slot].event != sim::kNoEvent ||
        nth(names_, state_.payload_name[slot]) != name)
      continue;
    simulation_->detach(state_.sim, slot);
    note(fmt::format("detach {}", name),
         fmt::format("kind = \"detach\"\nname = {}\n", io::toml_string(name)));
    return;
  }
  throw UserError(fmt::format("'{}' is not attached{}", name, io::alternatives(name, payloads())));
}

void Workbench::remove(const std::string& body) {
  const int link = link_of_body(body);
  machine::MachineState& m = state_.sim.machine;
  const auto refuse = [&](const char* why) {
    throw UserError(fmt::format("body '{}' cannot be removed: {}", body, why));
  };
  if (model().tree.body(model().tree.link(link).body).name != body)
    refuse("it has no joint of its own");
  if (is_absent(link)) refuse("it is gone already");
  if (actuator_of(link) >= 0) refuse("an actuator moves it");
  for (int l = 0; l < model().joint_count(); ++l)
    if (model().tree.link(l).parent == link && !is_absent(l))
      refuse("another body hangs on it; remove that first");
  if (!model().loop_system.empty() && model().loop_system.has(link))
    refuse("it is part of a loop or follows another joint");
  if (model().ball_of(link) != nullptr) refuse("its joint turns in any direction");
  for (const sim::Payload& payload : state_.sim.payload)
    if (payload.event != sim::kSlotFree && payload.link == link)
      refuse("it carries a load; detach that first");
  const double before = simulation_->stored_change(state_.sim);
  m.inertia[link] = {};
  m.v[link] = m.a[link] = 0.0;
  m.absent |= std::int64_t{1} << link;
  m.energy.events += simulation_->stored_change(state_.sim) - before;
  note(fmt::format("remove {}", body));
}

void Workbench::assemble(const std::string& body) {
  const int link = link_of_body(body);
  if (!is_absent(link)) throw UserError(fmt::format("body '{}' is there already", body));
  const int parent = model().tree.link(link).parent;
  if (parent >= 0 && is_absent(parent))
    throw UserError(fmt::format("body '{}' hangs on '{}', which is not there; assemble that first",
                                body, model().tree.body(model().tree.link(parent).body).name));
  machine::MachineState& m = state_.sim.machine;
  const double before = simulation_->stored_change(state_.sim);
  machine::assemble_body(model(), m, link);
  m.energy.events += simulation_->stored_change(state_.sim) - before;
  note(fmt::format("assemble {}", body),
       fmt::format("kind = \"assemble\"\nbody = {}\n", io::toml_string(body)));
}

// --- Saved states -----------------------------------------------------------------------------------

void Workbench::save() {
  Saved now{state_, setup_, deeds_.size()};
  // One for a tick: what was done while it stood belongs to the newest.
  if (saves_ > 0) {
    Saved& last = saved_[(oldest_ + saves_ - 1) % kMostSaves];
    if (last.state.sim.tick == state_.sim.tick) {
      last = std::move(now);
      return;
    }
  }
  if (saved_.empty()) saved_.resize(kMostSaves);
  if (saves_ == kMostSaves) {
    oldest_ = (oldest_ + 1) % kMostSaves;
    --saves_;
  }
  saved_[(oldest_ + saves_) % kMostSaves] = std::move(now);
  ++saves_;
}

double Workbench::rewind(double seconds) {
  if (!(seconds >= 0.0)) throw UserError("rewind takes seconds from 0 on");
  const std::int64_t wanted = state_.sim.tick - std::llround(seconds / simulation_->tick_s());
  while (saves_ > 1 && saved_[(oldest_ + saves_ - 1) % kMostSaves].state.sim.tick > wanted)
    --saves_;
  const Saved& to = saved_[(oldest_ + saves_ - 1) % kMostSaves];
  if (to.setup != setup_) {
    BenchCase loaded;
    std::unique_ptr<sim::Simulation> simulation;
    build(setups_[to.setup], loaded, simulation);
    const std::size_t columns = given_columns();
    case_ = std::move(loaded);
    simulation_ = std::move(simulation);
    setup_ = to.setup;
    ++make_;
    if (given_columns() != columns) {
      given_.clear();
      given_from_ = to.state.sim.tick;
    }
  }
  state_ = to.state;
  deeds_.resize(to.deeds);
  const std::size_t columns = given_columns();
  if (state_.sim.tick < given_from_) {
    given_.clear();
    given_from_ = state_.sim.tick;
  }
  const auto rows = static_cast<std::size_t>(state_.sim.tick - given_from_);
  if (given_.size() > rows * columns) given_.resize(rows * columns);
  return time();
}

}  // namespace knuckleboom::app
