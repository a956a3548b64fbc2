// Recordings of an emulation that ran as a bench: all that its ticks depended on, so that it runs again with
// the same bits; nothing that was on the wire is needed for that. docs/reference/emulation_recording.md
//
// The file grows while the run goes on, block by block, each with a checksum. Killed at any moment, all that
// was flushed before is sound.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/recording/emulation_texts.hpp"
#include "knuckleboom/recording/journal_file.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

inline constexpr const char* kEmulationRecordingSuffix = ".kbe";
// Increases with every change that older programs cannot read.
inline constexpr int kEmulationRecordingFormat = 1;
inline constexpr std::int64_t kEmulationHashTicks = 100;

// Goes up when another hash is taken of a HilState; hashes are good for programs with the same one only.
inline constexpr std::uint32_t kHilStateFormat = 3;
StateLayout emulation_layout();

// Data known at the start of the run.
struct EmulationRecordingHeader {
  std::string program;    // "knuckleboom 0.1.0 (revision)"
  std::string processor;  // what decides about the same bits: "x86_64 fma avx2"
  std::string id;         // 32 hexadecimal digits, random
  std::string start_utc;  // "2026-11-28T06:40:12Z"
  std::string emulation;  // name in its file
  double tick_s = 0.0;
  StateLayout layout;
  EmulationTexts made_from;
};
// A header for a run that begins now.
EmulationRecordingHeader emulation_recording_header(EmulationTexts made_from,
                                                    const emulation::HilBench& bench);

struct EmulationTickCommand {
  std::int64_t tick = 0;  // ticks run before it
  emulation::HilCommand command{};
};

// Records without room: after the first of them nothing can be recomputed.
struct EmulationLosses {
  std::int64_t count = 0;
  std::int64_t first_tick = -1;
};

// How the recording ended.
struct EmulationRecordingEnd {
  bool complete = false;  // false: cut off (killed, disk full), or still going on
  bool torn = false;      // bytes that are no whole block follow the last one
  std::int64_t end_tick = 0;
  // Hash of the last state, commands after the last tick included; 0: cut off.
  std::uint64_t end_hash = 0;
  EmulationLosses lost;
  std::string reason;  // in words; empty: cut off
};

class EmulationRecordingWriter {
 public:
  // A new file with the header in it; nothing that is there is touched. Throws FileError.
  EmulationRecordingWriter(const std::filesystem::path& file,
                           const EmulationRecordingHeader& header);
  ~EmulationRecordingWriter();
  EmulationRecordingWriter(EmulationRecordingWriter&&) noexcept;
  EmulationRecordingWriter& operator=(EmulationRecordingWriter&&) = delete;

  const std::filesystem::path& file() const { return file_->path(); }

  // Into memory, each kind with increasing ticks; flush() passes it to the system.
  void add(const EmulationTickCommand& command);
  // Input of the step after `tick` ticks. Only fresh signals are kept; without any, nothing.
  void add(std::int64_t tick, const exchange::ExchangeInput& input);
  void add(const StateHash& hash);

  // Everything up to end_tick has been added: a reader may count on it. Throws FileError, after which
  // nothing more is written; what was flushed before stays.
  void flush(std::int64_t end_tick, const EmulationLosses& lost = {});
  void sync() { file_->sync(); }                          // onto the disk
  std::uint64_t bytes() const { return file_->bytes(); }  // written so far

  // Completes the recording. Throws FileError.
  void close(const EmulationRecordingEnd& end);

 private:
  struct Blocks;

  std::optional<JournalFile> file_;  // always one
  std::unique_ptr<Blocks> blocks_;   // that are not yet written
};

struct EmulationRecording {
  std::filesystem::path path;
  EmulationRecordingHeader header;
  EmulationRecordingEnd end;
  // Within end_tick.
  std::vector<EmulationTickCommand> commands;
  std::vector<StateHash> hashes;
  std::int64_t frames =
      0;  // ticks in which something came from outside; EmulationFrames reads them

  // Hash of a state as computed by the program that recorded it; nothing if that is not known.
  std::optional<std::uint64_t> hash(const emulation::HilState& state) const;
  bool hashes_known() const;
};

// Throws FileError with one sentence for a file that is no recording. One that was cut off is read as
// far as it is sound.
EmulationRecording read_emulation_recording(const std::filesystem::path& path);

// Input from outside, read from the file tick by tick, so that long recordings need little memory.
class EmulationFrames {
 public:
  // Throws FileError.
  explicit EmulationFrames(const EmulationRecording& recording);
  ~EmulationFrames();
  EmulationFrames(const EmulationFrames&) = delete;
  EmulationFrames& operator=(const EmulationFrames&) = delete;

  // Input of the step after `tick` ticks; to be called with increasing ticks. Throws FileError if the
  // file has changed meanwhile.
  const exchange::ExchangeInput& at(std::int64_t tick);

 private:
  struct Source;
  std::unique_ptr<Source> source_;
};

}  // namespace knuckleboom::io
