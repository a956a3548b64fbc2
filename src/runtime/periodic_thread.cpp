#include "knuckleboom/runtime/periodic_thread.hpp"

#include <csignal>
#include <utility>

#include <pthread.h>

namespace knuckleboom::runtime {

void begin_thread(const char* name) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), name);
}

void PeriodicThread::start(const char* name, std::chrono::milliseconds period,
                           std::function<void()> work) {
  thread_ = std::thread([this, name, period, work = std::move(work)] {
    begin_thread(name);
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wake_.wait_for(lock, period, [this] { return stopping_; });
      lock.unlock();
      work();
      lock.lock();
    }
  });
}

void PeriodicThread::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace knuckleboom::runtime
