#include "knuckleboom/recording/emulation_recording.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "belief.hpp"
#include "bytes.hpp"
#include "emulation_blocks.hpp"
#include "journal_blocks.hpp"
#include "knuckleboom/io/released_layouts.hpp"
#include "machine_texts.hpp"
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using emulation::HilState;
using exchange::ExchangeInput;
using exchange::SignalFrame;

constexpr std::string_view kWanted = "a recording of an emulation";
constexpr std::uint8_t kLogPart = 1, kNetworkPart = 2;
constexpr double kShortestTick = 1e-6, kLongestTick = 1.0;  // s

// --- Contents of blocks ---------------------------------------------------------

void put_losses(std::string& out, const EmulationLosses& lost) {
  put(out, lost.count);
  put(out, lost.first_tick);
}

EmulationLosses take_losses(ByteReader& reader) {
  EmulationLosses lost;
  lost.count = reader.take<std::int64_t>();
  lost.first_tick = reader.take<std::int64_t>();
  return lost;
}

void put_part(std::string& out, const SignalFrame& frame) {
  put(out, frame.fresh);
  put(out, frame.sequence);
  put(out, frame.stamp_ns);
  for (std::uint64_t rest = frame.fresh; rest != 0; rest &= rest - 1)
    put(out, frame.value[std::countr_zero(rest)]);
}

void take_part(ByteReader& reader, SignalFrame& frame) {
  frame = {};
  frame.fresh = reader.take<std::uint64_t>();
  frame.sequence = reader.take<std::uint64_t>();
  frame.stamp_ns = reader.take<std::int64_t>();
  if (frame.fresh == 0 || frame.fresh >> exchange::kMaxSignals != 0) reader.fail();
  if (!reader.good()) return;
  for (std::uint64_t rest = frame.fresh; rest != 0; rest &= rest - 1)
    frame.value[std::countr_zero(rest)] = reader.take<double>();
}

void take_frame(ByteReader& reader, std::int64_t& tick, ExchangeInput& input) {
  tick = reader.take<std::int64_t>();
  const auto parts = reader.take<std::uint8_t>();
  if (parts == 0 || parts > (kLogPart | kNetworkPart)) reader.fail();
  input = {};
  if ((parts & kLogPart) != 0) take_part(reader, input.log);
  if ((parts & kNetworkPart) != 0) take_part(reader, input.network);
}

void take_command(ByteReader& reader, EmulationTickCommand& out) {
  out.tick = reader.take<std::int64_t>();
  out.command.kind = static_cast<emulation::HilCommandKind>(reader.take<std::int32_t>());
  out.command.index = reader.take<std::int32_t>();
  out.command.value = reader.take<double>();
}

[[noreturn]] void refuse_content(const fs::path& path, const std::string& what) {
  throw FileError(path.string(),
                  fmt::format("the recording holds what no recording holds: {}", what));
}

// --- Reading --------------------------------------------------------------------

// Fault of a header; empty if it is sound.
std::string fault_of(const EmulationRecordingHeader& header) {
  if (!is_id(header.id)) return "an id that is none";
  if (!is_utc(header.start_utc)) return "a start that is no date";
  for (const std::string* text : {&header.program, &header.processor, &header.emulation})
    if (!is_plain_text(*text, kLongestText)) return "a text that is none";
  if (!(header.tick_s >= kShortestTick && header.tick_s <= kLongestTick))
    return "a tick that is out of range";
  for (const SessionText& text : header.made_from.texts)
    if (!is_link_name(text.role) || !is_plain_text(text.name, kLongestText))
      return "a file that has no name";
  return {};
}

// The header of a file whose first block is whole, or one sentence why not.
EmulationRecordingHeader header_of(const fs::path& path, bool any, std::uint32_t kind,
                                   const std::string& payload) {
  const std::string shown = path.string();
  if (any && kind == static_cast<std::uint32_t>(JournalKind::kHeader))
    throw FileError(shown,
                    "this is a recording of a training session, not of an emulation; 'knuckleboom "
                    "replay' runs it again");
  if (!any || kind != static_cast<std::uint32_t>(EmulationBlock::kHeader))
    throw FileError(shown, "this is no recording of an emulation, or its beginning is damaged");
  ByteReader reader(payload);
  const auto format = reader.take<std::int32_t>();
  const std::string program = reader.take_text();
  if (reader.good() && format != kEmulationRecordingFormat)
    throw FileError(shown, fmt::format("the recording has format {}, this program reads format {}; "
                                       "use the program that recorded it, {}",
                                       format, kEmulationRecordingFormat, program));
  EmulationRecordingHeader header;
  if (!from_bytes(payload, header)) refuse_content(path, "a header with other parts than it names");
  if (std::string fault = fault_of(header); !fault.empty()) refuse_content(path, fault);
  return header;
}

// Takes over what the sound blocks hold.
class Gather {
 public:
  explicit Gather(EmulationRecording& out) : out_(out) {}

  // After the last: whether as much has come as the marks say.
  void finish() const {
    const EmulationRecordingEnd& end = out_.end;
    const EmulationLosses& lost = end.lost;
    if (lost.count < 0 || (lost.count == 0) != (lost.first_tick == -1) || lost.first_tick < -1 ||
        lost.first_tick > end.end_tick)
      refuse_content(out_.path, "losses that cannot be");
    std::int64_t hashes = 0, last = std::max(last_frame_, last_command_);
    for (const StateHash& hash : out_.hashes) {
      if (hash.tick % kEmulationHashTicks != 0) refuse_content(out_.path, "a hash that is not due");
      if (hash.tick > 0 && hash.tick <= end.end_tick) ++hashes;
      last = std::max(last, hash.tick);
    }
    const std::int64_t due = end.end_tick / kEmulationHashTicks;
    if (hashes < due - std::min(lost.count, due))
      refuse_content(out_.path, fmt::format("{} ticks, and {} of {} hashes of them", end.end_tick,
                                            hashes, due));
    if (end.end_tick - last > kLongestSilence)
      refuse_content(out_.path,
                     fmt::format("{} ticks, and nothing of the last of them", end.end_tick));
  }

  // False: the end mark.
  bool take(EmulationBlock kind, std::string_view payload) {
    ByteReader reader(payload);
    switch (kind) {
      case EmulationBlock::kCommands:
        while (!reader.empty()) {
          EmulationTickCommand command;
          take_command(reader, command);
          rises(reader, command.tick, last_command_, false);
          check(command.command.kind >= emulation::HilCommandKind::kRun &&
                    command.command.kind <= emulation::HilCommandKind::kWatchdog,
                "a command of no kind that there is");
          out_.commands.push_back(command);
        }
        break;
      case EmulationBlock::kFrames:
        while (!reader.empty()) {
          std::int64_t tick = 0;
          take_frame(reader, tick, input_);
          rises(reader, tick, last_frame_, true);
          open_frames_.push_back(tick);
        }
        break;
      case EmulationBlock::kHashes:
        while (!reader.empty()) {
          StateHash hash;
          hash.tick = reader.take<std::int64_t>();
          hash.value = reader.take<std::uint64_t>();
          rises(reader, hash.tick, last_hash_, true);
          out_.hashes.push_back(hash);
        }
        break;
      case EmulationBlock::kProgress:
        advance(reader.take<std::int64_t>());
        out_.end.lost = take_losses(reader);
        check(reader.good() && reader.empty());
        break;
      case EmulationBlock::kEnd:
        advance(reader.take<std::int64_t>());
        out_.end.end_hash = reader.take<std::uint64_t>();
        out_.end.lost = take_losses(reader);
        out_.end.reason = reader.take_text();
        out_.end.complete = true;
        check(reader.good() && reader.empty());
        return false;
      default:
        check(false);
    }
    return true;
  }

 private:
  void check(bool good, const char* what = "a block with other parts than its kind has") const {
    if (!good) refuse_content(out_.path, what);
  }
  void rises(const ByteReader& reader, std::int64_t tick, std::int64_t& last, bool strictly) const {
    check(reader.good());
    check(tick >= 0 && (strictly ? tick > last : tick >= last), "ticks that do not rise");
    last = tick;
  }
  // Up to here all is there; a little of what comes after it may have been gathered already.
  void advance(std::int64_t end_tick) {
    check(end_tick >= out_.end.end_tick, "marks of progress that go back");
    out_.end.end_tick = end_tick;
    const auto within = std::lower_bound(open_frames_.begin(), open_frames_.end(), end_tick);
    out_.frames += within - open_frames_.begin();
    open_frames_.erase(open_frames_.begin(), within);
  }

  EmulationRecording& out_;
  ExchangeInput input_{};
  std::vector<std::int64_t> open_frames_;  // ticks of those beyond the last mark
  std::int64_t last_command_ = -1, last_frame_ = -1, last_hash_ = -1;
};

}  // namespace

// --- Header ---------------------------------------------------------------------

StateLayout emulation_layout() { return layout_of(state::struct_of<HilState>(), kHilStateFormat); }

EmulationRecordingHeader emulation_recording_header(EmulationTexts made_from,
                                                    const emulation::HilBench& bench) {
  EmulationRecordingHeader header;
  header.program = this_program();
  header.processor = this_processor();
  header.id = random_id();
  header.start_utc = now_utc();
  header.emulation = bench.emulation().plan().name;
  header.tick_s = bench.tick_s();
  header.layout = emulation_layout();
  header.made_from = std::move(made_from);
  forget_folders(header.made_from.texts);
  return header;
}

std::string to_bytes(const EmulationRecordingHeader& header) {
  std::string out;
  put(out, static_cast<std::int32_t>(kEmulationRecordingFormat));
  for (const std::string* text :
       {&header.program, &header.processor, &header.id, &header.start_utc, &header.emulation})
    put_text(out, *text);
  put(out, header.tick_s);
  put(out, header.layout.version);
  put(out, header.layout.bytes);
  put(out, header.layout.places);
  put_texts(out, header.made_from.texts);
  put(out, static_cast<std::uint64_t>(header.made_from.assignments.size()));
  for (const std::string& assignment : header.made_from.assignments) put_text(out, assignment);
  return out;
}

bool from_bytes(std::string_view bytes, EmulationRecordingHeader& header) {
  ByteReader reader(bytes);
  if (reader.take<std::int32_t>() != kEmulationRecordingFormat) return false;
  for (std::string* text :
       {&header.program, &header.processor, &header.id, &header.start_utc, &header.emulation})
    *text = reader.take_text();
  header.tick_s = reader.take<double>();
  header.layout.version = reader.take<std::uint32_t>();
  header.layout.bytes = reader.take<std::uint64_t>();
  header.layout.places = reader.take<std::uint64_t>();
  take_texts(reader, header.made_from.texts);
  header.made_from.assignments.clear();
  const std::uint64_t count = take_count(reader);
  for (std::uint64_t i = 0; i < count && reader.good(); ++i)
    header.made_from.assignments.push_back(reader.take_text());
  return reader.good() && reader.empty() && header.tick_s > 0.0;
}

// --- Writer ---------------------------------------------------------------------

struct EmulationRecordingWriter::Blocks : BlockBuffer {
  std::string commands, frames, hashes;  // blocks that are being gathered

  void close_gathered() {
    close(EmulationBlock::kCommands, commands);
    close(EmulationBlock::kFrames, frames);
    close(EmulationBlock::kHashes, hashes);
  }
};

EmulationRecordingWriter::EmulationRecordingWriter(const fs::path& file,
                                                   const EmulationRecordingHeader& header)
    : blocks_(std::make_unique<Blocks>()) {
  if (file.empty()) throw FileError("(no name)", "cannot write to a file without a name");
  blocks_->block(EmulationBlock::kHeader, to_bytes(header));
  file_ = JournalFile::create(file, blocks_->bytes(), "run");
  if (!file_)
    throw FileError(file.string(),
                    "there is something of that name already, and a recording writes over "
                    "nothing; give another name");
  blocks_->clear();
}

EmulationRecordingWriter::~EmulationRecordingWriter() = default;
EmulationRecordingWriter::EmulationRecordingWriter(EmulationRecordingWriter&&) noexcept = default;

void EmulationRecordingWriter::add(const EmulationTickCommand& command) {
  std::string& out = blocks_->commands;
  put(out, command.tick);
  put(out, static_cast<std::int32_t>(command.command.kind));
  put(out, command.command.index);
  put(out, command.command.value);
  blocks_->close_if_large(EmulationBlock::kCommands, out);
}

void EmulationRecordingWriter::add(std::int64_t tick, const ExchangeInput& input) {
  const auto parts = static_cast<std::uint8_t>((input.log.fresh != 0 ? kLogPart : 0) |
                                               (input.network.fresh != 0 ? kNetworkPart : 0));
  if (parts == 0) return;
  std::string& out = blocks_->frames;
  put(out, tick);
  put(out, parts);
  if (input.log.fresh != 0) put_part(out, input.log);
  if (input.network.fresh != 0) put_part(out, input.network);
  blocks_->close_if_large(EmulationBlock::kFrames, out);
}

void EmulationRecordingWriter::add(const StateHash& hash) {
  put(blocks_->hashes, hash.tick);
  put(blocks_->hashes, hash.value);
  blocks_->close_if_large(EmulationBlock::kHashes, blocks_->hashes);
}

void EmulationRecordingWriter::flush(std::int64_t end_tick, const EmulationLosses& lost) {
  blocks_->close_gathered();
  std::string payload;
  put(payload, end_tick);
  put_losses(payload, lost);
  blocks_->block(EmulationBlock::kProgress, payload);
  file_->write(blocks_->take());
}

void EmulationRecordingWriter::close(const EmulationRecordingEnd& end) {
  blocks_->close_gathered();
  std::string payload;
  put(payload, end.end_tick);
  put(payload, end.end_hash);
  put_losses(payload, end.lost);
  put_text(payload, end.reason);
  blocks_->block(EmulationBlock::kEnd, payload);
  file_->write(blocks_->take());
  sync();
  file_->close();
}

// --- Reader ---------------------------------------------------------------------

EmulationRecording read_emulation_recording(const fs::path& path) {
  JournalReader reader(path, kWanted);
  EmulationRecording out;
  out.path = path;
  std::string payload;
  std::uint32_t kind = 0;
  const bool any = reader.next(kind, payload);
  out.header = header_of(path, any, kind, payload);
  Gather gather(out);
  bool more = false;
  while ((more = reader.next(kind, payload)))
    if (!gather.take(static_cast<EmulationBlock>(kind), payload)) break;
  // After the end mark nothing is expected.
  if (more) more = reader.next(kind, payload);
  out.end.torn = more || !reader.ends_whole();
  gather.finish();
  // Commands before the next tick count only where the end is known to be behind them.
  const std::int64_t end = out.end.end_tick;
  const std::int64_t commands_end = out.end.complete ? end : end - 1;
  while (!out.commands.empty() && out.commands.back().tick > commands_end) out.commands.pop_back();
  while (!out.hashes.empty() && out.hashes.back().tick > end) out.hashes.pop_back();
  return out;
}

bool EmulationRecording::hashes_known() const {
  return header.layout.version == kHilStateFormat ||
         header.layout == StateLayout{kLoop1.version, kLoop1.bytes, kLoop1.places};
}

std::optional<std::uint64_t> EmulationRecording::hash(const HilState& state) const {
  if (header.layout.version == kHilStateFormat) return state::hash(state);
  if (!hashes_known()) return std::nullopt;
  static const StateDescription bytes = released_layout("emulation::LoopState");
  // Without the watchdogs, which there were not.
  const auto former = std::make_unique<HilState>(state);
  former->watch = {};
  former->let_go = {};
  std::fill(std::begin(former->emulation.sensed.machine),
            std::end(former->emulation.sensed.machine), 0.0);
  return hash_of_bytes(bytes, state::struct_of<HilState>(), former.get());
}

struct EmulationFrames::Source {
  explicit Source(const EmulationRecording& recording)
      : path(recording.path), reader(path, kWanted), rest(recording.frames), content({}) {
    std::uint32_t kind = 0;
    EmulationRecordingHeader header;
    if (!reader.next(kind, payload) ||
        kind != static_cast<std::uint32_t>(EmulationBlock::kHeader) ||
        !from_bytes(payload, header) || header.id != recording.header.id)
      changed();
    advance();
  }
  [[noreturn]] void changed() const {
    throw FileError(path.string(), "the recording has changed while it was being read");
  }
  // To the next frame.
  void advance() {
    tick = std::numeric_limits<std::int64_t>::max();
    if (rest == 0) return;
    --rest;
    while (content.empty()) {
      std::uint32_t kind = 0;
      if (!reader.next(kind, payload)) changed();
      content = ByteReader(kind == static_cast<std::uint32_t>(EmulationBlock::kFrames)
                               ? payload
                               : std::string_view());
    }
    take_frame(content, tick, input);
    if (!content.good()) changed();
  }

  fs::path path;
  JournalReader reader;
  std::int64_t rest;  // frames not yet taken
  std::string payload;
  ByteReader content;
  std::int64_t tick = 0;  // of the frame that comes next
  ExchangeInput input{};  // that frame
  ExchangeInput given{};
};

EmulationFrames::EmulationFrames(const EmulationRecording& recording)
    : source_(std::make_unique<Source>(recording)) {}
EmulationFrames::~EmulationFrames() = default;

const ExchangeInput& EmulationFrames::at(std::int64_t tick) {
  while (source_->tick < tick) source_->advance();
  source_->given = {};
  if (source_->tick == tick) {
    source_->given = source_->input;
    source_->advance();
  }
  return source_->given;
}

}  // namespace knuckleboom::io
