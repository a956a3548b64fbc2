// Every number of a machine file ends up in the model, and every number has a source.

#include <charconv>
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::machine_parameters_test {
namespace {

using test::config;
using test::slurp;

// All numbers of a model as text, digit for digit.
class Dump {
 public:
  explicit Dump(const machine::MachineModel& m) {
    stream_ << std::hexfloat;
    vector(m.tree.gravity_W);
    for (int i = 0; i < m.tree.body_count(); ++i) body(m.tree.body(i));
    for (const machine::Actuator& a : m.actuators) actuator(a);
    for (const friction::FrictionModel& f : m.joint_friction) friction(f);
    for (const control::PidGains& g : m.controllers)
      add(g.Kp, g.Ki, g.Kd, g.derivative_filter_s, g.feed_forward, g.overlap_compensation_V,
          g.compensation_width_V, g.output_limit_V, static_cast<double>(g.anti_windup),
          g.tracking_time_s, g.period_ticks);
    add(m.supply.pump_Pa, m.supply.tank_Pa, m.tau_Q, static_cast<double>(m.closed_valve),
        m.tip_body);
    supply(m.supply);
    vector(m.tip_B);
    for (const machine::ContactShape& s : m.shapes) {
      add(s.name, s.body, static_cast<int>(s.role), s.radius);
      vector(s.from_B);
      vector(s.to_B);
    }
    const machine::Grapple& g = m.grapple;
    add(g.present, g.body, g.hinge_distance, g.jaw_length, g.jaw_width, g.tine_radius,
        g.opening_max, g.closing_time_s, g.grip_force_N);
    for (const Vec3& v : {g.pin_B, g.log_axis_B, g.open_axis_B, g.reach_axis_B}) vector(v);
    for (const machine::Wheel& w : m.wheels) {
      add(w.name, w.body, w.radius, w.width, w.stiffness, w.damping, w.grip_stiffness,
          w.grip_damping, w.inertia, w.rolling_resistance, w.brake_torque, w.driven);
      vector(w.centre_B);
      vector(w.axis_B);
      for (std::size_t i = 0; i < w.grip.x.size(); ++i) add(w.grip.x[i], w.grip.y[i]);
    }
    const machine::Driveline& d = m.driveline;
    add(d.present, d.body, d.pump_displacement, d.pump_ratio, d.stroke_time_s, d.motor_displacement,
        d.motor_least, d.motor_full_Pa, d.ratio[0], d.ratio[1], d.relief_Pa, d.volume,
        d.bulk_modulus, d.leak, d.efficiency, d.engine_floor, d.engine_full);
    add(m.joint_lock.link, m.joint_lock.stiffness, m.joint_lock.damping, m.joint_lock.torque_max);
    for (const machine::VisualPart& v : m.visuals) {
      add(v.body, static_cast<int>(v.form), v.mesh, v.coloured);
      vector(v.size);
      vector(v.scale);
      vector(v.colour);
      vector(v.position_B);
      matrix(v.R_BM);
    }
  }
  std::string text() const { return stream_.str(); }

 private:
  template <typename... T>
  void add(T... values) {
    ((stream_ << values << ' '), ...);
    stream_ << '\n';
  }
  void vector(const Vec3& v) { add(v.x(), v.y(), v.z()); }
  void matrix(const Mat3& M) {
    for (int i = 0; i < 3; ++i) vector(M.row(i));
  }
  void body(const multibody::Body& b) {
    add(b.name, b.joint_name, b.parent, static_cast<int>(b.type), b.inertia.mass, b.damping,
        b.lower, b.upper, b.stop_stiffness, b.stop_damping);
    matrix(b.in_parent.R);
    vector(b.in_parent.p);
    vector(b.axis_B);
    vector(b.inertia.com);
    matrix(b.inertia.about_com);
  }
  void supply(const machine::Supply& s) {
    const hydraulics::PumpSupply& p = s.pump;
    add(static_cast<int>(s.kind), static_cast<int>(p.control), p.displacement, p.speed_ratio,
        p.margin_Pa, p.standby_Pa, p.load_line_s, p.stroke_time_s, p.regulator_band_Pa,
        p.regulator_damping_s, p.power_limit_W, p.leak, p.drag_torque, p.pistons, p.ripple,
        p.gallery_volume, p.gallery_bulk_modulus, p.relief_Pa, p.relief_conductance);
    add(p.engine.speed, p.engine.droop, p.engine.torque_max, p.engine.inertia, p.engine.governor_s);
    for (const hydraulics::Accumulator& a : p.accumulators)
      add(a.precharge_Pa, a.gas_volume, a.exponent);
  }
  void friction(const friction::FrictionModel& f) {
    add(static_cast<int>(f.kind), f.F_c, f.F_s, f.v_s, f.v_min, f.n, f.sigma_0, f.sigma_1);
  }
  void actuator(const machine::Actuator& a) {
    vector(a.linkage.base_pin);
    vector(a.linkage.rod_pin);
    const hydraulics::Circuit& c = a.circuit;
    add(a.name, a.link, c.line1.I, c.line1.C, c.line1.R, c.line2.I, c.line2.C, c.line2.R, c.A1,
        c.A2, c.D_m, c.N, c.B, c.leak_internal, c.leak_external1, c.leak_external2);
    friction(a.friction);
    const hydraulics::Protection& p = c.protection;
    add(p.enabled, p.relief_Pa, p.relief_conductance, p.anti_cavitation_Pa,
        p.anti_cavitation_conductance);
    const hydraulics::Valve& v = c.valve;
    add(v.overlap_V, v.full_V, v.min_conductance_ratio, v.spool_time_constant_s,
        static_cast<int>(v.compensator.kind), v.compensator.margin_Pa, v.compensator.lag_s,
        v.load_check, v.load_check_lag_s);
    for (const hydraulics::LoadHolding& l : c.holding)
      add(static_cast<int>(l.kind), l.set_Pa, l.pilot_ratio, l.range_Pa, l.conductance, l.lag_s);
    for (const hydraulics::Conductance& e : v.edge) {
      add(e.scale, e.polynomial[0], e.polynomial[1], e.polynomial[2]);
      for (std::size_t i = 0; i < e.table.x.size(); ++i) add(e.table.x[i], e.table.y[i]);
    }
    const machine::EndStops& s = a.stops;
    add(s.enabled, s.x_min, s.x_max, s.cushion, s.cushion_damping, s.stiffness, s.damping);
  }

  std::ostringstream stream_;
};

// A machine that uses every key the format has.
const char kEverything[] = R"(
name = "everything"
source = "made up for a test"
gravity_m_per_s2 = 9.81
[supply]
kind = "pump"
pump_bar = 200
tank_bar = 2
control = "load_sensing"
displacement_cm3_per_rev = 100
speed_ratio = 1.2
margin_bar = 20
standby_bar = 25
load_line_ms = 10
stroke_time_ms = 70
regulator_band_bar = 10
regulator_damping_ms = 12
power_limit_kW = 80
leak_l_per_min_bar = 0.02
drag_torque_N_m = 12
pistons = 9
ripple = 0.02
gallery = { volume_l = 4, bulk_modulus_MPa = 1100 }
relief = { set_bar = 230, conductance_l_per_min_bar = 20 }
engine = { speed_rpm = 1800, inertia_kg_m2 = 2, droop = 0.06, torque_max_N_m = 500, governor_lag_ms = 100 }
[[supply.accumulator]]
precharge_bar = 80
volume_l = 1.5
exponent = 1.25
[closed_valve]
model = "quasi_static"
tau_Q_ms = 12
[[body]]
name = "post"
position_m = [0.1, 0.2, 0.3]
rpy_deg = [1, 2, 3]
mass_kg = 100
com_mm = [1, 2, 3]
inertia_kg_m2 = [10, 11, 12, 0.1, 0.2, 0.3]
joint = { name = "turn", type = "revolute", axis = [0, 0.6, 0.8], lower_deg = -90, upper_deg = 90, damping_N_m_s_per_rad = 3 }
[[body]]
name = "arm"
parent = "post"
position_m = [1, 0, 0]
mass_kg = 100
com_m = [1, 2, 3]
inertia_kg_m2 = [10, 11, 12]
joint = { name = "lift", type = "revolute", axis = [0, -1, 0.5], lower_rad = 0.1, upper_rad = 1.0 }
[[body]]
name = "slide"
parent = "arm"
position_m = [2, 0, 0]
mass_t = 0.05
com_m = [0, 0, 0]
inertia_kg_m2 = [1, 1, 1]
joint = { name = "reach", type = "prismatic", axis = [1, 0.1, 0], lower_m = 0, upper_m = 1.5, damping_N_s_per_m = 40 }
[[body]]
name = "tool"
parent = "slide"
position_m = [0.5, 0, 0]
mass_kg = 20
com_m = [0, 0, -0.5]
inertia_kg_m2 = [1, 1, 1]
[[body]]
name = "pendulum"
parent = "tool"
position_m = [0, 0, -0.2]
mass_kg = 30
com_m = [0, 0, -0.4]
inertia_kg_m2 = [2, 2, 1]
joint = { name = "swing", type = "revolute", axis = [0, 1, 0.1], lower_deg = -70, upper_deg = 80, damping_N_m_s_per_rad = 20, stop_stiffness_kN_m_per_rad = 30, stop_damping_N_m_s_per_rad = 500 }
[[body]]
name = "drawer"
parent = "pendulum"
position_m = [0, 0, -0.5]
mass_kg = 5
com_m = [0, 0, 0]
inertia_kg_m2 = [0.1, 0.1, 0.1]
joint = { name = "drop", type = "prismatic", axis = [0, 0.1, 1], lower_m = -0.1, upper_m = 0, stop_stiffness_kN_per_m = 20, stop_damping_kN_s_per_m = 0.3, friction = { model = "continuous_coulomb_viscous", viscous_N_s_per_m = 30, coulomb_N = 40, static_N = 60, peak_speed_mm_per_s = 2, fall_end = 3 } }
[tip]
body = "tool"
position_m = [0.1, 0.2, -1]
[[shape]]
name = "foot"
body = "base"
role = "carrier"
from_m = [-1, 0.1, 0.2]
to_m = [1, 0.1, 0.2]
radius_mm = 300
[[shape]]
name = "forearm"
body = "arm"
role = "stick"
from_m = [0.1, 0, 0]
to_m = [2, 0.1, 0.1]
radius_m = 0.1
[grapple]
body = "pendulum"
pin_m = [0.01, 0.02, -0.3]
log_axis = [1, 0, 0]
open_axis = [0, 2, 0]
reach_axis = [0, 0, -1]
hinge_distance_cm = 30
jaw_length_m = 0.7
jaw_width_m = 0.4
tine_radius_mm = 30
opening_m = 1.2
closing_time_s = 1.4
grip_force_kN = 12
[[wheel]]
name = "left"
body = "post"
position_m = [0.1, 0.2, 0.3]
axis = [0, 1, 0.1]
radius_m = 0.6
width_cm = 50
stiffness_kN_per_m = 400
damping_kN_s_per_m = 5
grip_stiffness_N_per_m = 3e5
grip_damping_N_s_per_m = 6e3
grip = [[0, 0], [0.2, 0.6], [1, 0.5]]
inertia_kg_m2 = 60
rolling_resistance = 0.04
brake_kN_m = 12
driven = true
[driveline]
body = "post"
pump_displacement_cm3_per_rev = 110
pump_ratio = 1.1
stroke_time_s = 0.7
motor_displacement_cm3_per_rev = 150
motor_least = 0.4
motor_full_bar = 270
low_gear = 120
high_gear = 40
relief_bar = 410
volume_l = 4
bulk_modulus_MPa = 1100
leak_l_per_min_bar = 0.01
efficiency = 0.9
engine_floor = 0.8
engine_full = 0.9
[joint_lock]
joint = "swing"
stiffness_kN_m_per_rad = 4000
damping_N_m_s_per_rad = 8e4
torque_kN_m = 110
[[visual]]
body = "base"
mesh = "tracks.obj"
position_m = [0.1, 0.2, 0.3]
rpy_deg = [1, 2, 90]
[[visual]]
body = "tool"
mesh = "tools/plate.obj"
scale = [0.001, 0.001, -0.001]
colour = [0.2, 0.3, 0.4]
[[visual]]
body = "tool"
file = "/meshes/knife.stl"
[[visual]]
body = "arm"
box_mm = [100, 200, 300]
[[visual]]
body = "arm"
cylinder_cm = [10, 50]
[[visual]]
body = "arm"
ball_m = 0.2
[valve.four]
overlap_mV = 400
full_V = 9
min_conductance_ratio = 1e-4
spool_time_constant_ms = 15
pump_to_a = { conductance_m3_per_s_sqrtPa = 1e-6, polynomial = [0.5, 0.3, 0.2] }
b_to_tank = { conductance_m3_per_s_sqrtPa = 2e-6, table = [[0, 0], [0.4, 0.2], [1, 1]] }
pump_to_b = { flow_by_volt_l_per_min = [[0.5, 0], [4, 60], [8.9, 100]], rated_drop_bar = 10 }
a_to_tank = { overlap_mV = 450, conductance_m3_per_s_sqrtPa = 4e-6, polynomial = [0.1, 0.9] }
load_check = true
load_check_lag_ms = 6
[valve.one]
compensator = { kind = "upstream", margin_bar = 10, lag_ms = 15 }
overlap_V = 0.5
full_V = 10
min_conductance_ratio = 1e-4
conductance_m3_per_s_sqrtPa = 3e-6
table = [[0, 0], [1, 1]]
b_to_tank.conductance_m3_per_s_sqrtPa = 4e-6
[protection]
relief_bar = 250
relief_conductance_l_per_min_bar = 120
anti_cavitation_bar = -0.1
anti_cavitation_conductance_l_per_min_bar = 1800
[[actuator]]
name = "drive"
joint = "turn"
kind = "motor"
displacement_cm3_per_rev = 72
gear_ratio = 100
friction_N_m_s_per_rad = 1000
friction = { model = "lugre", coulomb_kN_m = 0.8, static_N_m = 1100, stribeck_speed_deg_per_s = 2, bristle_stiffness_N_m_per_rad = 1e7, bristle_damping_N_m_s_per_rad = 3e4 }
leak_internal_Pa_s_per_m3 = 2e12
leak_a_kg_per_m4_s = 8e12
leak_b_kg_per_m4_s = 9e12
valve = "four"
line_a = { inertance_kg_per_m4 = 1.2e7, capacitance_cm3_per_bar = 0.2, resistance_kg_per_m4_s = 2e8 }
line_b = { inertance_kg_per_m4 = 1.3e7, capacitance_m3_per_Pa = 2e-12, resistance_Pa_s_per_m3 = 3e8 }
end_stops = { min_deg = -80, max_deg = 85, cushion_deg = 5, cushion_damping_kN_m_s_per_rad = 20, stiffness_kN_m_per_rad = 900, damping_N_m_s_per_rad = 4000 }
protection = { relief_bar = 200, anti_cavitation_bar = -0.2 }
[[actuator]]
joint = "lift"
kind = "cylinder"
bore_mm = 100
rod_mm = 60
base_pin_m = [0.3, 0, -0.6]
rod_pin_m = [1.2, 0.1, 0.2]
friction_kN_s_per_m = 20
valve = "one"
holding_a = { kind = "counterbalance", set_bar = 240, pilot_ratio = 3, range_bar = 60, lag_ms = 20, flow_l_per_min = 200, rated_drop_bar = 10 }
holding_b = { kind = "pilot_check", pilot_ratio = 4, range_bar = 20, lag_ms = 10, conductance_m3_per_s_sqrtPa = 4e-6 }
line_a = { inertance_kg_per_m4 = 1.5e7, capacitance_m3_per_Pa = 9e-12, resistance_kg_per_m7 = 4e10 }
line_b = { inertance_kg_per_m4 = 1.6e7, capacitance_m3_per_Pa = 7e-12, resistance_kg_per_m7 = 5e10 }
end_stops = { cushion_mm = 60, cushion_damping_kN_s_per_m = 300, stiffness_kN_per_mm = 50, damping_N_s_per_m = 1e6 }
[[actuator]]
joint = "reach"
kind = "cylinder"
area_a_cm2 = 50
area_b_cm2 = 30
friction_N_s_per_m = 2e4
line_a = { inertance_kg_per_m4 = 1.5e7, capacitance_m3_per_Pa = 9e-12, resistance_kg_per_m7 = 4e10 }
line_b = { inertance_kg_per_m4 = 1.6e7, capacitance_m3_per_Pa = 7e-12, resistance_kg_per_m7 = 5e10 }
end_stops = { min_m = 0.1, max_m = 1.4, cushion_mm = 50, cushion_damping_N_s_per_m = 3e5, stiffness_N_per_m = 5e7, damping_N_s_per_m = 1e6 }
  [actuator.valve]
  overlap_V = 0.3
  full_V = 8
  min_conductance_ratio = 2e-4
  conductance_m3_per_s_sqrtPa = 2e-6
  polynomial = [0.2, 0.3, 0.5]
[[controller]]
joint = "turn"
kp_V_per_deg = 0.5
ki_V_per_deg_s = 0.1
kd_V_s_per_deg = 0.01
feed_forward_V_s_per_rad = 2
derivative_filter_ms = 20
overlap_compensation_V = 0.4
compensation_width_mV = 60
output_limit_V = 9
tracking_time_s = 0.8
anti_windup = "back_calculation"
period_ticks = 5
[[controller]]
joint = "lift"
kp_V_per_rad = 40
output_limit_V = 10
[[controller]]
joint = "reach"
kp_V_per_m = 30
ki_V_per_m_s = 5
kd_V_s_per_m = 1
feed_forward_V_s_per_mm = 0.01
output_limit_V = 10
)";

// The numbers of one entry of the source list, and how to set each of them by an override.
std::vector<io::Override> mutations(const machine::Source& source) {
  std::vector<io::Override> list;
  std::vector<int> index;  // of the open arrays
  const std::string& text = source.value;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '[') {
      index.push_back(0);
    } else if (c == ']') {
      index.pop_back();
      if (index.empty()) break;
    } else if (c == ',') {
      ++index.back();
    } else if (c != ' ') {
      const std::size_t end = std::min(text.find_first_of(",] ", i), text.size());
      double value = 0.0;
      std::from_chars(text.data() + i, text.data() + end, value);
      const bool integer = source.key.ends_with("_ticks") || source.key.ends_with("pistons");
      const double changed = integer ? value + 1.0 : value == 0.0 ? 1e-3 : value * 1.0078125;
      std::string key = source.key;
      for (const int k : index) key.append(1, '.').append(std::to_string(k));
      std::ostringstream written;
      written.precision(17);
      written << changed;
      list.push_back({key, written.str()});
      i = end;
      if (index.empty()) break;
      continue;
    }
    ++i;
  }
  return list;
}

// Values that end the range of a curve cannot be moved alone.
bool is_fixed(const std::string& key, const std::string& value) {
  return key.find(".table.") != std::string::npos && value.starts_with("1.007");
}

void expect_all_used(const std::string& text, const std::vector<std::string>& without_effect) {
  const machine::MachineModel model = io::read_machine_text(text, "m.toml").model;
  const std::string before = Dump(model).text();
  ASSERT_GT(model.sources.size(), 50u);
  std::size_t n = 0;
  for (const machine::Source& source : model.sources) {
    const auto list = mutations(source);
    EXPECT_FALSE(list.empty()) << source.key << " = " << source.value;
    for (const io::Override& o : list) {
      if (is_fixed(o.key, o.value)) continue;
      if (std::find(without_effect.begin(), without_effect.end(), o.key) != without_effect.end())
        continue;
      ++n;
      std::string after;
      const auto faults = test::faults([&] {
        after = Dump(io::read_machine_text(text, "m.toml", std::vector{o}).model).text();
      });
      EXPECT_EQ(test::joined(faults), "");
      EXPECT_NE(before, after) << o.key << " = " << o.value << " changes nothing";
    }
  }
  EXPECT_GT(n, 100u);
}

TEST(MachineParameters, EveryNumberOfTheHarvesterIsUsed) {
  // The length of an axis says nothing; one moment alone is refused for the point mass of the head.
  expect_all_used(
      slurp(config("machines/harvester/machine.toml")),
      {"body.swing_structure.joint.axis.2", "body.boom.joint.axis.1", "body.stick.joint.axis.1",
       "body.head.inertia_kg_m2.0", "body.head.inertia_kg_m2.1", "body.head.inertia_kg_m2.2"});
}

TEST(MachineParameters, EveryKeyOfTheFormatIsUsed) {
  // Axes of the grapple: their length says nothing, and one turned alone is refused.
  std::vector<std::string> axes;
  for (const char* axis : {"log_axis", "open_axis", "reach_axis"})
    for (const char* i : {".0", ".1", ".2"}) axes.push_back("grapple." + std::string(axis) + i);
  for (const char* i : {".0", ".1", ".2"}) axes.push_back("wheel.left.axis" + std::string(i));
  axes.insert(axes.end(), {"wheel.left.grip.0.0", "wheel.left.grip.0.1"});  // the curve's beginning
  expect_all_used(kEverything, axes);
}

TEST(MachineParameters, EveryNumberOfTheGrappleHarvesterIsUsed) {
  const std::string path = config("machines/harvester_grapple/machine.toml");
  const std::vector<io::Override> some = {
      {"body.head_link.joint.stop_stiffness_N_m_per_rad", "7e4"},
      {"body.grapple.mass_kg", "251"},
      {"actuator.rotator.displacement_m3_per_rad", "4.6e-5"},
      {"grapple.grip_force_kN", "16"},
      {"shape.cab.radius_m", "0.55"}};
  const std::string before = Dump(io::read_machine(path).model).text();
  for (const io::Override& o : some)
    EXPECT_NE(before, Dump(io::read_machine(path, std::vector{o}).model).text()) << o.key;
}

TEST(MachineParameters, EveryNumberOfTheLoadSensingHarvesterIsUsed) {
  const std::string path = config("machines/harvester_ls/machine.toml");
  const std::string before = Dump(io::read_machine(path).model).text();
  const machine::MachineModel model = io::read_machine(path).model;
  EXPECT_EQ(model.supply.kind, hydraulics::SupplyKind::kPump);
  for (const machine::Actuator& a : model.actuators)
    EXPECT_EQ(a.circuit.valve.compensator.kind, hydraulics::CompensatorKind::kUpstream) << a.name;
  const std::vector<io::Override> some = {{"supply.displacement_cm3_per_rev", "150"},
                                          {"supply.engine.torque_max_N_m", "950"},
                                          {"supply.gallery.volume_l", "7"},
                                          {"valve.main.compensator.margin_bar", "11"},
                                          {"valve.main.pump_to_a.flow_l_per_min.2.1", "29"},
                                          {"actuator.boom.holding_a.set_bar", "241"}};
  for (const io::Override& o : some)
    EXPECT_NE(before, Dump(io::read_machine(path, std::vector{o}).model).text()) << o.key;
}

// Each edge follows its own curve from its own overlap on, and is as good as shut before it.
TEST(MachineParameters, EdgesOfASpoolBeginWhereTheySay) {
  using hydraulics::Edge;
  const auto root_g = [](const hydraulics::Valve& valve, Edge edge, double spool_V) {
    const double opening = hydraulics::opening_of(spool_V, valve.overlap_V, valve.full_V);
    return 1.0 / std::sqrt(hydraulics::resistance(valve, edge, opening));
  };
  const machine::MachineModel m = io::read_machine_text(kEverything, "m.toml").model;
  const hydraulics::Valve& valve = m.actuators[0].circuit.valve;
  EXPECT_EQ(valve.overlap_V, 0.4);
  EXPECT_NEAR(root_g(valve, hydraulics::kAToTank, 0.449), 4e-10, 1e-22);  // the least
  for (const double spool_V : {0.6, 2.0, 5.005, 8.9}) {
    const double own = (spool_V - 0.45) / (9.0 - 0.45);
    EXPECT_NEAR(root_g(valve, hydraulics::kAToTank, spool_V), 4e-6 * (0.1 + 0.9 * own) * own,
                4e-6 * 3e-5)
        << spool_V;
    const double all = (spool_V - 0.4) / (9.0 - 0.4);
    EXPECT_NEAR(root_g(valve, hydraulics::kPumpToA, spool_V),
                1e-6 * all * (0.5 + all * (0.3 + all * 0.2)), 1e-18);
  }
  // One that opens before the valve's overlap makes the others begin later.
  const std::vector<io::Override> early = {{"valve.four.a_to_tank.overlap_mV", "150"}};
  const machine::MachineModel other = io::read_machine_text(kEverything, "m.toml", early).model;
  const hydraulics::Valve& soon = other.actuators[0].circuit.valve;
  EXPECT_EQ(soon.overlap_V, 0.15);
  EXPECT_NEAR(root_g(soon, hydraulics::kPumpToA, 0.39), 1e-10, 1e-22);
  EXPECT_NEAR(root_g(soon, hydraulics::kBToTank, 0.4 + 0.4 * 8.6), 2e-6 * 0.2, 1e-18);
}

TEST(MachineParameters, UnitsAreConverted) {
  const machine::MachineModel m = io::read_machine_text(kEverything, "m.toml").model;
  constexpr double kDegree = 3.14159265358979323846 / 180.0;
  EXPECT_EQ(m.supply.pump_Pa, 2e7);
  EXPECT_EQ(m.tau_Q, 0.012);
  EXPECT_EQ(m.tree.body(0).inertia.com.z(), 0.003);
  EXPECT_EQ(m.tree.body(0).lower, -90.0 * kDegree);
  EXPECT_EQ(m.tree.body(2).inertia.mass, 50.0);
  EXPECT_EQ(m.tree.body(2).damping, 40.0);
  EXPECT_EQ(m.actuators[0].circuit.valve.overlap_V, 0.4);
  EXPECT_DOUBLE_EQ(m.actuators[0].circuit.D_m, 72e-6 / (360.0 * kDegree));
  EXPECT_DOUBLE_EQ(m.actuators[0].circuit.line1.C, 0.2e-6 / 1e5);
  EXPECT_DOUBLE_EQ(m.actuators[1].circuit.protection.relief_conductance, 120e-3 / 60.0 / 1e5);
  EXPECT_EQ(m.actuators[1].circuit.B, 2e4);
  EXPECT_EQ(m.actuators[1].stops.stiffness, 5e7);
  EXPECT_EQ(m.actuators[2].circuit.A1, 50e-4);
  EXPECT_EQ(m.actuators[0].circuit.B, 1000.0);
  EXPECT_EQ(m.actuators[0].friction.kind, friction::Kind::kLuGre);
  EXPECT_EQ(m.actuators[0].friction.F_c, 800.0);
  EXPECT_DOUBLE_EQ(m.actuators[0].friction.v_s, 2.0 * kDegree);
  const friction::FrictionModel& drop =
      m.joint_friction[static_cast<std::size_t>(m.tree.find_joint("drop"))];
  EXPECT_EQ(drop.kind, friction::Kind::kContinuous);
  EXPECT_DOUBLE_EQ(drop.F_s, 60.0 - 30.0 * 0.002);  // without its viscous part
  EXPECT_EQ(m.tree.body(m.tree.find_body("drawer")).damping, 30.0);
  EXPECT_EQ(m.joint_friction[0].kind, friction::Kind::kNone);
  EXPECT_DOUBLE_EQ(m.controllers[0].Kp, 0.5 / kDegree);
  EXPECT_DOUBLE_EQ(m.controllers[0].Kd, 0.01 / kDegree);
  EXPECT_EQ(m.controllers[2].feed_forward, 10.0);
  // 100 cm3 a turn; 1800 rpm; 200 l/min at 10 bar; 60 l/min at 10 bar and 3.6 of 8.6 V.
  EXPECT_DOUBLE_EQ(m.supply.pump.displacement, 100e-6 / (360.0 * kDegree));
  EXPECT_DOUBLE_EQ(m.supply.pump.engine.speed, 1800.0 * 6.0 * kDegree);
  EXPECT_DOUBLE_EQ(m.supply.pump.gallery_volume, 4e-3);
  EXPECT_DOUBLE_EQ(m.actuators[1].circuit.holding[0].conductance, 0.2 / 60.0 / 1e3);
  const hydraulics::Conductance& edge = m.actuators[0].circuit.valve.edge[hydraulics::kPumpToB];
  EXPECT_NEAR(hydraulics::conductance(edge, 3.6 / 8.6) * 1e3, 60e-3 / 60.0, 1e-12);
}

TEST(MachineParameters, StructureIsRead) {
  const machine::MachineModel m = io::read_machine_text(kEverything, "m.toml").model;
  EXPECT_EQ(m.closed_valve, machine::ClosedValveModel::kQuasiStatic);
  EXPECT_EQ(m.supply.kind, hydraulics::SupplyKind::kPump);
  EXPECT_EQ(m.supply.pump.control, hydraulics::PumpControl::kLoadSensing);
  EXPECT_EQ(m.supply.pump.accumulators.size(), 1u);
  EXPECT_TRUE(m.actuators[0].circuit.valve.load_check);
  EXPECT_EQ(m.actuators[1].circuit.valve.compensator.kind, hydraulics::CompensatorKind::kUpstream);
  EXPECT_EQ(m.actuators[1].circuit.holding[0].kind, hydraulics::HoldingKind::kCounterbalance);
  EXPECT_EQ(m.actuators[1].circuit.holding[1].kind, hydraulics::HoldingKind::kPilotCheck);
  EXPECT_EQ(m.actuators[0].name, "drive");
  // Own values over those of [protection].
  EXPECT_EQ(m.actuators[0].circuit.protection.relief_Pa, 2e7);
  EXPECT_EQ(m.actuators[1].circuit.protection.relief_Pa, 2.5e7);
  EXPECT_EQ(m.actuators[0].circuit.protection.relief_conductance,
            m.actuators[1].circuit.protection.relief_conductance);
  // Edges over what they share.
  EXPECT_EQ(m.actuators[0].circuit.valve.edge[hydraulics::kAToTank].scale, 4e-6);
  EXPECT_EQ(m.actuators[0].circuit.valve.edge[hydraulics::kBToTank].table.x.size(), 3u);
  EXPECT_EQ(m.actuators[1].circuit.valve.edge[hydraulics::kBToTank].scale, 4e-6);
  EXPECT_EQ(m.actuators[1].circuit.valve.edge[hydraulics::kPumpToA].scale, 3e-6);
  EXPECT_EQ(m.actuators[2].linkage.kind, machine::LinkageKind::kDirect);
  EXPECT_EQ(m.controllers[0].anti_windup, control::AntiWindup::kBackCalculation);
  EXPECT_EQ(m.controllers[0].period_ticks, 5);
  EXPECT_EQ(m.tree.body(m.tip_body).name, "tool");

  ASSERT_EQ(m.shapes.size(), 2u);
  EXPECT_EQ(m.shapes[0].body, multibody::kBase);
  EXPECT_EQ(m.shapes[0].role, machine::ShapeRole::kCarrier);
  EXPECT_EQ(m.shapes[0].radius, 0.3);
  EXPECT_EQ(m.shapes[1].role, machine::ShapeRole::kStick);
  EXPECT_EQ(m.tree.body(m.shapes[1].body).name, "arm");
  EXPECT_TRUE(m.grapple.present);
  EXPECT_EQ(m.tree.body(m.grapple.body).name, "pendulum");
  EXPECT_EQ(m.grapple.open_axis_B, Vec3::UnitY());  // of length 1, whatever the file has
  EXPECT_EQ(m.grapple.grip_force_N, 12e3);
  ASSERT_EQ(m.visuals.size(), 6u);
  EXPECT_EQ(m.visuals[1].mesh, "tools/plate.obj");
  EXPECT_EQ(m.visuals[1].scale, Vec3(0.001, 0.001, -0.001));
  EXPECT_EQ(m.visuals[1].colour, Vec3(0.2, 0.3, 0.4));
  EXPECT_EQ(m.visuals[2].mesh, "/meshes/knife.stl");
  EXPECT_EQ(m.visuals[3].form, machine::VisualForm::kBox);
  EXPECT_EQ(m.visuals[3].size, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(m.visuals[4].form, machine::VisualForm::kCylinder);
  EXPECT_EQ(m.visuals[4].size, Vec3(0.1, 0.5, 0.0));
  EXPECT_EQ(m.visuals[5].form, machine::VisualForm::kBall);
  EXPECT_EQ(m.visuals[5].size.x(), 0.2);
  EXPECT_TRUE(m.visuals[1].R_BM.isIdentity(0.0));
  const int swing = m.tree.find_joint("swing");
  EXPECT_TRUE(m.passive(swing));
  const machine::EndStops& stops = m.joint_stops[static_cast<std::size_t>(swing)];
  EXPECT_TRUE(stops.enabled);
  EXPECT_EQ(stops.x_min, m.tree.body(m.tree.find_body("pendulum")).lower);
  EXPECT_EQ(stops.stiffness, 3e4);
  EXPECT_EQ(stops.damping, 500.0);
  EXPECT_FALSE(m.joint_stops[0].enabled);  // limits alone push nothing back
}

TEST(MachineParameters, RollPitchYawTurnAboutTheParentsAxes) {
  const io::Override yaw{"body.post.rpy_deg", "[0, 0, 90]"};
  const Mat3 Z =
      io::read_machine_text(kEverything, "m.toml", std::vector{yaw}).model.tree.body(0).in_parent.R;
  EXPECT_NEAR((Z * Vec3::UnitX() - Vec3::UnitY()).norm(), 0.0, 1e-15);
  const io::Override both{"body.post.rpy_deg", "[90, 0, 90]"};
  const io::Override upright{"wheel.left.axis", "[0, 0, 1]"};
  const Mat3 R = io::read_machine_text(kEverything, "m.toml", std::vector{both, upright})
                     .model.tree.body(0)
                     .in_parent.R;
  // Roll first: z goes to -y, which the yaw then takes to x.
  EXPECT_NEAR((R * Vec3::UnitZ() - Vec3::UnitX()).norm(), 0.0, 1e-15);
  EXPECT_NEAR((R * R.transpose() - Mat3::Identity()).norm(), 0.0, 1e-15);
}

TEST(MachineParameters, SourcesNameKeyValueAndOrigin) {
  const machine::MachineModel m = io::read_machine(config("machines/harvester/machine.toml")).model;
  const auto find = [&](const std::string& key) {
    for (const machine::Source& source : m.sources)
      if (source.key == key) return source;
    return machine::Source{};
  };
  EXPECT_EQ(find("actuator.boom.bore_mm").value, "140 mm");
  EXPECT_NE(find("actuator.boom.bore_mm").source.find("representative"), std::string::npos);
  EXPECT_EQ(find("valve.main.conductance_m3_per_s_sqrtPa").value, "3e-6 m3/(s sqrt(Pa))");
  EXPECT_EQ(find("body.stick.position_m").value, "[5.0, 0, 0] m");
  EXPECT_EQ(find("gravity_m_per_s2").source, "standard gravity, rounded");
  EXPECT_NE(find("actuator.boom.end_stops.cushion_mm").source.find("120 kN"), std::string::npos);
  for (const machine::Source& source : m.sources) EXPECT_FALSE(source.source.empty()) << source.key;
}

}  // namespace
}  // namespace knuckleboom::machine_parameters_test
