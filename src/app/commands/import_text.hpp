// Output of `inspect` on the URDF files from which a machine was imported.
#pragma once

#include <string>

#include "app/shell/json.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {

// Links, joints, looks and notes; empty for a machine without import.
std::string import_text(const io::MachineFile& file);

// "from crane.urdf, with 2 notes"; empty for a machine without import.
std::string import_words(const io::MachineFile& file);

// Adds the members "imports" and "notes" to the open object.
void add_imports(JsonWriter& json, const io::MachineFile& file);

// Collision shapes and visible parts: "9 shapes, a grapple and 2 visible parts"; empty if none.
std::string outside_parts(const machine::MachineModel& model);

}  // namespace knuckleboom::app
