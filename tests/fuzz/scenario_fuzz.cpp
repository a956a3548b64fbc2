// Whatever the bytes, reading a scenario gives a result or a FileError, and what is read can be
// checked against a machine and evaluated.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace {

// Two joints with the names of the seeds, one of them sliding.
const knuckleboom::machine::MachineModel& machine() {
  static const knuckleboom::machine::MachineModel model = [] {
    knuckleboom::machine::MachineModel m;
    knuckleboom::multibody::Body boom;
    boom.name = boom.joint_name = "boom";
    boom.type = knuckleboom::multibody::JointType::kRevolute;
    boom.lower = -0.35;
    boom.upper = 1.1;
    m.tree.add_body(boom);
    knuckleboom::multibody::Body stick;
    stick.name = stick.joint_name = "stick";
    stick.parent = 0;
    stick.type = knuckleboom::multibody::JointType::kPrismatic;
    m.tree.add_body(stick);
    m.actuators.resize(1);
    return m;
  }();
  return model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = knuckleboom::io::read_scenario_text(text, "fuzz/scenario.toml");
    knuckleboom::io::check_against(file.scenario, machine(), file.places);
    for (const double t : {0.0, 0.5, file.scenario.duration_s}) {
      for (const auto& program : file.scenario.programs)
        knuckleboom::command::value(program.signal, t);
      knuckleboom::command::offset(file.scenario.tip_path, t);
    }
  } catch (const knuckleboom::io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
