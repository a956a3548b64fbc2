// Events from one thread to another, in order and none dropped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "knuckleboom/runtime/latest_value.hpp"

namespace knuckleboom::runtime {

// Of fixed size: a full queue refuses, and the sender keeps the event and tries again. Neither side ever
// waits for the other.
template <class T, std::size_t capacity>
class EventQueue {
  static_assert(std::is_trivially_copyable_v<T> && capacity > 0);

 public:
  // Sender. False: full, nothing has happened.
  bool push(const T& event) {
    const std::uint64_t end = end_.load(std::memory_order_relaxed);
    if (end - known_begin_ == capacity) {
      known_begin_ = begin_.load(std::memory_order_acquire);
      if (end - known_begin_ == capacity) return false;
    }
    event_[end % capacity] = event;
    end_.store(end + 1, std::memory_order_release);
    return true;
  }

  // Receiver. False: empty, event is as it was.
  bool pop(T& event) {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    if (begin == known_end_) {
      known_end_ = end_.load(std::memory_order_acquire);
      if (begin == known_end_) return false;
    }
    event = event_[begin % capacity];
    begin_.store(begin + 1, std::memory_order_release);
    return true;
  }

 private:
  // Each side remembers how far it last saw the other, and looks again only when that is not enough.
  alignas(kCacheLine) std::atomic<std::uint64_t> end_{0};
  std::uint64_t known_begin_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> begin_{0};
  std::uint64_t known_end_ = 0;
  alignas(kCacheLine) T event_[capacity]{};
};

}  // namespace knuckleboom::runtime
