#include "knuckleboom/analysis/paper_conditions.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::analysis {
namespace {

// Acceleration of an actuator's displacement by a unit force on it.
double mobility(const machine::MachineModel& model, const machine::MachineState& state,
                int actuator, const multibody::MassAndBias& body) {
  const int n = model.joint_count();
  const machine::Actuator& drive = nth(model.actuators, actuator);
  double row[kMaxLinks] = {};
  if (drive.linkage.kind == machine::LinkageKind::kPins)
    machine::displacement_row(model, actuator, state.q, row);
  else
    row[drive.link] = machine::displacement(model, actuator, state.q[drive.link]).J;
  double M[kMaxLinks][kMaxLinks], x[kMaxLinks];
  const auto held = [&model](int i) { return (model.held >> i & 1) != 0; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) M[i][j] = held(i) || held(j) ? (i == j ? 1.0 : 0.0) : body.M[i][j];
    x[i] = held(i) ? 0.0 : row[i];
  }
  solve_positive_definite<kMaxLinks>(n, M, x);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += row[i] * x[i];
  return sum;
}

}  // namespace

bool outside_paper_conditions(const machine::MachineModel& model,
                              const machine::MachineState& state) {
  if (model.on_air()) return false;  // it is not stepped by that model
  multibody::MassAndBias body;
  bool known = false;
  for (int k = 0; k < static_cast<int>(model.actuators.size()); ++k) {
    const machine::ActuatorState& a = state.actuator[k];
    if (a.open == 0) continue;
    if (!known) multibody::mass_and_bias(model.tree, state.inertia, state.q, state.v, body);
    known = true;
    const hydraulics::Circuit& circuit = nth(model.actuators, k).circuit;
    const hydraulics::Orifices o =
        machine::section_orifices(circuit, a, a.spool_V, state.pump_Pa, state.tank_Pa);
    const double C_R[2] = {o.C_R1, o.C_R2};
    const double area[2] = {hydraulics::area1(circuit), hydraulics::area2(circuit)};
    double stiffness = 0.0;
    for (int s = 0; s < 2; ++s) stiffness += area[s] * area[s] / a.C[s];
    const double omega = std::sqrt(mobility(model, state, k, body) * stiffness);
    for (int s = 0; s < 2; ++s)
      if (2.0 * omega * 2.0 * C_R[s] * std::fabs(a.Q[s]) * a.C[s] > 1.0) return true;
  }
  return false;
}

}  // namespace knuckleboom::analysis
