// Durations of ticks: a histogram of fixed size, so that adding a time never allocates.
//
// Buckets are linear within each power of two of nanoseconds, which keeps every quantile within 1.6 %.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace knuckleboom::runtime {

// Summary of many times [us].
struct TimeSummary {
  double p50_us = 0.0;  // median
  double p99_us = 0.0;
  double p99_9_us = 0.0;
  double max_us = 0.0;
};

class TickTimes {
 public:
  void add(std::int64_t nanoseconds) {
    const auto ns = static_cast<std::uint64_t>(nanoseconds < 0 ? 0 : nanoseconds);
    ++buckets_[bucket_of(ns)];
    ++count_;
    if (ns > longest_ns_) longest_ns_ = ns;
  }

  std::int64_t count() const { return static_cast<std::int64_t>(count_); }
  // Quantile for a share of the ticks, such as 0.99; 0 without ticks [us].
  double quantile_us(double share) const;
  double max_us() const { return static_cast<double>(longest_ns_) * 1e-3; }
  TimeSummary summary() const {
    return {quantile_us(0.5), quantile_us(0.99), quantile_us(0.999), max_us()};
  }

 private:
  static constexpr unsigned kBits = 6;      // 64 buckets for each power of two
  static constexpr unsigned kLargest = 41;  // powers of two; 2^41 ns are 36 minutes
  static constexpr std::size_t kBuckets = (kLargest - kBits + 2) << kBits;

  static std::size_t bucket_of(std::uint64_t ns) {
    if (ns < (1U << kBits)) return ns;
    unsigned power = static_cast<unsigned>(std::bit_width(ns)) - 1;
    if (power > kLargest) return kBuckets - 1;
    const std::uint64_t within = (ns >> (power - kBits)) & ((1U << kBits) - 1U);
    return ((power - kBits + 1) << kBits) + within;
  }
  static double middle_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t longest_ns_ = 0;
};

}  // namespace knuckleboom::runtime
