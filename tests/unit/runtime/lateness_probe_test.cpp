#include "knuckleboom/runtime/lateness_probe.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "knuckleboom/runtime/pacer.hpp"

namespace knuckleboom::runtime {
namespace {

using namespace std::chrono_literals;

TEST(LatenessProbe, wakesAtItsRateAndCountsHowLate) {
  const std::int64_t begin = monotonic_clock().now_ns();
  LatenessProbe probe(1000.0, false);
  std::this_thread::sleep_for(400ms);
  probe.stop();
  const double took_s = static_cast<double>(monotonic_clock().now_ns() - begin) * 1e-9;
  const LatenessProbe::Result& result = probe.result();
  EXPECT_GT(result.wakes, 0);
  EXPECT_LE(static_cast<double>(result.wakes), took_s * 1000.0 + 1.0);
  EXPECT_GT(result.lateness.max_us, 0.0);
  EXPECT_LE(result.lateness.p50_us, result.lateness.p99_us);
  EXPECT_LE(result.lateness.p99_9_us, result.lateness.max_us);
  EXPECT_FALSE(result.priority_granted);
}

TEST(LatenessProbe, endsWithoutBeingStopped) { const LatenessProbe probe(250.0); }

TEST(LatenessProbe, refusesAnImpossibleRate) {
  EXPECT_THROW(LatenessProbe(0.0), std::invalid_argument);
}

}  // namespace
}  // namespace knuckleboom::runtime
