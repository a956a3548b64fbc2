#include "support/machines.hpp"

#include <numbers>
#include <stdexcept>

#include "knuckleboom/core/machine/actuator.hpp"
#include "support/crane.hpp"

namespace knuckleboom::test {

using command::JointMode;
using command::Scenario;
using command::Segment;
using command::SegmentKind;
using command::Term;
using command::TermKind;
using machine::Actuator;
using machine::LinkageKind;

hydraulics::Valve reference_valve() {
  hydraulics::Valve valve;
  for (hydraulics::Conductance& edge : valve.edge) {
    edge.scale = 3e-6;
    edge.polynomial = {0.6, 0.4, 0.0};
  }
  return valve;
}

hydraulics::Circuit reference_motor() {
  hydraulics::Circuit c;
  c.kind = hydraulics::ActuatorKind::kMotor;
  c.D_m = 1.1456e-5;
  c.N = 160.0;
  c.line1 = c.line2 = {1.2e7, 2e-12, 2e8};
  c.leak_internal = 1.0 / 2e12;
  c.leak_external1 = c.leak_external2 = 1.0 / 8e12;
  c.B = 1500.0;
  c.valve = reference_valve();
  return c;
}

hydraulics::Circuit reference_cylinder(double bore_m, double rod_m, double C1, double C2) {
  hydraulics::Circuit c;
  c.kind = hydraulics::ActuatorKind::kCylinder;
  c.A1 = 0.25 * std::numbers::pi * bore_m * bore_m;
  c.A2 = c.A1 - 0.25 * std::numbers::pi * rod_m * rod_m;
  c.line1 = {1.5e7, C1, 4e10};
  c.line2 = {1.5e7, C2, 4e10};
  c.B = 2e4;
  c.valve = reference_valve();
  return c;
}

machine::MachineModel reference_machine(bool protection) {
  machine::MachineModel model;
  model.name = "reference";
  model.tree = reference_crane();
  model.tip_body = model.tree.find_body("head");

  Actuator swing;
  swing.name = "swing";
  swing.link = model.tree.find_joint("swing");
  swing.circuit = reference_motor();

  Actuator boom;
  boom.name = "boom";
  boom.link = model.tree.find_joint("boom");
  boom.linkage.kind = LinkageKind::kTriangle;
  boom.linkage.base_pin = Vec3(0.55, 0.0, -0.75);
  boom.linkage.rod_pin = Vec3(1.9, 0.0, 0.30);
  boom.circuit = reference_cylinder(0.140, 0.090, 9e-12, 7e-12);

  Actuator stick = boom;
  stick.name = "stick";
  stick.link = model.tree.find_joint("stick");
  stick.linkage.base_pin = Vec3(-1.9, 0.0, 0.70);
  stick.linkage.rod_pin = Vec3(-0.55, 0.0, 0.35);
  stick.circuit = reference_cylinder(0.125, 0.080, 7e-12, 6e-12);

  model.actuators = {swing, boom, stick};
  for (Actuator& actuator : model.actuators) {
    actuator.circuit.protection.enabled = protection;
    if (actuator.linkage.kind == LinkageKind::kDirect) continue;
    actuator.stops.enabled = protection;
    actuator.stops.cushion = 0.03;
    actuator.stops.cushion_damping = 4e5;
    actuator.stops.stiffness = 5e7;
    actuator.stops.damping = 5e5;
  }
  control::PidGains gains;
  gains.Kp = 40.0;
  gains.Ki = 10.0;
  model.controllers = {gains, gains, gains};

  const std::vector<std::string> faults = machine::finish(model);
  if (!faults.empty()) throw std::logic_error(faults.front());
  return model;
}

machine::MachineModel pump_machine() {
  machine::MachineModel model = reference_machine();
  machine::Supply& supply = model.supply;
  supply.kind = hydraulics::SupplyKind::kPump;
  hydraulics::PumpSupply& pump = supply.pump;
  pump.control = hydraulics::PumpControl::kLoadSensing;
  pump.displacement = 100e-6 / (2.0 * std::numbers::pi);
  pump.margin_Pa = 2e6;
  pump.standby_Pa = 2.5e6;
  pump.load_line_s = 0.01;
  pump.stroke_time_s = 0.06;
  pump.regulator_band_Pa = 1e6;
  pump.regulator_damping_s = 0.015;
  pump.power_limit_W = 60e3;
  pump.leak = 5e-13;
  pump.drag_torque = 10.0;
  pump.gallery_volume = 3e-3;
  pump.gallery_bulk_modulus = 1e9;
  pump.relief_Pa = 23e6;
  pump.relief_conductance = 1e-9;
  pump.engine.speed = 1800.0 * std::numbers::pi / 30.0;
  pump.engine.droop = 0.06;
  pump.engine.torque_max = 600.0;
  pump.engine.inertia = 2.0;
  pump.engine.governor_s = 0.1;
  for (Actuator& actuator : model.actuators) {
    hydraulics::Valve& valve = actuator.circuit.valve;
    valve.compensator = {hydraulics::CompensatorKind::kUpstream, 1e6, 0.015};
    valve.spool_time_constant_s = 0.03;
  }
  hydraulics::LoadHolding& holding = model.actuators[1].circuit.holding[0];
  holding.kind = hydraulics::HoldingKind::kCounterbalance;
  holding.set_Pa = 22e6;
  holding.pilot_ratio = 3.0;
  holding.range_Pa = 10e6;
  holding.conductance = 5e-6;
  holding.lag_s = 0.02;
  const std::vector<std::string> faults = machine::finish(model);
  if (!faults.empty()) throw std::logic_error(faults.front());
  return model;
}

Term constant(double value) {
  Term term;
  term.value = value;
  return term;
}

Term sine(double amplitude, double frequency_Hz, double fade_in_s) {
  Term term;
  term.kind = TermKind::kSine;
  term.value = amplitude;
  term.frequency_Hz = frequency_Hz;
  term.fade_in_s = fade_in_s;
  return term;
}

Term pulse(double value, double start_s, double end_s) {
  Term term;
  term.kind = TermKind::kPulse;
  term.value = value;
  term.start_s = start_s;
  term.end_s = end_s;
  return term;
}

Term smooth(double value, double start_s, double end_s) {
  Term term = pulse(value, start_s, end_s);
  term.kind = TermKind::kSmooth;
  return term;
}

Scenario standstill(double duration_s) {
  Scenario scenario;
  scenario.name = "standstill";
  scenario.duration_s = duration_s;
  command::InitialJoint swing{"swing", 0.0};
  swing.port_b_given = true;
  swing.port_b_Pa = 5e6;
  command::InitialJoint boom{"boom", 0.5};
  boom.port_b_given = true;
  boom.port_b_Pa = 3e6;
  command::InitialJoint stick{"stick", -1.3};
  stick.port_a_given = true;
  stick.port_a_Pa = 1e6;
  scenario.initial = {swing, boom, stick};
  return scenario;
}

Scenario locked(double duration_s) {
  Scenario scenario = standstill(duration_s);
  scenario.name = "locked";
  for (const char* joint : {"swing", "boom", "stick"})
    scenario.programs.push_back({joint, JointMode::kVoltage, {}});
  return scenario;
}

namespace {

Scenario open_loop(const std::string& joint, const command::Signal& volts, double duration_s) {
  Scenario scenario = locked(duration_s);
  for (command::JointProgram& program : scenario.programs)
    if (program.joint == joint) program.signal = volts;
  return scenario;
}

}  // namespace

Scenario stick_sine() {
  Scenario scenario = standstill(40.0);
  scenario.name = "stick_sine";
  scenario.programs = {{"stick", JointMode::kTrack, {{constant(-1.3), sine(0.35, 0.1, 2.0)}}}};
  return scenario;
}

Scenario boom_sine() {
  Scenario scenario = standstill(40.0);
  scenario.name = "boom_sine";
  scenario.programs = {{"boom", JointMode::kTrack, {{constant(0.5), sine(0.25, 0.1, 2.0)}}}};
  return scenario;
}

Scenario boom_pulse() {
  Scenario scenario = open_loop("boom", {{pulse(4.0, 1.0, 2.5), pulse(-2.0, 5.0, 6.5)}}, 12.0);
  scenario.name = "boom_pulse";
  return scenario;
}

Scenario swing_pulse() {
  Scenario scenario = open_loop("swing", {{smooth(1.5, 1.0, 5.0), smooth(-1.5, 8.0, 12.0)}}, 20.0);
  scenario.name = "swing_pulse";
  return scenario;
}

Scenario tip_circle() {
  Scenario scenario = standstill(42.0);
  scenario.name = "tip_circle";
  for (const char* joint : {"swing", "boom", "stick"})
    scenario.programs.push_back({joint, JointMode::kTip, {}});
  Segment circle;
  circle.kind = SegmentKind::kCircle;
  circle.duration_s = 20.0;
  circle.center_W = Vec3(-0.6, 0.0, 0.8);
  circle.axis_W = -Vec3::UnitY();
  Segment line;
  line.kind = SegmentKind::kLine;
  line.duration_s = 15.0;
  line.delta_W = Vec3(-0.5, 2.5, 0.0);
  const auto hold = [](double duration_s) {
    Segment segment;
    segment.duration_s = duration_s;
    return segment;
  };
  scenario.tip_path.segments = {hold(1.0), circle, hold(2.0), line};
  return scenario;
}

std::vector<Scenario> reference_scenarios() {
  return {stick_sine(), boom_sine(), boom_pulse(), swing_pulse(), tip_circle()};
}

}  // namespace knuckleboom::test
