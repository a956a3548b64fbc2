// Constants of a circuit within an implicit stage, for the laws of stage_laws.hpp.
#pragma once

#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/hydraulics/stage_laws.hpp"

namespace knuckleboom::hydraulics {

// g = 0 gives the instantaneous relations: P_C = P_star, Q = Q_star. C: capacitances of both lines;
// null: those of the lines.
StageConstants make_stage(const Circuit& circuit, double g, double port_tolerance = 1.0,
                          double side_flow_weight = 1.0, const CircuitFault& fault = {},
                          const double* C = nullptr);

}  // namespace knuckleboom::hydraulics
