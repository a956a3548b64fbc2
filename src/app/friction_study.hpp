// knuckleboom friction: one scenario with every friction model in turn.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct FrictionOptions {
  std::string scenario, machine, fidelity = "reduced";
  std::string at;  // path of the friction table; empty: the bench's, or else the only actuator's
  std::vector<std::string> assignments;
  std::string plot;  // empty: none
};

// Returns an ExitStatus.
int friction_study(const FrictionOptions& options);

}  // namespace knuckleboom::app
