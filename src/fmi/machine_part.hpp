// A machine at a scenario, or at an exercise with its levers, by way of the C interface.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "capi/controllers.hpp"
#include "fmi/part.hpp"

namespace knuckleboom::fmi {

// Throws FileError or UserError.
std::unique_ptr<Part> open_machine(const std::filesystem::path& resources, const PartFacts& facts);

// The controllers of the machine there, and the tick of its scenario.
std::vector<JointController> machine_controllers(const std::filesystem::path& resources,
                                                 double& tick_s);

}  // namespace knuckleboom::fmi
