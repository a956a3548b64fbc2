#include "session_unfold.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5_hl.h>

#include "session_content.hpp"
#include "session_layout.hpp"

namespace knuckleboom::io {
namespace {

constexpr hsize_t kMostRows = hsize_t{1} << 28;  // 74 hours at 1000 ticks a second
constexpr hsize_t kPiece = 4096;                 // rows in memory at a time: a chunk of the writer
constexpr std::size_t kMostRowBytes = std::size_t{1} << 16;
constexpr std::size_t kSendBytes = std::size_t{1} << 18;

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

// Memory allocated by the library for texts.
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

// Some rows, one after the other, into bytes.
void read_piece(const Hdf5Handle& set, hid_t type, hsize_t begin, hsize_t rows, hsize_t width,
                void* bytes) {
  const int rank = width > 0 ? 2 : 1;
  const hsize_t start[2] = {begin, 0}, count[2] = {rows, width};
  const Hdf5Handle in_file(H5Dget_space(set.id()), H5Sclose, "table");
  require(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0,
          "table");
  const Hdf5Handle in_memory(H5Screate_simple(rank, count, nullptr), H5Sclose, "table");
  require(H5Dread(set.id(), type, in_memory.id(), in_file.id(), H5P_DEFAULT, bytes) >= 0, "table");
}

// Calls use(row, bytes of it) for each row of a table.
template <class Use>
void for_each_row(hid_t group, const std::string& name, const Hdf5Handle& type, Use use) {
  const Hdf5Handle set = open_set(group, name);
  const std::size_t size = H5Tget_size(type.id());
  const hsize_t rows = rows_of(set);
  require(size > 0 && size <= kMostRowBytes, name.c_str());
  std::string bytes;
  for (hsize_t begin = 0; begin < rows; begin += kPiece) {
    const hsize_t count = std::min(kPiece, rows - begin);
    bytes.resize(static_cast<std::size_t>(count) * size);
    read_piece(set, type.id(), begin, count, 0, bytes.data());
    for (std::size_t at = 0; at < bytes.size(); at += size) use(bytes.data() + at);
  }
}
template <class Row, class Use>
void for_each(hid_t group, const std::string& name, const Hdf5Handle& type, Use use) {
  for_each_row(group, name, type, [&use](const char* bytes) {
    Row row;
    std::memcpy(&row, bytes, sizeof row);
    use(row);
  });
}

Hdf5Handle copy_of(hid_t type) { return {H5Tcopy(type), H5Tclose, "type"}; }

std::string field_text(const char* field, std::size_t size) {
  return {field, ::strnlen(field, size)};
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
  for (const auto& [name, field] : std::initializer_list<std::pair<const char*, std::string*>>{
           {"instructor", &header.instructor}, {"previous", &header.previous}})
    if (H5Aexists(file, name) > 0) *field = read_attribute(file, name);
  if (H5Aexists(file, "judging") > 0)
    header.judging = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(read_integer(file, "judging"), 0, 1'000'000));
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
  if (H5Aexists(states.id(), "fields") > 0) header.fields = read_attribute(states.id(), "fields");

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

class Unfold {
 public:
  Unfold(hid_t file, bool outline, const SessionHeader& header, SessionSink& out)
      : file_(file), outline_(outline), header_(header), out_(out) {}

  // send() is called from time to time, with what has come so far.
  template <class Send>
  void run(Send send) {
    inputs();
    send();
    for_each<HashRow>(file_, "hashes", hash_type(), [this](const HashRow& row) {
      out_.hash({row.tick, row.hash});
    });
    attempts();
    send();
    rows(send);
    if (outline_) return;
    events();
    states(send);
  }

 private:
  // Commands before the levers of their tick.
  void inputs() {
    std::vector<CommandRow> commands;
    for_each<CommandRow>(file_, "commands", command_type(),
                         [&commands](const CommandRow& row) { commands.push_back(row); });
    auto next = commands.begin();
    const auto command = [&] {
      out_.command(next->tick, {static_cast<training::CommandKind>(next->kind), next->value});
      ++next;
    };
    if (!outline_)
      for_each<LeverRow>(file_, "levers", lever_type(), [&](const LeverRow& row) {
        while (next != commands.end() && next->tick <= row.tick) command();
        command::OperatorInput input{};
        std::copy(std::begin(row.axis), std::end(row.axis), input.axis);
        input.buttons = row.buttons;
        out_.lever(row.tick, input);
      });
    while (next != commands.end()) command();
  }

  void attempts() {
    const std::size_t figures = header_.figures.size();
    for_each_row(file_, "attempts", attempt_type(header_.figures), [&](const char* bytes) {
      std::int64_t numbers[3];
      std::memcpy(numbers, bytes, sizeof numbers);
      require(numbers[2] >= 0 && numbers[2] <= 3, "attempts");
      SessionAttempt attempt{numbers[0], numbers[1], static_cast<training::TaskPhase>(numbers[2]),
                             std::vector<double>(figures)};
      if (figures > 0)
        std::memcpy(attempt.figures.data(), bytes + sizeof numbers, figures * sizeof(double));
      out_.attempt(attempt);
    });
  }

  // From columns to rows. Of an outline the last one only.
  template <class Send>
  void rows(Send send) {
    const Hdf5Handle ticks = open_set(file_, "channels/tick");
    const hsize_t count = rows_of(ticks);
    std::vector<Hdf5Handle> sets;
    for (const ChannelInfo& channel : header_.channels) {
      sets.push_back(open_set(file_, "channels/" + channel.name));
      require(rows_of(sets.back()) == count, "channels");
    }
    const std::size_t width = sets.size();
    std::vector<std::int64_t> tick;
    std::vector<float> column, row(width), all;
    for (hsize_t begin = outline_ && count > 0 ? count - 1 : 0; begin < count; begin += kPiece) {
      const hsize_t piece = std::min(kPiece, count - begin);
      const auto size = static_cast<std::size_t>(piece);
      tick.resize(size);
      column.resize(size);
      all.resize(size * width);
      read_piece(ticks, H5T_NATIVE_INT64, begin, piece, 0, tick.data());
      for (std::size_t c = 0; c < width; ++c) {
        read_piece(sets[c], H5T_NATIVE_FLOAT, begin, piece, 0, column.data());
        for (std::size_t r = 0; r < size; ++r) all[r * width + c] = column[r];
      }
      for (std::size_t r = 0; r < size; ++r)
        out_.row(tick[r], std::span<const float>(all).subspan(r * width, width));
      send();
    }
  }

  void events() {
    std::size_t text_size = 0;
    {
      const Hdf5Handle set = open_set(file_, "events");
      const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose, "events");
      require(H5Tget_class(type.id()) == H5T_COMPOUND, "events");
      const int member = H5Tget_member_index(type.id(), "text");
      require(member >= 0, "events");
      const Hdf5Handle text(H5Tget_member_type(type.id(), static_cast<unsigned>(member)), H5Tclose,
                            "events");
      text_size = H5Tget_size(text.id());
      require(text_size > 0 && text_size <= kMostRowBytes / 2, "events");
    }
    for_each_row(file_, "events", event_type(text_size), [&](const char* bytes) {
      EventRow row;
      std::memcpy(&row, bytes, sizeof row);
      SessionEvent event;
      event.tick = row.tick;
      event.kind = field_text(row.kind, sizeof row.kind);
      std::copy(std::begin(row.value), std::end(row.value), event.value);
      event.text = field_text(bytes + sizeof row, text_size);
      out_.event(event);
    });
  }

  template <class Send>
  void states(Send send) {
    std::vector<std::int64_t> ticks;
    for_each<std::int64_t>(file_, "states/tick", copy_of(H5T_NATIVE_INT64),
                           [&ticks](std::int64_t tick) { ticks.push_back(tick); });
    const Hdf5Handle set = open_set(file_, "states/bytes");
    require(rows_of(set, 2) == ticks.size() && header_.layout.bytes <= kMostBlock, "states");
    std::string bytes(static_cast<std::size_t>(header_.layout.bytes), '\0');
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      read_piece(set, H5T_NATIVE_UINT8, i, 1, bytes.size(), bytes.data());
      out_.state(ticks[i], bytes);
      send();
    }
  }

  const hid_t file_;
  const bool outline_;
  const SessionHeader& header_;
  SessionSink& out_;
};

// Closed by hand at the end; the image must outlive it.
Hdf5Handle open_image(std::span<char> image) {
  // In place, neither copied nor freed, not to be changed.
  return {H5LTopen_file_image(image.data(), image.size(),
                              H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE),
          H5Fclose, "file"};
}

}  // namespace

void unfold_session(std::span<char> image, bool outline, const SendBlocks& send) {
  const auto lock = hdf5_lock();
  const Hdf5Handle file = open_image(image);
  const SessionHeader header = read_header(file.id());
  SessionBlocks blocks(header);
  blocks.extent(read_end(file.id()));
  const auto send_some = [&] {
    if (blocks.bytes().size() < kSendBytes) return;
    send(blocks.bytes(), blocks.next());
    blocks.clear();
  };
  Unfold(file.id(), outline, header, blocks).run(send_some);
  blocks.close_gathered();
  send(blocks.bytes(), blocks.next());
}

}  // namespace knuckleboom::io
