#include "knuckleboom/runtime/replayer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/io/state_file.hpp"

namespace knuckleboom::runtime {
namespace {

using training::SessionSnapshot;
using training::SessionState;

constexpr std::size_t kMismatchesKept = 100;

// Number of the last entry at or before the tick; entries ascend and the first is not behind it.
std::size_t at_or_before(const std::vector<std::int64_t>& ticks, std::int64_t tick) {
  const auto behind = std::upper_bound(ticks.begin(), ticks.end(), tick);
  return behind == ticks.begin() ? 0 : static_cast<std::size_t>(behind - ticks.begin()) - 1;
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Replayer::Replayer(io::SessionRecord record)
    : record_(std::move(record)),
      session_(io::make_session(record_.header, &record_.remarks)),
      channels_(training::session_channels(*session_)),
      tick_(record_.header.first_tick),
      playback_(record_.inputs) {
  make_remarks();
  if (!record_.states_fit()) {
    source_ = Source::kChannels;
    load_channels();
  } else if (record_.state_ticks.empty() || record_.state_ticks.front() != first_tick()) {
    // Cut off before anything was flushed: it begins as the exercise does.
    if (!record_.header.parent_id.empty() || end_tick() != first_tick())
      throw io::FileError(record_.path.string(), "the session does not say how it began");
    state_ = session_->initial_state();
    snapshot_ = session_->snapshot(state_);
    return;
  }
  seek(first_tick());
}

void Replayer::make_remarks() {
  const io::SessionHeader& header = record_.header;
  remarks_ = record_.remarks;
  if (!record_.end.complete)
    remarks_.push_back(
        fmt::format("the recording was cut off after {:.3f} s", record_.duration_s()));
  if (record_.end.lost > 0)
    remarks_.push_back(
        fmt::format("the recording has gaps: {} of its records were lost, so that a "
                    "replay cannot be the same",
                    record_.end.lost));
  const bool same_build = header.program == io::this_program();
  if (!same_build)
    remarks_.push_back(
        fmt::format("recorded by {}; this is {}", header.program, io::this_program()));
  if (header.processor != io::this_processor())
    remarks_.push_back(fmt::format("recorded on a processor of another kind, {}; this is {}",
                                   header.processor, io::this_processor()));
  if (!record_.states_fit())
    remarks_.emplace_back(
        "its states belong to another version of the program: the stored channels are shown, and "
        "nothing is computed again");
}

// --- Instants -----------------------------------------------------------------

void Replayer::load(std::size_t state) {
  state_ = record_.state(state);
  tick_ = record_.state_ticks[state];
  playback_ = training::InputPlayback(record_.inputs, tick_);
  next_state_ = state + 1;
  const auto hash =
      std::lower_bound(record_.hashes.begin(), record_.hashes.end(), tick_,
                       [](const io::StateHash& one, std::int64_t tick) { return one.tick < tick; });
  next_hash_ = static_cast<std::size_t>(hash - record_.hashes.begin());
  differs_ = false;
  good_tick_ = -1;
  snapshot_ = session_->snapshot(state_);
  compare();
}

void Replayer::seek(std::int64_t tick) {
  tick = std::clamp(tick, first_tick(), end_tick());
  if (source_ == Source::kChannels) {
    tick_ = tick;
    show_channels();
    return;
  }
  if (record_.state_ticks.empty()) return;
  const std::size_t state = at_or_before(record_.state_ticks, tick);
  const bool from_here = tick_ <= tick && tick_ >= record_.state_ticks[state] && next_state_ > 0;
  if (!from_here) load(state);
  while (tick_ < tick && step()) {
  }
}

bool Replayer::step() {
  if (tick_ >= end_tick()) return false;
  if (source_ == Source::kChannels) {
    ++tick_;
    show_channels();
    return true;
  }
  levers_ = playback_.advance(
      tick_, [this](const training::Command& command) { session_->apply(command, state_); });
  session_->step(levers_, state_, snapshot_);
  ++tick_;
  compare();
  resume_if_stored();
  return true;
}

// --- Comparison ---------------------------------------------------------------

void Replayer::compare() {
  if (next_hash_ >= record_.hashes.size() || record_.hashes[next_hash_].tick > tick_) return;
  const std::uint64_t recorded = record_.hashes[next_hash_++].value;
  if (differs_) return;
  ++compared_;
  if (io::hash_of(state_) == recorded) {
    ++equal_;
    good_ = state_;
    good_tick_ = tick_;
    return;
  }
  differs();
}

void Replayer::differs() {
  differs_ = true;
  ReplayMismatch mismatch;
  mismatch.tick = tick_;
  mismatch.equal_tick = good_tick_;
  if (mismatch_count_++ == 0) look_into(mismatch);
  if (mismatches_.size() < kMismatchesKept) mismatches_.push_back(std::move(mismatch));
}

// Which channel shows it first: the stretch from the last equal hash on once more, row by row.
void Replayer::look_into(ReplayMismatch& mismatch) {
  if (good_tick_ < 0) return;
  SessionState state = good_;
  SessionSnapshot snapshot = session_->snapshot(state);
  training::InputPlayback playback(record_.inputs, good_tick_);
  std::size_t row = at_or_before(record_.channel_ticks, good_tick_);
  for (std::int64_t tick = good_tick_; tick < mismatch.tick;) {
    session_->step(
        playback.advance(
            tick, [&](const training::Command& command) { session_->apply(command, state); }),
        state, snapshot);
    ++tick;
    while (row < record_.channel_ticks.size() && record_.channel_ticks[row] < tick) ++row;
    if (row == record_.channel_ticks.size()) return;
    if (record_.channel_ticks[row] != tick) continue;
    const std::vector<float> recorded = record_.channel_row(row);
    for (std::size_t i = 0; i < channels_.size() && i < recorded.size(); ++i) {
      const auto computed = static_cast<float>(channels_[i].value(snapshot));
      if (channels_[i].name != record_.header.channels[i].name || same(recorded[i], computed))
        continue;
      mismatch.channel = channels_[i].name;
      mismatch.unit = channels_[i].unit;
      mismatch.channel_tick = tick;
      mismatch.recorded = static_cast<double>(recorded[i]);
      mismatch.computed = static_cast<double>(computed);
      return;
    }
  }
}

// What was too small for the stored channels shows in the full state.
void Replayer::compare_with_stored(ReplayMismatch& mismatch, const SessionState& stored) const {
  const SessionSnapshot recorded = session_->snapshot(stored);
  const SessionSnapshot computed = session_->snapshot(state_);
  for (const training::SessionChannel& channel : channels_) {
    const double a = channel.value(recorded), b = channel.value(computed);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    mismatch.channel = channel.name;
    mismatch.unit = channel.unit;
    mismatch.channel_tick = tick_;
    mismatch.recorded = a;
    mismatch.computed = b;
    return;
  }
}

void Replayer::resume_if_stored() {
  const std::vector<std::int64_t>& ticks = record_.state_ticks;
  while (next_state_ < ticks.size() && ticks[next_state_] < tick_) ++next_state_;
  if (next_state_ >= ticks.size() || ticks[next_state_] != tick_) return;
  const std::size_t state = next_state_++;
  if (!differs_) return;
  const SessionState stored = record_.state(state);
  if (!mismatches_.empty() && mismatches_.back().resumed_tick < 0) {
    ReplayMismatch& mismatch = mismatches_.back();
    mismatch.resumed_tick = tick_;
    if (mismatch_count_ == 1 && mismatch.channel.empty()) compare_with_stored(mismatch, stored);
  }
  state_ = stored;
  snapshot_ = session_->snapshot(state_);
  good_ = state_;
  good_tick_ = tick_;
  differs_ = false;
}

bool Replayer::end_is_equal() const {
  if (!record_.end.complete || source_ == Source::kChannels || tick_ != end_tick()) return true;
  SessionState last = state_;
  training::InputPlayback playback(record_.inputs, tick_);
  playback.advance(tick_,
                   [&](const training::Command& command) { session_->apply(command, last); });
  return io::hash_of(last) == record_.end.end_hash;
}

// --- Channels alone -----------------------------------------------------------

void Replayer::load_channels() {
  columns_.assign(channels_.size(), {});
  for (std::size_t i = 0; i < channels_.size(); ++i)
    for (const io::ChannelInfo& stored : record_.header.channels)
      if (stored.name == channels_[i].name) columns_[i] = record_.channel(stored.name);
}

// The machine as its joints stood; logs lie where the exercise put them.
void Replayer::show_channels() {
  state_ = session_->initial_state();
  state_.tick = tick_;
  const std::size_t row =
      record_.channel_ticks.empty() ? 0 : at_or_before(record_.channel_ticks, tick_);
  const auto stored = [&](const std::string& name, double fallback) {
    for (std::size_t i = 0; i < channels_.size(); ++i)
      if (channels_[i].name == name && row < columns_[i].size())
        return static_cast<double>(columns_[i][row]);
    return fallback;
  };
  const machine::MachineModel& model = session_->machine();
  machine::MachineState& m = state_.sim.machine;
  for (int i = 0; i < model.joint_count(); ++i) {
    const std::string name = model.joint_name(i) + (model.tree.link(i).revolute ? "_rad" : "_m");
    m.q[i] = stored(name, m.q[i]);
    m.v[i] = stored(name + "_s", m.v[i]);
  }
  state_.worksite.grapple.opening = stored("grapple_opening", state_.worksite.grapple.opening);
  snapshot_ = session_->snapshot(state_);
  for (int i = 0; i < command::kLeverAxes; ++i)
    levers_.axis[i] = snapshot_.input.axis[i] =
        stored(std::string("lever_") + command::kLeverAxisNames[i], 0.0);
  snapshot_.control_mode =
      static_cast<std::int32_t>(stored("control_mode", snapshot_.control_mode));
  snapshot_.fidelity = static_cast<std::int32_t>(stored("fidelity", snapshot_.fidelity));
  snapshot_.task.phase =
      static_cast<training::TaskPhase>(static_cast<std::int32_t>(stored("task_phase", 0.0)));
  snapshot_.task.step = static_cast<std::int32_t>(stored("task_step", 0.0));
}

}  // namespace knuckleboom::runtime
