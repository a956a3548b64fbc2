#include "knuckleboom/runtime/recompute.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;
using training::SessionState;

constexpr std::int64_t kDrainTicks = 1000;

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
  return event.kind == "bookmark" || event.kind == "message" || event.kind == "aid" ||
         event.kind == "recording_gap";
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

bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

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
    if (equal(x, y)) continue;
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

// --- Claims ---------------------------------------------------------------------

const char* word_of(training::TaskPhase phase) {
  constexpr const char* kWords[] = {"not begun", "not finished", "passed", "failed"};
  return kWords[static_cast<int>(phase)];
}

bool has_ended(const io::SessionAttempt& attempt) { return training::has_ended(attempt.phase); }

std::vector<std::string> names_of(const std::vector<io::ChannelInfo>& list) {
  std::vector<std::string> names;
  for (const io::ChannelInfo& one : list) names.push_back(one.name);
  return names;
}

// With the figures by name: another order is no difference.
std::string claim_of_attempt(const io::SessionRecord& recorded, const io::SessionRecord& computed,
                             std::size_t number) {
  const io::SessionAttempt &a = recorded.attempts[number], &b = computed.attempts[number];
  const std::string who = fmt::format("attempt {}", number + 1);
  if (a.begin_tick != b.begin_tick || a.end_tick != b.end_tick)
    return fmt::format("{}: recorded from tick {} to {}, computed from {} to {}", who, a.begin_tick,
                       a.end_tick, b.begin_tick, b.end_tick);
  if (a.phase != b.phase)
    return fmt::format("{}: recorded as {}, computed as {}", who, word_of(a.phase),
                       word_of(b.phase));
  const std::vector<std::string> theirs = names_of(recorded.header.figures),
                                 ours = names_of(computed.header.figures);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto at = std::find(theirs.begin(), theirs.end(), ours[i]) - theirs.begin();
    const auto index = static_cast<std::size_t>(at);
    if (index >= a.figures.size()) return fmt::format("{}: {} is missing", who, ours[i]);
    if (!equal(a.figures[index], b.figures[i]))
      return fmt::format("{}: {} recorded as {}, computed as {}", who, ours[i], a.figures[index],
                         b.figures[i]);
  }
  if (theirs.size() != ours.size())
    return fmt::format("{}: {} figures recorded, {} computed", who, theirs.size(), ours.size());
  return {};
}

void claims_of_attempts(const io::SessionRecord& recorded, const io::SessionRecord& computed,
                        std::vector<std::string>& out) {
  const std::size_t both = std::min(recorded.attempts.size(), computed.attempts.size());
  for (std::size_t i = 0; i < both; ++i) {
    // The end that a cut-off recording lacks is in no channel.
    if (!recorded.end.complete && !has_ended(recorded.attempts[i]) &&
        !has_ended(computed.attempts[i]))
      continue;
    if (std::string claim = claim_of_attempt(recorded, computed, i); !claim.empty())
      out.push_back(std::move(claim));
  }
  if (recorded.attempts.size() != computed.attempts.size())
    out.push_back(fmt::format("{} attempts recorded, {} computed", recorded.attempts.size(),
                              computed.attempts.size()));
}

std::string text_of(const io::SessionEvent& event) {
  return fmt::format("{} {} at tick {}", event.kind, event.text, event.tick);
}

bool equal(const io::SessionEvent& a, const io::SessionEvent& b) {
  return a.tick == b.tick && a.kind == b.kind && a.text == b.text &&
         std::equal(std::begin(a.value), std::end(a.value), std::begin(b.value),
                    [](double x, double y) { return equal(x, y); });
}

void claims_of_events(const io::SessionRecord& recorded, const io::SessionRecord& computed,
                      std::vector<std::string>& out) {
  const auto derived = [](const io::SessionRecord& record) {
    std::vector<io::SessionEvent> events;
    std::copy_if(record.events.begin(), record.events.end(), std::back_inserter(events),
                 [](const io::SessionEvent& event) { return !is_note(event); });
    return events;
  };
  const std::vector<io::SessionEvent> a = derived(recorded), b = derived(computed);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && equal(a[i], b[i])) continue;
    if (i >= a.size() && !recorded.end.complete) return;
    return out.push_back(fmt::format("event {}: recorded {}, computed {}", i + 1,
                                     i < a.size() ? text_of(a[i]) : "none",
                                     i < b.size() ? text_of(b[i]) : "none"));
  }
}

void claims_of_hashes(const io::SessionRecord& recorded, const io::SessionRecord& computed,
                      FalseClaims& out) {
  const auto& a = recorded.hashes;
  const auto& b = computed.hashes;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i < b.size() && a[i].tick == b[i].tick && a[i].value == b[i].value) continue;
    out.other_states = true;
    out.sentences.push_back(
        i < b.size()
            ? fmt::format("hash of the state at tick {}: recorded {:016x}, computed {:016x}",
                          a[i].tick, a[i].value, b[i].value)
            : fmt::format("hash of the state at tick {}: recorded, not computed", a[i].tick));
    break;
  }
  if (!recorded.end.complete) return;
  if (a.size() < b.size())
    out.sentences.push_back(fmt::format("{} hashes recorded, {} computed", a.size(), b.size()));
  if (recorded.end.end_hash == computed.end.end_hash) return;
  out.other_states = true;
  out.sentences.push_back(fmt::format("hash of the last state: recorded {:016x}, computed {:016x}",
                                      recorded.end.end_hash, computed.end.end_hash));
}

void claims_of_channels(const io::SessionRecord& recorded, const io::SessionRecord& computed,
                        std::vector<std::string>& out) {
  const std::vector<std::string> names = names_of(recorded.header.channels);
  if (names != names_of(computed.header.channels))
    return out.push_back("the channels recorded are not those computed");
  const std::size_t rows = recorded.channel_ticks.size();
  if (rows > computed.channel_ticks.size() ||
      (recorded.end.complete && rows < computed.channel_ticks.size()))
    return out.push_back(fmt::format("{} rows of channels recorded, {} computed", rows,
                                     computed.channel_ticks.size()));
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<float> a = recorded.channel_row(row), b = computed.channel_row(row);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (recorded.channel_ticks[row] != computed.channel_ticks[row] ||
          !equal(static_cast<double>(a[i]), static_cast<double>(b[i])))
        return out.push_back(fmt::format(
            "channel {} at tick {}: recorded {:.9g}, computed {:.9g} at tick {}", names[i],
            recorded.channel_ticks[row], a[i], b[i], computed.channel_ticks[row]));
  }
}

void claims_of_states(const io::SessionRecord& recorded, const io::SessionRecord& computed,
                      std::vector<std::string>& out) {
  const auto session = io::make_session(recorded.header);
  const std::size_t both = std::min(recorded.state_ticks.size(), computed.state_ticks.size());
  for (std::size_t i = 0; i < both; ++i) {
    const auto differs = [&] {
      try {
        return state::hash(recorded.state(i, *session)) != state::hash(computed.state(i, *session));
      } catch (const io::FileError&) {
        return true;
      }
    };
    if (recorded.state_ticks[i] != computed.state_ticks[i] || differs())
      return out.push_back(fmt::format("the state recorded at tick {} is not the one computed",
                                       recorded.state_ticks[i]));
  }
  if (recorded.end.complete ? recorded.state_ticks.size() != computed.state_ticks.size()
                            : recorded.state_ticks.size() > computed.state_ticks.size())
    out.push_back(fmt::format("{} states recorded, {} computed", recorded.state_ticks.size(),
                              computed.state_ticks.size()));
}

}  // namespace

FalseClaims false_claims(const io::SessionRecord& recorded, const io::SessionRecord& computed) {
  FalseClaims out;
  claims_of_attempts(recorded, computed, out.sentences);
  claims_of_events(recorded, computed, out.sentences);
  claims_of_hashes(recorded, computed, out);
  if (!out.sentences.empty()) return out;  // enough; the rest takes longer
  claims_of_channels(recorded, computed, out.sentences);
  claims_of_states(recorded, computed, out.sentences);
  return out;
}

Recomputed recompute(const io::SessionRecord& recorded, const std::function<bool()>& go_on) {
  const auto session = io::make_session(recorded.header);
  const io::ScratchFolder folder;  // the file that is read stays open
  const fs::path file = folder.path() / "recomputed.h5";
  run(recorded, *session, file, go_on);
  Recomputed out{io::read_session(file), {}};
  out.record.path = recorded.path;
  out.sentence = sentence(recorded, out.record);
  return out;
}

}  // namespace knuckleboom::runtime
