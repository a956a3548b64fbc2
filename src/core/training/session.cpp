#include "knuckleboom/core/training/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "knuckleboom/core/control/no_controller.hpp"
#include "knuckleboom/core/machine/power.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/training/load_part.hpp"

namespace knuckleboom::training {
namespace {

// Contact forces are held over a step. The effective mass of a machine at deeply pressed jaws allows no
// longer step: docs/theory/contact.md, eq. 12.
constexpr double kLongestStep = 1e-3;  // s
constexpr double kBeyondEnds = 0.3;    // m; so far may a log in a load space reach beyond it
constexpr double kAboveStakes = 0.3;   // m; allowed height of a load above the stakes
constexpr double kLiesAlong = 0.94;    // cosine; of a log to its load space

int steps_in_tick(double rate_Hz) {
  return std::max(1, static_cast<int>(std::ceil(1.0 / (rate_Hz * kLongestStep) - 1e-9)));
}

bool actuated(const machine::MachineModel& machine, const std::string& joint) {
  const int link = machine.tree.find_joint(joint);
  return link != multibody::kBase && !machine.passive(link);
}

// The exercise's own first: recordings refer to them by number.
void add_faults(const machine::MachineModel& machine, const Exercise& exercise,
                std::vector<command::Fault>& faults, std::vector<std::string>& notes) {
  for (const command::Fault& fault : exercise.faults) {
    if (fault.function.empty() || actuated(machine, fault.function))
      faults.push_back(fault);
    else
      notes.push_back("fault '" + fault.name + "' is one of joint '" + fault.function +
                      "', which machine '" + machine.name + "' does not drive");
  }
  command::draw_card(exercise.fault_lot, faults);
  std::size_t left_out = 0;
  for (command::Fault& usual : sim::usual_faults(machine)) {
    const bool named = std::any_of(faults.begin(), faults.end(), [&usual](const command::Fault& f) {
      return f.name == usual.name;
    });
    if (named)
      notes.push_back("the exercise's own fault '" + usual.name + "' stands for the usual one of " +
                      "machine '" + machine.name + "', which has the same name");
    else if (faults.size() < static_cast<std::size_t>(command::kMaxFaults))
      faults.push_back(std::move(usual));
    else
      ++left_out;
  }
  if (left_out > 0)
    notes.push_back("there is no room for " + std::to_string(left_out) +
                    " of the usual faults of machine '" + machine.name + "'");
}

// Joints that nobody has placed start at 0, or in the middle of their range where 0 is outside.
void start_inside_limits(const machine::MachineModel& machine,
                         std::vector<command::InitialJoint>& initial) {
  for (int i = 0; i < machine.joint_count(); ++i) {
    const multibody::Body& body = machine.tree.body(machine.tree.link(i).body);
    const std::string& name = machine.joint_name(i);
    if (machine.passive(i) || !(body.upper > body.lower) ||
        (body.lower <= 0.0 && body.upper >= 0.0) ||
        std::any_of(initial.begin(), initial.end(),
                    [&](const command::InitialJoint& joint) { return joint.joint == name; }))
      continue;
    command::InitialJoint joint;
    joint.joint = name;
    joint.position = 0.5 * (body.lower + body.upper);
    initial.push_back(joint);
  }
}

// Jaws that are bodies start as far open as the exercise says, unless it starts their joint itself.
void place_jaws(const machine::MachineModel& machine, const Exercise& exercise,
                command::Scenario& out) {
  if (!machine.grapple.driven()) return;
  for (const int body : machine.grapple.jaw)
    for (const command::InitialJoint& joint : out.initial)
      if (joint.joint == machine.tree.body(body).joint_name) return;
  command::InitialJoint jaw;
  jaw.joint = machine.tree.body(machine.grapple.jaw[0]).joint_name;
  jaw.position = world::jaw_angle(worksite::grapple_shape(machine), exercise.grapple_opening);
  out.initial.push_back(jaw);
}

command::Scenario start_of(const machine::MachineModel& machine, const Exercise& exercise,
                           int steps, std::vector<std::string>& notes) {
  command::Scenario out;
  out.name = exercise.name;
  out.machine = machine.name;
  out.tick_s = 1.0 / (exercise.rate_Hz * steps);
  out.ground = exercise.world.ground;
  for (const command::InitialJoint& joint : exercise.initial) {
    if (machine.tree.find_joint(joint.joint) == multibody::kBase)
      notes.push_back("the exercise starts joint '" + joint.joint + "', which machine '" +
                      machine.name + "' does not have");
    else
      out.initial.push_back(joint);
  }
  place_jaws(machine, exercise, out);
  start_inside_limits(machine, out.initial);
  add_faults(machine, exercise, out.faults, notes);
  return out;
}

// Those that a head may grip.
std::vector<worksite::StandingTree> trees_of(const machine::MachineModel& machine,
                                             const Exercise& exercise) {
  std::vector<worksite::StandingTree> out;
  if (!machine.head.present) return out;
  for (std::size_t i = 0; i < exercise.trees.size(); ++i)
    if (const timber::Species* species = species_of(exercise, exercise.trees[i]))
      out.push_back({static_cast<int>(i), timber::Tree(*species, exercise.trees[i]), *species});
  return out;
}

std::vector<Tyre> tyres_of(const machine::MachineModel& machine) {
  std::vector<Tyre> out;
  for (const machine::Wheel& wheel : machine.wheels) out.push_back({wheel.width, wheel.stiffness});
  return out;
}

// By both pumps, the crane's and the one of the wheels' drive.
double work(const machine::MachineState& machine) {
  return machine::pump_work(machine) + machine.supply_energy.drive;
}

// 0 closed to 1 open.
double opening_at_start(const machine::MachineModel& machine, const Exercise& exercise,
                        const sim::SimState& sim) {
  const machine::Grapple& g = machine.grapple;
  if (!g.driven()) return exercise.grapple_opening;
  return worksite::jaw_opening(machine, sim.machine.q[machine.tree.body(g.jaw[0]).link]);
}

// As the exercise wants it.
machine::MachineModel fitted(machine::MachineModel machine, const Exercise& exercise) {
  if (!exercise.load_space) machine::remove_load_space(machine);
  return machine;
}

}  // namespace

std::string start_objection(const machine::MachineModel& model, const Exercise& exercise) {
  const machine::MachineModel machine = fitted(model, exercise);
  std::vector<std::string> notes;
  const int steps = steps_in_tick(exercise.rate_Hz);
  try {
    const sim::Simulation simulation(machine, start_of(machine, exercise, steps, notes));
    const worksite::Worksite site(simulation, exercise.world);
    const sim::SimState start = simulation.initial_state(exercise.fidelity);
    return site.start_objection(start,
                                site.initial_state(opening_at_start(machine, exercise, start)));
  } catch (const std::invalid_argument&) {
    return {};  // a session would say the same
  }
}

Session::Session(machine::MachineModel machine, command::LeverPattern levers, Exercise exercise,
                 sim::Instructions instructions)
    : exercise_(std::move(exercise)),
      steps_(steps_in_tick(exercise_.rate_Hz)),
      simulation_(fitted(machine, exercise_), start_of(machine, exercise_, steps_, notes_),
                  instructions),
      control_(simulation_, std::move(levers)),
      worksite_(simulation_, exercise_.world, trees_of(machine, exercise_), exercise_.prices),
      task_(exercise_, {this->machine().danger_zone, this->machine().head.saw_distance},
            tyres_of(this->machine())) {
  for (const std::string& joint : control_.missing())
    notes_.push_back("the lever pattern moves '" + joint + "', which machine '" + machine.name +
                     "' does not have");
  for (std::size_t k = 0; k < this->machine().controllers.size(); ++k)
    if (control::is_none(this->machine().controllers[k]) &&
        static_cast<int>(k) != control_.jaw_actuator())
      notes_.push_back("machine '" + machine.name + "' has no controller for actuator '" +
                       this->machine().actuator_name(static_cast<int>(k)) +
                       "': it is moved in valve mode alone");
  for (int i = control_.tip().link; i != multibody::kBase && !simulation_.carrier().carries(i);
       i = this->machine().tree.link(i).parent)
    foot_link_ = i;
  for (std::size_t f = 0; f < control_.pattern().functions.size(); ++f)
    if (const int link = control_.joint_of(f);
        link != multibody::kBase && simulation_.carrier().carries(link))
      on_wheels_ |= std::int32_t{1} << f;
  const auto drives = [](const command::LeverFunction& f) {
    return f.target == command::LeverTarget::kDrive;
  };
  if (const auto& functions = control_.pattern().functions;
      this->machine().driveline.present && std::none_of(functions.begin(), functions.end(), drives))
    notes_.push_back("the lever pattern '" + control_.pattern().name +
                     "' does not drive machine '" + machine.name +
                     "', which is on wheels; 'nordic_drive' does");
  if (exercise_.task == TaskKind::kLogs && !this->machine().grapple.present)
    notes_.push_back("machine '" + machine.name +
                     "' has no grapple: the logs of this exercise cannot be picked up");
  if (fells(exercise_.task) && !this->machine().head.present)
    notes_.push_back("machine '" + machine.name +
                     "' has no harvester's head: the trees of this exercise cannot be felled");
  if (asks_to_drive(exercise_) && this->machine().wheels.empty())
    notes_.push_back("machine '" + machine.name +
                     "' has no wheels: the way of this exercise cannot be driven");
  if (!exercise_.visitors.empty() && this->machine().danger_zone == 0.0)
    notes_.push_back("machine '" + machine.name +
                     "' has no 'danger_zone': it endangers nobody who comes by");
  if (!this->machine().load_space.present &&
      std::any_of(exercise_.log_tasks.begin(), exercise_.log_tasks.end(), into_load_space))
    notes_.push_back("machine '" + machine.name +
                     "' has no load space: the logs of this exercise cannot be loaded");
  for (const Limit& limit : exercise_.limits)
    if (const Figure* figure = find_figure(limit.figure); figure != nullptr &&
                                                          (figure->needs & kObservedHead) != 0 &&
                                                          !this->machine().grapple.present)
      notes_.push_back("machine '" + machine.name + "' has no head: the limit on '" + limit.figure +
                       "' cannot be kept");
}

SessionState Session::initial_state() const {
  SessionState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.sim = simulation_.initial_state(exercise_.fidelity);
  state.control = control_.initial_state(state.sim, exercise_.mode);
  state.worksite = worksite_.initial_state(opening_at_start(machine(), exercise_, state.sim));
  state.task = task_.initial_state();
  state.score = task_.initial_score();
  state.score.elements.head = worksite_.felling().present() ? 1 : 0;
  state.score.elements.no_load = load_place() == LoadPlace::kNone ? 1 : 0;
  state.score.elements.own_load = load_place() == LoadPlace::kMachine ? 1 : 0;
  return state;
}

LoadPlace Session::load_place() const {
  const std::vector<LogTask>& tasks = exercise_.log_tasks;
  const auto to_bunk = [](const LogTask& task) {
    return task.place < 0 && !is_load_space(task.bunk);
  };
  const bool bunks_only = std::any_of(tasks.begin(), tasks.end(), to_bunk) &&
                          std::none_of(tasks.begin(), tasks.end(), into_load_space);
  if (machine().load_space.present && !bunks_only) return LoadPlace::kMachine;
  return exercise_.world.bunks.empty() ? LoadPlace::kNone : LoadPlace::kBunks;
}

void Session::apply(const Command& command, SessionState& state) const {
  switch (command.kind) {
    case CommandKind::kControlMode:
      control_.set_mode(static_cast<command::ControlMode>(command.value), state.sim, state.control);
      break;
    case CommandKind::kFidelity:
      simulation_.set_fidelity(state.sim, static_cast<machine::Fidelity>(command.value));
      break;
    case CommandKind::kRestart: {
      // The operator's choices of mode and model outlive a restart.
      const std::int64_t tick = state.tick;
      const auto mode = static_cast<command::ControlMode>(state.control.mode);
      const machine::Fidelity fidelity = state.sim.fidelity;
      // So does what was seen that no real machine does.
      const machine::Watch watch = state.sim.machine.watch;
      // And rules that came after the session was recorded.
      const ElementState rules = state.score.elements;
      state = initial_state();
      state.sim.machine.watch = watch;
      state.score.elements.head = rules.head;
      state.score.elements.no_load = rules.no_load;
      state.score.elements.own_load = rules.own_load;
      state.tick = tick;
      simulation_.set_fidelity(state.sim, fidelity);
      state.control = control_.initial_state(state.sim, mode);
      break;
    }
    case CommandKind::kFault:
      simulation_.set_fault(state.sim, command.value, true);
      break;
    case CommandKind::kClearFault:
      simulation_.set_fault(state.sim, command.value, false);
      break;
    case CommandKind::kDiagnose:
      diagnose(command.value, state);
      break;
  }
}

int Session::drawn_fault() const {
  int first = -1;
  for (int i = 0; i < static_cast<int>(faults().size()); ++i) {
    const command::Fault& fault = nth(faults(), i);
    const auto& lot = exercise_.fault_lot.candidates;
    if (fault.at_s < 0.0 || std::find(lot.begin(), lot.end(), fault.name) == lot.end()) continue;
    if (first < 0 || fault.at_s < nth(faults(), first).at_s) first = i;
  }
  return first;
}

// Once in an attempt. Right is what has begun, by kind and function; its size nobody can tell.
void Session::diagnose(int fault, SessionState& state) const {
  Score& score = state.score.score;
  if (!asks_diagnosis(exercise_) || state.task.phase != TaskPhase::kRunning ||
      score.diagnosis_s > 0.0 || fault < 0 || fault >= static_cast<int>(faults().size()))
    return;
  const double tick = simulation_.tick_s(), now_s = tick * static_cast<double>(state.sim.tick);
  const int there = drawn_fault();
  double since_s = 0.0;
  if (there >= 0 && nth(faults(), there).at_s <= now_s) {
    const command::Fault &is = nth(faults(), there), &said = nth(faults(), fault);
    since_s = now_s - is.at_s;
    score.diagnosis_right = is.kind == said.kind && is.function == said.function ? 1.0 : 0.0;
  }
  score.diagnosis_s = std::max(tick, since_s);
}

void Session::step(const command::OperatorInput& input, SessionState& state,
                   SessionSnapshot& snapshot) const {
  const double pump_before_J = work(state.sim.machine);
  const command::OperatorInput used = delayed(input, state);
  for (int i = 0; i < steps_; ++i) small_step(used, state, snapshot);
  snapshot.input = input;
  state.last_input = input;
  ++state.tick;
  snapshot.pump_power_W = (work(state.sim.machine) - pump_before_J) / tick_s();
}

// Lever positions some ticks ago. When a delay begins they stand still for its length.
command::OperatorInput Session::delayed(const command::OperatorInput& input,
                                        SessionState& state) const {
  LeverHistory& history = state.levers;
  const double delay_s = state.sim.fault.lever_delay_s;
  if (delay_s <= 0.0) [[likely]] {
    history.running = 0;
    return input;
  }
  constexpr double kFull = 32767.0;
  const auto store = [&history](std::int64_t tick, const command::OperatorInput& levers) {
    for (int i = 0; i < command::kLeverAxes; ++i)
      history.axis[tick % LeverHistory::kTicks][i] =
          static_cast<std::int16_t>(std::lround(std::clamp(levers.axis[i], -1.0, 1.0) * kFull));
    history.buttons[tick % LeverHistory::kTicks] = static_cast<std::int32_t>(levers.buttons);
  };
  if (history.running == 0)
    for (std::int64_t i = 0; i < LeverHistory::kTicks; ++i) store(i, state.last_input);
  history.running = 1;
  store(state.tick, input);
  const auto ticks =
      std::min<std::int64_t>(std::llround(delay_s / tick_s()), LeverHistory::kTicks - 1);
  const std::int64_t then = (state.tick + LeverHistory::kTicks - ticks) % LeverHistory::kTicks;
  command::OperatorInput out{};
  for (int i = 0; i < command::kLeverAxes; ++i) out.axis[i] = history.axis[then][i] / kFull;
  out.buttons = history.buttons[then];
  return out;
}

void Session::small_step(const command::OperatorInput& input, SessionState& state,
                         SessionSnapshot& snapshot) const {
  const sim::OperatorDemand demand = control_.drive(input, state.sim, state.control);
  worksite_.step(demand.input, demand.grapple, state.sim, state.worksite,
                 {demand.tilt, demand.saw, demand.feed, demand.butt_reset, demand.length});
  fill(state, snapshot);
  snapshot.input = input;
  task_.observe(simulation_.tick_s(), snapshot, state.task, state.score);
}

SessionSnapshot Session::snapshot(const SessionState& state) const {
  SessionSnapshot out;
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  fill(state, out);
  out.input = state.last_input;
  task_.show(simulation_.tick_s(), state.task, state.score, out);
  return out;
}

void Session::fill(const SessionState& state, SessionSnapshot& out) const {
  const machine::MachineModel& model = machine();
  const machine::MachineState& m = state.sim.machine;
  std::memset(static_cast<void*>(&out), 0, offsetof(SessionSnapshot, sim));
  sim::take_snapshot(simulation_, state.sim, out.sim);
  const multibody::Kinematics kinematics = multibody::forward_kinematics(model.tree, m.q, m.v);
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Pose pose =
        multibody::body_pose(model.tree, kinematics, model.tree.link(i).body);
    store(pose.p, out.body[i].p);
    store(Eigen::Quaterniond(pose.R).normalized(), out.body[i].q);
  }
  const multibody::PointMotion tip =
      multibody::point_motion(model.tree, kinematics, model.tip_body, model.tip_B);
  store(tip.v_W, out.tip_v_W);
  if (model.grapple.present) {
    const worksite::Grip grip = worksite_.grip(kinematics, state.worksite);
    store(grip.p_W, out.grip_W);
    store(grip.axis_W, out.grip_axis_W);
    store(grip.downwards_W, out.reach_W);
    store(grip.downwards_W, out.hang_W);
    if (model.head.present) {  // what hangs is the frame that the head tilts in
      const multibody::Body& head = model.tree.body(model.grapple.body);
      const multibody::Pose frame = multibody::body_pose(model.tree, kinematics, head.parent);
      store(Vec3(frame.R * head.in_parent.R * model.grapple.reach_axis_B), out.hang_W);
    }
  } else {
    store(tip.p_W, out.grip_W);
  }
  if (const auto& wheels = model.wheels; !wheels.empty()) {
    if (foot_link_ != multibody::kBase)
      std::memcpy(out.foot_W, out.body[foot_link_].p, sizeof out.foot_W);
    for (std::size_t i = 0; i < wheels.size(); ++i) {
      const multibody::Pose pose = multibody::body_pose(model.tree, kinematics, wheels[i].body);
      const Vec3 half = 0.5 * wheels[i].width * wheels[i].axis_B;
      const Vec3 ends[2] = {pose.R * (wheels[i].centre_B - half) + pose.p,
                            pose.R * (wheels[i].centre_B + half) + pose.p};
      for (int side = 0; side < 2; ++side)
        for (int c = 0; c < 2; ++c) out.wheel_W[i][side][c] = ends[side](c);
    }
  }
  out.control_mode = state.control.mode;
  out.fidelity = static_cast<std::int32_t>(state.sim.fidelity);
  out.switches = state.control.switches;
  out.lever_mode = state.control.lever_mode;
  for (int i = 0; i < sim::kMaxLeverFunctions; ++i) out.shaped[i] = state.control.shaped[i];
  control_.travel(m.q, state.worksite.grapple.opening, out.travel_s);
  out.on_wheels = on_wheels_;
  for (int k = 0; k < out.sim.actuator_count; ++k)
    if (k != control_.jaw_actuator() && out.sim.actuator[k].at_stop != 0)
      out.at_stop |= std::int64_t{1} << k;
  const world::WorldState& site = state.worksite.world;
  out.grapple_opening = state.worksite.grapple.opening;
  out.held_log = state.worksite.grapple.held;
  out.log_count = world().log_count();
  for (int i = 0; i < out.log_count; ++i) {
    const world::LogState& log = site.log[i];
    std::memcpy(out.log[i].p, log.p, sizeof log.p);
    std::memcpy(out.log[i].q, log.q, sizeof log.q);
    out.log_status[i] = log.status;
  }
  for (int i = 0; i < world::kObstacles; ++i) {
    out.collisions[i] = site.collisions[i];
    out.impulse[i] = site.impulse[i];
  }
  out.carried = worksite_.carried(kinematics, state.worksite);
  if (out.held_log >= 0)
    for (int i = 0; i < out.log_count; ++i)
      if (out.carried.has(i)) out.carried_kg += world::mass(worksite_.size_of(i, state.worksite));
  look_at_load(kinematics, state, out.carried, out.load);
  show_trees(state.worksite.timber, out);
  out.contact_force = site.machine_force;
  out.last_impact_speed = site.last_impact_speed;
  out.last_collision_tick = site.last_collision_tick;
  out.pump_work_J = work(m);
}

void Session::show_trees(const worksite::TimberState& timber, SessionSnapshot& out) const {
  out.saw = timber.bar;
  out.first_cut = world().first_spare();
  out.cut_count = static_cast<std::int32_t>(timber.cut_count);
  for (std::int32_t k = 0; k < out.cut_count; ++k) {
    const worksite::CutLog& cut = timber.cut[k];
    out.cut[k] = {cut.size,           cut.from, cut.wanted_m, cut.measured_m,
                  cut.measured_top_m, cut.stem, cut.product};
  }
  out.wanted_m = timber.wanted_m;
  out.product = timber.product;
  out.no_room = worksite_.felling().has_room(timber) ? 0 : 1;
  out.fed_m = timber.moving.fed_m;
  out.fed_back_m = timber.moving.fed_back_m;
  out.feed_m_s = timber.roller;
  const worksite::HeadReading reading = worksite_.felling().reading(timber);
  out.stem_length_m = reading.length;
  out.stem_diameter_m = reading.diameter;
  for (std::int64_t k = 0; k < timber.felled_count; ++k) {
    const worksite::FelledTree& from = timber.felled[k];
    TreeSnapshot& to = out.tree[out.tree_count++];
    to = TreeSnapshot{};
    std::memcpy(to.butt_W, from.butt, sizeof from.butt);
    std::memcpy(to.n_W, from.n, sizeof from.n);
    to.stump = from.stump;
    to.from = from.from;
    to.bare_to = from.bare_to;
    to.stem = from.stem;
    to.hits = from.hits;
  }
  out.hurt = timber.hurt;
  for (const worksite::MovingTree* from : {&timber.falling, &timber.moving}) {
    if (from->stem < 0) continue;
    TreeSnapshot& to = out.tree[out.tree_count++];
    const Vec3 n = vec(from->n);
    store(worksite_.felling().butt_W(*from), to.butt_W);
    std::memcpy(to.n_W, from->n, sizeof from->n);
    to.stump = from->stump;
    to.from = from->from;
    to.bare_to = from->bare_to;
    to.cut = from->cut;
    to.tip_m_s =
        (vec(from->v) + (from->form.length - from->form.centre) * vec(from->omega).cross(n)).norm();
    to.stem = from->stem;
    to.gripped = from->gripped;
    to.attached = from->attached;
    to.hits = from->hits;
  }
}

void Session::look_at_load(const multibody::Kinematics& kinematics, const SessionState& state,
                           const world::LogSet& carried, LoadSnapshot& out) const {
  const machine::LoadSpace& space = machine().load_space;
  if (!space.present) return;
  multibody::Pose body;
  if (space.body != multibody::kBase)
    body = multibody::body_pose(machine().tree, kinematics, space.body);
  const Vec3 middle_B = space.front_B + Vec3(0.5 * space.length, 0.0, 0.5 * space.height);
  const Vec3 half(0.5 * space.length + kBeyondEnds, 0.5 * space.width,
                  0.5 * space.height + kAboveStakes);
  const Vec3 centre_W = body.p + body.R * middle_B;
  store(centre_W, out.centre_W);
  store(Vec3(body.R.col(0)), out.along_W);
  store(Vec3(body.R.col(2)), out.up_W);
  store(Vec3(0.5 * Vec3(space.length, space.width, space.height)), out.half_m);
  const world::WorldState& site = state.worksite.world;
  for (int i = 0; i < world().log_count(); ++i) {
    if (carried.has(i) || site.log[i].status == world::LogStatus::kAbsent) continue;
    const world::LogSize log = worksite_.size_of(i, state.worksite);
    const Vec3 away = vec(site.log[i].p) - centre_W;
    if (away.squaredNorm() > half.squaredNorm()) continue;
    const Vec3 at = body.R.transpose() * away;
    const Vec3 reach =
        body.R.transpose() * (quaternion(site.log[i].q) * Vec3(0.5 * log.length, 0.0, 0.0));
    // Ends along the room; the middle between the stakes and over the floor.
    if (std::fabs(at.x()) + std::fabs(reach.x()) > half.x() || std::fabs(at.y()) > half.y() ||
        at.z() > half.z() || at.z() < -0.5 * space.height ||
        std::fabs(reach.x()) < kLiesAlong * 0.5 * log.length)
      continue;
    out.logs.add(i);
    ++out.count;
    out.mass_kg += world::mass(log);
  }
}

void copy_used(const SessionState& from, SessionState& to) {
  // The other may have had more of them.
  worksite::TimberState& old = to.worksite.timber;
  const auto clear = [](auto* items, std::int64_t from_count, std::int64_t to_count) {
    for (std::int64_t k = from_count; k < to_count; ++k) items[k] = {};
  };
  clear(old.felled, from.worksite.timber.felled_count, old.felled_count);
  clear(old.cut, from.worksite.timber.cut_count, old.cut_count);
  std::memcpy(static_cast<void*>(&to), &from,
              offsetof(SessionState, worksite) + offsetof(worksite::WorksiteState, timber) +
                  offsetof(worksite::TimberState, felled));
  const worksite::TimberState& timber = from.worksite.timber;
  copy_first(timber.felled, static_cast<int>(timber.felled_count), to.worksite.timber.felled);
  copy_first(timber.cut, static_cast<int>(timber.cut_count), to.worksite.timber.cut);
  world::copy_used(from.worksite.world, to.worksite.world);
}

void copy_for_channels(const SessionSnapshot& from, SessionSnapshot& to) {
  std::memcpy(static_cast<void*>(&to), &from, offsetof(SessionSnapshot, sim));
  sim::copy_used(from.sim, to.sim);
}

void copy_used(const SessionSnapshot& from, SessionSnapshot& to) {
  copy_for_channels(from, to);
  copy_first(from.body, from.sim.joint_count, to.body);
  copy_first(from.log, from.log_count, to.log);
  copy_first(from.log_status, from.log_count, to.log_status);
  copy_first(from.tree, static_cast<int>(from.tree_count), to.tree);
  copy_first(from.cut, from.cut_count, to.cut);
  copy_first(from.visitor, from.visitor_count, to.visitor);
}

world::LogSize log_size(int log, const world::WorldRecipe& world, const SessionSnapshot& snapshot) {
  const world::Log& as_made = nth(world.logs, log);
  if (!as_made.spare) return world::size_of(as_made);
  const int cut = log - snapshot.first_cut;
  return cut >= 0 && cut < snapshot.cut_count ? snapshot.cut[cut].size : world::LogSize{};
}

}  // namespace knuckleboom::training
