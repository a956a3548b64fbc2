// Chosen signals of a running emulation as CSV, written off the tick thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"

namespace knuckleboom::app {

// Signals by names and patterns such as "host.*" ('*': any characters, '?': one), in the order of
// the catalogue, each once. Throws UserError for an unknown signal.
std::vector<int> choose_signals(const emulation::HilBench& bench,
                                const std::vector<std::string>& patterns);

inline constexpr int kMostLogged = 256;  // signals

struct SignalLogSettings {
  std::string file;
  std::vector<int> signals;  // kMostLogged at most
  int every = 1;             // ticks
  bool on = true;            // at the start
  // false: rows are written on the tick thread, and none is lost.
  bool own_thread = true;
};

class SignalLog {
 public:
  // The file has its name after finish(). Throws FileError.
  SignalLog(const emulation::HilBench& bench, const io::TraceHeader& header,
            SignalLogSettings settings);
  ~SignalLog();  // without finish() there is no file
  SignalLog(const SignalLog&) = delete;
  SignalLog& operator=(const SignalLog&) = delete;

  // --- Tick thread ---
  void turn(bool on) { on_ = on; }
  void after_tick(const emulation::HilState& state);

  // --- The thread that made it ---
  // When nobody ticks any more. Throws FileError.
  void finish();
  std::int64_t rows() const { return rows_.load(std::memory_order_relaxed); }
  // Rows lost because the disk was too slow.
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  // Reason why it stopped writing; empty: none.
  std::string fault();

 private:
  struct Row {
    double t_s;
    double value[kMostLogged];
  };
  struct Queue;

  void write();

  const emulation::HilBench& bench_;
  const SignalLogSettings settings_;
  std::unique_ptr<Queue> queue_;
  std::atomic<std::int64_t> rows_{0}, lost_{0};
  bool on_;

  io::TraceWriter writer_;  // the writer thread's
  std::vector<double> row_;

  std::mutex mutex_;
  std::exception_ptr failure_;
  std::string fault_;
  runtime::PeriodicThread thread_;
};

}  // namespace knuckleboom::app
