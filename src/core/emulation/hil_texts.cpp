#include "knuckleboom/core/emulation/hil_texts.hpp"

#include <cmath>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::emulation {

const char* name_of(HilMode mode) {
  constexpr const char* kNames[kHilModes] = {"ready", "running", "holding", "stopped"};
  return kNames[static_cast<std::int32_t>(mode)];
}

const char* name_of(exchange::Source source) {
  constexpr const char* kNames[] = {"simulated", "log", "network"};
  return kNames[static_cast<std::int32_t>(source)];
}

std::string sentence(const HilBench& bench, const HilState& state) {
  return sentence(bench, state.mode, state.reason, state.reason_index, state.reason_value);
}

std::string sentence(const HilBench& bench, HilMode mode, HilReason reason, std::int64_t index,
                     double value) {
  const auto number = [](double x) {
    std::string text = std::to_string(x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  const SafetyLimits& safety = bench.emulation().plan().safety;
  std::string why;
  switch (reason) {
    case HilReason::kNone:
      break;
    case HilReason::kUser:
      why = "as asked";
      break;
    case HilReason::kLateTick:
      why = "a tick started " + number(value) + " s late";
      break;
    case HilReason::kConsoleSilent:
      why = "the console gave no sign of life for " + number(value) + " s";
      break;
    case HilReason::kSilentSignal: {
      const int signal = bench.signal_of(static_cast<int>(index));
      why = "signal '" + nth(bench.signals(), signal).name + "' is silent";
      break;
    }
    case HilReason::kStopSignal:
      why = "the stop button outside was pressed";
      break;
    case HilReason::kForce:
      why = "the force is " + number(value) + " N, beyond the limit of " +
            number(safety.most_force) + " N";
      break;
    case HilReason::kTipError:
      why = "the host's tip is " + number(value) +
            " m from where it should be, beyond the limit of " + number(safety.most_tip_error) +
            " m";
      break;
    case HilReason::kOscillation: {
      const char* const names[] = {"the host's tip swings about the emulated one",
                                   "the host's tool turns to and fro about the emulated one",
                                   "the force swings",
                                   "the host's tip swings about the emulated one"};
      why = std::string(names[index]) + " at " + number(std::round(10.0 * value) / 10.0) + " Hz";
      break;
    }
    case HilReason::kEnergy:
      why = "the loop has added " + number(value) + " J, beyond its budget of " +
            number(safety.energy_budget) + " J";
      break;
    case HilReason::kNotFinite:
      why = "the state left the real numbers";
      break;
  }
  return name_of(mode) + (why.empty() ? "" : ": " + why);
}

}  // namespace knuckleboom::emulation
