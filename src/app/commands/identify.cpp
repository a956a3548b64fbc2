#include "app/commands/identify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "identification/fit.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/free_run.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr double kStrong = 0.95;  // correlation that is worth a sentence
constexpr double kConfidence = 1.96;
constexpr double kWorse = 1.1;  // than before, where held out

// --- What is asked ------------------------------------------------------------

struct Span {
  double from, to;
  bool has(double t) const { return t >= from && t <= to; }
};

Span parse_span(const std::string& text, const char* option) {
  const std::size_t dash = text.find('-', 1);
  if (dash == std::string::npos)
    throw UserError(
        fmt::format("{} {}: give two times of the log, such as 12-27", option, printable(text)));
  const Span span{parse_number(text.substr(0, dash), option),
                  parse_number(text.substr(dash + 1), option)};
  if (!(span.from < span.to))
    throw UserError(fmt::format("{} {}: the first time must lie before the second", option, text));
  return span;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// Kind of a parameter: a number of the machine file, or a property of the log.
enum class Place { kMachine, kDelay, kOffset, kScale };

struct Wanted {
  identification::Parameter parameter;
  Place place = Place::kMachine;
  std::string target;  // joint of a delay, column of an offset or scale
};

Wanted parse_fit(const std::string& text) {
  const auto refuse = [&] {
    throw UserError(
        fmt::format("--fit {}: expected KEY=START,LOW,HIGH or KEY=START,LOW,HIGH,SD, such as "
                    "oil.bulk_modulus_MPa=900,300,1700",
                    printable(text)));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse();
  Wanted out;
  out.parameter.name = text.substr(0, equals);
  const std::vector<std::string> numbers = split(text.substr(equals + 1), ',');
  if (numbers.size() != 3 && numbers.size() != 4) refuse();
  double value[4] = {};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    value[i] = parse_number(numbers[i], "--fit " + out.parameter.name);
  out.parameter.start = value[0];
  out.parameter.low = value[1];
  out.parameter.high = value[2];
  out.parameter.prior_sd = value[3];
  if (!(value[1] < value[2]) || value[0] < value[1] || value[0] > value[2])
    throw UserError(
        fmt::format("--fit {}: the start must lie between the bounds, and the lower "
                    "bound below the upper",
                    printable(text)));
  if (numbers.size() == 4 && !(value[3] > 0.0))
    throw UserError(fmt::format("--fit {}: the spread of what is known before must be above zero",
                                printable(text)));
  const auto after = [&](std::string_view head) { return out.parameter.name.substr(head.size()); };
  for (const auto& [head, place] :
       {std::pair{"log.delay_s.", Place::kDelay}, std::pair{"log.offset.", Place::kOffset},
        std::pair{"log.scale.", Place::kScale}})
    if (out.parameter.name.starts_with(head)) {
      out.place = place;
      out.target = after(head);
    }
  if (out.place == Place::kMachine && out.parameter.name.starts_with("log."))
    throw UserError(
        fmt::format("--fit {}: of the log there are log.delay_s.JOINT, "
                    "log.offset.COLUMN and log.scale.COLUMN",
                    printable(text)));
  return out;
}

// --- The case -----------------------------------------------------------------

struct Case {
  fs::path machine;
  std::string name;  // the machine's own
  std::vector<io::Override> overrides;
  io::Trace log;
  analysis::FreeRunSetup setup;
  std::vector<Wanted> wanted;
  std::vector<double> spread;  // of each channel, SI
  std::vector<std::string> units;
  std::vector<std::pair<std::string, double>> delay_s;  // of the bundle
  Span fitted{-1e300, 1e300};
  std::vector<Span> held_out;

  bool is_fitted(double t) const {
    return fitted.has(t) && std::none_of(held_out.begin(), held_out.end(),
                                         [t](const Span& span) { return span.has(t); });
  }
  bool is_held_out(double t) const {
    return std::any_of(held_out.begin(), held_out.end(),
                       [t](const Span& span) { return span.has(t); });
  }
};

// warnings (may be null): what no real machine does.
std::vector<std::vector<double>> run(const Case& c, std::span<const double> values,
                                     std::vector<std::string>* warnings = nullptr) {
  std::vector<io::Override> overrides = c.overrides;
  analysis::FreeRunSetup setup = c.setup;
  const auto correction = [&](const std::string& column) -> analysis::Correction& {
    for (analysis::Correction& one : setup.corrections)
      if (one.column == column) return one;
    setup.corrections.push_back({column, 1.0, 0.0});
    return setup.corrections.back();
  };
  std::vector<std::pair<std::string, double>> delays;
  for (std::size_t i = 0; i < c.wanted.size(); ++i) {
    const Wanted& wanted = c.wanted[i];
    switch (wanted.place) {
      case Place::kMachine:
        overrides.push_back({wanted.parameter.name, fmt::format("{:.17g}", values[i])});
        break;
      case Place::kDelay:
        delays.emplace_back(wanted.target, values[i]);
        break;
      case Place::kOffset:
        correction(wanted.target).offset = values[i];
        break;
      case Place::kScale:
        correction(wanted.target).scale = values[i];
        break;
    }
  }
  const io::MachineFile machine = io::read_machine(c.machine, overrides);
  setup.log.delay_s = analysis::delays(machine.model, c.delay_s);
  for (const auto& [joint, delay] : delays)
    for (std::size_t k = 0; k < machine.model.actuators.size(); ++k)
      if (machine.model.joint_name(machine.model.actuators[k].link) == joint)
        setup.log.delay_s[k] = delay;
  machine::Watch watch{};
  auto out = analysis::free_run(machine.model, c.log, setup, &watch);
  if (warnings != nullptr) *warnings = watch_sentences(machine.model, watch);
  return out;
}

const std::vector<double>& measured(const Case& c, std::size_t channel) {
  return c.log.column(c.setup.channels[channel]);
}

// Residuals of the fitted rows, channel by channel.
bool residuals(const Case& c, std::span<const double> values, std::vector<double>& out) {
  std::vector<std::vector<double>> computed;
  try {
    computed = run(c, values);
  } catch (const io::FileError&) {  // bounds allow what no machine can be
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  } catch (const UserError&) {
    return false;
  }
  if (computed.empty()) return false;
  out.clear();
  const std::vector<double>& t = c.log.data.front();
  for (std::size_t k = 0; k < computed.size(); ++k)
    for (std::size_t row = 0; row < t.size(); ++row)
      if (c.is_fitted(t[row]) && std::isfinite(measured(c, k)[row]))
        out.push_back((computed[k][row] - measured(c, k)[row]) / c.spread[k]);
  return true;
}

std::vector<std::size_t> block_lengths(const Case& c) {
  std::vector<std::size_t> lengths;
  const std::vector<double>& t = c.log.data.front();
  for (std::size_t k = 0; k < c.setup.channels.size(); ++k) {
    std::size_t n = 0;
    for (std::size_t row = 0; row < t.size(); ++row)
      n += c.is_fitted(t[row]) && std::isfinite(measured(c, k)[row]) ? 1 : 0;
    lengths.push_back(n);
  }
  return lengths;
}

double rms(const Case& c, const std::vector<std::vector<double>>& computed, std::size_t channel,
           bool held_out) {
  const std::vector<double>& t = c.log.data.front();
  double sum = 0.0;
  std::size_t n = 0;
  for (std::size_t row = 0; row < t.size(); ++row) {
    const double y = measured(c, channel)[row];
    if (!std::isfinite(y) || !(held_out ? c.is_held_out(t[row]) : c.is_fitted(t[row]))) continue;
    const double d = computed[channel][row] - y;
    sum += d * d;
    ++n;
  }
  return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : std::numeric_limits<double>::quiet_NaN();
}

// --- Reading ------------------------------------------------------------------

struct Log {
  fs::path file;
  io::LogMap map;
  double rest_s;
  std::map<std::string, double> spread;  // a bundle's rms
  std::vector<std::string> assignments;
  std::vector<std::string> channels;  // empty: all that are not driving
  std::vector<std::pair<std::string, double>> start, delay_s;
};

Log find_log(const IdentifyOptions& o) {
  std::error_code ignored;
  if (!fs::is_directory(o.log, ignored)) {
    if (o.map.empty())
      throw UserError(
          fmt::format("{}: say with --map FILE which of its columns is what", printable(o.log)));
    return {o.log, io::read_log_map(o.map), o.rest_s, {}, {}, {}, {}, {}};
  }
  const char* data = std::getenv(io::kExternalData);
  const io::Bundle bundle = io::read_bundle(o.log, data != nullptr ? data : "");
  if (bundle.drive_count == 0)
    throw UserError(fmt::format("{}: this bundle is not driven by a log; it needs [[drive]] tables",
                                printable(o.log)));
  if (bundle.reference.empty() || !fs::exists(bundle.reference, ignored))
    throw UserError(fmt::format("{}: its data, {}, are not here; name their folder in {}",
                                printable(o.log), bundle.external, io::kExternalData));
  Log out{bundle.reference,   bundle.map, bundle.rest_s, {},
          bundle.assignments, {},         bundle.start,  bundle.delay_s};
  for (const io::BundleChannel& channel : bundle.channels) {
    out.channels.push_back(channel.name);
    if (channel.rms.given && channel.rms.value > 0.0) out.spread[channel.name] = channel.rms.value;
  }
  return out;
}

// Spread of a column itself: what a model that knows nothing but its mean would leave.
double own_spread(const std::vector<double>& y) {
  double mean = 0.0, square = 0.0;
  std::size_t n = 0;
  for (const double x : y)
    if (std::isfinite(x)) {
      mean += x;
      ++n;
    }
  mean /= static_cast<double>(std::max<std::size_t>(n, 1));
  for (const double x : y)
    if (std::isfinite(x)) square += (x - mean) * (x - mean);
  return std::sqrt(square / static_cast<double>(std::max<std::size_t>(n, 1)));
}

void check_targets(const Case& c, const machine::MachineModel& model) {
  for (const Wanted& wanted : c.wanted) {
    const std::string& name = wanted.parameter.name;
    if (wanted.place == Place::kDelay) {
      std::vector<std::string> joints;
      for (const machine::Actuator& a : model.actuators)
        if (c.log.find(model.joint_name(a.link) + "_valve_V") >= 0)
          joints.push_back(model.joint_name(a.link));
      if (std::find(joints.begin(), joints.end(), wanted.target) == joints.end())
        throw UserError(fmt::format("--fit {}: the log drives no joint '{}'{}", name, wanted.target,
                                    alternatives(wanted.target, joints)));
    } else if (wanted.place != Place::kMachine && c.log.find(wanted.target) < 0) {
      throw UserError(fmt::format("--fit {}: the log has no column '{}'{}", name, wanted.target,
                                  alternatives(wanted.target, c.log.columns)));
    }
  }
}

Case make_case(const IdentifyOptions& o) {
  if (o.fits.empty())
    throw UserError("nothing to identify; name parameters with --fit KEY=START,LOW,HIGH");
  Case c;
  for (const std::string& text : o.fits) {
    c.wanted.push_back(parse_fit(text));
    for (std::size_t i = 0; i + 1 < c.wanted.size(); ++i)
      if (c.wanted[i].parameter.name == c.wanted.back().parameter.name)
        throw UserError(fmt::format("--fit names {} twice", c.wanted.back().parameter.name));
  }
  c.machine = find_machine(o.machine);
  io::refuse_other_kind(c.machine.string(), io::FileKind::kMachine);
  const analysis::Method& method = analysis::find_method(o.fidelity);
  if (method.converged)
    throw UserError("identify runs full, reduced or paper; a converged solution would take days");
  c.setup.fidelity = method.fidelity;
  const Log log = find_log(o);
  std::vector<std::string> assignments = log.assignments;
  assignments.insert(assignments.end(), o.assignments.begin(), o.assignments.end());
  const io::Overrides overrides = io::sort_overrides(assignments);
  if (const io::Override* other = io::beyond_machine(overrides))
    throw UserError(
        fmt::format("'{}' is no key of the machine; a log has nothing else", other->key));
  c.overrides = overrides.machine;
  c.setup.log.rest_s = log.rest_s;
  c.setup.log.start = log.start;
  c.delay_s = log.delay_s;

  // All that is wrong with the keys is said by the reader of the machine file.
  std::vector<io::Override> first = c.overrides;
  for (const Wanted& wanted : c.wanted)
    if (wanted.place == Place::kMachine)
      first.push_back({wanted.parameter.name, fmt::format("{:.17g}", wanted.parameter.start)});
  const machine::MachineModel model = io::read_machine(c.machine, first).model;
  c.name = model.name;
  const std::vector<io::KnownColumn> known = analysis::log_columns(model);
  c.log = io::read_log(log.file, log.map, known);
  tell_notes(log.file, c.log.notes);

  const std::vector<io::KnownColumn> drives = analysis::drive_columns(model);
  const auto is_drive = [&](const std::string& name) {
    return name == "t_s" || std::any_of(drives.begin(), drives.end(),
                                        [&](const auto& one) { return one.name == name; });
  };
  std::vector<std::string> can;
  for (const std::string& column : c.log.columns)
    if (!is_drive(column)) can.push_back(column);
  c.setup.channels = !o.channels.empty() ? o.channels : !log.channels.empty() ? log.channels : can;
  if (c.setup.channels.empty()) throw UserError("the log's map has no column to compare with");
  std::map<std::string, double> spread = log.spread;
  for (const std::string& text : o.weights) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos)
      throw UserError(fmt::format("--spread {}: expected CHANNEL=NUMBER in SI", printable(text)));
    spread[name] = parse_number(text.substr(equals + 1), "--spread " + name);
    if (!(spread[name] > 0.0))
      throw UserError(fmt::format("--spread {}: must be above zero", printable(text)));
  }
  for (const std::string& channel : c.setup.channels) {
    if (std::find(can.begin(), can.end(), channel) == can.end())
      throw UserError(fmt::format("the log has no column '{}' to compare with{}", channel,
                                  alternatives(channel, can)));
    const auto given = spread.find(channel);
    const double own = own_spread(c.log.column(channel));
    c.spread.push_back(given != spread.end() ? given->second : own > 0.0 ? own : 1.0);
    c.units.push_back(std::find_if(known.begin(), known.end(), [&](const auto& one) {
                        return one.name == channel;
                      })->unit);
  }
  if (!o.from_to.empty()) c.fitted = parse_span(o.from_to, "--range");
  const std::vector<double>& t = c.log.data.front();
  for (const std::string& text : o.hold_out) {
    const Span span = parse_span(text, "--hold-out");
    if (std::none_of(t.begin(), t.end(), [&](double at) { return span.has(at); }))
      throw UserError(
          fmt::format("--hold-out {}: the log has no rows there; it goes from {:g} to {:g} s", text,
                      t.front(), t.back()));
    c.held_out.push_back(span);
  }
  const std::vector<std::size_t> lengths = block_lengths(c);
  for (std::size_t k = 0; k < lengths.size(); ++k)
    if (lengths[k] < 10)
      throw UserError(fmt::format(
          "of '{}' the fitted part of the log has {}; give it more", c.setup.channels[k],
          counted(static_cast<long long>(lengths[k]), "number", "numbers")));
  check_targets(c, model);
  return c;
}

// --- What came of it ----------------------------------------------------------

std::vector<std::string> warnings(const Case& c, const identification::Fit& fit) {
  std::vector<std::string> out;
  if (!fit.converged) out.push_back("the search has not come to an end: " + fit.message);
  const auto name = [&](std::size_t i) { return c.wanted[i].parameter.name; };
  for (std::size_t i = 0; i < c.wanted.size(); ++i)
    if (fit.estimates[i].at_bound)
      out.push_back(
          fmt::format("{} is at a bound; the best value may lie beyond, or the model "
                      "lacks something",
                      name(i)));
  for (const identification::Open& open : fit.open) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < open.direction.size(); ++i)
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
  for (std::size_t i = 0; i < c.wanted.size(); ++i)
    if (kConfidence * fit.estimates[i].sd > std::fabs(fit.estimates[i].value) &&
        !c.wanted[i].parameter.name.starts_with("log."))
      out.push_back(
          fmt::format("{} is less than its own uncertainty: the log knows its order of magnitude "
                      "at most",
                      name(i)));
  for (std::size_t i = 0; i < c.wanted.size(); ++i)
    for (std::size_t j = i + 1; j < c.wanted.size(); ++j) {
      const double r = fit.correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (std::fabs(r) > kStrong)
        out.push_back(fmt::format("{} and {} can hardly be told apart (correlation {:.3f})",
                                  name(i), name(j), r));
    }
  return out;
}

struct Runs {
  std::vector<std::vector<double>> before, after;
  std::vector<std::string> warnings;  // of the run with what was found
};

std::string report(const Case& c, const identification::Fit& fit, const Runs& runs, double wall_s) {
  std::string text =
      fmt::format("{}: {} from {}, {} in {:.1f} s\n", c.name,
                  counted(static_cast<long long>(c.wanted.size()), "parameter", "parameters"),
                  counted(static_cast<long long>(c.setup.channels.size()), "channel", "channels"),
                  counted(fit.evaluations, "run", "runs"), wall_s);
  std::size_t width = 10;
  for (const Wanted& wanted : c.wanted) width = std::max(width, wanted.parameter.name.size());
  text +=
      fmt::format("  {:<{}}{:>14}{:>14}{:>14}\n", "parameter", width, "start", "found", "+- 95 %");
  for (std::size_t i = 0; i < c.wanted.size(); ++i)
    text += fmt::format("  {:<{}}{:>14.5g}{:>14.5g}{:>14.2g}\n", c.wanted[i].parameter.name, width,
                        c.wanted[i].parameter.start, fit.estimates[i].value,
                        kConfidence * fit.estimates[i].sd);
  text += fmt::format("\n  {:<22}{:>12}{:>12}", "root mean square", "before", "after");
  const bool held = !c.held_out.empty();
  text += held ? fmt::format("{:>14}{:>12}\n", "held out", "after") : "\n";
  for (std::size_t k = 0; k < c.setup.channels.size(); ++k) {
    text += fmt::format("  {:<22}{:>12}{:>12}", c.setup.channels[k],
                        with_prefix(rms(c, runs.before, k, false), c.units[k]),
                        with_prefix(rms(c, runs.after, k, false), c.units[k]));
    if (held)
      text += fmt::format("{:>14}{:>12}", with_prefix(rms(c, runs.before, k, true), c.units[k]),
                          with_prefix(rms(c, runs.after, k, true), c.units[k]));
    text += "\n";
  }
  if (c.wanted.size() > 1) {
    text += "\n  correlation\n";
    for (std::size_t i = 0; i < c.wanted.size(); ++i) {
      text += fmt::format("  {:<{}}", c.wanted[i].parameter.name, width);
      for (std::size_t j = 0; j <= i; ++j)
        text += fmt::format("{:>7.2f}", fit.correlation(static_cast<Eigen::Index>(i),
                                                        static_cast<Eigen::Index>(j)));
      text += "\n";
    }
  }
  for (const std::string& warning : warnings(c, fit)) text += "  note: " + warning + "\n";
  for (const std::string& warning : runs.warnings) text += "  note: " + warning + "\n";
  for (std::size_t k = 0; held && k < c.setup.channels.size(); ++k)
    if (rms(c, runs.after, k, true) > kWorse * rms(c, runs.before, k, true))
      text += fmt::format("  note: where it was held out, {} is further from the log than before\n",
                          c.setup.channels[k]);
  std::string set;
  for (std::size_t i = 0; i < c.wanted.size(); ++i)
    if (c.wanted[i].place == Place::kMachine)
      set += fmt::format(" --set {}={:.6g}", c.wanted[i].parameter.name, fit.estimates[i].value);
  if (!set.empty()) text += "\n  to use them:" + set + "\n";
  std::string of_log;
  for (std::size_t i = 0; i < c.wanted.size(); ++i)
    if (c.wanted[i].place != Place::kMachine)
      of_log += fmt::format("{} {} {:.6g}", of_log.empty() ? "" : ",", c.wanted[i].parameter.name,
                            fit.estimates[i].value);
  if (!of_log.empty())
    text += "  and in the bundle's or map's columns (delay_s, offset, scale):" + of_log + "\n";
  return text;
}

std::string to_json(const Case& c, const identification::Fit& fit, const Runs& runs) {
  JsonWriter json;
  json.begin_object().member("machine", c.machine.string()).member("log", c.log.file);
  json.member("converged", fit.converged).member("runs", fit.evaluations);
  json.key("parameters").begin_object();
  for (std::size_t i = 0; i < c.wanted.size(); ++i) {
    json.key(c.wanted[i].parameter.name).begin_object();
    json.member("start", c.wanted[i].parameter.start).member("value", fit.estimates[i].value);
    json.member("sd", fit.estimates[i].sd).member("at_bound", fit.estimates[i].at_bound);
    json.end_object();
  }
  json.end_object().key("rms").begin_object();
  for (std::size_t k = 0; k < c.setup.channels.size(); ++k) {
    json.key(c.setup.channels[k]).begin_object();
    json.member("before", rms(c, runs.before, k, false))
        .member("after", rms(c, runs.after, k, false));
    json.member("held_out_before", rms(c, runs.before, k, true));
    json.member("held_out_after", rms(c, runs.after, k, true));
    json.end_object();
  }
  json.end_object().key("correlation").begin_array();
  for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i) {
    json.begin_array();
    for (Eigen::Index j = 0; j < fit.correlation.cols(); ++j) json.value(fit.correlation(i, j));
    json.end_array();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& warning : warnings(c, fit)) json.value(warning);
  for (const std::string& warning : runs.warnings) json.value(warning);
  return json.end_array().end_object().text();
}

Figure picture(const Case& c, const Runs& runs) {
  const std::vector<double>& t = c.log.data.front();
  std::string note;
  for (const Span& span : c.held_out)
    note += fmt::format("{:g} to {:g} s held out; ", span.from, span.to);
  Figure figure{"Measured and computed, before and after identification",
                note + "log: " + fs::path(c.log.file).filename().string(),
                {},
                2};
  for (std::size_t k = 0; k < c.setup.channels.size(); ++k) {
    const std::string unit = c.units[k].empty() ? "1" : c.units[k];
    Panel panel{c.setup.channels[k], "time [s]", fmt::format("[{}]", unit), {}, false, 0.0};
    panel.curves.push_back({"measured", t, measured(c, k), 7, LineStyle::kThick});
    panel.curves.push_back({"before", t, runs.before[k], 0, LineStyle::kDashed});
    panel.curves.push_back({"after", t, runs.after[k], 1, LineStyle::kThin});
    figure.panels.push_back(std::move(panel));
    Panel left{c.setup.channels[k] + ": what is left",
               "time [s]",
               fmt::format("[{}]", unit),
               {},
               false,
               0.0};
    std::vector<double> residual(t.size());
    for (std::size_t row = 0; row < t.size(); ++row)
      residual[row] = runs.after[k][row] - measured(c, k)[row];
    left.curves.push_back({"computed - measured", t, residual, 1, LineStyle::kSolid});
    figure.panels.push_back(std::move(left));
  }
  return figure;
}

}  // namespace

int identify(const IdentifyOptions& options) {
  const InterruptGuard guard;
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  check_distinct({{"--plot", options.plot}, {"--summary", options.summary}},
                 {options.log, options.map, options.machine});
  const Case c = make_case(options);
  std::vector<identification::Parameter> parameters;
  for (const Wanted& wanted : c.wanted) parameters.push_back(wanted.parameter);
  const auto values = [](const auto& list, auto read) {
    std::vector<double> out;
    for (const auto& one : list) out.push_back(read(one));
    return out;
  };
  Runs runs;
  runs.before = run(c, values(parameters, [](const auto& p) { return p.start; }));
  if (runs.before.empty())
    throw UserError(
        "with the parameters at their start the run leaves the real numbers; start elsewhere");

  const auto start = std::chrono::steady_clock::now();
  identification::Options how;
  how.blocks = block_lengths(c);
  how.max_iterations = options.iterations;
  how.progress = [](int, double) { return !interrupted(); };
  const identification::Fit fit = identification::fit(
      parameters,
      [&c](std::span<const double> at, std::vector<double>& out) { return residuals(c, at, out); },
      how);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!fit.usable) throw UserError(fit.message);
  runs.after = run(c, values(fit.estimates, [](const auto& e) { return e.value; }), &runs.warnings);
  say(report(c, fit, runs, wall.count()));
  if (!options.summary.empty()) io::write_file(options.summary, to_json(c, fit, runs));
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
           {.name = "log",
            .target = &o->log,
            .kind = file_value("LOG"),
            .sentence = "Table (CSV) with --map, or the folder of a bundle with [[drive]]",
            .required = true},
           {"--map", &o->map, file_value("FILE", ".toml"),
            "Log map: meaning and unit of each column"},
           {.name = "--fit",
            .target = &o->fits,
            .kind = {"KEY=START,LOW,HIGH[,SD]"},
            .sentence =
                "Parameter: its key as for --set, start, bounds and, if known before, spread; "
                "of the log itself log.delay_s.JOINT, log.offset.COLUMN, log.scale.COLUMN",
            .required = true},
           {.name = "--range",
            .target = &o->from_to,
            .kind = {"A-B"},
            .sentence = "Part of the log that is fitted [s]",
            .without = "all that is not held out"},
           {"--hold-out", &o->hold_out, {"A-B"}, "Part that is only evaluated, not fitted [s]"},
           {.name = "--channel",
            .target = &o->channels,
            .kind = {"NAME"},
            .sentence = "Channel to compare",
            .without = "all channels of the map"},
           {.name = "--spread",
            .target = &o->weights,
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
           plot_option(o->plot, "Plot measured and computed curves overlaid"),
           summary_option(o->summary, "Write the result as JSON")},
      .examples = {"knuckleboom identify my_crane log.csv --map map.toml \\\n"
                   "    --fit oil.bulk_modulus_MPa=900,300,1700 --hold-out 12-27 --plot fit.svg",
                   "knuckleboom identify my_crane my_bundle --fit log.delay_s.lift=0.1,0,0.5"},
      .run = [o] { return identify(*o); }};
}

}  // namespace knuckleboom::app
