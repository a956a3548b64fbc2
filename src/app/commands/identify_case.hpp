// Logs and parameters of an identification, and the runs of the model beside the logs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/identify.hpp"
#include "identification/fit.hpp"
#include "knuckleboom/analysis/free_run.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::app {

// Kind of a parameter: a number of the machine file, or a property of a log.
enum class Place {
  kMachine,
  kDelay,
  kOffset,
  kScale,
  kStart,
  kSpeed,  // of a joint at the start of the log
  // The logger's, analysis::Logger.
  kLag,
  kDeadTime,
  kHold,
  kDeadBand,
};

struct Wanted {
  identification::Parameter parameter;
  Place place = Place::kMachine;
  std::string target;  // joint of a delay or a speed, column of the others
  int log = -1;        // number of the log; -1: every log
  bool of(std::size_t of_log) const { return log < 0 || log == static_cast<int>(of_log); }
};

// Seconds of a log.
struct Span {
  double from, to;
  bool has(double t) const { return t >= from && t <= to; }
};

struct FitLog {
  std::filesystem::path file;
  io::Trace trace;
  std::vector<io::Override> overrides;  // of the machine, a bundle's own first
  analysis::FreeRunSetup setup;
  std::vector<double> spread;  // of each channel, SI
  std::vector<std::string> units;
  std::vector<std::pair<std::string, double>> delay_s;  // of the bundle
  std::vector<Span> fitted;                             // none: all that is not held out
  std::vector<Span> held_out;
  double weight = 1.0;

  bool is_held_out(double t) const;
  bool is_fitted(double t) const;
  const std::vector<double>& measured(std::size_t channel) const {
    return trace.column(setup.channels[channel]);
  }
};

struct FitCase {
  std::filesystem::path machine;
  std::string name;  // the machine's own
  std::vector<Wanted> wanted;
  std::size_t asked = 0;  // of them by the user; the others are starts, as uncertain as measured
  std::vector<FitLog> logs;
};

// Throws UserError or io::FileError. Tells what was understood of each log.
FitCase fit_case(const IdentifyOptions& options);

// By channel of a log, then by row; empty: it became non-finite. rows: so many are run, later ones are NaN. warnings (may
// be null): what no real machine does.
std::vector<std::vector<double>> run_beside(const FitCase& c, std::size_t log,
                                            std::span<const double> values,
                                            std::size_t rows = analysis::kAllRows,
                                            std::vector<std::string>* warnings = nullptr);

// Over the spread, of the fitted rows: log by log, channel by channel. A log is run again only for values it depends
// on, so that the time grows with the number of logs and not with its square. For several threads at once.
class FitResiduals {
 public:
  explicit FitResiduals(const FitCase& c);  // which must outlive it
  // False: there is no such machine, or it cannot stand there.
  bool operator()(std::span<const double> values, std::vector<double>& out);

 private:
  struct Known {
    std::vector<double> values, residuals;
    std::int64_t used = 0;
  };
  bool of_log(std::size_t log, std::span<const double> values, std::vector<double>& out) const;

  const FitCase& case_;
  std::vector<std::size_t> rows_;  // of each log up to its last fitted one
  std::mutex mutex_;
  std::vector<std::vector<Known>> known_;  // of each log
  std::int64_t clock_ = 0;
};
std::vector<std::size_t> fit_blocks(const FitCase& c);

}  // namespace knuckleboom::app
