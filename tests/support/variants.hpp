// The four ways a machine can be stepped, for tests that hold for all of them.
#pragma once

#include <array>

#include "knuckleboom/core/sim/simulation.hpp"
#include "support/machines.hpp"

namespace knuckleboom::test {

struct Variant {
  const char* name;
  machine::Fidelity fidelity;
  machine::ClosedValveModel closed;
};

inline constexpr std::array<Variant, 4> kVariants = {{
    {"full", machine::Fidelity::kFull, machine::ClosedValveModel::kDynamic},
    {"reduced", machine::Fidelity::kReduced, machine::ClosedValveModel::kDynamic},
    {"paper", machine::Fidelity::kPaper, machine::ClosedValveModel::kDynamic},
    {"paper, quasi-static", machine::Fidelity::kPaper, machine::ClosedValveModel::kQuasiStatic},
}};

inline machine::MachineModel reference_machine(const Variant& variant, bool protection = true) {
  machine::MachineModel model = reference_machine(protection);
  model.closed_valve = variant.closed;
  return model;
}

}  // namespace knuckleboom::test
