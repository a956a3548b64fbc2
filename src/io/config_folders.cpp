#include "knuckleboom/io/config_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMachineFile = "machine.toml";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool looks_like_a_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".toml") ||
         text.ends_with(".urdf") || text == "." || text == "..";
}

fs::path beside(const fs::path& file, const char* config) {
  std::error_code ignored;
  return (fs::absolute(file, ignored).parent_path() / config).lexically_normal();
}

std::string not_found(const std::string& kind, const std::string& name,
                      const std::vector<std::string>& known) {
  if (known.empty())
    return fmt::format(
        "there is no {} '{}'; no {}s were found at all, so set KNUCKLEBOOM_CONFIG to a "
        "folder with machines/ and scenarios/, or give a file",
        kind, name, kind);
  return fmt::format("there is no {} '{}'{}", kind, name, alternatives(name, known));
}

// Sorted, without doubles.
std::vector<std::string> names_in(const char* subfolder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const fs::path& folder : config_folders())
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / subfolder, ignored))
      if (entry.path().extension() == ".toml" && is_file(entry.path()))
        names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

fs::path find_file(const char* kind, const char* subfolder, const std::string& name_or_file) {
  // A missing path is refused by the reader, with the same message for all files.
  if (looks_like_a_path(name_or_file)) return name_or_file;
  for (const fs::path& folder : config_folders()) {
    fs::path path = folder / subfolder / (name_or_file + ".toml");
    if (is_file(path)) return path;
  }
  throw UserError(not_found(kind, name_or_file, names_in(subfolder)));
}

}  // namespace

fs::path shared_object() {
  Dl_info object;
  static const char here = 0;
  if (dladdr(&here, &object) == 0 || object.dli_fname == nullptr) return {};
  const fs::path path = object.dli_fname;
  return path.filename().string().find(".so") == std::string::npos ? fs::path() : path;
}

std::vector<fs::path> config_folders() {
  std::vector<fs::path> candidates;
  if (const char* given = std::getenv("KNUCKLEBOOM_CONFIG"); given != nullptr && *given != '\0') {
    // A requested but missing folder would otherwise be ignored silently.
    if (!is_folder(given))
      throw UserError(fmt::format(
          "KNUCKLEBOOM_CONFIG names '{}', which is not a folder; correct or unset it", given));
    candidates.emplace_back(given);
  }
  // Installed, it is beside the program, or beside the library or module that this code is in. A module's
  // program is Python, beside which may be that of another version.
  const fs::path library = shared_object();
#ifdef KNUCKLEBOOM_CONFIG_FROM_MODULE
  if (library.filename().string().starts_with("_engine."))
    candidates.push_back(beside(library, KNUCKLEBOOM_CONFIG_FROM_MODULE));
#endif
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error)
    candidates.push_back(beside(program, KNUCKLEBOOM_CONFIG_FROM_BIN));
  if (!library.empty()) candidates.push_back(beside(library, KNUCKLEBOOM_CONFIG_FROM_LIB));
  candidates.emplace_back(KNUCKLEBOOM_SOURCE_CONFIG_DIR);
  // A program that has this code in it may lie anywhere.
  candidates.emplace_back(KNUCKLEBOOM_INSTALLED_CONFIG_DIR);

  std::vector<fs::path> folders;
  for (const fs::path& candidate : candidates)
    if (is_folder(candidate) &&
        std::find(folders.begin(), folders.end(), candidate) == folders.end())
      folders.push_back(candidate);
  return folders;
}

fs::path find_scenario(const std::string& name_or_file) {
  return find_file("scenario", "scenarios", name_or_file);
}

fs::path find_exercise(const std::string& name_or_file) {
  return find_file("exercise", "exercises", name_or_file);
}

fs::path find_emulation(const std::string& name_or_file) {
  return find_file("emulation", "emulations", name_or_file);
}

fs::path find_machine(const std::string& name_or_file, const fs::path& near) {
  if (looks_like_a_path(name_or_file)) {
    if (is_folder(name_or_file)) return fs::path(name_or_file) / kMachineFile;
    // A scenario names its machine relative to itself.
    fs::path beside = near.parent_path() / name_or_file;
    if (!near.empty() && !is_file(name_or_file) && is_file(beside)) return beside;
    return name_or_file;
  }
  std::vector<fs::path> folders = config_folders();
  if (!near.empty())
    folders.insert(folders.begin(), (near.parent_path() / "..").lexically_normal());
  for (const fs::path& folder : folders) {
    fs::path path = folder / "machines" / name_or_file / kMachineFile;
    if (is_file(path)) return path;
  }
  std::string text = not_found("machine", name_or_file, machine_names());
  if (is_file(name_or_file) || is_file(fs::path(name_or_file) / kMachineFile))
    text = fmt::format("there is no machine '{0}' by that name; for the {1} '{0}' here write ./{0}",
                       name_or_file, is_folder(name_or_file) ? "folder" : "file");
  throw UserError(text);
}

std::vector<std::string> scenario_names() { return names_in("scenarios"); }

std::vector<std::string> emulation_names() { return names_in("emulations"); }

std::vector<std::string> lever_names() { return names_in("levers"); }

fs::path find_levers(const std::string& name_or_file) {
  return find_file("lever layout", "levers", name_or_file);
}

fs::path find_species(const std::string& name_or_file) {
  return find_file("species", "species", name_or_file);
}

fs::path find_tree(const std::string& name_or_file) {
  return find_file("tree", "trees", name_or_file);
}

fs::path find_price_list(const std::string& name_or_file) {
  return find_file("price list", "price_lists", name_or_file);
}

fs::path find_course(const std::string& name_or_file) {
  return find_file("course", "courses", name_or_file);
}

fs::path find_quiz(const std::string& name_or_file) {
  return find_file("quiz", "quizzes", name_or_file);
}

fs::path find_sweep(const std::string& name_or_file) {
  return find_file("plan of a sweep", "sweeps", name_or_file);
}

std::vector<std::string> sweep_names() { return names_in("sweeps"); }

std::vector<std::string> course_names() { return names_in("courses"); }

std::vector<std::string> quiz_names() { return names_in("quizzes"); }

std::vector<std::string> species_names() { return names_in("species"); }

std::vector<std::string> tree_names() { return names_in("trees"); }

std::vector<std::string> price_list_names() { return names_in("price_lists"); }

fs::path assets_folder() {
  for (const fs::path& folder : config_folders())
    if (fs::path assets = (folder / "../assets").lexically_normal(); is_folder(assets))
      return assets;
  return {};
}

std::vector<std::string> exercise_names() { return names_in("exercises"); }

std::vector<std::string> machine_names() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const fs::path& folder : config_folders())
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "machines", ignored))
      if (is_file(entry.path() / kMachineFile)) names.insert(entry.path().filename().string());
  return {names.begin(), names.end()};
}

}  // namespace knuckleboom::io
