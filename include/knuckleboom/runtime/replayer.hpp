// A recorded session, run again: from any instant, with the recorded input, checked against the recorded
// hashes all the way. Needs neither clock nor picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/replay_check.hpp"

namespace knuckleboom::runtime {

// Where a replay has left the recording.
struct ReplayMismatch {
  std::int64_t tick = 0;         // the first hash that differs was taken after so many ticks
  std::int64_t equal_tick = -1;  // the last that did not; -1: none before it
  // The first channel that shows it, in the order of the channels; empty: none does.
  std::string channel, unit;
  std::int64_t channel_tick = 0;
  double recorded = 0.0, computed = 0.0;
  std::int64_t resumed_tick = -1;  // from here on it goes on from the stored state; -1: from none
};

class Replayer {
 public:
  // How much of the recording this program can show.
  enum class Source {
    kSimulation,  // computed again, and stored states where that differs
    kChannels,  // its states cannot be read: only the stored channels; runtime/recompute.hpp helps
  };

  // Begins at the session's first tick. Throws io::FileError for a session that this program cannot
  // show at all, or whose first state is none of its own.
  explicit Replayer(io::SessionRecord record);
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  const io::SessionRecord& record() const { return record_; }
  const training::Session& session() const { return *session_; }
  Source source() const { return source_; }
  // Remarks to show first: another build, another processor, gaps, cut off. A stored state that cannot
  // be believed adds one when it is met; the way goes on from the state before.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Looks at every stored state without going there; each that cannot be believed adds a remark. Returns how
  // many there are.
  std::int64_t check_states();

  std::int64_t first_tick() const { return record_.header.first_tick; }
  std::int64_t end_tick() const { return record_.end.end_tick; }
  std::int64_t tick() const { return tick_; }  // ticks run

  // One tick on; false: the end is reached. No heap unless it meets a difference or shows channels.
  bool step();
  // To an instant, limited to what there is: from the stored state before it, or from here if that is
  // nearer.
  void seek(std::int64_t tick);

  // As it is after tick() ticks, before the commands of the next. The state is whole with kSimulation
  // only.
  const training::SessionState& state() const { return state_; }
  const training::SessionSnapshot& snapshot() const { return snapshot_; }
  // Where the levers are in the next tick.
  const command::OperatorInput& levers() const { return levers_; }

  std::int64_t hashes_compared() const { return check_.compared; }
  std::int64_t hashes_equal() const { return check_.equal; }
  // Each stretch from a difference to the next stored state counts once; only the first few are kept,
  // and the very first alone is looked into for its channel.
  std::int64_t mismatch_count() const { return mismatch_count_; }
  const std::vector<ReplayMismatch>& mismatches() const { return mismatches_; }
  // After the last tick: commands that came after it, too, lead to the recorded last state. True as
  // well where the recording does not say.
  bool end_is_equal() const;

 private:
  void make_remarks();
  void use_channels(const std::string& why);
  bool read(std::size_t state, training::SessionState& out);
  void load(std::size_t state);
  void compare();
  void differs();
  void look_into(ReplayMismatch& mismatch);
  void compare_with_stored(ReplayMismatch& mismatch, const training::SessionState& stored) const;
  void resume_if_stored();
  void load_channels();
  double stored(const std::string& name, double fallback) const;
  // Not beyond most, not below -1.
  std::int64_t stored_whole(const std::string& name, std::int64_t fallback,
                            std::int64_t most) const;
  void show_channels();
  void show_machine();
  void show_task();
  void show_work();

  io::SessionRecord record_;
  std::unique_ptr<training::Session> session_;
  std::vector<training::SessionChannel> channels_;
  Source source_ = Source::kSimulation;
  std::vector<std::string> remarks_;
  std::set<std::size_t> refused_;  // stored states that cannot be believed

  std::int64_t tick_ = 0;
  training::SessionState state_{};
  training::SessionSnapshot snapshot_{};
  training::InputPlayback playback_;
  command::OperatorInput levers_{};

  std::size_t next_state_ = 0;
  HashCheck check_;
  bool differs_ = false;           // until the next stored state
  training::SessionState good_{};  // at the last equal hash
  std::int64_t good_tick_ = -1;
  std::int64_t mismatch_count_ = 0;
  std::vector<ReplayMismatch> mismatches_;
  std::map<std::string, std::vector<float>> columns_;  // of kChannels
};

}  // namespace knuckleboom::runtime
