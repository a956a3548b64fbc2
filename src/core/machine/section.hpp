// The metering edge from the pump in a valve section, between advance_sections and the circuits.
#pragma once

#include <algorithm>

#include "knuckleboom/core/machine/equations.hpp"

namespace knuckleboom::machine {

// Source of the edge behind its compensator [Pa]; below the tank's pressure where a load that pulls empties its line.
inline double passed_pressure(const hydraulics::Compensator& compensator, const ActuatorState& a,
                              double pump_Pa) {
  if (compensator.kind == hydraulics::CompensatorKind::kNone) return pump_Pa;
  return std::max(-hydraulics::kAtmosphere, std::min(pump_Pa, a.P_compensated));
}

}  // namespace knuckleboom::machine
