#include "knuckleboom/recording/session_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_blocks.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "session_fold.hpp"
#include "session_layout.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr hsize_t kMostRows = hsize_t{1} << 28;           // 74 hours at 1000 ticks a second
constexpr std::size_t kMostBytes = std::size_t{1} << 32;  // of a table in memory

class File {
 public:
  explicit File(const fs::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      throw FileError(path.string(), errno == ENOENT
                                         ? "there is no such file; expected a session"
                                         : fmt::format("cannot be read: {}",
                                                       std::generic_category().message(errno)));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// --- HDF5 ---------------------------------------------------------------------

template <class T>
T read_number(hid_t object, const std::string& name, hid_t type) {
  const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, name.c_str());
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose, name.c_str());
  require(H5Sget_simple_extent_npoints(space.id()) == 1, name.c_str());
  T value{};
  require(H5Aread(attribute.id(), type, &value) >= 0, name.c_str());
  return value;
}
std::int64_t read_integer(hid_t object, const std::string& name) {
  return read_number<std::int64_t>(object, name, H5T_NATIVE_INT64);
}
std::uint64_t read_unsigned(hid_t object, const std::string& name) {
  return read_number<std::uint64_t>(object, name, H5T_NATIVE_UINT64);
}

// What the library has allocated for texts.
class Texts {
 public:
  Texts(hid_t type, hid_t space) : type_(type), space_(space) {}
  ~Texts() {
    if (pointer != nullptr) H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, &pointer);
  }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
  char* pointer = nullptr;

 private:
  hid_t type_, space_;
};

template <class Read>
std::string read_text(const Hdf5Handle& space, const char* what, Read read) {
  require(H5Sget_simple_extent_npoints(space.id()) == 1, what);
  const Hdf5Handle type = text_type();
  Texts text(type.id(), space.id());
  require(read(type.id(), &text.pointer) >= 0, what);
  return text.pointer != nullptr ? text.pointer : "";
}

std::string read_attribute(hid_t object, const std::string& name) {
  const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, name.c_str());
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose, name.c_str());
  return read_text(space, name.c_str(), [&attribute](hid_t type, char** pointer) {
    return H5Aread(attribute.id(), type, pointer);
  });
}

SessionText read_file_text(hid_t group, const std::string& name) {
  const Hdf5Handle set(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, name.c_str());
  const Hdf5Handle space(H5Dget_space(set.id()), H5Sclose, name.c_str());
  SessionText text;
  text.text = read_text(space, name.c_str(), [&set](hid_t type, char** pointer) {
    return H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointer);
  });
  text.role = read_attribute(set.id(), "role");
  text.name = read_attribute(set.id(), "path");
  return text;
}

Hdf5Handle open_group(hid_t file, const char* name) {
  return {H5Gopen2(file, name, H5P_DEFAULT), H5Gclose, name};
}
Hdf5Handle open_set(hid_t group, const std::string& name) {
  return {H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, name.c_str()};
}

std::vector<std::string> members(hid_t group) {
  H5G_info_t info{};
  require(H5Gget_info(group, &info) >= 0, "members of a group");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[512] = {};
    require(H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) >= 0,
            "members of a group");
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> attribute_names(hid_t object) {
  H5O_info_t info{};
  require(H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) >= 0, "attributes");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    char name[512] = {};
    require(H5Aget_name_by_idx(object, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) >= 0,
            "attributes");
    names.emplace_back(name);
  }
  return names;
}

hsize_t rows_of(const Hdf5Handle& set, int rank = 1) {
  const Hdf5Handle space(H5Dget_space(set.id()), H5Sclose, "size of a table");
  require(H5Sget_simple_extent_ndims(space.id()) == rank, "size of a table");
  hsize_t size[2] = {};
  require(H5Sget_simple_extent_dims(space.id(), size, nullptr) >= 0, "size of a table");
  require(size[0] <= kMostRows, "size of a table");
  return size[0];
}

// All rows, one after the other.
std::string read_rows(hid_t group, const std::string& name, const Hdf5Handle& type) {
  const Hdf5Handle set = open_set(group, name);
  const std::size_t row = H5Tget_size(type.id());
  const hsize_t rows = rows_of(set);
  require(row > 0 && rows <= kMostBytes / row, name.c_str());
  std::string bytes(static_cast<std::size_t>(rows) * row, '\0');
  require(H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0,
          name.c_str());
  return bytes;
}

template <class Row>
std::vector<Row> read_table(hid_t group, const std::string& name, const Hdf5Handle& type) {
  const std::string bytes = read_rows(group, name, type);
  std::vector<Row> rows(bytes.size() / sizeof(Row));
  if (!rows.empty())
    std::memcpy(static_cast<void*>(rows.data()), bytes.data(), rows.size() * sizeof(Row));
  return rows;
}

Hdf5Handle copy_of(hid_t type) { return {H5Tcopy(type), H5Tclose, "type"}; }

std::string field_text(const char* field, std::size_t size) {
  return {field, ::strnlen(field, size)};
}

Hdf5Handle open_file(const fs::path& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file");
  require(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG) >= 0, "file");
  H5Pset_file_locking(access.id(), false, true);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, "file"};
}

// --- Parts of a session ---------------------------------------------------------

SessionHeader read_header(hid_t file) {
  SessionHeader header;
  for (const auto& [name, field] : std::initializer_list<std::pair<const char*, std::string*>>{
           {"program", &header.program},
           {"processor", &header.processor},
           {"session_id", &header.id},
           {"start_utc", &header.start_utc},
           {"learner", &header.learner},
           {"learner_id", &header.learner_id},
           {"parent_id", &header.parent_id},
           {"exercise", &header.exercise},
           {"machine", &header.machine},
           {"levers", &header.levers},
           {"exercise_hash", &header.exercise_hash.hex},
           {"machine_hash", &header.machine_hash.hex},
           {"levers_hash", &header.levers_hash.hex}})
    *field = read_attribute(file, name);
  header.parent_tick = read_integer(file, "parent_tick");
  header.first_tick = read_integer(file, "first_tick");
  header.rate_Hz = read_number<double>(file, "rate_Hz", H5T_NATIVE_DOUBLE);
  require(header.rate_Hz > 0.0 && header.first_tick >= 0, "rate_Hz");

  const Hdf5Handle options = open_group(file, "options");
  for (const std::string& name : attribute_names(options.id()))
    if (name != "description")
      header.options.emplace_back(name, read_attribute(options.id(), name));
  const Hdf5Handle files = open_group(file, "files");
  for (const std::string& name : members(files.id()))
    header.texts.push_back(read_file_text(files.id(), name));

  const Hdf5Handle states = open_group(file, "states");
  header.layout.version = static_cast<std::uint32_t>(read_unsigned(states.id(), "layout_version"));
  header.layout.bytes = read_unsigned(states.id(), "layout_bytes");
  header.layout.places = read_unsigned(states.id(), "layout_places");

  const Hdf5Handle channels = open_group(file, "channels");
  for (const std::string& name : members(channels.id())) {
    if (name == "tick") continue;
    const Hdf5Handle set = open_set(channels.id(), name);
    header.channels.push_back(
        {name, read_attribute(set.id(), "unit"), read_attribute(set.id(), "description")});
  }
  const Hdf5Handle attempts = open_set(file, "attempts");
  const Hdf5Handle type(H5Dget_type(attempts.id()), H5Tclose, "attempts");
  require(H5Tget_class(type.id()) == H5T_COMPOUND, "attempts");
  for (int i = 3; i < H5Tget_nmembers(type.id()); ++i) {
    char* name = H5Tget_member_name(type.id(), static_cast<unsigned>(i));
    require(name != nullptr, "attempts");
    header.figures.push_back({name, "", ""});
    H5free_memory(name);
    ChannelInfo& figure = header.figures.back();
    figure.description = read_attribute(attempts.id(), figure.name);
    if (const std::size_t bracket = figure.description.rfind(" [");
        bracket != std::string::npos && figure.description.back() == ']') {
      figure.unit = figure.description.substr(bracket + 2);
      figure.unit.pop_back();
      figure.description.resize(bracket);
    }
  }
  return header;
}

SessionEndMark read_end(hid_t file) {
  SessionEndMark end;
  end.complete = read_integer(file, "complete") != 0;
  end.end_tick = read_integer(file, "end_tick");
  end.end_hash = read_unsigned(file, "end_hash");
  end.lost = read_integer(file, "lost");
  const Hdf5Handle health = open_group(file, "health");
  for (const std::string& name : attribute_names(health.id()))
    if (name != "description")
      end.health.emplace_back(name, read_number<double>(health.id(), name, H5T_NATIVE_DOUBLE));
  return end;
}

std::vector<SessionAttempt> read_attempts(hid_t file, const SessionHeader& header) {
  const std::size_t width = 3 + header.figures.size();
  const std::string bytes = read_rows(file, "attempts", attempt_type(header.figures));
  std::vector<SessionAttempt> attempts;
  for (std::size_t at = 0; at < bytes.size(); at += width * sizeof(double)) {
    std::int64_t numbers[3];
    std::memcpy(numbers, bytes.data() + at, sizeof numbers);
    SessionAttempt& attempt = attempts.emplace_back();
    attempt.begin_tick = numbers[0];
    attempt.end_tick = numbers[1];
    attempt.phase = static_cast<training::TaskPhase>(numbers[2]);
    attempt.figures.resize(header.figures.size());
    if (!attempt.figures.empty())
      std::memcpy(attempt.figures.data(), bytes.data() + at + sizeof numbers,
                  attempt.figures.size() * sizeof(double));
  }
  return attempts;
}

std::vector<training::InputEvent> read_inputs(hid_t file, std::int64_t end_tick) {
  const auto levers = read_table<LeverRow>(file, "levers", lever_type());
  const auto commands = read_table<CommandRow>(file, "commands", command_type());
  std::vector<training::InputEvent> inputs;
  inputs.reserve(levers.size() + commands.size() + 1);
  auto command = commands.begin();
  const auto add_commands = [&](std::int64_t up_to) {
    for (; command != commands.end() && command->tick <= up_to; ++command) {
      training::InputEvent event{};
      event.tick = command->tick;
      event.kind = training::InputEventKind::kCommand;
      event.command = {static_cast<training::CommandKind>(command->kind), command->value};
      require(!word_of(event.command).empty(), "list of commands");
      inputs.push_back(event);
    }
  };
  for (const LeverRow& row : levers) {
    add_commands(row.tick);
    training::InputEvent event{};
    event.tick = row.tick;
    event.kind = training::InputEventKind::kInput;
    std::copy(std::begin(row.axis), std::end(row.axis), event.input.axis);
    inputs.push_back(event);
  }
  add_commands(end_tick);
  training::InputEvent end{};
  end.tick = end_tick;
  end.kind = training::InputEventKind::kEnd;
  inputs.push_back(end);
  return inputs;
}

std::vector<SessionEvent> read_events(hid_t file) {
  std::size_t text_size = 0;
  {
    const Hdf5Handle set = open_set(file, "events");
    const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose, "events");
    const int member = H5Tget_member_index(type.id(), "text");
    require(member >= 0, "events");
    const Hdf5Handle text(H5Tget_member_type(type.id(), static_cast<unsigned>(member)), H5Tclose,
                          "events");
    text_size = H5Tget_size(text.id());
    require(text_size > 0 && text_size <= (std::size_t{1} << 16), "events");
  }
  const std::string bytes = read_rows(file, "events", event_type(text_size));
  std::vector<SessionEvent> events;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(EventRow) + text_size) {
    EventRow row;
    std::memcpy(&row, bytes.data() + at, sizeof row);
    SessionEvent& event = events.emplace_back();
    event.tick = row.tick;
    event.kind = field_text(row.kind, sizeof row.kind);
    std::copy(std::begin(row.value), std::end(row.value), event.value);
    event.text = field_text(bytes.data() + at + sizeof row, text_size);
  }
  return events;
}

// The attempt that was going on at the end is not in the table of a recording that was cut off, nor is one
// that had ended before it was taken over: its figures are in the channels.
void add_open_attempt(hid_t file, const SessionHeader& header, const SessionEndMark& end,
                      std::vector<SessionAttempt>& attempts) {
  SessionAttempt open{header.first_tick, end.end_tick, training::TaskPhase::kReady, {}};
  for (const CommandRow& row : read_table<CommandRow>(file, "commands", command_type()))
    if (static_cast<training::CommandKind>(row.kind) == training::CommandKind::kRestart)
      open.begin_tick = row.tick;
  if (std::any_of(attempts.begin(), attempts.end(), [&open](const SessionAttempt& attempt) {
        return attempt.begin_tick == open.begin_tick;
      }))
    return;
  // Rows up to a restart tell of the attempt before it.
  const auto ticks = read_table<std::int64_t>(file, "channels/tick", copy_of(H5T_NATIVE_INT64));
  const bool any =
      !ticks.empty() && (ticks.back() > open.begin_tick || open.begin_tick == header.first_tick);
  const auto last = [&](const std::string& name) {
    const bool known =
        any && std::any_of(header.channels.begin(), header.channels.end(),
                           [&name](const ChannelInfo& channel) { return channel.name == name; });
    if (!known) return std::nan("");
    const auto values = read_table<float>(file, "channels/" + name, copy_of(H5T_NATIVE_FLOAT));
    return values.empty() ? std::nan("") : static_cast<double>(values.back());
  };
  if (const double phase = last("task_phase"); phase >= 0.0 && phase <= 3.0)
    open.phase = static_cast<training::TaskPhase>(static_cast<int>(phase));
  for (const ChannelInfo& figure : header.figures)
    open.figures.push_back(last("score_" + figure.name));
  attempts.push_back(std::move(open));
}

// A file to read a journal from, gone when it is closed.
fs::path unnamed(const fs::path& journal) {
  std::string name =
      (fs::temp_directory_path() / (journal.filename().string() + ".XXXXXX")).string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0)
    throw FileError(name,
                    fmt::format("cannot be written: {}", std::generic_category().message(errno)));
  ::close(descriptor);
  return name;
}

}  // namespace

class SessionRecord::Store {
 public:
  explicit Store(const fs::path& path) : file(open_file(path)) {}
  const Hdf5Handle file;
};

namespace {

using Store = SessionRecord::Store;

// The bytes are checked before the library sees any of them.
std::shared_ptr<const Store> open_checked(const fs::path& path, const std::string& shown) {
  {
    const File file(path);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0)
      throw FileError(shown,
                      fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    std::string block(kGuardBytes, '\0');
    const ssize_t n = ::pread(file.get(), block.data(), block.size(), 0);
    block.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    const Guard wanted = guard_of(block, shown);
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
  }
  return std::make_shared<const Store>(path);
}

bool is_journal(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic(kJournalMagic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return magic == kJournalMagic;
}

std::shared_ptr<const Store> open_store(const fs::path& path) {
  const std::string shown = path.string();
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw FileError(shown, "this is a directory; expected a session file");
  // To open a pipe is to wait for somebody who writes to it.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw FileError(shown, "this is not a regular file; expected a session");
  fs::path journal = path;
  if (!fs::exists(path, ignored)) journal += kJournalSuffix;
  if (!fs::is_regular_file(journal, ignored) || !is_journal(journal))
    return open_checked(path, shown);
  const fs::path copy = unnamed(journal);
  try {
    fold_journal_into(journal, copy);
    auto store = std::make_shared<const Store>(copy);
    ::unlink(copy.c_str());
    return store;
  } catch (...) {
    ::unlink(copy.c_str());
    throw;
  }
}

// A file whose checksum is right is as it was written; whatever does not fit is a fault of its writer.
template <class Read>
auto with_sentence(const fs::path& path, Read read) {
  const auto lock = hdf5_lock();
  try {
    return read();
  } catch (const Hdf5Error& error) {
    throw FileError(path.string(),
                    fmt::format("the session file cannot be understood: its {} is missing or not "
                                "as it should be",
                                error.what()));
  }
}

}  // namespace

SessionRecord read_session(const fs::path& path) {
  return with_sentence(path, [&path] {
    SessionRecord record;
    record.path = path;
    record.store = open_store(path);
    const hid_t file = record.store->file.id();
    record.header = read_header(file);
    record.end = read_end(file);
    record.inputs = read_inputs(file, record.end.end_tick);
    record.events = read_events(file);
    record.attempts = read_attempts(file, record.header);
    add_open_attempt(file, record.header, record.end, record.attempts);
    for (const HashRow& row : read_table<HashRow>(file, "hashes", hash_type()))
      record.hashes.push_back({row.tick, row.hash});
    const Hdf5Handle integer = copy_of(H5T_NATIVE_INT64);
    record.state_ticks = read_table<std::int64_t>(file, "states/tick", integer);
    record.channel_ticks = read_table<std::int64_t>(file, "channels/tick", integer);
    return record;
  });
}

SessionOutline read_session_outline(const fs::path& path) {
  return with_sentence(path, [&path] {
    const auto store = open_store(path);
    SessionOutline outline;
    outline.header = read_header(store->file.id());
    outline.end = read_end(store->file.id());
    outline.attempts = read_attempts(store->file.id(), outline.header);
    add_open_attempt(store->file.id(), outline.header, outline.end, outline.attempts);
    return outline;
  });
}

training::SessionState SessionRecord::state(std::size_t index) const {
  if (index >= state_ticks.size()) throw std::out_of_range("no such state in the session");
  if (!states_fit())
    throw FileError(path.string(), "its states were written by another version of the program");
  return with_sentence(path, [&] {
    const Hdf5Handle set = open_set(store->file.id(), "states/bytes");
    require(rows_of(set, 2) > index, "states");
    const Hdf5Handle in_file(H5Dget_space(set.id()), H5Sclose, "states");
    const hsize_t start[2] = {index, 0}, count[2] = {1, sizeof(training::SessionState)};
    require(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0,
            "states");
    const Hdf5Handle in_memory(H5Screate_simple(2, count, nullptr), H5Sclose, "states");
    training::SessionState state;
    require(
        H5Dread(set.id(), H5T_NATIVE_UINT8, in_memory.id(), in_file.id(), H5P_DEFAULT, &state) >= 0,
        "states");
    return state;
  });
}

std::vector<float> SessionRecord::channel(std::string_view name) const {
  const bool known = std::any_of(header.channels.begin(), header.channels.end(),
                                 [name](const ChannelInfo& one) { return one.name == name; });
  if (!known) throw std::out_of_range("the session has no channel '" + std::string(name) + "'");
  return with_sentence(path, [&] {
    return read_table<float>(store->file.id(), "channels/" + std::string(name),
                             copy_of(H5T_NATIVE_FLOAT));
  });
}

std::vector<float> SessionRecord::channel_row(std::size_t row) const {
  if (row >= channel_ticks.size()) throw std::out_of_range("no such row in the session");
  return with_sentence(path, [&] {
    std::vector<float> values;
    for (const ChannelInfo& channel : header.channels) {
      const Hdf5Handle set = open_set(store->file.id(), "channels/" + channel.name);
      require(rows_of(set) > row, "channels");
      const Hdf5Handle in_file(H5Dget_space(set.id()), H5Sclose, "channels");
      const hsize_t start[1] = {row}, count[1] = {1};
      require(
          H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0,
          "channels");
      const Hdf5Handle in_memory(H5Screate_simple(1, count, nullptr), H5Sclose, "channels");
      float value = 0.0F;
      require(H5Dread(set.id(), H5T_NATIVE_FLOAT, in_memory.id(), in_file.id(), H5P_DEFAULT,
                      &value) >= 0,
              "channels");
      values.push_back(value);
    }
    return values;
  });
}

}  // namespace knuckleboom::io
