#include "knuckleboom/analysis/lever_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::analysis {
namespace {

constexpr double kSettle = 3.0;       // s, before the first lever
constexpr double kTrial = 3.0;        // s, of one command
constexpr double kLooked = 1.0;       // s, parts of it
constexpr double kFullTrial = 1.2;    // s, of a full lever
constexpr double kFullPart = 0.1;     // s
constexpr double kGives = 0.05;       // of the full speed
constexpr double kMoving = 0.25;      // of the greatest speed: less is a start or an end
constexpr double kMostStart = 0.5;    // of the full command; beyond, the joint stands at its end
constexpr double kResolution = 0.01;  // V

// Levers that give the valve command itself: no dead zone, curve, ramp or start.
command::LeverPattern plain(command::LeverPattern pattern) {
  for (command::LeverFunction& f : pattern.functions) {
    f.shape = {};
    f.ramp = {};
    f.start_V = {0.0, 0.0};
  }
  return pattern;
}

class Tuning {
 public:
  Tuning(const machine::MachineModel& machine, const command::LeverPattern& pattern,
         const training::Exercise& exercise)
      : session_(machine, plain(pattern), exercise),
        rest_(std::make_unique<training::SessionState>(session_.initial_state())),
        trial_(std::make_unique<training::SessionState>()),
        snapshot_(std::make_unique<training::SessionSnapshot>()) {
    session_.apply({training::CommandKind::kControlMode,
                    static_cast<std::int32_t>(command::ControlMode::kValve)},
                   *rest_);
    hold({}, ticks(kSettle), *rest_);
  }

  // The functions of joints, or that of the grapple.
  void measure_all(command::LeverTarget target,
                   const std::function<void(const TunedFunction&)>& tell,
                   std::vector<TunedFunction>& out) {
    const sim::OperatorControl& control = session_.control();
    for (std::size_t n = 0; n < control.pattern().functions.size(); ++n) {
      const command::LeverFunction& function = control.pattern().functions[n];
      if (function.target != target) continue;
      const int link = target == command::LeverTarget::kGrapple ? jaws() : control.joint_of(n);
      if (link == multibody::kBase) continue;
      out.push_back(measure(function, link, control.valve_of(n)));
      tell(out.back());
    }
  }

 private:
  // Joint of a jaw, if a valve moves both.
  int jaws() const {
    const machine::MachineModel& machine = session_.machine();
    return session_.control().jaw_actuator() < 0 ? multibody::kBase
                                                 : machine.tree.body(machine.grapple.jaw[0]).link;
  }

  TunedFunction measure(const command::LeverFunction& function, int link,
                        const sim::ValveRange& valve) {
    TunedFunction out;
    out.joint = function.joint;
    out.slides = !session_.machine().tree.link(link).revolute;
    // The grapple's lever closes it, which is towards smaller positions.
    out_ = function.target == command::LeverTarget::kGrapple ? -1.0 : 1.0;
    for (const int way : {0, 1}) {
      out.full_V[way] = valve.full_V[way];
      out.full_speed[way] = full_speed(function.axis, link, way);
      out.start_V[way] = start(function.axis, link, way, valve.full_V[way], out.full_speed[way]);
    }
    return out;
  }

  int ticks(double time_s) const {
    return static_cast<int>(std::lround(time_s / session_.tick_s()));
  }

  void hold(const command::OperatorInput& input, int count, training::SessionState& state) {
    for (int i = 0; i < count; ++i) session_.step(input, state, *snapshot_);
  }

  // Begins a trial from rest with a share of the command, towards larger or smaller positions.
  command::OperatorInput begin(command::LeverAxis axis, int way, double share) {
    *trial_ = *rest_;
    command::OperatorInput input{};
    input.axis[static_cast<std::size_t>(axis)] = out_ * (way == 0 ? share : -share);
    return input;
  }

  // Mean speed over the next part of a trial, positive where it should go.
  double speed(const command::OperatorInput& input, int link, int way, double time_s) {
    const double before = trial_->sim.machine.q[link];
    hold(input, ticks(time_s), *trial_);
    return (trial_->sim.machine.q[link] - before) / time_s * (way == 0 ? 1.0 : -1.0);
  }

  // The median while it moves: the crane rings, and a joint may reach its end.
  double full_speed(command::LeverAxis axis, int link, int way) {
    const command::OperatorInput input = begin(axis, way, 1.0);
    std::vector<double> parts;
    for (double t = 0.0; t < kFullTrial; t += kFullPart)
      parts.push_back(speed(input, link, way, kFullPart));
    const double least = kMoving * std::ranges::max(parts);
    std::erase_if(parts, [least](double speed) { return speed < least; });
    std::ranges::sort(parts);
    return parts.empty() ? 0.0 : parts[parts.size() / 2];
  }

  // In the first second the crane may only give a little; with much command it may be at its end later.
  bool creeps(command::LeverAxis axis, int link, int way, double share, double full_speed) {
    const command::OperatorInput input = begin(axis, way, share);
    if (speed(input, link, way, kLooked) >= kGives * full_speed) return true;
    for (double t = kLooked; t < kTrial; t += kLooked)
      if (speed(input, link, way, kLooked) >= kCreep * full_speed) return true;
    return false;
  }

  double start(command::LeverAxis axis, int link, int way, double full_V, double full_speed) {
    if (!(full_speed > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    double still = 0.0, moves = full_V;
    while (moves - still > kResolution) {
      const double middle = 0.5 * (still + moves);
      (creeps(axis, link, way, middle / full_V, full_speed) ? moves : still) = middle;
    }
    return still < kMostStart * full_V ? still : std::numeric_limits<double>::quiet_NaN();
  }

  training::Session session_;
  std::unique_ptr<training::SessionState> rest_, trial_;
  std::unique_ptr<training::SessionSnapshot> snapshot_;
  double out_ = 1.0;  // side of the lever towards larger positions
};

}  // namespace

std::vector<TunedFunction> tune_levers(const machine::MachineModel& machine,
                                       const command::LeverPattern& pattern,
                                       const training::Exercise& exercise,
                                       const std::function<void(const TunedFunction&)>& tell) {
  std::vector<TunedFunction> out;
  Tuning(machine, pattern, exercise).measure_all(command::LeverTarget::kJoint, tell, out);
  training::Exercise half_open = exercise;
  half_open.grapple_opening = 0.5;
  Tuning(machine, pattern, half_open).measure_all(command::LeverTarget::kGrapple, tell, out);
  return out;
}

}  // namespace knuckleboom::analysis
