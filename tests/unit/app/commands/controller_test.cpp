// FMUs in place of the joint controllers.
#include "app/commands/controller.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/archive.hpp"
#include "fmi/export.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "knuckleboom/io/state_file.hpp"

namespace knuckleboom::test {
namespace {

using ::testing::HasSubstr;

std::filesystem::path controllers_fmu(const io::ScratchFolder& folder, const std::string& scenario,
                                      fmi::Version version) {
  fmi::ExportRequest request;
  request.scenario = scenario;
  request.fidelity = "reduced";
  request.controller = true;
  request.version = version;
  const std::filesystem::path file = folder.path() / "controllers.fmu";
  fmi::export_fmu(request, file);
  return file;
}

// The machine's own controllers, exported and put back: all but their inner sums is the same, bit by bit. boom_pulse
// changes between volts and a reference.
TEST(ControllerFmu, givesTheBitsOfTheMachinesOwn) {
  const io::ScratchFolder folder;
  for (const auto& [scenario, version] :
       {std::pair{"stick_sine", fmi::Version::k3}, std::pair{"boom_pulse", fmi::Version::k2},
        std::pair{"boom_sine", fmi::Version::k2}}) {
    SCOPED_TRACE(scenario);
    const std::filesystem::path file = controllers_fmu(folder, scenario, version);
    const io::LoadedCase loaded = io::load_case(scenario, "", {});
    const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
    sim::SimState own = simulation.initial_state(machine::Fidelity::kReduced), other = own;
    std::string title;
    const auto engine = app::controlled_engine(simulation, file.string(), title);
    EXPECT_THAT(title, HasSubstr("controllers of harvester"));
    EXPECT_THAT(title, HasSubstr(version == fmi::Version::k2 ? "FMI 2.0" : "FMI 3.0"));
    for (int tick = 0; tick < 4000; ++tick) {
      simulation.step(own);
      engine->step(other);
      ASSERT_EQ(own.machine.actuator[1].command_V, other.machine.actuator[1].command_V) << tick;
    }
    std::copy(std::begin(own.pid), std::end(own.pid), std::begin(other.pid));
    EXPECT_EQ(io::state_hash(own), io::state_hash(other));
  }
}

TEST(ControllerFmu, isRefusedWithOneSentenceWhereItIsNone) {
  const io::ScratchFolder folder;
  const io::LoadedCase loaded = io::load_case("stick_sine", "", {});
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  const std::filesystem::path file = folder.path() / "x.fmu";
  const auto refusal = [&]() -> std::string {
    std::string title;
    try {
      app::controlled_engine(simulation, file.string(), title);
    } catch (const io::FileError& error) {
      return error.what();
    }
    return "it was taken";
  };
  EXPECT_THAT(refusal(), HasSubstr("x.fmu: there is no such file"));
  std::ofstream(file) << "no archive at all";
  EXPECT_THAT(refusal(), HasSubstr("cannot be read as a zip archive"));
  const auto with = [&](const std::vector<io::NamedText>& entries) {
    fmi::write_archive(file, entries);
    return refusal();
  };
  const std::string name = "modelDescription.xml";
  const auto described = [](const std::string& version, const std::string& inside) {
    return "<fmiModelDescription fmiVersion=\"" + version + "\" modelName=\"m\" guid=\"g\">" +
           inside + "</fmiModelDescription>";
  };
  const std::string kind = "<CoSimulation modelIdentifier=\"m\"/>";
  EXPECT_THAT(with({{"readme.txt", "?"}}), HasSubstr("there is no modelDescription.xml in it"));
  EXPECT_THAT(with({{"../evil.so", "?"}, {name, ""}}),
              HasSubstr("'../evil.so' leads out of the FMU"));
  EXPECT_THAT(with({{"/etc/evil", "?"}}), HasSubstr("'/etc/evil' leads out of the FMU"));
  EXPECT_FALSE(std::filesystem::exists(folder.path().parent_path() / "evil.so"));
  EXPECT_THAT(with({{name, "\n<a><b></a>"}}), HasSubstr("is no XML: something is wrong in line 2"));
  EXPECT_THAT(with({{name, "<robot/>"}}), HasSubstr("it has no <fmiModelDescription>"));
  EXPECT_THAT(with({{name, described("1.0", kind)}}),
              HasSubstr("of FMI '1.0'; those of 2.0 and 3.0 can run here"));
  EXPECT_THAT(with({{name, described("2.0", "<ModelExchange/>")}}),
              HasSubstr("the FMU is not for co-simulation"));
  EXPECT_THAT(with({{name, described("2.0", "<CoSimulation modelIdentifier=\"../m\"/>")}}),
              HasSubstr("'../m' cannot be the FMU's modelIdentifier"));
  EXPECT_THAT(with({{name, described("2.0", kind)}}),
              HasSubstr("no code for this computer: binaries/linux64/m.so is not in it"));
  const std::string variables =
      "<ModelVariables><ScalarVariable name=\"boom_valve_V\" valueReference=\"1\" "
      "causality=\"output\"><Real/></ScalarVariable></ModelVariables>";
  EXPECT_THAT(with({{name, described("2.0", kind)}, {"binaries/linux64/m.so", "ELF?"}}),
              HasSubstr("the FMU commands no joint of this machine; its outputs would be among "
                        "swing_valve_V, boom_valve_V and stick_valve_V"));
  EXPECT_THAT(with({{name, described("2.0", kind + variables)}, {"binaries/linux64/m.so", "ELF?"}}),
              HasSubstr("the FMU's code cannot be loaded"));
}

}  // namespace
}  // namespace knuckleboom::test
