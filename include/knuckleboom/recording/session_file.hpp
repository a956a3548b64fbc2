// Session files: all of one training session in an HDF5 file. docs/reference/session_file.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/state_record.hpp"
#include "knuckleboom/recording/session_columns.hpp"

namespace knuckleboom::io {

// Increases with every change that older programs cannot read.
inline constexpr int kSessionFormat = 1;

// A file that the session was made from, as it was read.
struct SessionText {
  std::string role;  // "exercise", "machine", "base" (of the machine), "levers"
  std::string name;  // path it was read from; in a recording without folders of the computer
  std::string text;
};

// Layout of the bytes of a state. With a description of the fields any program can read them.
struct StateLayout {
  std::uint32_t version = 0;  // of hash and record
  std::uint64_t bytes = 0;    // of one state
  std::uint64_t places = 0;   // hash over the description of its fields

  friend bool operator==(const StateLayout&, const StateLayout&) = default;
};
StateLayout layout_of(const state::Struct& type, std::uint32_t version);

// Data known at the start of the session.
struct SessionHeader {
  std::string program;     // "knuckleboom 0.1.0 (revision)"
  std::string processor;   // what decides about the same bits: "x86_64 fma avx2"
  std::string id;          // 32 hexadecimal digits, random
  std::string start_utc;   // "2026-11-28T06:40:12Z"
  std::string learner;     // name, of sessions recorded before names were kept in one table alone
  std::string learner_id;  // random; may be empty
  std::string instructor;  // who supervised, as given; may be empty
  std::string previous;    // digest of the learner's session before this one; empty: none was filed
  std::string parent_id;   // of the session taken over; empty: none
  std::int64_t parent_tick = -1;          // at which it was taken over
  std::string exercise, machine, levers;  // as requested: names or paths
  ContentHash exercise_hash, machine_hash, levers_hash;
  double rate_Hz = 0.0;         // ticks a second
  std::int64_t first_tick = 0;  // number of the first tick
  std::int32_t judging = 0;     // training::kJudging of the figures; 0: not told
  StateLayout layout;
  std::string fields;  // description of its states (io/state_record.hpp); empty: an older program's
  std::vector<SessionText> texts;
  std::vector<std::pair<std::string, std::string>> options;  // options of the request, by name
  const std::string* option(std::string_view name) const;    // null: it has none of that name
  std::optional<std::uint64_t> seed(std::string_view option) const;  // likewise
  std::vector<ChannelInfo> channels;
  std::vector<ChannelInfo> figures;  // of attempts
};

// Fills in what follows from session, program and processor: layout, channels, figures, rate, program,
// processor; and a new id and the time. The texts lose the folders of this computer.
void describe(const training::Session& session, SessionHeader& header);
std::string this_program();    // as in SessionHeader::program
std::string this_processor();  // as in SessionHeader::processor
std::string now_utc();         // "2026-11-28T06:40:12Z"

// An attempt at the exercise: from the start or a restart to its end, the next restart or the end of the
// session.
struct SessionAttempt {
  std::int64_t begin_tick = 0, end_tick = 0;
  training::TaskPhase phase = training::TaskPhase::kReady;
  std::vector<double> figures;  // by SessionHeader::figures
};

// How the recording ended.
struct SessionEndMark {
  bool complete = false;      // false: cut off (killed, disk full); the rest is sound
  std::int64_t end_tick = 0;  // ticks run
  std::uint64_t end_hash =
      0;                  // of the last state, commands after the last tick included; 0: cut off
  std::int64_t lost = 0;  // records there was no room for: above 0 the recording has gaps
  std::vector<std::pair<std::string, double>> health;  // of the simulation and its thread
};

// A session that was read. Copies share rows and states.
struct SessionRecord {
  std::filesystem::path path;
  SessionHeader header;
  SessionEndMark end;
  // Levers and commands; the last is kEnd.
  std::vector<training::InputEvent> inputs;
  std::vector<SessionEvent> events;
  std::vector<StateHash> hashes;
  std::vector<SessionAttempt> attempts;
  std::vector<std::int64_t>
      state_ticks;  // ticks run before each full state; the first is the start
  std::vector<std::int64_t> channel_ticks;  // ticks run before each row of the channels

  double tick_s() const { return 1.0 / header.rate_Hz; }
  double duration_s() const {
    return static_cast<double>(end.end_tick - header.first_tick) / header.rate_Hz;
  }
  bool states_known() const { return !states.empty(); }

  std::vector<std::string> remarks;  // what is to be said of the reading: a sentence each

  // Throw std::out_of_range for a name or a number that there is not. state() also throws UnknownStates where
  // this program does not know what they mean, FileError for what is no state of that session.
  training::SessionState state(std::size_t index, const training::Session& session) const;
  std::vector<float> channel(std::string_view name) const;
  std::vector<float> channel_if_known(std::string_view name) const;  // else empty
  std::vector<float> channel_row(std::size_t row) const;             // by header.channels

  // Hash of a state as computed by the program that recorded it; nothing if that is not known.
  std::optional<std::uint64_t> hash(const training::SessionState& state) const;

  StateDescription states;  // empty: not known
  class Store;
  std::shared_ptr<const Store> store;
};
// States of another program that this one cannot read; their session can be computed again.
class UnknownStates : public FileError {
 public:
  using FileError::FileError;
};
// Description of the session's states in its header.
StateDescription states_of(const SessionHeader& header);

// The part that is quick to read: header and end.
struct SessionOutline {
  SessionHeader header;
  SessionEndMark end;
  std::vector<SessionAttempt> attempts;
  std::vector<std::string> remarks;
};

// Reads session files, and journals of recordings that were cut off, one after the other. The HDF5 library
// works in a process of its own, started for the first file that needs it; what comes from there is checked
// like everything foreign. Throws FileError with one sentence for anything that is neither whole nor
// recoverable, or that no recorder writes.
class SessionChild;
class SessionFiles {
 public:
  SessionFiles();
  ~SessionFiles();
  SessionFiles(const SessionFiles&) = delete;
  SessionFiles& operator=(const SessionFiles&) = delete;

  SessionRecord read(const std::filesystem::path& path);
  SessionOutline outline(const std::filesystem::path& path);

 private:
  SessionRecord read(const std::filesystem::path& path, bool outline);
  void read_file(const std::filesystem::path& path, bool outline, SessionRecord& record);

  std::unique_ptr<SessionChild> child_;
};
// The same for one.
SessionRecord read_session(const std::filesystem::path& path);
SessionOutline read_session_outline(const std::filesystem::path& path);

// The session as it was, from the texts in the header and not from files. Keys of a newer program are left
// out; remarks, if it is not null, gets a sentence on that, and on a text that is not the one its hash was
// taken of. Throws FileError.
std::unique_ptr<training::Session> make_session(const SessionHeader& header,
                                                std::vector<std::string>* remarks = nullptr);

// The start of its name: "2026-11-28T06-40-12_reach_1f2e3d4c".
std::string session_name(const SessionHeader& header);

}  // namespace knuckleboom::io
