// Rows of a sweep while it runs, and the table that becomes of them. docs/reference/sweep.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/recording/journal_file.hpp"

namespace knuckleboom::io {

inline constexpr const char* kSweepRowsSuffix = ".rows";

// The number-th of so many parts of a sweep, from 1: every so many-th run.
struct SweepShard {
  std::int64_t number = 1, of = 1;

  bool has(std::int64_t run) const { return run % of == number - 1; }
  std::int64_t size(std::int64_t runs) const { return (runs - number) / of + 1; }
  friend bool operator==(const SweepShard&, const SweepShard&) = default;
};

struct SweepColumn {
  std::string name, unit, description;
  bool numbers = true;

  friend bool operator==(const SweepColumn&, const SweepColumn&) = default;
};

// The plan and program that a file of rows belongs to.
struct SweepHeader {
  std::string kind;        // "sweep", "tuning"
  std::string plan_hash;   // over the plan and all files that its runs read
  std::string program;     // "knuckleboom 0.1.0 (revision)"
  std::string plan, text;  // the plan's file and its text
  std::int64_t runs = 0;   // of all shards; of a tuning: at most
  SweepShard shard;
  std::vector<SweepColumn> variables, results;
};

struct SweepRow {
  std::int64_t run = 0;             // from 0
  std::vector<std::string> values;  // of the variables
  std::vector<double> results;      // not a number where the run failed
  std::uint64_t state_hash = 0;     // of its last state; 0: there is none
  std::string failure;              // one sentence; empty: it did not fail
};

struct SweepRows {
  std::filesystem::path path;
  SweepHeader header;
  std::vector<SweepRow> rows;  // sorted by run, each once
  std::uint64_t sound_bytes = 0;
  std::uint64_t blocks = 0;

  bool complete() const {
    return static_cast<std::int64_t>(rows.size()) == header.shard.size(header.runs);
  }
};
// As far as the file is sound: a row that was cut off is left out. Throws FileError for a file that is none.
SweepRows read_sweep_rows(const std::filesystem::path& path);

// Appends rows. Each is in the file when add() returns.
class SweepRowsWriter {
 public:
  // Begins a file, or goes on with the one that is there; have: receives its rows. Throws FileError: it belongs to
  // another plan, program or shard, another program is writing to it, it cannot be written.
  static SweepRowsWriter open(const std::filesystem::path& path, const SweepHeader& header,
                              std::vector<SweepRow>& have);
  void add(const SweepRow& row);
  void sync() { file_.sync(); }  // onto the disk

 private:
  SweepRowsWriter(JournalFile file, std::uint64_t blocks)
      : file_(std::move(file)), blocks_(blocks) {}

  JournalFile file_;
  std::uint64_t blocks_;
};

// Why a file with rows is not that of this sweep, as a sentence to follow the name of the file; empty: it is.
std::string difference(const SweepHeader& there, const SweepHeader& wanted);

// The table as HDF5 and as CSV: the same bytes for the same rows. What is there already is replaced if it is a table
// of the same plan and program; otherwise FileError. check: before there is anything to write.
void check_sweep_table(const std::filesystem::path& path, const SweepHeader& header);
void write_sweep_table(const std::filesystem::path& path, const SweepHeader& header,
                       const std::vector<SweepRow>& rows);
void write_sweep_csv(const std::filesystem::path& path, const SweepHeader& header,
                     const std::vector<SweepRow>& rows);

}  // namespace knuckleboom::io
