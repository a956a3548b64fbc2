// FMUs with their sources: all is there, and what is built from it is the same.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/export.hpp"
#include "fmi/sources.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "support/fmu_master.hpp"
#include "support/long_run.hpp"

namespace knuckleboom::test {
namespace {

namespace fs = std::filesystem;

// Text by name, below sources/.
std::map<std::string, std::string> sources_of_fmu(fmi::SourceUnits* units = nullptr) {
  std::vector<io::NamedText> entries;
  const fmi::SourceUnits found = fmi::add_sources("machine", entries);
  if (units != nullptr) *units = found;
  std::map<std::string, std::string> out;
  const std::string before = "sources/";
  for (const io::NamedText& one : entries)
    if (one.name.starts_with(before)) out[one.name.substr(before.size())] = one.text;
  return out;
}

TEST(FmuSources, haveAllThatTheyInclude) {
  fmi::SourceUnits units;
  const std::map<std::string, std::string> texts = sources_of_fmu(&units);
  const std::regex include("(^|\n)#include \"([^\"]+)\"");
  std::map<std::string, int> included;
  for (const auto& [name, text] : texts) {
    const std::string folder = name.substr(0, name.rfind('/') + 1);
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) {
      const std::string wanted = (*at)[2];
      const bool near = texts.contains(folder + wanted);
      EXPECT_TRUE(near || texts.contains(wanted)) << name << " includes " << wanted;
      ++included[near ? folder + wanted : wanted];
    }
  }
  // Each unit of the engine is compiled once.
  for (const auto& [name, text] : texts)
    if (name.ends_with(".cpp") && name.find('/') != std::string::npos) {
      EXPECT_EQ(included[name], 1) << name;
    }
  std::vector<std::string> all = units.of_tick;
  all.insert(all.end(), units.others.begin(), units.others.end());
  EXPECT_LT(all.size(), 50U);
  const std::string& description = texts.at("buildDescription.xml");
  for (const std::string& unit : all) {
    EXPECT_TRUE(texts.contains(unit)) << unit;
    EXPECT_THAT(description, testing::HasSubstr("<SourceFile name=\"" + unit + "\"/>"));
  }
}

// As an importer does it by the description, in a folder that has nothing else.
fs::path built(const fs::path& folder) {
  const std::map<std::string, std::string> texts = sources_of_fmu();
  for (const auto& [name, text] : texts) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  std::ofstream script(folder / "build.sh");
  script << "cd '" << folder.string() << "'\n{\n";
  const std::string& description = texts.at("buildDescription.xml");
  std::string objects;
  const std::regex token("compilerOptions=\"([^\"]*)\"|<SourceFile name=\"([^\"]*)\"");
  std::string options;
  for (std::sregex_iterator at(description.begin(), description.end(), token), end; at != end;
       ++at) {
    if ((*at)[1].matched) {
      options = (*at)[1];
      continue;
    }
    const std::string unit = (*at)[2];
    script << "echo g++ " << options << " -I. -c " << unit << " -o " << unit << ".o\n";
    objects += ' ' + unit + ".o";
  }
  script << "} | xargs -P 2 -I LINE sh -c LINE && g++ -shared -o machine.so" << objects
         << " -ldl\n";
  script.close();
  const std::string command =
      "env -i PATH=/usr/bin:/bin sh '" + (folder / "build.sh").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return folder / "machine.so";
}

std::string hash_after(const fs::path& library, fmi::Version version,
                       const fmi::ExportRequest& request) {
  const io::ScratchFolder folder;
  const fmi::PartFacts facts = fmi::write_resources(request, folder.path());
  const std::unique_ptr<fmi::Part> part = fmi::open_part(folder.path(), facts);
  unsigned hash = 0, lever = 0;
  for (unsigned i = 0; i < part->variables().size(); ++i) {
    if (part->variables()[i].name == "state_hash") hash = i;
    if (part->variables()[i].name == "input.lever_right_y") lever = i;
  }
  const std::unique_ptr<Slave> slave = instantiate(library, version, folder.path(), facts.token);
  EXPECT_TRUE(slave);
  if (!slave) return {};
  EXPECT_EQ(slave->initialise(), 0) << slave->told();
  for (int tick = 0; tick < 500; ++tick) {
    if (lever != 0) {
      EXPECT_EQ(slave->set(lever, tick < 250 ? 0.8 : -0.4), 0);
    }
    EXPECT_EQ(slave->step(tick * part->tick_s(), part->tick_s()), 0) << slave->told();
  }
  return slave->text(hash);
}

TEST(FmuSources, builtInAnEmptyFolderHaveTheBitsOfTheBinary) {
  if (!long_run()) GTEST_SKIP() << "compiling takes minutes: KNUCKLEBOOM_LONG=1";
  if (std::system("command -v g++ >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no g++";
  const io::ScratchFolder folder;
  const fs::path library = built(folder.path());
  ASSERT_TRUE(fs::exists(library));
  fmi::ExportRequest scenario, exercise;
  scenario.scenario = "tip_circle";
  scenario.fidelity = "full";
  exercise.exercise = "felling";
  exercise.inputs = fmi::Inputs::kLevers;
  for (const fmi::ExportRequest& request : {scenario, exercise})
    for (const fmi::Version version : {fmi::Version::k2, fmi::Version::k3})
      EXPECT_EQ(hash_after(library, version, request),
                hash_after(fmi::fmu_binary(), version, request));
}

}  // namespace
}  // namespace knuckleboom::test
