// Start currents, measured as a mechanic does: one function at a time, from rest, with more and more
// command until it begins to move.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/training/exercise.hpp"

namespace knuckleboom::analysis {

// A lever's function of one joint or the jaws; [0] towards larger positions, [1] towards smaller ones.
struct TunedFunction {
  std::string joint;  // empty: of the grapple, whose jaws open [0] and close [1]
  bool slides = false;
  double start_V[2] = {
      0.0, 0.0};  // command at which the joint creeps; NaN: not before half of it, as at its end
  double full_V[2] = {0.0, 0.0};      // command at full lever
  double full_speed[2] = {0.0, 0.0};  // with it [rad/s, m/s]
};

// Share of the full speed at which a function counts as creeping; a command below that is felt as none.
inline constexpr double kCreep = 0.009;

// Every function of a joint that the machine has, and of jaws that a valve moves, at the exercise's start; the jaws half
// open. tell: after each. The
// machine's own start commands and those of the pattern do not count, its largest ones do. Throws
// std::invalid_argument as training::Session does.
std::vector<TunedFunction> tune_levers(
    const machine::MachineModel& machine, const command::LeverPattern& pattern,
    const training::Exercise& exercise,
    const std::function<void(const TunedFunction&)>& tell = [](const TunedFunction&) {});

}  // namespace knuckleboom::analysis
