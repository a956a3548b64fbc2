#include "knuckleboom/io/bundle_file.hpp"

#include <cstddef>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "log_keys.hpp"
#include "log_map_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

namespace keys = declare::keys;
namespace bundle_keys = keys::bundle_file;

class BundleReader {
 public:
  BundleReader(const Node& root, Report& report, const fs::path& file, const fs::path& data)
      : root_(root), report_(report), data_(data) {
    out_.folder = file.parent_path();
    out_.name = fs::absolute(file).lexically_normal().parent_path().filename().string();
  }

  Bundle read() {
    TableReader reader(report_, root_, bundle_keys::table, "the bundle");
    reader.whole(bundle_keys::format);
    reader.fill(out_);
    read_run(reader);
    if (const Node* reference = reader.subtable(bundle_keys::reference)) read_reference(*reference);
    for (const Node* node : reader.tables(bundle_keys::channels)) read_channel(*node);
    for (const Node* node : reader.tables(bundle_keys::drives)) read_drive(*node);
    if (out_.channels.empty() && !report_.any())
      report_.error(root_.place,
                    "the bundle has no [[channel]]; add one for each quantity that is compared");
    reader.done();
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  void read_run(TableReader& reader) {
    namespace k = bundle_keys;
    out_.machine = own(reader.text(k::machine).value_or(""));
    out_.scenario = own(reader.text(k::scenario).value_or(""));
    const std::string input = reader.text(k::input).value_or("");
    if (!input.empty()) out_.input = out_.folder / input;
    const int ways = (reader.has(k::scenario) ? 1 : 0) + (reader.has(k::input) ? 1 : 0) +
                     (reader.has(k::drives) ? 1 : 0);
    if (ways != 1)
      report_.error(
          root_.place,
          "a bundle runs a scenario, recorded levers or a machine driven by its log; give "
          "it 'scenario' = a scenario's name or file, 'input' = an input file, or "
          "[[drive]] tables of the log's columns");
    if (reader.has(k::drives) && !reader.has(k::machine)) reader.missing(k::machine);
    if (const Node* start = reader.subtable(k::start)) read_start(*start);
    out_.assignments = reader.texts(k::set).value_or(std::vector<std::string>());
  }

  // A file, as opposed to a name, is relative to the bundle's folder.
  std::string own(const std::string& name_or_file) const {
    const bool file =
        name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".toml");
    return file ? (out_.folder / name_or_file).lexically_normal().string() : name_or_file;
  }

  void read_reference(const Node& node) {
    namespace k = keys::bundle_reference;
    TableReader reader(report_, node, k::table, "the reference");
    const std::string file = reader.text(k::file).value_or("");
    out_.reference = out_.folder / file;
    if (reader.flag(k::external).value_or(false)) {
      out_.external = file;
      out_.reference = data_.empty() ? fs::path() : data_ / file;
    }
    out_.rate_Hz = reader.value(k::rate);
    read_log_layout(reader, out_.map);
    find_dbc(out_.external.empty() ? out_.folder : data_, out_.map);
    reader.done();
  }

  void read_channel(const Node& node) {
    namespace k = keys::bundle_channel;
    const Node* name = node.find(keys::log_column::name.name);
    TableReader reader(report_, node, k::table,
                       name != nullptr && name->is_string()
                           ? fmt::format("channel '{}'", name->text)
                           : "a channel");
    LogColumn column = read_log_column(reader);
    if (!column.name.empty() && !names_.insert(column.name).second)
      reader.error(keys::log_column::name,
                   fmt::format("there are two channels '{}'; keep one", column.name));
    BundleChannel channel;
    channel.name = column.name;
    channel.tolerance = read_log_quantity(reader, k::tolerance);
    channel.rms = read_log_quantity(reader, k::rms);
    if (!reader.has(k::tolerance) && !reader.has(k::rms)) reader.missing(k::tolerance);
    constexpr double kEver = std::numeric_limits<double>::infinity();
    channel.time_s = reader.value(k::time);
    channel.from_s = reader.quantity(k::from).value_or(-kEver);
    channel.to_s = reader.quantity(k::to).value_or(kEver);
    if (channel.from_s > channel.to_s)
      reader.error(k::to, "'to' lies before 'from'; nothing would be compared");
    reader.done();
    out_.map.columns.push_back(std::move(column));
    out_.channels.push_back(std::move(channel));
  }

  // Keys are joints with the unit of their position.
  void read_start(const Node& node) {
    for (const Entry& entry : node.entries) {
      const KeyParts key = split_key(entry.key);
      const bool position =
          key.dimension == Dimension::kAngle || key.dimension == Dimension::kLength;
      if (!position || !entry.value.is_number())
        report_.error(entry.place,
                      fmt::format("'{}' must be a joint's position with its unit, such "
                                  "as boom_rad = 0.5 or slide_m = 0.2",
                                  entry.key));
      else
        out_.start.emplace_back(std::string(key.stem), to_si(entry.value.number, *key.unit));
    }
  }

  void read_drive(const Node& node) {
    TableReader reader(report_, node, keys::bundle_drive::table, "a [[drive]]");
    LogColumn column = read_log_column(reader);
    if (const auto delay = reader.quantity(keys::bundle_drive::delay))
      out_.delay_s.emplace_back(column.name, *delay);
    if (!column.name.empty() && !names_.insert(column.name).second)
      reader.error(keys::log_column::name,
                   fmt::format("there are two columns '{}'; keep one", column.name));
    reader.done();
    out_.map.columns.push_back(std::move(column));
    ++out_.drive_count;
  }

  const Node& root_;
  Report& report_;
  const fs::path& data_;
  Bundle out_;
  std::set<std::string> names_;
};

fs::path file_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw FileError(path.string(),
                    "there is no such folder; expected a bundle, which is a folder "
                    "with a bundle.toml");
  if (!fs::is_directory(path, ignored) && path.extension() != ".toml")
    throw FileError(path.string(),
                    "this file is no bundle; expected a folder with a bundle.toml "
                    "(`knuckleboom verify --from FILE FOLDER` makes one of a session or a trace)");
  if (!fs::is_directory(path, ignored)) return path;
  if (!fs::exists(path / "bundle.toml", ignored))
    throw FileError(path.string(), "this folder is no bundle: it has no bundle.toml");
  return path / "bundle.toml";
}

}  // namespace

Bundle read_bundle_text(std::string_view text, const std::string& file_name, const fs::path& data) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "bundle";
  const Node root = read_document(text, file_name, {}, options, report, hash);
  return BundleReader(root, report, file_name, data).read();
}

Bundle read_bundle(const fs::path& path, const fs::path& data) {
  const fs::path file = file_of(path);
  return read_bundle_text(read_text_file(file, kConfigurationLimit, "bundle"), file.string(), data);
}

void log_bundle_update(const Bundle& bundle, const std::string& date, const std::string& program,
                       const std::string& reason) {
  const fs::path file = bundle.folder / "history.txt";
  std::error_code ignored;
  std::string text;
  if (fs::exists(file, ignored))
    text = read_text_file(file, kConfigurationLimit, "history of a bundle");
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format("{}  {}  {}\n", date, program, one_line(reason));
  write_file(file, text);
}

}  // namespace knuckleboom::io
