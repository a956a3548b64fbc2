#include "app/commands/content_texts.hpp"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/names.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/text.hpp"
#include "coach/habits.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/training/elements.hpp"
#include "knuckleboom/io/course_file.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {
namespace {

// In the order of finding, each once.
class Template {
 public:
  void add(std::string_view text, const std::string& where, std::string_view context = {}) {
    if (text.empty() || !seen_.emplace(context, text).second) return;
    out_ += fmt::format("\n#. {}\n", where);
    if (!context.empty()) out_ += fmt::format("msgctxt \"{}\"\n", context);
    out_ += fmt::format("msgid \"{}\"\nmsgstr \"\"\n", quoted(text));
  }
  void add_name(const std::string& name, const std::string& where) { add(spoken(name), where); }

  const std::string& text() const { return out_; }

 private:
  static std::string quoted(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
    return out;
  }

  std::set<std::pair<std::string, std::string>> seen_;
  std::string out_ = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n";
};

// An exercise's own faults have their names from its file.
void add_fault(const command::Fault& fault, const std::string& where, Template& out) {
  out.add_name(own_name(fault), where);
}

void add_machines(Template& out) {
  for (const std::string& name : machine_names()) {
    const io::MachineFile file = io::read_machine(find_machine(name));
    const std::string where = "machine " + name;
    out.add(file.model.description, where);
    out.add(file.purpose, where);
    out.add(file.model.caution, where);
    for (int i = 0; i < file.model.joint_count(); ++i)
      out.add_name(file.model.joint_name(i), where);
    const auto actuators = static_cast<int>(file.model.watch_pressures.size());
    for (int i = 0; i < actuators; ++i) out.add_name(file.model.actuator_name(i), where);
    for (const command::Fault& fault : sim::usual_faults(file.model)) add_fault(fault, where, out);
  }
}

void add_levers(Template& out) {
  for (const std::string& name : lever_names()) {
    const command::LeverPattern pattern = io::read_levers(find_levers(name)).pattern;
    out.add(pattern.description, "levers " + name);
    for (const command::LeverMode& mode : pattern.modes) out.add(mode.name, "levers " + name);
  }
  out.add(command::kPlainMode, "mode of the levers");
  for (const char* name : command::kLeverAxisNames) out.add_name(name, "axis of a lever");
  for (const char* name : command::kLeverButtonNames) out.add_name(name, "button of a lever");
  for (const char* name : command::kSwitchNames) out.add_name(name, "switch of the machine");
}

void add_exercises(Template& out) {
  for (const std::string& name : exercise_names()) {
    const training::Exercise exercise = io::read_exercise(find_exercise(name)).exercise;
    const std::string where = "exercise " + name;
    out.add(exercise.title, where);
    for (const std::string& paragraph : exercise.briefing) out.add(paragraph, where);
    for (const training::Target& target : exercise.targets) out.add_name(target.name, where);
    for (const training::Place& place : exercise.places) out.add_name(place.name, where);
    for (const world::Log& log : exercise.world.logs)
      if (exercise.world.logs.size() <= 16) out.add_name(log.name, where);
    for (const timber::Species& species : exercise.species) out.add(species.name, where);
    for (const timber::Product& product : exercise.prices.products) out.add(product.name, where);
    for (const command::Fault& fault : exercise.faults) add_fault(fault, where, out);
  }
}

void add_courses(Template& out) {
  for (const std::string& name : io::course_names()) {
    const io::Course course = io::read_course(io::find_course(name));
    out.add(course.title, "course " + name);
    for (const io::Lesson& lesson : course.lessons) {
      out.add(lesson.title, "lesson " + lesson.name);
      out.add(lesson.text, "lesson " + lesson.name);
    }
  }
  for (const std::string& name : io::quiz_names()) {
    const io::Quiz quiz = io::read_quiz(io::find_quiz(name));
    const std::string where = "quiz " + name;
    out.add(quiz.title, where);
    out.add(quiz.text, where);
    for (const io::Question& question : quiz.questions) {
      out.add(question.text, where);
      for (const std::string& answer : question.answers) out.add(answer, where);
      out.add(question.because, where);
    }
  }
}

void add_tables(Template& out) {
  for (const training::Figure& figure : training::figures()) out.add(figure.label, "figure");
  for (const double points : {100.0, 85.0, 70.0, 55.0, 40.0, 0.0})
    out.add(training::grade(points), "grade");
  for (const std::string_view name : training::kElementNames) out.add(name, "work element");
  for (const std::string_view name : training::kLoadPhaseNames) out.add(name, "phase of a load");
  for (int i = 0; i < command::kFaultKinds; ++i)
    out.add_name(command::name_of(static_cast<command::FaultKind>(i)), "kind of fault");
  out.add(coach::kUnchecked, "the coach's rules");
  for (const coach::Rule& rule : coach::rules()) {
    out.add(rule.advice,
            "advice of the coach; {0}: how often, {1}: of how many, {2}: in percent, {3}: time");
    out.add(rule.praise, "praise of the coach");
  }
  for (const char* name : world::kObstacleNames) out.add_name(name, "obstacle");
  for (const std::string& word : quality_words()) out.add(word, "choice of the menu", "picture");
  for (const std::string& word : instrument_words())
    out.add(word, "choice of the menu", "instruments");
  for (const std::string& word : camera_words()) out.add(word, "camera", "camera");
}

}  // namespace

std::string content_template() {
  Template out;
  add_exercises(out);
  add_courses(out);
  add_machines(out);
  add_levers(out);
  add_tables(out);
  return out.text();
}

}  // namespace knuckleboom::app
