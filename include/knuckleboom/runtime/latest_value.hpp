// The newest of a stream of values, from one thread to another. Older ones may be skipped.
//
// Three slots: one belongs to the writer, one to the reader, and the third is exchanged. Neither
// side ever waits for the other.
#pragma once

#include <atomic>
#include <type_traits>

namespace knuckleboom::runtime {

// Distance between data written by two threads [bytes].
inline constexpr int kCacheLine = 64;

template <class T>
class LatestValue {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Writer: fill next(), which contains an old value, and publish it.
  T& next() { return slot_[back_].value; }
  void publish() { back_ = middle_.exchange(back_ | kNew, std::memory_order_acq_rel) & kSlot; }
  void write(const T& value) {
    next() = value;
    publish();
  }

  // Reader: true if there is a new value since the last call; value() returns it. Before the first
  // it is T{}.
  bool refresh() {
    if ((middle_.load(std::memory_order_relaxed) & kNew) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kSlot;
    return true;
  }
  const T& value() const { return slot_[front_].value; }
  // value: unchanged when there is nothing new.
  bool read(T& value) {
    if (!refresh()) return false;
    value = slot_[front_].value;
    return true;
  }

 private:
  static constexpr unsigned kSlot = 3;
  static constexpr unsigned kNew = 4;

  struct alignas(kCacheLine) Slot {
    T value{};
  };
  Slot slot_[3];
  alignas(kCacheLine) unsigned back_ = 0;   // the writer's
  alignas(kCacheLine) unsigned front_ = 1;  // the reader's
  alignas(kCacheLine) std::atomic<unsigned> middle_{2};
};

}  // namespace knuckleboom::runtime
