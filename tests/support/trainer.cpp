#include "support/trainer.hpp"

#include <filesystem>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {
const std::filesystem::path kConfig = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
}

machine::MachineModel shipped_machine(const std::string& name) {
  return io::read_machine(kConfig / "machines" / name / "machine.toml").model;
}

command::LeverPattern shipped_levers(const std::string& name) {
  return io::read_levers(kConfig / "levers" / (name + ".toml")).pattern;
}

training::Exercise shipped_exercise(const std::string& name, int variant) {
  std::vector<io::Override> seed;
  if (variant != 0) seed.push_back({"variant.seed", std::to_string(variant)});
  return io::read_exercise(kConfig / "exercises" / (name + ".toml"), seed).exercise;
}

std::unique_ptr<training::Session> shipped_session(const std::string& exercise) {
  const training::Exercise e = shipped_exercise(exercise);
  return std::make_unique<training::Session>(shipped_machine(e.machine), shipped_levers(e.levers),
                                             e);
}

}  // namespace knuckleboom::test
