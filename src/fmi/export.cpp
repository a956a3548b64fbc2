#include "fmi/export.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "fmi/archive.hpp"
#include "fmi/controller_part.hpp"
#include "fmi/sources.hpp"
#include "io/hasher.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/load_exercise.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::fmi {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBinary = "knuckleboom-fmu.so";

// For code: a letter, then letters, digits and '_'.
std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return std::isalpha(static_cast<unsigned char>(out.empty() ? '0' : out.front())) != 0
             ? out
             : "fmu_" + out;
}

// A scenario that asks a machine for nothing.
std::string rest(const std::string& machine) {
  return fmt::format(
      "name = \"rest\"\ndescription = \"Joints keep their places\"\nmachine = {}\nduration_s = "
      "10\n",
      io::toml_string(machine));
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Nobody misses these after a crash.
void put(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw io::FileError(path.string(), "cannot be written");
}

// Texts of resources, with what is said of them.
struct Written {
  std::vector<io::NamedText> texts;
  PartFacts facts;
  std::string machine;  // its name
  std::vector<std::string> files;
};

Written write_scenario(const ExportRequest& request, const fs::path& resources) {
  const io::FileSource scenario =
      request.scenario.empty()
          ? io::FileSource((resources / kScenarioFile).string(), rest(request.machine))
          : io::FileSource(request.scenario);
  const io::LoadedCase loaded = io::load_case(scenario, request.machine, request.assignments);
  const io::Overrides overrides = io::sort_overrides(request.assignments);
  Written out;
  out.files = loaded.files();
  if (scenario.text) put(loaded.scenario_path, *scenario.text);
  out.texts.push_back({kScenarioFile, io::whole_text(loaded.scenario_path, io::FileKind::kScenario,
                                                     overrides.scenario, out.texts)});
  if (!loaded.machine_path.empty())
    out.texts.push_back({kMachineFile, io::whole_text(loaded.machine_path, io::FileKind::kMachine,
                                                      overrides.machine, out.texts)});
  out.machine = loaded.machine.model.name;
  out.facts.name = identifier(scenario.text ? out.machine : loaded.scenario.scenario.name);
  out.facts.title = scenario.text ? out.machine : loaded.title();
  out.facts.says = loaded.note();
  return out;
}

Written write_exercise(const ExportRequest& request) {
  const io::Overrides overrides = io::sort_overrides(request.assignments);
  io::refuse_scenario_keys(overrides, "an exercise is exported");
  const io::LoadedExercise loaded =
      io::load_exercise(request.exercise, request.machine, request.levers, overrides);
  Written out;
  const auto add = [&out](const char* name, const fs::path& path, io::FileKind kind,
                          const std::vector<io::Override>& changes) {
    out.texts.push_back({name, io::whole_text(path, kind, changes, out.texts)});
    out.files.push_back(path.string());
  };
  add(kExerciseFile, loaded.exercise_path, io::FileKind::kExercise, overrides.exercise);
  add(kMachineFile, loaded.machine_path, io::FileKind::kMachine, overrides.machine);
  add(kLeversFile, loaded.levers_path, io::FileKind::kLevers, overrides.levers);
  for (const io::NamedText& species : loaded.exercise.species) {
    const fs::path file = species.name;
    out.texts.push_back({(kSpeciesFolder / file.filename()).string(), species.text});
    out.files.push_back(species.name);
  }
  for (const timber::Species& species : loaded.exercise.exercise.species)
    if (species.name.find('/') != std::string::npos)
      throw UserError(
          fmt::format("the exercise names the species '{0}' by its file, which an FMU cannot do; "
                      "put the file into a folder species beside that of the exercise, and write "
                      "its name, '{1}'",
                      species.name, fs::path(species.name).stem().string()));
  const training::Exercise& exercise = loaded.exercise.exercise;
  out.machine = loaded.machine.model.name;
  out.facts.name = identifier(exercise.name);
  out.facts.title = fmt::format("{} on {}", exercise.name, out.machine);
  out.facts.says = io::machine_note(loaded.machine.model);
  return out;
}

// Equal content, equal token; whatever changes what a number of a variable means changes it.
std::string token_of(const std::vector<io::NamedText>& resources, const Part& part) {
  io::Hasher hash;
  for (const io::NamedText& one : resources) {
    hash.add(one.name);
    hash.add(one.text);
  }
  for (const Variable& one : part.variables()) hash.add(one.name);
  std::string hex = hash.result().hex;
  for (const std::size_t at : {20U, 16U, 12U, 8U}) hex.insert(at, "-");
  return '{' + hex + '}';
}

}  // namespace

PartFacts write_resources(const ExportRequest& request, const fs::path& resources,
                          std::vector<std::string>* files) {
  Written written =
      request.exercise.empty() ? write_scenario(request, resources) : write_exercise(request);
  PartFacts& facts = written.facts;
  std::vector<io::NamedText>& texts = written.texts;
  if (files != nullptr) *files = written.files;
  facts.inputs = request.inputs;
  facts.fidelity = request.fidelity;
  for (const io::NamedText& one : texts) put(resources / one.name, one.text);
  if (request.controller) {
    const std::string lines = controllers_in(resources);
    for (const io::NamedText& one : texts) fs::remove(resources / one.name);
    texts = {{kControllerFile, lines}};
    put(resources / kControllerFile, lines);
    facts.controller = true;
    facts.name += "_controllers";
    facts.title = "controllers of " + written.machine;
  }
  texts.push_back(to_text(facts));
  put(resources / kPartFile, texts.back().text);
  facts.token = token_of(texts, *open_part(resources, facts));
  put(resources / kPartFile, to_text(facts).text);
  return facts;
}

fs::path fmu_binary() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = (folder / KNUCKLEBOOM_FMU_FROM_BIN).lexically_normal();
  for (const fs::path& place : {folder, installed})
    if (fs::is_regular_file(place / kBinary)) return place / kBinary;
  throw RunFailure(
      fmt::format("there is no {} in '{}' or '{}'; it belongs to the program, so build or install "
                  "all of that",
                  kBinary, folder.string(), installed.string()));
}

bool is_exported_fmu(const fs::path& file) {
  constexpr std::size_t kLargest = 1U << 16U;
  const std::optional<std::string> facts =
      entry_of(file, std::string("resources/") + kPartFile, kLargest);
  return facts && facts->starts_with(std::string("# ") + kProgram);
}

Exported export_fmu(const ExportRequest& request, const fs::path& output) {
  const fs::path binary = fmu_binary();
  const io::ScratchFolder folder;
  Exported out;
  const PartFacts facts = write_resources(request, folder.path(), &out.files);
  const std::unique_ptr<Part> part = open_part(folder.path(), facts);
  std::vector<io::NamedText> sources;
  std::vector<std::string> units;
  if (request.sources) {
    const SourceUnits found = add_sources(facts.name, sources);
    units = found.of_tick;
    units.insert(units.end(), found.others.begin(), found.others.end());
  }
  std::vector<io::NamedText> entries = {
      {"modelDescription.xml", describe(*part, facts, request.version, units)},
      {fmt::format("binaries/{}/{}.so", request.version == Version::k2 ? "linux64" : "x86_64-linux",
                   facts.name),
       bytes_of(binary)}};
  std::vector<fs::path> resources;
  for (const auto& one : fs::recursive_directory_iterator(folder.path()))
    if (one.is_regular_file()) resources.push_back(one.path());
  std::sort(resources.begin(), resources.end());
  for (const fs::path& one : resources)
    entries.push_back(
        {"resources/" + one.lexically_relative(folder.path()).string(), bytes_of(one)});
  entries.insert(entries.end(), std::make_move_iterator(sources.begin()),
                 std::make_move_iterator(sources.end()));
  write_archive(output, entries);
  out.title = facts.title;
  for (const Variable& one : part->variables()) {
    out.inputs += one.causality == Causality::kInput ? 1 : 0;
    out.outputs += one.causality == Causality::kOutput ? 1 : 0;
    out.parameters += one.causality == Causality::kParameter ? 1 : 0;
  }
  return out;
}

}  // namespace knuckleboom::fmi
