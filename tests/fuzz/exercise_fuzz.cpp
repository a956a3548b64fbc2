// Whatever the bytes, reading an exercise gives a result or a FileError, and what is read can be checked
// against a machine.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "knuckleboom/io/exercise_file.hpp"

namespace {

// One joint with a name of the seeds.
const knuckleboom::machine::MachineModel& machine() {
  static const knuckleboom::machine::MachineModel model = [] {
    knuckleboom::machine::MachineModel m;
    knuckleboom::multibody::Body boom;
    boom.name = boom.joint_name = "boom";
    boom.type = knuckleboom::multibody::JointType::kRevolute;
    boom.lower = -0.35;
    boom.upper = 1.1;
    m.tree.add_body(boom);
    m.actuators.resize(1);
    return m;
  }();
  return model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = knuckleboom::io::read_exercise_text(text, "fuzz/exercise.toml");
    knuckleboom::io::check_against(file.exercise, machine(), file.places);
    knuckleboom::training::broken_limit(file.exercise, {});
  } catch (const knuckleboom::io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
