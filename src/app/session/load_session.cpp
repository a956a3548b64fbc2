#include "app/session/load_session.hpp"

#include <cmath>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/session/operator_settings.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/exercise_variant.hpp"
#include "knuckleboom/io/load_exercise.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_texts.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kUsualRate = 1000.0;  // Hz

bool is_file(const std::string& name_or_file) {
  return name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".toml");
}

// A file that a recording names is looked for in its own folder first.
std::string beside(const std::filesystem::path& file, const std::string& name_or_file) {
  std::error_code ignored;
  const std::filesystem::path near = file.parent_path() / name_or_file;
  return is_file(name_or_file) && std::filesystem::exists(near, ignored) ? near.string()
                                                                         : name_or_file;
}

// A file is the same one from wherever the recording is played.
std::string lasting(const std::string& name_or_file) {
  if (!is_file(name_or_file)) return name_or_file;
  return std::filesystem::absolute(name_or_file).lexically_normal().string();
}

// As it was asked for, but a file by the name that it gives itself: folders are nobody's business.
std::string without_folder(const std::string& name_or_file, const std::string& own_name) {
  return is_file(name_or_file) ? own_name : name_or_file;
}

// The texts are those from which the session was made, even if the files are changed meanwhile.
void take_texts(LoadedSession& loaded, std::span<const io::Override> variant) {
  io::SessionHeader now;
  io::read_session_texts(loaded.exercise_path, loaded.machine_path, loaded.levers_path, now);
  if (!variant.empty())
    now.exercise_hash =
        io::read_exercise_text(now.texts.front().text, loaded.exercise_path.string(), variant).hash;
  if (now.exercise_hash != loaded.exercise_hash || now.machine_hash != loaded.machine_hash ||
      now.levers_hash != loaded.levers_hash)
    throw UserError("the files of the session are being changed just now; try again");
  loaded.texts = std::move(now.texts);
}

// The operator's own settings, by which the texts become others. Only what changes something is kept.
void take_settings(LoadedSession& loaded, std::span<const io::Override> variant,
                   io::ExerciseFile& exercise, io::LeverFile& levers) {
  OperatorSettings asked = settings_of(loaded.choice.settings);
  if (loaded.choice.variant) asked.clear();  // an exam is the same for everybody
  const OperatorSettings used = apply_settings(asked, loaded.texts);
  loaded.choice.settings = text_of(used);
  if (used.empty()) return;
  for (const io::SessionText& text : loaded.texts) {
    if (text.role == "exercise")
      exercise = io::read_exercise_text(text.text, text.name, variant, nullptr, exercise.species);
    if (text.role == "levers") levers = io::read_levers_text(text.text, text.name);
  }
  loaded.exercise_hash = exercise.hash;
  loaded.levers_hash = levers.hash;
}

}  // namespace

std::string LoadedSession::title() const {
  const training::Exercise& e = exercise();
  return fmt::format("{} on {}, levers {}, {:g} Hz", e.title.empty() ? e.name : e.title,
                     session->machine().name, session->control().pattern().name, e.rate_Hz);
}

io::InputHeader LoadedSession::header() const {
  io::InputHeader header;
  header.program = io::this_program();
  header.exercise = lasting(choice.exercise);
  header.machine = choice.machine.empty() ? exercise().machine : lasting(choice.machine);
  header.levers = choice.levers.empty() ? exercise().levers : lasting(choice.levers);
  header.exercise_hash = exercise_hash;
  header.machine_hash = machine_hash;
  header.levers_hash = levers_hash;
  header.rate_Hz = exercise().rate_Hz;
  header.fault_seed = choice.fault_seed;
  return header;
}

io::SessionHeader LoadedSession::session_header() const {
  io::SessionHeader out;
  const training::Exercise& e = exercise();
  out.exercise = without_folder(choice.exercise, e.name);
  out.machine =
      without_folder(choice.machine.empty() ? e.machine : choice.machine, session->machine().name);
  out.levers = without_folder(choice.levers.empty() ? e.levers : choice.levers,
                              session->control().pattern().name);
  out.exercise_hash = exercise_hash;
  out.machine_hash = machine_hash;
  out.levers_hash = levers_hash;
  out.texts = texts;
  if (choice.control) out.options.emplace_back("control", word_of(*choice.control));
  if (choice.fidelity) out.options.emplace_back("fidelity", word_of(*choice.fidelity));
  if (choice.fault_seed)
    out.options.emplace_back("fault_seed", fmt::format("{}", *choice.fault_seed));
  if (choice.variant) out.options.emplace_back("variant", fmt::format("{}", *choice.variant));
  if (choice.rate_Hz > 0.0)
    out.options.emplace_back("rate_Hz", fmt::format("{:g}", choice.rate_Hz));
  if (!choice.settings.empty()) out.options.emplace_back(kSettingsOption, choice.settings);
  io::describe(*session, out);
  return out;
}

LoadedSession load_session(const SessionChoice& choice, const io::Overrides& overrides) {
  LoadedSession loaded;
  loaded.choice = choice;
  if (loaded.choice.exercise.empty()) loaded.choice.exercise = kFirstExercise;
  std::vector<io::Override> variant;
  if (choice.variant) {
    variant = io::variant_of(find_exercise(loaded.choice.exercise), *choice.variant);
    if (variant.empty())
      throw UserError(fmt::format(
          "exercise '{}' has no variants, of which an exam draws one; 'tank', 'red_blue' "
          "and 'grid' have",
          loaded.choice.exercise));
  }
  io::Overrides all = overrides;
  all.exercise.insert(all.exercise.begin(), variant.begin(), variant.end());
  auto [exercise, machine, levers, exercise_path, machine_path, levers_path] =
      io::load_exercise(loaded.choice.exercise, choice.machine, choice.levers, all);
  loaded.exercise_path = std::move(exercise_path);
  loaded.machine_path = std::move(machine_path);
  loaded.levers_path = std::move(levers_path);
  if (const std::string name = loaded.levers_path.stem().string();
      choice.levers.empty() &&
      name == std::filesystem::path(exercise.exercise.levers).stem().string() + io::kDrivingLevers)
    loaded.choice.levers = name;
  loaded.exercise_hash = exercise.hash;
  loaded.machine_hash = machine.hash;
  loaded.purpose = io::purpose_sentence(machine);
  loaded.levers_hash = levers.hash;
  // Data that were changed after reading have no file that says so; nobody records such a session.
  if (overrides.machine.empty() && overrides.exercise.empty() && overrides.levers.empty()) {
    take_texts(loaded, variant);
    if (!choice.settings.empty()) take_settings(loaded, variant, exercise, levers);
  }
  if (choice.rate_Hz > 0.0) exercise.exercise.rate_Hz = choice.rate_Hz;
  if (choice.fault_seed) exercise.exercise.fault_lot.seed = *choice.fault_seed;
  if (choice.control)
    loaded.opening.push_back(
        {training::CommandKind::kControlMode, static_cast<std::int32_t>(*choice.control)});
  if (choice.fidelity)
    loaded.opening.push_back(
        {training::CommandKind::kFidelity, static_cast<std::int32_t>(*choice.fidelity)});
  try {
    loaded.session = std::make_unique<training::Session>(
        std::move(machine.model), std::move(levers.pattern), std::move(exercise.exercise));
  } catch (const std::invalid_argument& error) {
    if (choice.machine.empty()) throw;
    throw UserError(fmt::format("{}. 'knuckleboom bench {}' drives any machine joint by joint",
                                error.what(), choice.machine));
  }
  return loaded;
}

int find_fault(const training::Session& session, const std::string& name) {
  std::vector<std::string> names;
  for (const command::Fault& fault : session.faults()) {
    if (fault.name == name) return static_cast<int>(names.size());
    names.push_back(fault.name);
  }
  throw UserError(
      fmt::format("there is no fault '{}'{}; 'knuckleboom list faults' names the usual "
                  "ones",
                  name, alternatives(name, names)));
}

training::AttemptCommand attempt_command(const TimedFault& fault,
                                         const training::Session& session) {
  return {std::llround(fault.at_s / session.tick_s()),
          {fault.on ? training::CommandKind::kFault : training::CommandKind::kClearFault,
           find_fault(session, fault.name)}};
}

std::vector<std::string> usual_fault_names() {
  std::vector<std::string> names;
  const LoadedSession loaded = load_session({});
  for (const command::Fault& fault : loaded.session->faults()) names.push_back(fault.name);
  return names;
}

LoadedSession recorded_session(const io::SessionHeader& header) {
  LoadedSession loaded;
  loaded.choice.exercise = header.exercise;
  loaded.choice.machine = header.machine;
  loaded.choice.levers = header.levers;
  loaded.choice.rate_Hz = header.rate_Hz;
  loaded.choice.fault_seed = header.seed("fault_seed");
  loaded.choice.variant = header.seed("variant");
  if (const std::string* settings = header.option(kSettingsOption))
    loaded.choice.settings = *settings;
  loaded.exercise_hash = header.exercise_hash;
  loaded.machine_hash = header.machine_hash;
  loaded.levers_hash = header.levers_hash;
  loaded.texts = header.texts;
  loaded.session = io::make_session(header);
  return loaded;
}

LoadedInput load_input(const std::filesystem::path& path, SessionChoice& choice) {
  const auto read = [&path](double rate_Hz) {
    io::InputFile file = io::read_input(path, rate_Hz);
    for (std::string* name : {&file.header.exercise, &file.header.machine, &file.header.levers})
      *name = beside(path, *name);
    return file;
  };
  LoadedInput input{path, read(choice.rate_Hz > 0.0 ? choice.rate_Hz : kUsualRate)};
  if (choice.exercise.empty()) choice.exercise = input.file.header.exercise;
  if (choice.exercise.empty()) choice.exercise = kFirstExercise;
  const training::Exercise exercise = io::read_exercise(find_exercise(choice.exercise)).exercise;
  // Times in seconds are the exercise's ticks where nobody says otherwise.
  if (choice.rate_Hz <= 0.0 && exercise.rate_Hz != kUsualRate) input.file = read(exercise.rate_Hz);
  const io::InputHeader& header = input.file.header;
  if (choice.machine.empty() && header.machine != exercise.machine) choice.machine = header.machine;
  if (choice.levers.empty() && header.levers != exercise.levers) choice.levers = header.levers;
  if (choice.rate_Hz > 0.0 && choice.rate_Hz != header.rate_Hz)
    throw UserError(fmt::format("{} was recorded at {:g} Hz; it cannot be played at --rate {:g}",
                                path.string(), header.rate_Hz, choice.rate_Hz));
  choice.rate_Hz = header.rate_Hz;
  if (!choice.fault_seed) choice.fault_seed = header.fault_seed;
  return input;
}

std::vector<std::string> differences(const LoadedInput& input, const LoadedSession& session) {
  const io::InputHeader& header = input.file.header;
  std::vector<std::string> sentences;
  const auto compare = [&](const char* what, const io::ContentHash& then,
                           const io::ContentHash& now) {
    if (!then.hex.empty() && then != now)
      sentences.push_back(
          fmt::format("{} was recorded with another content of the {} file; the session may go "
                      "another way",
                      input.path.string(), what));
  };
  compare("exercise", header.exercise_hash, session.exercise_hash);
  compare("machine", header.machine_hash, session.machine_hash);
  compare("lever", header.levers_hash, session.levers_hash);
  return sentences;
}

}  // namespace knuckleboom::app
