// The runs of a sweep. docs/reference/sweep.md
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "knuckleboom/io/sweep_plan.hpp"
#include "knuckleboom/recording/sweep_table.hpp"

namespace knuckleboom::analysis {

class SweepRunner {
 public:
  // Reads what the runs read, and tries what can be tried without a run. Throws FileError with the lines of the plan
  // that are wrong. The plan must outlive it.
  explicit SweepRunner(const io::SweepPlan& plan);
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Over the plan and the files that its runs read.
  const std::string& hash() const;
  const std::vector<io::SweepColumn>& results() const;

  // How many runs go best together: as many as the processor has lanes, if they go in lanes.
  std::size_t block() const;
  // A block of runs, given by their values; fills in the rest. further: assignments of all of them. A run that cannot
  // be done is a row with its sentence. False: `stop` has said so, and the rows are of no use. May be called from
  // several threads at once.
  bool run(std::span<io::SweepRow> rows, const std::vector<std::string>& further,
           const std::function<bool()>& stop) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::analysis
