#include "knuckleboom/runtime/tick_times.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::runtime {

double TickTimes::middle_of(std::size_t bucket) {
  constexpr std::size_t kPerPower = std::size_t{1} << kBits;
  if (bucket < kPerPower) return static_cast<double>(bucket);
  const int power = static_cast<int>(bucket >> kBits) - 1;  // beyond kBits
  const double low = static_cast<double>(kPerPower + (bucket & (kPerPower - 1)));
  return std::ldexp(low + 0.5, power);
}

double TickTimes::quantile_us(double share) const {
  if (count_ == 0) return 0.0;
  const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen > 0 && static_cast<double>(seen) >= wanted)
      return std::min(middle_of(bucket) * 1e-3, max_us());
  }
  return max_us();
}

}  // namespace knuckleboom::runtime
