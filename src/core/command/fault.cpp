#include "knuckleboom/core/command/fault.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::command {

const char* name_of(FaultKind kind) {
  constexpr const char* kNames[kFaultKinds] = {"sticking_spool", "spool_offset", "worn_pump",
                                               "air_in_oil",     "hose_leak",    "cylinder_leak",
                                               "low_relief",     "sensor_bias",  "sensor_noise",
                                               "sensor_dropout", "lever_delay",  "controller_off"};
  return nth(kNames, kind);
}

bool needs_function(FaultKind kind) {
  return kind != FaultKind::kWornPump && kind != FaultKind::kAirInOil &&
         kind != FaultKind::kLowRelief && kind != FaultKind::kLeverDelay;
}

void draw_card(const FaultLot& lot, std::vector<Fault>& faults) {
  if (lot.draw <= 0) return;
  // The first `draw` of a shuffle (Fisher and Yates).
  std::vector<std::string> drawn = lot.candidates;
  std::uint64_t random = lot.seed;
  for (std::size_t i = 0; i + 1 < drawn.size(); ++i) {
    random = mixed_bits(random + i);
    std::swap(drawn[i], drawn[i + random % (drawn.size() - i)]);
  }
  drawn.resize(std::min(drawn.size(), static_cast<std::size_t>(lot.draw)));
  for (Fault& fault : faults) {
    const auto has = [&fault](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), fault.name) != list.end();
    };
    if (has(lot.candidates) && !has(drawn)) fault.at_s = fault.until_s = -1.0;
  }
}

}  // namespace knuckleboom::command
