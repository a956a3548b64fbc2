#include "knuckleboom/core/emulation/loop_words.hpp"

namespace knuckleboom::emulation {

const char* name_of(LoopMode mode) {
  constexpr const char* kNames[kLoopModes] = {"ready", "running", "holding", "stopped"};
  return kNames[static_cast<std::int32_t>(mode)];
}

const char* name_of(exchange::Source source) {
  constexpr const char* kNames[] = {"simulated", "log", "network"};
  return kNames[static_cast<std::int32_t>(source)];
}

std::string sentence(const HardwareLoop& loop, const LoopState& state) {
  return sentence(loop, state.mode, state.reason, state.reason_index, state.reason_value);
}

std::string sentence(const HardwareLoop& loop, LoopMode mode, LoopReason reason, std::int64_t index,
                     double value) {
  const auto number = [](double x) {
    std::string text = std::to_string(x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  const SafetyLimits& safety = loop.emulation().plan().safety;
  std::string why;
  switch (reason) {
    case LoopReason::kNone:
      break;
    case LoopReason::kUser:
      why = "as asked";
      break;
    case LoopReason::kLateTick:
      why = "a tick started " + number(value) + " s late";
      break;
    case LoopReason::kConsoleSilent:
      why = "the console gave no sign of life for " + number(value) + " s";
      break;
    case LoopReason::kSilentSignal: {
      const int signal = loop.signal_of(static_cast<int>(index));
      why = "signal '" + loop.signals()[static_cast<std::size_t>(signal)].name + "' is silent";
      break;
    }
    case LoopReason::kStopSignal:
      why = "the stop button outside was pressed";
      break;
    case LoopReason::kForce:
      why = "the force is " + number(value) + " N, beyond the limit of " +
            number(safety.most_force) + " N";
      break;
    case LoopReason::kTipError:
      why = "the host's tip is " + number(value) +
            " m from where it should be, beyond the limit of " + number(safety.most_tip_error) +
            " m";
      break;
    case LoopReason::kNotFinite:
      why = "the state left the real numbers";
      break;
  }
  return name_of(mode) + (why.empty() ? "" : ": " + why);
}

}  // namespace knuckleboom::emulation
