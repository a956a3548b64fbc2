#include "knuckleboom/io/signal_file.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "document.hpp"
#include "hasher.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using exchange::Handover;
using exchange::SafeState;
using exchange::SignalRule;
using exchange::Source;

constexpr Range kWithinHour{0.0, 3600.0, true};
constexpr int kMaxCanId = 0x7FF;

class SignalReader {
 public:
  SignalReader(const Node& root, Report& report) : root_(root), report_(report) {}

  SignalFile read() {
    TableReader reader(report_, root_, "the signal file");
    file_.udp = reader.text("udp").value_or("");
    file_.can = reader.text("can").value_or("");
    file_.key = static_cast<std::uint64_t>(
        reader.integer("key", 0, std::numeric_limits<int>::max()).value_or(0));
    file_.late_s = reader.quantity("late", Dimension::kTime, kWithinHour).value_or(file_.late_s);
    const auto tables = reader.tables("signal", 2 * exchange::kMaxSignals);
    if (tables.empty() && !reader.has("signal"))
      report_.error(root_.place, "the signal file has no signals; add at least one [[signal]]");
    for (const Node* node : tables) read_signal(*node);
    reader.done();
    find_followed();
    report_.throw_if_any();
    return std::move(file_);
  }

 private:
  void read_signal(const Node& node) {
    const Node* name = node.find("name");
    TableReader reader(report_, node,
                       name != nullptr && name->is_string()
                           ? fmt::format("the signal '{}'", name->text)
                           : "the signal");
    OutsideSignal signal;
    signal.line = name != nullptr ? name->place.line : node.place.line;
    read_name(reader, signal.rule.name);
    const bool in = read_direction(reader);
    read_range(reader, signal.rule);
    read_safe_state(reader, signal.rule);
    if (in) {
      read_rule(reader, signal.rule);
      if (const Node* plant = reader.subtable("plant"))
        signal.plant = read_plant(*plant, reader.what());
    }
    signal.column = reader.text("column").value_or("");
    if (const Node* can = reader.subtable("can")) signal.can = read_can(*can, reader.what());
    reader.done();
    auto& list = in ? file_.in : file_.out;
    if (list.size() >= exchange::kMaxSignals)
      report_.error(node.place, fmt::format("there may be {} signals in one direction at most",
                                            exchange::kMaxSignals));
    refuse_overlap(node, list, signal);
    list.push_back(std::move(signal));
  }

  void read_name(TableReader& reader, std::string& name) {
    name = reader.required_text("name");
    // Signals of an emulation have dots.
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '.', '_');
    if (!name.empty() && !is_name(plain))
      reader.error("name", fmt::format("'name' is \"{}\"; a name starts with a letter and has "
                                       "letters, digits, '.', '_' and '-' only, at most 64",
                                       name));
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      reader.error("name", fmt::format("two signals are called '{}'; rename one", name));
    names_.push_back(name);
  }

  bool read_direction(TableReader& reader) {
    const auto in = reader.choice<bool>("direction", {{"in", true}, {"out", false}});
    if (!in && !reader.has("direction")) reader.required_text("direction");
    return in.value_or(true);
  }

  void read_range(TableReader& reader, SignalRule& rule) {
    rule.least = reader.quantity("least", Dimension::kNone).value_or(rule.least);
    rule.most = reader.quantity("most", Dimension::kNone).value_or(rule.most);
    if (rule.least >= rule.most)
      reader.error("most", fmt::format("'most' is {}, 'least' is {}; the most is above the least",
                                       rule.most, rule.least));
  }

  void read_safe_state(TableReader& reader, SignalRule& rule) {
    rule.safe_state = reader
                          .choice<SafeState>("safe_state", {{"value", SafeState::kValue},
                                                            {"hold", SafeState::kHold}})
                          .value_or(rule.safe_state);
    rule.safe_value = reader.quantity("safe_value", Dimension::kNone)
                          .value_or(std::clamp(0.0, std::min(rule.least, rule.most),
                                               std::max(rule.least, rule.most)));
    if (rule.safe_value < rule.least || rule.safe_value > rule.most)
      reader.error("safe_value", fmt::format("'safe_value' is {}, outside the range from {} to {}",
                                             rule.safe_value, rule.least, rule.most));
  }

  void read_rule(TableReader& reader, SignalRule& rule) {
    rule.most_rate =
        reader.quantity("most_rate", Dimension::kNone, kPositive).value_or(rule.most_rate);
    rule.safe_rate =
        reader.quantity("safe_rate", Dimension::kNone, kPositive).value_or(rule.safe_rate);
    rule.stale_s = reader.quantity("stale", Dimension::kTime, kWithinHour).value_or(rule.stale_s);
    rule.handover =
        reader
            .choice<Handover>("handover", {{"blend", Handover::kBlend},
                                           {"hold_until_near", Handover::kHoldUntilNear}})
            .value_or(rule.handover);
    rule.blend_s =
        reader.quantity("blend", Dimension::kTime, Range{0.0, 3600.0}).value_or(rule.blend_s);
    rule.near = reader.quantity("near", Dimension::kNone, kPositive)
                    .value_or(0.02 * std::max(rule.most - rule.least, 1e-300));
    rule.source = reader
                      .choice<Source>("source", {{"simulated", Source::kSimulated},
                                                 {"log", Source::kLog},
                                                 {"network", Source::kNetwork}})
                      .value_or(Source::kNetwork);
  }

  PlantRule read_plant(const Node& node, const std::string& of) {
    TableReader reader(report_, node, fmt::format("the plant of {}", of));
    PlantRule plant;
    plant.follows = reader.text("follows").value_or("");
    if (!plant.follows.empty()) followed_.emplace_back(plant.follows, reader.place_of("follows"));
    plant.gain = reader.quantity("gain", Dimension::kNone).value_or(plant.gain);
    plant.offset = reader.quantity("offset", Dimension::kNone).value_or(plant.offset);
    plant.lag_s =
        reader.quantity("lag", Dimension::kTime, Range{0.0, 3600.0}).value_or(plant.lag_s);
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
    TableReader reader(report_, node, fmt::format("the CAN place of {}", of));
    CanPlace place;
    if (const auto id = reader.integer("id", 0, kMaxCanId))
      place.id = static_cast<std::uint32_t>(*id);
    else if (!reader.has("id"))
      reader.missing("id", {Dimension::kNone});
    place.start_byte = reader.integer("start_byte", 0, 7).value_or(0);
    place.wide = reader.choice<bool>("type", {{"int16", false}, {"int32", true}}).value_or(false);
    place.scale = reader.quantity("scale", Dimension::kNone).value_or(1.0);
    if (place.scale == 0.0) reader.error("scale", "'scale' is 0; the signal would have no value");
    place.offset = reader.quantity("offset", Dimension::kNone).value_or(0.0);
    if (place.start_byte + (place.wide ? 4 : 2) > 8)
      reader.error(
          "start_byte",
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
