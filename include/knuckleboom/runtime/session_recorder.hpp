// Records a session into a journal, off the tick thread.
//
//   tick thread: inputs, states, snapshots, events -> queues -> recorder thread -> journal
//
// A queue that is full loses its record: the recording then has gaps, which is said in it and to the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/queue_writer.hpp"

namespace knuckleboom::runtime {

struct RecorderSettings {
  double channel_rate_Hz = 50.0;
  double state_period_s = 1.0;
  std::int64_t hash_ticks = 100;
  bool own_thread = true;  // false: the caller calls drain() often enough
};

// Result of a recording.
struct RecordingEnd {
  std::filesystem::path file;  // the session file, or the journal if it could not be completed
  std::string fault;           // one sentence; empty: all is well
};

class SessionRecorder {
 public:
  // first: the state that the session begins with. The session must outlive it.
  SessionRecorder(io::SessionJournal journal, const training::Session& session,
                  const training::SessionState& first, RecorderSettings settings = {});
  ~SessionRecorder();  // without finish(): the journal is left behind
  SessionRecorder(const SessionRecorder&) = delete;
  SessionRecorder& operator=(const SessionRecorder&) = delete;

  // --- Tick thread ---
  void input(const training::InputEvent& event);
  void before(const training::Command& command, const training::SessionState& state);
  void after_tick(const training::SessionState& state, const training::SessionSnapshot& snapshot);

  // --- The thread that made it ---
  // Something from outside: a bookmark, a message. It happens now; event.tick is filled in.
  void note(io::SessionEvent event);
  // Writes the queue to the journal; only without a thread of its own.
  void drain();
  // A sentence if the recording has got a fault since the last time; else empty.
  std::string take_fault() { return writer_.take_fault(); }
  const std::filesystem::path& file() const { return file_; }

  // Instead of finish(), when there was no tick: leaves nothing behind.
  void discard();
  // After the last tick, when nobody ticks any more: completes the session file. health: what of the
  // thread is to be kept, by name. Once.
  RecordingEnd finish(const training::SessionState& last,
                      std::vector<std::pair<std::string, double>> health = {});

 private:
  struct RowRecord {
    std::int64_t tick;
    training::SessionSnapshot snapshot;
  };
  enum class EventKind : std::int32_t {
    kPhase,
    kStep,
    kCollision,
    kGrip,
    kRelease,
    kEndStop,
    kFault,
    kDanger
  };
  struct EventRecord {
    std::int64_t tick;
    EventKind kind;
    double value[4];
  };
  struct AttemptRecord {
    std::int64_t begin_tick, end_tick;
    training::TaskPhase phase;
    training::Score score;
  };
  struct Queues;
  // Values of the last tick's snapshot, to detect changes.
  struct Watch {
    training::TaskPhase phase = training::TaskPhase::kReady;
    std::int32_t step = 0, held_log = -1;
    std::int64_t collisions[world::kObstacles] = {};
    double stop_hits = 0.0;
    std::int64_t begin_tick = 0;  // of the attempt
    std::uint32_t faults[command::kMaxFaults / 32] = {};
    bool open = true;  // the attempt has not ended
  };

  void watch(std::int64_t tick, const training::SessionSnapshot& snapshot);
  void event(std::int64_t tick, EventKind kind, double a = 0.0, double b = 0.0, double c = 0.0);
  void end_attempt(std::int64_t tick, training::TaskPhase phase, const training::Score& score);

  // The recorder thread; null: the journal has failed.
  void take(io::SessionJournal* journal);
  io::SessionEvent readable(const EventRecord& record) const;

  const training::Session& session_;
  const RecorderSettings settings_;
  const std::int64_t state_ticks_, row_ticks_;
  const std::vector<training::SessionChannel> channels_;
  std::filesystem::path file_;

  // The tick thread's.
  std::int64_t next_state_, next_row_;
  Watch watch_;

  std::unique_ptr<Queues> queues_;

  // The recorder thread's.
  std::int64_t told_lost_ = 0;
  std::vector<float> row_;

  std::mutex mutex_;  // between the recorder thread and the one that made it
  std::vector<io::SessionEvent> notes_;
  QueueWriter<io::SessionJournal> writer_;  // the last: its thread ends first
};

}  // namespace knuckleboom::runtime
