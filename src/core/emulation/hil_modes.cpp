#include "hil_modes.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr HilMode kRunning = HilMode::kRunning, kHolding = HilMode::kHolding,
                  kStopped = HilMode::kStopped;
constexpr const char *kNothing = "", *kRunsAlready = "it is running already",
                     *kNotRunning = "it is not running", *kNotStopped = "it is not stopped",
                     *kStoppedAlready = "it is stopped already",
                     *kResetFirst = "it is stopped; reset it first";

// clang-format off
constexpr HilWay kWays[kHilEvents][kHilModes] = {
    // from ready    running       holding       stopped
    {kRunning,    kRunsAlready, kRunning,     kResetFirst},      // kRun
    {kNotRunning, kHolding,     kNotRunning,  kNotRunning},      // kHold
    {kStopped,    kStopped,     kStopped,     kStoppedAlready},  // kStop
    {kNotStopped, kNotStopped,  kNotStopped,  kHolding},         // kReset
    {kStopped,    kStopped,     kStopped,     kStoppedAlready},  // kWatchdog
    {kNothing,    kStopped,     kStopped,     kNothing},         // kStopLine
    {kNothing,    kStopped,     kStopped,     kNothing},         // kHostSilent
    {kNothing,    kHolding,     kNothing,     kNothing},         // kSensorSilent
    {kNothing,    kNothing,     kStopped,     kNothing},         // kSilentTooLong
    {kNothing,    kHolding,     kNothing,     kNothing},         // kCommandSilent
    {kNothing,    kStopped,     kStopped,     kNothing},         // kLimitExceeded
    {kStopped,    kStopped,     kStopped,     kStopped},         // kNotFinite
};
// clang-format on

}  // namespace

const HilWay& way_of(HilMode from, HilEvent event) {
  return kWays[static_cast<int>(event)][static_cast<int>(from)];
}

}  // namespace knuckleboom::emulation
