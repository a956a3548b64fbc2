#include "knuckleboom/recording/sweep_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "hdf5_handle.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kMarkWithin = std::size_t{64} << 10;  // bytes of a file
constexpr std::size_t kFirstImage = std::size_t{1} << 20;
constexpr hsize_t kTableChunk = 1024;  // rows
constexpr unsigned kTableDeflate = 3;

// Stands near the start of a table.
std::string mark_of(const SweepHeader& header) {
  return fmt::format("Knuckleboom {} of plan {} by {}", header.kind, header.plan_hash,
                     header.program);
}

bool is_own_table(const std::filesystem::path& path, const SweepHeader& header) {
  std::ifstream stream(path, std::ios::binary);
  std::string begin(kMarkWithin, '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  return begin.find(mark_of(header)) != std::string::npos;
}

double number_in(const std::string& text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

// One member of the record that a row is.
struct Member {
  std::string name, unit, description;
  std::size_t text_bytes;  // 0: a number
  bool whole = false;
  std::size_t offset = 0;

  std::size_t bytes() const { return text_bytes > 0 ? text_bytes : sizeof(double); }
};

class TableImage {
 public:
  TableImage(const SweepHeader& header, const std::vector<SweepRow>& rows)
      : header_(header), rows_(rows) {
    add({"run", "", "number of the run, from 0", 0, true});
    for (std::size_t i = 0; i < header.variables.size(); ++i)
      add_column(header.variables[i], [i](const SweepRow& row) { return row.values[i].size(); });
    for (const SweepColumn& column : header.results)
      add({column.name, column.unit, column.description, 0});
    add({"state_hash", "", "hash of the last state, 16 hexadecimal digits", 16});
    add({"failure", "", "why the run has no results; empty: it has",
         longest([](const SweepRow& r) { return r.failure.size(); })});
  }

  std::string bytes() const {
    const auto lock = hdf5_lock();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "table");
    require(H5Pset_fapl_core(access.id(), kFirstImage, 0) >= 0, "table");
    // A name in memory only. In the oldest form: no times of day, and no checksums, which an image lacks.
    Hdf5Handle file(H5Fcreate("sweep.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose,
                    "table");
    describe(file.id());
    write_rows(file.id());
    require(H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0, "table");
    const ssize_t size = H5Fget_file_image(file.id(), nullptr, 0);
    require(size > 0, "table");
    std::string image(static_cast<std::size_t>(size), '\0');
    require(H5Fget_file_image(file.id(), image.data(), image.size()) == size, "table");
    return image;
  }

 private:
  void add(Member member) {
    member.offset = record_;
    record_ += member.bytes();
    members_.push_back(std::move(member));
  }
  template <class Size>
  std::size_t longest(Size size) const {
    std::size_t most = 1;
    for (const SweepRow& row : rows_) most = std::max(most, size(row));
    return most;
  }
  template <class Size>
  void add_column(const SweepColumn& column, Size size) {
    add({column.name, column.unit, column.description, column.numbers ? 0 : longest(size)});
  }

  static void write_short(hid_t object, const char* name, const std::string& text) {
    write_attribute(object, name, text_type(std::max<std::size_t>(text.size(), 1)).id(),
                    text.c_str());
  }

  void describe(hid_t file) const {
    write_short(file, "title", mark_of(header_));
    write_attribute(file, "format", std::int64_t{1});
    write_short(file, "plan_hash", header_.plan_hash);
    write_short(file, "program", header_.program);
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "table");
    const Hdf5Handle type = text_type(std::max<std::size_t>(header_.text.size(), 1));
    const Hdf5Handle plan(
        H5Dcreate2(file, "plan", type.id(), space.id(), H5P_DEFAULT, untimed().id(), H5P_DEFAULT),
        H5Dclose, "table");
    require(
        H5Dwrite(plan.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, header_.text.c_str()) >= 0,
        "table");
  }

  // Without the time of day: the same bytes for the same rows.
  static Hdf5Handle untimed() {
    Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "table");
    require(H5Pset_obj_track_times(properties.id(), false) >= 0, "table");
    return properties;
  }

  std::string record(const SweepRow& row) const {
    std::string out(record_, '\0');
    const auto number = [&](const Member& member, double value) {
      std::memcpy(out.data() + member.offset, &value, sizeof value);
    };
    const auto text = [&](const Member& member, const std::string& value) {
      std::memcpy(out.data() + member.offset, value.data(),
                  std::min(value.size(), member.text_bytes));
    };
    std::size_t at = 0;
    std::memcpy(out.data() + members_[at++].offset, &row.run, sizeof row.run);
    for (const std::string& value : row.values) {
      const Member& member = members_[at++];
      if (member.text_bytes > 0)
        text(member, value);
      else
        number(member, number_in(value));
    }
    for (const double result : row.results) number(members_[at++], result);
    text(members_[at++], fmt::format("{:016x}", row.state_hash));
    text(members_[at], row.failure);
    return out;
  }

  void write_rows(hid_t file) const {
    const Hdf5Handle type(H5Tcreate(H5T_COMPOUND, record_), H5Tclose, "table");
    for (const Member& member : members_) {
      const Hdf5Handle of_text =
          member.text_bytes > 0 ? text_type(member.text_bytes) : Hdf5Handle();
      const hid_t of = member.text_bytes > 0 ? of_text.id()
                       : member.whole        ? H5T_NATIVE_INT64
                                             : H5T_NATIVE_DOUBLE;
      require(H5Tinsert(type.id(), member.name.c_str(), member.offset, of) >= 0, "table");
    }
    const hsize_t count = rows_.size();
    const hsize_t chunk = std::clamp<hsize_t>(count, 1, kTableChunk);
    const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "table");
    const Hdf5Handle properties = untimed();
    require(H5Pset_chunk(properties.id(), 1, &chunk) >= 0, "table");
    require(H5Pset_shuffle(properties.id()) >= 0, "table");
    require(H5Pset_deflate(properties.id(), kTableDeflate) >= 0, "table");
    const Hdf5Handle set(
        H5Dcreate2(file, "runs", type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
        H5Dclose, "table");
    std::string all;
    all.reserve(record_ * rows_.size());
    for (const SweepRow& row : rows_) all += record(row);
    if (!all.empty())
      require(H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0,
              "table");
    for (const Member& member : members_)
      write_short(set.id(), member.name.c_str(),
                  member.unit.empty() ? member.description
                                      : fmt::format("{} [{}]", member.description, member.unit));
  }

  const SweepHeader& header_;
  const std::vector<SweepRow>& rows_;
  std::vector<Member> members_;
  std::size_t record_ = 0;
};

}  // namespace

void check_sweep_table(const std::filesystem::path& path, const SweepHeader& header) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || is_own_table(path, header)) return;
  throw FileError(path.string(),
                  fmt::format("this file is there already and is no table of this {} by this "
                              "program; nothing was overwritten: choose another one with --output, "
                              "or remove it",
                              header.kind));
}

void write_sweep_table(const std::filesystem::path& path, const SweepHeader& header,
                       const std::vector<SweepRow>& rows) {
  check_sweep_table(path, header);
  try {
    write_file(path, TableImage(header, rows).bytes());
  } catch (const Hdf5Error& error) {
    throw FileError(path.string(),
                    fmt::format("cannot be written: HDF5 fails at '{}'", error.what()));
  }
}

void write_sweep_csv(const std::filesystem::path& path, const SweepHeader& header,
                     const std::vector<SweepRow>& rows) {
  check_sweep_table(path, header);
  std::string text = "# " + mark_of(header) + "\nrun";
  for (const std::vector<SweepColumn>* columns : {&header.variables, &header.results})
    for (const SweepColumn& column : *columns) text += "," + csv_field(column.name);
  text += ",state_hash,failure\n";
  for (const SweepRow& row : rows) {
    text += fmt::format("{}", row.run);
    for (const std::string& value : row.values) text += "," + csv_field(value);
    for (const double result : row.results) text += fmt::format(",{}", result);
    text += fmt::format(",{:016x},{}\n", row.state_hash, csv_field(row.failure));
  }
  write_file(path, text);
}

}  // namespace knuckleboom::io
