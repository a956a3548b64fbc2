// knuckleboom sweep: many runs that differ by a plan, and the table of their results.
#include "app/commands/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/options.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/processors.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

using SweepClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSweepShowEvery(250);
constexpr std::chrono::seconds kSweepSyncEvery(5);
constexpr std::int64_t kNoEstimateBefore = 500'000'000;  // ns

std::int64_t sweep_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(SweepClock::now().time_since_epoch())
      .count();
}

std::string time_left(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

io::SweepShard shard_of(const std::string& text) {
  io::SweepShard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
  const auto of = slash ? std::from_chars(number.ptr + 1, end, shard.of) : number;
  if (!slash || of.ec != std::errc() || of.ptr != end || shard.number < 1 ||
      shard.of < shard.number)
    throw UserError(
        fmt::format("--shard {}: write which of how many, from 1, such as 2/8", printable(text)));
  return shard;
}

std::string table_note(const fs::path& table) {
  return fmt::format("{} and {}", table.string(), csv_path(table).string());
}

void check_outputs_of_sweep(const SweepOptions& options, const Sweep& sweep,
                            const fs::path& table) {
  check_output_path(table, "--output");
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  if (!options.plot.empty()) check_picture_path(options.plot);
  check_distinct({{"--output", table},
                  {"--output", csv_path(table)},
                  {"--summary", options.summary},
                  {"--plot", options.plot}},
                 {sweep.path.string(), rows_path(table, {}).string()});
}

int run_here(const SweepOptions& options, const Sweep& sweep) {
  const io::SweepShard shard = options.shard.empty() ? io::SweepShard{} : shard_of(options.shard);
  const fs::path table = table_path(options, sweep.path);
  const fs::path rows = rows_path(table, shard);
  const io::SweepHeader header = sweep.header(shard);
  check_outputs_of_sweep(options, sweep, table);
  if (options.shard.empty()) {
    io::check_sweep_table(table, header);
    io::check_sweep_table(csv_path(table), header);
  }
  std::vector<io::SweepRow> have;
  io::SweepRowsWriter writer = io::SweepRowsWriter::open(rows, header, have);
  std::vector<bool> known(static_cast<std::size_t>(header.runs), false);
  for (const io::SweepRow& row : have) known[static_cast<std::size_t>(row.run)] = true;
  std::vector<std::int64_t> missing;
  for (std::int64_t run = 0; run < header.runs; ++run)
    if (shard.has(run) && !known[static_cast<std::size_t>(run)]) missing.push_back(run);
  const std::int64_t of_shard = shard.size(header.runs);
  if (!have.empty() && !missing.empty())
    complain(fmt::format("going on with {}, which has {} of {}", rows.string(), have.size(),
                         counted(of_shard, "run", "runs")));

  const auto had = static_cast<std::int64_t>(have.size());
  const auto begin = SweepClock::now();
  SweepClock::time_point synced = begin;
  bool finished = true;
  {
    SweepProgress progress(of_shard);
    finished = run_sweep(
        sweep, missing, {}, threads_of(options),
        [&](io::SweepRow&& row) {
          writer.add(row);
          have.push_back(std::move(row));
        },
        [&] {
          const auto done = static_cast<std::int64_t>(have.size());
          progress.show(done, done - had);
          if (SweepClock::now() - synced < kSweepSyncEvery) return;
          synced = SweepClock::now();
          writer.sync();
        });
  }
  if (!finished) {
    complain(fmt::format("stopped after {} of {}; the same command goes on with them", have.size(),
                         counted(of_shard, "run", "runs")));
    return kInterruptedRun;
  }
  const double took = std::chrono::duration<double>(SweepClock::now() - begin).count();
  writer.sync();
  std::sort(have.begin(), have.end(),
            [](const io::SweepRow& a, const io::SweepRow& b) { return a.run < b.run; });
  if (!options.shard.empty()) {
    say(fmt::format("shard {}/{}: {} of {} in {}\n", shard.number, shard.of, have.size(),
                    counted(header.runs, "run", "runs"), rows.string()));
    return kSuccess;
  }
  const int status = finish_sweep(options, sweep.plan, header, have, table);
  if (!missing.empty())
    say(fmt::format("{} in {:.2f} s\n",
                    counted(static_cast<long long>(missing.size()), "run", "runs"), took));
  return status;
}

void check_ways(const SweepOptions& options) {
  std::vector<std::string> ways;
  if (options.gather) ways.emplace_back("--gather");
  if (options.slurm) ways.emplace_back("--slurm");
  if (options.tune) ways.emplace_back("--tune");
  if (!options.hosts.empty()) ways.emplace_back("--parallel");
  if (!options.shard.empty()) ways.emplace_back("--shard");
  if (ways.size() > 1) throw UserError(fmt::format("{} do not go together", listing(ways)));
  const bool spreads = options.slurm || !options.hosts.empty();
  if (!spreads && options.shards > 0)
    throw UserError("--shards says into how many parts --slurm or --parallel divide a sweep");
  if (!options.slurm && !options.sbatch.empty()) throw UserError("--sbatch is for --slurm");
  if (!options.shard.empty() && (!options.plot.empty() || !options.summary.empty()))
    throw UserError("a shard has no summary and no picture; --gather makes them of all shards");
  if (!options.gather && options.files.size() > 1)
    throw UserError(fmt::format("a sweep has one plan, and {} were given", options.files.size()));
}

int sweep(const SweepOptions& options) {
  const InterruptGuard guard;
  check_ways(options);
  if (options.gather) return gather_sweep(options);
  const Sweep sweep(options.files.front());
  if (options.slurm) return submit_sweep(options, sweep);
  if (!options.hosts.empty()) return spread_sweep(options, sweep);
  if (options.tune) return tune_sweep(options, sweep);
  return run_here(options, sweep);
}

}  // namespace

// --- Files --------------------------------------------------------------------

Sweep::Sweep(const std::string& name_or_file)
    : plan(io::read_sweep_plan(io::find_sweep(name_or_file))),
      path(plan.file),
      runner(plan),
      designer(plan) {}

io::SweepHeader Sweep::header(const io::SweepShard& shard) const {
  io::SweepHeader out;
  out.kind = "sweep";
  out.plan_hash = runner.hash();
  out.program = fmt::format("knuckleboom {} ({})", kVersion, kRevision);
  out.plan = path.filename().string();
  out.text = plan.text;
  out.runs = designer.size();
  out.shard = shard;
  for (const io::SweepVariable& variable : plan.variables)
    out.variables.push_back({variable.name, "",
                             variable.factor ? "factor of " + variable.key : variable.key,
                             variable.values.empty() || variable.numbers});
  out.results = runner.results();
  return out;
}

fs::path table_path(const SweepOptions& options, const fs::path& plan, const std::string& after) {
  if (options.output.empty()) return plan.stem().string() + after + ".h5";
  const fs::path path = options.output;
  if (path.extension() != ".h5")
    throw UserError(
        fmt::format("--output {}: the table's name ends in .h5; one in .csv is written "
                    "beside it",
                    options.output));
  return path;
}

fs::path csv_path(const fs::path& table) { return fs::path(table).replace_extension(".csv"); }

fs::path rows_path(const fs::path& table, const io::SweepShard& shard) {
  const std::string suffix =
      shard.of > 1 ? fmt::format(".shard-{}-of-{}{}", shard.number, shard.of, io::kSweepRowsSuffix)
                   : std::string(io::kSweepRowsSuffix);
  return fs::path(table).replace_extension(suffix);
}

int finish_sweep(const SweepOptions& options, const io::SweepPlan& plan,
                 const io::SweepHeader& header, const std::vector<io::SweepRow>& rows,
                 const fs::path& table) {
  io::write_sweep_table(table, header, rows);
  io::write_sweep_csv(csv_path(table), header, rows);
  say(sweep_text(plan, header, rows));
  say(fmt::format("table in {}\n", table_note(table)));
  if (!options.summary.empty()) io::write_file(options.summary, sweep_json(plan, header, rows));
  if (!options.plot.empty()) draw(sweep_figure(plan, header, rows), options.plot);
  const bool none = std::all_of(rows.begin(), rows.end(),
                                [](const io::SweepRow& row) { return !row.failure.empty(); });
  return none ? kNonFinite : kSuccess;
}

// --- Runs ---------------------------------------------------------------------

int threads_of(const SweepOptions& options) {
  return options.jobs > 0 ? options.jobs : processors();
}

SweepProgress::SweepProgress(std::int64_t runs)
    : on_(isatty(STDERR_FILENO) != 0), runs_(runs), begin_ns_(sweep_now_ns()) {}

SweepProgress::~SweepProgress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void SweepProgress::show(std::int64_t done, std::int64_t now_done) {
  if (!on_) return;
  shown_ = true;
  const std::int64_t elapsed = sweep_now_ns() - begin_ns_;
  std::string left;
  if (now_done > 0 && elapsed > kNoEstimateBefore)
    left = fmt::format(
        ", {} left", time_left(static_cast<double>(elapsed) * 1e-9 *
                               static_cast<double>(runs_ - done) / static_cast<double>(now_done)));
  std::fprintf(stderr, "\r\033[K%lld of %lld runs%s", static_cast<long long>(done),
               static_cast<long long>(runs_), left.c_str());
  std::fflush(stderr);
}

bool run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& runs,
               const std::vector<std::string>& further, int threads,
               const std::function<void(io::SweepRow&&)>& take,
               const std::function<void()>& meanwhile) {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::size_t working = 0;
  std::exception_ptr failure;
  const auto stopped = [&stop] { return stop.load(std::memory_order_relaxed); };
  const std::size_t count = std::min(static_cast<std::size_t>(std::max(1, threads)), runs.size());
  // Few runs are spread over the threads first.
  const std::size_t together = std::clamp<std::size_t>(
      runs.size() / std::max<std::size_t>(1, count), 1, sweep.runner.block());

  const auto work = [&] {
    try {
      std::vector<io::SweepRow> block;
      while (!stopped()) {
        const std::size_t begin = next.fetch_add(together);
        if (begin >= runs.size()) break;
        block.clear();
        for (std::size_t i = begin; i < std::min(begin + together, runs.size()); ++i) {
          io::SweepRow row;
          row.run = runs[i];
          row.values = sweep.designer.values(row.run);
          block.push_back(std::move(row));
        }
        if (!sweep.runner.run(block, further, stopped)) break;
        const std::lock_guard lock(mutex);
        for (io::SweepRow& row : block) take(std::move(row));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
    const std::lock_guard lock(mutex);
    --working;
    changed.notify_all();
  };

  std::vector<std::thread> workers;
  working = count;
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back(work);
  {
    std::unique_lock lock(mutex);
    while (working > 0) {
      changed.wait_for(lock, kSweepShowEvery, [&] { return working == 0; });
      if (interrupted()) stop = true;
      if (working > 0 && !failure) try {
          meanwhile();
        } catch (...) {
          failure = std::current_exception();
          stop = true;
        }
    }
  }
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
  return !stop;
}

// --- The command --------------------------------------------------------------

Command sweep_command() {
  const auto o = std::make_shared<SweepOptions>();
  return {
      .name = "sweep",
      .sentence = "Run a plan of many runs: grids, random draws, sensitivities, tuning",
      .arguments =
          {{.name = "files",
            .target = &o->files,
            .kind = {"PLAN", &io::sweep_names, ValueKind::Path::kFile, ".toml"},
            .sentence = "Plan: a name or a file; with --gather the files of all shards",
            .required = true},
           {.name = "-o,--output",
            .target = &o->output,
            .kind = file_value("TABLE.h5", ".h5"),
            .sentence = "The table, with a CSV of the same name; what is there already of "
                        "the same plan is gone on with",
            .without = "the plan's name, in this folder"},
           summary_option(o->summary, "Write statistics and sensitivities as JSON"),
           plot_option(o->plot, "Draw results over what they depend on most"),
           {.name = "--jobs",
            .target = &o->jobs,
            .kind = {"N"},
            .sentence = "Runs at the same time",
            .without = "one for each core",
            .range = Range{1.0, 1024.0}},
           {.name = "--tune",
            .target = &o->tune,
            .sentence = "Find the parameters of [tune] that are best over all runs"},
           {"--shard", &o->shard, {"I/N"}, "Do one of N parts of the runs"},
           {.name = "--gather", .target = &o->gather, .sentence = "Join shards into the table"},
           {.name = "--slurm",
            .target = &o->slurm,
            .sentence = "Do the shards as a Slurm job array, wait for it and join them"},
           {"--sbatch", &o->sbatch, {"OPTION"}, "An option for sbatch, such as --partition=long"},
           {"--parallel",
            &o->hosts,
            {"HOSTS"},
            "Do the shards by GNU parallel on these hosts, with commas between them, and "
            "join them"},
           {.name = "--shards",
            .target = &o->shards,
            .kind = {"N"},
            .sentence = "Number of shards for --slurm and --parallel",
            .without = "so many that each has a minute of work",
            .range = Range{1.0, 100000.0}}},
      .examples = {"knuckleboom sweep stick_spread --plot spread.png",
                   "knuckleboom sweep plan.toml -o gains.h5 --summary gains.json",
                   "knuckleboom sweep stick_tune --tune", "knuckleboom sweep plan.toml --shard 2/8",
                   "knuckleboom sweep --gather plan.shard-*.rows",
                   "knuckleboom sweep plan.toml --slurm --sbatch --partition=long"},
      .run = [o] { return sweep(*o); }};
}

}  // namespace knuckleboom::app
