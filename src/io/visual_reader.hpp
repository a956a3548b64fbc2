// One [[visual]] of a machine file: a mesh or a plain form.
#pragma once

#include <string>

#include "knuckleboom/core/machine/model.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// All but the body. file: the one that names the mesh, whose folder a relative path starts from.
machine::VisualPart read_visual(TableReader& reader, const std::string& file);

}  // namespace knuckleboom::io
