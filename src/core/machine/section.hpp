// The metering edge from the pump in a valve section, between advance_sections and the circuits.
#pragma once

#include <algorithm>

#include "knuckleboom/core/machine/equations.hpp"

namespace knuckleboom::machine {

// Source of the edge behind its compensator [Pa]. Upstream it starts from the gallery, which does not fall below the
// tank; sharing acts behind the edge, where a load that pulls may be emptier than the tank.
inline double passed_pressure(const hydraulics::Compensator& compensator, const ActuatorState& a,
                              double pump_Pa, double tank_Pa) {
  using hydraulics::CompensatorKind;
  if (compensator.kind == CompensatorKind::kNone) return pump_Pa;
  const bool sharing = compensator.kind == CompensatorKind::kFlowSharing;
  return std::max(sharing ? -hydraulics::kAtmosphere : tank_Pa, std::min(pump_Pa, a.P_compensated));
}

}  // namespace knuckleboom::machine
