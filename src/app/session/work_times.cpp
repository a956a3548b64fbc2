#include "app/session/work_times.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "app/session/session_texts.hpp"
#include "knuckleboom/core/training/input_event.hpp"

namespace knuckleboom::app {

RecordedWork::RecordedWork(const io::SessionRecord& record) : record_(record) {
  if (!record.states_known()) return;
  try {
    own_ = io::make_session(record.header);
    session_ = own_.get();
  } catch (const io::FileError&) {  // said by who shows the session
  } catch (const std::invalid_argument&) {
  }
}

std::unique_ptr<training::SessionSnapshot> RecordedWork::at_end_of(std::size_t index) const {
  if (session_ == nullptr || !record_.states_known() || index >= record_.attempts.size())
    return nullptr;
  const io::SessionAttempt& attempt = record_.attempts[index];
  if (attempt.phase == training::TaskPhase::kReady) return nullptr;
  const auto& ticks = record_.state_ticks;
  const auto behind = std::upper_bound(ticks.begin(), ticks.end(), attempt.end_tick);
  if (behind == ticks.begin()) return nullptr;
  const auto before = static_cast<std::size_t>(behind - ticks.begin()) - 1;
  try {
    const auto state = std::make_unique<training::SessionState>(record_.state(before, *session_));
    training::InputPlayback playback(record_.inputs, ticks[before]);
    const auto out = std::make_unique<training::SessionSnapshot>(session_->snapshot(*state));
    for (std::int64_t tick = ticks[before]; tick < attempt.end_tick; ++tick)
      session_->step(
          playback.advance(
              tick, [&](const training::Command& command) { session_->apply(command, *state); }),
          *state, *out);
    return std::make_unique<training::SessionSnapshot>(session_->snapshot(*state));
  } catch (const io::FileError&) {
    return nullptr;
  }
}

std::vector<std::pair<std::string, double>> named_work(const training::SessionSnapshot& end) {
  constexpr const char* kTrackNames[training::kTracks] = {"crane", "drive"};
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t t = 0; t < training::kTracks; ++t)
    for (std::size_t e = 0; e < training::kElements; ++e) {
      if (!(end.element_s[t][e] > 0.0) || (t > 0 && end.sim.wheel_count == 0)) continue;
      const std::string name =
          fmt::format("{}{}_{}", kWorkPrefix, kTrackNames[t], training::kElementNames[e]);
      out.emplace_back(name + "_s", end.element_s[t][e]);
      out.emplace_back(name + "_n", static_cast<double>(end.element_pieces[t][e]));
    }
  if (!tells_phases(end)) return out;
  for (std::size_t p = 0; p < training::kLoadPhases; ++p)
    if (end.load_phase_s[p] > 0.0)
      out.emplace_back(fmt::format("{}load_{}_s", kWorkPrefix, training::kLoadPhaseNames[p]),
                       end.load_phase_s[p]);
  return out;
}

}  // namespace knuckleboom::app
