// Units that keys of a file may carry: one table, used by every reader.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace knuckleboom::io {

enum class Dimension {
  kNone,  // a plain number; the key carries no unit
  kLength,
  kAngle,
  kMass,
  kInertia,
  kArea,
  kPressure,
  kVoltage,
  kTime,
  kFrequency,
  kSpeed,
  kAngularSpeed,
  kAcceleration,
  kVolume,
  kInertance,            // I of a line
  kCapacitance,          // C of a line
  kQuadraticResistance,  // dP = R Q|Q|
  kLinearResistance,     // dP = R Q
  kFlowPerPressure,      // relief and anti-cavitation valves
  kOrificeConductance,   // Q = g sqrt(dP)
  kMotorDisplacement,
  kStiffness,
  kRotaryStiffness,
  kDamping,
  kRotaryDamping,
  kProportionalAngle,  // controller gains on an angle
  kIntegralAngle,
  kRateAngle,
  kProportionalLength,  // controller gains on a length
  kIntegralLength,
  kRateLength,
  kRate,  // share of full travel in a second
  kDensity,
  kForce,
  kPower,
  kEnergy,
  kFlow,
  kTorque,
};

struct Unit {
  std::string_view suffix;  // of the key
  std::string_view label;   // for people
  // SI value = written value * multiply / divide. Two factors, because 140 / 1000 is exactly the
  // double nearest to 0.14 and 140 * 0.001 need not be.
  double multiply;
  double divide;
};

std::string_view dimension_name(Dimension dimension);
std::span<const Unit> units(Dimension dimension);

inline double to_si(double value, const Unit& unit) { return value * unit.multiply / unit.divide; }

// A key taken apart, by the longest known suffix: "bore_mm" is a length with the stem "bore". A key
// without a known unit is all stem.
struct KeyParts {
  std::string_view stem;
  const Unit* unit = nullptr;
  Dimension dimension = Dimension::kNone;
};
KeyParts split_key(std::string_view key);

// "bore_m, bore_cm or bore_mm".
std::string accepted_keys(std::string_view stem, std::span<const Dimension> dimensions);

}  // namespace knuckleboom::io
