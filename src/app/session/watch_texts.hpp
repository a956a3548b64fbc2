// Sentences on what a run showed that no real machine does.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/watch.hpp"

namespace knuckleboom::app {

// One for each kind of thing: what, where, since when, how long. Times are simulated ones.
std::vector<std::string> watch_findings(const machine::MachineModel& model,
                                        const machine::Watch& watch);
// The same behind the machine's own caution, which holds for every run of it.
std::vector<std::string> watch_sentences(const machine::MachineModel& model,
                                         const machine::Watch& watch);

// The same behind the note of a picture.
std::string watch_note(const std::string& note, const machine::MachineModel& model,
                       const machine::Watch& watch);

// The same while it runs: each kind of thing once, when it is seen first.
class WatchNews {
 public:
  std::vector<std::string> take(const machine::MachineModel& model, const machine::Watch& watch);

 private:
  bool told_[machine::kOddities] = {};
};

}  // namespace knuckleboom::app
