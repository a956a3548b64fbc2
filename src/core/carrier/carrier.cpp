#include "knuckleboom/core/carrier/carrier.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/limited.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::carrier {

using machine::Wheel;
using multibody::Kinematics;

namespace {

constexpr int kRows = 3, kMiddleRow = 1;  // across a tyre
constexpr int kCells = 16;                // along it
constexpr double kMiddle = 0.45;  // of the cells: they are narrower below the axis than ahead of it
constexpr double kUsualDepth = 0.06;  // of the radius; there the tyre is as stiff as it says
constexpr double kHardDepth = 0.5;    // of the radius; there it is twice as stiff
constexpr double kFirm = 0.01;        // of the radius; there its damping is whole
constexpr double kCreep = 0.1;        // m/s; slower wheels do not roll off their deflection
constexpr double kLockShare =
    0.25;  // of the spin's inertia over the tick: how stiff a locked differential is
constexpr double kShiftSpeed = 0.5;  // rad/s of the wheels; faster ones stay in their gear
constexpr double kUpright = 0.6,
                 kFlat = 0.9;  // vertical part of the axis of a wheel that leans, that lies
constexpr double kTurn = 6.283185307179586;
// An engine that is dragged beyond its speed brakes by friction and compression.
constexpr double kEngineBrake = 0.2;  // of its largest torque
constexpr double kDragged = 0.05;     // of its speed beyond it: with all of that
constexpr int kMostStumps = 8;        // under one wheel

// Pressure by depth, without its scale: with the chord that goes with the root of the depth, the load grows
// straight with the depth.
double firmness(double depth, double radius) {
  const double x = depth / (kHardDepth * radius);
  return std::sqrt(depth) * (1.0 + x * x);
}

double held(double value, double most) { return std::clamp(value, -most, most); }

struct Driven {
  int count = 0;
  double spin = 0.0;  // their mean [rad/s]
};
Driven driven_wheels(const machine::MachineModel& model, const CarrierState& state) {
  Driven out;
  for (std::size_t i = 0; i < model.wheels.size(); ++i) {
    if (!model.wheels[i].driven) continue;
    out.spin += state.wheel[i].spin;
    ++out.count;
  }
  if (out.count > 0) out.spin /= out.count;
  return out;
}

}  // namespace

Carrier::Wrenches::Wrenches(int links) {
  for (int i = 0; i < links; ++i) f[i] = n[i] = Vec3::Zero();
}
void Carrier::Wrenches::push(int link, const Vec3& p_W, const Vec3& f_W) {
  f[link] += f_W;
  n[link] += p_W.cross(f_W);
}
void Carrier::Wrenches::twist(int link, const Vec3& n_W) {
  if (link != multibody::kBase) n[link] += n_W;
}

Carrier::Carrier(const machine::MachineModel& model, const world::GroundRecipe& ground, double h)
    : model_(model), h_(h) {
  if (model.wheels.empty()) return;
  ground_ = world::make_ground(ground);
  stumps_ = ground.stumps;
  for (const world::Stump& stump : stumps_)
    stump_top_.push_back(world::height(ground_, stump.x, stump.y) + stump.height);
  const multibody::Tree& tree = model.tree;
  for (const Wheel& wheel : model.wheels) {
    const multibody::Body& body = tree.body(wheel.body);
    Tyre tyre{};
    tyre.link = body.link;
    tyre.centre_L = body.in_link.R * wheel.centre_B + body.in_link.p;
    tyre.axis_L = body.in_link.R * wheel.axis_B;
    for (int i = 0; i <= kCells; ++i) {
      const double u = 2.0 * i / kCells - 1.0;
      nth(tyre.x, i) = wheel.radius * (kMiddle * u + (1.0 - kMiddle) * u * u * u);
    }
    const double depth = kUsualDepth * wheel.radius;
    double sum = 0.0;
    for (int i = 0; i < kCells; ++i) {
      const double x = 0.5 * (nth(tyre.x, i) + nth(tyre.x, i + 1));
      const double z = wheel.radius - depth;
      const double d = wheel.radius - std::sqrt(x * x + z * z);
      if (d > 0.0) sum += firmness(d, wheel.radius) * (nth(tyre.x, i + 1) - nth(tyre.x, i));
    }
    tyre.scale = wheel.stiffness * depth / (sum * wheel.width);
    tyre.first_slope = wheel.grip.y[1] / wheel.grip.x[1];
    for (std::size_t i = 0; i < wheel.grip.x.size(); ++i)
      if (wheel.grip.y[i] > tyre.peak) {
        tyre.peak = wheel.grip.y[i];
        tyre.peak_slip = wheel.grip.x[i];
      }
    tyres_.push_back(tyre);
    int top = multibody::kBase;
    for (int i = body.link; i != multibody::kBase; i = tree.link(i).parent) {
      carried_ |= std::int64_t{1} << i;
      top = i;
    }
    for (const multibody::Ball& ball : model.balls)
      if (top != multibody::kBase && ball.first == top + 3) root_ = top;
  }
}

double Carrier::height(double x, double y) const { return world::height(ground_, x, y); }

Carrier::Hub Carrier::hub(const Kinematics& kinematics, const Tyre& tyre) const {
  const multibody::LinkMotion& m = nth(kinematics.link, tyre.link);
  const Vec3 arm = m.in_world.R * tyre.centre_L;
  return {m.in_world.p + arm, m.v_origin_W + m.omega_W.cross(arm), m.omega_W,
          m.in_world.R * tyre.axis_L};
}

// The ground inside the tyre's disc presses on it along the ground's own normal, by how deep it lies below the
// tread or the flank: a potential, so that nothing is gained on the way over an obstacle. The ground is taken as
// upright columns in rows along the wheel.
Carrier::Pressure Carrier::pressure(const Tyre& tyre, const Wheel& wheel, const Hub& hub) const {
  Pressure out;
  const double r = wheel.radius;
  const Vec3& c = hub.p_W;
  const Vec3& axis = hub.axis_W;
  const double level = std::sqrt(axis.x() * axis.x() + axis.y() * axis.y());
  const Vec3 ahead = level > 1e-6 ? Vec3(axis.y() / level, -axis.x() / level, 0.0) : Vec3::UnitX();
  const Vec3 side(-ahead.y(), ahead.x(), 0.0);
  // The columns stand where the tyre is lowest over the slope; below a wheel that lies on its flank, everywhere.
  const double lying = std::clamp((std::fabs(axis.z()) - kUpright) / (kFlat - kUpright), 0.0, 1.0);
  const double reach = 0.5 * wheel.width * level + lying * r * std::fabs(axis.z());
  const double aside = (1.0 - lying) * r * axis.z();
  const double row = 2.0 * reach / kRows;
  const double feel = 0.5 * r;
  const double slope = (height(c.x() + feel * ahead.x(), c.y() + feel * ahead.y()) -
                        height(c.x() - feel * ahead.x(), c.y() - feel * ahead.y())) /
                       (2.0 * feel);
  const double onward = r * slope / std::sqrt(1.0 + slope * slope);

  int near[kMostStumps];
  int count = 0;
  for (std::size_t s = 0; s < stumps_.size() && count < kMostStumps; ++s) {
    const double dx = stumps_[s].x - c.x(), dy = stumps_[s].y - c.y();
    const double most = 2.0 * r + reach + stumps_[s].radius;
    if (dx * dx + dy * dy < most * most) near[count++] = static_cast<int>(s);
  }
  const auto ground = [&](double x, double y) {
    double z = height(x, y);
    for (int s = 0; s < count; ++s) {
      const world::Stump& stump = nth(stumps_, near[s]);
      const double dx = x - stump.x, dy = y - stump.y;
      if (dx * dx + dy * dy < stump.radius * stump.radius)
        z = std::max(z, nth(stump_top_, near[s]));
    }
    return z;
  };

  // Heights over the wheel's middle at the ends of the cells: along the middle row, and beside it where a side could
  // touch.
  double z[kRows][kCells + 1];
  bool close[kCells + 1];
  bool any = false;
  const auto height_at = [&](int j, int i) {
    const double x = onward + nth(tyre.x, i);
    const double y = aside + row * (j - kMiddleRow);
    return ground(c.x() + x * ahead.x() + y * side.x(), c.y() + x * ahead.y() + y * side.y()) -
           c.z();
  };
  for (int i = 0; i <= kCells; ++i) {
    const double x = onward + nth(tyre.x, i);
    z[kMiddleRow][i] = height_at(kMiddleRow, i);
    close[i] = count > 0 || lying > 0.0 ||
               z[kMiddleRow][i] + row > -std::sqrt(std::max(0.0, r * r - x * x));
    any = any || close[i];
  }
  if (!any) return out;
  const auto touches = [&](int i) { return close[i] || close[i + 1]; };
  for (int i = 0; i <= kCells; ++i) {
    if (!(close[i] || (i > 0 && close[i - 1]) || (i < kCells && close[i + 1]))) continue;
    z[kMiddleRow - 1][i] = height_at(kMiddleRow - 1, i);
    z[kMiddleRow + 1][i] = height_at(kMiddleRow + 1, i);
  }

  double weight = 0.0;
  Vec3 middle = Vec3::Zero(), moment = Vec3::Zero();
  for (int i = 0; i < kCells; ++i) {
    if (!touches(i)) continue;
    const double x = onward + 0.5 * (nth(tyre.x, i) + nth(tyre.x, i + 1));
    const double dx = nth(tyre.x, i + 1) - nth(tyre.x, i);
    double mean[kRows];
    for (int j = 0; j < kRows; ++j) mean[j] = 0.5 * (z[j][i] + z[j][i + 1]);
    for (int j = 0; j < kRows; ++j) {
      const double y = aside + row * (j - kMiddleRow);
      const Vec3 at = x * ahead + y * side + Vec3(0.0, 0.0, mean[j]);
      const double across = at.dot(axis);
      const double from_axis = std::sqrt(std::max(0.0, at.squaredNorm() - across * across));
      const double depth = std::min(r - from_axis, 0.5 * wheel.width - std::fabs(across));
      if (!(depth > 0.0)) continue;
      const double p = tyre.scale * firmness(depth, r);
      const int a = std::max(0, j - 1), b = std::min(kRows - 1, j + 1);
      const double rise = (mean[b] - mean[a]) / (row * (b - a));
      const Vec3 f =
          p * row * (Vec3(0.0, 0.0, dx) - (z[j][i + 1] - z[j][i]) * ahead - rise * dx * side);
      out.f_W += f;
      moment += at.cross(f);
      middle += p * dx * at;
      weight += p * dx;
    }
  }
  if (!(weight > 0.0)) return out;
  out.N = std::sqrt(out.f_W.squaredNorm());
  if (!(out.N > 0.0)) return out;
  out.normal_W = out.f_W / out.N;
  const Vec3 arm = middle / weight;
  out.at_W = c + arm;
  // A round wheel is not turned by pressure; what the columns leave of that is taken off.
  moment -= arm.cross(out.f_W);
  out.moment_W = moment;

  const double firm = std::min(1.0, out.N / (kFirm * r * wheel.stiffness));
  const Vec3 v = hub.v_W + hub.omega_W.cross(arm);
  const double damped = std::max(0.0, out.N - wheel.damping * firm * v.dot(out.normal_W));
  out.f_W = damped * out.normal_W;
  out.moment_W *= damped / out.N;
  out.N = damped;
  return out;
}

// Along the ground. Bristles bend with the tread's speed over the ground and are carried out of the contact as it
// rolls, so that in the long run the force is the load times the grip at that slip. A wheel that hardly rolls
// keeps its bristles, however its hub sways: it stands without creep until its grip ends.
Vec3 Carrier::tread(const Tyre& tyre, const Wheel& wheel, const Hub& hub, const Pressure& pressure,
                    WheelState& state) const {
  state.load = pressure.N;
  state.slip = 0.0;
  if (!(pressure.N > 0.0)) {
    store(Vec3::Zero(), state.bristle);
    return Vec3::Zero();
  }
  const Vec3& n = pressure.normal_W;
  const Vec3 arm = pressure.at_W - hub.p_W;
  const Vec3 rolled = state.spin * hub.axis_W.cross(arm);
  const Vec3 v = hub.v_W + hub.omega_W.cross(arm) + rolled;
  const Vec3 v_t = v - v.dot(n) * n;
  const Vec3 hub_t = hub.v_W - hub.v_W.dot(n) * n;
  const double speed = std::sqrt(std::max(rolled.squaredNorm(), hub_t.squaredNorm()));
  const double over = std::max(speed, kCreep);
  const double slip = std::sqrt(v_t.squaredNorm()) / over;
  const double moving = std::min(1.0, std::sqrt(rolled.squaredNorm()) / kCreep);
  const double share = moving * moving;
  const double grip = evaluate(wheel.grip, slip).value;
  const double k = wheel.grip_stiffness;
  const double per_grip = slip > 1e-9 && grip > 0.0 ? slip / grip : 1.0 / tyre.first_slope;
  const double rate = share * over * per_grip * k / pressure.N;
  const double most = (slip > tyre.peak_slip ? grip : tyre.peak) * pressure.N;
  const Vec3 old = vec(state.bristle);
  const Vec3 bristle = limited((old - old.dot(n) * n + h_ * v_t) / (1.0 + h_ * rate), most / k);
  store(bristle, state.bristle);
  state.slip = slip;
  return limited(-k * bristle - (1.0 - share) * wheel.grip_damping * v_t, most);
}

// Torque of the drive on each of its wheels.
double Carrier::drive(const CarrierCommand& command, CarrierState& state) const {
  const machine::Driveline& d = model_.driveline;
  if (!d.present) return 0.0;
  const auto [driven, spin] = driven_wheels(model_, state);
  if (driven == 0) return 0.0;
  if (std::fabs(spin) < kShiftSpeed) state.gear = command.high_gear;
  const double per_wheel = d.motor_displacement * (1.0 - state.motor_back) * d.ratio[state.gear];
  const double C = d.volume / d.bulk_modulus;
  const double pumped = state.stroke * d.pump_displacement * d.pump_ratio * state.engine_speed;
  const double p = (C * state.pressure + h_ * (pumped - per_wheel * spin)) / (C + h_ * d.leak);
  state.pressure = held(p, d.relief_Pa);
  return d.efficiency * per_wheel * state.pressure / driven;
}

void Carrier::turn(const CarrierCommand& command, const double* ground_torque, const Hub* hubs,
                   CarrierState& state, Wrenches& wrenches) const {
  const double driving = drive(command, state);
  const machine::Driveline& d = model_.driveline;
  const int taking =
      d.present && d.body != multibody::kBase ? model_.tree.body(d.body).link : multibody::kBase;
  const double mean = command.differential_lock != 0 ? driven_wheels(model_, state).spin : 0.0;
  const double share = command.released != 0 ? std::clamp(command.brake, 0.0, 1.0) : 1.0;
  for (std::size_t i = 0; i < tyres_.size(); ++i) {
    const Wheel& wheel = model_.wheels[i];
    WheelState& s = state.wheel[i];
    const double per_torque = h_ / wheel.inertia;
    double torque = 0.0;
    if (wheel.driven) {
      torque = driving;
      if (command.differential_lock != 0) torque -= kLockShare / per_torque * (s.spin - mean);
      wrenches.twist(taking, -torque * hubs[i].axis_W);
    }
    // Friction stops the wheel if it can, the ground's first.
    double spin = s.spin + per_torque * (torque + ground_torque[i]);
    const double rolling =
        held(spin / per_torque, wheel.rolling_resistance * wheel.radius * s.load);
    spin -= per_torque * rolling;
    const double braked = held(spin / per_torque, share * wheel.brake_torque);
    spin -= per_torque * braked;
    if (std::fabs(braked) < share * wheel.brake_torque) spin = 0.0;
    wrenches.twist(tyres_[i].link, braked * hubs[i].axis_W);
    s.turned += 0.5 * h_ * (s.spin + spin);
    if (s.turned >= kTurn) s.turned -= kTurn;
    if (s.turned < 0.0) s.turned += kTurn;
    s.spin = spin;
  }
}

void Carrier::spread(const Kinematics& kinematics, const Wrenches& wrenches, double* tau) const {
  const multibody::Tree& tree = model_.tree;
  Wrenches sum = wrenches;
  for (int i = tree.link_count() - 1; i >= 0; --i) {
    if (!carries(i)) continue;
    const multibody::LinkMotion& m = nth(kinematics.link, i);
    tau[i] += tree.link(i).revolute ? m.axis_W.dot(sum.n[i] - m.in_world.p.cross(sum.f[i]))
                                    : m.axis_W.dot(sum.f[i]);
    const int parent = tree.link(i).parent;
    if (parent == multibody::kBase) continue;
    sum.f[parent] += sum.f[i];
    sum.n[parent] += sum.n[i];
  }
}

void Carrier::step(const machine::MachineState& machine, const CarrierCommand& command,
                   CarrierState& state, double* tau) const {
  const multibody::Tree& tree = model_.tree;
  const Kinematics kinematics = multibody::forward_kinematics(tree, machine.q, machine.v);
  Wrenches wrenches(tree.link_count());
  Hub hubs[kMaxWheels];
  double torque[kMaxWheels];
  for (std::size_t i = 0; i < tyres_.size(); ++i) {
    const Tyre& tyre = tyres_[i];
    const Wheel& wheel = model_.wheels[i];
    hubs[i] = hub(kinematics, tyre);
    const Hub& hub = hubs[i];
    const Pressure p = pressure(tyre, wheel, hub);
    const Vec3 t = tread(tyre, wheel, hub, p, state.wheel[i]);
    // Moments that would turn the wheel go to its spin.
    torque[i] = (p.at_W - hub.p_W).cross(t).dot(hub.axis_W);
    const double all =
        torque[i] + (p.at_W - hub.p_W).cross(p.f_W).dot(hub.axis_W) + p.moment_W.dot(hub.axis_W);
    wrenches.push(tyre.link, p.at_W, p.f_W + t);
    wrenches.twist(tyre.link, p.moment_W - all * hub.axis_W);
  }
  turn(command, torque, hubs, state, wrenches);
  spread(kinematics, wrenches, tau);

  const machine::JointLock& lock = model_.joint_lock;
  if (lock.link < 0) return;
  const double q = machine.q[lock.link];
  if (command.joint_lock != 0 && state.locked == 0) state.locked_at = q;
  state.locked = command.joint_lock;
  if (state.locked == 0) {
    state.locked_at = 0.0;
    return;
  }
  // Beyond its torque it gives way and holds there.
  const double most = lock.torque_max / lock.stiffness;
  state.locked_at = q + std::clamp(state.locked_at - q, -most, most);
  tau[lock.link] +=
      held(lock.stiffness * (state.locked_at - q) - lock.damping * machine.v[lock.link],
           lock.torque_max);
}

void Carrier::load_engine(const CarrierCommand& command, machine::MachineState& machine,
                          CarrierState& state) const {
  const machine::Driveline& d = model_.driveline;
  if (!d.present) return;
  const hydraulics::Engine& engine = model_.supply.pump.engine;
  hydraulics::SupplyState& supply = machine.supply;
  const double load = state.stroke * d.pump_displacement * d.pump_ratio * state.pressure;
  if (engine.inertia > 0.0) {
    const double before = supply.engine_speed;
    supply.engine_speed = std::max(0.0, before - h_ * load / engine.inertia);
    machine.supply_energy.drive +=
        0.5 * engine.inertia * (before * before - supply.engine_speed * supply.engine_speed);
    if (const double over = supply.engine_speed / engine.speed - 1.0; over > 0.0) {
      const double dragged = supply.engine_speed;
      const double torque = kEngineBrake * engine.torque_max * std::min(1.0, over / kDragged);
      supply.engine_speed = std::max(engine.speed, dragged - h_ * torque / engine.inertia);
      machine.supply_energy.engine -=
          0.5 * engine.inertia * (dragged * dragged - supply.engine_speed * supply.engine_speed);
    }
  }
  state.engine_speed = supply.engine_speed;
  const double share = supply.engine_speed / engine.speed;
  const double allowed =
      d.engine_full > d.engine_floor
          ? std::clamp((share - d.engine_floor) / (d.engine_full - d.engine_floor), 0.0, 1.0)
          : 1.0;
  // The first half of the lever strokes the pump out, the second the motor back, which a load undoes.
  const double asked =
      2.0 * (1.0 - std::clamp(command.inching, 0.0, 1.0)) * std::clamp(command.drive, -1.0, 1.0);
  state.stroke += held(allowed * held(asked, 1.0) - state.stroke, h_ / d.stroke_time_s);
  const double loaded = d.motor_full_Pa > 0.0 ? (std::fabs(state.pressure) - d.motor_full_Pa) /
                                                    (d.relief_Pa - d.motor_full_Pa)
                                              : 0.0;
  const double back = (1.0 - d.motor_least) * std::clamp(std::fabs(asked) - 1.0, 0.0, 1.0) *
                      (1.0 - std::clamp(loaded, 0.0, 1.0));
  state.motor_back += held(back - state.motor_back, h_ / d.stroke_time_s);
}

double Carrier::speed(const CarrierState& state) const {
  double sum = 0.0, all = 0.0;
  int driven = 0;
  for (std::size_t i = 0; i < tyres_.size(); ++i) {
    const Wheel& wheel = model_.wheels[i];
    const double tread = wheel.radius * state.wheel[i].spin;
    all += tread;
    if (!wheel.driven) continue;
    sum += tread;
    ++driven;
  }
  return driven > 0 ? sum / driven : all / static_cast<double>(tyres_.size());
}

double Carrier::stored_energy(const CarrierState& state) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < tyres_.size(); ++i) {
    const Wheel& wheel = model_.wheels[i];
    const WheelState& s = state.wheel[i];
    sum += 0.5 * wheel.inertia * s.spin * s.spin +
           0.5 * wheel.grip_stiffness * vec(s.bristle).squaredNorm();
  }
  return sum + 0.5 * model_.driveline.volume / model_.driveline.bulk_modulus * state.pressure *
                   state.pressure;
}

}  // namespace knuckleboom::carrier
