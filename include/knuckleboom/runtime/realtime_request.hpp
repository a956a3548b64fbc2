// Asks the system for what a thread with deadlines needs, and gives it back at the end.
#pragma once

#include <string>

namespace knuckleboom::runtime {

class RealtimeRequest {
 public:
  // Asks once, for the calling thread and the memory the process has by now. What is refused is said
  // in sentence() and does not stop anything.
  RealtimeRequest();
  ~RealtimeRequest();  // on the same thread; programs started later must not inherit the priority
  RealtimeRequest(const RealtimeRequest&) = delete;
  RealtimeRequest& operator=(const RealtimeRequest&) = delete;

  bool priority_granted() const { return priority_refused_ == 0; }
  bool memory_locked() const { return memory_refused_ == 0; }
  std::string sentence() const;

 private:
  int priority_refused_;  // error numbers, 0: granted
  int memory_refused_;
};

}  // namespace knuckleboom::runtime
