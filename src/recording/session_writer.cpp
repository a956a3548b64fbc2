#include "session_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "knuckleboom/io/input_file.hpp"
#include "machine_texts.hpp"
#include "session_guard.hpp"
#include "session_layout.hpp"

namespace knuckleboom::io {
namespace {

constexpr unsigned kDeflate = 3;
constexpr std::size_t kRows = 4096;  // of a chunk
constexpr std::size_t kLeverRows = 1024;
constexpr std::size_t kMostEventText = 4096;  // bytes

Hdf5Handle type_copy(hid_t type) { return {H5Tcopy(type), H5Tclose, "type"}; }

Hdf5Handle make_group(hid_t parent, const char* name, const std::string& description) {
  // Members keep their order.
  const Hdf5Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "group");
  H5Pset_link_creation_order(properties.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(properties.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  Hdf5Handle group(H5Gcreate2(parent, name, H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose,
                   "group");
  write_attribute(group.id(), "description", description);
  return group;
}

void write_text(hid_t group, const std::string& name, const SessionText& text,
                const std::string& hash) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "text");
  const Hdf5Handle type = text_type();
  const Hdf5Handle set(
      H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "text");
  const char* pointer = text.text.c_str();
  require(H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer) >= 0, "text");
  write_attribute(set.id(), "role", text.role);
  write_attribute(set.id(), "path", text.name);
  if (!hash.empty()) write_attribute(set.id(), "hash", hash);
}

Hdf5Handle create_file(const std::filesystem::path& path) {
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file");
  require(H5Pset_userblock(creation.id(), kGuardBytes) >= 0, "file");
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file");
  require(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG) >= 0, "file");
  require(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0, "file");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, "file"};
}

void copy_text(char* field, std::size_t size, std::string_view text) {
  std::memset(field, 0, size);
  std::memcpy(field, text.data(), std::min(size, text.size()));
}

}  // namespace

// --- A data set ---------------------------------------------------------------

TableWriter::TableWriter(hid_t group, const std::string& name, Hdf5Handle type,
                         std::size_t chunk_rows, std::size_t width)
    : type_(std::move(type)),
      row_bytes_(H5Tget_size(type_.id()) * std::max<std::size_t>(width, 1)),
      chunk_rows_(chunk_rows),
      width_(width) {
  const int rank = width > 0 ? 2 : 1;
  const hsize_t none[2] = {0, width}, most[2] = {H5S_UNLIMITED, width},
                chunk[2] = {chunk_rows, width};
  const Hdf5Handle space(H5Screate_simple(rank, none, most), H5Sclose, "table");
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "table");
  require(H5Pset_chunk(creation.id(), rank, chunk) >= 0, "table");
  require(H5Pset_shuffle(creation.id()) >= 0, "table");
  require(H5Pset_deflate(creation.id(), kDeflate) >= 0, "table");
  // Only whole chunks are written: nothing to be kept.
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "table");
  require(H5Pset_chunk_cache(access.id(), 1, 0, 1.0) >= 0, "table");
  set_ = Hdf5Handle(H5Dcreate2(group, name.c_str(), type_.id(), space.id(), H5P_DEFAULT,
                               creation.id(), access.id()),
                    H5Dclose, "table");
}

void TableWriter::append(const void* row) {
  waiting_.append(static_cast<const char*>(row), row_bytes_);
  if (waiting_.size() == chunk_rows_ * row_bytes_) write();
}

void TableWriter::write() {
  if (waiting_.empty()) return;
  const int rank = width_ > 0 ? 2 : 1;
  const hsize_t count[2] = {waiting_.size() / row_bytes_, width_};
  const hsize_t start[2] = {rows_, 0};
  rows_ += count[0];
  const hsize_t size[2] = {rows_, width_};
  require(H5Dset_extent(set_.id(), size) >= 0, "table");
  const Hdf5Handle in_file(H5Dget_space(set_.id()), H5Sclose, "table");
  require(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0,
          "table");
  const Hdf5Handle in_memory(H5Screate_simple(rank, count, nullptr), H5Sclose, "table");
  require(H5Dwrite(set_.id(), type_.id(), in_memory.id(), in_file.id(), H5P_DEFAULT,
                   waiting_.data()) >= 0,
          "table");
  waiting_.clear();
}

void TableWriter::finish() {
  write();
  require(set_.reset(), "table");
}

void TableWriter::describe(const std::string& name, const std::string& text) {
  write_attribute(set_.id(), name, text);
}

// --- The file -----------------------------------------------------------------

SessionWriter::SessionWriter(const std::filesystem::path& file, const SessionHeader& header)
    : header_(header) {
  const auto lock = hdf5_lock();
  file_ = create_file(file);
  write_header();
  const auto table = [](hid_t group, const char* name, Hdf5Handle type, std::size_t rows,
                        const char* description, std::size_t width = 0) {
    auto made = std::make_unique<TableWriter>(group, name, std::move(type), rows, width);
    made->describe("description", description);
    return made;
  };
  levers_ = table(file_.id(), "levers", lever_type(), kLeverRows,
                  "lever positions from this tick on, -1 to 1; before the first all are 0");
  commands_ =
      table(file_.id(), "commands", command_type(), kRows / 8, "commands applied before this tick");
  hashes_ = table(file_.id(), "hashes", hash_type(), kRows,
                  "hash over the named fields of the state after so many ticks");
  attempts_ = table(file_.id(), "attempts", attempt_type(header_.figures), 64,
                    "attempts at the exercise with their figures; phase 0: ready, 1: running, "
                    "2: passed, 3: failed");
  for (const ChannelInfo& figure : header_.figures)
    attempts_->describe(figure.name, figure.unit.empty()
                                         ? figure.description
                                         : figure.description + " [" + figure.unit + "]");

  states_group_ = make_group(file_.id(), "states", "full states, to go on from");
  write_attribute(states_group_.id(), "layout_version",
                  static_cast<std::uint64_t>(header_.layout.version));
  write_attribute(states_group_.id(), "layout_bytes", header_.layout.bytes);
  write_attribute(states_group_.id(), "layout_places", header_.layout.places);
  write_attribute(states_group_.id(), "fields", header_.fields);
  state_ticks_ = table(states_group_.id(), "tick", type_copy(H5T_NATIVE_INT64), kRows,
                       "ticks run before the state");
  states_ = table(states_group_.id(), "bytes", type_copy(H5T_NATIVE_UINT8), 1,
                  "records of the fields that the attribute fields of the group describes",
                  static_cast<std::size_t>(header_.layout.bytes));

  channels_group_ =
      make_group(file_.id(), "channels", "signals over time; rows of all belong together");
  channel_ticks_ = table(channels_group_.id(), "tick", type_copy(H5T_NATIVE_INT64), kRows,
                         "ticks run before the row");
  for (const ChannelInfo& channel : header_.channels) {
    channels_.push_back(table(channels_group_.id(), channel.name.c_str(),
                              type_copy(H5T_NATIVE_FLOAT), kRows, channel.description.c_str()));
    channels_.back()->describe("unit", channel.unit);
  }
}

SessionWriter::~SessionWriter() = default;

void SessionWriter::write_header() {
  const hid_t file = file_.id();
  write_attribute(file, "title", "Knuckleboom session");
  write_attribute(file, "format", static_cast<std::int64_t>(kSessionFormat));
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const std::string&>>{
           {"program", header_.program},
           {"processor", header_.processor},
           {"session_id", header_.id},
           {"start_utc", header_.start_utc},
           {"learner", header_.learner},
           {"learner_id", header_.learner_id},
           {"instructor", header_.instructor},
           {"previous", header_.previous},
           {"parent_id", header_.parent_id},
           {"exercise", header_.exercise},
           {"machine", header_.machine},
           {"levers", header_.levers},
           {"exercise_hash", header_.exercise_hash.hex},
           {"machine_hash", header_.machine_hash.hex},
           {"levers_hash", header_.levers_hash.hex}})
    write_attribute(file, name, text);
  write_attribute(file, "parent_tick", header_.parent_tick);
  write_attribute(file, "rate_Hz", header_.rate_Hz);
  write_attribute(file, "first_tick", header_.first_tick);
  write_attribute(file, "judging", static_cast<std::int64_t>(header_.judging));

  const Hdf5Handle options = make_group(file, "options", "how the session was asked for");
  for (const auto& [name, value] : header_.options) write_attribute(options.id(), name, value);

  const Hdf5Handle texts = make_group(file, "files", "files that the session was made from");
  int number = 0, species = 0;
  for (const SessionText& text : header_.texts) {
    const std::string& hash = text.role == "exercise"  ? header_.exercise_hash.hex
                              : text.role == "machine" ? header_.machine_hash.hex
                              : text.role == "levers"  ? header_.levers_hash.hex
                                                       : std::string();
    const std::string name = text.role == "base" ? "machine_base_" + std::to_string(++number)
                             : text.role == kSpeciesRole
                                 ? text.role + "_" + std::to_string(++species)
                                 : text.role;
    write_text(texts.id(), name, text, hash);
  }
}

void SessionWriter::lever(std::int64_t tick, const command::OperatorInput& input) {
  LeverRow row{};
  row.tick = tick;
  std::copy(std::begin(input.axis), std::end(input.axis), row.axis);
  row.buttons = input.buttons;
  levers_->append(&row);
}

void SessionWriter::command(std::int64_t tick, const training::Command& command) {
  CommandRow row{};
  row.tick = tick;
  row.kind = static_cast<std::int32_t>(command.kind);
  row.value = command.value;
  copy_text(row.text, kCommandText, word_of(command));
  commands_->append(&row);
}

void SessionWriter::event(const SessionEvent& event) { events_.push_back(event); }

void SessionWriter::hash(const StateHash& hash) {
  const HashRow row{hash.tick, hash.value};
  hashes_->append(&row);
}

void SessionWriter::attempt(const SessionAttempt& attempt) {
  const std::size_t figures = header_.figures.size();
  std::string row((3 + figures) * sizeof(double), '\0');
  const std::int64_t numbers[3] = {attempt.begin_tick, attempt.end_tick,
                                   static_cast<std::int64_t>(attempt.phase)};
  std::memcpy(row.data(), numbers, sizeof numbers);
  if (const std::size_t known = std::min(figures, attempt.figures.size()); known > 0)
    std::memcpy(row.data() + sizeof numbers, attempt.figures.data(), known * sizeof(double));
  attempts_->append(row.data());
}

void SessionWriter::state(std::int64_t tick, std::string_view bytes) {
  require(bytes.size() == header_.layout.bytes, "state of another size");
  state_ticks_->append(&tick);
  states_->append(bytes.data());
}

void SessionWriter::row(std::int64_t tick, std::span<const float> values) {
  require(values.size() == channels_.size(), "row of another width");
  channel_ticks_->append(&tick);
  for (std::size_t i = 0; i < values.size(); ++i) channels_[i]->append(&values[i]);
}

void SessionWriter::write_events() {
  std::size_t longest = 1;
  for (const SessionEvent& event : events_) longest = std::max(longest, event.text.size());
  longest = std::min(longest, kMostEventText);
  TableWriter table(file_.id(), "events", event_type(longest), 256);
  table.describe("description", "what happened, before this tick; values by kind");
  std::string bytes(sizeof(EventRow) + longest, '\0');
  for (const SessionEvent& event : events_) {
    EventRow row{};
    row.tick = event.tick;
    copy_text(row.kind, kKindText, event.kind);
    std::copy(std::begin(event.value), std::end(event.value), row.value);
    std::memcpy(bytes.data(), &row, sizeof row);
    copy_text(bytes.data() + sizeof row, longest, event.text);
    table.append(bytes.data());
  }
  table.finish();
}

void SessionWriter::finish(const SessionEndMark& end) {
  const auto lock = hdf5_lock();
  write_events();
  write_attribute(file_.id(), "complete", static_cast<std::int64_t>(end.complete ? 1 : 0));
  write_attribute(file_.id(), "end_tick", end.end_tick);
  write_attribute(file_.id(), "end_hash", end.end_hash);
  write_attribute(file_.id(), "lost", end.lost);
  const Hdf5Handle health = make_group(file_.id(), "health", "of the simulation and its thread");
  for (const auto& [name, value] : end.health) write_attribute(health.id(), name, value);
  for (const auto& table : {levers_.get(), commands_.get(), hashes_.get(), attempts_.get(),
                            state_ticks_.get(), states_.get(), channel_ticks_.get()})
    table->finish();
  for (const auto& channel : channels_) channel->finish();
  channels_group_.reset();
  states_group_.reset();
  require(file_.reset(), "closing the file");
}

}  // namespace knuckleboom::io
