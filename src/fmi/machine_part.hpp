// A machine at a scenario, by way of the C interface.
#pragma once

#include <filesystem>
#include <memory>

#include "fmi/part.hpp"

namespace knuckleboom::fmi {

// Throws FileError or UserError.
std::unique_ptr<Part> open_machine(const std::filesystem::path& resources, const PartFacts& facts);

}  // namespace knuckleboom::fmi
