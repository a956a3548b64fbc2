// knuckleboom verify: bundles of recorded runs as regression tests. docs/reference/bundle_file.md
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct VerifyOptions {
  std::vector<std::string> bundles;      // folders
  std::vector<std::string> assignments;  // as of run, on top of the bundle's own
  std::string plot_folder = "out";       // for pictures of what failed; made if needed
  bool update = false;
  std::string reason;  // of the update
};

// Returns an ExitStatus: that of the worst bundle.
int verify(const VerifyOptions& options);

}  // namespace knuckleboom::app
