// knuckleboom sweep --tune: parameters that are best over all runs of a plan.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/commands/sweep.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/text.hpp"
#include "identification/minimise.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr double kRefusedBy = 2.0;  // a refused evaluation is so many times worse than the worst

// The objective over all runs of one evaluation.
double over_runs(const io::SweepTuning& tuning, const std::vector<double>& results) {
  double sum = 0.0, largest = -std::numeric_limits<double>::infinity(), squares = 0.0;
  for (const double y : results) {
    sum += y;
    largest = std::max(largest, tuning.largest ? -y : y);
    squares += y * y;
  }
  const auto n = static_cast<double>(results.size());
  if (tuning.over == io::SweepOver::kMax) return tuning.largest ? -largest : largest;
  return tuning.over == io::SweepOver::kRms ? std::sqrt(squares / n) : sum / n;
}

identification::Search search_of(io::SweepMethod method) {
  switch (method) {
    case io::SweepMethod::kCobyla:
      return identification::Search::kCobyla;
    case io::SweepMethod::kSimplex:
      return identification::Search::kSimplex;
    case io::SweepMethod::kDirect:
      return identification::Search::kDirect;
    case io::SweepMethod::kBobyqa:
      break;
  }
  return identification::Search::kBobyqa;
}

// One row for each evaluation; those of an earlier, killed tuning are taken from its file, for the same search asks
// for the same values again.
class Tuning {
 public:
  Tuning(const SweepOptions& options, const Sweep& sweep, const fs::path& table)
      : options_(options), sweep_(sweep), plan_(sweep.plan), header_(sweep.header()) {
    const io::SweepTuning& tuning = plan_.tuning;
    header_.kind = "tuning";
    header_.runs = tuning.evaluations;
    header_.variables.clear();
    for (const io::SweepParameter& p : tuning.parameters)
      header_.variables.push_back({p.name, "", p.factor ? "factor of " + p.key : p.key, true});
    const auto of = std::find_if(
        header_.results.begin(), header_.results.end(),
        [&](const io::SweepColumn& column) { return column.name == tuning.objective; });
    objective_ = static_cast<std::size_t>(of - header_.results.begin());
    header_.results = {*of};
    io::check_sweep_table(table, header_);
    io::check_sweep_table(csv_path(table), header_);
    writer_ = std::make_unique<io::SweepRowsWriter>(
        io::SweepRowsWriter::open(rows_path(table, {}), header_, rows_));
    if (!rows_.empty())
      complain(
          fmt::format("going on with {} of an earlier tuning",
                      counted(static_cast<long long>(rows_.size()), "evaluation", "evaluations")));
  }

  bool evaluate(std::span<const double> at, double& value) {
    if (next_ >= rows_.size() && !compute(at)) return false;
    const io::SweepRow& row = rows_[next_++];
    const double found = row.results.front();
    value = plan_.tuning.largest ? -found : found;
    if (std::isfinite(value)) {
      worst_ = std::max(worst_, value);
      least_ = std::min(least_, value);
      if (value == least_) best_ = next_ - 1;
    } else {
      if (next_ == 1)
        throw UserError(fmt::format("{}: the runs cannot be done where the search begins: {}",
                                    plan_.file, row.failure));
      value = worst_ + kRefusedBy * std::max(std::fabs(worst_), worst_ - least_);
    }
    return true;
  }

  const io::SweepHeader& header() const { return header_; }
  const std::vector<io::SweepRow>& rows() const { return rows_; }
  const io::SweepRow& best() const { return rows_[best_]; }

 private:
  bool compute(std::span<const double> at) {
    io::SweepRow row;
    row.run = static_cast<std::int64_t>(next_);
    std::vector<std::string> assignments;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const io::SweepParameter& p = plan_.tuning.parameters[i];
      row.values.push_back(fmt::format("{}", at[i]));
      assignments.push_back(fmt::format("{}{}={}", p.key, p.factor ? "*" : "", row.values.back()));
    }
    std::vector<std::int64_t> runs;
    for (std::int64_t run = 0; run < sweep_.designer.size(); ++run) runs.push_back(run);
    std::vector<double> results(runs.size());
    std::vector<std::uint64_t> hashes(runs.size());
    const bool done = run_sweep(
        sweep_, runs, assignments, threads_of(options_),
        [&](io::SweepRow&& one) {
          const auto run = static_cast<std::size_t>(one.run);
          results[run] = one.results[objective_];
          hashes[run] = one.state_hash;
          if (!one.failure.empty() && (row.failure.empty() || one.run < first_failed_)) {
            row.failure = one.failure;
            first_failed_ = one.run;
          }
        },
        [&] {
          progress_.show(static_cast<std::int64_t>(next_), static_cast<std::int64_t>(next_));
        });
    if (!done) return false;
    row.results = {row.failure.empty() ? over_runs(plan_.tuning, results)
                                       : std::numeric_limits<double>::quiet_NaN()};
    for (const std::uint64_t hash : hashes) row.state_hash = row.state_hash * 31 + hash;
    writer_->add(row);
    rows_.push_back(std::move(row));
    return true;
  }

  const SweepOptions& options_;
  const Sweep& sweep_;
  const io::SweepPlan& plan_;
  io::SweepHeader header_;
  SweepProgress progress_{sweep_.plan.tuning.evaluations};
  std::unique_ptr<io::SweepRowsWriter> writer_;
  std::vector<io::SweepRow> rows_;
  std::size_t objective_ = 0, next_ = 0, best_ = 0;
  std::int64_t first_failed_ = 0;
  double worst_ = -std::numeric_limits<double>::infinity();
  double least_ = std::numeric_limits<double>::infinity();
};

std::string tuned_text(const Sweep& sweep, const Tuning& tuning,
                       const identification::Minimum& found) {
  const io::SweepTuning& wanted = sweep.plan.tuning;
  const io::SweepRow &first = tuning.rows().front(), &best = tuning.best();
  const io::SweepColumn& column = tuning.header().results.front();
  constexpr std::string_view kOver[] = {"mean", "largest", "root mean square"};
  std::string text = fmt::format(
      "{}: {} of {}\n  {} of {} over {}: {:.5g} {} at first, {:.5g} {} now\n",
      sweep.path.stem().string(), counted(found.evaluations, "evaluation", "evaluations"),
      counted(sweep.designer.size(), "run", "runs"),
      wanted.largest && wanted.over == io::SweepOver::kMax
          ? "least"
          : kOver[static_cast<std::size_t>(wanted.over)],
      wanted.objective, counted(sweep.designer.size(), "run", "runs"), first.results.front(),
      column.unit, best.results.front(), column.unit);
  std::string set;
  std::vector<std::vector<std::string>> table = {{"", "parameter", "first", "best"}};
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const io::SweepParameter& p = wanted.parameters[i];
    const double value = std::strtod(best.values[i].c_str(), nullptr);
    table.push_back({"", p.name,
                     fmt::format("{:.6g}", std::strtod(first.values[i].c_str(), nullptr)),
                     fmt::format("{:.6g}", value)});
    set += fmt::format(" --set {}{}={:.6g}", p.key, p.factor ? "*" : "", value);
  }
  text += in_columns(table, "llrr");
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const io::SweepParameter& p = wanted.parameters[i];
    const double value = std::strtod(best.values[i].c_str(), nullptr);
    const double edge = wanted.tolerance * (p.high - p.low);
    if (value < p.low + edge || value > p.high - edge)
      text += fmt::format("  note: {} is at a bound; the best value may lie beyond\n", p.name);
  }
  if (!found.converged)
    text +=
        fmt::format("  note: the search has not come to an end in {}; give it more 'evaluations'\n",
                    counted(wanted.evaluations, "evaluation", "evaluations"));
  return text + "  to use them:" + set + "\n";
}

std::string tuned_json(const Sweep& sweep, const Tuning& tuning,
                       const identification::Minimum& found) {
  const io::SweepRow& best = tuning.best();
  JsonWriter json;
  json.begin_object().member("plan", sweep.path.filename().string());
  json.member("objective", sweep.plan.tuning.objective);
  json.member("first", tuning.rows().front().results.front());
  json.member("best", best.results.front()).member("evaluations", found.evaluations);
  json.member("converged", found.converged).key("parameters").begin_object();
  for (std::size_t i = 0; i < best.values.size(); ++i)
    json.member(sweep.plan.tuning.parameters[i].key, std::strtod(best.values[i].c_str(), nullptr));
  return json.end_object().end_object().text();
}

// The objective, evaluation by evaluation, and over the first parameters.
Figure tuned_figure(const Sweep& sweep, const Tuning& tuning) {
  const io::SweepColumn& column = tuning.header().results.front();
  const std::string label =
      column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
  constexpr std::size_t kDrawnParameters = 3;
  const std::size_t parameters = std::min(kDrawnParameters, sweep.plan.tuning.parameters.size());
  Figure figure{fmt::format("{}: tuned over {}", sweep.path.stem().string(),
                            counted(sweep.designer.size(), "run", "runs")),
                "",
                {},
                parameters > 1 ? 2 : 1};
  Curve course{"", {}, {}, 0, LineStyle::kCircles};
  std::vector<Curve> over(parameters, Curve{"", {}, {}, 0, LineStyle::kCircles});
  for (const io::SweepRow& row : tuning.rows()) {
    course.x.push_back(static_cast<double>(row.run));
    course.y.push_back(row.results.front());
    for (std::size_t i = 0; i < parameters; ++i) {
      over[i].x.push_back(std::strtod(row.values[i].c_str(), nullptr));
      over[i].y.push_back(row.results.front());
    }
  }
  figure.panels.push_back({"search", "evaluation", label, {std::move(course)}, false, 0.0});
  for (std::size_t i = 0; i < parameters; ++i) {
    const std::string& name = sweep.plan.tuning.parameters[i].name;
    figure.panels.push_back({name, name, label, {std::move(over[i])}, false, 0.0});
  }
  return figure;
}

}  // namespace

int tune_sweep(const SweepOptions& options, const Sweep& sweep) {
  if (!sweep.plan.tuned)
    throw UserError(
        fmt::format("{}: the plan has no [tune]; add it with an 'objective' and "
                    "[[tune.parameter]] tables",
                    sweep.plan.file));
  const fs::path table = table_path(options, sweep.path, "-tuned");
  check_output_path(table, "--output");
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  if (!options.plot.empty()) check_picture_path(options.plot);
  const io::SweepTuning& wanted = sweep.plan.tuning;
  bool stopped = false;
  Tuning tuning(options, sweep, table);
  std::vector<identification::Bounds> bounds;
  for (const io::SweepParameter& p : wanted.parameters) bounds.push_back({p.low, p.high, p.start});
  const identification::Minimum found =
      identification::minimise(bounds, search_of(wanted.method), wanted.tolerance,
                               wanted.evaluations, [&](std::span<const double> at, double& value) {
                                 stopped = !tuning.evaluate(at, value);
                                 return !stopped;
                               });
  if (stopped) {
    complain(fmt::format(
        "stopped after {}; the same command goes on with them",
        counted(static_cast<long long>(tuning.rows().size()), "evaluation", "evaluations")));
    return kInterruptedRun;
  }
  io::write_sweep_table(table, tuning.header(), tuning.rows());
  io::write_sweep_csv(csv_path(table), tuning.header(), tuning.rows());
  say(tuned_text(sweep, tuning, found));
  if (!options.summary.empty()) io::write_file(options.summary, tuned_json(sweep, tuning, found));
  if (!options.plot.empty()) draw(tuned_figure(sweep, tuning), options.plot);
  return kSuccess;
}

}  // namespace knuckleboom::app
