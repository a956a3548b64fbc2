// Rows of channels on their way from a tick thread to the server, which may be busy or wait for a slow network:
// the tick thread waits for nobody, does not allocate, and does nothing at all while nobody listens. A row for
// which there is no room is left out.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "knuckleboom/runtime/event_queue.hpp"
#include "knuckleboom/runtime/queue_writer.hpp"

namespace knuckleboom::app {

inline constexpr double kTelemetryRate = 50.0;  // rows a second

class TelemetryFeed {
 public:
  virtual ~TelemetryFeed() = default;
  // The server's thread: the next row; false: there is none yet.
  virtual bool take(std::uint64_t& time_ns, std::vector<double>& row) = 0;
  // Whether anybody listens.
  void want(bool rows) { wanted_.store(rows, std::memory_order_relaxed); }
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> wanted_{false};
};

// Shot: all that is published of a tick, of which the channels are read on the server's thread.
template <class Shot>
class ShotFeed : public TelemetryFeed {
 public:
  using Copy = void (*)(const Shot& from, Shot& to);  // of what channels need
  using Read = std::function<void(const Shot& shot, std::vector<double>& row)>;

  ShotFeed(double tick_s, Copy copy, Read read)
      : tick_s_(tick_s),
        period_(std::max<std::int64_t>(1, std::llround(1.0 / (kTelemetryRate * tick_s)))),
        copy_(copy),
        read_(std::move(read)),
        queue_(std::make_unique<Queue>()) {}

  // --- Tick thread: after each tick, or any that is due ---
  bool due(std::int64_t tick) const { return tick >= next_ && wanted(); }
  void offer(std::int64_t tick, const Shot& shot) {
    if (!due(tick)) return;
    next_ = runtime::next_multiple(tick, period_);
    Record* const record = queue_->next();
    if (record == nullptr) return;
    record->tick = tick;
    copy_(shot, record->shot);
    queue_->send();
  }
  std::int64_t period_ticks() const { return period_; }

  // --- The server's thread ---
  bool take(std::uint64_t& time_ns, std::vector<double>& row) override {
    const Record* const record = queue_->front();
    if (record == nullptr) return false;
    time_ns =
        static_cast<std::uint64_t>(std::llround(1e9 * tick_s_ * static_cast<double>(record->tick)));
    read_(record->shot, row);
    queue_->drop();
    return true;
  }

 private:
  static constexpr std::size_t kRows = 32;  // by how long the server may be busy
  struct Record {
    std::int64_t tick;
    Shot shot;
  };
  using Queue = runtime::EventQueue<Record, kRows>;

  const double tick_s_;
  const std::int64_t period_;
  const Copy copy_;
  const Read read_;
  std::int64_t next_ = 0;  // used by the tick thread
  std::unique_ptr<Queue> queue_;
};

}  // namespace knuckleboom::app
