#include "knuckleboom/core/machine/watch.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/pair.hpp"

namespace knuckleboom::machine {
namespace {

// The largest value is the worst.
void note(Oddity what, int where, double value, double t, Watch& watch) {
  Finding& f = watch.finding[static_cast<int>(what)];
  if (f.lasted_s == 0.0) f.first_s = t;
  if (f.lasted_s != 0.0 && std::fabs(value) <= std::fabs(f.worst)) return;
  f.worst = value;
  f.worst_s = t;
  f.where = where;
}

// One tick, in however many places.
class Tick {
 public:
  Tick(double t, double h, Watch& watch) : t_(t), h_(h), watch_(watch) {}
  void see(Oddity what, int where, double value) {
    note(what, where, value, t_, watch_);
    seen_[static_cast<int>(what)] = true;
  }
  void end() {
    for (int i = 0; i < kOddities; ++i)
      if (seen_[i]) watch_.finding[i].lasted_s += h_;
  }

 private:
  double t_, h_;
  Watch& watch_;
  bool seen_[kOddities] = {};
};

void look_at_pressures(const MachineModel& model, double t, double h, MachineState& state) {
  const WatchLimits& limits = model.watch;
  Tick tick(t, h, state.watch);
  for (std::size_t k = 0; k < model.watch_pressures.size(); ++k) {
    const int actuator = static_cast<int>(k);
    const ActuatorState& a = state.actuator[k];
    const double low = std::min({a.P_C[0], a.P_C[1], a.p[0], a.p[1]});
    const double high = std::max({a.P_C[0], a.P_C[1], a.p[0], a.p[1]});
    if (low < limits.vapour_Pa) tick.see(Oddity::kVapour, actuator, low);
    if (high > limits.hose_Pa) tick.see(Oddity::kHose, actuator, high);
    if (high > model.watch_pressures[k].relief) tick.see(Oddity::kRelief, actuator, high);
  }
  tick.end();
}

void look_at_joints(const MachineModel& model, double t, double h, MachineState& state) {
  const WatchLimits& limits = model.watch;
  Tick tick(t, h, state.watch);
  for (std::size_t k = 0; k < model.watch_pressures.size(); ++k) {
    if (!model.watch_pressures[k].cylinder) continue;
    const int actuator = static_cast<int>(k);
    double row[kMaxLinks] = {};
    displacement_row(model, actuator, state.q, row);
    double speed = 0.0;
    for (int j = 0; j < model.joint_count(); ++j) speed += row[j] * state.v[j];
    if (std::fabs(speed) > limits.piston_m_per_s) tick.see(Oddity::kPiston, actuator, speed);
  }
  for (const multibody::Ball& ball : model.balls) {
    const double speed =
        multibody::angular_velocity(state.q + ball.first, state.v + ball.first).norm();
    if (speed > speed_limit(limits, true, false)) tick.see(Oddity::kSpeed, ball.first, speed);
  }
  for (int i = 0; i < model.joint_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const bool revolute = model.tree.link(i).revolute;
    if (std::fabs(state.v[i]) > speed_limit(limits, revolute, !model.passive(i)))
      tick.see(Oddity::kSpeed, i, state.v[i]);
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    if (!(body.upper > body.lower)) continue;
    const double beyond = std::max(body.lower - state.q[i], state.q[i] - body.upper);
    if (beyond > (revolute ? limits.beyond_rad : limits.beyond_m))
      tick.see(Oddity::kBeyond, i, beyond);
  }
  tick.end();
}

}  // namespace

double speed_limit(const WatchLimits& limits, bool revolute, bool driven) {
  if (driven) return revolute ? limits.driven_rad_per_s : limits.driven_m_per_s;
  return revolute ? limits.free_rad_per_s : limits.free_m_per_s;
}

void watch_pressures(const MachineModel& model, double t, double h, MachineState& state) {
  const ActuatorState* a = state.actuator;
  for (const WatchPressures& band : model.watch_pressures) {
    if (!within(load(a->P_C), load(a->p), both(band.low), both(band.high))) [[unlikely]]
      return look_at_pressures(model, t, h, state);
    ++a;
  }
}

void watch_joints(const MachineModel& model, double t, double h, MachineState& state) {
  for (std::size_t i = 0; i < model.watch_bands.size(); ++i) {
    const WatchBand& band = model.watch_bands[i];
    const Pair now{state.q[i], state.v[i]};
    if (!within(now, now, load(band.lower), load(band.upper))) [[unlikely]]
      return look_at_joints(model, t, h, state);
  }
}

void watch_energy(const WatchLimits& limits, double residual, double turned_over, double t,
                  double h, MachineState& state) {
  constexpr double kLeast = 10.0;  // J; below it the share says nothing
  if (std::fabs(residual) <= kLeast + limits.energy_share * turned_over) return;
  note(Oddity::kEnergy, 0, residual, t, state.watch);
  state.watch.finding[static_cast<int>(Oddity::kEnergy)].lasted_s += h;
}

}  // namespace knuckleboom::machine
