// knuckleboom friction: one scenario with every friction model in turn.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::app {

// As a friction table's `model`, in the order in which they are told.
inline constexpr std::array<std::string_view, 5> kFrictionModels = {
    "viscous", "coulomb_viscous", "continuous_coulomb_viscous", "stribeck", "lugre"};

// A slower joint is at rest [m/s, rad/s]: what is left are rounding and the bristles of LuGre. Air that is shut in lets
// a piston go at a micrometre in a second, which is motion.
inline constexpr double kRestSpeed = 1e-9;

struct FrictionOptions {
  std::string scenario, machine, fidelity = "reduced";
  std::string at;  // path of the friction table; empty: the bench's, or else the only actuator's
  std::vector<std::string> assignments;
  std::string plot;  // empty: none
};

// Returns an ExitStatus.
int friction_study(const FrictionOptions& options);

}  // namespace knuckleboom::app
