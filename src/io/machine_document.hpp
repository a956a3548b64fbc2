// How a machine file is parsed: its base and its URDF merged in.
#pragma once

#include <vector>

#include "document.hpp"

namespace knuckleboom::io {

// imports receives what a URDF brings. bases: as in DocumentOptions.
DocumentOptions machine_document(std::vector<UrdfImport>& imports,
                                 const std::vector<NamedText>* bases);

}  // namespace knuckleboom::io
