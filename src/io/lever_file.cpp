#include "knuckleboom/io/lever_file.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "document.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using command::LeverAxis;
using command::LeverTarget;

constexpr std::size_t kMaxFunctions = 64;

class LeverReader {
 public:
  LeverReader(const Node& root, Report& report) : root_(root), report_(report) {}

  command::LeverPattern read() {
    TableReader reader(report_, root_, "the lever file");
    command::LeverPattern pattern;
    pattern.name = reader.required_text("name");
    if (!pattern.name.empty() && !is_name(pattern.name))
      reader.error("name", fmt::format("'name' is \"{}\"; a name starts with a letter and has "
                                       "letters, digits, '_' and '-' only, at most 64",
                                       pattern.name));
    pattern.description = reader.text("description").value_or("");
    const Node* defaults = reader.subtable("default");
    if (defaults != nullptr) {
      TableReader shared(report_, *defaults, "'default'");
      command::LeverFunction unused;
      read_shape(shared, unused, false);
      shared.done();
    }
    const auto functions = reader.tables("function", kMaxFunctions);
    if (functions.empty() && !reader.has("function"))
      report_.error(root_.place, "the lever file has no functions; add at least one [[function]]");
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
      case LeverTarget::kJoint:
        break;
    }
    return function.joint;
  }

  command::LeverFunction read_function(const Node& node) {
    command::LeverFunction function;
    const Node* joint = node.find("joint");
    TableReader reader(report_, node,
                       joint != nullptr && joint->is_string()
                           ? fmt::format("the function of '{}'", joint->text)
                           : "the function");
    const auto axis = reader.choice<LeverAxis>("axis", {{"left_x", LeverAxis::kLeftX},
                                                        {"left_y", LeverAxis::kLeftY},
                                                        {"left_twist", LeverAxis::kLeftTwist},
                                                        {"right_x", LeverAxis::kRightX},
                                                        {"right_y", LeverAxis::kRightY},
                                                        {"right_twist", LeverAxis::kRightTwist},
                                                        {"left_pedal", LeverAxis::kLeftPedal},
                                                        {"right_pedal", LeverAxis::kRightPedal},
                                                        {"left_rocker", LeverAxis::kLeftRocker},
                                                        {"right_rocker", LeverAxis::kRightRocker}});
    if (!reader.has("axis")) reader.missing("axis", {Dimension::kNone});
    axis_given_ = axis.has_value();
    function.axis = axis.value_or(function.axis);
    read_target(reader, node, function);
    read_output(reader, function);
    if (const auto invert = reader.flag("invert")) function.shape.sign = *invert ? -1.0 : 1.0;
    read_shape(reader, function, true);
    reader.done();
    return function;
  }

  void read_target(TableReader& reader, const Node& node, command::LeverFunction& function) {
    const auto tip = reader.choice<LeverTarget>(
        "tip", {{"reach", LeverTarget::kTipReach}, {"height", LeverTarget::kTipHeight}});
    reader.choice<LeverTarget>("grapple", {{"close", LeverTarget::kGrapple}});
    const auto name = reader.text("joint");
    const int given = (reader.has("joint") ? 1 : 0) + (reader.has("tip") ? 1 : 0) +
                      (reader.has("grapple") ? 1 : 0);
    if (given != 1)
      report_.error(node.place,
                    "a function moves either a joint, the tip or the grapple; give it 'joint' = a "
                    "joint's name, 'tip' = \"reach\" or \"height\", or 'grapple' = \"close\"");
    else if (name && !is_name(*name))
      reader.error("joint", fmt::format("'joint' is \"{}\", which is not a name", *name));
    function.target = reader.has("tip")       ? tip.value_or(LeverTarget::kTipReach)
                      : reader.has("grapple") ? LeverTarget::kGrapple
                                              : LeverTarget::kJoint;
    function.joint = name.value_or("");
  }

  void read_output(TableReader& reader, command::LeverFunction& function) {
    const bool grapple = function.target == LeverTarget::kGrapple;
    const Dimension output = function.target == LeverTarget::kJoint ? Dimension::kVoltage
                             : grapple                              ? Dimension::kNone
                                                                    : Dimension::kSpeed;
    const auto full = reader.quantity("full", output, Range{0.0, grapple ? 1.0 : 1e3, true});
    if (!reader.has("full")) reader.missing("full", {output});
    function.full = full.value_or(function.full);
    if (function.target != LeverTarget::kJoint) return;
    Dimension which = Dimension::kAngularSpeed;
    const auto rate = reader.quantity("full_rate", {Dimension::kAngularSpeed, Dimension::kSpeed},
                                      Range{0.0, 1e3, true}, which);
    function.full_rate = rate.value_or(0.0);
    function.full_rate_is_angular = which == Dimension::kAngularSpeed;
  }

  // What [default] may hold as well.
  void read_shape(TableReader& reader, command::LeverFunction& function, bool complete) {
    command::AxisShape& shape = function.shape;
    shape.dead_zone =
        reader.quantity("dead_zone", Dimension::kNone, Range{0.0, 0.9}).value_or(shape.dead_zone);
    const auto exponent = reader.quantity("exponent", Dimension::kNone, Range{0.1, 10.0});
    shape.exponent = exponent.value_or(shape.exponent);
    if (auto curve = reader.curve("curve", Range{0.0, 1.0}, Range{0.0, 1.0}))
      check_curve(reader, shape.curve = std::move(*curve));
    if (complete && reader.has("exponent") && reader.has("curve"))
      reader.error("curve", fmt::format("{} has an 'exponent' and a 'curve'; keep one of them",
                                        reader.what()));
    shape.gain =
        reader.quantity("gain", Dimension::kNone, Range{0.0, 1.0, true}).value_or(shape.gain);
    function.ramp.rise_per_s =
        reader.quantity("rise", Dimension::kRate, kPositive).value_or(function.ramp.rise_per_s);
    function.ramp.fall_per_s =
        reader.quantity("fall", Dimension::kRate, kPositive).value_or(function.ramp.fall_per_s);
  }

  void check_curve(TableReader& reader, const Table& curve) {
    if (curve.x.front() != 0.0 || curve.y.front() != 0.0 || curve.x.back() != 1.0)
      reader.error("curve",
                   "'curve' must start at [0, 0] and end at x = 1, or the lever would jump");
    for (std::size_t i = 1; i < curve.y.size(); ++i) {
      if (curve.y[i] >= curve.y[i - 1]) continue;
      reader.error("curve", fmt::format("'curve' falls at x = {}; more lever must never give less",
                                        curve.x[i]));
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
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  LeverFile file;
  file.pattern = LeverReader(root, report).read();
  file.hash = hash.result();
  return file;
}

LeverFile read_levers(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_levers_text(read_text_file(path, kConfigurationLimit, "lever file"), path.string(),
                          overrides);
}

}  // namespace knuckleboom::io
