#include "input/lever_thread.hpp"

#include <chrono>
#include <utility>

#include "input/raw_devices.hpp"
#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"

namespace knuckleboom::input {
namespace {

double now_s() { return static_cast<double>(runtime::monotonic_clock().now_ns()) * 1e-9; }

}  // namespace

LeverThread::LeverThread(command::LeverSetup setup)
    : desk_(std::move(setup), now_s()), beat_s_(now_s()), thread_([this] { run(); }) {}

LeverThread::~LeverThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void LeverThread::run() {
  runtime::begin_thread("levers");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    look();
    wake_.wait_for(lock, std::chrono::duration<double>(kPollPeriod_s),
                   [this] { return stopping_; });
  }
  leave_sdl();
}

void LeverThread::look() {
  const double now = now_s();
  desk_.poll(now, now - beat_s_ <= kKeysKnown_s);
  hand_over();
}

void LeverThread::hand_over() {
  SentInput next;
  if (operate_) {
    next.input = ramping_ ? ramped(desk_.current()) : desk_.current();
    const double event_s = desk_.newest_event_s();
    next.event_ns = event_s > 0.0 ? static_cast<std::int64_t>(event_s * 1e9) : std::int64_t{0};
  }
  if (next.input == sent_.input && next.event_ns == sent_.event_ns) return;
  sent_ = next;
  if (simulation_ != nullptr) simulation_->set_input(next.input, next.event_ns);
}

void LeverThread::connect(runtime::SimulationThread* simulation) {
  const std::lock_guard lock(mutex_);
  simulation_ = simulation;
  sent_ = {};
  ramping_ = false;
  if (simulation_ == nullptr) return;
  simulation_->set_input({});
  hand_over();
}

void LeverThread::operate(bool on) {
  const std::lock_guard lock(mutex_);
  if (on == operate_) return;
  operate_ = on;
  hand_over();
}

void LeverThread::ramp_in_from(const command::OperatorInput& positions) {
  const std::lock_guard lock(mutex_);
  ramp_from_ = positions;
  ramp_begin_s_ = -1.0;
  ramping_ = true;
}

command::OperatorInput LeverThread::ramped(const command::OperatorInput& levers) {
  const double now = now_s();
  if (ramp_begin_s_ < 0.0) ramp_begin_s_ = now;
  const double share = (now - ramp_begin_s_) / kRampIn_s;
  if (share >= 1.0) {
    ramping_ = false;
    return levers;
  }
  command::OperatorInput input{};
  input.buttons = levers.buttons;
  for (std::size_t i = 0; i < command::kLeverAxes; ++i)
    input.axis[i] = ramp_from_.axis[i] + share * (levers.axis[i] - ramp_from_.axis[i]);
  return input;
}

void LeverThread::beat() {
  const std::lock_guard lock(mutex_);
  beat_s_ = now_s();
}

SentInput LeverThread::sent() {
  const std::lock_guard lock(mutex_);
  return sent_;
}

}  // namespace knuckleboom::input
