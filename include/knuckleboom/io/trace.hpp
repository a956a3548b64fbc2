// Traces of a run as CSV, and their comparison: docs/reference/trace_file.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

struct TraceJoint {
  std::string name;
  bool revolute = true;
};

// Content of the '#' lines, and the joints that have columns.
struct TraceHeader {
  std::string program;  // name, version, revision
  std::string machine;
  ContentHash machine_hash;
  std::string scenario;
  ContentHash scenario_hash;
  std::string fidelity;  // "full", "reduced", "paper" or one of them after "converged-"
  double tick_s = 0.0;
  std::vector<std::string> remarks;  // further lines
  std::vector<TraceJoint> joints;
  // All columns by name, for rows of plain numbers; empty: trace_columns(joints).
  std::vector<std::string> columns;
};

struct JointSample {
  double position = 0.0;  // rad or m
  double rate = 0.0;
  double reference = 0.0;  // rad or m
  double valve_V = 0.0;
  double port_a_Pa = 0.0;
  double port_b_Pa = 0.0;
  bool valve_open = false;
};

// t_s, then for each joint J: J_rad, J_rad_s, J_ref_rad, J_valve_V, J_port_a_Pa, J_port_b_Pa,
// J_valve_open (a sliding joint: J_m, J_m_s, J_ref_m), then tip_x_m, tip_y_m, tip_z_m.
std::vector<std::string> trace_columns(std::span<const TraceJoint> joints);

// Writes row by row; the file appears under its name at close(). Throws FileError.
class TraceWriter {
 public:
  TraceWriter(const std::filesystem::path& path, const TraceHeader& header);
  // One sample for each joint of the header, in its order.
  void write(double t_s, std::span<const JointSample> joints, const double (&tip_m)[3]);
  // The same row as plain numbers, one for each column.
  void write(std::span<const double> row);
  void close();

 private:
  AtomicFile file_;
  std::size_t n_joints_;
  std::size_t n_columns_;
  std::vector<double> row_;
  std::string line_;
};

struct Trace {
  std::vector<std::string> header_lines;  // without '#'
  std::vector<std::string> columns;
  std::vector<std::vector<double>> data;  // by column
  std::string file;                       // for messages
  std::vector<std::string> held = {};     // columns whose values hold until the next row
  std::vector<std::string> notes = {};    // how a foreign table was understood, a sentence each

  std::size_t rows() const { return data.empty() ? 0 : data.front().size(); }
  // Index of a column, or -1.
  int find(std::string_view column) const;
  // Index of the time: `t_s`, else `t`, else the first column.
  int time_column() const;
  // Values of a column. Throws FileError if there is none of that name.
  const std::vector<double>& column(std::string_view name) const;
};

// Any CSV of numbers with a line of column names; '#' lines are optional. Throws FileError.
Trace read_trace(const std::filesystem::path& path);
Trace read_trace_text(std::string_view text, const std::string& file_name);

struct ColumnPair {
  std::string a, b;  // names of the same thing in the two traces
};

struct ColumnDifference {
  std::string column;  // name in the first trace
  double rms = 0.0;
  double max = 0.0;  // largest |a - b|; infinite if only one of them is finite
  double time_of_max_s = 0.0;
  std::size_t samples = 0;
};

// Differences over the time both traces cover, at the times of the one with fewer samples there;
// the other is interpolated linearly between its samples. No columns named: all that both have.
// Throws FileError for a column that does not exist, times that do not increase, or no time in
// common.
std::vector<ColumnDifference> compare(const Trace& a, const Trace& b,
                                      const std::vector<std::string>& columns = {});
std::vector<ColumnDifference> compare_columns(const Trace& a, const Trace& b,
                                              std::span<const ColumnPair> columns);

// How far a run is from a reference in a column that both have: at each time of the reference within
// [from_s, to_s] at which it has a number. The run is interpolated linearly; it must be dense, and times
// beyond its ends do not count as samples. Times of both must increase. within: the run may come so much
// earlier or later: of its values in that time the nearest counts.
struct TimeBand {
  double early_s = 0.0, late_s = 0.0;
};
ColumnDifference deviation(const Trace& run, const Trace& reference, const std::string& column,
                           double from_s, double to_s, const TimeBand& within = {});
// How much later the run comes [s], below 0 earlier, if that alone brings it within a tolerance: the least
// that does; nan if none up to most_s does.
double delay(const Trace& run, const Trace& reference, const std::string& column, double from_s,
             double to_s, double tolerance, double most_s);
// Value of a column at a time, interpolated linearly; nan outside.
double value_at(const Trace& trace, const std::string& column, double t_s);

}  // namespace knuckleboom::io
