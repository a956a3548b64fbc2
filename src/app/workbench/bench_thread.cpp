#include "app/workbench/bench_thread.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::app {
namespace {

constexpr double kShotRate = 60.0;  // 1/s

}  // namespace

std::int64_t bench_row_ticks(const Workbench& bench) {
  return std::max<std::int64_t>(1,
                                std::llround(1.0 / (kBenchRowRate * bench.simulation().tick_s())));
}

BenchThread::BenchThread(Workbench& bench, runtime::Clock& clock)
    : bench_(bench), clock_(clock), exchange_(std::make_unique<Exchange>()) {
  show();
}

BenchThread::~BenchThread() { stop(); }

void BenchThread::start() {
  if (running()) return;
  const double h = bench_.simulation().tick_s();
  const std::int64_t shot_ticks = std::max<std::int64_t>(1, std::llround(1.0 / (kShotRate * h)));
  loop_ = std::make_unique<runtime::PacedLoop>(h, runtime::Pacer::kDefaultCatchUp, clock_);
  loop_->start("workbench", true, [this, shot_ticks] {
    loop_->run([] { return true; }, [] { return true; },
               [this, shot_ticks] {
                 const std::int64_t begun = clock_.now_ns();
                 tick();
                 loop_->tick_cost.add(clock_.now_ns() - begun);
                 if (bench_.state().sim.tick % shot_ticks == 0) publish(false);
                 return true;
               });
  });
}

void BenchThread::stop() {
  if (!running()) return;
  loop_->stop();
  JointDemand left{};
  while (exchange_->demands.pop(left)) bench_.demand(left.joint, left.kind, left.value);
  publish(true);
  loop_.reset();
}

void BenchThread::demand(const JointDemand& demand) {
  bench_.check_demand(demand.joint, demand.kind, demand.value);
  if (running()) {
    exchange_->demands.push(demand);
  } else {
    bench_.demand(demand.joint, demand.kind, demand.value);
    show();
  }
}

void BenchThread::show() {
  exchange_->rows.push(sim::take_snapshot(bench_.simulation(), bench_.state().sim));
  publish(true);
}

const BenchShot& BenchThread::newest() {
  exchange_->demands.send_waiting();
  exchange_->shot.refresh();
  return exchange_->shot.value();
}

void BenchThread::tick() {
  JointDemand demand{};
  while (exchange_->demands.pop(demand)) bench_.demand(demand.joint, demand.kind, demand.value);
  bench_.step();
  if (bench_.state().sim.tick % bench_row_ticks(bench_) != 0) return;
  if (sim::Snapshot* const row = exchange_->rows.next()) {
    *row = sim::take_snapshot(bench_.simulation(), bench_.state().sim);
    exchange_->rows.send();
  }
}

void BenchThread::publish(bool at_end) {
  BenchShot& out = exchange_->shot.next();
  out.snapshot = sim::take_snapshot(bench_.simulation(), bench_.state().sim);
  std::copy_n(bench_.state().demand, kMaxLinks, out.demand);
  if (running()) out.health = loop_->health(0, at_end);
  exchange_->shot.publish();
}

}  // namespace knuckleboom::app
