#include "knuckleboom/declare/units.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace knuckleboom::declare {
namespace {

using std::numbers::pi;

constexpr Unit kPlain[] = {{"", "", 1, 1}};
constexpr Unit kLength[] = {{"m", "m", 1, 1}, {"cm", "cm", 1, 100}, {"mm", "mm", 1, 1000}};
constexpr Unit kAngle[] = {{"rad", "rad", 1, 1}, {"deg", "deg", pi, 180}};
constexpr Unit kMass[] = {{"kg", "kg", 1, 1}, {"t", "t", 1000, 1}};
constexpr Unit kInertia[] = {{"kg_m2", "kg m2", 1, 1}};
constexpr Unit kArea[] = {{"m2", "m2", 1, 1}, {"cm2", "cm2", 1, 1e4}, {"mm2", "mm2", 1, 1e6}};
constexpr Unit kPressure[] = {
    {"Pa", "Pa", 1, 1}, {"kPa", "kPa", 1e3, 1}, {"bar", "bar", 1e5, 1}, {"MPa", "MPa", 1e6, 1}};
constexpr Unit kVoltage[] = {{"V", "V", 1, 1}, {"mV", "mV", 1, 1000}};
constexpr Unit kTime[] = {{"s", "s", 1, 1}, {"ms", "ms", 1, 1000}, {"us", "us", 1, 1e6}};
constexpr Unit kFrequency[] = {{"Hz", "Hz", 1, 1}};
constexpr Unit kSpeed[] = {{"m_per_s", "m/s", 1, 1}, {"mm_per_s", "mm/s", 1, 1000}};
constexpr Unit kAngularSpeed[] = {
    {"rad_per_s", "rad/s", 1, 1}, {"deg_per_s", "deg/s", pi, 180}, {"rpm", "rpm", pi, 30}};
constexpr Unit kAcceleration[] = {{"m_per_s2", "m/s2", 1, 1}};
constexpr Unit kVolume[] = {{"m3", "m3", 1, 1}, {"l", "l", 1, 1e3}, {"cm3", "cm3", 1, 1e6}};
constexpr Unit kInertance[] = {{"kg_per_m4", "kg/m4", 1, 1}};
constexpr Unit kCapacitance[] = {{"m3_per_Pa", "m3/Pa", 1, 1}, {"cm3_per_bar", "cm3/bar", 1, 1e11}};
constexpr Unit kQuadraticResistance[] = {{"kg_per_m7", "kg/m7", 1, 1}};
constexpr Unit kLinearResistance[] = {{"kg_per_m4_s", "kg/(m4 s)", 1, 1},
                                      {"Pa_s_per_m3", "Pa s/m3", 1, 1}};
constexpr Unit kFlowPerPressure[] = {{"m3_per_s_Pa", "m3/(s Pa)", 1, 1},
                                     {"l_per_min_bar", "l/(min bar)", 1, 6e9}};
constexpr Unit kOrificeConductance[] = {{"m3_per_s_sqrtPa", "m3/(s sqrt(Pa))", 1, 1}};
constexpr Unit kMotorDisplacement[] = {{"m3_per_rad", "m3/rad", 1, 1},
                                       {"cm3_per_rev", "cm3/rev", 1, 2e6 * pi}};
constexpr Unit kStiffness[] = {
    {"N_per_m", "N/m", 1, 1}, {"kN_per_m", "kN/m", 1e3, 1}, {"kN_per_mm", "kN/mm", 1e6, 1}};
constexpr Unit kTorque[] = {{"N_m", "N m", 1, 1}, {"kN_m", "kN m", 1e3, 1}};
constexpr Unit kRotaryStiffness[] = {{"N_m_per_rad", "N m/rad", 1, 1},
                                     {"kN_m_per_rad", "kN m/rad", 1e3, 1}};
constexpr Unit kDamping[] = {{"N_s_per_m", "N s/m", 1, 1}, {"kN_s_per_m", "kN s/m", 1e3, 1}};
constexpr Unit kRotaryDamping[] = {{"N_m_s_per_rad", "N m s/rad", 1, 1},
                                   {"kN_m_s_per_rad", "kN m s/rad", 1e3, 1}};
constexpr Unit kProportionalAngle[] = {{"V_per_rad", "V/rad", 1, 1},
                                       {"V_per_deg", "V/deg", 180, pi}};
constexpr Unit kIntegralAngle[] = {{"V_per_rad_s", "V/(rad s)", 1, 1},
                                   {"V_per_deg_s", "V/(deg s)", 180, pi}};
constexpr Unit kRateAngle[] = {{"V_s_per_rad", "V s/rad", 1, 1},
                               {"V_s_per_deg", "V s/deg", 180, pi}};
constexpr Unit kProportionalLength[] = {{"V_per_m", "V/m", 1, 1}, {"V_per_mm", "V/mm", 1e3, 1}};
constexpr Unit kIntegralLength[] = {{"V_per_m_s", "V/(m s)", 1, 1},
                                    {"V_per_mm_s", "V/(mm s)", 1e3, 1}};
constexpr Unit kRateLength[] = {{"V_s_per_m", "V s/m", 1, 1}, {"V_s_per_mm", "V s/mm", 1e3, 1}};
constexpr Unit kRate[] = {{"per_s", "1/s", 1, 1}};
constexpr Unit kDensity[] = {{"kg_per_m3", "kg/m3", 1, 1}};
constexpr Unit kForce[] = {{"N", "N", 1, 1}, {"kN", "kN", 1e3, 1}};
constexpr Unit kPower[] = {{"W", "W", 1, 1}, {"kW", "kW", 1e3, 1}};
constexpr Unit kEnergy[] = {{"J", "J", 1, 1}, {"kJ", "kJ", 1e3, 1}};
constexpr Unit kCuttingEnergy[] = {{"J_per_m2", "J/m2", 1, 1}, {"kJ_per_m2", "kJ/m2", 1e3, 1}};

constexpr Unit kFlow[] = {{"m3_per_s", "m3/s", 1, 1}, {"l_per_min", "l/min", 1, 6e4}};

struct Entry {
  Dimension dimension;
  std::string_view name;
  std::span<const Unit> units;
  Usual usual = {};
};

// In the order of the enumeration.
constexpr Entry kDimensions[] = {
    {Dimension::kNone, "a plain number", kPlain},
    {Dimension::kLength, "a length", kLength, {0.0, 200.0, "no machine reaches farther"}},
    {Dimension::kAngle, "an angle", kAngle},
    {Dimension::kMass,
     "a mass",
     kMass,
     {1e-4, 1e6, "from a small test body to the heaviest machines"}},
    {Dimension::kInertia,
     "a moment of inertia",
     kInertia,
     {1e-9, 1e9, "from a small test body to the heaviest machines"}},
    {Dimension::kArea, "an area", kArea, {1e-10, 10.0, "from a nozzle to the piston of a press"}},
    {Dimension::kPressure,
     "a pressure",
     kPressure,
     {1.0, 2e8, "hydraulics end well below 2000 bar"}},
    {Dimension::kVoltage, "a voltage", kVoltage, {1e-6, 1e3, "valves take a few volts"}},
    {Dimension::kTime, "a time", kTime, {1e-9, 1e6, "from a tick to a week and a half"}},
    {Dimension::kFrequency,
     "a frequency",
     kFrequency,
     {1e-6, 1e5, "faster ones do not show at the rate of a tick"}},
    {Dimension::kSpeed, "a speed", kSpeed, {1e-9, 100.0, "no machine of this kind is faster"}},
    {Dimension::kAngularSpeed,
     "an angular speed",
     kAngularSpeed,
     {1e-9, 5e3, "no engine of such a machine turns faster"}},
    {Dimension::kAcceleration,
     "an acceleration",
     kAcceleration,
     {0.1, 100.0, "from a small moon to ten times the pull of the earth"}},
    {Dimension::kVolume, "a volume", kVolume, {1e-12, 100.0, "from a drop to a large tank"}},
    {Dimension::kInertance,
     "an inertance",
     kInertance,
     {1e3, 1e12, "a hose of a metre has 10^5 to 10^8 kg/m4"}},
    {Dimension::kCapacitance,
     "a capacitance",
     kCapacitance,
     {1e-17, 1e-7, "a litre of oil has about 10^-12 m3/Pa"}},
    {Dimension::kQuadraticResistance,
     "a quadratic flow resistance",
     kQuadraticResistance,
     {1e3, 1e20, "a hose loses a few bar at its flow"}},
    {Dimension::kLinearResistance,
     "a linear flow resistance",
     kLinearResistance,
     {1e3, 1e18, "a hose loses a few bar at its flow, a seal all of them"}},
    {Dimension::kFlowPerPressure,
     "a flow per pressure",
     kFlowPerPressure,
     {1e-18, 1e-5, "at 10^-5 m3/(s Pa) one bar drives 1 m3/s"}},
    {Dimension::kOrificeConductance,
     "an orifice conductance",
     kOrificeConductance,
     {1e-13, 1e-4, "the largest spools have about 10^-5 m3/(s sqrt(Pa))"}},
    {Dimension::kMotorDisplacement,
     "a motor displacement",
     kMotorDisplacement,
     {1e-9, 1e-2, "from a gear pump for models to the largest wheel motors"}},
    {Dimension::kStiffness,
     "a stiffness",
     kStiffness,
     {1e-3, 1e12, "steel a metre long and a metre thick has 2 x 10^11 N/m"}},
    {Dimension::kRotaryStiffness,
     "a rotary stiffness",
     kRotaryStiffness,
     {1e-4, 1e13, "from a soft spring to a solid shaft"}},
    {Dimension::kDamping,
     "a damping",
     kDamping,
     {1e-5, 1e9, "at 10^9 N s/m ten tonnes move a tenth of a millimetre in a second"}},
    {Dimension::kRotaryDamping,
     "a rotary damping",
     kRotaryDamping,
     {1e-6, 1e9, "at 10^9 N m s/rad no actuator moves anything"}},
    {Dimension::kProportionalAngle,
     "a gain on an angle",
     kProportionalAngle,
     {1e-4, 1e4, "at 10^4 V/rad a full command takes a thousandth of a radian"}},
    {Dimension::kIntegralAngle,
     "a gain on the integral of an angle",
     kIntegralAngle,
     {1e-5, 1e5, "some times the gain on the angle"}},
    {Dimension::kRateAngle,
     "a gain on an angular rate",
     kRateAngle,
     {1e-5, 1e4, "some tenths of the gain on the angle"}},
    {Dimension::kProportionalLength,
     "a gain on a length",
     kProportionalLength,
     {1e-4, 1e5, "at 10^5 V/m a full command takes a tenth of a millimetre"}},
    {Dimension::kIntegralLength,
     "a gain on the integral of a length",
     kIntegralLength,
     {1e-5, 1e6, "some times the gain on the length"}},
    {Dimension::kRateLength,
     "a gain on a speed",
     kRateLength,
     {1e-5, 1e5, "some tenths of the gain on the length"}},
    {Dimension::kRate,
     "a rate of change",
     kRate,
     {1e-4, 1e4, "slower than hours and faster than a tick nobody notices"}},
    {Dimension::kDensity, "a density", kDensity, {0.01, 3e4, "from a gas to the heaviest metal"}},
    {Dimension::kForce, "a force", kForce, {1e-6, 1e8, "the largest cylinders give 10^7 N"}},
    {Dimension::kPower,
     "a power",
     kPower,
     {1e-3, 1e8, "from a small motor to the largest engines"}},
    {Dimension::kEnergy,
     "an energy",
     kEnergy,
     {1e-9, 1e10, "from a tick of a small motor to a tank of fuel"}},
    {Dimension::kFlow, "a flow", kFlow, {1e-12, 1.0, "the largest pumps give 0.05 m3/s"}},
    {Dimension::kTorque,
     "a torque",
     kTorque,
     {1e-6, 1e9, "from a lever to the slewing drive of the largest cranes"}},
    {Dimension::kCuttingEnergy,
     "an energy for an area of wood",
     kCuttingEnergy,
     {1e3, 1e8, "saws take some 0.5 MJ/m2"}},
};

constexpr bool in_order() {
  std::size_t i = 0;
  for (const Entry& entry : kDimensions)
    if (static_cast<std::size_t>(entry.dimension) != i++) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const Dimension> dimensions() {
  static constexpr auto kAll = [] {
    std::array<Dimension, std::size(kDimensions)> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kDimensions[i].dimension;
    return all;
  }();
  return kAll;
}

std::string_view dimension_name(Dimension dimension) {
  return kDimensions[static_cast<std::size_t>(dimension)].name;
}

std::span<const Unit> units(Dimension dimension) {
  return kDimensions[static_cast<std::size_t>(dimension)].units;
}

const Usual& usual(Dimension dimension) {
  return kDimensions[static_cast<std::size_t>(dimension)].usual;
}

std::string full_key(std::string_view stem, const Unit& unit) {
  std::string key(stem);
  if (!unit.suffix.empty()) key.append("_").append(unit.suffix);
  return key;
}

std::string shortest_text(double si, Dimension dimension) {
  constexpr std::size_t kExponent = 100;  // rather a longer number than one with an exponent
  std::string best, label;
  std::size_t least = 0;
  for (const Unit& unit : units(dimension)) {
    std::string number = fmt::format("{:.6g}", si * unit.divide / unit.multiply);
    const std::size_t cost =
        number.size() + (number.find('e') != std::string::npos ? kExponent : 0);
    if (!best.empty() && cost >= least) continue;
    best = std::move(number);
    label = unit.label;
    least = cost;
  }
  return label.empty() ? best : best + " " + label;
}

std::string usual_text(const Usual& usual, Dimension dimension) {
  const std::string high = shortest_text(usual.high, dimension);
  if (!(usual.low > 0.0)) return "at most " + high;
  const std::string low = shortest_text(usual.low, dimension);
  return usual.high < kLargest ? low + " to " + high : "at least " + low;
}

KeyParts split_key(std::string_view key) {
  KeyParts best{key, nullptr, Dimension::kNone};
  for (const Entry& entry : kDimensions) {
    for (const Unit& unit : entry.units) {
      const std::size_t n = unit.suffix.size();
      if (n == 0 || key.size() < n + 2 || !key.ends_with(unit.suffix)) continue;
      if (key[key.size() - n - 1] != '_') continue;
      if (best.unit != nullptr && best.unit->suffix.size() >= n) continue;
      best = {key.substr(0, key.size() - n - 1), &unit, entry.dimension};
    }
  }
  return best;
}

std::string accepted_keys(std::string_view stem, std::span<const Dimension> dimensions) {
  std::vector<std::string> keys;
  for (const Dimension dimension : dimensions)
    for (const Unit& unit : units(dimension)) keys.push_back(full_key(stem, unit));
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) text += i + 1 == keys.size() ? " or " : ", ";
    text += keys[i];
  }
  return text;
}

}  // namespace knuckleboom::declare
