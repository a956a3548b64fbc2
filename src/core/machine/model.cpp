#include "knuckleboom/core/machine/model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "linkage.hpp"

namespace knuckleboom::machine {
namespace {

constexpr int kRangeSamples = 200;

// Cylinder triangle over the joint range: it needs a length everywhere, and no dead centre.
void check_triangle(Actuator& actuator, const multibody::Body& body,
                    std::vector<std::string>& faults) {
  const std::string who = "actuator '" + actuator.name + "': ";
  Linkage& linkage = actuator.linkage;
  const double amplitude = std::hypot(linkage.kc, linkage.ks);
  if (!(amplitude > 0.0)) {
    faults.emplace_back(who +
                        "a pin lies on the joint axis, so the cylinder cannot turn the joint");
    return;
  }
  if (!(body.upper > body.lower)) {
    faults.emplace_back(who + "a cylinder needs limits on joint '" + body.joint_name +
                        "'; give it a lower and an upper angle");
    return;
  }
  double first = 0.0;
  for (int i = 0; i <= kRangeSamples; ++i) {
    const double q = body.lower + (body.upper - body.lower) * i / kRangeSamples;
    const LinkageState s = linkage_at(linkage, q);
    const std::string at = " at " + std::to_string(q) + " rad of joint '" + body.joint_name + "'";
    if (!(s.x > 1e-3)) {
      faults.emplace_back(who + "its pins meet" + at + ": impossible cylinder triangle");
      return;
    }
    if (i == 0) first = s.J;
    if (!(s.J * first > 0.0)) {
      faults.emplace_back(who + "its lever arm vanishes" + at +
                          ": impossible cylinder triangle within the joint range");
      return;
    }
  }
  linkage.sign = first < 0.0 ? -1.0 : 1.0;
}

void require(bool good, const std::string& who, const char* what,
             std::vector<std::string>& faults) {
  if (!good) faults.emplace_back(who + what);
}

// kg/m^4, in place of none. Oil in a usual hose has 1e7; this follows any pressure within a thousandth of a tick,
// and the step, damping what is faster than itself, takes it as at once.
constexpr double kNoInertance = 1e-3;

void check_line(const hydraulics::Line& line, const std::string& who,
                std::vector<std::string>& faults) {
  require(line.I >= 0.0, who, "its line inertance must not be negative", faults);
  require(line.C > 0.0, who, "its line capacitance must be above zero", faults);
  require(line.R >= 0.0, who, "its line resistance must not be negative", faults);
}

void check_valve(const hydraulics::Valve& valve, const std::string& who,
                 std::vector<std::string>& faults) {
  require(valve.overlap_V >= 0.0, who, "the valve's overlap must not be negative", faults);
  require(valve.full_V > valve.overlap_V, who, "the valve must open fully beyond its overlap",
          faults);
  require(valve.min_conductance_ratio > 0.0 && valve.min_conductance_ratio < 1.0, who,
          "the valve's least conductance ratio must lie between 0 and 1", faults);
  require(valve.spool_time_constant_s >= 0.0, who, "the spool's time constant must not be negative",
          faults);
  for (const auto& edge : valve.edge)
    require(edge.scale > 0.0, who, "every metering edge needs a conductance above zero", faults);
}

void check_section(const hydraulics::Circuit& c, const std::string& who,
                   std::vector<std::string>& faults) {
  const hydraulics::Valve& valve = c.valve;
  require(valve.compensator.kind != hydraulics::CompensatorKind::kUpstream ||
              valve.compensator.margin_Pa > 0.0,
          who, "the compensator's margin must be above zero", faults);
  require(valve.compensator.lag_s >= 0.0 && valve.load_check_lag_s >= 0.0, who,
          "the lags of its valve section must not be negative", faults);
  for (const hydraulics::LoadHolding& holding : c.holding) {
    if (holding.kind == hydraulics::HoldingKind::kNone) continue;
    require(holding.conductance > 0.0 && holding.range_Pa > 0.0 && holding.pilot_ratio > 0.0, who,
            "a holding valve needs conductance, range and pilot ratio above zero", faults);
    require(holding.lag_s >= 0.0, who, "a holding valve's lag must not be negative", faults);
  }
}

void check_supply(const Supply& supply, std::vector<std::string>& faults) {
  const std::string who = "supply: ";
  if (!(supply.pump_Pa > supply.tank_Pa))
    faults.emplace_back("the pump pressure must be above the tank pressure");
  if (supply.kind != hydraulics::SupplyKind::kPump) return;
  using hydraulics::PumpControl;
  const hydraulics::PumpSupply& pump = supply.pump;
  const hydraulics::Engine& engine = pump.engine;
  require(pump.displacement > 0.0 && pump.speed_ratio > 0.0 && engine.speed > 0.0, who,
          "displacement and speed must be above zero", faults);
  require(pump.gallery_volume > 0.0 && pump.gallery_bulk_modulus > 0.0, who,
          "the gallery's volume and bulk modulus must be above zero", faults);
  require(pump.relief_conductance > 0.0, who, "the main relief needs a conductance", faults);
  require(pump.relief_Pa > supply.pump_Pa || pump.control == PumpControl::kFixed, who,
          "the main relief must open above the pressure that the pump is regulated to", faults);
  require(pump.leak >= 0.0 && pump.drag_torque >= 0.0 && pump.ripple >= 0.0, who,
          "leakage, drag and ripple must not be negative", faults);
  if (pump.control != PumpControl::kFixed)
    require(pump.stroke_time_s > 0.0 && pump.regulator_band_Pa > 0.0, who,
            "the regulator needs a stroke time and a band above zero", faults);
  if (pump.control == PumpControl::kLoadSensing)
    require(pump.margin_Pa > 0.0 && pump.standby_Pa > 0.0 && pump.standby_Pa <= supply.pump_Pa, who,
            "load sensing needs a margin, and a stand-by pressure below the cut-off", faults);
  if (engine.inertia > 0.0)
    require(engine.droop > 0.0 && engine.torque_max > 0.0, who,
            "the engine needs a droop and a torque above zero", faults);
  for (const hydraulics::Accumulator& a : pump.accumulators)
    require(a.gas_volume > 0.0 && a.exponent > 1.0 && a.precharge_Pa >= 0.0, who,
            "an accumulator needs gas, and an exponent above 1", faults);
}

void check_circuit(const Actuator& actuator, std::vector<std::string>& faults) {
  const hydraulics::Circuit& c = actuator.circuit;
  const std::string who = "actuator '" + actuator.name + "': ";
  check_line(c.line1, who, faults);
  check_line(c.line2, who, faults);
  if (c.kind == hydraulics::ActuatorKind::kCylinder) {
    require(c.A2 > 0.0, who, "the rod is as thick as its bore or thicker", faults);
    require(c.A1 >= c.A2, who, "the head side must not be smaller than the rod side", faults);
  } else {
    require(c.D_m > 0.0 && c.N > 0.0, who, "displacement and gear ratio must be above zero",
            faults);
  }
  require(c.B >= 0.0, who, "viscous friction must not be negative", faults);
  require(c.leak_internal >= 0.0 && c.leak_external1 >= 0.0 && c.leak_external2 >= 0.0, who,
          "leakage must not be negative", faults);
  const hydraulics::Protection& p = c.protection;
  if (p.enabled) {
    require(p.relief_Pa > 0.0 && p.relief_conductance > 0.0, who,
            "relief needs a pressure and a conductance above zero", faults);
    require(p.anti_cavitation_Pa <= 0.0 && p.anti_cavitation_Pa > -1e5, who,
            "anti-cavitation opens between -1 and 0 bar", faults);
    require(p.anti_cavitation_conductance > 0.0, who,
            "anti-cavitation needs a conductance above zero", faults);
  }
  check_valve(c.valve, who, faults);
  check_section(c, who, faults);
}

void check_air(const pneumatics::Air& air, Actuator& actuator, std::vector<std::string>& faults) {
  const std::string who = "actuator '" + actuator.name + "': ";
  const AirCylinder& own = *actuator.air;
  if (const char* fault = pneumatics::fault_of(own.cylinder)) faults.emplace_back(who + fault);
  if (const char* fault = pneumatics::fault_of(own.valve)) faults.emplace_back(who + fault);
  const hydraulics::Valve& valve = actuator.circuit.valve;
  require(valve.overlap_V >= 0.0 && valve.full_V > valve.overlap_V, who,
          "the valve must open fully beyond its dead zone", faults);
  require(valve.spool_time_constant_s >= 0.0, who, "the spool's lag must not be negative", faults);
  require(actuator.circuit.B >= 0.0, who, "viscous friction must not be negative", faults);
  for (const double P : own.P_start)
    require(P > 0.0, who, "pressures at the start are absolute and must be above zero", faults);
  actuator.circuit.A1 = own.cylinder.area_cap;
  actuator.circuit.A2 = own.cylinder.area_rod;
  actuator.circuit.protection.enabled = false;
  // For levers that ask for a speed: air of the supply's density, as if it were a liquid.
  for (hydraulics::Conductance& edge : actuator.circuit.valve.edge) {
    edge.scale = own.valve.area_max * std::sqrt(2.0 * air.gas.R * air.T_supply / air.P_supply);
    edge.polynomial = {1.0, 0.0, 0.0};
  }
  actuator.stops.enabled = true;
  actuator.stops.x_min = own.retracted;
  actuator.stops.x_max = own.retracted + own.cylinder.stroke;
}

// The supply of a machine on air as everybody reads it: gauge pressures.
void derive_air_supply(MachineModel& model, std::vector<std::string>& faults) {
  const pneumatics::Air& air = model.air;
  if (const char* fault = pneumatics::fault_of(air))
    faults.emplace_back(std::string("air: ") + fault);
  require(air.P_supply > air.P_ambient, "air: ", "the supply must be above the surroundings",
          faults);
  for (const Actuator& actuator : model.actuators)
    if (!actuator.air) {
      faults.emplace_back("actuator '" + actuator.name +
                          "' is on oil and others are on air; a machine is on one of the two");
      break;
    }
  model.supply = {};
  model.supply.pump_Pa = air.P_supply - air.P_ambient;
}

void check_controller(const control::PidGains& gains, const std::string& who,
                      std::vector<std::string>& faults) {
  require(gains.output_limit_V > 0.0, who, "the controller's output limit must be above zero",
          faults);
  require(gains.compensation_width_V > 0.0, who,
          "the width over which overlap compensation fades in must be above zero", faults);
  require(gains.tracking_time_s > 0.0, who, "the tracking time must be above zero", faults);
  require(gains.derivative_filter_s >= 0.0, who, "the derivative's filter must not be negative",
          faults);
  require(gains.period_ticks >= 1, who, "the controller's period is at least one tick", faults);
}

// Middle of every joint's range.
void middle_of_ranges(const MachineModel& model, double* q) {
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    q[i] = 0.5 * (body.lower + body.upper);
  }
}

// Closed loops near the middle of the ranges, with the driven joints there if that is possible.
bool closed_middle(const MachineModel& model, double* q, int& loop, double& gap) {
  bool fixed[kMaxLinks];
  keep_independent(model, fixed);
  middle_of_ranges(model, q);
  loop = model.loop_system.assemble(model.tree, fixed, q, gap);
  if (loop < 0) return true;
  std::fill(fixed, fixed + kMaxLinks, false);
  middle_of_ranges(model, q);
  loop = model.loop_system.assemble(model.tree, fixed, q, gap);
  return loop < 0;
}

// Four turns in a row, which belong to nothing else.
void check_balls(MachineModel& model, std::vector<std::string>& faults) {
  model.held = 0;
  for (const multibody::Ball& ball : model.balls) {
    const std::string who = "joint '" + ball.name + "': ";
    if (ball.first < 0 || ball.first + multibody::kTurns > model.joint_count()) {
      faults.emplace_back(who + "its turns do not exist");
      continue;
    }
    model.held |= std::int64_t{1} << ball.first;
    require(ball.damping.allFinite() && ball.stiffness.allFinite() &&
                ball.damping.minCoeff() >= 0.0 && ball.stiffness.minCoeff() >= 0.0,
            who, "damping and spring must not be negative", faults);
    bool single = true;
    for (int t = 0; t < multibody::kTurns; ++t) {
      const multibody::Link& link = model.tree.link(ball.first + t);
      single = single && link.revolute && (t == 0 || link.parent == ball.first + t - 1);
    }
    require(single, who, "its turns are not four in a row", faults);
    const auto turns = [&ball](const auto& part) { return ball.has(part.link); };
    require(std::none_of(model.actuators.begin(), model.actuators.end(), turns) &&
                std::none_of(model.drives.begin(), model.drives.end(), turns),
            who, "a joint that turns in any direction takes no actuator and no drive", faults);
  }
}

void derive_loops(MachineModel& model, std::vector<std::string>& faults) {
  try {
    model.loop_system = multibody::LoopSystem(model.tree, model.loops, model.couplings, model.held);
  } catch (const std::invalid_argument& error) {
    faults.emplace_back(error.what());
    return;
  }
  if (model.loop_system.empty()) return;
  double q[kMaxLinks];
  int loop = -1;
  double gap = 0.0;
  if (!closed_middle(model, q, loop, gap))
    faults.emplace_back(
        constraint_name(model, loop) +
        ": no position of its joints closes it; the nearest found leaves a gap of " +
        std::to_string(gap) + " m; check its points and the lengths of its bodies");
}

// Length of a cylinder between pins over the range of its own joint, as far as the loops allow,
// with the other driven joints in the middle of theirs.
void check_pins(const MachineModel& model, int index, Actuator& actuator,
                const multibody::Body& body, std::vector<std::string>& faults) {
  const std::string who = "actuator '" + actuator.name + "': ";
  Linkage& linkage = actuator.linkage;
  double start[kMaxLinks];
  int loop = -1;
  double gap = 0.0;
  if (!closed_middle(model, start, loop, gap)) return;
  const LinkageState first = displacement(model, index, start);
  linkage.sign = first.J < 0.0 ? -1.0 : 1.0;
  EndStops& stops = actuator.stops;
  const bool ends = stops.enabled && !(stops.x_max > stops.x_min);
  double low = first.x;
  double high = first.x;
  bool keep[kMaxLinks];
  keep_independent(model, keep);
  const std::int64_t dependent = model.loop_system.choose(model.tree, start, keep);
  const double step = (body.upper - body.lower) / kRangeSamples;
  for (const double sense : {-1.0, 1.0}) {
    double q[kMaxLinks];
    std::copy(start, start + model.joint_count(), q);
    for (int i = 0; i <= kRangeSamples / 2; ++i) {
      const std::string at =
          " at " + std::to_string(q[actuator.link]) + " of joint '" + body.joint_name + "'";
      const LinkageState s = displacement(model, index, q);
      if (!(s.x > 1e-3)) {
        faults.emplace_back(who + "its pins meet" + at + ": impossible cylinder");
        return;
      }
      if (!(s.J * linkage.sign > 0.0)) {
        faults.emplace_back(who + "its lever arm vanishes" + at +
                            ": impossible cylinder within the joint range");
        return;
      }
      low = std::min(low, s.x);
      high = std::max(high, s.x);
      if (!(step > 0.0)) break;
      q[actuator.link] += sense * step;
      const double zero[kMaxLinks] = {};
      multibody::Embedding e;
      model.loop_system.embed(model.tree, dependent, zero, q, e);
      if (e.gap > 0.0) break;
    }
  }
  linkage.length_min = low;
  linkage.length_max = high;
  if (!ends) return;
  stops.x_min = low;
  stops.x_max = high;
}

void check_drives(const MachineModel& model, std::vector<std::string>& faults) {
  bool taken[kMaxLinks] = {};
  for (const Actuator& actuator : model.actuators)
    if (actuator.link >= 0 && actuator.link < model.joint_count()) taken[actuator.link] = true;
  for (const JointDrive& drive : model.drives) {
    if (drive.link < 0 || drive.link >= model.joint_count()) {
      faults.emplace_back("a drive's joint does not exist");
      continue;
    }
    const std::string who = "joint '" + model.joint_name(drive.link) + "': ";
    require(!taken[drive.link], who, "it has a drive and an actuator, or two drives; keep one",
            faults);
    taken[drive.link] = true;
    require(drive.torque_limit >= 0.0 && drive.speed_gain >= 0.0, who,
            "its drive's limit and gain must not be negative", faults);
  }
}

// Where the joints are at zero: no wheel in another one, all turning the same way.
void check_wheel_places(const MachineModel& model, std::vector<std::string>& faults) {
  constexpr double kLevel = 0.6;  // most vertical part of an axis
  constexpr double kTouch = 1e-3;
  struct Disc {
    Vec3 centre, axis;
  };
  const double zero[kMaxLinks] = {};
  const multibody::Kinematics kinematics = multibody::forward_kinematics(model.tree, zero, zero);
  std::vector<Disc> discs;
  Vec3 ahead = Vec3::Zero();
  for (const Wheel& wheel : model.wheels) {
    const multibody::Pose pose = multibody::body_pose(model.tree, kinematics, wheel.body);
    discs.push_back({pose.R * wheel.centre_B + pose.p, pose.R * wheel.axis_B});
    ahead += discs.back().axis.cross(Vec3::UnitZ());
  }
  for (std::size_t i = 0; i < discs.size(); ++i) {
    const Wheel& wheel = model.wheels[i];
    const std::string who = "wheel '" + wheel.name + "': ";
    const Vec3& axis = discs[i].axis;
    if (std::fabs(axis.z()) > kLevel)
      faults.emplace_back(who +
                          "its axis points up; a wheel stands upright, so give it a level one");
    else if (axis.cross(Vec3::UnitZ()).dot(ahead) < 0.0)
      faults.emplace_back(who +
                          "it turns the other way than the others, and would roll backwards "
                          "when they roll forwards; turn its 'axis' round");
    for (std::size_t j = 0; j < i; ++j) {
      const Wheel& other = model.wheels[j];
      const Vec3 apart = discs[i].centre - discs[j].centre;
      if (std::fabs(axis.dot(discs[j].axis)) < 0.9) continue;
      const double along = std::fabs(apart.dot(axis));
      const double across = (apart - apart.dot(axis) * axis).norm();
      if (along < 0.5 * (wheel.width + other.width) - kTouch &&
          across < wheel.radius + other.radius - kTouch)
        faults.emplace_back(who + "it is inside wheel '" + other.name +
                            "'; move them apart, or make them smaller");
    }
  }
}

void check_wheels(const MachineModel& model, std::vector<std::string>& faults) {
  if (static_cast<int>(model.wheels.size()) > kMaxWheels)
    faults.emplace_back("a machine has at most " + std::to_string(kMaxWheels) + " wheels");
  bool driven = false;
  for (const Wheel& wheel : model.wheels) {
    const std::string who = "wheel '" + wheel.name + "': ";
    if (wheel.body < 0 || wheel.body >= model.tree.body_count() ||
        model.tree.body(wheel.body).link == multibody::kBase) {
      faults.emplace_back(who + "the body that carries it does not move");
      continue;
    }
    driven = driven || wheel.driven;
    require(wheel.radius > 0.0 && wheel.width > 0.0 && wheel.stiffness > 0.0 &&
                wheel.grip_stiffness > 0.0 && wheel.inertia > 0.0,
            who, "radius, width, stiffnesses and inertia must be above zero", faults);
    require(wheel.damping >= 0.0 && wheel.grip_damping >= 0.0 && wheel.rolling_resistance >= 0.0 &&
                wheel.brake_torque >= 0.0,
            who, "dampings, rolling resistance and brake must not be negative", faults);
    const Table& grip = wheel.grip;
    require(grip.x.size() >= 2 && grip.x[0] == 0.0 && grip.y[0] == 0.0 && grip.y[1] > 0.0, who,
            "its 'grip' must begin with [0, 0] and rise from there", faults);
    require(std::all_of(grip.y.begin() + (grip.y.empty() ? 0 : 1), grip.y.end(),
                        [](double share) { return share > 0.0; }),
            who, "its 'grip' must stay above zero", faults);
  }
  if (!model.driveline.present) {
    require(!driven, "", "wheels are driven, but there is no 'driveline'; add [driveline]", faults);
    return;
  }
  const std::string who = "'driveline': ";
  const Driveline& d = model.driveline;
  require(driven, who, "it drives no wheel; give wheels 'driven'", faults);
  require(model.supply.kind == hydraulics::SupplyKind::kPump, who,
          "it needs an engine, that of a supply with a pump", faults);
  require(d.stroke_time_s > 0.0 && d.volume > 0.0 && d.bulk_modulus > 0.0 && d.relief_Pa > 0.0, who,
          "stroke time, volume, bulk modulus and relief must be above zero", faults);
  require(d.ratio[0] >= d.ratio[1], who, "the high gear is slower than the low one", faults);
}

void derive_stops(Actuator& actuator, const multibody::Body& body,
                  std::vector<std::string>& faults) {
  EndStops& stops = actuator.stops;
  if (!stops.enabled) return;
  const std::string who = "actuator '" + actuator.name + "': ";
  if (!(stops.x_max > stops.x_min)) {
    if (!(body.upper > body.lower)) {
      stops.enabled = false;  // an endless joint has no ends
      return;
    }
    const double a = linkage_at(actuator.linkage, body.lower).x;
    const double b = linkage_at(actuator.linkage, body.upper).x;
    stops.x_min = std::min(a, b);
    stops.x_max = std::max(a, b);
  }
  require(stops.stiffness > 0.0, who, "an end stop needs a stiffness above zero", faults);
  require(stops.damping >= 0.0 && stops.cushion_damping >= 0.0 && stops.cushion >= 0.0, who,
          "end stop damping and cushion must not be negative", faults);
  require(2.0 * stops.cushion < stops.x_max - stops.x_min, who,
          "the two cushions overlap; make them shorter", faults);
}

// At rest in the middle of the joints' ranges, with closed loops. False: they do not close.
bool mechanism_at_middle(const MachineModel& model, double* q, Mechanism& mechanism) {
  MachineState state{};
  int loop = -1;
  double gap = 0.0;
  if (!closed_middle(model, state.q, loop, gap)) return false;
  for (int i = 0; i < model.joint_count(); ++i)
    state.inertia[i] = nth(model.tree.link_inertias(), i);
  choose_independent(model, state);
  multibody::MassAndBias body;
  middle_of_mechanism(model, state, 0.0, nullptr, false, q, body, mechanism);
  return true;
}

// Every independent joint must move some inertia; checked at one position where the loops close.
void check_loop_inertia(const MachineModel& model, std::vector<std::string>& faults) {
  double q[kMaxLinks];
  Mechanism mechanism;
  if (!mechanism_at_middle(model, q, mechanism)) return;
  double zero[kMaxLinks] = {};
  if (model.loop_system.empty()) {
    // Balls alone. Of a point mass whose turn about the way to it meets nothing but rounding.
    constexpr double kLeast = 1e-10;
    double A[kMaxLinks][kMaxLinks];
    for (int r = 0; r < mechanism.count; ++r)
      for (int c = 0; c <= r; ++c)
        A[r][c] = mechanism.M[r][c] / std::sqrt(mechanism.M[r][r] * mechanism.M[c][c]) -
                  (r == c ? kLeast : 0.0);
    if (!solve_positive_definite<kMaxLinks>(mechanism.count, A, zero))
      faults.emplace_back(
          "the mass matrix is singular: some motion moves no inertia. A body on a spherical or "
          "free "
          "joint needs a mass and an inertia about every axis, or one beyond it does");
    return;
  }
  if (!solve_positive_definite<kMaxLinks>(mechanism.count, mechanism.M, zero))
    faults.emplace_back(
        "the mass matrix is singular: some motion that the loops and couplings leave free moves no "
        "inertia");
}

// A place with true sticking is held by one joint: only one of the independent joints may move it.
void check_sticking(const MachineModel& model, std::vector<std::string>& faults) {
  double q[kMaxLinks];
  Mechanism mechanism;
  if (!mechanism_at_middle(model, q, mechanism)) return;
  const auto check = [&](const friction::FrictionModel& dry, double* by_joint,
                         const std::string& who) {
    if (!friction::sticks(dry.kind)) return;
    double row[kMaxLinks];
    to_independent(mechanism, by_joint, row);
    double most = 0.0;
    for (int c = 0; c < mechanism.count; ++c) most = std::max(most, std::fabs(row[c]));
    int moving = 0;
    for (int c = 0; c < mechanism.count; ++c) moving += std::fabs(row[c]) > 1e-9 * most ? 1 : 0;
    if (moving > 1)
      faults.emplace_back(who +
                          "its friction truly sticks, but several joints that are free of each "
                          "other move it; choose continuous_coulomb_viscous or lugre");
  };
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const Actuator& actuator = model.actuators[k];
    double by_joint[kMaxLinks] = {};
    displacement_row(model, static_cast<int>(k), q, by_joint);
    check(actuator.friction, by_joint, "actuator '" + actuator.name + "': ");
  }
  for (std::size_t i = 0; i < model.joint_friction.size(); ++i) {
    double by_joint[kMaxLinks] = {};
    by_joint[i] = 1.0;
    check(model.joint_friction[i], by_joint,
          "joint '" + model.joint_name(static_cast<int>(i)) + "': ");
  }
}

// Every joint must move some inertia, in the middle of its range and at both ends.
void check_inertia(const MachineModel& model, std::vector<std::string>& faults) {
  const int n = model.joint_count();
  for (const double share : {0.0, 0.5, 1.0}) {
    double q[kMaxLinks] = {};
    const double v[kMaxLinks] = {};
    for (int i = 0; i < n; ++i) {
      const multibody::Body& body = model.tree.body(model.tree.link(i).body);
      q[i] = body.lower + share * (body.upper - body.lower);
    }
    multibody::MassAndBias out;
    multibody::mass_and_bias(model.tree, model.tree.link_inertias().data(), q, v, out);
    for (int i = 0; i < n; ++i)
      if (!(out.M[i][i] > 0.0)) {
        faults.emplace_back("joint '" + model.joint_name(i) +
                            "' moves no inertia; give its body or one beyond it a mass");
        return;
      }
    double zero[kMaxLinks] = {};
    if (solve_positive_definite<kMaxLinks>(n, out.M, zero)) continue;
    faults.emplace_back("the mass matrix is singular: some joint moves no inertia of its own");
    return;
  }
}

// Stops of the joints themselves: spring and damper beyond the limits.
void derive_joint_stops(MachineModel& model, std::vector<std::string>& faults) {
  model.joint_stops.assign(static_cast<std::size_t>(model.joint_count()), EndStops{});
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    const std::string who = "joint '" + body.joint_name + "': ";
    if (body.stop_stiffness == 0.0) {
      require(body.stop_damping == 0.0, who, "its stops need a stiffness, not only a damping",
              faults);
      continue;
    }
    require(body.upper > body.lower, who, "its stops need limits; give it lower and upper", faults);
    EndStops& stops = nth(model.joint_stops, i);
    stops.enabled = true;
    stops.x_min = body.lower;
    stops.x_max = body.upper;
    stops.stiffness = body.stop_stiffness;
    stops.damping = body.stop_damping;
  }
}

// Largest lever of an actuator; between pins it is not known here, but none of ours is longer.
double longest_lever(const Actuator& actuator, const multibody::Body& body) {
  constexpr double kLongest = 3.0;  // m
  constexpr int kSamples = 32;
  if (actuator.linkage.kind == LinkageKind::kPins || !(body.upper > body.lower)) return kLongest;
  double longest = 0.0;
  for (int i = 0; i <= kSamples; ++i) {
    const double q = body.lower + (body.upper - body.lower) * i / kSamples;
    const SinCos at = sin_cos(q);
    longest = std::max(longest, std::fabs(linkage_state(actuator.linkage, q, at.sin, at.cos).J));
  }
  return longest;
}

void derive_watch(MachineModel& model) {
  const WatchLimits& limits = model.watch;
  model.watch_bands.clear();
  model.watch_pressures.clear();
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Link& link = model.tree.link(i);
    const multibody::Body& body = model.tree.body(link.body);
    const double slack = link.revolute ? limits.beyond_rad : limits.beyond_m;
    const bool limited = body.upper > body.lower;
    const double speed = speed_limit(limits, link.revolute, !model.passive(i));
    model.watch_bands.push_back({{limited ? body.lower - slack : -INFINITY, -speed},
                                 {limited ? body.upper + slack : INFINITY, speed}});
  }
  for (const Actuator& actuator : model.actuators) {
    constexpr double kReliefSlack = 1.05;
    const hydraulics::Protection& protection = actuator.circuit.protection;
    const double relief = protection.enabled ? kReliefSlack * protection.relief_Pa : INFINITY;
    const bool cylinder = actuator.circuit.kind == hydraulics::ActuatorKind::kCylinder;
    model.watch_pressures.push_back(
        {limits.vapour_Pa, std::min(limits.hose_Pa, relief), relief, cylinder});
    if (!cylinder) continue;
    const multibody::Body& body = model.tree.body(model.tree.link(actuator.link).body);
    const double speed = limits.piston_m_per_s / std::max(1e-3, longest_lever(actuator, body));
    const bool several = actuator.linkage.kind == LinkageKind::kPins;
    for (int i = 0; i < model.joint_count(); ++i)
      if (several || i == actuator.link) {
        WatchBand& band = nth(model.watch_bands, i);
        band.upper[1] = std::min(band.upper[1], speed);
        band.lower[1] = -band.upper[1];
      }
  }
}

}  // namespace

MachineModel::MachineModel() = default;
MachineModel::MachineModel(const MachineModel&) = default;
MachineModel::MachineModel(MachineModel&&) noexcept = default;
MachineModel& MachineModel::operator=(const MachineModel&) = default;
MachineModel& MachineModel::operator=(MachineModel&&) noexcept = default;
MachineModel::~MachineModel() = default;

bool MachineModel::coupled() const {
  return !loop_system.empty() || !balls.empty() ||
         std::any_of(actuators.begin(), actuators.end(),
                     [](const Actuator& a) { return a.linkage.kind == LinkageKind::kPins; });
}

const multibody::Ball* MachineModel::ball_of(int link) const {
  for (const multibody::Ball& ball : balls)
    if (ball.has(link)) return &ball;
  return nullptr;
}

const std::string& MachineModel::shown_name(int link) const {
  const multibody::Ball* ball = ball_of(link);
  return ball != nullptr ? ball->name : joint_name(link);
}

bool MachineModel::passive(int link) const {
  return std::none_of(actuators.begin(), actuators.end(),
                      [link](const Actuator& actuator) { return actuator.link == link; });
}

bool MachineModel::on_air() const {
  return std::any_of(actuators.begin(), actuators.end(),
                     [](const Actuator& actuator) { return actuator.air.has_value(); });
}

const std::string& MachineModel::actuator_name(int actuator) const {
  return nth(actuators, actuator).name;
}

std::vector<std::string> finish(MachineModel& model) {
  std::vector<std::string> faults;
  const int n = model.joint_count();
  if (n == 0) faults.emplace_back("the machine has no moving joint");
  if (static_cast<int>(model.actuators.size()) > kMaxActuators)
    faults.emplace_back("a machine has at most " + std::to_string(kMaxActuators) + " actuators");
  if (model.controllers.size() != model.actuators.size())
    faults.emplace_back("every actuator needs a controller");
  if (n > 0 && (model.tip_body < 0 || model.tip_body >= model.tree.body_count()))
    faults.emplace_back("the tip's body does not exist");
  bool taken[kMaxLinks] = {};
  for (std::size_t k = 0; k < std::min(model.actuators.size(), model.controllers.size()); ++k)
    check_controller(model.controllers[k], "actuator '" + model.actuators[k].name + "': ", faults);
  for (Actuator& actuator : model.actuators) {
    for (hydraulics::Line* line : {&actuator.circuit.line1, &actuator.circuit.line2})
      if (line->I == 0.0) line->I = kNoInertance;
    const std::string who = "actuator '" + actuator.name + "': ";
    if (actuator.link < 0 || actuator.link >= n) {
      faults.emplace_back(who + "its joint does not exist");
      continue;
    }
    const multibody::Link& link = model.tree.link(actuator.link);
    const multibody::Body& body = model.tree.body(link.body);
    if (taken[actuator.link])
      faults.emplace_back(who + "joint '" + body.joint_name + "' already has an actuator");
    taken[actuator.link] = true;
    if (actuator.linkage.kind == LinkageKind::kTriangle) {
      if (!link.revolute) {
        faults.emplace_back(who + "a cylinder between two pins needs a revolute joint");
        continue;
      }
      derive(actuator.linkage, body.axis_B);
      check_triangle(actuator, body, faults);
    }
    actuator.air ? check_air(model.air, actuator, faults) : check_circuit(actuator, faults);
    if (const char* fault = friction::fault_of(actuator.friction)) faults.emplace_back(who + fault);
    if (actuator.linkage.kind == LinkageKind::kPins) {
      const Linkage& l = actuator.linkage;
      const int bodies = model.tree.body_count();
      if (l.base_body >= bodies || l.rod_body >= bodies || l.base_body < multibody::kBase ||
          l.rod_body < multibody::kBase) {
        faults.emplace_back(who + "the body of one of its pins does not exist");
        continue;
      }
      actuator.linkage.pins =
          multibody::PointPair(model.tree, l.base_body, l.base_pin, l.rod_body, l.rod_pin);
      if (l.pins.chain_a().length + l.pins.chain_b().length == 0)
        faults.emplace_back(who + "no joint lies between its two pins, so it moves nothing");
      continue;  // its range depends on the loops
    }
    derive_stops(actuator, body, faults);
  }
  if (model.on_air()) derive_air_supply(model, faults);
  check_drives(model, faults);
  check_balls(model, faults);
  check_wheels(model, faults);
  if (faults.empty() && !model.wheels.empty()) check_wheel_places(model, faults);
  derive_joint_stops(model, faults);
  derive_loops(model, faults);
  if (faults.empty())
    for (std::size_t k = 0; k < model.actuators.size(); ++k) {
      Actuator& actuator = model.actuators[k];
      if (actuator.linkage.kind != LinkageKind::kPins) continue;
      const multibody::Body& body = model.tree.body(model.tree.link(actuator.link).body);
      check_pins(model, static_cast<int>(k), actuator, body, faults);
      derive_stops(actuator, body, faults);
    }
  if (model.coupled() && model.closed_valve == ClosedValveModel::kQuasiStatic)
    faults.emplace_back(
        "the quasi-static closed valve holds single joints and knows no loops, no couplings, no "
        "spherical and free joints and no cylinders across several joints; use the dynamic one "
        "(closed_valve.model)");
  for (std::size_t i = 0; i < model.joint_friction.size(); ++i)
    if (const char* fault = friction::fault_of(model.joint_friction[i]))
      faults.emplace_back("joint '" + model.joint_name(static_cast<int>(i)) + "': " + fault);
  if (n > 0 && faults.empty())
    model.loop_system.empty() && model.balls.empty() ? check_inertia(model, faults)
                                                     : check_loop_inertia(model, faults);
  if (n > 0 && faults.empty() && model.coupled()) check_sticking(model, faults);
  if (!model.on_air()) check_supply(model.supply, faults);
  if (!(model.tau_Q > 0.0)) faults.emplace_back("tau_Q must be above zero");
  if (faults.empty()) derive_watch(model);
  return faults;
}

}  // namespace knuckleboom::machine
