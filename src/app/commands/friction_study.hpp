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

struct FrictionOptions {
  std::string scenario, machine, fidelity = "reduced";
  std::string at;  // path of the friction table; empty: the bench's, or else the only actuator's
  std::vector<std::string> assignments;
  std::string plot;  // empty: none
};

// Returns an ExitStatus.
int friction_study(const FrictionOptions& options);

}  // namespace knuckleboom::app
