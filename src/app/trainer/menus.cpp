#include "app/trainer/menus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "app/session/load_session.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using view::panels::Menu;
using view::panels::MenuChoice;
using view::panels::MenuRow;

// Names of a menu row's choices, in order; "" first if the exercise may decide.
std::vector<std::string> optional_names(std::vector<std::string> names) {
  names.insert(names.begin(), "");
  return names;
}
std::vector<std::string> control_names() {
  return {"", word_of(command::ControlMode::kValve), word_of(command::ControlMode::kJointRate),
          word_of(command::ControlMode::kBoomTip)};
}
std::vector<std::string> fidelity_names() {
  return {"", word_of(machine::Fidelity::kReduced), word_of(machine::Fidelity::kFull),
          word_of(machine::Fidelity::kPaper)};
}
std::vector<std::string> quality_names() {
  return {word_of(view::Quality::kAuto), word_of(view::Quality::kLow),
          word_of(view::Quality::kMedium), word_of(view::Quality::kHigh),
          word_of(view::Quality::kBest)};
}
std::vector<std::string> instrument_names() {
  using view::panels::InstrumentLevel;
  return {word_of(InstrumentLevel::kFull), word_of(InstrumentLevel::kCompact),
          word_of(InstrumentLevel::kOff)};
}
constexpr const char* kLearnerDetail =
    msgid("Attempts are filed under who drives, and the course remembers what is done.");
constexpr const char* kCourseDetail =
    msgid("Lessons in their order, from the first lever to a strip road, and what is next.");
constexpr const char* kSettingsDetail = msgid(
    "How hard the exercises are, how fast the crane is, and how each lever answers, for each "
    "learner.");
constexpr std::array<double, 5> kVolumes = {0.0, 0.25, 0.5, 0.75, 1.0};

int index_of(const std::vector<std::string>& names, const std::string& name, int otherwise = 0) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? otherwise : static_cast<int>(found - names.begin());
}

// A faulty file stays in the menu with its error message.
std::string told(const std::function<std::string()>& tell) {
  try {
    return tell();
  } catch (const std::exception& error) {
    return error.what();
  }
}

MenuChoice exercise_choice(const std::string& name) {
  MenuChoice choice{name, {}};
  choice.detail = told([&] {
    const training::Exercise exercise = io::read_exercise(find_exercise(name)).exercise;
    if (!exercise.title.empty()) choice.name = tr(exercise.title);
    const view::panels::Briefing briefing = briefing_of(exercise);
    std::string text;
    for (const std::string& paragraph : briefing.paragraphs) text += paragraph + "\n\n";
    if (!briefing.limits.empty()) text += tr("To pass") + std::string("\n");
    for (const std::string& limit : briefing.limits) text += "  " + limit + "\n";
    return text;
  });
  return choice;
}

MenuChoice machine_choice(const std::string& name) {
  if (name.empty())
    return {tr("as the exercise says"), tr("The machine that the exercise is made for.")};
  return {name, told([&name] {
            const io::MachineFile file = io::read_machine(find_machine(name));
            std::string text = tr(file.model.description);
            if (!file.purpose.empty()) text += "\n\n" + tr_format("It is {}", tr(file.purpose));
            return text;
          })};
}

MenuChoice layout_choice(const std::string& name) {
  if (name.empty())
    return {tr("as the exercise says"), tr("The lever layout that the exercise names.")};
  return {name,
          told([&name] { return tr(io::read_levers(find_levers(name)).pattern.description); })};
}

MenuChoice control_choice(const std::string& name) {
  if (name.empty()) return {tr("as the exercise says"), tr("How the levers move the machine.")};
  switch (control_of(name, "control")) {
    case command::ControlMode::kValve:
      return {tr("valve"),
              tr("A lever opens its valve, as on a plain machine: how fast it goes depends on "
                 "the load and on what else moves.")};
    case command::ControlMode::kJointRate:
      return {tr("joint rate"),
              tr("A lever sets the speed of its joint, and controllers hold it whatever "
                 "the load.")};
    case command::ControlMode::kBoomTip:
      return {tr("boom tip"), tr("The levers move the tip: sideways, out and in, up and down. The "
                                 "computer moves the joints.")};
  }
  return {name, {}};
}

MenuChoice fidelity_choice(const std::string& name) {
  if (name.empty()) return {tr("as the exercise says"), tr("How the hydraulics are computed.")};
  switch (fidelity_of(name, "fidelity")) {
    case machine::Fidelity::kFull:
      return {tr_in("model", "full"),
              tr("The oil is a spring and has to be moved in its hoses, as on a machine.")};
    case machine::Fidelity::kReduced:
      return {tr_in("model", "reduced"),
              tr("The oil is a spring; its inertia in the hoses is left out.")};
    case machine::Fidelity::kPaper:
      return {tr_in("model", "paper"),
              tr("As published in 2002: no oil to compress while a valve is open.")};
  }
  return {name, {}};
}

MenuChoice quality_choice(const std::string& name) {
  if (name == word_of(view::Quality::kAuto))
    return {tr_in("picture", "automatic"), tr("Medium without a graphics card, else high.")};
  return {tr_in("picture", name.c_str()),
          tr("Trees, shadows and textures. Takes effect at the next start.")};
}

MenuChoice instruments_choice(const std::string& name) {
  return {tr_in("instruments", name.c_str()), {}};
}

template <typename Make>
MenuRow choice_row(int id, const char* label, const std::vector<std::string>& names, int chosen,
                   Make make) {
  MenuRow row;
  row.id = id;
  row.label = label;
  for (const std::string& name : names) {
    row.choices.push_back(make(name));
    row.choices.back().value = name;
  }
  row.chosen = chosen;
  return row;
}

int volume_index(const io::TrainerSettings& settings) {
  if (settings.muted) return 0;
  int best = 0;
  for (std::size_t i = 0; i < kVolumes.size(); ++i)
    if (std::fabs(kVolumes[i] - settings.volume) <
        std::fabs(kVolumes[static_cast<std::size_t>(best)] - settings.volume))
      best = static_cast<int>(i);
  return best;
}

// Value of a row; unchanged if the menu has no such row.
void take(const Menu& menu, int id, std::string& value) {
  const MenuRow* row = menu.find(id);
  if (row == nullptr || row->chosen >= static_cast<int>(row->choices.size())) return;
  value = row->choices[static_cast<std::size_t>(row->chosen)].value;
}

// In the order of learning; those without a lesson, or unreadable ones, come last by name.
std::vector<std::string> lessons() {
  std::vector<std::pair<int, std::string>> order;
  for (std::string& name : exercise_names()) {
    int lesson = 0;
    try {
      lesson = io::read_exercise(find_exercise(name)).exercise.lesson;
    } catch (const std::exception&) {  // exercise_choice() says it
    }
    order.emplace_back(lesson > 0 ? lesson : std::numeric_limits<int>::max(), std::move(name));
  }
  std::stable_sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (auto& [lesson, name] : order) names.push_back(std::move(name));
  return names;
}

std::string device_text(const input::DeviceLine& line) {
  std::string name = line.device_name.empty() ? tr("no device") : line.device_name;
  const std::string slot = line.slot_name.empty() ? tr("not used") : line.slot_name;
  switch (line.state) {
    case input::DeviceState::kMissing:
      return tr_format("{}: {}, not plugged in", slot, name);
    case input::DeviceState::kCentre:
      return tr_format("{}: {}, bring it to its centre", slot, name);
    case input::DeviceState::kInUse:
      return tr_format("{}: {}, {:.0f} %", slot, name, line.deflection * 100.0);
    case input::DeviceState::kUnclear:
      return tr_format("left or right? {}, {:.0f} %", name, line.deflection * 100.0);
    case input::DeviceState::kUnused:
      return tr_format("not used: {}, {:.0f} %", name, line.deflection * 100.0);
  }
  return name;
}

}  // namespace

MenuRow action_row(int id, std::string label, std::string detail, bool gap) {
  MenuRow row;
  row.id = id;
  row.label = std::move(label);
  row.detail = std::move(detail);
  row.gap_above = gap;
  return row;
}

Menu main_menu(const io::TrainerSettings& settings, const LearnerRows& rows) {
  Menu menu;
  menu.title = "Knuckleboom";
  menu.subtitle = tr("Learn to drive a forestry crane");
  const std::vector<std::string> exercises = lessons();
  const std::vector<std::string> machines = optional_names(machine_names());
  const std::vector<std::string> layouts = optional_names(lever_names());
  menu.rows.push_back(action_row(kMenuLearner, tr("Who drives"), tr(kLearnerDetail)));
  menu.rows.back().note = rows.learner.empty() ? tr("nobody") : rows.learner;
  menu.rows.push_back(action_row(kMenuCourse, tr("Course"), tr(kCourseDetail)));
  menu.rows.back().note = rows.next;
  menu.rows.push_back(action_row(kMenuStart, tr("Start"), tr("Begins the exercise below."), true));
  menu.rows.push_back(
      action_row(kMenuShow, tr("Show me"),
                 tr("The computer does the exercise, by the same levers and with boom-tip "
                    "control; you watch. Esc ends it.")));
  menu.rows.push_back(
      choice_row(kMenuExercise, tr("Exercise"), exercises,
                 index_of(exercises, settings.exercise, index_of(exercises, kFirstExercise)),
                 exercise_choice));
  menu.rows.back().gap_above = true;
  menu.rows.push_back(choice_row(kMenuMachine, tr("Machine"), machines,
                                 index_of(machines, settings.machine), machine_choice));
  menu.rows.push_back(choice_row(kMenuLayout, tr("Lever layout"), layouts,
                                 index_of(layouts, settings.levers), layout_choice));
  menu.rows.push_back(choice_row(kMenuControl, tr_in("menu", "Control"), control_names(),
                                 index_of(control_names(), settings.control), control_choice));
  menu.rows.push_back(choice_row(kMenuFidelity, tr_in("menu", "Model"), fidelity_names(),
                                 index_of(fidelity_names(), settings.fidelity), fidelity_choice));
  menu.rows.push_back(choice_row(kMenuQuality, tr_in("menu", "Picture"), quality_names(),
                                 index_of(quality_names(), settings.quality), quality_choice));
  menu.rows.push_back(choice_row(kMenuInstruments, tr("Instruments"), instrument_names(),
                                 index_of(instrument_names(), settings.instruments),
                                 instruments_choice));
  MenuRow spoken_language;
  spoken_language.id = kMenuLanguage;
  spoken_language.label = tr("Language");
  for (const language::Language& one : language::languages()) {
    if (one.code == language::in_use())
      spoken_language.chosen = static_cast<int>(spoken_language.choices.size());
    spoken_language.choices.push_back({one.name, {}, one.code});
  }
  menu.rows.push_back(std::move(spoken_language));
  MenuRow volume;
  volume.id = kMenuVolume;
  volume.label = tr("Sound");
  for (const double v : kVolumes)
    volume.choices.push_back({v > 0.0 ? fmt::format("{:.0f} %", v * 100.0) : tr("off"), {}});
  volume.chosen = volume_index(settings);
  menu.rows.push_back(std::move(volume));
  menu.rows.push_back(
      action_row(kMenuDevices, tr("Levers"),
                 tr("Which of the plugged-in devices is the left lever and which the "
                    "right one."),
                 true));
  menu.rows.push_back(action_row(kMenuSettings, tr("Settings"), tr(kSettingsDetail)));
  if (!rows.settings.empty()) menu.rows.back().detail += fmt::format("\n\n{}.", rows.settings);
  menu.rows.push_back(action_row(kMenuHelp, tr("Help"), tr("Keys, and what each lever does.")));
  menu.rows.push_back(action_row(kMenuQuit, tr("Quit")));
  menu.selected = rows.next.empty() ? 4 : 1;
  return menu;
}

void take_choices(const Menu& menu, io::TrainerSettings& settings) {
  take(menu, kMenuExercise, settings.exercise);
  take(menu, kMenuMachine, settings.machine);
  take(menu, kMenuLayout, settings.levers);
  take(menu, kMenuControl, settings.control);
  take(menu, kMenuFidelity, settings.fidelity);
  take(menu, kMenuQuality, settings.quality);
  take(menu, kMenuInstruments, settings.instruments);
  // The system's stays the system's until another is chosen.
  std::string code = language::in_use();
  take(menu, kMenuLanguage, code);
  if (code != language::in_use()) settings.language = code;
  if (const MenuRow* row = menu.find(kMenuVolume);
      row != nullptr && row->chosen != volume_index(settings)) {
    settings.muted = row->chosen == 0;
    if (row->chosen > 0) settings.volume = kVolumes[static_cast<std::size_t>(row->chosen)];
  }
}

SessionChoice choice_of(const io::TrainerSettings& settings, const SessionChoice& asked) {
  SessionChoice choice;
  choice.rate_Hz = asked.rate_Hz;
  choice.fault_seed = asked.fault_seed;
  choice.settings = asked.settings;
  choice.exercise = settings.exercise;
  choice.machine = settings.machine;
  choice.levers = settings.levers;
  if (!settings.control.empty()) choice.control = control_of(settings.control, "control");
  if (!settings.fidelity.empty()) choice.fidelity = fidelity_of(settings.fidelity, "fidelity");
  return choice;
}

Menu pause_menu(const std::string& exercise, bool can_restart, std::vector<MenuChoice> suspects) {
  Menu menu;
  menu.title = tr("Paused");
  menu.subtitle = exercise;
  menu.rows.push_back(action_row(kMenuContinue, tr("Go on")));
  if (!suspects.empty()) {
    menu.title = tr("The time goes on");
    MenuRow row;
    row.id = kMenuSuspect;
    row.label = tr("Something is wrong");
    row.choices = std::move(suspects);
    row.gap_above = true;
    menu.rows.push_back(std::move(row));
    menu.rows.push_back(
        action_row(kMenuDiagnose, tr("Say so"), tr("What is chosen above, once and for all.")));
    menu.label_width = 190.0F;
  }
  if (can_restart)
    menu.rows.push_back(action_row(kMenuAgain, tr("Start again"), "", menu.rows.size() > 1));
  menu.rows.push_back(action_row(kMenuHelp, tr("Help")));
  menu.rows.push_back(action_row(kMenuDevices, tr("Levers")));
  menu.rows.push_back(action_row(kMenuSettings, tr("Settings")));
  menu.rows.push_back(action_row(kMenuReplay, tr("End it and see it again"), "", true));
  menu.rows.push_back(action_row(kMenuMain, tr("Main menu")));
  menu.rows.push_back(action_row(kMenuQuit, tr("Quit")));
  return menu;
}

Menu result_menu(const ResultChoice& choice) {
  Menu menu;
  if (choice.demonstrated) {
    menu.rows.push_back(action_row(kMenuStart, tr("Now you")));
    menu.rows.push_back(action_row(kMenuMain, tr("Main menu")));
    menu.rows.push_back(action_row(kMenuReplay, tr("See it again")));
    return menu;
  }
  if (choice.passed && !choice.next.empty())
    menu.rows.push_back(action_row(kMenuNext, tr("Go on with the course")));
  menu.rows.push_back(action_row(kMenuAgain, choice.passed ? tr("Do it again") : tr("Try again")));
  menu.rows.push_back(action_row(kMenuMain, tr("Main menu")));
  menu.rows.push_back(action_row(kMenuReplay, tr("See it again")));
  menu.rows.push_back(action_row(kMenuContinue, tr("Go on driving")));
  if (menu.rows.front().id == kMenuNext)
    menu.rows.front().note = choice.next;
  else if (choice.passed && !choice.wanted_again)
    std::swap(menu.rows[0], menu.rows[1]);
  return menu;
}

Menu devices_menu(const input::LeverDesk& desk, bool can_save) {
  Menu menu;
  menu.title = tr("Levers");
  menu.subtitle = tr("Move a lever: its number moves. The keyboard always works as well.");
  for (const input::DeviceLine& line : desk.devices()) {
    MenuRow row = action_row(kMenuInfo, "");
    row.label = device_text(line);
    row.enabled = false;
    menu.rows.push_back(std::move(row));
  }
  if (menu.rows.empty()) {
    MenuRow row = action_row(kMenuInfo, tr("No lever or game controller is plugged in."));
    row.enabled = false;
    menu.rows.push_back(std::move(row));
  }
  const std::size_t first = menu.rows.size();
  const bool any = !desk.devices().empty();
  if (any) menu.rows.push_back(action_row(kMenuSwap, tr("Swap left and right")));
  if (desk.anything_unclear())
    menu.rows.push_back(action_row(kMenuConfirm, tr("They are in this order")));
  if (any && can_save)
    menu.rows.push_back(action_row(kMenuSave, tr("Keep this for the next time")));
  menu.rows.push_back(action_row(kMenuBack, tr("Back")));
  menu.rows[first].gap_above = true;
  menu.selected = static_cast<int>(menu.rows.size()) - 1;
  return menu;
}

}  // namespace knuckleboom::app
