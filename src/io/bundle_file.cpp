#include "knuckleboom/io/bundle_file.hpp"

#include <cstddef>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "log_map_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxChannels = 200;
constexpr double kUsualRate = 50.0;  // Hz
constexpr double kUsualRest = 0.5;   // s

class BundleReader {
 public:
  BundleReader(const Node& root, Report& report, const fs::path& file, const fs::path& data)
      : root_(root), report_(report), data_(data) {
    out_.folder = file.parent_path();
    out_.name = fs::absolute(file).lexically_normal().parent_path().filename().string();
  }

  Bundle read() {
    TableReader reader(report_, root_, "the bundle");
    if (!reader.integer("format", 1, 1) && !reader.has("format"))
      reader.missing("format", {Dimension::kNone});
    out_.description = reader.text("description").value_or("");
    out_.origin = reader.required_text("origin");
    read_run(reader);
    if (const Node* reference = reader.required_subtable("reference")) read_reference(*reference);
    for (const Node* node : reader.tables("channel", kMaxChannels)) read_channel(*node);
    for (const Node* node : reader.tables("drive", kMaxChannels)) read_drive(*node);
    if (out_.channels.empty() && !report_.any())
      report_.error(root_.place,
                    "the bundle has no [[channel]]; add one for each quantity that is compared");
    reader.done();
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  void read_run(TableReader& reader) {
    out_.machine = own(reader.text("machine").value_or(""));
    out_.scenario = own(reader.text("scenario").value_or(""));
    const std::string input = reader.text("input").value_or("");
    if (!input.empty()) out_.input = out_.folder / input;
    const int ways = (reader.has("scenario") ? 1 : 0) + (reader.has("input") ? 1 : 0) +
                     (root_.find("drive") != nullptr ? 1 : 0);
    if (ways != 1)
      report_.error(
          root_.place,
          "a bundle runs a scenario, recorded levers or a machine driven by its log; give "
          "it 'scenario' = a scenario's name or file, 'input' = an input file, or "
          "[[drive]] tables of the log's columns");
    if (root_.find("drive") != nullptr && !reader.has("machine"))
      reader.missing("machine", {Dimension::kNone});
    if (const Node* start = reader.subtable("start")) read_start(*start);
    out_.rest_s = reader.quantity("rest", Dimension::kTime, kPositive).value_or(kUsualRest);
    out_.fidelity = reader.text("fidelity").value_or("");
    const Node* set = reader.any("set");
    if (set == nullptr) return;
    const auto complain = [&](const Place& place) {
      report_.error(place,
                    "'set' must be an array of strings, such as "
                    "[\"controller.stick.kp_V_per_rad=60\"]");
    };
    if (!set->is_array()) return complain(set->place);
    for (const Node& item : set->items) {
      if (!item.is_string()) return complain(item.place);
      out_.assignments.push_back(item.text);
    }
  }

  // What is a file, and not a name, belongs to the bundle's folder.
  std::string own(const std::string& name_or_file) const {
    const bool file =
        name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".toml");
    return file ? (out_.folder / name_or_file).lexically_normal().string() : name_or_file;
  }

  void read_reference(const Node& node) {
    TableReader reader(report_, node, "the reference");
    const std::string file = reader.required_text("file");
    out_.reference = out_.folder / file;
    if (reader.flag("external").value_or(false)) {
      out_.external = file;
      out_.reference = data_.empty() ? fs::path() : data_ / file;
    }
    out_.rate_Hz = reader.quantity("rate", Dimension::kFrequency, kPositive).value_or(kUsualRate);
    read_log_layout(reader, out_.map);
    out_.map.place = at_place(report_, reader.place_of("time"));
    reader.done();
  }

  void read_channel(const Node& node) {
    const Node* name = node.find("name");
    TableReader reader(report_, node,
                       name != nullptr && name->is_string()
                           ? fmt::format("channel '{}'", name->text)
                           : "a channel");
    LogColumn column = read_log_column(reader, report_);
    if (!column.name.empty() && !names_.insert(column.name).second)
      reader.error("name", fmt::format("there are two channels '{}'; keep one", column.name));
    BundleChannel channel;
    channel.name = column.name;
    channel.tolerance = read_log_quantity(reader, "tolerance", kNonNegative);
    channel.rms = read_log_quantity(reader, "rms", kNonNegative);
    if (!reader.has("tolerance") && !reader.has("rms"))
      reader.missing("tolerance", {Dimension::kNone, Dimension::kAngle, Dimension::kLength,
                                   Dimension::kPressure, Dimension::kVoltage});
    constexpr double kEver = std::numeric_limits<double>::infinity();
    channel.from_s = reader.quantity("from", Dimension::kTime).value_or(-kEver);
    channel.to_s = reader.quantity("to", Dimension::kTime).value_or(kEver);
    if (channel.from_s > channel.to_s)
      reader.error("to", "'to' lies before 'from'; nothing would be compared");
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
    TableReader reader(report_, node, "a [[drive]]");
    LogColumn column = read_log_column(reader, report_);
    if (const auto delay = reader.quantity("delay", Dimension::kTime, kNonNegative))
      out_.delay_s.emplace_back(column.name, *delay);
    if (!column.name.empty() && !names_.insert(column.name).second)
      reader.error("name", fmt::format("there are two columns '{}'; keep one", column.name));
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
  return fs::is_directory(path, ignored) ? path / "bundle.toml" : path;
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
