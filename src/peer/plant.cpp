#include "peer/plant.hpp"

#include <cmath>
#include <cstddef>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom::peer {

Plant::Plant(std::span<const io::OutsideSignal> in, std::span<const io::OutsideSignal> out,
             double step_s) {
  for (const io::OutsideSignal& signal : in) {
    const io::PlantRule& rule = signal.plant;
    Lag lag{-1, rule.gain, rule.offset, rule.lag_s > 0.0 ? decay(step_s / rule.lag_s) : 0.0};
    for (std::size_t k = 0; k < out.size(); ++k)
      if (out[k].rule.name == rule.follows) lag.follows = static_cast<int>(k);
    lags_.push_back(lag);
    values_.push_back(rule.offset);
  }
}

void Plant::step(std::span<const double> commands) {
  for (std::size_t i = 0; i < lags_.size(); ++i) {
    const Lag& lag = lags_[i];
    const double command = lag.follows < 0 ? 0.0 : nth(commands, lag.follows);
    const double target = lag.offset + lag.gain * command;
    values_[i] = target + lag.keeps * (values_[i] - target);
  }
}

double quantised(double value, double quantum) {
  return quantum > 0.0 ? quantum * std::round(value / quantum) : value;
}

}  // namespace knuckleboom::peer
