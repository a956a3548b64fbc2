// The sources of an FMU's code: the folder sources/ of an FMU that builds anew, without a network, elsewhere.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/io/named_text.hpp"

namespace knuckleboom::fmi {

struct SourceUnits {
  std::vector<std::string> of_tick,
      others;  // what to compile, by name; those of the tick for speed

  bool empty() const { return of_tick.empty() && others.empty(); }
};

// Adds the files of sources/, a description of how they are built and the licence to an archive's entries. name: of
// the code. Throws RunFailure if the sources are not there.
SourceUnits add_sources(const std::string& name, std::vector<io::NamedText>& entries);

}  // namespace knuckleboom::fmi
