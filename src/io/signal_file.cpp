#include "knuckleboom/io/signal_file.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "document.hpp"
#include "hasher.hpp"
#include "signal_keys.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using exchange::SignalRule;
namespace keys = declare::keys;
namespace k = keys::signal;

class SignalReader {
 public:
  SignalReader(const Node& root, Report& report) : root_(root), report_(report) {}

  SignalFile read() {
    namespace file_keys = keys::signal_file;
    TableReader reader(report_, root_, file_keys::table, "the signal file");
    reader.fill(file_);
    if (const auto id = reader.quantity(file_keys::can_guard))
      file_.can_guard = static_cast<std::uint32_t>(*id);
    for (const Node* node : reader.tables(file_keys::signals)) read_signal(*node);
    refuse_guard_frames(reader);
    reader.done();
    find_followed();
    report_.throw_if_any();
    return std::move(file_);
  }

 private:
  void read_signal(const Node& node) {
    const Node* name = node.find(k::name.name);
    TableReader reader(report_, node, k::table,
                       name != nullptr && name->is_string()
                           ? fmt::format("the signal '{}'", name->text)
                           : "the signal");
    OutsideSignal signal;
    SignalRule& rule = signal.rule;
    signal.line = name != nullptr ? name->place.line : node.place.line;
    const bool in = reader.word<bool>(k::direction).value_or(true);
    if (in) reader.choose("in");
    reader.fill(signal);
    reader.fill(rule);
    check_name(reader, rule.name);
    if (rule.least >= rule.most)
      reader.error(k::most, fmt::format("'most' is {}, 'least' is {}; the most is above the least",
                                        rule.most, rule.least));
    rule.safe_value = reader.quantity(k::safe_value)
                          .value_or(std::clamp(0.0, std::min(rule.least, rule.most),
                                               std::max(rule.least, rule.most)));
    if (rule.safe_value < rule.least || rule.safe_value > rule.most)
      reader.error(k::safe_value, fmt::format("'safe_value' is {}, outside the range from {} to {}",
                                              rule.safe_value, rule.least, rule.most));
    if (in) {
      rule.near =
          reader.quantity(k::near).value_or(0.02 * std::max(rule.most - rule.least, 1e-300));
      if (const Node* plant = reader.subtable(k::plant))
        signal.plant = read_plant(*plant, reader.what());
    }
    if (const Node* can = reader.subtable(k::can)) signal.can = read_can(*can, reader.what());
    reader.done();
    auto& list = in ? file_.in : file_.out;
    if (list.size() >= exchange::kMaxSignals)
      report_.error(node.place, fmt::format("there may be {} signals in one direction at most",
                                            exchange::kMaxSignals));
    refuse_overlap(node, list, signal);
    list.push_back(std::move(signal));
  }

  void check_name(TableReader& reader, const std::string& name) {
    // Signals of an emulation have dots.
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '.', '_');
    if (!name.empty() && !is_name(plain))
      reader.error(k::name, fmt::format("'name' is \"{}\"; a name starts with a letter and has "
                                        "letters, digits, '.', '_' and '-' only, at most 64",
                                        name));
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      reader.error(k::name, fmt::format("two signals are called '{}'; rename one", name));
    names_.push_back(name);
  }

  PlantRule read_plant(const Node& node, const std::string& of) {
    TableReader reader(report_, node, keys::plant::table, fmt::format("the plant of {}", of));
    PlantRule plant;
    reader.fill(plant);
    if (!plant.follows.empty())
      followed_.emplace_back(plant.follows, reader.place_of(keys::plant::follows));
    reader.done();
    return plant;
  }

  void find_followed() {
    std::vector<std::string> names;
    for (const OutsideSignal& signal : file_.out) names.push_back(signal.rule.name);
    for (const auto& [name, place] : followed_)
      if (std::find(names.begin(), names.end(), name) == names.end())
        report_.error(place, fmt::format("no signal '{}' goes out of the machine{}", name,
                                         alternatives(name, names)));
  }

  CanPlace read_can(const Node& node, const std::string& of) {
    namespace own = keys::can_place;
    TableReader reader(report_, node, own::table, fmt::format("the CAN place of {}", of));
    CanPlace place;
    reader.fill(place);
    if (place.scale == 0.0)
      reader.error(own::scale, "'scale' is 0; the signal would have no value");
    if (place.start_byte + (place.wide ? 4 : 2) > 8)
      reader.error(
          own::start_byte,
          fmt::format("'start_byte' is {}; a frame has 8 bytes, so {} starts "
                      "at {} at most",
                      place.start_byte, place.wide ? "int32" : "int16", place.wide ? 4 : 6));
    reader.done();
    return place;
  }

  void refuse_overlap(const Node& node, const std::vector<OutsideSignal>& list,
                      const OutsideSignal& signal) {
    if (!signal.can) return;
    const auto end = [](const CanPlace& p) { return p.start_byte + (p.wide ? 4 : 2); };
    for (const OutsideSignal& other : list)
      if (other.can && other.can->id == signal.can->id &&
          other.can->start_byte < end(*signal.can) && signal.can->start_byte < end(*other.can))
        report_.error(node.place, fmt::format("the signals '{}' and '{}' overlap in CAN frame {}",
                                              other.rule.name, signal.rule.name, signal.can->id));
  }

  void refuse_guard_frames(TableReader& reader) {
    for (const std::vector<OutsideSignal>* list : {&file_.in, &file_.out})
      for (const OutsideSignal& signal : *list)
        if (file_.can_guard && signal.can && signal.can->id - *file_.can_guard <= 1)
          reader.error(keys::signal_file::can_guard,
                       fmt::format("'can_guard' is {}, and signal '{}' is in frame {}; the guard "
                                   "frames {} and {} are for themselves",
                                   *file_.can_guard, signal.rule.name, signal.can->id,
                                   *file_.can_guard, *file_.can_guard + 1));
  }

  const Node& root_;
  Report& report_;
  SignalFile file_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, Place>> followed_;
};

}  // namespace

SignalFile read_signals_text(std::string_view text, const std::string& file_name,
                             std::vector<Diagnostic>* unknown) {
  Report report;
  report.leave_out_unknown(unknown);
  Hasher hash;
  DocumentOptions options;
  options.what = "signal file";
  const Node root = read_document(text, file_name, {}, options, report, hash);
  return SignalReader(root, report).read();
}

SignalFile read_signals(const std::filesystem::path& path) {
  return read_signals_text(read_text_file(path, kConfigurationLimit, "signal file"), path.string());
}

}  // namespace knuckleboom::io
