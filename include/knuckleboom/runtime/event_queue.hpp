// Events from one thread to another, in order and none dropped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>

#include "knuckleboom/runtime/latest_value.hpp"

namespace knuckleboom::runtime {

// Fixed size: a full queue refuses, and the sender keeps the event and tries again. Neither side
// ever waits for the other.
template <class T, std::size_t capacity>
class EventQueue {
  static_assert(std::is_trivially_copyable_v<T> && capacity > 0);

 public:
  // Sender. False: full, nothing has changed.
  bool push(const T& event) {
    T* const slot = next();
    if (slot == nullptr) return false;
    *slot = event;
    send();
    return true;
  }
  // The same in two steps, for events filled in place. nullptr: full. Without send() nothing has
  // changed.
  T* next() {
    const std::uint64_t end = end_.load(std::memory_order_relaxed);
    if (end - known_begin_ == capacity) {
      known_begin_ = begin_.load(std::memory_order_acquire);
      if (end - known_begin_ == capacity) return nullptr;
    }
    return &event_[end % capacity];
  }
  void send() { end_.store(end_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // Receiver. False: empty, event is unchanged.
  bool pop(T& event) {
    const T* const slot = front();
    if (slot == nullptr) return false;
    event = *slot;
    drop();
    return true;
  }
  // The same in two steps. nullptr: empty. The sender does not touch it before drop().
  const T* front() {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    if (begin == known_end_) {
      known_end_ = end_.load(std::memory_order_acquire);
      if (begin == known_end_) return nullptr;
    }
    return &event_[begin % capacity];
  }
  void drop() {
    begin_.store(begin_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  // Each side caches the other's position and reads it again only when that is not enough.
  alignas(kCacheLine) std::atomic<std::uint64_t> end_{0};
  std::uint64_t known_begin_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> begin_{0};
  std::uint64_t known_end_ = 0;
  alignas(kCacheLine) T event_[capacity]{};
};

// The same without refusals: events that find no room wait with the sender, until it comes by again.
template <class T, std::size_t capacity>
class PatientQueue {
 public:
  // Sender. False: none was waiting.
  bool send_waiting() {
    if (waiting_.empty()) return false;
    while (!waiting_.empty() && queue_.push(waiting_.front())) waiting_.pop_front();
    return true;
  }
  void push(const T& event) {
    waiting_.push_back(event);
    send_waiting();
  }
  std::size_t waiting() const { return waiting_.size(); }

  // Receiver. False: empty, event is unchanged.
  bool pop(T& event) { return queue_.pop(event); }

 private:
  EventQueue<T, capacity> queue_;
  std::deque<T> waiting_;
};

}  // namespace knuckleboom::runtime
