// Faults of a machine: the exact content of a [[fault]] table, in SI units. docs/theory/faults.md
// describes the effect of each on the equations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knuckleboom::command {

inline constexpr int kMaxFaults = 96;

enum class FaultKind : std::int32_t {
  kStickingSpool,  // size: share of the full command by which it must differ before the spool moves
  kSpoolOffset,    // size: of the full command, signed
  kWornPump,       // size: share of the pressure lost; flow_size: pressure drop per flow [Pa s/m^3]
  kAirInOil,       // size: remaining share of the oil's stiffness
  kHoseLeak,       // size: conductance from port to tank [m^3/(s Pa)]
  kCylinderLeak,   // size: conductance between the ports [m^3/(s Pa)]
  kLowRelief,      // size: opening pressure of the port relief [Pa], or of the main relief
  kSensorBias,     // size: added to the joint position that controllers see [rad, m]
  kSensorNoise,    // size: standard deviation [rad, m]
  kSensorDropout,  // size: share of the time during which the last position is kept
  kLeverDelay,     // size: s, of all levers
  kControllerOff,  // the valve stays at neutral
};
inline constexpr int kFaultKinds = 12;
const char* name_of(FaultKind kind);  // "sticking_spool", as files say it
// Whether the fault must name one function (joint). Otherwise kAirInOil affects all functions and
// kLowRelief the pump's main relief, unless they name one.
bool needs_function(FaultKind kind);

struct Fault {
  std::string name;  // unique
  FaultKind kind = FaultKind::kSpoolOffset;
  std::string function;  // joint; empty: the whole machine
  int port = 0;          // of kHoseLeak: 0 port a, 1 port b
  double size = 0.0;
  double flow_size = 0.0;
  double ramp_s = 0.0;    // until its full effect, and until its end
  double at_s = -1.0;     // beginning; below 0: on request only
  double until_s = -1.0;  // end; below 0: not by itself
  bool hidden = false;    // no message to the trainee
};

// A random draw of faults: `draw` of the candidates begin at their times, the others do not.
struct FaultLot {
  std::uint64_t seed = 0;
  int draw = 0;  // 0: no draw
  std::vector<std::string> candidates;
};
// Removes the times of the candidates that are not drawn. The same seed gives the same draw.
void draw_card(const FaultLot& lot, std::vector<Fault>& faults);

}  // namespace knuckleboom::command
