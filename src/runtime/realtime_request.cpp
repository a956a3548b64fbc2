#include "knuckleboom/runtime/realtime_request.hpp"

#include <cerrno>
#include <system_error>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

namespace knuckleboom::runtime {
namespace {

// Above ordinary threads, well below the kernel threads that the clock depends on.
constexpr int kPriority = 40;

std::string outcome(int refused) {
  if (refused == 0) return "granted";
  return "refused (" + std::generic_category().message(refused) + ")";
}

}  // namespace

RealtimeRequest::RealtimeRequest(Memory memory) : memory_(memory) {
  sched_param parameter{};
  parameter.sched_priority = kPriority;
  priority_refused_ = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
  // Only present memory: locking future memory could make a later allocation fail.
  const bool refused = memory == Memory::kLock && mlockall(MCL_CURRENT) != 0;
  memory_refused_ = refused ? errno : 0;
}

RealtimeRequest::~RealtimeRequest() {
  if (memory_locked()) munlockall();
  if (priority_granted()) {
    const sched_param parameter{};
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter);
  }
}

std::string RealtimeRequest::sentence() const {
  std::string out = "real-time priority " + outcome(priority_refused_);
  if (memory_ == Memory::kLock) out += ", locked memory " + outcome(memory_refused_);
  return out;
}

}  // namespace knuckleboom::runtime
