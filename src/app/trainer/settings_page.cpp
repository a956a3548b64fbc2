#include "app/trainer/settings_page.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/lever_texts.hpp"
#include "app/trainer/menus.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using view::panels::Menu;
using view::panels::MenuChoice;
using view::panels::MenuRow;

constexpr float kSettingLabel = 190.0F;  // points
constexpr int kCurvePoints = 40;

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

// "" as a choice's value: as in the file.
MenuRow setting_row(int id, const char* label, const OperatorSettings& settings,
                    const std::string& name, std::vector<MenuChoice> choices,
                    std::string (*shown)(double), const char* detail) {
  MenuRow row;
  row.id = id;
  row.label = tr(label);
  const auto found = settings.find(name);
  const std::string now =
      found == settings.end() ? std::string() : fmt::format("{}", found->second);
  // A value from elsewhere stays.
  if (std::ranges::none_of(choices, [&](const MenuChoice& one) { return one.value == now; }))
    choices.push_back({shown(found->second), {}, now});
  for (MenuChoice& choice : choices) {
    if (choice.detail.empty()) choice.detail = tr(detail);
    if (choice.value == now) row.chosen = static_cast<int>(row.choices.size());
    row.choices.push_back(std::move(choice));
  }
  return row;
}

std::vector<MenuChoice> choices_of(std::string as_in_file, std::initializer_list<double> values,
                                   std::string (*shown)(double)) {
  std::vector<MenuChoice> out = {{std::move(as_in_file), {}, {}}};
  for (const double value : values) out.push_back({shown(value), {}, fmt::format("{}", value)});
  return out;
}

std::string curve_text(double exponent) {
  return exponent == 1.0 ? tr("straight") : tr_format("exponent {:g}", exponent);
}

std::string volts(double value) { return fmt::format("{:g} V", value); }

void take(const Menu& menu, int id, const std::string& name, OperatorSettings& settings) {
  const MenuRow* row = menu.find(id);
  if (row == nullptr) return;
  const std::string& value = row->choices.at(static_cast<std::size_t>(row->chosen)).value;
  if (value.empty())
    settings.erase(name);
  else
    settings[name] = std::stod(value);
}

}  // namespace

void SettingsPage::open(OperatorSettings settings, const std::string& learner, bool driving) {
  settings_ = std::move(settings);
  menu_ = {};
  menu_.title = tr("Settings");
  menu_.label_width = kSettingLabel;
  menu_.subtitle = learner.empty()
                       ? tr("Nobody is chosen: they hold until somebody is, or the program ends.")
                       : tr_format("Of {}: they are kept.", learner);
  if (driving)
    menu_.subtitle +=
        std::string(" ") + tr("What is changed now holds from the next start of an exercise.");
  list();
}

void SettingsPage::list() {
  constexpr const char* kHard = msgid(
      "How near is near enough, and how much the limits of an exercise allow. An easier exercise "
      "counts for no lesson; attempts of other difficulty are never compared.");
  constexpr const char* kSpeed =
      msgid("How far the levers can open the valves of the crane. Slower is easier to begin with.");
  constexpr const char* kSoft = msgid(
      "How fast a command may follow its lever: soft ramps swing the load less and answer later.");
  constexpr const char* kSeeThrough = msgid(
      "A crane that you see through does the exercise beside yours, and you are told how far "
      "behind "
      "or before it you are. The computer's, or a passed attempt under the same conditions. It "
      "counts "
      "as an aid.");
  constexpr const char* kHints = msgid(
      "Hints while you drive tell at most twice what costs you most time. They count as an aid, "
      "and "
      "there are none in exams.");
  const int selected = menu_.selected;
  menu_.rows.clear();
  menu_.rows.push_back(setting_row(
      kSettingsEase, msgid("Difficulty"), settings_, kEase,
      {{tr("as the exercise says"), {}, {}}, {tr("easier"), {}, "1.5"}, {tr("harder"), {}, "0.75"}},
      percent, kHard));
  menu_.rows.push_back(setting_row(kSettingsSpeed, msgid("Crane speed"), settings_, kCraneSpeed,
                                   choices_of("100 %", {0.9, 0.8, 0.7, 0.6, 0.5, 0.4}, percent),
                                   percent, kSpeed));
  menu_.rows.push_back(setting_row(
      kSettingsRamps, msgid("Ramps of the valves"), settings_, kRamps,
      {{tr("as in the lever file"), {}, {}}, {tr("soft"), {}, "0.6"}, {tr("quick"), {}, "1.6"}},
      percent, kSoft));
  menu_.rows.push_back(setting_row(kSettingsGhost, msgid("Ghost"), settings_, kGhost,
                                   {{tr("off"), {}, {}},
                                    {tr("the demonstration"), {}, "1"},
                                    {tr("my best attempt"), {}, "2"},
                                    {tr("the best one filed here"), {}, "3"}},
                                   percent, kSeeThrough));
  menu_.rows.push_back(setting_row(
      kSettingsCoach, msgid("Coach"), settings_, kCoach,
      {{tr("after the attempt"), {}, {}}, {tr("also while you drive"), {}, "1"}}, percent, kHints));
  menu_.rows.push_back(
      action_row(kSettingsLevers, tr("Levers one by one"),
                 tr("Dead zone, curve, start and largest command of each, while you "
                    "see what it does."),
                 true));
  menu_.rows.push_back(
      action_row(kSettingsPlain, tr("All as in the files"), tr("Forgets all of these settings.")));
  menu_.rows.push_back(action_row(kMenuBack, tr("Back"), "", true));
  menu_.selected = selected;
}

void SettingsPage::open_levers(command::LeverPattern pattern) {
  pattern_ = std::move(pattern);
  function_ = 0;
  levers_ = {};
  levers_.title = tr("Levers one by one");
  levers_.label_width = kSettingLabel;
  levers_.subtitle = tr_format(
      "Layout {}. Move the lever and see its command below. Here only keys and buttons move the "
      "menu.",
      pattern_.name);
  list_levers();
}

const command::LeverFunction& SettingsPage::function() const {
  return pattern_.functions.at(function_);
}

void SettingsPage::list_levers() {
  constexpr const char* kDead = msgid(
      "How far the lever moves from its centre before anything happens. Wide against a hand that "
      "trembles, narrow for short ways.");
  constexpr const char* kCurve = msgid(
      "Straight answers alike everywhere; a high exponent is fine near the centre and steep at the "
      "end.");
  constexpr const char* kStart = msgid(
      "The command with which the valve begins where the dead zone ends. Too low and the lever "
      "feels dead, too high and the crane starts with a jerk.");
  constexpr const char* kLargest = msgid("The command at the end of the lever's travel.");
  const int selected = levers_.selected;
  levers_.rows.clear();
  MenuRow which;
  which.id = kSettingsFunction;
  which.label = tr("Function");
  for (const command::LeverFunction& one : pattern_.functions)
    which.choices.push_back({function_name(one), tr("Left and right: another one."), {}});
  which.chosen = static_cast<int>(function_);
  levers_.rows.push_back(std::move(which));
  const command::LeverFunction& f = function();
  levers_.rows.push_back(
      setting_row(kSettingsDeadZone, msgid("Dead zone"), settings_, setting_name(f, kDeadZoneOf),
                  choices_of(tr_format("{}, as in the file", percent(f.shape.dead_zone)),
                             {0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3}, percent),
                  percent, kDead));
  levers_.rows.back().gap_above = true;
  levers_.rows.push_back(
      setting_row(kSettingsCurve, msgid("Curve"), settings_, setting_name(f, kCurveOf),
                  choices_of(f.shape.curve.x.empty()
                                 ? tr_format("{}, as in the file", curve_text(f.shape.exponent))
                                 : std::string(tr("as in the file")),
                             {1.0, 1.3, 1.6, 2.0, 2.5, 3.0}, curve_text),
                  curve_text, kCurve));
  if (takes_start(f))
    levers_.rows.push_back(
        setting_row(kSettingsStart, msgid("Start command"), settings_, setting_name(f, kStartOf),
                    choices_of(f.start_V ? tr("as in the file") : tr("as the machine has it"),
                               {0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0}, volts),
                    volts, kStart));
  levers_.rows.push_back(setting_row(
      kSettingsLargest, msgid("Largest command"), settings_, setting_name(f, kLargestOf),
      choices_of("100 %", {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3}, percent), percent, kLargest));
  levers_.rows.push_back(action_row(kSettingsPlain, tr("This one as in the file"),
                                    tr("Forgets the settings of this lever."), true));
  levers_.rows.push_back(action_row(kMenuBack, tr("Back")));
  levers_.selected = std::min(selected, static_cast<int>(levers_.rows.size()) - 1);
}

void SettingsPage::change(int id) {
  if (id == kSettingsFunction) {
    function_ = static_cast<std::size_t>(levers_.find(kSettingsFunction)->chosen);
    return list_levers();
  }
  const std::pair<int, const char*> of_all[] = {{kSettingsEase, kEase},
                                                {kSettingsSpeed, kCraneSpeed},
                                                {kSettingsRamps, kRamps},
                                                {kSettingsGhost, kGhost},
                                                {kSettingsCoach, kCoach}};
  for (const auto& [row, name] : of_all)
    if (row == id) take(menu_, id, name, settings_);
  const std::pair<int, const char*> of_lever[] = {{kSettingsDeadZone, kDeadZoneOf},
                                                  {kSettingsCurve, kCurveOf},
                                                  {kSettingsStart, kStartOf},
                                                  {kSettingsLargest, kLargestOf}};
  for (const auto& [row, name] : of_lever)
    if (row == id) take(levers_, id, setting_name(function(), name), settings_);
}

void SettingsPage::forget(bool of_lever) {
  if (!of_lever) {
    settings_.clear();
    return list();
  }
  for (const char* one : {kDeadZoneOf, kCurveOf, kStartOf, kLargestOf})
    settings_.erase(setting_name(function(), one));
  list_levers();
}

view::panels::LeverBar SettingsPage::bar(const command::OperatorInput& input) const {
  const command::LeverFunction wanted = with(settings_, function());
  const double lever = input.axis[static_cast<std::size_t>(wanted.axis)];
  // As the lever goes, whichever way the function does.
  const double command = command::shape(lever, wanted.shape) * wanted.shape.sign;
  view::panels::LeverBar out;
  out.name = function_name(wanted);
  out.lever_label = tr_format("lever {}", percent(std::fabs(lever)));
  out.command_label = tr_format("command {}", percent(std::fabs(command)));
  out.lever = static_cast<float>(lever);
  out.command = static_cast<float>(command);
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double x = static_cast<double>(i) / kCurvePoints;
    out.curve.emplace_back(static_cast<float>(x),
                           static_cast<float>(command::shape(x, wanted.shape) * wanted.shape.sign));
  }
  return out;
}

}  // namespace knuckleboom::app
