// modelDescription.xml of what is exported.
#pragma once

#include <string>
#include <vector>

#include "fmi/part.hpp"

namespace knuckleboom::fmi {

enum class Version { k2 = 2, k3 = 3 };

// sources: that are to be compiled; FMI 2 names them here.
std::string describe(const Part& part, const PartFacts& facts, Version version,
                     const std::vector<std::string>& sources = {});

}  // namespace knuckleboom::fmi
