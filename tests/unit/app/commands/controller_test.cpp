// FMUs in place of the joint controllers.
#include "app/commands/controller.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
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

// --- Made to do harm ----------------------------------------------------------

// A description of FMI 2.0 with code and these outputs.
std::string described_outputs(const std::string& variables) {
  return "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">"
         "<CoSimulation modelIdentifier=\"m\"/><ModelVariables>" +
         variables + "</ModelVariables></fmiModelDescription>";
}
std::string output_called(const std::string& name, const std::string& reference) {
  return "<ScalarVariable name=\"" + name + "\" valueReference=\"" + reference +
         "\" causality=\"output\"><Real/></ScalarVariable>";
}

class HostileFmu : public ::testing::Test {
 protected:
  // Sentence with which the file is refused.
  std::string refusal() const {
    std::string title;
    try {
      app::controlled_engine(simulation_, file_.string(), title);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "it was taken";
  }
  std::string with(const std::vector<io::NamedText>& entries) const {
    fmi::write_archive(file_, entries);
    return refusal();
  }
  std::string described(const std::string& text) const {
    return with({{kName, text}, {"binaries/linux64/m.so", "ELF?"}});
  }
  std::string bytes() const {
    std::ifstream stream(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  // Changes bytes behind the last mark of the archive.
  std::string forged(const std::string& mark, std::size_t behind, const std::string& to) const {
    std::string all = bytes();
    all.replace(all.rfind(mark) + behind, to.size(), to);
    std::ofstream(file_, std::ios::binary) << all;
    return refusal();
  }

  static constexpr const char* kName = "modelDescription.xml";
  io::ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "x.fmu";
  io::LoadedCase loaded_ = io::load_case("stick_sine", "", {});
  sim::Simulation simulation_{loaded_.machine.model, loaded_.scenario.scenario};
};

// The sizes that are declared are looked at before anything is unpacked, and what comes out is held against it.
TEST_F(HostileFmu, thatWouldFillTheComputerIsRefused) {
  const std::vector<io::NamedText> small = {{kName, std::string(10'000, ' ')}};
  const std::string central = "PK\1\2", end = "PK\5\6";
  fmi::write_archive(file_, small);
  EXPECT_THAT(forged(central, 24, std::string("\0\0\0\x7f", 4)),
              HasSubstr("unpacked it would have more than 256 MiB"));
  fmi::write_archive(file_, small);
  EXPECT_THAT(forged(central, 24, std::string("\x05\0\0\0", 4)),
              HasSubstr("'modelDescription.xml' is damaged"));
  fmi::write_archive(file_, small);
  EXPECT_THAT(forged(end, 10, "\xff\xff"), HasSubstr("65535 entries are too many for an FMU"));
  EXPECT_THAT(with({{kName, std::string(std::size_t{9} << 20U, ' ')}}),
              HasSubstr("modelDescription.xml has more than 8 MiB"));
  std::filesystem::resize_file(file_, std::uintmax_t{257} << 20U);
  EXPECT_THAT(refusal(), HasSubstr("the file is larger than 256 MiB"));
}

TEST_F(HostileFmu, withDoubtfulEntriesIsRefused) {
  fmi::write_archive(file_, {{"resources/a", "1"}, {"resources/b", "2"}});
  EXPECT_THAT(forged("resources/b", 10, "a"), HasSubstr("'resources/a' is there twice"));
  EXPECT_THAT(with({{"resources/../../evil", "?"}}), HasSubstr("leads out of the FMU"));
  EXPECT_THAT(with({{"..\\evil", "?"}}), HasSubstr("leads out of the FMU"));
  EXPECT_THAT(with({{"resources/a", "1"}, {"resources/a/b", "2"}}),
              HasSubstr("cannot be unpacked"));
  // Nothing else is unpacked, however large.
  EXPECT_THAT(with({{"documentation/" + std::string(300, 'x'), "?"}, {kName, "<robot/>"}}),
              HasSubstr("it has no <fmiModelDescription>"));
}

TEST_F(HostileFmu, withAForgedDescriptionIsRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THAT(described(deep), HasSubstr("nests its elements deeper than 100"));
  std::string crowded = "<fmiModelDescription";
  for (int i = 0; i < 100'000; ++i) crowded += " a" + std::to_string(i) + "='<'";
  EXPECT_THAT(described(crowded + "/>"), HasSubstr("an element with more than 1000 attributes"));
  EXPECT_THAT(described("<!DOCTYPE x [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;\">]>" +
                        described_outputs("")),
              HasSubstr("declares a document type or entities"));
  EXPECT_THAT(described(described_outputs(output_called("boom_valve_V", "1") +
                                          output_called("stick_valve_V", "1"))),
              HasSubstr("'boom_valve_V' and 'stick_valve_V' have the same valueReference 1"));
  EXPECT_THAT(described(described_outputs(output_called("boom_valve_V", "1") +
                                          output_called("boom_valve_V", "2"))),
              HasSubstr("has two variables 'boom_valve_V'"));
  for (const char* reference : {"-1", "4294967296", "1x", ""})
    EXPECT_THAT(described(described_outputs(output_called("boom_valve_V", reference))),
                HasSubstr("a variable has no name or no valueReference"));
  EXPECT_THAT(with({{kName, described_outputs("")}, {"binaries/win64/m.dll", "MZ"}}),
              HasSubstr("binaries/linux64/m.so is not in it; it has some for win64"));
  EXPECT_THAT(with({{kName, described_outputs("")}, {"sources/all.c", ""}}),
              HasSubstr("it has sources, which are not built here"));
}

// The code of another FMU: it is instantiated, and refuses.
TEST_F(HostileFmu, withAnotherTokenTellsIt) {
  for (const fmi::Version version : {fmi::Version::k2, fmi::Version::k3}) {
    std::filesystem::rename(controllers_fmu(folder_, "stick_sine", version), file_);
    std::vector<io::NamedText> entries;
    const std::string code = version == fmi::Version::k2
                                 ? "binaries/linux64/stick_sine_controllers.so"
                                 : "binaries/x86_64-linux/stick_sine_controllers.so";
    for (const std::string& name :
         {std::string(kName), code, std::string("resources/controller.txt"),
          std::string("resources/part.txt")})
      entries.push_back({name, *fmi::entry_of(file_, name, std::size_t{64} << 20U)});
    std::string& text = entries.front().text;
    const std::size_t token = text.find("=\"{") + 3;
    text[token] = text[token] == '0' ? '1' : '0';
    EXPECT_THAT(with(entries), testing::AllOf(HasSubstr("the FMU makes no instance of itself"),
                                              HasSubstr("but is instantiated with {")));
  }
}

}  // namespace
}  // namespace knuckleboom::test
