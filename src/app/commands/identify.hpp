// knuckleboom identify: parameters of a machine from a measured log. docs/theory/identification.md
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace knuckleboom::app {

struct IdentifyOptions {
  std::string machine;
  std::vector<std::string> logs;  // tables, or folders of bundles with [[drive]]
  std::vector<std::string> maps;  // of the tables: one for all, or one of each log
  std::string dbc;                // of tables that are logs of a CAN bus
  std::vector<std::string> fits;  // KEY=START,LOW,HIGH[,SD]
  std::vector<std::string> assignments;
  std::vector<std::string> channels;  // that are compared; none: all that the map has
  std::vector<std::string> spreads;   // CHANNEL=SPREAD in SI
  std::vector<std::string> from_to;   // "[N:]A-B": fitted part [s]; none: all but what is held out
  std::vector<std::string> hold_out;  // "[N:]A-B", or "N": all of log N
  std::vector<std::string> weights;   // "N:NUMBER" of log N
  std::string fidelity = "full";
  std::optional<double> rest_s;  // of tables; bundles have their own
  int iterations = 40;
  int starts = 1;  // from which the search begins
  std::string plot, summary;
};

// Returns an ExitStatus.
int identify(const IdentifyOptions& options);

}  // namespace knuckleboom::app
