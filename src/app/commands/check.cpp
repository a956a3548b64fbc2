// knuckleboom check: says all that is wrong in files of the kinds that the program reads.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/import_text.hpp"
#include "app/commands/options.hpp"
#include "app/emulation/load_emulation.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "knuckleboom/io/course_file.hpp"
#include "knuckleboom/io/device_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/load_exercise.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "knuckleboom/io/sweep_plan.hpp"
#include "knuckleboom/io/timber_file.hpp"
#include "knuckleboom/io/trainer_settings.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr double kLeastSlenderness = 40.0, kMostSlenderness = 140.0;  // height over dbh

// A sound file is said to be so; numbers in it that are hardly meant get a remark.
struct Finding {
  std::string words;
  std::vector<io::Diagnostic> remarks;
};

// Changes of an import beyond rounding are refused where that is asked for.
void refuse_changes(const io::MachineFile& file) {
  std::vector<io::Diagnostic> faults;
  for (const io::UrdfImport& import : file.imports)
    for (const io::ImportedLink& link : import.links)
      if (link.inertia_change > 0.0)
        faults.push_back(
            {import.file, 0, 0,
             fmt::format("link '{}' has an inertia that no body can have; the nearest is "
                         "changed by {:.3g} %",
                         link.name, 100.0 * link.inertia_change)});
  if (!faults.empty()) throw io::FileError(std::move(faults));
}

Finding good_machine(io::MachineFile file, bool strict) {
  if (strict) refuse_changes(file);
  const std::string parts = outside_parts(file.model);
  const std::string import = import_words(file);
  return {fmt::format(
              "machine {}, {}, {}{}{}", file.model.name,
              counted(file.model.joint_count(), "joint", "joints"),
              counted(static_cast<long long>(file.model.actuators.size()), "actuator", "actuators"),
              parts.empty() ? parts : ", " + parts, import.empty() ? import : ", " + import),
          std::move(file.remarks)};
}

// Output for a sound scenario, checked against its machine if that can be read.
Finding good_scenario(io::ScenarioFile file, const std::string& path) {
  const command::Scenario& scenario = file.scenario;
  const std::string words = fmt::format("scenario {}, {:g} s", scenario.name, scenario.duration_s);
  std::optional<io::MachineFile> machine;
  if (io::needs_no_machine(file)) {
    machine = io::empty_bench(file);
  } else {
    const fs::path machine_path = io::machine_of(file, path);
    try {
      machine = io::read_machine(machine_path);
    } catch (const io::FileError&) {
      return {fmt::format("{}; {} has faults of its own, so it was not checked against it", words,
                          machine_path.string()),
              std::move(file.remarks)};
    }
  }
  std::vector<io::Diagnostic> faults = io::put_on_bench(file, machine->model);
  if (faults.empty()) faults = io::check_against(scenario, machine->model, file.places);
  if (!faults.empty()) throw io::FileError(std::move(faults));
  return {fmt::format("{}, fits machine {}", words, machine->model.name), std::move(file.remarks)};
}

Finding good_tree(io::TimberFile<timber::TreeRecipe> file, const std::string& path) {
  try {
    const timber::Tree tree = io::grow(file.content);
    const double slenderness = tree.height() / file.content.dbh;
    if (slenderness < kLeastSlenderness || slenderness > kMostSlenderness)
      file.remarks.push_back(
          {path, 0, 0,
           fmt::format(
               "its height is {:.0f} times its diameter; trees of forests have {:g} to {:g}",
               slenderness, kLeastSlenderness, kMostSlenderness)});
    return {fmt::format("tree, {} of {:g} cm and {:g} m", file.content.species,
                        100.0 * file.content.dbh, tree.height()),
            std::move(file.remarks)};
  } catch (const io::FileError&) {
    throw;
  } catch (const UserError& error) {
    throw io::FileError(path, error.what());
  }
}

io::Diagnostic at_place(const io::ScenarioPlaces::Place& place, const std::string& path,
                        const std::string& message) {
  return {place.file.empty() ? path : place.file, place.line, place.column, message};
}

Finding good_exercise(const io::ExerciseFile& file, const std::string& path) {
  const training::Exercise& exercise = file.exercise;
  const std::string words = fmt::format("exercise {}", exercise.name);
  std::optional<io::MachineFile> machine;
  try {
    machine = io::read_machine(find_machine(exercise.machine, path));
  } catch (const UserError& error) {
    throw io::FileError({at_place(file.places.machine, path, error.what())});
  } catch (const io::FileError&) {
    return {fmt::format("{}; machine {} has faults of its own, so it was not checked against it",
                        words, exercise.machine),
            file.remarks};
  }
  std::vector<io::Diagnostic> faults = io::check_against(exercise, machine->model, file.places);
  if (!faults.empty()) throw io::FileError(std::move(faults));
  Finding finding{fmt::format("{}, fits machine {}", words, machine->model.name), file.remarks};
  // Its levers as well: what they move may be on another machine.
  const auto here = [&](const std::string& message) {
    return at_place(file.places.levers, path, message);
  };
  try {
    io::LoadedExercise loaded = io::load_exercise(fs::absolute(path).string(), {}, {});
    const training::Session session(std::move(loaded.machine.model),
                                    std::move(loaded.levers.pattern), exercise);
    for (const std::string& note : session.notes()) finding.remarks.push_back(here(note));
  } catch (const UserError& error) {
    throw io::FileError({here(error.what())});
  } catch (const std::invalid_argument& error) {
    throw io::FileError({here(error.what())});
  }
  return finding;
}

// Why nobody can pass it; empty: somebody can.
std::string not_to_pass(const io::LessonExercise& wanted) {
  const training::Exercise exercise = io::read_exercise(io::find_exercise(wanted.name)).exercise;
  if (exercise.task == training::TaskKind::kFree)
    return fmt::format("exercise '{}' has no end, so nobody passes it; name another one",
                       wanted.name);
  const training::Score blank = training::blank_score(exercise);
  for (const training::Limit& limit : wanted.limits)
    if (const training::Figure* figure = training::find_figure(limit.figure);
        figure != nullptr && std::isnan(figure->read(blank)))
      return fmt::format("exercise '{}' does not measure '{}', so nobody keeps that limit",
                         wanted.name, limit.figure);
  return {};
}

// With the exercises and quizzes that it names.
Finding good_course(const io::Course& course, const std::string& path) {
  std::vector<io::Diagnostic> faults;
  const auto look = [&](int line, const std::string& name, const auto& fault_of) {
    std::string fault;
    try {
      fault = fault_of();
    } catch (const io::FileError&) {
      fault = fmt::format("'{}' has faults of its own, which 'knuckleboom check' says of it", name);
    } catch (const UserError& error) {
      fault = error.what();
    }
    if (!fault.empty()) faults.push_back({path, line, 0, fault});
  };
  for (const io::Lesson& lesson : course.lessons) {
    if (!lesson.quiz.empty())
      look(lesson.quiz_line, lesson.quiz, [&] {
        io::read_quiz(io::find_quiz(lesson.quiz));
        return std::string();
      });
    for (const io::LessonExercise& exercise : lesson.exercises)
      look(exercise.line, exercise.name, [&] { return not_to_pass(exercise); });
  }
  if (!faults.empty()) throw io::FileError(std::move(faults));
  return {fmt::format("course {}, {}", course.name,
                      counted(static_cast<long long>(course.lessons.size()), "lesson", "lessons")),
          {}};
}

// By both machines, as far as that their tips can be brought together.
Finding good_emulation(const std::string& path) {
  EmulateOptions options;
  options.scenario = path;
  const LoadedEmulation loaded = load_emulation(options);
  try {
    const emulation::Emulation emulation(loaded.plan);
  } catch (const std::invalid_argument& error) {
    throw io::FileError(path, error.what());
  }
  return {
      fmt::format("emulation {}, {}", loaded.title(),
                  counted(static_cast<long long>(loaded.plan.phases.size()), "phase", "phases")),
      loaded.remarks};
}

// A recording of an emulation, as far as that its bench can be made again.
Finding good_recording(const std::string& path) {
  const io::EmulationRecording recording = io::read_emulation_recording(path);
  const emulation::EmulationPlan plan = io::make_emulation(recording.header.made_from).plan;
  return {fmt::format(
              "recording of emulation {}, {:.3f} s, {}{}", plan.name,
              static_cast<double>(recording.end.end_tick) * recording.header.tick_s,
              recording.end.complete ? "whole" : "cut off",
              recording.end.lost.count > 0
                  ? fmt::format(", {} lost", counted(recording.end.lost.count, "record", "records"))
                  : ""),
          {}};
}

Finding describe(const std::string& path, bool strict) {
  if (path.ends_with(io::kEmulationRecordingSuffix)) return good_recording(path);
  if (path.ends_with(io::kUrdfSuffix)) return good_machine(io::read_urdf(path), strict);
  switch (io::kind_of(io::beginning_of(path), path)) {
    case io::FileKind::kMachine:
      return good_machine(io::read_machine(path), strict);
    case io::FileKind::kLevers: {
      const io::LeverFile file = io::read_levers(path);
      return {fmt::format("levers {}, {}", file.pattern.name,
                          counted(static_cast<long long>(file.pattern.functions.size()), "function",
                                  "functions")),
              file.remarks};
    }
    case io::FileKind::kExercise:
      return good_exercise(io::read_exercise(path), path);
    case io::FileKind::kEmulation:
      return good_emulation(path);
    case io::FileKind::kSignals: {
      const io::SignalFile file = io::read_signals(path);
      return {
          fmt::format("signals, {} to the machine and {} from it", file.in.size(), file.out.size()),
          {}};
    }
    case io::FileKind::kBundle:
      throw io::FileError(
          path, "this is a bundle; `knuckleboom verify FOLDER` reads it with the files beside it");
    case io::FileKind::kLogMap:
      throw io::FileError(
          path,
          "this is a log map; `knuckleboom identify` and `knuckleboom judge` read it with --map");
    case io::FileKind::kDevices:
      return {fmt::format("devices, {}",
                          counted(static_cast<long long>(io::read_devices(path).devices.size()),
                                  "device", "devices")),
              {}};
    case io::FileKind::kSettings:
      io::read_trainer_settings(path);
      return {"settings of the trainer", {}};
    case io::FileKind::kSpecies: {
      io::TimberFile<timber::Species> file = io::read_species(path);
      return {fmt::format("species {}", file.content.name), std::move(file.remarks)};
    }
    case io::FileKind::kTree:
      return good_tree(io::read_tree(path), path);
    case io::FileKind::kPriceList: {
      io::TimberFile<timber::PriceList> file = io::read_price_list(path);
      return {fmt::format("price list {}, {}", file.content.name,
                          counted(static_cast<long long>(file.content.products.size()), "product",
                                  "products")),
              std::move(file.remarks)};
    }
    case io::FileKind::kCourse:
      return good_course(io::read_course(path), path);
    case io::FileKind::kQuiz: {
      const io::Quiz quiz = io::read_quiz(path);
      return {fmt::format(
                  "quiz {}, {}", quiz.name,
                  counted(static_cast<long long>(quiz.questions.size()), "question", "questions")),
              {}};
    }
    case io::FileKind::kSweep: {
      const io::SweepPlan plan = io::read_sweep_plan(path);
      return {fmt::format(
                  "plan of a sweep, {}, {}", io::word_of(plan.design),
                  counted(static_cast<long long>(plan.variables.size()), "variable", "variables")),
              {}};
    }
    case io::FileKind::kScenario:
      break;
  }
  return good_scenario(io::read_scenario(path), path);
}

struct CheckOptions {
  std::vector<std::string> files;
  bool strict = false;
};

int check(const CheckOptions& options) {
  bool good = true;
  for (const std::string& file : options.files) {
    try {
      // The folder of a machine or a bundle stands for its file, as with --machine.
      std::error_code ignored;
      std::string inside = file;
      for (const char* name : {"bundle.toml", "machine.toml"})
        if (const fs::path path = fs::path(file) / name; fs::exists(path, ignored)) inside = path;
      const Finding found = describe(inside, options.strict);
      say(fmt::format("{}: ok ({})\n", file, found.words));
      for (const io::Diagnostic& remark : found.remarks)
        say(fmt::format("  remark: {}\n", io::to_string(remark)));
    } catch (const io::FileError& error) {
      // The list of faults is what was asked for, hence standard output and no prefix.
      say(fmt::format("{}\n", error.what()));
      good = false;
    }
  }
  return good ? kSuccess : kUserMistake;
}

}  // namespace

Command check_command() {
  const auto o = std::make_shared<CheckOptions>();
  return {
      .name = "check",
      .sentence =
          "Report all errors in machine, scenario, lever, exercise, emulation, species, tree, "
          "price list, course, quiz and URDF files",
      .arguments = {{.name = "file",
                     .target = &o->files,
                     .kind = file_value(),
                     .sentence = "File of any of these kinds, or a recording of an emulation",
                     .required = true},
                    {.name = "--strict",
                     .target = &o->strict,
                     .sentence = "Refuse a URDF with an inertia that no body can have, instead of "
                                 "taking the nearest"}},
      .examples = {"knuckleboom check my_machine.toml my_scenario.toml",
                   "knuckleboom check crane.urdf --strict"},
      .run = [o] { return check(*o); }};
}

}  // namespace knuckleboom::app
