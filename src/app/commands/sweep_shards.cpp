// Sweeps on more than one machine: shards joined, or handed to Slurm or to GNU parallel.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/sweep.hpp"
#include "app/shell/child_process.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr double kShardWork = 60.0;  // s, at least
constexpr double kTimedFor = 2.0;    // s, to find out how long a run takes
constexpr double kNoLimit = 1e9;     // s, of a child
constexpr int kRounds = 2;           // a shard that was lost is handed out once more
constexpr std::int64_t kMostShards = 10'000;

// --- Joining ------------------------------------------------------------------

std::string numbers_of(const std::vector<std::int64_t>& list) {
  std::vector<std::string> words;
  for (const std::int64_t one : list) words.push_back(fmt::format("{}", one));
  return listing(words);
}

// All rows, if these are all shards of one sweep, each once and whole.
io::SweepRows joined_shards(const std::vector<fs::path>& files) {
  std::vector<io::SweepRows> shards;
  std::set<std::int64_t> seen;
  for (const fs::path& file : files) {
    io::SweepRows shard = io::read_sweep_rows(file);
    if (!shards.empty()) {
      io::SweepHeader wanted = shards.front().header;
      wanted.shard.number = shard.header.shard.number;
      if (const std::string why = io::difference(shard.header, wanted); !why.empty())
        throw io::FileError(file.string(), fmt::format("it does not go with {}: {}",
                                                       shards.front().path.string(), why));
    }
    const io::SweepShard& which = shard.header.shard;
    if (!seen.insert(which.number).second)
      throw io::FileError(file.string(), fmt::format("shard {}/{} was given already; give each "
                                                     "once",
                                                     which.number, which.of));
    if (!shard.complete())
      throw io::FileError(file.string(),
                          fmt::format("shard {}/{} has {} of its {}; run it to its end: "
                                      "knuckleboom sweep {} --shard {}/{}",
                                      which.number, which.of, shard.rows.size(),
                                      counted(which.size(shard.header.runs), "run", "runs"),
                                      shard.header.plan, which.number, which.of));
    shards.push_back(std::move(shard));
  }
  io::SweepRows all = std::move(shards.front());
  std::vector<std::int64_t> missing;
  for (std::int64_t i = 1; i <= all.header.shard.of; ++i)
    if (!seen.contains(i)) missing.push_back(i);
  if (!missing.empty())
    throw UserError(fmt::format("of {} shards {} {} missing; nothing was written",
                                all.header.shard.of, numbers_of(missing),
                                missing.size() == 1 ? "is" : "are"));
  for (std::size_t i = 1; i < shards.size(); ++i)
    std::move(shards[i].rows.begin(), shards[i].rows.end(), std::back_inserter(all.rows));
  std::sort(all.rows.begin(), all.rows.end(),
            [](const io::SweepRow& a, const io::SweepRow& b) { return a.run < b.run; });
  all.header.shard = {};
  return all;
}

int join_shards(const SweepOptions& options, const std::vector<fs::path>& files,
                const fs::path& table) {
  const io::SweepRows all = joined_shards(files);
  const io::SweepPlan plan = io::read_sweep_plan_text(all.header.text, all.header.plan);
  return finish_sweep(options, plan, all.header, all.rows, table);
}

// --- Handing out --------------------------------------------------------------

bool shard_is_done(const fs::path& file, const io::SweepHeader& header) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return false;
  const io::SweepRows rows = io::read_sweep_rows(file);
  if (const std::string why = io::difference(rows.header, header); !why.empty())
    throw io::FileError(file.string(), fmt::format("{}; remove it, or choose another table with "
                                                   "--output",
                                                   why));
  return rows.complete();
}

// How many shards there are of this table already; 0: none.
std::int64_t shards_begun(const fs::path& table) {
  const std::string begin = table.stem().string() + ".shard-";
  const fs::path folder = table.has_parent_path() ? table.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t of = name.find("-of-");
    if (!name.starts_with(begin) || of == std::string::npos ||
        entry.path().extension() != io::kSweepRowsSuffix)
      continue;
    return std::strtoll(name.c_str() + of + 4, nullptr, 10);
  }
  return 0;
}

// Work of one run [s] on one core, from as many as fit into a little time.
double work_of_run(const Sweep& sweep) {
  const std::int64_t size = sweep.designer.size();
  const auto begin = std::chrono::steady_clock::now();
  double spent = 0.0;
  std::int64_t done = 0;
  while (spent < kTimedFor && done < size && !interrupted()) {
    io::SweepRow row;
    row.run = done * 7919 % size;  // here and there
    row.values = sweep.designer.values(row.run);
    if (!sweep.runner.run({&row, 1}, {}, &interrupted)) break;
    ++done;
    spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return spent / static_cast<double>(std::max<std::int64_t>(done, 1));
}

std::int64_t shards_of(const SweepOptions& options, const Sweep& sweep, const fs::path& table) {
  if (options.shards > 0) return std::min<std::int64_t>(options.shards, sweep.designer.size());
  if (const std::int64_t begun = shards_begun(table); begun > 0) return begun;
  const double work = work_of_run(sweep) * static_cast<double>(sweep.designer.size());
  const auto shards = static_cast<std::int64_t>(work / kShardWork);
  return std::clamp<std::int64_t>(shards, 1, std::min(kMostShards, sweep.designer.size()));
}

std::string own_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A tool that is not there, or that failed.
void check_tool(const ChildResult& child, const std::string& tool, const std::string& package) {
  if (child.start_error == ENOENT || child.status == 127)
    throw UserError(
        fmt::format("{} is not installed (Debian: apt-get install {}); --shard does "
                    "the parts one by one",
                    tool, package));
  if (child.start_error != 0)
    throw UserError(fmt::format("{} cannot be started: {}", tool,
                                std::generic_category().message(child.start_error)));
}

// Hands out the shards that are not done, waits for them, and joins all.
template <class HandOut>
int do_shards(const SweepOptions& options, const Sweep& sweep, HandOut hand_out) {
  const fs::path table = fs::absolute(table_path(options, sweep.path));
  check_output_path(table, "--output");
  io::check_sweep_table(table, sweep.header());
  io::check_sweep_table(csv_path(table), sweep.header());
  const std::int64_t shards = shards_of(options, sweep, table);
  std::vector<fs::path> files;
  for (std::int64_t i = 1; i <= shards; ++i)
    files.push_back(rows_path(table, io::SweepShard{i, shards}));
  for (int round = 0;; ++round) {
    std::vector<std::int64_t> missing;
    for (std::int64_t i = 1; i <= shards; ++i)
      if (!shard_is_done(files[static_cast<std::size_t>(i - 1)],
                         sweep.header(io::SweepShard{i, shards})))
        missing.push_back(i);
    if (missing.empty()) break;
    if (round == kRounds)
      throw RunFailure(
          fmt::format("{} of {} {} not come to an end: {}; the same command hands out "
                      "what is missing",
                      missing.size() == 1 ? "a shard" : "shards", shards,
                      missing.size() == 1 ? "has" : "have", numbers_of(missing)));
    if (round > 0) complain(fmt::format("handing out again: {}", numbers_of(missing)));
    hand_out(table, shards, missing);
    if (interrupted()) {
      complain("stopped; what the shards have done stays, and the same command goes on");
      return kInterruptedRun;
    }
  }
  return join_shards(options, files, table);
}

std::string shard_command(const Sweep& sweep, const fs::path& table, std::int64_t shards,
                          const std::string& number, const std::string& further) {
  return fmt::format("{} sweep {} --output {} --shard {}/{} {}", in_quotes(own_program()),
                     in_quotes(fs::absolute(sweep.path).string()), in_quotes(table.string()),
                     number, shards, further);
}

}  // namespace

int gather_sweep(const SweepOptions& options) {
  const std::vector<fs::path> files(options.files.begin(), options.files.end());
  const io::SweepRows first = io::read_sweep_rows(files.front());
  const fs::path table = table_path(options, first.header.plan);
  check_output_path(table, "--output");
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  if (!options.plot.empty()) check_picture_path(options.plot);
  return join_shards(options, files, table);
}

int submit_sweep(const SweepOptions& options, const Sweep& sweep) {
  const auto hand_out = [&](const fs::path& table, std::int64_t shards,
                            const std::vector<std::int64_t>& missing) {
    const fs::path script = fs::path(table).replace_extension(".sbatch.sh");
    const int cpus = std::max(1, options.jobs);
    io::write_file(
        script,
        fmt::format("#!/bin/sh\n"
                    "# Shards of a sweep as tasks of a Slurm job array; knuckleboom sweep --slurm "
                    "has written this.\n"
                    "#SBATCH --job-name={}\n"
                    "#SBATCH --cpus-per-task={}\n"
                    "exec {}\n",
                    table.stem().string(), cpus,
                    shard_command(sweep, table, shards, "\"$SLURM_ARRAY_TASK_ID\"",
                                  fmt::format("--jobs {}", cpus))));
    std::vector<std::string> command = {
        "sbatch", "--wait", "--parsable", fmt::format("--array={}", fmt::join(missing, ",")),
        fmt::format("--output={}", fs::path(table).replace_extension(".slurm-%a.log").string())};
    command.insert(command.end(), options.sbatch.begin(), options.sbatch.end());
    command.push_back(script.string());
    complain(fmt::format("{} of {} handed to Slurm, {} of work each at least",
                         counted(static_cast<long long>(missing.size()), "shard", "shards"),
                         counted(sweep.designer.size(), "run", "runs"),
                         with_prefix(kShardWork, "s")));
    const ChildResult child = run_child(command, "", kNoLimit);
    check_tool(child, "sbatch", "slurm-client");
    // The shard of a task that fails tells it; without a number no job was made at all.
    if (!child.interrupted && child.output.find_first_of("0123456789") == std::string::npos)
      throw UserError(fmt::format("sbatch made no job: {}", one_line(child.errors)));
  };
  return do_shards(options, sweep, hand_out);
}

int spread_sweep(const SweepOptions& options, const Sweep& sweep) {
  const auto hand_out = [&](const fs::path& table, std::int64_t shards,
                            const std::vector<std::int64_t>& missing) {
    const std::string further = options.jobs > 0 ? fmt::format("--jobs {}", options.jobs) : "";
    std::vector<std::string> command = {"parallel",
                                        "--will-cite",
                                        "--jobs",
                                        "1",
                                        "--sshlogin",
                                        options.hosts,
                                        "--workdir",
                                        fs::current_path().string(),
                                        shard_command(sweep, table, shards, "{}", further),
                                        ":::"};
    for (const std::int64_t one : missing) command.push_back(fmt::format("{}", one));
    const ChildResult child = run_child(command, "", kNoLimit);
    check_tool(child, "parallel", "parallel");
    if (child.status != 0 && !child.interrupted && !child.errors.empty())
      complain(fmt::format("GNU parallel: {}", one_line(child.errors)));
  };
  return do_shards(options, sweep, hand_out);
}

}  // namespace knuckleboom::app
