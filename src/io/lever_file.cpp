#include "knuckleboom/io/lever_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "declare/lever_keys.hpp"
#include "document.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using command::LeverAxis;
using command::LeverTarget;

namespace keys = declare::keys;
namespace lever_keys = keys::lever_file;

class LeverReader {
 public:
  LeverReader(const Node& root, Report& report) : root_(root), report_(report) {}

  command::LeverPattern read() {
    TableReader reader(report_, root_, lever_keys::table, "the lever file");
    command::LeverPattern pattern;
    reader.fill(pattern);
    const Node* defaults = reader.subtable(lever_keys::shared);
    if (defaults != nullptr) {
      TableReader shared(report_, *defaults, keys::lever_shape::table, "'default'");
      command::LeverFunction unused;
      read_shape(shared, unused);
      shared.done();
    }
    const auto functions = reader.tables(lever_keys::functions);
    std::set<std::string> targets;
    std::set<LeverAxis> axes;
    for (const Node* node : functions) {
      Node merged;
      if (defaults != nullptr) merged = *defaults;
      merge(merged, *node);
      merged.place = node->place;
      command::LeverFunction function = read_function(merged);
      const std::string target = target_name(function);
      if (!target.empty() && !targets.insert(target).second)
        report_.error(node->place,
                      fmt::format("two functions move '{}'; remove one of them", target));
      if (axis_given_ && !axes.insert(function.axis).second)
        report_.error(node->place, "two functions are on the same lever axis; move one of them");
      pattern.functions.push_back(std::move(function));
    }
    for (const Node* node : reader.tables(lever_keys::modes)) read_mode(*node, axes, pattern);
    for (const Node* node : reader.tables(lever_keys::buttons)) read_button(*node, pattern);
    reader.done();
    report_.throw_if_any();
    return pattern;
  }

 private:
  static std::string target_name(const command::LeverFunction& function) {
    switch (function.target) {
      case LeverTarget::kTipReach:
        return "tip reach";
      case LeverTarget::kTipHeight:
        return "tip height";
      case LeverTarget::kGrapple:
        return "grapple";
      case LeverTarget::kDrive:
        return "drive";
      case LeverTarget::kBrake:
        return "brake";
      case LeverTarget::kTilt:
        return "tilt";
      case LeverTarget::kFeed:
        return "feed";
      case LeverTarget::kJoint:
        break;
    }
    return function.joint;
  }

  command::LeverFunction read_function(const Node& node) {
    command::LeverFunction function;
    namespace k = keys::lever_function;
    const Node* joint = node.find(k::joint.name);
    TableReader reader(report_, node, k::table,
                       joint != nullptr && joint->is_string()
                           ? fmt::format("the function of '{}'", joint->text)
                           : "the function");
    const std::size_t before = report_.count();
    reader.fill(function);
    axis_given_ = reader.has(k::axis) && report_.count() == before;
    read_target(reader, node, function);
    read_output(reader, function);
    if (reader.flag(k::invert).value_or(false)) function.shape.sign = -1.0;
    read_shape(reader, function);
    if (reader.has(keys::lever_shape::exponent) && reader.has(keys::lever_shape::curve))
      reader.error(
          keys::lever_shape::curve,
          fmt::format("{} has an 'exponent' and a 'curve'; keep one of them", reader.what()));
    reader.done();
    return function;
  }

  void read_target(TableReader& reader, const Node& node, command::LeverFunction& function) {
    namespace k = keys::lever_function;
    const int given = (reader.has(k::joint) ? 1 : 0) + (reader.has(k::tip) ? 1 : 0) +
                      (reader.has(k::grapple) ? 1 : 0) + (reader.has(k::wheels) ? 1 : 0) +
                      (reader.has(k::head) ? 1 : 0);
    if (given != 1)
      report_.error(
          node.place,
          "a function moves either a joint, the tip, the grapple, the wheels or the head; give it "
          "'joint' = a joint's name, 'tip' = \"reach\" or \"height\", 'grapple' = "
          "\"close\", 'wheels' = \"drive\" or \"brake\", or 'head' = \"tilt\" or \"feed\"");
    // A word that is not known is told; its units are those of the tip all the same.
    if (reader.has(k::tip) && function.target == LeverTarget::kJoint)
      function.target = LeverTarget::kTipReach;
  }

  void read_output(TableReader& reader, command::LeverFunction& function) {
    namespace k = keys::lever_function;
    const bool joint = function.target == LeverTarget::kJoint;
    Key full = k::full;
    if (!joint) full.dimension = Dimension::kSpeed;
    if (function.target == LeverTarget::kGrapple || function.target == LeverTarget::kDrive ||
        function.target == LeverTarget::kBrake || function.target == LeverTarget::kTilt ||
        function.target == LeverTarget::kFeed) {
      full.dimension = Dimension::kNone;
      full.range.high = 1.0;
    }
    function.full = reader.quantity(full).value_or(function.full);
    if (!joint) {
      const bool grapple = function.target == LeverTarget::kGrapple;
      for (const Key* key : {&k::full_negative, &k::start})
        if (reader.has(*key) && !(grapple && key == &k::start))
          reader.error(*key, fmt::format("{} has a '{}', which is of joints{} only; remove it",
                                         reader.what(), key->name,
                                         key == &k::start ? " and the grapple" : ""));
      return;
    }
    if (function.start_V)
      for (const std::size_t way : {0, 1})
        if (const double most = way == 1 && function.full_negative_V > 0.0
                                    ? function.full_negative_V
                                    : function.full;
            (*function.start_V)[way] >= most)
          reader.error(k::start, fmt::format("{} starts at {} V, not below its {} V at full lever; "
                                             "lower 'start'",
                                             reader.what(), (*function.start_V)[way], most));
    Dimension which = Dimension::kAngularSpeed;
    function.full_rate = reader.either(k::full_rate, which).value_or(0.0);
    function.full_rate_is_angular = which == Dimension::kAngularSpeed;
  }

  void read_mode(const Node& node, const std::set<LeverAxis>& axes,
                 command::LeverPattern& pattern) {
    namespace k = keys::lever_mode;
    TableReader reader(report_, node, k::table, "the mode");
    command::LeverMode mode;
    mode.name = reader.text(k::name).value_or("");
    if (mode_number(mode.name, pattern) >= 0)
      reader.error(
          k::name,
          fmt::format("there is a mode '{}' already; call this one something else", mode.name));
    for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
      const auto own = static_cast<LeverAxis>(i);
      const auto other = reader.word<LeverAxis>(k::all[1 + i]);
      mode.acts_as[i] = other.value_or(own);
      if (other && !axes.contains(*other))
        reader.error(k::all[1 + i],
                     fmt::format("no function is on '{}', so '{}' would do nothing in mode '{}'; "
                                 "name an axis with a function",
                                 command::name_of(*other), command::kLeverAxisNames[i], mode.name));
    }
    reader.done();
    pattern.modes.push_back(std::move(mode));
  }

  // -1: there is none of this name.
  static int mode_number(const std::string& name, const command::LeverPattern& pattern) {
    if (name == command::kPlainMode) return 0;
    for (std::size_t i = 0; i < pattern.modes.size(); ++i)
      if (pattern.modes[i].name == name) return static_cast<int>(i) + 1;
    return -1;
  }

  void read_button(const Node& node, command::LeverPattern& pattern) {
    namespace k = keys::lever_button;
    TableReader reader(report_, node, k::table, "the button");
    command::ButtonUse use;
    const std::size_t before = report_.count();
    reader.fill(use);
    if (reader.has(k::mode)) {
      use.mode = mode_number(use.in_mode, pattern);
      std::vector<std::string> names = {command::kPlainMode};
      for (const command::LeverMode& mode : pattern.modes) names.push_back(mode.name);
      if (use.mode < 0)
        reader.error(k::mode, fmt::format("there is no mode '{}'{}", use.in_mode,
                                          alternatives(use.in_mode, names)));
    }
    if (use.does == command::Switch::kLeverMode && pattern.modes.empty())
      reader.error(k::does, "there is no [[mode]] to change to; add one, or remove this button");
    const std::string button(command::name_of(use.button));
    for (const command::ButtonUse& other : pattern.buttons)
      if (report_.count() == before && other.button == use.button &&
          (other.mode < 0 || use.mode < 0 || other.mode == use.mode)) {
        reader.error(k::button,
                     fmt::format("button '{}' has two meanings in {}; give one of them another "
                                 "button",
                                 button,
                                 use.mode < 0 && other.mode < 0
                                     ? "every mode"
                                     : fmt::format("mode '{}'",
                                                   use.mode < 0 ? other.in_mode : use.in_mode)));
      }
    reader.done();
    pattern.buttons.push_back(std::move(use));
  }

  // The keys that [default] may hold as well.
  void read_shape(TableReader& reader, command::LeverFunction& function) {
    reader.fill(function.shape);
    reader.fill(function.ramp);
    if (!function.shape.curve.x.empty()) check_curve(reader, function.shape.curve);
  }

  void check_curve(TableReader& reader, const Table& curve) {
    if (curve.x.front() != 0.0 || curve.y.front() != 0.0 || curve.x.back() != 1.0)
      reader.error(keys::lever_shape::curve,
                   "'curve' must start at [0, 0] and end at x = 1, or the lever would jump");
    for (std::size_t i = 1; i < curve.y.size(); ++i) {
      if (curve.y[i] >= curve.y[i - 1]) continue;
      reader.error(
          keys::lever_shape::curve,
          fmt::format("'curve' falls at x = {}; more lever must never give less", curve.x[i]));
      break;
    }
  }

  const Node& root_;
  Report& report_;
  bool axis_given_ = false;
};

}  // namespace

LeverFile read_levers_text(std::string_view text, const std::string& file_name,
                           std::span<const Override> overrides, std::vector<Diagnostic>* unknown) {
  Report report;
  report.leave_out_unknown(unknown);
  Hasher hash;
  DocumentOptions options;
  options.what = "lever file";
  options.keys = &lever_keys::table;
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  LeverFile file;
  file.pattern = LeverReader(root, report).read();
  file.hash = hash.result();
  file.remarks = report.remarks();
  return file;
}

LeverFile read_levers(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_levers_text(read_text_file(path, kConfigurationLimit, "lever file"), path.string(),
                          overrides);
}

namespace {

bool is_of(const LeverStart& start, const command::LeverFunction& function) {
  return start.joint.empty()
             ? function.target == LeverTarget::kGrapple
             : function.target == LeverTarget::kJoint && function.joint == start.joint;
}

}  // namespace

std::string with_starts(std::string_view text, const std::string& file_name,
                        std::span<const LeverStart> starts) {
  const command::LeverPattern before = read_levers_text(text, file_name).pattern;
  std::string out;
  std::size_t function = 0;
  const LeverStart* here = nullptr;
  for_each_line(text, [&](std::string_view line, int) {
    const std::string_view words = trimmed(line);
    if (line.find("[[") != std::string_view::npos &&
        line.find("function") != std::string_view::npos) {
      here = nullptr;
      if (function < before.functions.size())
        for (const LeverStart& start : starts)
          if (is_of(start, before.functions[function])) here = &start;
      ++function;
    }
    if (here != nullptr && sets_key(words, "start_V")) return true;
    out.append(line).append("\n");
    if (here != nullptr && sets_key(words, here->joint.empty() ? "full" : "full_V"))
      out += fmt::format("start_V = [{:.2f}, {:.2f}]\n", here->start_V[0], here->start_V[1]);
    return true;
  });
  // Believed only when it reads back.
  const command::LeverPattern after = read_levers_text(out, file_name).pattern;
  for (const LeverStart& start : starts) {
    const auto found = std::ranges::find_if(
        after.functions, [&](const command::LeverFunction& f) { return is_of(start, f); });
    if (found == after.functions.end() || !found->start_V ||
        std::fabs((*found->start_V)[0] - start.start_V[0]) > 0.006 ||
        std::fabs((*found->start_V)[1] - start.start_V[1]) > 0.006)
      throw FileError(file_name,
                      fmt::format("the start commands of '{}' have no place in this file; give its "
                                  "function a table [[function]] with a line '{} = ...'",
                                  start.joint.empty() ? "grapple" : start.joint,
                                  start.joint.empty() ? "full" : "full_V"));
  }
  return out;
}

namespace {

// "full" of "full_m_per_s = 2".
bool sets_any_of(std::string_view line, std::span<const std::string_view> names) {
  const std::string_view key = line.substr(0, line.find_first_of(" \t="));
  return std::ranges::any_of(names, [key](std::string_view name) {
    return key.starts_with(name) && (key.size() == name.size() || key[name.size()] == '_');
  });
}

// Its lines, and the names of the keys that they take the place of.
std::string lines_of(const command::LeverFunction& wanted, const LeverChange& change,
                     std::vector<std::string_view>& replaced) {
  namespace k = keys::lever_shape;
  std::string out;
  const auto add = [&](std::string_view name, const std::string& ending, double value) {
    out += fmt::format("{}{} = {}\n", name, ending, value);
    replaced.push_back(name);
  };
  if (change.dead_zone) add(k::dead_zone.name, "", wanted.shape.dead_zone);
  if (change.exponent) {
    add(k::exponent.name, "", wanted.shape.exponent);
    replaced.push_back(k::curve.name);
  }
  if (change.gain_times != 1.0) add(k::gain.name, "", wanted.shape.gain);
  if (change.ramps_times != 1.0 && wanted.ramp.rise_per_s > 0.0)
    add(k::rise.name, "_per_s", wanted.ramp.rise_per_s);
  if (change.ramps_times != 1.0 && wanted.ramp.fall_per_s > 0.0)
    add(k::fall.name, "_per_s", wanted.ramp.fall_per_s);
  if (change.start_V) {
    out += fmt::format("{}_V = [{}, {}]\n", keys::lever_function::start.name, *change.start_V,
                       *change.start_V);
    replaced.push_back(keys::lever_function::start.name);
  }
  return out;
}

bool same(const command::LeverFunction& a, const command::LeverFunction& b) {
  return a.axis == b.axis && a.target == b.target && a.joint == b.joint &&
         a.shape.dead_zone == b.shape.dead_zone && a.shape.exponent == b.shape.exponent &&
         a.shape.curve.x == b.shape.curve.x && a.shape.curve.y == b.shape.curve.y &&
         a.shape.gain == b.shape.gain && a.shape.sign == b.shape.sign &&
         a.ramp.rise_per_s == b.ramp.rise_per_s && a.ramp.fall_per_s == b.ramp.fall_per_s &&
         a.full == b.full && a.full_negative_V == b.full_negative_V && a.start_V == b.start_V &&
         a.full_rate == b.full_rate;
}

}  // namespace

command::LeverFunction with_change(command::LeverFunction function, const LeverChange& change) {
  if (change.dead_zone) function.shape.dead_zone = *change.dead_zone;
  if (change.exponent) {
    function.shape.exponent = *change.exponent;
    function.shape.curve = {};
  }
  if (change.start_V) function.start_V = {*change.start_V, *change.start_V};
  function.shape.gain *= change.gain_times;
  function.ramp.rise_per_s *= change.ramps_times;
  function.ramp.fall_per_s *= change.ramps_times;
  return function;
}

std::string with_changes(std::string_view text, const std::string& file_name,
                         std::span<const LeverChange> changes) {
  command::LeverPattern wanted = read_levers_text(text, file_name).pattern;
  for (const LeverChange& change : changes) {
    command::LeverFunction& function = wanted.functions.at(change.function);
    function = with_change(std::move(function), change);
  }
  std::string out;
  std::size_t next = 0;
  std::vector<std::string_view> replaced;
  for_each_line(text, [&](std::string_view line, int) {
    const std::string_view words = trimmed(line);
    if (sets_any_of(words, replaced)) return true;
    out.append(line).append("\n");
    if (!words.starts_with('[')) return true;
    replaced.clear();
    if (!words.starts_with("[[") || words.find(lever_keys::functions.name) == words.npos)
      return true;
    for (const LeverChange& change : changes)
      if (change.function == next && next < wanted.functions.size())
        out += lines_of(wanted.functions[next], change, replaced);
    ++next;
    return true;
  });
  // Believed only when it reads back.
  const command::LeverPattern after = read_levers_text(out, file_name).pattern;
  if (!std::ranges::equal(after.functions, wanted.functions, same))
    throw FileError(
        file_name,
        "the settings of its functions have no place in this file; give each function a "
        "table [[function]] with a line for each key");
  return out;
}

}  // namespace knuckleboom::io
