#include "units.hpp"

#include <cstddef>
#include <numbers>
#include <vector>

namespace knuckleboom::io {
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

constexpr Unit kFlow[] = {{"m3_per_s", "m3/s", 1, 1}, {"l_per_min", "l/min", 1, 6e4}};

struct Entry {
  Dimension dimension;
  std::string_view name;
  std::span<const Unit> units;
};

// In the order of the enumeration.
constexpr Entry kDimensions[] = {
    {Dimension::kNone, "a plain number", kPlain},
    {Dimension::kLength, "a length", kLength},
    {Dimension::kAngle, "an angle", kAngle},
    {Dimension::kMass, "a mass", kMass},
    {Dimension::kInertia, "a moment of inertia", kInertia},
    {Dimension::kArea, "an area", kArea},
    {Dimension::kPressure, "a pressure", kPressure},
    {Dimension::kVoltage, "a voltage", kVoltage},
    {Dimension::kTime, "a time", kTime},
    {Dimension::kFrequency, "a frequency", kFrequency},
    {Dimension::kSpeed, "a speed", kSpeed},
    {Dimension::kAngularSpeed, "an angular speed", kAngularSpeed},
    {Dimension::kAcceleration, "an acceleration", kAcceleration},
    {Dimension::kVolume, "a volume", kVolume},
    {Dimension::kInertance, "an inertance", kInertance},
    {Dimension::kCapacitance, "a capacitance", kCapacitance},
    {Dimension::kQuadraticResistance, "a quadratic flow resistance", kQuadraticResistance},
    {Dimension::kLinearResistance, "a linear flow resistance", kLinearResistance},
    {Dimension::kFlowPerPressure, "a flow per pressure", kFlowPerPressure},
    {Dimension::kOrificeConductance, "an orifice conductance", kOrificeConductance},
    {Dimension::kMotorDisplacement, "a motor displacement", kMotorDisplacement},
    {Dimension::kStiffness, "a stiffness", kStiffness},
    {Dimension::kRotaryStiffness, "a rotary stiffness", kRotaryStiffness},
    {Dimension::kDamping, "a damping", kDamping},
    {Dimension::kRotaryDamping, "a rotary damping", kRotaryDamping},
    {Dimension::kProportionalAngle, "a gain on an angle", kProportionalAngle},
    {Dimension::kIntegralAngle, "a gain on the integral of an angle", kIntegralAngle},
    {Dimension::kRateAngle, "a gain on an angular rate", kRateAngle},
    {Dimension::kProportionalLength, "a gain on a length", kProportionalLength},
    {Dimension::kIntegralLength, "a gain on the integral of a length", kIntegralLength},
    {Dimension::kRateLength, "a gain on a speed", kRateLength},
    {Dimension::kRate, "a rate of change", kRate},
    {Dimension::kDensity, "a density", kDensity},
    {Dimension::kForce, "a force", kForce},
    {Dimension::kPower, "a power", kPower},
    {Dimension::kEnergy, "an energy", kEnergy},
    {Dimension::kFlow, "a flow", kFlow},
    {Dimension::kTorque, "a torque", kTorque},
};

constexpr bool in_order() {
  std::size_t i = 0;
  for (const Entry& entry : kDimensions)
    if (static_cast<std::size_t>(entry.dimension) != i++) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::string_view dimension_name(Dimension dimension) {
  return kDimensions[static_cast<std::size_t>(dimension)].name;
}

std::span<const Unit> units(Dimension dimension) {
  return kDimensions[static_cast<std::size_t>(dimension)].units;
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
  for (const Dimension dimension : dimensions) {
    for (const Unit& unit : units(dimension)) {
      std::string key(stem);
      if (!unit.suffix.empty()) key.append("_").append(unit.suffix);
      keys.push_back(std::move(key));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) text += i + 1 == keys.size() ? " or " : ", ";
    text += keys[i];
  }
  return text;
}

}  // namespace knuckleboom::io
