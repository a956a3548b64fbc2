#include "knuckleboom/runtime/simulation_thread.hpp"

#include <stdexcept>
#include <utility>

#include "simulation_ticks.hpp"
#include "thread_exchange.hpp"

namespace knuckleboom::runtime {

SimulationThread::SimulationThread(Ticker& ticker, ThreadSettings settings, Clock& clock)
    : exchange_(std::make_unique<ThreadExchange>()) {
  if (!(settings.rate_Hz > 0.0) || settings.catch_up_ticks < 1 ||
      settings.ticks_per_publication < 1)
    throw std::invalid_argument(
        "the simulation thread's rate and numbers of ticks must be above 0");
  if (settings.record) exchange_->recording = std::make_unique<ThreadExchange::Recording>();
  ticks_ = std::make_unique<SimulationTicks>(ticker, std::move(settings), clock, *exchange_);
}

SimulationThread::~SimulationThread() { stop(); }

void SimulationThread::start() {
  if (thread_.joinable() || stopped_) return;
  thread_ = std::thread([this] { ticks_->run(); });
}

void SimulationThread::stop() {
  if (stopped_) return;
  stopped_ = true;
  exchange_->stopping.store(true, std::memory_order_release);
  wake();
  if (thread_.joinable()) thread_.join();
  // From here on this thread owns both ends of the queue.
  do {
    send_waiting();
    ticks_->apply_waiting();
  } while (!waiting_.empty());
  ticks_->finish();
}

void SimulationThread::pause() { send({ThreadEvent::Kind::kPause, {}}); }
void SimulationThread::resume() { send({ThreadEvent::Kind::kResume, {}}); }
void SimulationThread::step_once() { send({ThreadEvent::Kind::kStep, {}}); }
void SimulationThread::post(const training::Command& command) {
  send({ThreadEvent::Kind::kCommand, command});
}

void SimulationThread::send(const ThreadEvent& event) {
  if (stopped_) return;
  waiting_.push_back(event);
  send_waiting();
}

void SimulationThread::send_waiting() {
  if (waiting_.empty()) return;
  while (!waiting_.empty() && exchange_->events.push(waiting_.front())) waiting_.pop_front();
  wake();
}

void SimulationThread::wake() {
  exchange_->calls.fetch_add(1, std::memory_order_release);
  exchange_->calls.notify_one();
}

void SimulationThread::set_input(const command::OperatorInput& input, std::int64_t event_ns) {
  exchange_->input.write({input, event_ns});
}

bool SimulationThread::refresh() {
  if (!stopped_) send_waiting();
  return exchange_->published.refresh();
}
const Published& SimulationThread::published() const { return exchange_->published.value(); }
bool SimulationThread::read(Published& out) {
  if (!refresh()) return false;
  out = published();
  return true;
}

void SimulationThread::drain(std::vector<training::InputEvent>& out) {
  if (!exchange_->recording) return;
  training::InputEvent event{};
  while (exchange_->recording->pop(event)) out.push_back(event);
}

bool SimulationThread::recording_valid() const {
  return exchange_->recording_lost.load(std::memory_order_relaxed) == 0;
}

}  // namespace knuckleboom::runtime
