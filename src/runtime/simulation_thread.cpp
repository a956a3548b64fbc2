#include "knuckleboom/runtime/simulation_thread.hpp"

#include <stdexcept>
#include <utility>

#include "simulation_ticks.hpp"

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
  if (!running() && !stopped_) ticks_->start();
}

void SimulationThread::stop() {
  if (stopped_) return;
  stopped_ = true;
  ticks_->ask_to_stop();
  wake();
  ticks_->stop();
  // From here on this thread owns both ends of the queue.
  do {
    exchange_->events.send_waiting();
    ticks_->apply_waiting();
  } while (waiting() > 0);
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
  exchange_->events.push(event);
  wake();
}

bool SimulationThread::running() const { return ticks_->running(); }
std::size_t SimulationThread::waiting() const { return exchange_->events.waiting(); }

void SimulationThread::wake() {
  exchange_->calls.fetch_add(1, std::memory_order_release);
  exchange_->calls.notify_one();
}

void SimulationThread::set_input(const command::OperatorInput& input, std::int64_t event_ns) {
  exchange_->input.write({input, event_ns});
}

bool SimulationThread::refresh() {
  if (!stopped_ && exchange_->events.send_waiting()) wake();
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
