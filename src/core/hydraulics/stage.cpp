#include "knuckleboom/core/hydraulics/stage.hpp"

#include <limits>

namespace knuckleboom::hydraulics {

StageConstants make_stage(const Circuit& circuit, double g) {
  StageConstants k{};
  const Line* lines[2] = {&circuit.line1, &circuit.line2};
  const double external[2] = {circuit.leak_external1, circuit.leak_external2};
  const double areas[2] = {area1(circuit), -area2(circuit)};
  for (int s = 0; s < 2; ++s) {
    StageConstants::Side& side = k.side[s];
    side.sign_area = areas[s];
    side.g_C = g / lines[s]->C;
    side.g_I = g / lines[s]->I;
    side.R = lines[s]->R;
    side.leak_external = external[s];
  }
  k.leak_internal = circuit.leak_internal;
  k.linear_line = circuit.kind == ActuatorKind::kMotor;
  k.coupled = k.leak_internal > 0.0 || external[0] > 0.0 || external[1] > 0.0;
  k.B = circuit.B;
  const Protection& p = circuit.protection;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  k.P_low = p.enabled ? p.anti_cavitation_Pa : -kNever;
  k.P_high = p.enabled ? p.relief_Pa : kNever;
  k.G_low = p.enabled ? p.anti_cavitation_conductance : 0.0;
  k.G_high = p.enabled ? p.relief_conductance : 0.0;
  return k;
}

}  // namespace knuckleboom::hydraulics
