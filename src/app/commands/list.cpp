// The sub-command list: names of what is in the configuration folders.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/session/load_session.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/command/fault.hpp"
#include "knuckleboom/io/course_file.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/sweep_plan.hpp"

namespace knuckleboom::app {
namespace {

std::string effect_of(const command::Fault& fault) {
  using command::FaultKind;
  const double percent = 100.0 * fault.size;
  const double litres = fault.size * 1e7 * 6e4;  // a minute, at 100 bar
  const std::string whose = fault.function.empty() ? std::string() : fault.function + ": ";
  switch (fault.kind) {
    case FaultKind::kStickingSpool:
      return fmt::format("{}the spool stays until its command differs by {:.3g} % of the full one",
                         whose, percent);
    case FaultKind::kSpoolOffset:
      return fmt::format("{}the spool stands {:.3g} % of the full command beside its own", whose,
                         percent);
    case FaultKind::kWornPump:
      return fault.size > 0.0
                 ? fmt::format("the pump loses {:.3g} % of its pressure, and more with flow",
                               percent)
                 : "the pump loses pressure with flow";
    case FaultKind::kAirInOil:
      return fmt::format("{}the oil keeps {:.3g} % of its stiffness", whose, percent);
    case FaultKind::kHoseLeak:
      return fmt::format("{}the hose of port {} loses {:.3g} l/min at 100 bar", whose,
                         fault.port == 0 ? "a" : "b", litres);
    case FaultKind::kCylinderLeak:
      return fmt::format("{}{:.3g} l/min at 100 bar pass the piston", whose, litres);
    case FaultKind::kLowRelief:
      return fmt::format("{}the {} at {:.3g} bar", whose,
                         fault.function.empty() ? "main relief valve opens" : "relief valves open",
                         fault.size / 1e5);
    case FaultKind::kSensorBias:
      return fmt::format("{}the position is measured {:.3g} rad or m too large", whose, fault.size);
    case FaultKind::kSensorNoise:
      return fmt::format("{}the measured position has noise of {:.3g} rad or m", whose, fault.size);
    case FaultKind::kSensorDropout:
      return fmt::format("{}for {:.3g} % of the time the last measured position stays", whose,
                         percent);
    case FaultKind::kLeverDelay:
      return fmt::format("levers act {:.3g} s later", fault.size);
    case FaultKind::kControllerOff:
      return fmt::format("{}the valve stays at neutral", whose);
  }
  return {};
}

// NAME, and what the fault does.
std::vector<std::string> usual_fault_lines() {
  const LoadedSession loaded = load_session({});
  std::size_t width = 0;
  for (const command::Fault& fault : loaded.session->faults())
    width = std::max(width, fault.name.size());
  std::vector<std::string> lines;
  for (const command::Fault& fault : loaded.session->faults())
    lines.push_back(fmt::format("{:<{}}  {}", fault.name, width, effect_of(fault)));
  return lines;
}

std::string purpose_of_machine(const std::string& name) {
  return io::read_machine(find_machine(name)).purpose;
}

std::string title_of_exercise(const std::string& name) {
  const training::Exercise exercise = io::read_exercise(find_exercise(name)).exercise;
  return fmt::format("{} ({}machine {})", exercise.title,
                     exercise.lesson > 0 ? fmt::format("lesson {}, ", exercise.lesson) : "",
                     exercise.machine);
}

std::string title_of_course(const std::string& name) {
  const io::Course course = io::read_course(io::find_course(name));
  return fmt::format("{} ({})", course.title,
                     counted(static_cast<long long>(course.lessons.size()), "lesson", "lessons"));
}

std::string title_of_quiz(const std::string& name) {
  const io::Quiz quiz = io::read_quiz(io::find_quiz(name));
  return fmt::format(
      "{} ({})", quiz.title,
      counted(static_cast<long long>(quiz.questions.size()), "question", "questions"));
}

std::string purpose_of_sweep(const std::string& name) {
  return io::read_sweep_plan(io::find_sweep(name)).description;
}

struct Listed {
  const char* kind;
  std::vector<std::string> (*names)();
  std::string (*text_of)(const std::string& name) = nullptr;
};
constexpr Listed kLists[] = {{"scenarios", &scenario_names},
                             {"machines", &machine_names, &purpose_of_machine},
                             {"exercises", &exercise_names, &title_of_exercise},
                             {"emulations", &emulation_names},
                             {"levers", &lever_names},
                             {"species", &io::species_names},
                             {"trees", &io::tree_names},
                             {"price-lists", &io::price_list_names},
                             {"courses", &io::course_names, &title_of_course},
                             {"quizzes", &io::quiz_names, &title_of_quiz},
                             {"sweeps", &io::sweep_names, &purpose_of_sweep},
                             {"faults", &usual_fault_lines},
                             {"keys", &set_keys}};

std::vector<std::string> kinds() {
  std::vector<std::string> words;
  for (const Listed& list : kLists) words.emplace_back(list.kind);
  return words;
}

// The line below a name; a file that cannot be read has none.
std::string below(std::string (*text_of)(const std::string&), const std::string& name) {
  if (text_of == nullptr) return {};
  try {
    const std::string text = text_of(name);
    return text.empty() ? text : "    " + text + "\n";
  } catch (const std::runtime_error&) {
    return {};
  }
}

int list(const std::string& kind) {
  for (const Listed& one : kLists)
    if (one.kind == kind)
      for (const std::string& name : one.names()) say(name + "\n" + below(one.text_of, name));
  return kSuccess;
}

}  // namespace

Command list_command() {
  const auto kind = std::make_shared<std::string>();
  return {
      .name = "list",
      .sentence =
          "List scenarios, machines, exercises, emulations, lever layouts, species, trees, price "
          "lists, courses, quizzes, sweeps, faults or keys of files",
      .arguments = {{.name = "kind",
                     .target = kind.get(),
                     .kind = word_value("KIND", &kinds, true),
                     .sentence = "What to list",
                     .required = true}},
      .examples = {"knuckleboom list scenarios"},
      .run = [kind] { return list(*kind); }};
}

}  // namespace knuckleboom::app
