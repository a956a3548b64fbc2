// Numbers of a machine or scenario file as parameters of an FMU.
#pragma once

#include <filesystem>
#include <vector>

#include "fmi/part.hpp"
#include "knuckleboom/io/file_kinds.hpp"

namespace knuckleboom::fmi {

// In the order of the file; named as --set addresses them, "machine.supply.pump_bar". Throws FileError.
std::vector<Variable> parameters_of(const std::filesystem::path& file, io::FileKind kind);

}  // namespace knuckleboom::fmi
