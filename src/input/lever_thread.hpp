// Reads the levers on its own thread and passes them to the simulation: slow or stopped rendering
// delays neither a move nor the neutral position of a lever that vanishes.
//
// Keys come from SDL's event loop, which stops with the rendering: when the main thread has not
// called beat() for kKeysKnown_s, held keys count as released until it does.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "input/lever_desk.hpp"
#include "knuckleboom/core/command/operator_input.hpp"

namespace knuckleboom::runtime {
class SimulationThread;
}

namespace knuckleboom::input {

inline constexpr double kPollPeriod_s = 2e-3;
inline constexpr double kKeysKnown_s = 1.0;
inline constexpr double kRampIn_s = 1.5;

// Input passed to the simulation, and its time.
struct SentInput {
  command::OperatorInput input{};
  std::int64_t event_ns = 0;  // CLOCK_MONOTONIC; 0: no lever or key has moved yet
};

class LeverThread {
 public:
  // Times of its desk are those of CLOCK_MONOTONIC.
  explicit LeverThread(command::LeverSetup setup = {});
  ~LeverThread();
  LeverThread(const LeverThread&) = delete;
  LeverThread& operator=(const LeverThread&) = delete;

  // Exclusive access to the desk; polls wait meanwhile.
  class Access {
   public:
    LeverDesk* operator->() const { return &desk_; }
    LeverDesk& operator*() const { return desk_; }

   private:
    friend class LeverThread;
    Access(std::mutex& mutex, LeverDesk& desk) : lock_(mutex), desk_(desk) {}
    std::unique_lock<std::mutex> lock_;
    LeverDesk& desk_;
  };
  Access access() { return {mutex_, desk_}; }

  // Receiver of the input; nullptr: none, and the previous simulation may be destroyed. While
  // connected, no one else may call its set_input().
  void connect(runtime::SimulationThread* simulation);
  // False (initially): the simulation gets neutral, wherever the levers are.
  void operate(bool on);
  // The input passes from these positions to the actual levers within kRampIn_s from the start of
  // operation: for a machine already moving when its operator takes over.
  void ramp_in_from(const command::OperatorInput& positions);
  // Sign of life of the main thread, once per frame.
  void beat();

  SentInput sent();

 private:
  void run();
  void look();
  void hand_over();
  command::OperatorInput ramped(const command::OperatorInput& levers);

  std::mutex mutex_;  // for all members below
  LeverDesk desk_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool operate_ = false;
  double beat_s_;
  command::OperatorInput ramp_from_{};
  double ramp_begin_s_ = -1.0;  // below 0: not started
  bool ramping_ = false;
  runtime::SimulationThread* simulation_ = nullptr;
  SentInput sent_;
  std::thread thread_;
};

}  // namespace knuckleboom::input
