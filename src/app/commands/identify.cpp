#include "app/commands/identify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "app/commands/identify_case.hpp"
#include "app/commands/options.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/processors.hpp"
#include "app/shell/text.hpp"
#include "identification/fit.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kStrong = 0.95;  // correlation that is worth a sentence
constexpr double kConfidence = 1.96;
constexpr double kWorse = 1.1;   // than before, where held out
constexpr double kApart = 0.02;  // of a range: another end of the search
constexpr std::size_t kShown = 4;

// Root mean square of a channel against its log.
double rms(const FitLog& log, const std::vector<std::vector<double>>& computed, std::size_t channel,
           bool held_out) {
  const std::vector<double>&t = log.trace.data.front(), &measured = log.measured(channel);
  double sum = 0.0;
  std::size_t n = 0;
  for (std::size_t row = 0; row < t.size(); ++row) {
    const double y = measured[row];
    if (!std::isfinite(y) || !(held_out ? log.is_held_out(t[row]) : log.is_fitted(t[row])))
      continue;
    const double d = computed[channel][row] - y;
    sum += d * d;
    ++n;
  }
  return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : std::numeric_limits<double>::quiet_NaN();
}

// --- What came of it ----------------------------------------------------------

std::vector<std::string> warnings(const FitCase& c, const identification::Fit& fit) {
  std::vector<std::string> out;
  if (!fit.converged) out.push_back("the search has not come to an end: " + fit.message);
  const auto name = [&](std::size_t i) { return c.wanted[i].parameter.name; };
  for (std::size_t i = 0; i < c.asked; ++i)
    if (fit.estimates[i].at_bound)
      out.push_back(
          fmt::format("{} is at a bound; the best value may lie beyond, or the model "
                      "lacks something",
                      name(i)));
  for (const identification::Open& open : fit.open) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < c.asked; ++i)
      if (std::fabs(open.direction[i]) > 0.3)
        parts.push_back(fmt::format("{} {}", name(i), open.direction[i] > 0.0 ? "up" : "down"));
    if (parts.size() > 1)
      out.push_back(
          fmt::format("the log does not tell {} from one another: with these together it stays the "
                      "same over {:.0f} % "
                      "of the range between the bounds",
                      listing(parts), 100.0 * std::min(open.sd, 1.0)));
    else if (!parts.empty())
      out.push_back(
          fmt::format("the log does not determine {}: it may be anywhere between its bounds",
                      parts.front().substr(0, parts.front().find(' '))));
  }
  for (std::size_t i = 0; i < c.asked; ++i)
    if (kConfidence * fit.estimates[i].sd > std::fabs(fit.estimates[i].value) &&
        c.wanted[i].place == Place::kMachine)
      out.push_back(
          fmt::format("{} is less than its own uncertainty: the log knows its order of magnitude "
                      "at most",
                      name(i)));
  for (std::size_t i = 0; i < c.asked; ++i)
    for (std::size_t j = i + 1; j < c.asked; ++j) {
      const double r = fit.correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (std::fabs(r) > kStrong)
        out.push_back(fmt::format("{} and {} can hardly be told apart (correlation {:.3f})",
                                  name(i), name(j), r));
    }
  return out;
}

struct Runs {
  std::vector<std::vector<std::vector<double>>> before, after;  // by log, channel and row
  std::vector<std::string> warnings;                            // of the runs with what was found
};

// Ends of searches from several starts, the best one first, and how many ended there.
struct Hollow {
  identification::Fit fit;
  int searches = 1;
};

bool same_end(const FitCase& c, const identification::Fit& a, const identification::Fit& b) {
  for (std::size_t i = 0; i < c.asked; ++i) {
    const identification::Parameter& p = c.wanted[i].parameter;
    if (std::fabs(a.estimates[i].value - b.estimates[i].value) > kApart * (p.high - p.low))
      return false;
  }
  return true;
}

std::vector<Hollow> search(const FitCase& c,
                           const std::vector<identification::Parameter>& parameters,
                           identification::Options how, int starts) {
  FitResiduals residuals(c);
  std::vector<identification::Fit> fits;
  int evaluations = 0;
  for (int n = 0; n < starts && (n == 0 || !interrupted()); ++n) {
    how.begin = identification::spread_start(parameters, static_cast<std::size_t>(n));
    fits.push_back(identification::fit(
        parameters,
        [&](std::span<const double> at, std::vector<double>& r) { return residuals(at, r); }, how));
    evaluations += fits.back().evaluations;
    if (fits.back().usable) continue;
    // The user's own start must be a machine; one between the bounds need not.
    if (n == 0) return {{std::move(fits.front()), 1}};
    fits.pop_back();
  }
  std::stable_sort(fits.begin(), fits.end(),
                   [](const auto& a, const auto& b) { return a.cost_after < b.cost_after; });
  std::vector<Hollow> out;
  for (identification::Fit& found : fits) {
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&](const Hollow& one) { return same_end(c, one.fit, found); });
    if (known != out.end())
      ++known->searches;
    else
      out.push_back({std::move(found), 1});
  }
  out.front().fit.evaluations = evaluations;
  return out;
}

// Root mean square over the spread of all residuals.
double misfit(const FitCase& c, const identification::Fit& fit) {
  double count = 0.0;
  for (const std::size_t length : fit_blocks(c)) count += static_cast<double>(length);
  return std::sqrt(2.0 * fit.cost_after / std::max(count, 1.0));
}

// The hollows beside the best one: how much worse, and which parameters tell them apart.
std::string hollow_table(const FitCase& c, const std::vector<Hollow>& hollows, int starts) {
  std::string text =
      fmt::format("\n  {} from {} starts\n",
                  counted(static_cast<long long>(hollows.size()), "end", "ends"), starts);
  for (std::size_t h = 0; h < hollows.size() && h < kShown; ++h) {
    const Hollow& hollow = hollows[h];
    text += fmt::format("  {}: misfit {:.4g}, {}", h + 1, misfit(c, hollow.fit),
                        counted(hollow.searches, "search", "searches"));
    std::string apart;
    for (std::size_t i = 0; h > 0 && i < c.asked; ++i) {
      const identification::Parameter& p = c.wanted[i].parameter;
      const double there = hollow.fit.estimates[i].value,
                   best = hollows.front().fit.estimates[i].value;
      if (std::fabs(there - best) > kApart * (p.high - p.low))
        apart += fmt::format("{} {} {:.4g} instead of {:.4g}", apart.empty() ? ";" : ",", p.name,
                             there, best);
    }
    text += apart + "\n";
  }
  return text;
}

std::string parameter_table(const FitCase& c, const identification::Fit& fit, std::size_t width) {
  std::string text =
      fmt::format("  {:<{}}{:>14}{:>14}{:>14}\n", "parameter", width, "start", "found", "+- 95 %");
  for (std::size_t i = 0; i < c.asked; ++i)
    text += fmt::format("  {:<{}}{:>14.5g}{:>14.5g}{:>14.2g}\n", c.wanted[i].parameter.name, width,
                        c.wanted[i].parameter.start, fit.estimates[i].value,
                        kConfidence * fit.estimates[i].sd);
  return text;
}

std::string rms_table(const FitLog& log, const std::vector<std::vector<double>>& before,
                      const std::vector<std::vector<double>>& after) {
  const bool held = !log.held_out.empty();
  std::string text = fmt::format("\n  {:<22}{:>12}{:>12}", "root mean square", "before", "after");
  text += held ? fmt::format("{:>14}{:>12}\n", "held out", "after") : "\n";
  for (std::size_t k = 0; k < log.setup.channels.size(); ++k) {
    const auto of = [&](const auto& computed, bool held_out) {
      const double value = rms(log, computed, k, held_out);
      return std::isfinite(value) ? with_prefix(value, log.units[k]) : std::string("-");
    };
    text += fmt::format("  {:<22}{:>12}{:>12}", log.setup.channels[k], of(before, false),
                        of(after, false));
    if (held) text += fmt::format("{:>14}{:>12}", of(before, true), of(after, true));
    text += "\n";
  }
  return text;
}

std::string correlation_table(const FitCase& c, const identification::Fit& fit, std::size_t width) {
  std::string text = "\n  correlation\n";
  for (std::size_t i = 0; i < c.asked; ++i) {
    text += fmt::format("  {:<{}}", c.wanted[i].parameter.name, width);
    for (std::size_t j = 0; j <= i; ++j)
      text += fmt::format(
          "{:>7.2f}", fit.correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    text += "\n";
  }
  return text;
}

// Channels that are further from a log than before where it was held out.
std::vector<std::string> worse(const FitCase& c, const Runs& runs) {
  std::vector<std::string> out;
  for (std::size_t l = 0; l < c.logs.size(); ++l)
    for (std::size_t k = 0; k < c.logs[l].setup.channels.size(); ++k)
      if (rms(c.logs[l], runs.after[l], k, true) > kWorse * rms(c.logs[l], runs.before[l], k, true))
        out.push_back(fmt::format("where {} held out, {} is further from the log than before",
                                  c.logs.size() > 1 ? fmt::format("log {} was", l + 1) : "it was",
                                  c.logs[l].setup.channels[k]));
  return out;
}

std::string report(const FitCase& c, const std::vector<Hollow>& hollows, int starts,
                   const Runs& runs, double wall_s) {
  const identification::Fit& fit = hollows.front().fit;
  std::size_t channels = 0;
  for (const FitLog& log : c.logs) channels += log.setup.channels.size();
  std::string text =
      fmt::format("{}: {} from {}{}, {} in {:.1f} s\n", c.name,
                  counted(static_cast<long long>(c.asked), "parameter", "parameters"),
                  counted(static_cast<long long>(channels), "channel", "channels"),
                  c.logs.size() > 1 ? fmt::format(" of {} logs", c.logs.size()) : "",
                  counted(fit.evaluations, "run", "runs"), wall_s);
  std::size_t width = 10;
  for (std::size_t i = 0; i < c.asked; ++i)
    width = std::max(width, c.wanted[i].parameter.name.size());
  text += parameter_table(c, fit, width);
  if (starts > 1) text += hollow_table(c, hollows, starts);
  for (std::size_t l = 0; l < c.logs.size(); ++l) {
    if (c.logs.size() > 1)
      text += fmt::format(
          "\n  log {}: {}{}\n", l + 1, c.logs[l].file.string(),
          c.logs[l].weight != 1.0 ? fmt::format(", weight {:g}", c.logs[l].weight) : std::string());
    text += rms_table(c.logs[l], runs.before[l], runs.after[l]);
  }
  if (c.asked > 1) text += correlation_table(c, fit, width);
  for (const std::string& warning : warnings(c, fit)) text += "  note: " + warning + "\n";
  for (const std::string& warning : runs.warnings) text += "  note: " + warning + "\n";
  for (const std::string& warning : worse(c, runs)) text += "  note: " + warning + "\n";
  std::string set, of_log;
  for (std::size_t i = 0; i < c.asked; ++i) {
    const std::string& name = c.wanted[i].parameter.name;
    if (c.wanted[i].place == Place::kMachine)
      set += fmt::format(" --set {}={:.6g}", name, fit.estimates[i].value);
    else
      of_log +=
          fmt::format("{} {} {:.6g}", of_log.empty() ? "" : ",", name, fit.estimates[i].value);
  }
  if (!set.empty()) text += "\n  to use them:" + set + "\n";
  if (!of_log.empty())
    text += "  and in the bundle's or map's columns (delay_s, offset, scale):" + of_log + "\n";
  return text;
}

std::string to_json(const FitCase& c, const std::vector<Hollow>& hollows, const Runs& runs) {
  const identification::Fit& fit = hollows.front().fit;
  JsonWriter json;
  json.begin_object().member("machine", c.machine.string());
  json.member("converged", fit.converged).member("runs", fit.evaluations);
  json.key("parameters").begin_object();
  for (std::size_t i = 0; i < c.asked; ++i) {
    json.key(c.wanted[i].parameter.name).begin_object();
    json.member("start", c.wanted[i].parameter.start).member("value", fit.estimates[i].value);
    json.member("sd", fit.estimates[i].sd).member("at_bound", fit.estimates[i].at_bound);
    json.end_object();
  }
  json.end_object().key("ends").begin_array();
  for (const Hollow& hollow : hollows) {
    json.begin_object().member("misfit", misfit(c, hollow.fit)).member("searches", hollow.searches);
    for (std::size_t i = 0; i < c.asked; ++i)
      json.member(c.wanted[i].parameter.name, hollow.fit.estimates[i].value);
    json.end_object();
  }
  json.end_array().key("logs").begin_array();
  for (std::size_t l = 0; l < c.logs.size(); ++l) {
    const FitLog& log = c.logs[l];
    json.begin_object().member("file", log.file.string()).member("weight", log.weight);
    json.key("rms").begin_object();
    for (std::size_t k = 0; k < log.setup.channels.size(); ++k) {
      json.key(log.setup.channels[k]).begin_object();
      json.member("before", rms(log, runs.before[l], k, false))
          .member("after", rms(log, runs.after[l], k, false));
      json.member("held_out_before", rms(log, runs.before[l], k, true));
      json.member("held_out_after", rms(log, runs.after[l], k, true));
      json.end_object();
    }
    json.end_object().end_object();
  }
  json.end_array().key("correlation").begin_array();
  const auto n = static_cast<Eigen::Index>(c.asked);
  for (Eigen::Index i = 0; i < n; ++i) {
    json.begin_array();
    for (Eigen::Index j = 0; j < n; ++j) json.value(fit.correlation(i, j));
    json.end_array();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& warning : warnings(c, fit)) json.value(warning);
  for (const std::string& warning : runs.warnings) json.value(warning);
  return json.end_array().end_object().text();
}

// Two panels of a channel: both curves, and what is left.
void add_panels(const FitLog& log, const std::string& title, std::size_t k,
                const std::vector<std::vector<double>>& before,
                const std::vector<std::vector<double>>& after, Figure& figure) {
  const std::vector<double>& t = log.trace.data.front();
  const std::string unit = fmt::format("[{}]", log.units[k].empty() ? "1" : log.units[k]);
  Panel panel{title, "time [s]", unit, {}, false, 0.0};
  panel.curves.push_back({"measured", t, log.measured(k), 7, LineStyle::kThick});
  panel.curves.push_back({"before", t, before[k], 0, LineStyle::kDashed});
  panel.curves.push_back({"after", t, after[k], 1, LineStyle::kThin});
  figure.panels.push_back(std::move(panel));
  Panel left{title + ": what is left", "time [s]", unit, {}, false, 0.0};
  std::vector<double> residual(t.size());
  for (std::size_t row = 0; row < t.size(); ++row)
    residual[row] = after[k][row] - log.measured(k)[row];
  left.curves.push_back({"computed - measured", t, residual, 1, LineStyle::kSolid});
  figure.panels.push_back(std::move(left));
}

Figure picture(const FitCase& c, const Runs& runs) {
  std::string note, names;
  for (const FitLog& log : c.logs) {
    for (const Span& span : log.held_out)
      note += std::isfinite(span.from) && span.from > -1e299
                  ? fmt::format("{:g} to {:g} s held out; ", span.from, span.to)
                  : fmt::format("{} held out; ", log.file.filename().string());
    names += (names.empty() ? "" : ", ") + log.file.filename().string();
  }
  Figure figure{"Measured and computed, before and after identification",
                note + (c.logs.size() > 1 ? "logs: " : "log: ") + names,
                {},
                2};
  for (std::size_t l = 0; l < c.logs.size(); ++l)
    for (std::size_t k = 0; k < c.logs[l].setup.channels.size(); ++k) {
      const std::string& channel = c.logs[l].setup.channels[k];
      add_panels(c.logs[l], c.logs.size() > 1 ? fmt::format("log {}: {}", l + 1, channel) : channel,
                 k, runs.before[l], runs.after[l], figure);
    }
  return figure;
}

}  // namespace

int identify(const IdentifyOptions& options) {
  const InterruptGuard guard;
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  std::vector<std::string> inputs = options.logs;
  inputs.insert(inputs.end(), options.maps.begin(), options.maps.end());
  inputs.insert(inputs.end(), {options.machine, options.dbc});
  check_distinct({{"--plot", options.plot}, {"--summary", options.summary}}, inputs);
  const FitCase c = fit_case(options);
  std::vector<identification::Parameter> parameters;
  std::vector<double> values;
  for (const Wanted& wanted : c.wanted) {
    parameters.push_back(wanted.parameter);
    values.push_back(wanted.parameter.start);
  }
  Runs runs;
  for (std::size_t l = 0; l < c.logs.size(); ++l) {
    runs.before.push_back(run_beside(c, l, values));
    if (runs.before.back().empty())
      throw UserError(
          "with the parameters at their start the run leaves the real numbers; start elsewhere");
  }

  const auto start = std::chrono::steady_clock::now();
  identification::Options how;
  how.blocks = fit_blocks(c);
  how.max_iterations = options.iterations;
  how.threads = processors();
  how.progress = [](int, double) { return !interrupted(); };
  const std::vector<Hollow> hollows = search(c, parameters, how, options.starts);
  const identification::Fit& fit = hollows.front().fit;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!fit.usable) throw UserError(fit.message);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = fit.estimates[i].value;
  for (std::size_t l = 0; l < c.logs.size(); ++l) {
    std::vector<std::string> found;
    runs.after.push_back(run_beside(c, l, values, analysis::kAllRows, &found));
    for (std::string& warning : found)
      runs.warnings.push_back(c.logs.size() > 1 ? fmt::format("log {}: {}", l + 1, warning)
                                                : std::move(warning));
  }
  say(report(c, hollows, options.starts, runs, wall.count()));
  if (!options.summary.empty()) io::write_file(options.summary, to_json(c, hollows, runs));
  if (!options.plot.empty()) {
    draw(picture(c, runs), options.plot);
    say(fmt::format("  plot: {}\n", options.plot));
  }
  return interrupted() ? kInterruptedRun : kSuccess;
}

Command identify_command() {
  const auto o = std::make_shared<IdentifyOptions>();
  return {
      .name = "identify",
      .sentence = "Estimate parameters of a machine from a measured log, with their intervals",
      .arguments =
          {machine_argument(o->machine),
           {.name = "logs",
            .target = &o->logs,
            .kind = file_value("LOG"),
            .sentence =
                "Table (text, MATLAB, HDF5, CAN) with --map, or the folder of a bundle with "
                "[[drive]]; several share the parameters, each with a start of its own",
            .required = true},
           {.name = "--map",
            .target = &o->maps,
            .kind = file_value("FILE", ".toml"),
            .sentence = "Log map: meaning and unit of each column; one for all logs, or one for "
                        "each in their order"},
           dbc_option(o->dbc),
           {.name = "--fit",
            .target = &o->fits,
            .kind = {"KEY=START,LOW,HIGH[,SD]"},
            .sentence =
                "Parameter: its key as for --set, start, bounds and, if known before, spread; "
                "of the logs themselves log.delay_s.JOINT, log.offset.COLUMN, log.scale.COLUMN, "
                "log.start.COLUMN, log.speed.JOINT (it begins in motion), and of its logger "
                "log.lag_s.COLUMN, log.dead_time_s.COLUMN, log.hold_s.COLUMN, "
                "log.dead_band.COLUMN; "
                "of the second alone log2.offset.COLUMN",
            .required = true},
           {.name = "--range",
            .target = &o->from_to,
            .kind = {"[N:]A-B"},
            .sentence = "Part of the logs, or of log N, that is fitted [s]",
            .without = "all that is not held out"},
           {.name = "--hold-out",
            .target = &o->hold_out,
            .kind = {"[N:]A-B"},
            .sentence = "Part that is only evaluated, not fitted [s]; of several logs N alone: all "
                        "of log N"},
           {.name = "--weight",
            .target = &o->weights,
            .kind = {"N:NUMBER"},
            .sentence = "Weight of the squares of log N",
            .without = "1"},
           {.name = "--channel",
            .target = &o->channels,
            .kind = {"NAME"},
            .sentence = "Channel to compare",
            .without = "all channels of the map"},
           {.name = "--spread",
            .target = &o->spreads,
            .kind = {"CHANNEL=NUMBER"},
            .sentence = "Standard deviation of a channel's error in SI, its weight",
            .without = "the bundle's rms, else the channel's own standard deviation"},
           set_option(o->assignments, "the machine"),
           unset_option(o->assignments),
           {.name = "--fidelity",
            .target = &o->fidelity,
            .kind = real_time_fidelity_value(),
            .sentence = "Model of the hydraulics",
            .without = "full"},
           {.name = "--rest",
            .target = &o->rest_s,
            .kind = {"S"},
            .sentence = "Time at the beginning of the log during which the machine is at rest [s]",
            .without = "0.5",
            .range = Range{0.0, 1e6}},
           {.name = "--iterations",
            .target = &o->iterations,
            .kind = {"N"},
            .sentence = "Largest number of iterations",
            .without = "40",
            .range = Range{1, 10000}},
           {.name = "--starts",
            .target = &o->starts,
            .kind = {"N"},
            .sentence = "Searches, each from other values between the bounds: where there are "
                        "several hollows, the best ones are shown with what tells them apart",
            .without = "1",
            .range = Range{1, 1000}},
           plot_option(o->plot, "Plot measured and computed curves overlaid"),
           summary_option(o->summary, "Write the result as JSON")},
      .examples = {"knuckleboom identify my_crane log.csv --map map.toml \\\n"
                   "    --fit oil.bulk_modulus_MPa=900,300,1700 --hold-out 12-27 --plot fit.svg",
                   "knuckleboom identify my_crane my_bundle --fit log.delay_s.lift=0.1,0,0.5",
                   "knuckleboom identify my_crane monday.csv tuesday.csv --map map.toml \\\n"
                   "    --fit oil.bulk_modulus_MPa=900,300,1700 --hold-out 2"},
      .run = [o] { return identify(*o); }};
}

}  // namespace knuckleboom::app
