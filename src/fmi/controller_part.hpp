// The controllers of a machine, alone.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "fmi/part.hpp"

namespace knuckleboom::fmi {

// Throws FileError.
std::unique_ptr<Part> open_controller(const std::filesystem::path& resources);

// controller.txt, from resources with a machine. Throws FileError or UserError.
std::string controllers_in(const std::filesystem::path& resources);

// Names of a controller's variables, by the joint that it controls. It is asked at the start of each tick; its volts
// count in that tick. Those of the machine's channels are besides.
std::string reference_name(const std::string& joint, const std::string& unit);  // "boom_ref_rad"
std::string measured_name(const std::string& joint, const std::string& unit);   // "boom_rad"
// 1: the joint has a reference; 0: its valve is driven otherwise.
std::string active_name(const std::string& joint);   // "boom_active"
std::string last_name(const std::string& joint);     // "boom_last_V": the tick before
std::string command_name(const std::string& joint);  // "boom_valve_V"

}  // namespace knuckleboom::fmi
