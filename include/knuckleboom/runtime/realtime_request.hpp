// Requests real-time scheduling and locked memory for a thread with deadlines, and releases them at
// the end.
#pragma once

#include <string>

namespace knuckleboom::runtime {

class RealtimeRequest {
 public:
  // Memory belongs to the whole process: only one request at a time may lock it.
  enum class Memory { kLock, kLeave };

  // Requests once, for the calling thread and the present memory of the process. sentence() reports
  // a refusal, which does not stop anything.
  explicit RealtimeRequest(Memory memory = Memory::kLock);
  ~RealtimeRequest();  // on the same thread; programs started later must not inherit the priority
  RealtimeRequest(const RealtimeRequest&) = delete;
  RealtimeRequest& operator=(const RealtimeRequest&) = delete;

  bool priority_granted() const { return priority_refused_ == 0; }
  bool memory_locked() const { return memory_ == Memory::kLock && memory_refused_ == 0; }
  std::string sentence() const;

 private:
  Memory memory_;
  int priority_refused_;  // error numbers, 0: granted
  int memory_refused_;
};

}  // namespace knuckleboom::runtime
