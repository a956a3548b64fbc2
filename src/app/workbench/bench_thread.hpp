// A workbench that runs in real time, on a thread of its own.
//
//   demands (queue) -> tick -> newest snapshot (latest value), snapshots for the curves (queue)
//
// The machine belongs to the thread while it runs, and to the owner while it stands: whatever is more than a demand
// is done in between.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "app/workbench/workbench.hpp"
#include "knuckleboom/runtime/event_queue.hpp"
#include "knuckleboom/runtime/latest_value.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "runtime/paced_loop.hpp"

namespace knuckleboom::app {

inline constexpr double kBenchRowRate = 100.0;  // of rows for curves and traces [1/s]
// Ticks between two rows.
std::int64_t bench_row_ticks(const Workbench& bench);

struct JointDemand {
  std::int32_t joint;
  DemandKind kind;
  double value;
};

struct BenchShot {
  sim::Snapshot snapshot;
  Demand demand[kMaxLinks];
  runtime::ThreadHealth health;
};
static_assert(std::is_trivially_copyable_v<BenchShot>);

// All functions are for one thread, its creator.
class BenchThread {
 public:
  explicit BenchThread(Workbench& bench, runtime::Clock& clock = runtime::monotonic_clock());
  ~BenchThread();
  BenchThread(const BenchThread&) = delete;
  BenchThread& operator=(const BenchThread&) = delete;

  void start();
  void stop();  // afterwards the machine may be changed
  bool running() const { return loop_ != nullptr; }

  // Before the next tick, in this order. Throws UserError if it cannot be.
  void demand(const JointDemand& demand);
  // The present state; after a change of a machine that does not run.
  void show();
  // The newest shot, and rows since the last call in their order.
  const BenchShot& newest();
  bool row(sim::Snapshot& row) { return exchange_->rows.pop(row); }

 private:
  struct Exchange {
    runtime::PatientQueue<JointDemand, 256> demands;
    runtime::LatestValue<BenchShot> shot;
    runtime::EventQueue<sim::Snapshot, 512> rows;
  };
  void tick();
  void publish(bool at_end);

  Workbench& bench_;
  runtime::Clock& clock_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<runtime::PacedLoop> loop_;  // the last: its thread ends first
};

}  // namespace knuckleboom::app
