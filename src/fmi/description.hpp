// modelDescription.xml of what is exported.
#pragma once

#include <string>

#include "fmi/part.hpp"

namespace knuckleboom::fmi {

enum class Version { k2 = 2, k3 = 3 };

std::string describe(const Part& part, const PartFacts& facts, Version version);

}  // namespace knuckleboom::fmi
