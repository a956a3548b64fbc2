// Threads other than the main one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace knuckleboom::runtime {

// At the start of such a thread: signals are for the main thread, a handler must not run on this one.
// name: 15 characters at most.
void begin_thread(const char* name);

// Does the same work in every period, and once more when stopped.
class PeriodicThread {
 public:
  PeriodicThread() = default;
  ~PeriodicThread() { stop(); }
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  void start(const char* name, std::chrono::milliseconds period, std::function<void()> work);
  void stop();  // returns when the work is done; without a thread nothing
  bool started() const { return thread_.joinable(); }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace knuckleboom::runtime
