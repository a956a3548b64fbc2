// Load-holding valves: check valves whose opening follows pressures with a lag. Within a tick they
// are resistances in series with the spool's edges. docs/theory/power.md
#pragma once

#include <algorithm>

namespace knuckleboom::hydraulics {

enum class HoldingKind {
  kNone,
  kCounterbalance,  // out of the port: opens gradually with the load's own and the pilot's pressure
  kPilotCheck,      // out of the port: opened by the pilot against the load
};

// Valve at one port of an actuator; flow into the port is free. The pilot is the pressure of the
// other line.
struct LoadHolding {
  HoldingKind kind = HoldingKind::kNone;
  double set_Pa = 0.0;       // kCounterbalance: begins to open at this load without pilot
  double pilot_ratio = 0.0;  // weight of the pilot's pressure relative to the load's
  double range_Pa = 0.0;     // from beginning to fully open
  double conductance = 0.0;  // fully open, both ways [m^3/(s sqrt(Pa))]
  double lag_s = 0.0;
};

// Conductance of a shut valve, as a share of its full conductance.
inline constexpr double kShutRatio = 1e-4;
// Pressure difference at which a check valve is fully open.
inline constexpr double kCheckOpening = 1e5;  // Pa

// Steady-state openings for the pressures, 0 to 1. P_source: before the port's line; P_load: at the
// port.
inline double check_target(double P_source, double P_load) {
  return std::clamp((P_source - P_load) / kCheckOpening, 0.0, 1.0);
}
inline double holding_target(const LoadHolding& valve, double P_source, double P_load,
                             double P_pilot) {
  const double pilot = valve.pilot_ratio * std::max(0.0, P_pilot);
  const double opening = valve.kind == HoldingKind::kCounterbalance
                             ? (P_load + pilot - valve.set_Pa) / valve.range_Pa
                             : (pilot - P_load) / valve.range_Pa;
  return std::max(check_target(P_source, P_load), std::clamp(opening, 0.0, 1.0));
}

// Resistance dP = C Q|Q| of a valve at an opening [kg/m^7].
inline double holding_resistance(double conductance, double opening) {
  const double g = conductance * std::max(opening, kShutRatio);
  return 1.0 / (g * g);
}
// A load check adds nothing while it is fully open.
inline double load_check_resistance(double conductance, double opening) {
  const double y = std::max(opening, kShutRatio);
  return (1.0 / (y * y) - 1.0) / (conductance * conductance);
}

}  // namespace knuckleboom::hydraulics
