// From the operator's levers to what drives the actuators: shaping by the lever pattern, then one of
// three control modes. Modes change without a bump while the machine moves. docs/theory/operator_control.md
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::sim {

inline constexpr int kMaxLeverFunctions = 16;

struct OperatorState {
  std::int32_t mode;    // command::ControlMode
  std::int32_t primed;  // 0: references not taken from the machine yet
  double
      shaped[kMaxLeverFunctions];    // after the ramp, -1..1 times gain, by function of the pattern
  double reference[kMaxLinks];       // joint references of the rate and tip modes [rad, m]
  double reference_rate[kMaxLinks];  // rad/s, m/s
  std::int64_t at_reach_limit;       // ticks in which the tip could not go where it was asked to
};
static_assert(std::is_trivially_copyable_v<OperatorState>);

struct OperatorDemand {
  TickInput input;       // for Simulation::step
  double grapple = 0.0;  // -1 opens .. 1 closes, full speed
};

class OperatorControl {
 public:
  // The simulation must outlive it. Functions whose joint the machine lacks are left out and named in
  // missing(); throws std::invalid_argument if none is left.
  OperatorControl(const Simulation& simulation, command::LeverPattern pattern);

  OperatorState initial_state(const SimState& sim, command::ControlMode mode) const;
  void set_mode(command::ControlMode mode, const SimState& sim, OperatorState& state) const;

  // One tick. No heap, no exception.
  OperatorDemand drive(const command::OperatorInput& input, const SimState& sim,
                       OperatorState& state) const;

  const command::LeverPattern& pattern() const { return pattern_; }
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  const Simulation& simulation_;
  command::LeverPattern pattern_;
  std::vector<std::string> missing_;
};

}  // namespace knuckleboom::sim
