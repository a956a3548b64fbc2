#include "knuckleboom/io/trace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "csv.hpp"
#include "csv_fields.hpp"
#include "document.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

// Times of both traces within the span they share.
struct Overlap {
  std::size_t begin = 0, end = 0;  // rows of the trace compared at
};

void check_times(const Trace& trace) {
  if (trace.data.empty()) throw FileError(trace.file, "the trace has no columns");
  const auto& t = trace.data[static_cast<std::size_t>(trace.time_column())];
  if (t.empty()) throw FileError(trace.file, "the trace has no rows");
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (std::isfinite(t[i]) && (i == 0 || t[i] > t[i - 1])) continue;
    throw FileError(
        trace.file,
        fmt::format("the times of column '{}' must increase; row {} says {}",
                    trace.columns[static_cast<std::size_t>(trace.time_column())], i + 1, t[i]));
  }
}

const std::vector<double>& times(const Trace& trace) {
  return trace.data[static_cast<std::size_t>(trace.time_column())];
}

// Times closer than this are the same sample: a time printed and read, or summed tick by tick, is
// not the same double as one multiplied.
double slack(double t) { return 1e-9 * std::max(1.0, std::fabs(t)); }

Overlap overlap(const std::vector<double>& t, double from, double to) {
  const auto begin = std::lower_bound(t.begin(), t.end(), from - slack(from));
  const auto end = std::upper_bound(begin, t.end(), to + slack(to));
  return {static_cast<std::size_t>(begin - t.begin()), static_cast<std::size_t>(end - t.begin())};
}

// Value of y at time t; row moves on from call to call, as t grows.
double interpolate(const std::vector<double>& x, const std::vector<double>& y, double t,
                   std::size_t& row) {
  while (row + 1 < x.size() && x[row + 1] <= t + slack(t)) ++row;
  if (std::fabs(x[row] - t) <= slack(t) || row + 1 == x.size()) return y[row];
  const double part = (t - x[row]) / (x[row + 1] - x[row]);
  return y[row] + part * (y[row + 1] - y[row]);
}

double difference(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return std::fabs(a - b);
  const bool same = a == b || (std::isnan(a) && std::isnan(b));
  return same ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<std::string> trace_columns(std::span<const TraceJoint> joints) {
  std::vector<std::string> columns{"t_s"};
  for (const TraceJoint& joint : joints) {
    const char* unit = joint.revolute ? "rad" : "m";
    columns.push_back(fmt::format("{}_{}", joint.name, unit));
    columns.push_back(fmt::format("{}_{}_s", joint.name, unit));
    columns.push_back(fmt::format("{}_ref_{}", joint.name, unit));
    for (const char* what : {"valve_V", "port_a_Pa", "port_b_Pa", "valve_open"})
      columns.push_back(fmt::format("{}_{}", joint.name, what));
  }
  for (const char* tip : {"tip_x_m", "tip_y_m", "tip_z_m"}) columns.emplace_back(tip);
  return columns;
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceHeader& header)
    : file_(path), n_joints_(header.joints.size()) {
  const std::vector<std::string> columns =
      header.columns.empty() ? trace_columns(header.joints) : header.columns;
  n_columns_ = columns.size();
  std::vector<std::string> lines{
      header.program, fmt::format("machine: {} {}", header.machine, header.machine_hash.hex),
      fmt::format("scenario: {} {}", header.scenario, header.scenario_hash.hex),
      fmt::format("fidelity: {}", header.fidelity), fmt::format("tick_s: {}", header.tick_s)};
  lines.insert(lines.end(), header.remarks.begin(), header.remarks.end());
  for (const std::string& line : lines) file_.write(fmt::format("# {}\n", one_line(line)));
  for (std::size_t i = 0; i < columns.size(); ++i)
    file_.write(fmt::format("{}{}", i > 0 ? "," : "", columns[i]));
  file_.write("\n");
}

void TraceWriter::write(double t_s, std::span<const JointSample> joints, const double (&tip_m)[3]) {
  if (joints.size() != n_joints_)
    throw std::invalid_argument("trace: a row needs one sample for each joint");
  row_.clear();
  row_.push_back(t_s);
  for (const JointSample& joint : joints)
    row_.insert(row_.end(), {joint.position, joint.rate, joint.reference, joint.valve_V,
                             joint.port_a_Pa, joint.port_b_Pa, joint.valve_open ? 1.0 : 0.0});
  row_.insert(row_.end(), std::begin(tip_m), std::end(tip_m));
  write(row_);
}

void TraceWriter::write(std::span<const double> row) {
  if (row.size() != n_columns_)
    throw std::invalid_argument("trace: a row needs one number for each column");
  line_.clear();
  for (const double value : row) {
    if (!line_.empty()) line_ += ',';
    // The shortest text that reads back as the same double.
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }
  line_ += '\n';
  file_.write(line_);
}

void TraceWriter::close() { file_.close(); }

int Trace::find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

int Trace::time_column() const {
  for (const char* name : {"t_s", "t"})
    if (const int index = find(name); index >= 0) return index;
  return 0;
}

const std::vector<double>& Trace::column(std::string_view name) const {
  const int index = find(name);
  if (index < 0)
    throw FileError(
        file, fmt::format("the trace has no column '{}'{}", name, alternatives(name, columns)));
  return data[static_cast<std::size_t>(index)];
}

Trace read_trace_text(std::string_view text, const std::string& file_name) {
  check_text(text, file_name, kTraceLimit, "trace (CSV)");
  Csv csv = parse_csv(text, file_name, true);
  return {std::move(csv.comments), std::move(csv.columns), std::move(csv.data), file_name};
}

Trace read_trace(const std::filesystem::path& path) {
  return read_trace_text(read_text_file(path, kTraceLimit, "trace (CSV)"), path.string());
}

std::vector<ColumnDifference> compare_columns(const Trace& a, const Trace& b,
                                              std::span<const ColumnPair> columns) {
  check_times(a);
  check_times(b);
  const double from = std::max(times(a).front(), times(b).front());
  const double to = std::min(times(a).back(), times(b).back());
  const Overlap in_a = overlap(times(a), from, to);
  const Overlap in_b = overlap(times(b), from, to);
  if (from > to + slack(to) || (in_a.begin == in_a.end && in_b.begin == in_b.end))
    throw FileError(
        b.file, fmt::format("has no time in common with {}: {} to {} s against {} to {} s", a.file,
                            times(b).front(), times(b).back(), times(a).front(), times(a).back()));
  // Where both have samples the coarser one decides, so that its gaps are not interpolated.
  const std::size_t n_a = in_a.end - in_a.begin;
  const std::size_t n_b = in_b.end - in_b.begin;
  const bool at_a = n_a > 0 && (n_b == 0 || n_a <= n_b);
  const Overlap rows = at_a ? in_a : in_b;
  const std::vector<double>& t = at_a ? times(a) : times(b);
  const std::vector<double>& other_t = at_a ? times(b) : times(a);

  std::vector<ColumnDifference> out;
  for (const ColumnPair& pair : columns) {
    const std::vector<double>& own = at_a ? a.column(pair.a) : b.column(pair.b);
    const std::vector<double>& other = at_a ? b.column(pair.b) : a.column(pair.a);
    ColumnDifference result;
    result.column = pair.a;
    result.samples = rows.end - rows.begin;
    result.time_of_max_s = t[rows.begin];
    double sum = 0.0;
    std::size_t row = 0;
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      const double d = difference(own[i], interpolate(other_t, other, t[i], row));
      sum += d * d;
      if (d > result.max) {
        result.max = d;
        result.time_of_max_s = t[i];
      }
    }
    result.rms = std::sqrt(sum / static_cast<double>(result.samples));
    out.push_back(std::move(result));
  }
  return out;
}

std::vector<ColumnDifference> compare(const Trace& a, const Trace& b,
                                      const std::vector<std::string>& columns) {
  std::vector<ColumnPair> pairs;
  if (columns.empty()) {
    for (const std::string& name : a.columns)
      if (b.find(name) >= 0 && a.find(name) != a.time_column()) pairs.push_back({name, name});
    if (pairs.empty())
      throw FileError(b.file,
                      fmt::format("has no column in common with {} but the time; there are: "
                                  "{}",
                                  a.file, listing(b.columns)));
  }
  for (const std::string& name : columns) pairs.push_back({name, name});
  return compare_columns(a, b, pairs);
}

namespace {

// How far a value is from all that a column takes between two times.
double difference_within(const std::vector<double>& t, const std::vector<double>& y, double from_s,
                         double to_s, double wanted, std::size_t& row) {
  const double first = interpolate(t, y, std::max(from_s, t.front()), row);
  std::size_t ahead = row;
  const double last = interpolate(t, y, std::min(to_s, t.back()), ahead);
  double low = std::min(first, last), high = std::max(first, last);
  for (std::size_t i = row + 1; i < t.size() && t[i] < to_s; ++i) {
    low = std::min(low, y[i]);
    high = std::max(high, y[i]);
  }
  if (wanted >= low && wanted <= high) return 0.0;
  return std::min(difference(low, wanted), difference(high, wanted));
}

}  // namespace

ColumnDifference deviation(const Trace& run, const Trace& reference, const std::string& column,
                           double from_s, double to_s, const TimeBand& within) {
  check_times(run);
  check_times(reference);
  const std::vector<double>& own_t = times(run);
  const std::vector<double>& t = times(reference);
  const std::vector<double>& own = run.column(column);
  const std::vector<double>& wanted = reference.column(column);
  const Overlap rows = overlap(t, std::max(from_s, own_t.front()), std::min(to_s, own_t.back()));
  ColumnDifference result;
  result.column = column;
  double sum = 0.0;
  std::size_t row = 0;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    if (std::isnan(wanted[i])) continue;
    const double d =
        difference_within(own_t, own, t[i] - within.early_s, t[i] + within.late_s, wanted[i], row);
    if (result.samples == 0 || d > result.max) {
      result.max = d;
      result.time_of_max_s = t[i];
    }
    sum += d * d;
    ++result.samples;
  }
  if (result.samples > 0) result.rms = std::sqrt(sum / static_cast<double>(result.samples));
  return result;
}

double delay(const Trace& run, const Trace& reference, const std::string& column, double from_s,
             double to_s, double tolerance, double most_s) {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const double sign : {1.0, -1.0}) {
    const auto good = [&](double time_s) {
      const TimeBand band = sign > 0.0 ? TimeBand{0.0, time_s} : TimeBand{time_s, 0.0};
      return deviation(run, reference, column, from_s, to_s, band).max <= tolerance;
    };
    double low = 0.0, high = std::isnan(best) ? most_s : std::fabs(best);
    if (!good(high)) continue;
    while (high - low > 1e-4) (good(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
    best = sign * high;
  }
  return best;
}

double value_at(const Trace& trace, const std::string& column, double t_s) {
  const std::vector<double>& t = times(trace);
  if (t.empty() || t_s < t.front() - slack(t_s) || t_s > t.back() + slack(t_s))
    return std::numeric_limits<double>::quiet_NaN();
  const auto after = std::upper_bound(t.begin(), t.end(), t_s);
  std::size_t row = after == t.begin() ? 0 : static_cast<std::size_t>(after - t.begin()) - 1;
  return interpolate(t, trace.column(column), t_s, row);
}

}  // namespace knuckleboom::io
