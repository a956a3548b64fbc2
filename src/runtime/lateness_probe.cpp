#include "knuckleboom/runtime/lateness_probe.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"
#include "knuckleboom/runtime/realtime_request.hpp"

namespace knuckleboom::runtime {
namespace {

constexpr std::int64_t kResultPeriodNs = 250'000'000;

}  // namespace

LatenessProbe::LatenessProbe(double rate_Hz, bool ask_for_priority)
    : rate_Hz_(rate_Hz), ask_for_priority_(ask_for_priority) {
  if (!(rate_Hz > 0.0)) throw std::invalid_argument("the probe's rate must be above 0");
  thread_ = std::thread([this] { run(); });
}

LatenessProbe::~LatenessProbe() { stop(); }

void LatenessProbe::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void LatenessProbe::run() {
  begin_thread("lateness-probe");
  Result result;
  if (!ask_for_priority_) return loop(result);
  const RealtimeRequest request(RealtimeRequest::Memory::kLeave);
  result.priority_granted = request.priority_granted();
  loop(result);
}

// No Pacer: nothing is caught up or lost, each deadline is independent.
void LatenessProbe::loop(Result& result) {
  Clock& clock = monotonic_clock();
  const double period_ns = 1e9 / rate_Hz_;
  TickTimes lateness;
  std::int64_t published_ns = clock.now_ns();
  double due = static_cast<double>(published_ns);
  while (!stopping_.load(std::memory_order_relaxed)) {
    due += period_ns;
    const std::int64_t due_ns = std::llround(due);
    clock.sleep_until_ns(due_ns);
    const std::int64_t now = clock.now_ns();
    lateness.add(now - due_ns);
    ++result.wakes;
    if (now - published_ns < kResultPeriodNs) continue;
    published_ns = now;
    result.lateness = lateness.summary();
    result_.write(result);
  }
  result.lateness = lateness.summary();
  result_.write(result);
}

}  // namespace knuckleboom::runtime
