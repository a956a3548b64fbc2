// Units that keys of a file may carry: one table, used by every reader.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace knuckleboom::declare {

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
  kCuttingEnergy,  // for an area of wood
};

inline constexpr double kLargest = std::numeric_limits<double>::max();

// Allowed SI values.
struct Range {
  double low = -kLargest;
  double high = kLargest;
  bool open_low = false;  // low itself is not allowed
};
inline constexpr Range kAny{};
inline constexpr Range kPositive{0.0, kLargest, true};
inline constexpr Range kNonNegative{0.0, kLargest};

// Magnitudes [SI] that occur in practice. A number outside is allowed and draws a remark; zero does not.
struct Usual {
  double low = 0.0;
  double high = kLargest;
  std::string_view why = {};
};

struct Unit {
  std::string_view suffix;  // of the key
  std::string_view label;   // for people
  // SI value = written value * multiply / divide. Two factors, because 140 / 1000 is exactly the
  // double nearest to 0.14 and 140 * 0.001 need not be.
  double multiply;
  double divide;
};

// All of them.
std::span<const Dimension> dimensions();
std::string_view dimension_name(Dimension dimension);
std::span<const Unit> units(Dimension dimension);
// Holds for any quantity of that kind; a key may have a narrower one.
const Usual& usual(Dimension dimension);

inline double to_si(double value, const Unit& unit) { return value * unit.multiply / unit.divide; }

// A key taken apart, by the longest known suffix: "bore_mm" is a length with the stem "bore". A key
// without a known unit is all stem.
struct KeyParts {
  std::string_view stem;
  const Unit* unit = nullptr;
  Dimension dimension = Dimension::kNone;
};
KeyParts split_key(std::string_view key);

// "bore_mm" of "bore" and mm.
std::string full_key(std::string_view stem, const Unit& unit);

// An SI value in the unit that takes the fewest letters: 0.001 s is "1 ms".
std::string shortest_text(double si, Dimension dimension);
// "1 mm to 2 m", "at most 2 m", "at least 1 mm".
std::string usual_text(const Usual& usual, Dimension dimension);

// "bore_m, bore_cm or bore_mm".
std::string accepted_keys(std::string_view stem, std::span<const Dimension> dimensions);

}  // namespace knuckleboom::declare
