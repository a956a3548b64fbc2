#include "app/session/operator_settings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using command::LeverFunction;
using command::LeverTarget;

// Not of the crane, and as fast as ever.
constexpr const char* kSteering = "steer";
constexpr const char* kFeedName = "head_feed";
constexpr std::size_t kLongestFunction = 60;  // of a name, bytes

struct SettingKind {
  std::string_view name;  // of one function: what follows it
  double low, high, usual;
  const char* words;  // with the value, or its percentage
  double shown_times;
};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr SettingKind kKinds[] = {
    {kEase, 0.5, 2.0, 1.0, msgid("tolerance {:g} %"), 100.0},
    {kCraneSpeed, 0.3, 1.0, 1.0, msgid("crane speed {:g} %"), 100.0},
    {kRamps, 0.3, 3.0, 1.0, msgid("ramps {:g} %"), 100.0},
    {kGhost, 0.0, 3.0, 0.0, msgid("with a ghost"), 1.0},
    {kCoach, 0.0, 1.0, 0.0, msgid("with hints"), 1.0},
    {kDeadZoneOf, 0.0, 0.4, kNone, msgid("dead zone {:g} %"), 100.0},
    {kCurveOf, 0.5, 4.0, kNone, msgid("curve {:g}"), 1.0},
    {kStartOf, 0.0, 5.0, kNone, msgid("start {:g} V"), 1.0},
    {kLargestOf, 0.2, 1.0, 1.0, msgid("largest command {:g} %"), 100.0},
};

const SettingKind* kind_of_setting(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view kind = dot == std::string_view::npos ? name : name.substr(dot);
  if (dot == 0 || (dot != std::string_view::npos && dot > kLongestFunction)) return nullptr;
  // A row of the database could have a name that is not read back from the text of all of them.
  if (std::ranges::any_of(name, [](char c) { return c <= ' ' || c > '~' || c == '='; }))
    return nullptr;
  const auto found =
      std::ranges::find_if(kKinds, [kind](const SettingKind& one) { return one.name == kind; });
  return found == std::end(kKinds) ? nullptr : &*found;
}

bool is_of_crane(const LeverFunction& function) {
  return (function.target == LeverTarget::kJoint && function.joint != kSteering) ||
         function.target == LeverTarget::kTipReach || function.target == LeverTarget::kTipHeight;
}

// used: receives the names of the settings that the function takes.
io::LeverChange change_of(const OperatorSettings& settings, const LeverFunction& function,
                          std::set<std::string>& used) {
  const auto asked = [&](const std::string& name) -> std::optional<double> {
    const auto found = settings.find(name);
    if (found == settings.end()) return std::nullopt;
    used.insert(name);
    return found->second;
  };
  io::LeverChange change;
  change.dead_zone = asked(setting_name(function, kDeadZoneOf));
  change.exponent = asked(setting_name(function, kCurveOf));
  if (takes_start(function)) change.start_V = asked(setting_name(function, kStartOf));
  change.gain_times = asked(setting_name(function, kLargestOf)).value_or(1.0);
  if (is_of_crane(function)) change.gain_times *= asked(kCraneSpeed).value_or(1.0);
  if (function.ramp.rise_per_s > 0.0 || function.ramp.fall_per_s > 0.0)
    change.ramps_times = asked(kRamps).value_or(1.0);
  return change;
}

std::vector<io::LeverChange> changes_of(const OperatorSettings& settings,
                                        const command::LeverPattern& pattern,
                                        std::set<std::string>& used) {
  std::vector<io::LeverChange> out;
  for (std::size_t i = 0; i < pattern.functions.size(); ++i) {
    io::LeverChange change = change_of(settings, pattern.functions[i], used);
    change.function = i;
    if (change.any()) out.push_back(change);
  }
  return out;
}

}  // namespace

std::string setting_name(const LeverFunction& function, std::string_view setting) {
  const auto name = [&function]() -> std::string {
    switch (function.target) {
      case LeverTarget::kTipReach:
        return "tip_reach";
      case LeverTarget::kTipHeight:
        return "tip_height";
      case LeverTarget::kGrapple:
        return "grapple";
      case LeverTarget::kDrive:
        return "drive";
      case LeverTarget::kBrake:
        return "brake";
      case LeverTarget::kTilt:
        return "head_tilt";
      case LeverTarget::kFeed:
        return kFeedName;
      case LeverTarget::kJoint:
        break;
    }
    return function.joint;
  };
  return name().append(setting);
}

bool takes_start(const LeverFunction& function) {
  return function.target == LeverTarget::kJoint || function.target == LeverTarget::kGrapple;
}

LeverFunction with(const OperatorSettings& settings, const LeverFunction& function) {
  std::set<std::string> unused;
  return io::with_change(function, change_of(settings, function, unused));
}

void check_setting(const std::string& name, double value) {
  const SettingKind* kind = kind_of_setting(name);
  if (kind == nullptr)
    throw UserError(fmt::format(
        "there is no setting '{}'; there are {}, {}, {}, {} and {}, and of a function, such as "
        "swing: swing{}, swing{}, swing{} and swing{}",
        printable(name), kEase, kCraneSpeed, kRamps, kGhost, kCoach, kDeadZoneOf, kCurveOf,
        kStartOf, kLargestOf));
  if (!(value >= kind->low && value <= kind->high))
    throw UserError(fmt::format("{}: {:g} is not between {:g} and {:g}", printable(name), value,
                                kind->low, kind->high));
}

std::string text_of(const OperatorSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

OperatorSettings settings_of(const std::string& text) {
  OperatorSettings out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    begin = end + 1;
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos)
      throw UserError(
          fmt::format("'{}': write NAME=VALUE, such as {}=0.7", printable(one), kCraneSpeed));
    const std::string name = one.substr(0, equals);
    const double value = parse_number(one.substr(equals + 1), name);
    check_setting(name, value);
    out[name] = value;
  }
  return out;
}

std::string in_words(const OperatorSettings& settings) {
  std::string text;
  std::string before;  // the function that was named last
  for (const auto& [name, value] : settings) {
    const SettingKind* kind = kind_of_setting(name);
    if (kind == nullptr) continue;
    std::string function = name.substr(0, name.size() - kind->name.size());
    if (!text.empty()) text += ", ";
    if (!function.empty() && function != before)
      text += (function == kFeedName ? tr("feed") : tr(spoken(function))) + ": ";
    before = std::move(function);
    const double shown = std::round(value * kind->shown_times * 100.0) / 100.0;
    text += language::formatted(kind->words, tr(kind->words), fmt::make_format_args(shown));
  }
  return text;
}

OperatorSettings apply_settings(const OperatorSettings& settings,
                                std::vector<io::SessionText>& texts) {
  std::set<std::string> used;
  for (io::SessionText& text : texts) {
    if (text.role == "exercise" && settings.contains(kEase) &&
        io::read_exercise_text(text.text, text.name).exercise.task != training::TaskKind::kFree) {
      text.text = io::with_tolerance(text.text, text.name, settings.at(kEase));
      used.insert(kEase);
    }
    if (text.role != "levers") continue;
    const std::vector<io::LeverChange> changes =
        changes_of(settings, io::read_levers_text(text.text, text.name).pattern, used);
    if (!changes.empty()) text.text = io::with_changes(text.text, text.name, changes);
  }
  OperatorSettings out;
  for (const auto& [name, value] : settings)
    if (used.contains(name) && value != kind_of_setting(name)->usual) out[name] = value;
  return out;
}

}  // namespace knuckleboom::app
