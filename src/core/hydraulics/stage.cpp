#include "knuckleboom/core/hydraulics/stage.hpp"

#include <limits>

namespace knuckleboom::hydraulics {

StageConstants make_stage(const Circuit& circuit, double g, double port_tolerance,
                          double side_flow_weight, const CircuitFault& fault, const double* C) {
  StageConstants k{};
  const Line* lines[2] = {&circuit.line1, &circuit.line2};
  const double external[2] = {circuit.leak_external1 + fault.leak_external[0],
                              circuit.leak_external2 + fault.leak_external[1]};
  const double areas[2] = {area1(circuit), -area2(circuit)};
  for (int s = 0; s < 2; ++s) {
    k.sign_area[s] = areas[s];
    k.g_C[s] = g / (C != nullptr ? C[s] : lines[s]->C * (1.0 + fault.compliance));
    k.g_I[s] = g / lines[s]->I;
    k.R[s] = lines[s]->R;
    k.leak_external[s] = external[s];
  }
  k.leak_internal = circuit.leak_internal + fault.leak_internal;
  k.linear_line = circuit.kind == ActuatorKind::kMotor;
  k.coupled = k.leak_internal > 0.0 || external[0] > 0.0 || external[1] > 0.0;
  k.side_flow_weight = both(side_flow_weight);
  k.port_tolerance = port_tolerance;
  k.B = circuit.B;
  const Protection& p = circuit.protection;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  k.P_low = p.enabled ? p.anti_cavitation_Pa : -kNever;
  k.P_high = p.enabled ? p.relief_Pa : kNever;
  k.G_low = p.enabled ? p.anti_cavitation_conductance : 0.0;
  k.G_high = p.enabled ? p.relief_conductance : 0.0;
  if (fault.relief_Pa > 0.0 && fault.relief_Pa < k.P_high) {
    k.P_high = fault.relief_Pa;
    k.G_high = p.relief_conductance;
  }
  k.low = both(k.P_low);
  k.high = both(k.P_high);
  // p_s (1 + X_s S_s) - X_s L p_other = f_s, with S_s all leakage slopes of port s and L the internal one.
  const double X[2] = {side_flow_weight * k.g_C[0] + k.R[0], side_flow_weight * k.g_C[1] + k.R[1]};
  const double L = k.leak_internal;
  const double D[2] = {1.0 + X[0] * (L + external[0]), 1.0 + X[1] * (L + external[1])};
  const double det = D[0] * D[1] - X[0] * X[1] * L * L;
  k.closed[0][0] = D[1] / det;
  k.closed[1][0] = X[0] * L / det;
  k.closed[0][1] = X[1] * L / det;
  k.closed[1][1] = D[0] / det;
  return k;
}

}  // namespace knuckleboom::hydraulics
