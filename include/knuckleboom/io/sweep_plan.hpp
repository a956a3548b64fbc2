// Plans of sweeps: what is run, what varies, which results are kept. docs/reference/sweep.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

enum class SweepDesign { kGrid, kList, kLatinHypercube, kMonteCarlo, kMorris, kSobol };
enum class SweepSpread { kUniform, kNormal, kLognormal, kTriangular };

// Keys and files that differ from run to run.
struct SweepVariable {
  static constexpr double kOpen = std::numeric_limits<double>::infinity();

  std::string name;                 // its column
  std::string key;                  // as after --set, or one of the words of sweep_words()
  bool factor = false;              // it multiplies what is there
  std::vector<std::string> values;  // as a file would write them; empty: numbers by what follows
  bool numbers = true;              // what is chosen from are numbers
  SweepSpread spread = SweepSpread::kUniform;
  double low = -kOpen, high = kOpen;
  double mean = 0.0, sd = 0.0;        // kNormal
  double median = 0.0, sd_log = 0.0;  // kLognormal
  double mode = 0.0;                  // kTriangular
  int steps = 0;                      // of a grid from low to high
  int line = 0, column = 0;           // in the plan
};

enum class SweepTake { kFinal, kMin, kMax, kMean, kRms, kAt };

struct SweepResult {
  std::string name;
  std::string channel, minus;  // the second may be empty
  bool absolute = false;
  SweepTake take = SweepTake::kFinal;
  double at_s = 0.0;                                 // of kAt
  double from_s = 0.0, to_s = SweepVariable::kOpen;  // of the others but kFinal
  int line = 0, column = 0;
};

// Values that make an objective least, or largest, over all runs of the plan.
enum class SweepOver { kMean, kMax, kRms };
enum class SweepMethod { kBobyqa, kCobyla, kSimplex, kDirect };
struct SweepParameter {
  std::string name, key;
  bool factor = false;
  double low = 0.0, high = 0.0, start = 0.0;
  int line = 0, column = 0;
};
struct SweepTuning {
  std::string objective;  // a result
  SweepOver over = SweepOver::kMean;
  SweepMethod method = SweepMethod::kBobyqa;
  bool largest = false;
  int evaluations = 200;    // at most
  double tolerance = 1e-3;  // of the range of each parameter
  std::vector<SweepParameter> parameters;
  int line = 0, column = 0;
};

struct SweepPlan {
  std::string file, text, description;
  // A scenario, or an exercise with recorded levers. Names, or files.
  std::string scenario, exercise, levers, input, machine, fidelity, fault;
  std::vector<std::string> assignments;  // of all runs
  SweepDesign design = SweepDesign::kGrid;
  int runs = 0, trajectories = 0, base = 0;
  std::uint64_t seed = 0;
  double duration_s = 0.0;  // of an exercise; 0: as long as the input
  double sample_s = 0.01;   // between two looks at the channels
  std::vector<SweepVariable> variables;
  std::vector<SweepResult> results;
  bool tuned = false;
  SweepTuning tuning;

  Diagnostic at(int line, int column, std::string message) const {
    return {file, line, column, std::move(message)};
  }
};

std::string_view word_of(SweepDesign design);  // "latin_hypercube"

// Keys of variables that choose a whole file or fault in place of a number in one: "scenario", ...
const std::vector<std::string>& sweep_words();

// Throws FileError with all that is wrong in the file.
SweepPlan read_sweep_plan(const std::filesystem::path& path);
SweepPlan read_sweep_plan_text(std::string_view text, const std::string& file_name);

}  // namespace knuckleboom::io
