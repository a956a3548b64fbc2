// From a log's columns to the scorer's observations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/analysis/tip_motion.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/watch.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "knuckleboom/io/log_file.hpp"

namespace knuckleboom::analysis {

class LogRows;

struct LogObservations {
  std::shared_ptr<const LogRows> log;  // for visit_rows()
  std::size_t rows = 0;                // at equal times; the first is where the attempt begins
  double dt = 0.0;                     // between two of them [s]
  // Every 20 ms from then on, for the work elements; tick: its row. Empty: the log does not tell them.
  std::vector<training::ElementSample> work;
  bool head = false;                   // they tell of a harvester's head
  std::vector<double> reach_m;         // of the tip from the crane's foot, by row; empty: not told
  std::vector<std::string> functions;  // whose travel the rows have, in their order
  std::uint32_t observed = 0;          // bits of training::Observed
  bool free = true;  // legs end with grips and releases; false: where the log's own count rises
  double rate_Hz = 0.0;
  double start_s = 0.0;              // of the first row, in the log's time
  double end_s = 0.0;                // since then: the last lever movement, or motion of the tip
  TipNoise noise{};                  // of the path, and of the speed as used by the scorer
  std::vector<std::string> columns;  // that were used, without the time
  std::vector<std::string> notes;    // how the table was understood, a sentence each
  machine::Watch watch{};            // of what no real machine does; needs the machine
  std::vector<int> watched_joints;   // whose speeds and limits it looked at
  std::vector<int> watched_pistons;  // actuators: cylinders whose speeds follow from these
};

// Columns that tell of the driving; demands belong to functions known only to the log, so their names
// are among `names`.
std::vector<io::KnownColumn> judged_columns(const std::vector<std::string>& names,
                                            const machine::MachineModel* machine);

// map: empty columns: all with a known name. machine: for a log of joints, must outlive what is
// read; null: none. Throws io::FileError.
LogObservations read_observations(const std::filesystem::path& path, const io::LogMap& map,
                                  const machine::MachineModel* machine);

// Calls visit for each row, from the first on. They are made of the log's columns anew each time: an
// observation is 40 times as large as what most logs have of it.
void visit_rows(
    const LogObservations& log,
    const std::function<void(std::size_t row, const training::Observation& seen)>& visit);

// The figures of all rows, as of a session that ended there.
training::ScoreState judge(const LogObservations& log);

// The work elements of its samples, up to the last action; ticks are rows.
struct LogWork {
  training::ElementState state;
  std::vector<training::FinalPiece> pieces;
};
LogWork judge_work(const LogObservations& log);

}  // namespace knuckleboom::analysis
