// Final summary of drive.
#pragma once

#include <string>

#include "app/trainer/input_latency.hpp"
#include "app/trainer/live_session.hpp"
#include "app/window/frame_meter.hpp"
#include "app/window/picture.hpp"
#include "input/remote_levers.hpp"
#include "knuckleboom/runtime/lateness_probe.hpp"

namespace knuckleboom::app {

// Fills in what end.last tells: figures, points, diagnosis and warnings.
void tell_result(const LoadedSession& loaded, SessionEnd& end);

// Result, figures, ticks and hash of a session. paced: with its timing.
std::string session_summary(const SessionEnd& end, bool paced);

std::string run_summary(const FrameMeter& frames, const InputLatency& latency,
                        const runtime::LatenessProbe::Result& bare, const PictureSummary& picture,
                        const std::string& sound);
// Packets received from levers over the network.
std::string stand_summary(const input::RemoteLevers& stand);

}  // namespace knuckleboom::app
