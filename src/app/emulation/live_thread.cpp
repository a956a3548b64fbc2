#include "app/emulation/live_thread.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace knuckleboom::app {
namespace {

using emulation::HilCommand;
using emulation::HilCommandKind;
using emulation::HilMode;
using emulation::HilReason;

constexpr int kLastPackets = 3;  // repeated, since one may be lost

}  // namespace

LiveThread::LiveThread(const emulation::HilBench& bench, LiveEndpoints* endpoints,
                       runtime::EmulationRecorder* recorder, SignalLog* log,
                       std::vector<TimedCommand> schedule, LiveSettings settings,
                       runtime::Clock& clock)
    : bench_(bench),
      endpoints_(endpoints),
      recorder_(recorder),
      log_(log),
      schedule_(std::move(schedule)),
      settings_(settings),
      clock_(clock),
      publish_ticks_(
          std::max<std::int64_t>(1, std::llround(1.0 / (settings.publish_Hz * bench.tick_s())))),
      exchange_(std::make_unique<Exchange>()),
      state_(bench.initial_state()),
      known_mode_(state_.mode),
      known_reason_(state_.reason),
      loop_(bench.tick_s(), runtime::Pacer::kDefaultCatchUp, clock) {
  publish(0);
}

LiveThread::~LiveThread() { stop(); }

void LiveThread::start() {
  if (loop_.running() || over()) return;
  beat();
  loop_.start("emulation", settings_.ask_for_priority, [this] { run(); });
}

void LiveThread::stop() {
  loop_.stop();
  if (!over()) finish(newest_ns_);
}

bool LiveThread::tick() {
  if (over()) return false;
  exchange_->commands.send_waiting();
  const std::int64_t now = std::llround(1e9 * bench_.time(state_));
  const bool goes_on = advance(now);
  if (!goes_on)
    finish(now);
  else if (state_.tick % publish_ticks_ == 0)
    publish(now);
  return goes_on;
}

void LiveThread::send(const LiveCommand& command) { exchange_->commands.push(command); }

bool LiveThread::refresh() {
  exchange_->commands.send_waiting();
  return exchange_->published.refresh();
}

// --- Tick thread --------------------------------------------------------------------------------------

void LiveThread::run() {
  const auto one = [this] {
    const std::int64_t now = clock_.now_ns();
    watch(now);
    const bool goes_on = advance(now);
    loop_.tick_cost.add(clock_.now_ns() - now);
    if (state_.tick % publish_ticks_ == 0) publish(loop_.due_ns());
    return goes_on;
  };
  loop_.run([] { return true; }, [] { return true; }, one);
  finish(clock_.now_ns());
}

void LiveThread::watch(std::int64_t now_ns) {
  if (state_.mode == HilMode::kStopped) return;
  const emulation::SafetyLimits& safety = bench_.emulation().plan().safety;
  const auto bark = [this](HilReason reason, double value) {
    apply({HilCommandKind::kWatchdog, static_cast<std::int32_t>(reason), value}, -1);
  };
  const double late_s = 1e-9 * static_cast<double>(loop_.lateness_ns());
  const double silent_s =
      1e-9 * static_cast<double>(now_ns - beat_ns_.load(std::memory_order_relaxed));
  if (late_s > safety.late_tick_s)
    bark(HilReason::kLateTick, late_s);
  else if (silent_s > safety.console_s)
    bark(HilReason::kConsoleSilent, silent_s);
}

// False: the run is over.
bool LiveThread::advance(std::int64_t now_ns) {
  newest_ns_ = now_ns;
  take_commands();
  if (quit_ || state_.tick >= settings_.end_tick) return false;
  if (endpoints_ != nullptr) endpoints_->receive(bench_.time(state_), now_ns, input_);
  if (recorder_ != nullptr) recorder_->input(state_.tick, input_);
  bench_.step(state_, input_);
  notice_changes();
  if (recorder_ != nullptr) recorder_->after_tick(state_);
  if (log_ != nullptr) log_->after_tick(state_);
  if (settings_.feed != nullptr) settings_.feed->offer(state_.tick, state_);
  if (endpoints_ != nullptr) {
    // Non-finite values are meaningless, and the last ones would be sent forever.
    if (state_.reason == HilReason::kNotFinite)
      endpoints_->send_safe(now_ns);
    else
      endpoints_->send(state_, now_ns);
  }
  return !is_over();
}

bool LiveThread::is_over() const {
  if (!settings_.end_when_over || next_scheduled_ < schedule_.size()) return false;
  return state_.mode != HilMode::kRunning || bench_.finished(state_);
}

void LiveThread::take_commands() {
  while (!quit_ && next_scheduled_ < schedule_.size() &&
         schedule_[next_scheduled_].tick <= state_.tick)
    take(schedule_[next_scheduled_++].command);
  LiveCommand command;
  while (!quit_ && exchange_->commands.pop(command)) take(command);
}

void LiveThread::take(const LiveCommand& command) {
  switch (command.kind) {
    case LiveCommand::Kind::kBench:
      apply(command.bench, command.id);
      return;
    case LiveCommand::Kind::kCopy:
      if (LiveCopy* const copy = exchange_->copies.next()) {
        copy->id = command.id;
        copy->state = state_;
        exchange_->copies.send();
      } else {
        refuse(command.id, "too many of them wait to be written");
      }
      return;
    case LiveCommand::Kind::kLog:
      if (log_ != nullptr)
        log_->turn(command.bench.value != 0.0);
      else
        refuse(command.id, "there is no log; --log FILE.csv names one");
      return;
    case LiveCommand::Kind::kQuit:
      quit_ = true;
      return;
  }
}

void LiveThread::refuse(std::int32_t id, const char* sentence) {
  LiveNotice out = notice(LiveNotice::Kind::kRefused);
  out.id = id;
  out.sentence = sentence;
  tell(out);
}

void LiveThread::apply(const HilCommand& command, std::int32_t id) {
  const char* const refused = bench_.apply(command, state_);
  if (*refused != '\0') return refuse(id, refused);
  if (recorder_ != nullptr) recorder_->command(state_.tick, command);
  notice_mode();
}

LiveNotice LiveThread::notice(LiveNotice::Kind kind) const {
  return {
      kind, 0, state_.tick, state_.mode, state_.reason, state_.reason_index, state_.reason_value,
      0,    ""};
}

void LiveThread::notice_mode() {
  if (state_.mode == known_mode_ && state_.reason == known_reason_) return;
  known_mode_ = state_.mode;
  known_reason_ = state_.reason;
  tell(notice(LiveNotice::Kind::kMode));
}

void LiveThread::notice_changes() {
  const std::uint64_t silent = bench_.silent(state_);
  if (silent != known_silent_) {
    LiveNotice out = notice(LiveNotice::Kind::kSilent);
    out.mask = silent & ~known_silent_;
    if (out.mask != 0) tell(out);
    out.kind = LiveNotice::Kind::kHeard;
    out.mask = known_silent_ & ~silent;
    if (out.mask != 0) tell(out);
    known_silent_ = silent;
  }
  notice_mode();
  if (state_.emulation.phase == known_phase_) return;
  known_phase_ = state_.emulation.phase;
  LiveNotice out =
      notice(bench_.finished(state_) ? LiveNotice::Kind::kFinished : LiveNotice::Kind::kPhase);
  out.index = known_phase_;
  tell(out);
}

void LiveThread::publish(std::int64_t due_ns, bool at_end) {
  PublishedBench& out = exchange_->published.next();
  out.state = state_;
  out.due_ns = due_ns;
  out.endpoints = endpoints_ != nullptr ? endpoints_->counters() : EndpointCounters{};
  out.health = loop_.health(0, at_end);
  exchange_->published.publish();
}

void LiveThread::finish(std::int64_t now_ns) {
  if (endpoints_ != nullptr)
    for (int i = 0; i < kLastPackets; ++i) endpoints_->send_safe(now_ns);
  publish(now_ns, true);
  over_.store(true, std::memory_order_release);
}

}  // namespace knuckleboom::app
