#include "knuckleboom/runtime/session_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace knuckleboom::runtime {
namespace {

std::int64_t ticks_in(double seconds, const training::Session& session) {
  return std::max<std::int64_t>(1, std::llround(seconds * session.exercise().rate_Hz));
}

}  // namespace

// By what the disk may stand still for: 16 s at 2000 ticks a second.
struct SessionRecorder::Queues {
  EventQueue<training::InputEvent, 32768> inputs;
  EventQueue<training::SessionState, 16> states{};  // zero: places without a use are not copied
  EventQueue<RowRecord, 1024> rows;
  EventQueue<EventRecord, 4096> events;
  EventQueue<AttemptRecord, 64> attempts;
};

SessionRecorder::SessionRecorder(io::SessionJournal journal, const training::Session& session,
                                 const training::SessionState& first, RecorderSettings settings)
    : session_(session),
      settings_(settings),
      state_ticks_(ticks_in(settings.state_period_s, session)),
      row_ticks_(ticks_in(1.0 / settings.channel_rate_Hz, session)),
      channels_(training::session_channels(session)),
      file_(journal.session_file()),
      next_state_(next_multiple(first.tick, state_ticks_)),
      next_row_(next_multiple(first.tick, row_ticks_)),
      queues_(std::make_unique<Queues>()),
      writer_(std::move(journal), "the session", first.tick, settings.hash_ticks) {
  const training::SessionSnapshot start = session.snapshot(first);
  watch_.phase = start.task.phase;
  watch_.step = start.task.step;
  watch_.held_log = start.held_log;
  std::copy(std::begin(start.collisions), std::end(start.collisions), watch_.collisions);
  watch_.stop_hits = start.score.end_stop_hits;
  // Faults that are active at the start of the recording do not begin there.
  std::copy(std::begin(start.sim.faults), std::end(start.sim.faults), watch_.faults);
  watch_.begin_tick = first.tick;
  watch_.open =
      watch_.phase == training::TaskPhase::kReady || watch_.phase == training::TaskPhase::kRunning;
  queues_->states.push(first);
  queues_->rows.push({first.tick, start});
  writer_.start(
      first, settings_.own_thread, [this](io::SessionJournal* to) { take(to); },
      [](io::SessionJournal& to, std::int64_t end_tick) { to.flush(end_tick); });
}

SessionRecorder::~SessionRecorder() = default;

// --- Tick thread --------------------------------------------------------------

void SessionRecorder::input(const training::InputEvent& event) {
  if (!queues_->inputs.push(event)) writer_.lose(event.tick);
}

void SessionRecorder::before(const training::Command& command,
                             const training::SessionState& state) {
  if (command.kind != training::CommandKind::kRestart) return;
  end_attempt(state.tick, state.task.phase, state.score.score);
  watch_.begin_tick = state.tick;
  watch_.open = true;
}

void SessionRecorder::after_tick(const training::SessionState& state,
                                 const training::SessionSnapshot& snapshot) {
  const std::int64_t tick = state.tick;
  watch(tick, snapshot);
  writer_.hash(state);
  if (tick >= next_state_) {
    if (training::SessionState* const slot = queues_->states.next()) {
      training::copy_used(state, *slot);
      queues_->states.send();
    } else {
      writer_.lose(tick);
    }
    next_state_ = next_multiple(tick, state_ticks_);
  }
  if (tick >= next_row_) {
    if (RowRecord* const record = queues_->rows.next()) {
      record->tick = tick;
      // The queue is cold memory, and the tick pays for each line of it.
      training::copy_for_channels(snapshot, record->snapshot);
      queues_->rows.send();
    } else {
      writer_.lose(tick);
    }
    next_row_ = next_multiple(tick, row_ticks_);
  }
  writer_.tick_finished(tick);
}

void SessionRecorder::watch(std::int64_t tick, const training::SessionSnapshot& now) {
  if (now.held_log != watch_.held_log) {
    if (watch_.held_log >= 0) event(tick, EventKind::kRelease, watch_.held_log);
    if (now.held_log >= 0) event(tick, EventKind::kGrip, now.held_log);
    watch_.held_log = now.held_log;
  }
  for (int i = 0; i < world::kObstacles; ++i) {
    if (now.collisions[i] == watch_.collisions[i]) continue;
    if (now.collisions[i] > watch_.collisions[i])
      event(tick, EventKind::kCollision, i, now.last_impact_speed, now.impulse[i]);
    watch_.collisions[i] = now.collisions[i];
  }
  for (std::size_t i = 0; i < std::size(watch_.faults); ++i) {
    const std::uint32_t changed = now.sim.faults[i] ^ watch_.faults[i];
    for (std::uint32_t bit = 0; changed != 0 && bit < 32; ++bit)
      if ((changed >> bit & 1U) != 0)
        event(tick, EventKind::kFault, static_cast<double>(32 * i + bit),
              static_cast<double>(now.sim.faults[i] >> bit & 1U));
    watch_.faults[i] = now.sim.faults[i];
  }
  if (now.score.end_stop_hits != watch_.stop_hits) {
    if (now.score.end_stop_hits > watch_.stop_hits)
      event(tick, EventKind::kEndStop, now.score.end_stop_hits);
    watch_.stop_hits = now.score.end_stop_hits;
  }
  if (now.task.step != watch_.step) {
    if (now.task.step > watch_.step) event(tick, EventKind::kStep, now.task.step, now.task.steps);
    watch_.step = now.task.step;
  }
  if (now.task.phase != watch_.phase) {
    if (now.task.danger > 0)
      event(tick, EventKind::kDanger, static_cast<double>(now.visitor[now.task.danger - 1].kind),
            now.task.danger_m, static_cast<double>(now.task.danger_kind));
    event(tick, EventKind::kPhase, static_cast<double>(now.task.phase));
    watch_.phase = now.task.phase;
    if (training::has_ended(watch_.phase)) end_attempt(tick, now.task.phase, now.score);
  }
}

void SessionRecorder::event(std::int64_t tick, EventKind kind, double a, double b, double c) {
  if (!queues_->events.push({tick, kind, {a, b, c, 0.0}})) writer_.lose(tick);
}

void SessionRecorder::end_attempt(std::int64_t tick, training::TaskPhase phase,
                                  const training::Score& score) {
  if (watch_.open && !queues_->attempts.push({watch_.begin_tick, tick, phase, score}))
    writer_.lose(tick);
  watch_.open = false;
}

// --- Recorder thread ----------------------------------------------------------

void SessionRecorder::take(io::SessionJournal* journal) {
  while (const training::InputEvent* input = queues_->inputs.front()) {
    if (journal != nullptr) journal->add(*input);
    queues_->inputs.drop();
  }
  while (const training::SessionState* state = queues_->states.front()) {
    if (journal != nullptr) journal->add_state(state->tick, *state);
    queues_->states.drop();
  }
  while (const RowRecord* record = queues_->rows.front()) {
    if (journal != nullptr) {
      row_.clear();
      for (const training::SessionChannel& channel : channels_)
        row_.push_back(static_cast<float>(channel.value(record->snapshot)));
      journal->add_row(record->tick, row_);
    }
    queues_->rows.drop();
  }
  while (const EventRecord* record = queues_->events.front()) {
    if (journal != nullptr) journal->add(readable(*record));
    queues_->events.drop();
  }
  while (const AttemptRecord* record = queues_->attempts.front()) {
    io::SessionAttempt attempt{record->begin_tick, record->end_tick, record->phase, {}};
    for (const training::Figure& figure : training::figures())
      attempt.figures.push_back(figure.read(record->score));
    if (journal != nullptr) journal->add(attempt);
    queues_->attempts.drop();
  }
  std::vector<io::SessionEvent> notes;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(notes_);
  }
  if (const std::int64_t lost = writer_.lost(); lost > told_lost_) {
    told_lost_ = lost;
    notes.push_back({writer_.ticks(),
                     "recording_gap",
                     {static_cast<double>(lost), 0.0, 0.0, 0.0},
                     "records lost so far"});
  }
  for (const io::SessionEvent& note : notes)
    if (journal != nullptr) journal->add(note);
}

io::SessionEvent SessionRecorder::readable(const EventRecord& record) const {
  constexpr const char* kKinds[] = {"phase",   "step",     "collision", "grip",
                                    "release", "end_stop", "fault",     "danger"};
  constexpr const char* kPhases[] = {"ready", "running", "passed", "failed"};
  io::SessionEvent event{record.tick, kKinds[static_cast<int>(record.kind)], {}, {}};
  std::copy(std::begin(record.value), std::end(record.value), event.value);
  const auto index = static_cast<std::size_t>(record.value[0]);
  const std::vector<world::Log>& logs = session_.world().recipe().logs;
  switch (record.kind) {
    case EventKind::kPhase:
      if (index < std::size(kPhases)) event.text = kPhases[index];
      break;
    case EventKind::kStep:
      event.text = fmt::format("{:g} of {:g} done", record.value[0], record.value[1]);
      break;
    case EventKind::kCollision:
      event.text = world::kObstacleNames[index];
      break;
    case EventKind::kGrip:
    case EventKind::kRelease:
      if (index < logs.size()) event.text = logs[index].name;
      break;
    case EventKind::kEndStop:
      break;
    case EventKind::kFault:
      if (index < session_.faults().size()) event.text = session_.faults()[index].name;
      break;
    case EventKind::kDanger:
      event.text = index == 0 ? "person" : "vehicle";
      break;
  }
  return event;
}

// --- The thread that made it ----------------------------------------------------

void SessionRecorder::note(io::SessionEvent event) {
  event.tick = writer_.ticks();
  const std::lock_guard lock(mutex_);
  notes_.push_back(std::move(event));
}

void SessionRecorder::drain() {
  if (!writer_.has_thread()) writer_.write();
}

void SessionRecorder::discard() {
  writer_.stop();
  writer_.finish([](io::SessionJournal& journal) { journal.discard(); });
}

RecordingEnd SessionRecorder::finish(const training::SessionState& last,
                                     std::vector<std::pair<std::string, double>> health) {
  writer_.stop();
  end_attempt(last.tick, last.task.phase, last.score.score);
  writer_.write();
  RecordingEnd out{file_, writer_.last_fault()};
  if (writer_.file() == nullptr) {
    out.file += io::kJournalSuffix;
    return out;
  }
  const machine::Health& machine = last.sim.machine.health;
  const std::pair<const char*, std::int64_t> kept[] = {
      {"sim_ticks", machine.ticks},
      {"non_finite", machine.non_finite},
      {"newton_unconverged", machine.newton_unconverged},
      {"valve_switches", machine.valve_switches},
      {"relief_events", machine.relief_events},
      {"cavitation_events", machine.cavitation_events},
      {"stop_hits", machine.stop_hits},
      {"contacts_dropped", last.worksite.world.contacts_dropped}};
  for (const auto& [name, value] : kept) health.emplace_back(name, static_cast<double>(value));
  writer_.finish([&](io::SessionJournal& journal) {
    try {
      journal.close({true, last.tick, state::hash(last), writer_.lost(), std::move(health)});
    } catch (const io::FileError& error) {
      out.file += io::kJournalSuffix;
      out.fault = fmt::format(
          "the session file could not be completed: {}; all of it is kept in {}, of which "
          "'knuckleboom replay {} --headless' makes a session file",
          error.what(), out.file.string(), out.file.string());
    }
  });
  return out;
}

}  // namespace knuckleboom::runtime
