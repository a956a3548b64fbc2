// From a tick thread into a file, by way of queues: what the recorders of sessions and emulations share.
//
//   tick thread: records -> queues -> writing thread -> file
//
// The tick thread does not wait, allocate or write. A full queue loses its record and counts it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/event_queue.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"

namespace knuckleboom::runtime {

// The first multiple of a period after this tick.
inline std::int64_t next_multiple(std::int64_t tick, std::int64_t period) {
  return (tick / period + 1) * period;
}

// File: an io::SessionJournal or io::EmulationRecordingWriter.
template <class File>
class QueueWriter {
 public:
  // Takes all records from the queues, into the file if that is not null; then it has failed. Throws
  // io::FileError.
  using Take = std::function<void(File*)>;
  // Everything up to this tick has been taken.
  using Flush = std::function<void(File&, std::int64_t end_tick)>;

  // subject: "the session", in the sentence of a failure.
  QueueWriter(File file, const char* subject, std::int64_t first_tick, std::int64_t hash_ticks)
      : subject_(subject),
        hash_ticks_(hash_ticks),
        next_hash_(next_multiple(first_tick, hash_ticks)),
        hashes_(std::make_unique<Hashes>()),
        ticks_(first_tick),
        file_(std::make_unique<File>(std::move(file))) {}

  // With the state that the run begins with. Writes at once, and from then on every 200 ms, which is what a
  // kill can cost, if the thread is its own.
  template <class State>
  void start(const State& first, bool own_thread, Take take, Flush flush) {
    take_ = std::move(take);
    flush_ = std::move(flush);
    hashes_->push({first.tick, state::hash(first)});
    write();
    if (own_thread)
      thread_.start("recorder", std::chrono::milliseconds(200), [this] { write_and_sync(); });
  }

  // --- Tick thread ---
  void lose(std::int64_t tick) {
    // In this order: a reader of the count also sees the tick.
    if (lost() == 0) first_lost_tick_.store(tick, std::memory_order_relaxed);
    lost_.fetch_add(1, std::memory_order_release);
  }
  // The hash of the state, where one is due.
  template <class State>
  void hash(const State& state) {
    if (state.tick < next_hash_) return;
    if (!hashes_->push({state.tick, state::hash(state)})) lose(state.tick);
    next_hash_ = next_multiple(state.tick, hash_ticks_);
  }
  // All records of the ticks up to this one are in the queues.
  void tick_finished(std::int64_t tick) { ticks_.store(tick, std::memory_order_release); }

  // --- Any thread ---
  std::int64_t ticks() const { return ticks_.load(std::memory_order_acquire); }
  std::int64_t lost() const { return lost_.load(std::memory_order_acquire); }
  std::int64_t first_lost_tick() const { return first_lost_tick_.load(std::memory_order_relaxed); }

  // --- The thread that made it, or a tick thread without a writing thread ---
  bool has_thread() const { return thread_.started(); }
  void stop() { thread_.stop(); }
  void write() {
    // In this order: the records of these ticks are in the queues by now.
    const std::int64_t end = ticks();
    guarded([this, end] {
      take_(file_.get());
      io::StateHash hash;
      while (hashes_->pop(hash))
        if (file_) file_->add(hash);
      if (file_) flush_(*file_, end);
    });
    if (lost() == 0 || told_loss_) return;
    told_loss_ = true;
    tell(fmt::format("the recording has gaps from tick {} on: the disk did not keep up",
                     first_lost_tick()));
  }
  // A sentence if the recording has got a fault since the last time; else empty.
  std::string take_fault() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fault_, {});
  }

  // After stop(). The file, null: it has failed.
  File* file() { return file_.get(); }
  const std::string& last_fault() const { return last_fault_; }
  // The last use of the file.
  template <class Use>
  void finish(Use use) {
    guarded([&] {
      if (file_) use(*file_);
    });
    file_.reset();
  }

 private:
  using Hashes = EventQueue<io::StateHash, 1024>;
  static constexpr int kWritesPerSync = 5;

  void write_and_sync() {
    write();
    guarded([this] {
      if (file_ && ++writes_ % kWritesPerSync == 0) file_->sync();
    });
  }
  void guarded(const auto& work) {
    try {
      work();
    } catch (const io::FileError& error) {
      file_.reset();
      tell(fmt::format("{} is not recorded any more: {}", subject_, error.what()));
    }
  }
  void tell(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    fault_ = last_fault_ = sentence;
  }

  const char* const subject_;
  const std::int64_t hash_ticks_;
  std::int64_t next_hash_;  // used by the tick thread
  std::unique_ptr<Hashes> hashes_;
  std::atomic<std::int64_t> ticks_, lost_{0}, first_lost_tick_{-1};

  // Used by the writing thread.
  Take take_;
  Flush flush_;
  std::unique_ptr<File> file_;
  int writes_ = 0;
  bool told_loss_ = false;

  std::mutex mutex_;  // between the writing thread and the one that made it
  std::string fault_, last_fault_;
  PeriodicThread thread_;  // the last: it ends first
};

}  // namespace knuckleboom::runtime
