// knuckleboom emulate --study: one property over a range of conditions.
#pragma once

#include "app/emulation/load_emulation.hpp"
#include "app/shell/json.hpp"

namespace knuckleboom::app {

// Peak force and outcome of a bench that presses, over delay and jitter of each of its paths. False: interrupted.
bool path_study(const LoadedEmulation& loaded, JsonWriter& json);

// The same, and the largest sensor delay without growing oscillation, over the contact's stiffness and for each scheme.
int delay_study(const LoadedEmulation& loaded, const EmulateOptions& options);

// Host's tip under a push of several frequencies, compared with the emulated machine alone.
int bandwidth_study(const LoadedEmulation& loaded, const EmulateOptions& options);

// Limits of an emulation under many conditions different from its file's.
int robustness_study(const LoadedEmulation& loaded, const EmulateOptions& options);

}  // namespace knuckleboom::app
