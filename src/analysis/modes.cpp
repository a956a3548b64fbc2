#include "knuckleboom/analysis/modes.hpp"

#include <cmath>
#include <complex>

#include "knuckleboom/analysis/linear_model.hpp"

namespace knuckleboom::analysis {
namespace {

// Share of each joint, relative to the phase of the one that moves most.
std::vector<double> shape_of(const machine::MachineModel& machine, const LinearModel& linear,
                             const LinearMode& mode) {
  std::vector<std::complex<double>> moves;
  std::complex<double> most = 0.0;
  for (int i = 0; i < machine.joint_count(); ++i) {
    const std::string place =
        machine.joint_name(i) + (machine.tree.link(i).revolute ? "_rad" : "_m");
    const int state = linear.find_state(place), output = linear.find_output(place);
    moves.push_back(state >= 0    ? mode.states[static_cast<std::size_t>(state)]
                    : output >= 0 ? mode.outputs[static_cast<std::size_t>(output)]
                                  : 0.0);
    if (state >= 0 && std::abs(moves.back()) > std::abs(most)) most = moves.back();
  }
  std::vector<double> shape(moves.size());
  for (std::size_t i = 0; i < moves.size() && std::abs(most) > 0.0; ++i)
    shape[i] = (moves[i] / most).real();
  return shape;
}

}  // namespace

std::vector<Mode> closed_valve_modes(const sim::Simulation& simulation,
                                     const sim::SimState& state) {
  const LinearModel linear = linearise_at_rest(simulation, state);
  std::vector<Mode> modes;
  for (const LinearMode& of : modes_of(linear)) {
    if (std::abs(of.root) < kZeroRoot) continue;
    Mode mode;
    if (of.root.imag() > kZeroRoot) {
      mode.oscillates = true;
      mode.frequency_Hz = of.frequency_Hz();
      mode.damping_ratio = of.damping_ratio();
      mode.shape = shape_of(simulation.model(), linear, of);
    } else {
      mode.time_constant_s = -1.0 / of.root.real();
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

}  // namespace knuckleboom::analysis
