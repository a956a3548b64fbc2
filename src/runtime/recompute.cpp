#include "knuckleboom/runtime/recompute.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;
using training::SessionState;

constexpr std::int64_t kDrainTicks = 1000;

// A temporary folder, removed with its content; the file that is read stays open.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "knuckleboom.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw io::FileError(
          name, fmt::format("cannot be made: {}", std::generic_category().message(errno)));
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path file() const { return path_ / "recomputed.h5"; }

 private:
  fs::path path_;
};

SessionState first_state(const io::SessionRecord& recorded, const training::Session& session) {
  if (recorded.header.parent_id.empty()) return session.initial_state();
  if (recorded.state_ticks.empty() || recorded.state_ticks.front() != recorded.header.first_tick)
    throw io::FileError(recorded.path.string(), "the session does not say how it began");
  try {
    return recorded.state(0, session);
  } catch (const io::UnknownStates& error) {
    throw io::FileError(error.what(),
                        "it was taken over from another session and cannot be computed without its "
                        "first state; compute its parent again and take over there");
  }
}

// Events the recorder cannot derive: they came from outside.
bool is_note(const io::SessionEvent& event) {
  return event.kind == "bookmark" || event.kind == "message" || event.kind == "recording_gap";
}

void run(const io::SessionRecord& recorded, const training::Session& session, const fs::path& file,
         const std::function<bool()>& go_on) {
  io::SessionHeader header = recorded.header;
  io::describe(session, header);
  header.id = recorded.header.id;
  header.start_utc = recorded.header.start_utc;
  SessionState state = first_state(recorded, session);
  training::SessionSnapshot snapshot = session.snapshot(state);
  SessionRecorder recorder(io::SessionJournal(file, header), session, state, {.own_thread = false});
  std::vector<io::SessionEvent> notes;
  std::copy_if(recorded.events.begin(), recorded.events.end(), std::back_inserter(notes), is_note);
  std::size_t next_note = 0, next_input = 0;
  command::OperatorInput levers{};
  const std::int64_t end = recorded.end.end_tick;
  for (;;) {
    for (; next_note < notes.size() && notes[next_note].tick <= state.tick; ++next_note)
      recorder.note(notes[next_note]);
    for (; next_input < recorded.inputs.size() && recorded.inputs[next_input].tick <= state.tick;
         ++next_input) {
      const training::InputEvent& event = recorded.inputs[next_input];
      if (event.kind == training::InputEventKind::kEnd) continue;
      if (event.kind == training::InputEventKind::kInput) levers = event.input;
      if (event.kind == training::InputEventKind::kCommand) {
        recorder.before(event.command, state);
        session.apply(event.command, state);
      }
      recorder.input(event);
    }
    if (state.tick >= end) break;
    session.step(levers, state, snapshot);
    recorder.after_tick(state, snapshot);
    if (state.tick % kDrainTicks != 0) continue;
    recorder.drain();
    if (go_on && !go_on())
      throw io::FileError(recorded.path.string(), "it was not computed to its end");
  }
  const RecordingEnd outcome = recorder.finish(state);
  if (!outcome.fault.empty()) throw io::FileError(file.string(), outcome.fault);
}

struct Deviation {
  std::size_t channel = 0;
  std::int64_t tick = 0;
  double recorded = 0.0, computed = 0.0;
  double share = 0.0;  // of the channel's range
};

// Largest deviation of one channel, over the rows of both.
void compare(const io::SessionRecord& recorded, const io::SessionRecord& computed,
             std::size_t channel, Deviation& worst) {
  const std::string& name = recorded.header.channels[channel].name;
  const std::vector<float> a = recorded.channel(name), b = computed.channel(name);
  double least = 0.0, most = 0.0;
  for (const float value : a)
    if (std::isfinite(value)) {
      least = std::min(least, static_cast<double>(value));
      most = std::max(most, static_cast<double>(value));
    }
  const double range = most > least ? most - least : 1.0;
  std::size_t row = 0;
  for (std::size_t i = 0; i < a.size() && i < recorded.channel_ticks.size(); ++i) {
    const std::int64_t tick = recorded.channel_ticks[i];
    while (row < computed.channel_ticks.size() && computed.channel_ticks[row] < tick) ++row;
    if (row >= b.size() || row >= computed.channel_ticks.size()) return;
    if (computed.channel_ticks[row] != tick) continue;
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[row]);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double share = std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) / range : 1e300;
    if (share > worst.share) worst = {channel, tick, x, y, share};
  }
}

std::string sentence(const io::SessionRecord& recorded, const io::SessionRecord& computed) {
  Deviation worst;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < recorded.header.channels.size(); ++i) {
    const auto& now = computed.header.channels;
    const io::ChannelInfo& channel = recorded.header.channels[i];
    if (std::none_of(now.begin(), now.end(), [&channel](const io::ChannelInfo& one) {
          return one.name == channel.name && one.unit == channel.unit;
        }))
      continue;
    ++compared;
    compare(recorded, computed, i, worst);
  }
  std::string text = fmt::format("computed again from its inputs by {}: ", io::this_program());
  if (worst.share == 0.0)
    return text + fmt::format("all of its {} channels are as they were recorded", compared);
  const io::ChannelInfo& channel = recorded.header.channels[worst.channel];
  const std::string unit = channel.unit.empty() ? "" : " " + channel.unit;
  return text + fmt::format(
                    "largest deviation from the stored channels: {} at tick {}, recorded {:.9g}, "
                    "computed {:.9g}, {:.3g}{} apart",
                    channel.name, worst.tick, worst.recorded, worst.computed,
                    std::fabs(worst.computed - worst.recorded), unit);
}

}  // namespace

Recomputed recompute(const io::SessionRecord& recorded, const std::function<bool()>& go_on) {
  const auto session = io::make_session(recorded.header);
  const Folder folder;
  run(recorded, *session, folder.file(), go_on);
  Recomputed out{io::read_session(folder.file()), {}};
  out.record.path = recorded.path;
  out.sentence = sentence(recorded, out.record);
  return out;
}

}  // namespace knuckleboom::runtime
