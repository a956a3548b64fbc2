// Texts of a replay: on the session, its events, and differences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "view/panels/timeline.hpp"

namespace knuckleboom::app {

// One of the lines under a title.
std::string replay_line(std::string_view name, std::string_view text);
// Description of the session in a few lines.
std::string replay_description(const runtime::Replayer& replayer);
std::string mismatch_sentence(const runtime::Replayer& replayer,
                              const runtime::ReplayMismatch& mismatch);
// "412 of 412 states as recorded".
std::string check_text(const runtime::Replayer& replayer);

// An event as text. Empty: without a mark.
struct EventWords {
  std::string text;
  view::panels::MarkKind kind = view::panels::MarkKind::kEvent;
};
EventWords words_of(const io::SessionEvent& event, training::TaskKind task);

// Message for a missing channel, with similar names.
std::string unknown_channel(const io::SessionHeader& header, std::string_view name);

// The channel after (direction 1) or before (-1) another one, wrapping around. Skips time, whose
// curve is a straight line. Without channels 0.
std::size_t next_channel(const io::SessionHeader& header, std::size_t channel, int direction);

// A channel's newest sample at an instant; NaN before the first.
double value_at(const io::SessionRecord& record, const std::vector<float>& samples, double tick);

}  // namespace knuckleboom::app
