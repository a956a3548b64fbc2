#include "knuckleboom/runtime/replayer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/core/machine/actuator.hpp"

namespace knuckleboom::runtime {
namespace {

using training::SessionSnapshot;
using training::SessionState;

constexpr std::size_t kMismatchesKept = 100;
constexpr std::int32_t kMostWhole = 1'000'000'000;

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
  const bool none = record_.state_ticks.empty() || record_.state_ticks.front() != first_tick();
  try {
    if (!record_.states_known())
      throw io::UnknownStates(record_.path.string(), "its states belong to another version");
    if (!none) state_ = record_.state(0, *session_);
  } catch (const io::UnknownStates& error) {
    use_channels(error.what());
    return;
  }
  if (!none) {
    seek(first_tick());
    return;
  }
  // Cut off before anything was flushed: it begins as the exercise does.
  if (!record_.header.parent_id.empty() || end_tick() != first_tick())
    throw io::FileError(record_.path.string(), "the session does not say how it began");
  state_ = session_->initial_state();
  snapshot_ = session_->snapshot(state_);
}

void Replayer::use_channels(const std::string& why) {
  source_ = Source::kChannels;
  remarks_.push_back(
      fmt::format("{}: the stored channels are shown, and nothing is computed again; --recompute "
                  "computes the session "
                  "from its inputs",
                  why));
  load_channels();
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
  remark_on_origin(header, remarks_);
}

// --- Instants -----------------------------------------------------------------

// False: the stored state is none that could be believed.
bool Replayer::read(std::size_t state, SessionState& out) {
  if (refused_.contains(state)) return false;
  try {
    out = record_.state(state, *session_);
    return true;
  } catch (const io::FileError& error) {
    refused_.insert(state);
    if (refused_.size() <= kMismatchesKept) remarks_.emplace_back(error.what());
    return false;
  }
}

std::int64_t Replayer::check_states() {
  SessionState state;
  for (std::size_t i = 0; i < record_.state_ticks.size(); ++i) read(i, state);
  return static_cast<std::int64_t>(refused_.size());
}

void Replayer::load(std::size_t state) {
  while (!read(state, state_)) {
    if (state-- == 0) throw io::FileError(record_.path.string(), "its first state cannot be read");
  }
  tick_ = record_.state_ticks[state];
  playback_ = training::InputPlayback(record_.inputs, tick_);
  next_state_ = state + 1;
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
  if (differs_) return;
  const std::optional<std::uint64_t> recorded = HashCheck::recorded(record_.hashes, tick_);
  if (!recorded) return;
  const std::optional<std::uint64_t> computed = record_.hash(state_);
  if (!computed) return;
  check_.count(tick_, computed == recorded);
  if (computed != recorded) return differs();
  good_ = state_;
  good_tick_ = tick_;
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

// A difference too small for the stored channels shows in the full state.
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
  SessionState stored;
  if (!read(state, stored)) return;
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
  return record_.hash(last).value_or(record_.end.end_hash) == record_.end.end_hash;
}

// --- Channels alone -----------------------------------------------------------

void Replayer::load_channels() {
  for (const io::ChannelInfo& stored : record_.header.channels)
    columns_[stored.name] = record_.channel(stored.name);
}

double Replayer::stored(const std::string& name, double fallback) const {
  const auto column = columns_.find(name);
  if (column == columns_.end()) return fallback;
  const std::size_t row =
      record_.channel_ticks.empty() ? 0 : at_or_before(record_.channel_ticks, tick_);
  return row < column->second.size() ? static_cast<double>(column->second[row]) : fallback;
}

std::int64_t Replayer::stored_whole(const std::string& name, std::int64_t fallback,
                                    std::int64_t most) const {
  const double value = stored(name, static_cast<double>(fallback));
  return value >= -1.0 && value <= static_cast<double>(most) ? std::llround(value) : fallback;
}

// Everything that the channels tell is put where a state has it; logs lie where the exercise put them, but
// for the one that is held.
void Replayer::show_channels() {
  state_ = session_->initial_state();
  state_.tick = tick_;
  show_machine();
  show_task();
  world::WorldState& world = state_.worksite.world;
  world.machine_force = stored("contact_force_N", 0.0);
  for (int i = 0; i < world::kObstacles; ++i) {
    const std::string obstacle = world::kObstacleNames[i];
    world.collisions[i] = stored_whole("collisions_" + obstacle, 0, kMostWhole);
    world.impulse[i] = stored("impulse_" + obstacle + "_Ns", 0.0);
  }
  worksite::GrappleState& grapple = state_.worksite.grapple;
  grapple.opening = stored("grapple_opening", grapple.opening);
  grapple.held = static_cast<std::int32_t>(
      stored_whole("held_log", grapple.held, session_->world().log_count() - 1));
  if (grapple.held >= 0)
    for (int i = 0; i < 3; ++i)
      world.log[grapple.held].p[i] = stored(std::string("grip_") + "xyz"[i] + "_m", 0.0);
  snapshot_ = session_->snapshot(state_);
  snapshot_.fidelity = static_cast<std::int32_t>(stored_whole("fidelity", snapshot_.fidelity, 2));
  snapshot_.pump_power_W = stored("pump_power_W", 0.0);
  snapshot_.pump_work_J = stored("pump_work_J", 0.0);
  show_work();
  if (stored_whole("seat_turned", 0, 1) > 0)
    snapshot_.switches = 1 << static_cast<int>(command::Switch::kSeat);
  snapshot_.lever_mode =
      static_cast<std::int32_t>(stored_whole("lever_mode", 0, command::kMaxLeverModes - 1));
  for (int i = 0; i < command::kLeverAxes; ++i)
    levers_.axis[i] = snapshot_.input.axis[i] =
        stored(std::string("lever_") + command::kLeverAxisNames[i], 0.0);
}

void Replayer::show_machine() {
  const machine::MachineModel& model = session_->machine();
  machine::MachineState& m = state_.sim.machine;
  for (const multibody::Ball& ball : model.balls) {
    const auto part = [&](const char* name, double fallback) {
      return stored(ball.name + name, fallback);
    };
    const Eigen::Quaterniond q(part("_qw", 1.0), part("_qx", 0.0), part("_qy", 0.0),
                               part("_qz", 0.0));
    if (q.norm() > 0.0) multibody::place(q.normalized().toRotationMatrix(), m.q + ball.first);
  }
  for (int i = 0; i < model.joint_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const std::string& joint = model.joint_name(i);
    const std::string unit = model.tree.link(i).revolute ? "rad" : "m";
    m.q[i] = stored(joint + "_" + unit, m.q[i]);
    m.v[i] = stored(joint + "_" + unit + "_s", m.v[i]);
    state_.sim.reference[i] = stored(joint + "_ref_" + unit, state_.sim.reference[i]);
    m.coupling_force[i] = stored(joint + (unit == "m" ? "_coupling_N" : "_coupling_Nm"), 0.0);
  }
  for (std::size_t n = 0; n < model.loops.size(); ++n)
    for (std::size_t c = 0; c < 3; ++c)
      m.loop_force_W[n][c] =
          stored(fmt::format("{}_force_{}_N", model.loops[n].name, "xyz"[c]), 0.0);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const std::string& joint = model.joint_name(model.actuators[k].link);
    machine::ActuatorState& a = m.actuator[k];
    a.command_V = stored(joint + "_valve_V", a.command_V);
    a.spool_V = stored(joint + "_spool_V", a.spool_V);
    a.p[0] = stored(joint + "_port_a_Pa", a.p[0]);
    a.p[1] = stored(joint + "_port_b_Pa", a.p[1]);
    a.Q[0] = stored(joint + "_flow_a_m3_s", 0.0);
    a.Q[1] = stored(joint + "_flow_b_m3_s", 0.0);
    a.open = static_cast<std::int32_t>(stored_whole(joint + "_valve_open", 0, 1));
    const std::int64_t limits = stored_whole(joint + "_limits", 0, 7);
    a.relief_active = static_cast<std::int32_t>(limits & 1);
    a.cavitation_active = static_cast<std::int32_t>(limits >> 1 & 1);
    a.stop_active = static_cast<std::int32_t>(limits >> 2 & 1);
  }
  m.pump_Pa = stored("pump_Pa", m.pump_Pa);
  m.supply.load_Pa = stored("load_signal_Pa", m.supply.load_Pa);
  m.supply.flow = stored("pump_flow_m3_s", m.supply.flow);
  m.supply.relief_flow = stored("main_relief_flow_m3_s", m.supply.relief_flow);
  m.supply.engine_speed = stored("engine_rad_s", m.supply.engine_speed);
}

// The recording has the present work elements, and the signals that they followed from.
void Replayer::show_work() {
  using training::Element;
  constexpr const char* kTrackChannels[training::kTracks] = {"element_crane", "element_drive"};
  for (int t = 0; t < training::kTracks; ++t)
    snapshot_.element[t] =
        static_cast<Element>(stored_whole(kTrackChannels[t], 0, training::kElements - 1));
  snapshot_.load_phase =
      static_cast<training::LoadPhase>(stored_whole("load_phase", 0, training::kLoadPhases - 1));
  snapshot_.gap_m = stored("log_gap_m", 0.0);
  snapshot_.held_tilt_rad = stored("held_tilt_rad", 0.0);
  snapshot_.element_load =
      static_cast<std::int32_t>(stored_whole("load_logs", 0, session_->world().log_count()));
  snapshot_.element_signals =
      static_cast<std::int32_t>(stored_whole("work_signals", 0, training::kSignalSets - 1));
}

void Replayer::show_task() {
  training::TaskState& task = state_.task;
  state_.control.mode = static_cast<std::int32_t>(
      stored_whole("control_mode", state_.control.mode, command::kControlModes - 1));
  training::TaskState told = task;
  told.phase = static_cast<training::TaskPhase>(stored_whole("task_phase", 0, 3));
  told.step = static_cast<std::int32_t>(stored_whole("task_step", 0, kMostWhole));
  if (session_->task().check_state(told).empty()) task = told;
  // The figures are called as their fields are.
  training::Score& score = state_.score.score;
  for (const state::Field& field : state::struct_of<training::Score>().fields) {
    const double value = stored("score_" + std::string(field.name), 0.0);
    std::memcpy(reinterpret_cast<std::byte*>(&score) + field.offset, &value, sizeof value);
  }
  const double h = session_->simulation().tick_s();
  const double now = stored("t_s", 0.0) / h, used = score.time_s / h;
  if (!(now >= 0.0 && now < kMostWhole && used >= 0.0 && used <= now)) return;
  state_.sim.tick = task.end_tick = std::llround(now);
  task.start_tick = std::llround(now - used);
}

}  // namespace knuckleboom::runtime
