#include "app/commands/identify_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "app/commands/logs.hpp"
#include "app/commands/options.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr double kStartRange = 20.0;   // of its uncertainty, to both sides
constexpr double kKnownStart = 1e-6;   // uncertainty over the column's own spread: nothing to find
constexpr std::size_t kFewAtRest = 5;  // rows that do not tell their noise

// --- What is asked ------------------------------------------------------------

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

// Number of a log from 1 on; throws where there is none.
std::size_t parse_log(const std::string& text, const char* option, std::size_t logs) {
  if (!text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos)
    if (const std::size_t number = std::stoul(text); number >= 1 && number <= logs)
      return number - 1;
  throw UserError(fmt::format("{} {}: there is no log {}; they are numbered from 1 to {}", option,
                              printable(text), printable(text), logs));
}

// A text of the form [N:]REST, for log N or all.
std::pair<std::optional<std::size_t>, std::string> of_log(const std::string& text,
                                                          const char* option, std::size_t logs) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {std::nullopt, text};
  return {parse_log(text.substr(0, colon), option, logs), text.substr(colon + 1)};
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

// Properties of a log, by the words of its parameters.
struct PlaceWord {
  const char* kind;
  Place place;
  const char* target;
};
constexpr PlaceWord kPlaces[] = {
    {"delay_s", Place::kDelay, "JOINT"},         {"offset", Place::kOffset, "COLUMN"},
    {"scale", Place::kScale, "COLUMN"},          {"start", Place::kStart, "COLUMN"},
    {"speed", Place::kSpeed, "JOINT"},           {"lag_s", Place::kLag, "COLUMN"},
    {"dead_time_s", Place::kDeadTime, "COLUMN"}, {"hold_s", Place::kHold, "COLUMN"},
    {"dead_band", Place::kDeadBand, "COLUMN"}};

// log.KIND.TARGET of every log, logN.KIND.TARGET of the log of that number.
void read_place(const std::string& text, std::size_t logs, Wanted& out) {
  const std::string& name = out.parameter.name;
  const std::size_t dot = name.find('.');
  if (!name.starts_with("log") || dot == std::string::npos) return;
  const std::string number = name.substr(3, dot - 3);
  if (number.find_first_not_of("0123456789") != std::string::npos) return;
  if (!number.empty()) out.log = static_cast<int>(parse_log(number, "--fit log", logs));
  const std::string rest = name.substr(dot + 1);
  std::string all;
  for (const PlaceWord& word : kPlaces) {
    const std::string head = std::string(word.kind) + '.';
    if (rest.starts_with(head)) {
      out.place = word.place;
      out.target = rest.substr(head.size());
    }
    all += fmt::format("{}log.{}{}", all.empty() ? "" : ", ", head, word.target);
  }
  if (out.place == Place::kMachine)
    throw UserError(fmt::format(
        "--fit {}: of the log there are {}; of the second of several log2.offset.COLUMN",
        printable(text), all));
}

Wanted parse_fit(const std::string& text, std::size_t logs) {
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
  read_place(text, logs, out);
  return out;
}

// --- Reading ------------------------------------------------------------------

struct Found {
  fs::path file;
  io::LogMap map;
  double rest_s;
  std::map<std::string, double> spread;  // a bundle's rms
  std::vector<std::string> assignments;
  std::vector<std::string> channels;  // empty: all that are not driving
  std::vector<std::pair<std::string, double>> start, delay_s;
};

Found find_log(const std::string& log, const std::string& map, const std::string& dbc,
               double rest_s) {
  std::error_code ignored;
  if (!fs::exists(log, ignored))
    throw UserError(fmt::format("{}: there is no such file or folder", printable(log)));
  if (!fs::is_directory(log, ignored)) {
    if (map.empty())
      throw UserError(
          fmt::format("{}: say with --map FILE which of its columns is what", printable(log)));
    return {log, named_map(map, dbc), rest_s, {}, {}, {}, {}, {}};
  }
  const char* data = std::getenv(io::kExternalData);
  const io::Bundle bundle = io::read_bundle(log, data != nullptr ? data : "");
  if (bundle.drive_count == 0)
    throw UserError(fmt::format("{}: this bundle is not driven by a log; it needs [[drive]] tables",
                                printable(log)));
  if (bundle.reference.empty() || !fs::exists(bundle.reference, ignored))
    throw UserError(fmt::format("{}: its data, {}, are not here; name their folder in {}",
                                printable(log), bundle.external, io::kExternalData));
  Found out{bundle.reference,   bundle.map, bundle.rest_s, {},
            bundle.assignments, {},         bundle.start,  bundle.delay_s};
  if (!dbc.empty()) out.map.dbc = dbc;
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

std::vector<std::string> driven_joints(const FitLog& log, const machine::MachineModel& model) {
  std::vector<std::string> joints;
  for (int link = 0; link < model.joint_count(); ++link)
    if (!model.passive(link) && log.trace.find(model.joint_name(link) + "_valve_V") >= 0)
      joints.push_back(model.joint_name(link));
  return joints;
}

// Columns from which the run of a log takes its start.
std::vector<std::string> start_columns(const FitLog& log, const machine::MachineModel& model) {
  std::vector<std::string> out;
  for (int link = 0; link < model.joint_count(); ++link) {
    if (model.passive(link)) continue;
    const std::string& joint = model.joint_name(link);
    const std::string position = joint + (model.tree.link(link).revolute ? "_rad" : "_m");
    for (const std::string& name : {joint + "_length_m", position})
      if (log.trace.find(name) >= 0) {
        const bool given =
            name == position && std::any_of(log.setup.log.start.begin(), log.setup.log.start.end(),
                                            [&](const auto& one) { return one.first == joint; });
        if (!given) out.push_back(name);
        break;
      }
    if (log.trace.find(joint + "_port_b_Pa") >= 0) out.push_back(joint + "_port_b_Pa");
  }
  return out;
}

std::vector<std::string> targets(const FitLog& log, Place place,
                                 const machine::MachineModel& model) {
  switch (place) {
    case Place::kDelay:
    case Place::kSpeed:
      return driven_joints(log, model);
    case Place::kStart:
      return start_columns(log, model);
    case Place::kLag:
    case Place::kDeadTime:
    case Place::kHold:
    case Place::kDeadBand:
      return log.setup.channels;
    default:
      return log.trace.columns;
  }
}

const char* lacks(Place place) {
  switch (place) {
    case Place::kDelay:
    case Place::kSpeed:
      return "drives no joint";
    case Place::kStart:
      return "gives no start by a column";
    case Place::kLag:
    case Place::kDeadTime:
    case Place::kHold:
    case Place::kDeadBand:
      return "is not compared by a column";
    default:
      return "has no column";
  }
}

// Every parameter must mean something in the logs it is of, and in one of them at least.
void check_target(const FitCase& c, const Wanted& wanted, const machine::MachineModel& model) {
  if (wanted.place == Place::kMachine) return;
  const std::string& name = wanted.parameter.name;
  std::vector<std::string> can;
  for (std::size_t k = 0; k < c.logs.size(); ++k) {
    if (!wanted.of(k)) continue;
    const std::vector<std::string> there = targets(c.logs[k], wanted.place, model);
    if (std::find(there.begin(), there.end(), wanted.target) != there.end()) return;
    can.insert(can.end(), there.begin(), there.end());
  }
  throw UserError(fmt::format("--fit {}: the log {} '{}'{}", name, lacks(wanted.place),
                              wanted.target, alternatives(wanted.target, can)));
}

// Standard deviation of the mean of a column over the part at rest.
double start_uncertainty(const FitLog& log, const std::vector<double>& y) {
  const std::vector<double>& t = log.trace.data.front();
  std::vector<double> rest;
  for (std::size_t i = 0; i < t.size() && t[i] - t.front() <= log.setup.log.rest_s; ++i)
    if (std::isfinite(y[i])) rest.push_back(y[i]);
  const double n = static_cast<double>(std::max<std::size_t>(rest.size(), 1));
  if (rest.size() >= kFewAtRest) return own_spread(rest) / std::sqrt(n - 1.0);
  // A motion that is smooth leaves the noise in second differences, six times as large in the square.
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 1; i + 1 < y.size(); ++i)
    if (const double d = y[i - 1] - 2.0 * y[i] + y[i + 1]; std::isfinite(d)) {
      sum += d * d;
      ++count;
    }
  return count > 0 ? std::sqrt(sum / 6.0 / static_cast<double>(count) / n) : 0.0;
}

// A start that was measured is as uncertain as its column is noisy. Where the column is compared, its rows at rest
// say the rest; elsewhere the mean at rest is all there is to know.
void add_starts(const machine::MachineModel& model, FitCase& c) {
  for (std::size_t k = 0; k < c.logs.size(); ++k) {
    const FitLog& log = c.logs[k];
    const std::vector<double>& times = log.trace.data.front();
    if (std::none_of(times.begin(), times.end(), [&](double t) { return log.is_fitted(t); }))
      continue;
    for (const std::string& column : start_columns(log, model)) {
      const bool asked = std::any_of(c.wanted.begin(), c.wanted.end(), [&](const Wanted& one) {
        return one.place == Place::kStart && one.of(k) && one.target == column;
      });
      const std::vector<double>& y = log.trace.column(column);
      const double sd = start_uncertainty(log, y);
      if (asked || !(sd > kKnownStart * own_spread(y))) continue;
      const std::vector<std::string>& compared = log.setup.channels;
      const double t0 = log.trace.data.front().front();
      const bool told = std::find(compared.begin(), compared.end(), column) != compared.end() &&
                        log.is_fitted(t0) && log.is_fitted(t0 + log.setup.log.rest_s);
      Wanted start;
      start.place = Place::kStart;
      start.target = column;
      start.log = static_cast<int>(k);
      start.parameter = {fmt::format("log{}.start.{}", k + 1, column),
                         0.0,
                         -kStartRange * sd,
                         kStartRange * sd,
                         told ? 0.0 : sd,
                         true};
      c.wanted.push_back(std::move(start));
    }
  }
}

// --- A log --------------------------------------------------------------------

bool is_drive(const machine::MachineModel& model, const std::string& name) {
  const std::vector<io::KnownColumn> drives = analysis::drive_columns(model);
  return name == "t_s" || std::any_of(drives.begin(), drives.end(),
                                      [&](const auto& one) { return one.name == name; });
}

void choose_channels(const IdentifyOptions& o, const Found& found,
                     const machine::MachineModel& model, FitLog& log) {
  std::vector<std::string> can;
  for (const std::string& column : log.trace.columns)
    if (!is_drive(model, column)) can.push_back(column);
  log.setup.channels = !o.channels.empty()       ? o.channels
                       : !found.channels.empty() ? found.channels
                                                 : can;
  if (log.setup.channels.empty()) throw UserError("the log's map has no column to compare with");
  std::map<std::string, double> spread = found.spread;
  for (const std::string& text : o.spreads) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos)
      throw UserError(fmt::format("--spread {}: expected CHANNEL=NUMBER in SI", printable(text)));
    spread[name] = parse_number(text.substr(equals + 1), "--spread " + name);
    if (!(spread[name] > 0.0))
      throw UserError(fmt::format("--spread {}: must be above zero", printable(text)));
    if (std::find(can.begin(), can.end(), name) == can.end())
      throw UserError(fmt::format("--spread {}: the log has no column '{}' to compare with{}",
                                  printable(text), name, alternatives(name, can)));
  }
  const std::vector<io::KnownColumn> known = analysis::log_columns(model);
  for (const std::string& channel : log.setup.channels) {
    if (std::find(can.begin(), can.end(), channel) == can.end())
      throw UserError(fmt::format("the log has no column '{}' to compare with{}", channel,
                                  alternatives(channel, can)));
    const auto given = spread.find(channel);
    const double own = own_spread(log.trace.column(channel));
    log.spread.push_back(given != spread.end() ? given->second : own > 0.0 ? own : 1.0);
    log.units.push_back(std::find_if(known.begin(), known.end(), [&](const auto& one) {
                          return one.name == channel;
                        })->unit);
  }
}

// Throws where none of the logs that are asked has rows in a part.
void check_rows(const FitCase& c, const std::optional<std::size_t>& number, const Span& span,
                const char* option, const std::string& text) {
  std::string there;
  for (std::size_t k = 0; k < c.logs.size(); ++k) {
    if (number && *number != k) continue;
    const std::vector<double>& t = c.logs[k].trace.data.front();
    if (std::any_of(t.begin(), t.end(), [&](double at) { return span.has(at); })) return;
    there +=
        fmt::format("{}{} goes from {:g} to {:g} s", there.empty() ? "" : ", ",
                    c.logs.size() > 1 ? fmt::format("log {}", k + 1) : "it", t.front(), t.back());
  }
  throw UserError(fmt::format("{} {}: the log has no rows there; {}", option, text, there));
}

// The parts of the logs that are fitted and held out, and their weights.
void choose_parts(const IdentifyOptions& o, FitCase& c) {
  const std::size_t count = c.logs.size();
  for (const std::string& text : o.from_to) {
    const auto [number, rest] = of_log(text, "--range", count);
    const Span span = parse_span(rest, "--range");
    check_rows(c, number, span, "--range", text);
    for (std::size_t k = 0; k < count; ++k)
      if (!number || *number == k) c.logs[k].fitted.push_back(span);
  }
  for (const std::string& text : o.hold_out) {
    const bool whole = text.find_first_of("-:") == std::string::npos && count > 1;
    const auto [number, rest] =
        whole ? std::pair{std::optional(parse_log(text, "--hold-out", count)), std::string()}
              : of_log(text, "--hold-out", count);
    const Span span = whole ? Span{-1e300, 1e300} : parse_span(rest, "--hold-out");
    check_rows(c, number, span, "--hold-out", text);
    for (std::size_t k = 0; k < count; ++k)
      if (!number || *number == k) c.logs[k].held_out.push_back(span);
  }
  for (const std::string& text : o.weights) {
    const auto [number, rest] = of_log(text, "--weight", count);
    if (!number)
      throw UserError(fmt::format(
          "--weight {}: expected N:NUMBER, such as 2:0.5 for the second log", printable(text)));
    c.logs[*number].weight = parse_number(rest, "--weight " + text);
    if (!(c.logs[*number].weight > 0.0))
      throw UserError(fmt::format("--weight {}: must be above zero", printable(text)));
  }
}

// Enough of each channel in the logs together.
void check_lengths(const FitCase& c) {
  const std::vector<std::size_t> lengths = fit_blocks(c);
  std::map<std::string, std::size_t> of;
  std::size_t block = 0;
  for (const FitLog& log : c.logs)
    for (const std::string& channel : log.setup.channels) of[channel] += lengths[block++];
  for (const auto& [channel, length] : of)
    if (length < 10)
      throw UserError(fmt::format("of '{}' the fitted part of the log has {}; give it more",
                                  channel,
                                  counted(static_cast<long long>(length), "number", "numbers")));
}

}  // namespace

bool FitLog::is_fitted(double t) const {
  const bool in = fitted.empty() || std::any_of(fitted.begin(), fitted.end(),
                                                [t](const Span& span) { return span.has(t); });
  return in && !is_held_out(t);
}

bool FitLog::is_held_out(double t) const {
  return std::any_of(held_out.begin(), held_out.end(),
                     [t](const Span& span) { return span.has(t); });
}

FitCase fit_case(const IdentifyOptions& o) {
  if (o.fits.empty())
    throw UserError("nothing to identify; name parameters with --fit KEY=START,LOW,HIGH");
  FitCase c;
  for (const std::string& text : o.fits) {
    c.wanted.push_back(parse_fit(text, o.logs.size()));
    for (std::size_t i = 0; i + 1 < c.wanted.size(); ++i)
      if (c.wanted[i].parameter.name == c.wanted.back().parameter.name)
        throw UserError(fmt::format("--fit names {} twice", c.wanted.back().parameter.name));
  }
  c.asked = c.wanted.size();
  c.machine = find_machine(o.machine);
  io::refuse_other_kind(c.machine.string(), io::FileKind::kMachine);
  const analysis::Method& method = analysis::find_method(o.fidelity);
  if (method.converged)
    throw UserError("identify runs full, reduced or paper; a converged solution would take days");
  if (o.maps.size() > 1 && o.maps.size() != o.logs.size())
    throw UserError(fmt::format("{} for {}: give one for all, or one for each in their order",
                                counted(static_cast<long long>(o.maps.size()), "--map", "--map"),
                                counted(static_cast<long long>(o.logs.size()), "log", "logs")));
  std::error_code ignored;
  if ((!o.maps.empty() || o.rest_s) &&
      std::all_of(o.logs.begin(), o.logs.end(),
                  [&](const std::string& log) { return fs::is_directory(log, ignored); }))
    throw UserError(fmt::format("a bundle has {} of its own in its bundle.toml; leave {} away",
                                o.maps.empty() ? "a 'rest'" : "a log map",
                                o.maps.empty() ? "--rest" : "--map"));
  machine::MachineModel model;
  for (std::size_t k = 0; k < o.logs.size(); ++k) {
    const std::string& map = o.maps.empty() ? std::string() : o.maps[o.maps.size() > 1 ? k : 0];
    const Found found = find_log(o.logs[k], map, o.dbc, o.rest_s.value_or(0.5));
    FitLog log;
    log.file = found.file;
    std::vector<std::string> assignments = found.assignments;
    assignments.insert(assignments.end(), o.assignments.begin(), o.assignments.end());
    const io::Overrides overrides = io::sort_overrides(assignments);
    if (const io::Override* other = io::beyond_machine(overrides))
      throw UserError(
          fmt::format("'{}' is no key of the machine; a log has nothing else", other->key));
    log.overrides = overrides.machine;
    log.setup.fidelity = method.fidelity;
    log.setup.log.rest_s = found.rest_s;
    log.setup.log.start = found.start;
    log.delay_s = found.delay_s;
    // All that is wrong with the keys is said by the reader of the machine file.
    std::vector<io::Override> first = log.overrides;
    for (const Wanted& wanted : c.wanted)
      if (wanted.place == Place::kMachine)
        first.push_back({wanted.parameter.name, fmt::format("{:.17g}", wanted.parameter.start)});
    model = io::read_machine(c.machine, first).model;
    c.name = model.name;
    log.trace = io::read_log(found.file, found.map, analysis::log_columns(model));
    tell_notes(found.file, log.trace.notes);
    choose_channels(o, found, model, log);
    c.logs.push_back(std::move(log));
  }
  choose_parts(o, c);
  check_lengths(c);
  for (const Wanted& wanted : c.wanted) check_target(c, wanted, model);
  add_starts(model, c);
  return c;
}

std::vector<std::vector<double>> run_beside(const FitCase& c, std::size_t of,
                                            std::span<const double> values, std::size_t rows,
                                            std::vector<std::string>* warnings) {
  const FitLog& log = c.logs[of];
  std::vector<io::Override> overrides = log.overrides;
  analysis::FreeRunSetup setup = log.setup;
  setup.rows = rows;
  const auto correction = [&](const std::string& column) -> analysis::Correction& {
    for (analysis::Correction& one : setup.corrections)
      if (one.column == column) return one;
    setup.corrections.push_back({column, 1.0, 0.0, {}});
    return setup.corrections.back();
  };
  std::vector<std::pair<std::string, double>> delays = log.delay_s;
  for (std::size_t i = 0; i < c.wanted.size(); ++i) {
    const Wanted& wanted = c.wanted[i];
    if (!wanted.of(of)) continue;
    switch (wanted.place) {
      case Place::kMachine:
        overrides.push_back({wanted.parameter.name, fmt::format("{:.17g}", values[i])});
        break;
      case Place::kDelay:
        delays.emplace_back(wanted.target + "_valve_V", values[i]);
        break;
      case Place::kOffset:
        correction(wanted.target).offset = values[i];
        break;
      case Place::kScale:
        correction(wanted.target).scale = values[i];
        break;
      case Place::kStart:
        setup.log.start_shift.emplace_back(wanted.target, values[i]);
        break;
      case Place::kSpeed:
        setup.log.speed.emplace_back(wanted.target, values[i]);
        break;
      case Place::kLag:
        correction(wanted.target).logger.lag_s = values[i];
        break;
      case Place::kDeadTime:
        correction(wanted.target).logger.dead_s = values[i];
        break;
      case Place::kHold:
        correction(wanted.target).logger.hold_s = values[i];
        break;
      case Place::kDeadBand:
        correction(wanted.target).logger.dead_band = values[i];
        break;
    }
  }
  const io::MachineFile machine = io::read_machine(c.machine, overrides);
  setup.log.delay_s = analysis::delays(machine.model, delays);
  machine::Watch watch{};
  auto out = analysis::free_run(machine.model, log.trace, setup, &watch);
  if (warnings != nullptr) *warnings = watch_sentences(machine.model, watch);
  return out;
}

FitResiduals::FitResiduals(const FitCase& c) : case_(c), known_(c.logs.size()) {
  for (const FitLog& log : c.logs) {
    const std::vector<double>& t = log.trace.data.front();
    const auto last =
        std::find_if(t.rbegin(), t.rend(), [&](double at) { return log.is_fitted(at); });
    rows_.push_back(static_cast<std::size_t>(t.rend() - last));
  }
}

bool FitResiduals::operator()(std::span<const double> values, std::vector<double>& out) {
  out.clear();
  for (std::size_t k = 0; k < case_.logs.size(); ++k) {
    if (rows_[k] == 0) continue;
    std::vector<double> key;
    for (std::size_t i = 0; i < case_.wanted.size(); ++i)
      if (case_.wanted[i].of(k)) key.push_back(values[i]);
    std::vector<double> residuals;
    {
      const std::lock_guard lock(mutex_);
      for (Known& one : known_[k])
        if (one.values == key) {
          one.used = ++clock_;
          residuals = one.residuals;
          break;
        }
    }
    if (residuals.empty()) {
      if (!of_log(k, values, residuals)) return false;
      const std::lock_guard lock(mutex_);
      std::vector<Known>& known = known_[k];
      // Room for a point and its neighbours.
      if (known.size() < case_.wanted.size() + 2)
        known.push_back({std::move(key), residuals, ++clock_});
      else
        *std::min_element(known.begin(), known.end(), [](const Known& a, const Known& b) {
          return a.used < b.used;
        }) = {std::move(key), residuals, ++clock_};
    }
    out.insert(out.end(), residuals.begin(), residuals.end());
  }
  return true;
}

bool FitResiduals::of_log(std::size_t k, std::span<const double> values,
                          std::vector<double>& out) const {
  const FitLog& log = case_.logs[k];
  std::vector<std::vector<double>> computed;
  try {
    computed = run_beside(case_, k, values, rows_[k]);
  } catch (const std::runtime_error&) {  // bounds allow what is no machine, or where none can stand
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
  if (computed.empty()) return false;
  const std::vector<double>& t = log.trace.data.front();
  const double weight = std::sqrt(log.weight);
  for (std::size_t channel = 0; channel < computed.size(); ++channel) {
    const std::vector<double>& measured = log.measured(channel);
    for (std::size_t row = 0; row < t.size(); ++row)
      if (log.is_fitted(t[row]) && std::isfinite(measured[row]))
        out.push_back(weight * (computed[channel][row] - measured[row]) / log.spread[channel]);
  }
  return true;
}

std::vector<std::size_t> fit_blocks(const FitCase& c) {
  std::vector<std::size_t> lengths;
  for (const FitLog& log : c.logs)
    for (std::size_t ch = 0; ch < log.setup.channels.size(); ++ch) {
      const std::vector<double>&t = log.trace.data.front(), &measured = log.measured(ch);
      std::size_t n = 0;
      for (std::size_t row = 0; row < t.size(); ++row)
        n += log.is_fitted(t[row]) && std::isfinite(measured[row]) ? 1 : 0;
      lengths.push_back(n);
    }
  return lengths;
}

}  // namespace knuckleboom::app
