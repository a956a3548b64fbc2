#include "app/emulation/signal_log.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/runtime/event_queue.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::chrono::milliseconds kWritePeriod{100};

io::TraceHeader with_columns(io::TraceHeader header, const emulation::HilBench& bench,
                             const std::vector<int>& signals) {
  header.columns = {"t_s"};
  for (const int i : signals) {
    const emulation::HilSignal& signal = bench.signals()[static_cast<std::size_t>(i)];
    header.columns.push_back(signal.name);
    header.remarks.push_back(
        fmt::format("{} [{}]: {}", signal.name, signal.unit, signal.description));
  }
  return header;
}

}  // namespace

std::vector<int> choose_signals(const emulation::HilBench& bench,
                                const std::vector<std::string>& patterns) {
  const std::vector<emulation::HilSignal>& signals = bench.signals();
  std::vector<bool> chosen(signals.size(), false);
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      if (fnmatch(pattern.c_str(), signals[i].name.c_str(), 0) != 0) continue;
      chosen[i] = any = true;
    }
    if (any) continue;
    if (pattern.find_first_of("*?[") != std::string::npos)
      throw UserError(fmt::format("no signal fits '{}'", pattern));
    std::vector<std::string> names;
    names.reserve(signals.size());
    for (const emulation::HilSignal& signal : signals) names.push_back(signal.name);
    throw UserError(
        fmt::format("the emulation has no signal '{}'{}", pattern, alternatives(pattern, names)));
  }
  std::vector<int> out;
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (chosen[i]) out.push_back(static_cast<int>(i));
  return out;
}

// Size for a stalled disk: 4 s at 1000 rows per second.
struct SignalLog::Queue : runtime::EventQueue<Row, 4096> {};

SignalLog::SignalLog(const emulation::HilBench& bench, const io::TraceHeader& header,
                     SignalLogSettings settings)
    : bench_(bench),
      settings_(std::move(settings)),
      queue_(std::make_unique<Queue>()),
      on_(settings_.on),
      writer_(settings_.file, with_columns(header, bench, settings_.signals)) {
  row_.resize(settings_.signals.size() + 1);
  if (settings_.own_thread) thread_.start("signal log", kWritePeriod, [this] { write(); });
}

SignalLog::~SignalLog() { thread_.stop(); }

void SignalLog::after_tick(const emulation::HilState& state) {
  if (!on_ || state.tick % settings_.every != 0) return;
  Row* const row = queue_->next();
  if (row == nullptr) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  row->t_s = bench_.time(state);
  for (std::size_t i = 0; i < settings_.signals.size(); ++i)
    row->value[i] = bench_.value(state, settings_.signals[i]);
  queue_->send();
  if (!settings_.own_thread) write();
}

// A failed file is left as it is; the queue is still emptied.
void SignalLog::write() {
  while (const Row* const row = queue_->front()) {
    row_[0] = row->t_s;
    std::copy_n(row->value, settings_.signals.size(), row_.begin() + 1);
    queue_->drop();
    if (failure_) continue;
    try {
      writer_.write(row_);
      rows_.fetch_add(1, std::memory_order_relaxed);
    } catch (const io::FileError& error) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      fault_ = error.what();
    }
  }
}

std::string SignalLog::fault() {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void SignalLog::finish() {
  thread_.stop();
  write();
  if (failure_) std::rethrow_exception(failure_);
  writer_.close();
}

}  // namespace knuckleboom::app
