// Sweeps: many runs that differ by a plan. The parts of the command, which lie in several files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/plot.hpp"
#include "knuckleboom/analysis/sweep_design.hpp"
#include "knuckleboom/analysis/sweep_run.hpp"
#include "knuckleboom/io/sweep_plan.hpp"
#include "knuckleboom/recording/sweep_table.hpp"

namespace knuckleboom::app {

struct SweepOptions {
  std::vector<std::string> files;  // the plan; with gather shards
  std::string output;              // the table; empty: named after the plan
  std::string summary, plot, shard, hosts;
  std::vector<std::string> sbatch;  // options handed to sbatch
  bool gather = false, slurm = false, tune = false;
  int jobs = 0;    // threads; 0: one for each core
  int shards = 0;  // 0: by the work
};

// A plan that has been read and tried.
struct Sweep {
  explicit Sweep(const std::string& name_or_file);

  io::SweepPlan plan;
  std::filesystem::path path;
  analysis::SweepRunner runner;
  analysis::SweepDesigner designer;

  io::SweepHeader header(const io::SweepShard& shard = {}) const;
};

// --- Files --------------------------------------------------------------------

// TABLE.h5 from --output or the plan's name.
std::filesystem::path table_path(const SweepOptions& options, const std::filesystem::path& plan,
                                 const std::string& after = {});
std::filesystem::path csv_path(const std::filesystem::path& table);
std::filesystem::path rows_path(const std::filesystem::path& table, const io::SweepShard& shard);
// Writes table and CSV, says the summary, and draws what was asked for. Returns an exit status.
int finish_sweep(const SweepOptions& options, const io::SweepPlan& plan,
                 const io::SweepHeader& header, const std::vector<io::SweepRow>& rows,
                 const std::filesystem::path& table);

// --- Runs ---------------------------------------------------------------------

int threads_of(const SweepOptions& options);

// One line on a terminal: how many runs are done and how long the rest takes.
class SweepProgress {
 public:
  explicit SweepProgress(std::int64_t runs);
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;
  void show(std::int64_t done, std::int64_t now_done);  // of all; of those since it began

 private:
  bool on_, shown_ = false;
  std::int64_t runs_;
  std::int64_t begin_ns_;
};

// Runs these in so many threads. take: gets each row when it is there, one at a time, in any order. Between rows
// `meanwhile` is called a few times a second. False: interrupted.
bool run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& runs,
               const std::vector<std::string>& further, int threads,
               const std::function<void(io::SweepRow&&)>& take,
               const std::function<void()>& meanwhile);

// --- Parts --------------------------------------------------------------------

int gather_sweep(const SweepOptions& options);
int submit_sweep(const SweepOptions& options, const Sweep& sweep);  // --slurm
int spread_sweep(const SweepOptions& options, const Sweep& sweep);  // --parallel
int tune_sweep(const SweepOptions& options, const Sweep& sweep);

// The outcome. rows: sorted.
std::string sweep_text(const io::SweepPlan& plan, const io::SweepHeader& header,
                       const std::vector<io::SweepRow>& rows);
std::string sweep_json(const io::SweepPlan& plan, const io::SweepHeader& header,
                       const std::vector<io::SweepRow>& rows);
Figure sweep_figure(const io::SweepPlan& plan, const io::SweepHeader& header,
                    const std::vector<io::SweepRow>& rows);

}  // namespace knuckleboom::app
