// knuckleboom log: how a table of another program is understood, and the map that says so.
// docs/reference/log_map.md
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/logs.hpp"
#include "app/commands/options.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/log_observations.hpp"
#include "knuckleboom/analysis/log_scenario.hpp"
#include "knuckleboom/declare/units.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/words.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

struct LogOptions {
  std::string file, map, dbc, machine, write_map;
};

// A column of the table, as it is.
struct LogColumnSeen {
  std::string name, unit;
  std::size_t missing = 0;
  double least = 0.0, most = 0.0;
  bool any = false;
  std::string ours;  // the channel that it seems to be; empty: none
};

LogColumnSeen look_at(const std::string& name, const std::vector<double>& values) {
  LogColumnSeen out;
  out.name = name;
  for (const double x : values) {
    if (!std::isfinite(x)) {
      ++out.missing;
      continue;
    }
    out.least = out.any ? std::min(out.least, x) : x;
    out.most = out.any ? std::max(out.most, x) : x;
    out.any = true;
  }
  return out;
}

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

// The channel all of whose words, but its unit, are among theirs; the one with most of them.
std::string channel_like(const std::string& theirs, const std::vector<io::KnownColumn>& known) {
  const std::vector<std::string> words = words_of_name(theirs);
  std::string best;
  std::size_t most = 0;
  for (const io::KnownColumn& one : known) {
    if (one.name == theirs) return one.name;
    const std::vector<std::string> wanted = words_of_name(declare::split_key(one.name).stem);
    const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    });
    if (!all || wanted.size() < 2 || wanted.size() <= most) continue;
    most = wanted.size();
    best = one.name;
  }
  return best;
}

// As the map has it, which is read from where it lies.
std::string dbc_beside(const std::string& map, const std::string& dbc) {
  std::error_code failed;
  const fs::path from = fs::absolute(map, failed).parent_path(), to = fs::absolute(dbc, failed);
  const fs::path out = to.lexically_relative(from);
  return (out.empty() ? to : out).generic_string();
}

std::string map_text(const LogOptions& options, const io::LogForm& form, const io::LogMap& map,
                     const std::vector<LogColumnSeen>& columns) {
  std::string text = fmt::format("# How {} is read.\n", fs::path(options.file).filename().string());
  if (!map.dbc.empty())
    text += fmt::format("dbc = {}\n", io::toml_string(dbc_beside(options.write_map, map.dbc)));
  if (map.row_s > 0.0)
    text += fmt::format("row_s = {}\n", map.row_s);
  else if (!map.dbc.empty())
    text +=
        map.time.empty() ? std::string() : fmt::format("time = {}\n", io::toml_string(map.time));
  else
    text += fmt::format("time = {}\n", io::toml_string(form.time));
  if (map.dbc.empty() && !form.time_unit.empty() && form.time_unit != "clock")
    text += fmt::format("time_unit = {}\n", io::toml_string(form.time_unit));
  if (form.kind.empty())
    text += fmt::format("separator = {}\n", io::toml_string(io::separator_name(form.separator)));
  if (form.kind.empty() && form.separator != ',')
    text += fmt::format("decimal_comma = {}\n", form.decimal_comma);
  if (form.header_line > 0)
    text += fmt::format("header_row = {}\nskip_rows = {}\n", form.header_line,
                        form.first_line - form.header_line - 1);
  for (const LogColumnSeen& column : columns) {
    const char* off = column.ours.empty() ? "# " : "";
    text += fmt::format("\n{}[[column]]\n{}name = {}\n{}column = {}\n", off, off,
                        io::toml_string(column.ours.empty() ? "?" : column.ours), off,
                        io::toml_string(column.name));
    if (column.ours.empty() && column.any)
      text += fmt::format("# from {:.6g} to {:.6g}{}{}\n", column.least, column.most,
                          column.unit.empty() ? "" : " ", column.unit);
  }
  return text;
}

std::string rate_text(const std::vector<double>& t) {
  if (t.size() < 2) return "one row";
  const double usual = io::usual_step(t);
  std::size_t gaps = 0, longest = 1;  // the row behind it
  for (std::size_t i = 1; i < t.size(); ++i) {
    const double step = t[i] - t[i - 1];
    if (step > 2.5 * usual) ++gaps;
    if (step > t[longest] - t[longest - 1]) longest = i;
  }
  std::string text = fmt::format("{} rows from {:.6g} to {:.6g} s, {:.4g} Hz", t.size(), t.front(),
                                 t.back(), 1.0 / usual);
  if (gaps > 0)
    text += fmt::format("; {}, the longest {:.3g} s behind {:.6g} s",
                        counted(static_cast<long long>(gaps), "gap", "gaps"),
                        t[longest] - t[longest - 1], t[longest - 1]);
  return text;
}

std::string column_line(const LogColumnSeen& column, std::size_t width) {
  std::string text = fmt::format("    {}  {:<8}", padded(column.name, width), column.unit);
  text += column.any ? fmt::format("  {:>12.6g} {:>12.6g}", column.least, column.most)
                     : fmt::format("  {:>25}", "no numbers");
  if (column.missing > 0) text += fmt::format("  {} missing", column.missing);
  if (!column.ours.empty()) text += fmt::format("  as {}", column.ours);
  return text + "\n";
}

std::vector<LogColumnSeen> see_columns(const io::LogForm& form, const io::Trace& log,
                                       const io::LogMap& map,
                                       const machine::MachineModel* machine) {
  std::vector<io::KnownColumn> known = analysis::judged_columns(form.columns, machine);
  if (machine != nullptr)
    for (io::KnownColumn& one : analysis::log_columns(*machine)) known.push_back(std::move(one));
  std::vector<LogColumnSeen> out;
  for (std::size_t i = 1; i < log.columns.size(); ++i) {
    LogColumnSeen one = look_at(log.columns[i], log.data[i]);
    const auto at = std::find(form.columns.begin(), form.columns.end(), one.name);
    one.unit = form.units[static_cast<std::size_t>(at - form.columns.begin())];
    one.ours = channel_like(one.name, known);
    for (const io::LogColumn& mapped : map.columns)
      if (one.name == (mapped.column.empty() ? mapped.name : mapped.column)) one.ours = mapped.name;
    out.push_back(std::move(one));
  }
  return out;
}

std::string form_text(const LogOptions& options, const io::LogForm& form, const io::Trace& log) {
  std::string text =
      !form.kind.empty()
          ? fmt::format("{}: {}\n", options.file, form.kind)
          : fmt::format("{}: fields separated by {}{}, {}, rows from line {}\n", options.file,
                        io::toml_string(io::separator_name(form.separator)),
                        form.decimal_comma ? ", decimal commas" : "",
                        form.header_line > 0 ? fmt::format("names in line {}", form.header_line)
                                             : std::string("no names"),
                        form.first_line);
  const std::string time = form.time.empty()           ? "none, by row"
                           : form.time_unit == "clock" ? ", dates or times of day"
                           : form.time_unit.empty()    ? ", no unit told"
                                                       : " in " + form.time_unit;
  text += fmt::format("  time     {}{}: {}\n", form.time.empty() ? "" : "'" + form.time + "'", time,
                      rate_text(log.data.front()));
  return text;
}

std::string sample_text(const io::LogForm& form) {
  std::string text = "  first rows\n";
  for (const std::vector<std::string>& row : form.sample) {
    std::string line;
    for (const std::string& field : row) line += (line.empty() ? "    " : " | ") + field;
    text += (line.size() > 110 ? line.substr(0, 107) + "..." : line) + "\n";
  }
  return text;
}

int show_log(const LogOptions& options) {
  const io::LogMap map = named_map(options.map, options.dbc);
  const std::optional<io::MachineFile> machine = named_machine(options.machine);
  if (!options.write_map.empty()) {
    check_output_path(options.write_map, "--write-map");
    check_distinct({{"--write-map", options.write_map}}, {options.file, options.map, map.dbc});
  }
  const io::LogTable table = io::open_log(options.file, map);
  const io::LogForm& form = table.form();
  const io::Trace log = table.read_all();
  const std::vector<LogColumnSeen> columns =
      see_columns(form, log, map, machine ? &machine->model : nullptr);
  std::size_t width = 6;
  for (const LogColumnSeen& column : columns) width = std::max(width, column.name.size());

  std::string text = form_text(options, form, log);
  text += fmt::format("  columns  {}, of {} in the table; least and most\n", columns.size(),
                      form.columns.size());
  for (const LogColumnSeen& column : columns)
    text += column_line(column, std::min<std::size_t>(width, 40));
  text += sample_text(form);
  for (const std::string& note : log.notes) text += fmt::format("  note: {}\n", note);
  if (!options.write_map.empty()) {
    io::write_file(options.write_map, map_text(options, form, map, columns));
    text +=
        fmt::format("  map      {}; columns behind '#' are for you to name\n", options.write_map);
  } else if (options.map.empty()) {
    text += "  a map of it: --write-map FILE\n";
  }
  say(text);
  return kSuccess;
}

}  // namespace

Command log_command() {
  const auto o = std::make_shared<LogOptions>();
  return {
      .name = "log",
      .sentence = "Show how another program's table is understood, and write a log map of it",
      .arguments = {{.name = "file",
                     .target = &o->file,
                     .kind = file_value("FILE", ".csv"),
                     .sentence = "Table of a logger: text of any usual form, MATLAB, HDF5 or CAN",
                     .required = true},
                    {.name = "--map",
                     .target = &o->map,
                     .kind = file_value("FILE", ".toml"),
                     .sentence = "Log map: what is told of its form and columns"},
                    dbc_option(o->dbc),
                    machine_option(o->machine, "Machine whose channels its columns may be"),
                    {.name = "--write-map",
                     .target = &o->write_map,
                     .kind = file_value("FILE", ".toml"),
                     .sentence = "Write a log map of what was found, to be completed"}},
      .examples = {"knuckleboom log crane.csv",
                   "knuckleboom log crane.csv --machine harvester --write-map crane_map.toml",
                   "knuckleboom log candump.log --dbc crane.dbc"},
      .run = [o] { return show_log(*o); }};
}

}  // namespace knuckleboom::app
