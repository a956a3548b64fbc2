// Outcome of a sweep: statistics, sensitivities, pictures.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "app/commands/sweep.hpp"
#include "app/shell/json.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/sensitivity.hpp"

namespace knuckleboom::app {
namespace {

using analysis::Distribution;
using io::SweepDesign;

constexpr std::size_t kShownFailures = 3;
constexpr std::size_t kDrawnResults = 4, kDrawnBars = 8, kDrawnScatters = 2;
constexpr std::size_t kFewForQuantiles = 20;

// A sweep by columns.
struct Columns {
  std::vector<std::vector<double>> rows;     // shares of the variables, run by run
  std::vector<std::vector<double>> shares;   // by variable
  std::vector<std::vector<double>> values;   // likewise; of texts their number in the list
  std::vector<std::vector<double>> results;  // by result
};

Columns columns_of_sweep(const io::SweepPlan& plan, const io::SweepHeader& header,
                         const std::vector<io::SweepRow>& rows) {
  const analysis::SweepDesigner designer(plan);
  Columns out;
  out.shares.resize(header.variables.size());
  out.values.resize(header.variables.size());
  out.results.resize(header.results.size());
  for (const io::SweepRow& row : rows) {
    out.rows.push_back(designer.shares(row.run));
    for (std::size_t i = 0; i < out.shares.size(); ++i) {
      out.shares[i].push_back(out.rows.back()[i]);
      const std::vector<std::string>& list = plan.variables[i].values;
      const auto place = std::find(list.begin(), list.end(), row.values[i]) - list.begin();
      out.values[i].push_back(header.variables[i].numbers
                                  ? std::strtod(row.values[i].c_str(), nullptr)
                                  : static_cast<double>(place));
    }
    for (std::size_t i = 0; i < out.results.size(); ++i) out.results[i].push_back(row.results[i]);
  }
  return out;
}

// How far each variable moves a result, to sort by.
std::vector<double> influence(const io::SweepPlan& plan, const Columns& c, std::size_t result) {
  std::vector<double> out;
  const std::vector<double>& y = c.results[result];
  if (plan.design == SweepDesign::kSobol) {
    for (const analysis::SobolIndex& index :
         analysis::sobol_indices(y, c.shares.size(), plan.seed).of)
      out.push_back(index.total);
  } else if (plan.design == SweepDesign::kMorris) {
    for (const analysis::ElementaryEffects& e : analysis::elementary_effects(c.rows, y))
      out.push_back(e.mean_size);
  } else {
    for (const std::vector<double>& shares : c.shares) {
      const analysis::Swing swing = analysis::swing(shares, y);
      out.push_back(std::fabs(swing.high - swing.low));
    }
  }
  return out;
}

std::vector<std::size_t> by_influence(const io::SweepPlan& plan, const Columns& c,
                                      std::size_t result) {
  const std::vector<double> of = influence(plan, c, result);
  const auto size = [&](std::size_t i) { return std::isfinite(of[i]) ? of[i] : -1.0; };
  std::vector<std::size_t> order(of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return order;
}

std::string sweep_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

std::string statistics_text(const io::SweepHeader& header, const Columns& c) {
  const bool quantiles = c.rows.size() >= kFewForQuantiles;
  std::vector<std::vector<std::string>> table = {{"", "result", "mean", "sd", "least",
                                                  quantiles ? "5 %" : "", "median",
                                                  quantiles ? "95 %" : "", "largest", "unit"}};
  for (std::size_t i = 0; i < c.results.size(); ++i) {
    const Distribution d = analysis::distribution(c.results[i]);
    table.push_back({"", header.results[i].name, sweep_number(d.mean), sweep_number(d.sd),
                     sweep_number(d.min), quantiles ? sweep_number(d.low) : "",
                     sweep_number(d.median), quantiles ? sweep_number(d.high) : "",
                     sweep_number(d.max), header.results[i].unit});
  }
  return in_columns(table, "llrrrrrrrl");
}

std::string sobol_text(const io::SweepPlan& plan, const io::SweepHeader& header, const Columns& c,
                       std::size_t result) {
  const analysis::SobolIndices all =
      analysis::sobol_indices(c.results[result], c.shares.size(), plan.seed);
  std::vector<std::vector<std::string>> table = {
      {"", "variable", "alone", "95 %", "with others", "95 %"}};
  const auto between = [](double low, double high) {
    return fmt::format("{:.3f} to {:.3f}", low, high);
  };
  for (const std::size_t i : by_influence(plan, c, result)) {
    const analysis::SobolIndex& s = all.of[i];
    table.push_back({"", header.variables[i].name, fmt::format("{:.3f}", s.first),
                     between(s.first_low, s.first_high), fmt::format("{:.3f}", s.total),
                     between(s.total_low, s.total_high)});
  }
  return fmt::format("shares of the variance of {}\n", header.results[result].name) +
         in_columns(table, "llrrrr");
}

std::string morris_text(const io::SweepPlan& plan, const io::SweepHeader& header, const Columns& c,
                        std::size_t result) {
  const std::vector<analysis::ElementaryEffects> all =
      analysis::elementary_effects(c.rows, c.results[result]);
  std::vector<std::vector<std::string>> table = {
      {"", "variable", "mean of sizes", "mean", "sd", "count"}};
  for (const std::size_t i : by_influence(plan, c, result))
    table.push_back({"", header.variables[i].name, sweep_number(all[i].mean_size),
                     sweep_number(all[i].mean), sweep_number(all[i].sd),
                     fmt::format("{}", all[i].count)});
  return fmt::format("elementary effects on {}, over the whole range of a variable\n",
                     header.results[result].name) +
         in_columns(table, "llrrrr");
}

std::string dependence_text(const io::SweepPlan& plan, const io::SweepHeader& header,
                            const Columns& c, std::size_t result) {
  std::vector<std::vector<std::string>> table = {
      {"", "variable", "mean where low", "mean where high", "rank correlation"}};
  const std::vector<double>& y = c.results[result];
  for (const std::size_t i : by_influence(plan, c, result)) {
    const analysis::Swing s = analysis::swing(c.shares[i], y);
    table.push_back({"", header.variables[i].name, sweep_number(s.low), sweep_number(s.high),
                     header.variables[i].numbers
                         ? sweep_number(analysis::rank_correlation(c.shares[i], y))
                         : "-"});
  }
  return fmt::format("{}, over the lowest and the highest fifth of each variable\n",
                     header.results[result].name) +
         in_columns(table, "llrrr");
}

// Sentences of runs without results, the most frequent first.
std::vector<std::pair<std::string, int>> failures_of(const std::vector<io::SweepRow>& rows) {
  std::map<std::string, int> counts;
  for (const io::SweepRow& row : rows)
    if (!row.failure.empty()) ++counts[row.failure];
  std::vector<std::pair<std::string, int>> out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

// --- Pictures -----------------------------------------------------------------

// Numbers with an SI prefix where they are large or small, so that axes stay readable.
struct Scaled {
  double factor = 1.0;
  std::string label;
};
Scaled scaled(const std::string& name, const io::SweepColumn& column,
              const std::vector<double>& values) {
  double largest = 0.0;
  for (const double y : values)
    if (std::isfinite(y)) largest = std::max(largest, std::fabs(y));
  constexpr std::pair<double, const char*> kPrefixesOfAxes[] = {
      {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-3, "m"}};
  for (const auto& [size, prefix] : kPrefixesOfAxes)
    if (!column.unit.empty() && column.unit != "s" && largest >= size)
      return {1.0 / size, fmt::format("{} [{}{}]", name, prefix, column.unit)};
  return {1.0, column.unit.empty() ? name : fmt::format("{} [{}]", name, column.unit)};
}

// Bars from the mean where a variable is low to that where it is high, the longest on top.
Panel tornado(const io::SweepPlan& plan, const io::SweepHeader& header, const Columns& c,
              std::size_t result) {
  const io::SweepColumn& column = header.results[result];
  const Scaled axis = scaled("mean", column, c.results[result]);
  Panel panel{column.name, axis.label, "", {}, false, 0.0};
  const std::vector<std::size_t> order = by_influence(plan, c, result);
  const std::size_t bars = std::min(order.size(), kDrawnBars);
  for (std::size_t k = 0; k < bars; ++k) {
    const analysis::Swing s = analysis::swing(c.shares[order[k]], c.results[result]);
    const auto y = static_cast<double>(bars - k);
    const double low = axis.factor * s.low, high = axis.factor * s.high;
    panel.curves.push_back({"", {low, high}, {y, y}, 0, LineStyle::kBar});
    panel.curves.push_back({k == 0 ? "where it is high" : "", {high}, {y}, 1, LineStyle::kCircles});
  }
  for (std::size_t k = bars; k > 0; --k) panel.rows.push_back(header.variables[order[k - 1]].name);
  return panel;
}

Panel scatter(const io::SweepPlan& plan, const io::SweepHeader& header, const Columns& c,
              std::size_t result, std::size_t variable) {
  const io::SweepColumn& y = header.results[result];
  const Scaled axis = scaled(y.name, y, c.results[result]);
  Panel panel{fmt::format("{} over {}", y.name, header.variables[variable].name),
              header.variables[variable].name,
              axis.label,
              {},
              false,
              0.0};
  if (!header.variables[variable].numbers) {
    panel.x_label += ": ";
    const std::vector<std::string>& list = plan.variables[variable].values;
    for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 4); ++i)
      panel.x_label += fmt::format("{}{} {}", i > 0 ? ", " : "", i, list[i]);
  }
  std::vector<double> results = c.results[result];
  for (double& one : results) one *= axis.factor;
  panel.curves.push_back({"", c.values[variable], std::move(results), 0, LineStyle::kCircles});
  return panel;
}

}  // namespace

std::string sweep_text(const io::SweepPlan& plan, const io::SweepHeader& header,
                       const std::vector<io::SweepRow>& rows) {
  const Columns c = columns_of_sweep(plan, header, rows);
  const std::vector<std::pair<std::string, int>> failures = failures_of(rows);
  long long failed = 0;
  for (const auto& [sentence, count] : failures) failed += count;
  std::string text =
      fmt::format("{}: {} of {}, {}\n", std::filesystem::path(header.plan).stem().string(),
                  counted(static_cast<long long>(rows.size()), "run", "runs"),
                  plan.scenario.empty() ? plan.exercise : plan.scenario, io::word_of(plan.design));
  text += statistics_text(header, c);
  for (std::size_t i = 0; i < c.results.size(); ++i)
    text += plan.design == SweepDesign::kSobol    ? sobol_text(plan, header, c, i)
            : plan.design == SweepDesign::kMorris ? morris_text(plan, header, c, i)
                                                  : dependence_text(plan, header, c, i);
  if (failed > 0)
    text += fmt::format("{} without results\n", counted(failed, "run is", "runs are"));
  for (std::size_t i = 0; i < std::min(failures.size(), kShownFailures); ++i)
    text += fmt::format("  {}: {}\n", counted(failures[i].second, "run", "runs"),
                        one_line(failures[i].first));
  if (failures.size() > kShownFailures)
    text += fmt::format("  the table has {} more reasons\n", failures.size() - kShownFailures);
  return text;
}

std::string sweep_json(const io::SweepPlan& plan, const io::SweepHeader& header,
                       const std::vector<io::SweepRow>& rows) {
  const Columns c = columns_of_sweep(plan, header, rows);
  JsonWriter json;
  json.begin_object().member("plan", header.plan).member("plan_hash", header.plan_hash);
  json.member("program", header.program).member("design", io::word_of(plan.design));
  json.member("runs", static_cast<std::int64_t>(rows.size()));
  json.member("failed", static_cast<std::int64_t>(std::count_if(
                            rows.begin(), rows.end(),
                            [](const io::SweepRow& row) { return !row.failure.empty(); })));
  json.key("results").begin_object();
  for (std::size_t r = 0; r < c.results.size(); ++r) {
    const std::vector<double>& y = c.results[r];
    const Distribution d = analysis::distribution(y);
    json.key(header.results[r].name).begin_object();
    json.member("unit", header.results[r].unit).member("mean", d.mean).member("sd", d.sd);
    json.member("min", d.min).member("p5", d.low).member("median", d.median);
    json.member("p95", d.high).member("max", d.max);
    json.key("variables").begin_object();
    analysis::SobolIndices sobol;
    std::vector<analysis::ElementaryEffects> morris;
    if (plan.design == SweepDesign::kSobol)
      sobol = analysis::sobol_indices(y, c.shares.size(), plan.seed);
    if (plan.design == SweepDesign::kMorris) morris = analysis::elementary_effects(c.rows, y);
    for (std::size_t i = 0; i < c.shares.size(); ++i) {
      const analysis::Swing s = analysis::swing(c.shares[i], y);
      json.key(header.variables[i].name).begin_object();
      json.member("mean_low", s.low).member("mean_high", s.high);
      json.member("rank_correlation", analysis::rank_correlation(c.shares[i], y));
      if (!morris.empty())
        json.member("mean_size", morris[i].mean_size)
            .member("mean", morris[i].mean)
            .member("sd", morris[i].sd);
      if (!sobol.of.empty()) {
        const analysis::SobolIndex& index = sobol.of[i];
        json.member("first", index.first).member("first_low", index.first_low);
        json.member("first_high", index.first_high).member("total", index.total);
        json.member("total_low", index.total_low).member("total_high", index.total_high);
      }
      json.end_object();
    }
    json.end_object().end_object();
  }
  return json.end_object().end_object().text();
}

Figure sweep_figure(const io::SweepPlan& plan, const io::SweepHeader& header,
                    const std::vector<io::SweepRow>& rows) {
  const Columns c = columns_of_sweep(plan, header, rows);
  const std::size_t scatters = std::min(kDrawnScatters, c.shares.size());
  Figure figure{fmt::format("{}: {}, {}", std::filesystem::path(header.plan).stem().string(),
                            counted(static_cast<long long>(rows.size()), "run", "runs"),
                            io::word_of(plan.design)),
                "bars: mean over the lowest and the highest fifth of a variable",
                {},
                static_cast<int>(scatters) + 1};
  for (std::size_t r = 0; r < std::min(c.results.size(), kDrawnResults); ++r) {
    figure.panels.push_back(tornado(plan, header, c, r));
    const std::vector<std::size_t> order = by_influence(plan, c, r);
    for (std::size_t k = 0; k < scatters; ++k)
      figure.panels.push_back(scatter(plan, header, c, r, order[k]));
  }
  return figure;
}

}  // namespace knuckleboom::app
