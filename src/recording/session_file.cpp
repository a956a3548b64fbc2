#include "knuckleboom/recording/session_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "knuckleboom/core/training/check_state.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "open_file.hpp"
#include "session_child.hpp"
#include "session_content.hpp"
#include "session_guard.hpp"
#include "session_header.hpp"

namespace knuckleboom::io {

// Rows of the channels and states, each one after the other.
class SessionRecord::Store {
 public:
  std::vector<float> rows;
  std::string states;
};

namespace {

namespace fs = std::filesystem;

using Store = SessionRecord::Store;

// Content of a session, in memory.
class Memory final : public SessionSink {
 public:
  explicit Memory(SessionRecord& record) : record_(record) {}

  void lever(std::int64_t tick, const command::OperatorInput& input) override {
    add(tick, training::InputEventKind::kInput).input = input;
  }
  void command(std::int64_t tick, const training::Command& command) override {
    add(tick, training::InputEventKind::kCommand).command = command;
  }
  void event(const SessionEvent& event) override { record_.events.push_back(event); }
  void hash(const StateHash& hash) override { record_.hashes.push_back(hash); }
  void attempt(const SessionAttempt& attempt) override { record_.attempts.push_back(attempt); }
  void state(std::int64_t tick, std::string_view bytes) override {
    record_.state_ticks.push_back(tick);
    store_->states.append(bytes);
  }
  void row(std::int64_t tick, std::span<const float> values) override {
    record_.channel_ticks.push_back(tick);
    store_->rows.insert(store_->rows.end(), values.begin(), values.end());
  }

  void finish() {
    add_open_attempt();
    add(record_.end.end_tick, training::InputEventKind::kEnd);
    record_.store = std::move(store_);
  }

 private:
  training::InputEvent& add(std::int64_t tick, training::InputEventKind kind) {
    training::InputEvent& event = record_.inputs.emplace_back();
    event = {};
    event.tick = tick;
    event.kind = kind;
    return event;
  }
  void add_open_attempt();
  double last(const std::string& channel) const;

  SessionRecord& record_;
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

// The attempt that was going on at the end is not in the table of a recording that was cut off, nor is one
// that had ended before it was taken over: its figures are in the channels.
void Memory::add_open_attempt() {
  const SessionHeader& header = record_.header;
  SessionAttempt open{header.first_tick, record_.end.end_tick, training::TaskPhase::kReady, {}};
  for (const training::InputEvent& input : record_.inputs)
    if (input.kind == training::InputEventKind::kCommand &&
        input.command.kind == training::CommandKind::kRestart)
      open.begin_tick = input.tick;
  if (std::any_of(
          record_.attempts.begin(), record_.attempts.end(),
          [&open](const SessionAttempt& attempt) { return attempt.begin_tick == open.begin_tick; }))
    return;
  // Rows up to a restart tell of the attempt before it.
  const std::vector<std::int64_t>& ticks = record_.channel_ticks;
  const bool any =
      !ticks.empty() && (ticks.back() > open.begin_tick || open.begin_tick == header.first_tick);
  if (const double phase = any ? last("task_phase") : std::nan(""); phase >= 0.0 && phase <= 3.0)
    open.phase = static_cast<training::TaskPhase>(static_cast<int>(phase));
  for (const ChannelInfo& figure : header.figures)
    open.figures.push_back(any ? last("score_" + figure.name) : std::nan(""));
  record_.attempts.push_back(std::move(open));
}

double Memory::last(const std::string& channel) const {
  const std::vector<ChannelInfo>& channels = record_.header.channels;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (channels[i].name == channel)
      return static_cast<double>(store_->rows[store_->rows.size() - channels.size() + i]);
  return std::nan("");
}

}  // namespace

// A pipe would be waited for.
bool is_journal(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic(kJournalMagic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return magic == kJournalMagic;
}

namespace {

// The bytes are checked before the HDF5 library sees any of them. Returns how many there are.
std::uint64_t check_guard(const OpenFile& file, const std::string& shown) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    throw FileError(shown,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  const Guard wanted = guard_in(file.get(), shown);
  const auto size = static_cast<std::uint64_t>(status.st_size) - kGuardBytes;
  if (size < wanted.bytes)
    throw FileError(shown, fmt::format("the session file is cut short: {} of {} bytes are there",
                                       size, wanted.bytes));
  if (size > wanted.bytes)
    throw FileError(shown, fmt::format("the session file is damaged: it is {} bytes too long",
                                       size - wanted.bytes));
  if (guard_of(file.get(), shown).hash != wanted.hash)
    throw FileError(shown,
                    "the session file is damaged or was changed: its checksum is not that of its "
                    "content");
  return size + kGuardBytes;
}

// The answer of the process that reads it, block by block; as little is believed as of a journal.
void read_answer(SessionChild& child, const fs::path& path, SessionRecord& record) {
  const auto refuse = [&path](const std::string& why) { throw FileError(path.string(), why); };
  const auto strange = [&refuse] {
    refuse("the process that reads it answers what it never does");
  };
  SessionExtent extent;
  Memory memory(record);
  std::unique_ptr<SessionContent> content;
  std::string payload;
  std::uint64_t bytes = 0;
  int number = 0;
  for (std::uint32_t kind = 0;; ++number) {
    if (!child.next(kind, payload))
      refuse(fmt::format("the session file cannot be read: the HDF5 library {}", child.failure()));
    if ((bytes += payload.size()) > kReaderMemory)
      refuse("the session file is larger than any session");
    ByteReader reader(payload);
    if (kind == static_cast<std::uint32_t>(StreamBlock::kDone)) {
      const std::string sentence = reader.take_text();
      if (!sentence.empty()) refuse(sentence);
      break;
    }
    if (number == 0) {
      if (kind != static_cast<std::uint32_t>(JournalKind::kHeader) ||
          !from_bytes(payload, extent.header))
        strange();
      if (const std::string fault = fault_of(extent.header); !fault.empty())
        refuse("the session cannot be believed: its " + fault);
    } else if (number == 1) {
      if (kind != static_cast<std::uint32_t>(StreamBlock::kExtent)) strange();
      const bool complete = reader.take<std::uint8_t>() != 0;
      if (!read_end_mark(std::string_view(payload).substr(1), extent.end) ||
          extent.end.end_tick < extent.header.first_tick)
        refuse("the session cannot be believed: it ends before it begins");
      extent.end.complete = complete;
      content = std::make_unique<SessionContent>(path.string(), extent, memory);
      record.header = extent.header;
      record.states = states_of(record.header);
      record.end = extent.end;
    } else {
      content->take(static_cast<JournalKind>(kind), payload);
    }
  }
  if (!content) strange();
  record.end.lost = content->finish();
  memory.finish();
}

}  // namespace

SessionFiles::SessionFiles() = default;
SessionFiles::~SessionFiles() = default;

void SessionFiles::read_file(const fs::path& path, bool outline, SessionRecord& record) {
  const OpenFile file(path, "session");
  const std::uint64_t bytes = check_guard(file, path.string());
  try {
    if (!child_) child_ = std::make_unique<SessionChild>();
  } catch (const std::runtime_error& error) {
    throw FileError(path.string(),
                    fmt::format("session files are read in a process of its own, and that cannot "
                                "be started: {}",
                                error.what()));
  }
  if (std::string why = child_->take_remark(); !why.empty())
    record.remarks.push_back(
        fmt::format("this system sets no filter of system calls ({}): session files are read in a "
                    "process of its own, but without one",
                    why));
  try {
    child_->ask(file.get(), bytes, outline ? kAskOutline : kAskSession);
    read_answer(*child_, path, record);
  } catch (...) {
    child_.reset();  // nothing of this answer is to be taken for one of the next
    throw;
  }
}

SessionRecord SessionFiles::read(const fs::path& path, bool outline) {
  const std::string shown = path.string();
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw FileError(shown, "this is a directory; expected a session file");
  // To open a pipe is to wait for somebody who writes to it.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw FileError(shown, "this is not a regular file; expected a session");
  fs::path journal = path;
  if (!fs::exists(path, ignored)) journal += kJournalSuffix;
  SessionRecord record;
  record.path = path;
  if (fs::is_regular_file(journal, ignored) && is_journal(journal)) {
    const SessionExtent extent = extent_of(journal);
    record.header = extent.header;
    record.states = states_of(record.header);
    record.end = extent.end;
    Memory memory(record);
    record.end.lost = read_journal(journal, extent, memory);
    memory.finish();
  } else {
    read_file(path, outline, record);
  }
  return record;
}

SessionRecord SessionFiles::read(const fs::path& path) { return read(path, false); }

SessionOutline SessionFiles::outline(const fs::path& path) {
  SessionRecord record = read(path, true);
  return {std::move(record.header), std::move(record.end), std::move(record.attempts),
          std::move(record.remarks)};
}

SessionRecord read_session(const fs::path& path) { return SessionFiles().read(path); }
SessionOutline read_session_outline(const fs::path& path) { return SessionFiles().outline(path); }

SessionColumns read_session_columns(const fs::path& path) {
  SessionRecord record = read_session(path);
  const SessionHeader& header = record.header;
  SessionColumns out;
  out.path = path.string();
  out.header = {{"session_id", header.id},         {"start_utc", header.start_utc},
                {"program", header.program},       {"processor", header.processor},
                {"exercise", header.exercise},     {"exercise_hash", header.exercise_hash.hex},
                {"machine", header.machine},       {"machine_hash", header.machine_hash.hex},
                {"levers", header.levers},         {"levers_hash", header.levers_hash.hex},
                {"learner_id", header.learner_id}, {"instructor", header.instructor},
                {"parent_id", header.parent_id}};
  out.options = header.options;
  out.rate_Hz = header.rate_Hz;
  out.first_tick = header.first_tick;
  out.end_tick = record.end.end_tick;
  out.complete = record.end.complete;
  out.lost = record.end.lost;
  out.remarks = record.remarks;
  out.channels = header.channels;
  out.figures = header.figures;
  out.channel_ticks = std::move(record.channel_ticks);
  out.rows = record.store->rows;
  out.lever_names.assign(std::begin(command::kLeverAxisNames), std::end(command::kLeverAxisNames));
  for (const training::InputEvent& input : record.inputs) {
    if (input.kind == training::InputEventKind::kInput) {
      out.lever_ticks.push_back(input.tick);
      out.lever_values.insert(out.lever_values.end(), std::begin(input.input.axis),
                              std::end(input.input.axis));
      out.lever_buttons.push_back(input.input.buttons);
    } else if (input.kind == training::InputEventKind::kCommand) {
      out.commands.emplace_back(input.tick, word_of(input.command));
    }
  }
  out.events = std::move(record.events);
  for (SessionAttempt& attempt : record.attempts)
    out.attempts.push_back({attempt.begin_tick, attempt.end_tick,
                            static_cast<std::int32_t>(attempt.phase), std::move(attempt.figures)});
  out.hashes = std::move(record.hashes);
  return out;
}

training::SessionState SessionRecord::state(std::size_t index,
                                            const training::Session& session) const {
  if (index >= state_ticks.size()) throw std::out_of_range("no such state in the session");
  if (!states_known())
    throw UnknownStates(path.string(), "its states were written by another version of the program");
  const char* const record = store->states.data() + index * states.record_bytes();
  training::SessionState state;
  const std::string unknown =
      convert(states.type(), record, state::struct_of<training::SessionState>(), &state);
  if (!unknown.empty())
    throw UnknownStates(path.string(),
                        fmt::format("in its state at tick {} {}", state_ticks[index], unknown));
  world::find_extent(state.worksite.world);
  std::string wrong = training::check_state(session, state);
  if (wrong.empty() && state.tick != state_ticks[index])
    wrong = fmt::format("tick is {}; it is stored as that of another tick", state.tick);
  if (!wrong.empty())
    throw FileError(path.string(),
                    fmt::format("its state at tick {} cannot be one of this session: {}",
                                state_ticks[index], wrong));
  return state;
}

std::optional<std::uint64_t> SessionRecord::hash(const training::SessionState& state) const {
  if (header.layout.version == kStateFormat) return state::hash(state);
  return std::nullopt;
}

std::vector<float> SessionRecord::channel(std::string_view name) const {
  const auto known = std::find_if(header.channels.begin(), header.channels.end(),
                                  [name](const ChannelInfo& one) { return one.name == name; });
  if (known == header.channels.end())
    throw std::out_of_range("the session has no channel '" + std::string(name) + "'");
  std::vector<float> values;
  values.reserve(channel_ticks.size());
  const std::size_t width = header.channels.size();
  for (auto i = static_cast<std::size_t>(known - header.channels.begin()); i < store->rows.size();
       i += width)
    values.push_back(store->rows[i]);
  return values;
}

std::vector<float> SessionRecord::channel_if_known(std::string_view name) const {
  return std::ranges::any_of(header.channels,
                             [name](const ChannelInfo& one) { return one.name == name; })
             ? channel(name)
             : std::vector<float>();
}

std::vector<float> SessionRecord::channel_row(std::size_t row) const {
  if (row >= channel_ticks.size()) throw std::out_of_range("no such row in the session");
  const auto width = static_cast<std::ptrdiff_t>(header.channels.size());
  const auto begin = store->rows.begin() + static_cast<std::ptrdiff_t>(row) * width;
  return {begin, begin + width};
}

}  // namespace knuckleboom::io
