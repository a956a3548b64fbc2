// knuckleboom identify: parameters of a machine from a measured log. docs/theory/identification.md
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct IdentifyOptions {
  std::string machine;
  std::string log;                // a table, or the folder of a bundle with [[drive]]
  std::string map;                // of the table
  std::vector<std::string> fits;  // KEY=START,LOW,HIGH[,SD]
  std::vector<std::string> assignments;
  std::vector<std::string> channels;  // that are compared; none: all that the map has
  std::vector<std::string> weights;   // CHANNEL=SPREAD in SI
  std::string from_to;                // "A-B": fitted part [s]; empty: all but what is held out
  std::vector<std::string> hold_out;  // "A-B"
  std::string fidelity = "full";
  double rest_s = 0.5;
  int iterations = 40;
  std::string plot, summary;
};

// Returns an ExitStatus.
int identify(const IdentifyOptions& options);

}  // namespace knuckleboom::app
