// What may go wrong with a machine: the exact content of a [[fault]] table, in SI units.
// docs/theory/faults.md says what each does to the equations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knuckleboom::command {

inline constexpr int kMaxFaults = 96;

enum class FaultKind : std::int32_t {
  kStickingSpool,  // size: share of the full command by which it must differ before the spool moves
  kSpoolOffset,    // size: of the full command, signed
  kWornPump,      // size: share of the pressure lost; flow_size: what it falls with flow [Pa s/m^3]
  kAirInOil,      // size: share of the oil's stiffness that is left
  kHoseLeak,      // size: conductance from port to tank [m^3/(s Pa)]
  kCylinderLeak,  // size: conductance between the ports [m^3/(s Pa)]
  kLowRelief,     // size: where the port relief opens [Pa], or the main relief
  kSensorBias,    // size: added to the joint position that controllers see [rad, m]
  kSensorNoise,   // size: standard deviation [rad, m]
  kSensorDropout,  // size: share of the time in which the last position stays
  kLeverDelay,     // size: s, of all levers
  kControllerOff,  // the valve stays at neutral
};
inline constexpr int kFaultKinds = 12;
const char* name_of(FaultKind kind);  // "sticking_spool", as files say it
// Whether it must sit at one function (joint). Of the others, kAirInOil is that of all functions and
// kLowRelief that of the pump's main relief, unless they name one.
bool needs_function(FaultKind kind);

struct Fault {
  std::string name;  // unique
  FaultKind kind = FaultKind::kSpoolOffset;
  std::string function;  // joint; empty: the whole machine
  int port = 0;          // of kHoseLeak: 0 port a, 1 port b
  double size = 0.0;
  double flow_size = 0.0;
  double ramp_s = 0.0;    // until it is there in full, and until it is gone
  double at_s = -1.0;     // when it begins; below 0: when somebody says so
  double until_s = -1.0;  // when it ends; below 0: not by itself
  bool hidden = false;    // the trainee is not told
};

// A card of faults drawn by lot: `draw` of the candidates begin at their times, the others do not.
struct FaultLot {
  std::uint64_t seed = 0;
  int draw = 0;  // 0: no lot
  std::vector<std::string> candidates;
};
// Takes the times from the candidates that are not drawn. The same seed draws the same card.
void draw_card(const FaultLot& lot, std::vector<Fault>& faults);

}  // namespace knuckleboom::command
