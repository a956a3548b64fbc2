// Everything that follows from the declarations of keys.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/declare/tables.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/file_kinds.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/reference_tables.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using declare::Key;
using declare::KeyTable;
using declare::Type;
using testing::HasSubstr;

const std::string kRoot = KNUCKLEBOOM_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

template <class Check>
void for_each_table(Check check) {
  for (const FileKindEntry& kind : file_kinds())
    for (const KeyTable* table : declare::tables_in(kind.keys)) check(*table);
}

TEST(DeclaredKeys, KindsStandInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i < file_kinds().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(file_kinds()[i].kind), i);
}

TEST(DeclaredKeys, EachTableHasAnIdOfItsOwnAndNoKeyTwice) {
  std::map<std::string_view, const KeyTable*> ids;
  for_each_table([&](const KeyTable& table) {
    // A controller that stands in another thing's table has no page of its own.
    if (!table.id.empty()) {
      EXPECT_EQ(ids.emplace(table.id, &table).first->second, &table) << table.id;
    }
    std::set<std::pair<std::string_view, bool>> names;  // a table and a number may share one
    for (const Key& key : table.keys)
      EXPECT_TRUE(names.insert({key.name, key.inside != nullptr}).second)
          << table.id << ": " << key.name;
  });
}

TEST(DeclaredKeys, RangesAreRangesAndDefaultsLieInThem) {
  for_each_table([](const KeyTable& table) {
    for (const Key& key : table.keys) {
      SCOPED_TRACE(std::string(table.id) + ": " + std::string(key.name));
      EXPECT_LT(key.range.low, key.range.high + (key.type == Type::kWhole ? 1.0 : 0.0));
      if (!key.own_usual.why.empty()) {
        EXPECT_LT(key.own_usual.low, key.own_usual.high);
      }
      EXPECT_EQ(key.type == Type::kWord && key.words.empty(), false);
      const bool text_says = !key.standard_text.empty();  // such as "none" for a zero
      if (key.type != Type::kNumber || key.needed || !key.needed_with.empty() || text_says)
        continue;
      const std::optional<double> value = key.standard                    ? key.standard
                                          : key.bound.standard != nullptr ? key.bound.standard()
                                                                          : std::nullopt;
      if (!value) continue;
      EXPECT_GE(*value, key.range.low);
      EXPECT_LE(*value, key.range.high);
    }
  });
}

// CommandLine.hasNoStaleTable sees that they are fresh.
TEST(DeclaredKeys, EachTableStandsOnAPageOfTheReference) {
  std::string pages;
  for (const auto& entry : fs::directory_iterator(kRoot + "/docs/reference"))
    pages += text_of(entry.path());
  for (const auto& [name, rows] : reference_tables()) {
    if (name == "keys settings") continue;  // the trainer's own file; nobody writes it by hand
    EXPECT_NE(pages.find("<!-- table: " + name + " -->\n" + rows + "<!-- end of table -->"),
              std::string::npos)
        << name << ": run ./dev docs";
  }
}

TEST(DeclaredKeys, PathsAreThoseOfSet) {
  const std::vector<std::string> paths = declare::key_paths(file_kind(FileKind::kScenario).keys);
  const std::set<std::string> all(paths.begin(), paths.end());
  EXPECT_TRUE(all.contains("duration_s"));
  EXPECT_TRUE(all.contains("fault.NAME.offset_percent"));
  EXPECT_TRUE(all.contains("bench.load_kg_m2"));
  EXPECT_TRUE(all.contains("initial.NAME.position_rad"));
}

// Readers name keys by their declarations: a literal would not compile. What is left is that nothing else
// spells a key out. A word without an underscore is an ordinary one that URDF, results and messages use too.
TEST(DeclaredKeys, EachIsSpelledOutByItsDeclarationsAlone) {
  std::map<std::string_view, std::string_view> elsewhere = {
      {"grapple_opening", "a channel of sessions"},
      {"control_mode", "a channel of sessions"},
      {"damping_ratio", "a figure of inspect --json"},
      {"high_gear", "a channel, and the core's name of a switch"},
      {"joint_lock", "a channel, and the core's name of a switch"},
      {"joint_sensors", "a path that the study of robustness sets"},
      {"host_start", "a path that the study of robustness sets"},
      {"emulated_start", "a path that the study of robustness sets"},
      {"feed_forward", "the core's name of a gain that an event changes"},
      {"overlap_compensation", "the core's name of a gain that an event changes"}};
  for (const char* axis : command::kLeverAxisNames) elsewhere[axis] = "the core's name of an axis";
  // Declared by a loop over the core's list.
  const std::set<std::string_view> listed(std::begin(command::kLeverAxisNames),
                                          std::end(command::kLeverAxisNames));
  std::map<std::string_view, int> declared;  // in how many tables
  std::set<const Key*> seen;
  for_each_table([&](const KeyTable& table) {
    for (const Key& key : table.keys)
      if (key.name.find('_') != std::string_view::npos && seen.insert(&key).second)
        ++declared[key.name];
  });
  std::map<std::string, int> spelled;
  for (const char* folder : {"/src", "/include"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot + folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".cpp") && !path.ends_with(".hpp")) continue;
      const bool declares = path.ends_with("_keys.hpp");
      const std::string text = text_of(entry.path());
      // In a declaration the first argument is the name; words of other keys may be spelled the same.
      const std::regex literal(
          declares ? "(?:[a-z_]+\\(\\s*(?=\"[A-Za-z_]+\"\\s*,)|\\bedge\\()\"([A-Za-z_]+)\""
                   : "\"([A-Za-z_]+)\"");
      for (auto it = std::sregex_iterator(text.begin(), text.end(), literal);
           it != std::sregex_iterator(); ++it) {
        const std::string word = (*it)[1].str();
        if (!declared.contains(word)) continue;
        if (declares)
          ++spelled[word];
        else if (!elsewhere.contains(word))
          ADD_FAILURE() << path << " spells out the key \"" << word << '"';
      }
    }
  for (const auto& [key, tables] : declared) {
    if (listed.contains(key)) continue;
    EXPECT_GE(spelled[std::string(key)], 1) << key;
    EXPECT_LE(spelled[std::string(key)], tables)
        << key << " is declared more often than it is used";
  }
}

// --- Overrides --------------------------------------------------------------------

ScenarioFile scenario(const std::vector<std::string>& assignments) {
  std::vector<Override> overrides;
  for (const std::string& one : assignments) overrides.push_back(parse_override(one));
  return read_scenario(kRoot + "/config/scenarios/stick_sine.toml", overrides);
}

TEST(Overrides, AddATableThatTheFileHasNot) {
  const ScenarioFile file = scenario({"fault.spool.kind=spool_offset", "fault.spool.function=stick",
                                      "fault.spool.at_s=1", "fault.spool.offset_percent=4"});
  ASSERT_EQ(file.scenario.faults.size(), 1U);
  EXPECT_EQ(file.scenario.faults[0].name, "spool");
  EXPECT_DOUBLE_EQ(file.scenario.faults[0].size, 0.04);
  EXPECT_DOUBLE_EQ(file.scenario.faults[0].at_s, 1.0);
}

TEST(Overrides, ReachEveryTableByItsName) {
  const ScenarioFile file =
      scenario({"initial.boom.position_rad=0.3", "event.off.kind=pump_pressure", "event.0.at_s=1",
                "event.0.pressure_bar=100", "unset event.0.name"});
  ASSERT_EQ(file.scenario.events.size(), 1U);
  EXPECT_DOUBLE_EQ(file.scenario.events[0].value, 1e7);
}

TEST(Overrides, UnsetGivesTheDefault) {
  const MachineFile before = read_machine(kRoot + "/config/machines/harvester/machine.toml");
  EXPECT_TRUE(before.model.actuators[1].stops.enabled);
  const std::vector<Override> overrides = {parse_override("unset actuator.boom.end_stops"),
                                           parse_override("unset controller.boom.ki_V_per_rad_s"),
                                           parse_override("unset supply.tank")};
  const MachineFile after =
      read_machine(kRoot + "/config/machines/harvester/machine.toml", overrides);
  EXPECT_FALSE(after.model.actuators[1].stops.enabled);
  EXPECT_EQ(after.model.controllers[1].Ki, 0.0);
  EXPECT_NE(after.hash.hex, before.hash.hex);
}

TEST(Overrides, MultiplyWhatIsThere) {
  const std::string file = kRoot + "/config/machines/hydraulic_host/machine.toml";
  const auto with = [&file](std::initializer_list<const char*> assignments) {
    std::vector<Override> overrides;
    for (const char* one : assignments) overrides.push_back(parse_override(one));
    return read_machine(file, overrides);
  };
  const MachineFile before = with({}),
                    after = with({"body.*.mass*=1.1", "body.hand.inertia*=2",
                                  "body.tool.com_m.2*=0.5", "actuator.*.friction.coulomb*=0.8"});
  for (int i = 0; i < before.model.joint_count(); ++i) {
    const multibody::Body &a = before.model.tree.body(i), &b = after.model.tree.body(i);
    EXPECT_DOUBLE_EQ(b.inertia.mass, 1.1 * a.inertia.mass);
    EXPECT_DOUBLE_EQ(b.inertia.about_com(0, 0),
                     (a.name == "hand" ? 2.0 : 1.0) * a.inertia.about_com(0, 0));
    EXPECT_DOUBLE_EQ(b.inertia.com.z(), (a.name == "tool" ? 0.5 : 1.0) * a.inertia.com.z());
    EXPECT_DOUBLE_EQ(after.model.actuators[static_cast<std::size_t>(i)].friction.F_c,
                     0.8 * before.model.actuators[static_cast<std::size_t>(i)].friction.F_c);
  }
  EXPECT_NE(after.hash.hex, before.hash.hex);
  const auto fault = [&with](const char* assignment) -> std::string {
    try {
      with({assignment});
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(fault("body.hand.masss*=1.1"), HasSubstr("has no number here to multiply"));
  EXPECT_THAT(fault("body.*.masss*=1.1"), HasSubstr("nothing that 'body.*.masss' stands for"));
  EXPECT_THAT(fault("name*=2"), HasSubstr("has no number here to multiply"));
  EXPECT_THAT(fault("body.hand.mass*=1,1"), HasSubstr("'1,1' is no number to multiply by"));
}

TEST(Overrides, UnsetOfWhatIsNotThereIsSaid) {
  const std::vector<Override> overrides = {parse_override("unset supply.pumpe_bar")};
  try {
    read_machine(kRoot + "/config/machines/harvester/machine.toml", overrides);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(
        error.what(),
        "override unset supply.pumpe_bar: 'supply.pumpe_bar' is not there, so it cannot be "
        "taken out; there are pump_MPa and tank_MPa");
  }
}

// --- Remarks ----------------------------------------------------------------------

std::vector<Diagnostic> remarks(const std::vector<std::string>& assignments) {
  std::vector<Override> overrides;
  for (const std::string& one : assignments) overrides.push_back(parse_override(one));
  return read_machine(kRoot + "/config/machines/harvester/machine.toml", overrides).remarks;
}

// A thousand times off, or in another unit than meant; each alone is sound.
TEST(Remarks, AbsurdEditsOfTheHarvesterGetOneEach) {
  const std::vector<std::vector<std::string>> edits = {
      {"actuator.stick.bore_m=12.5"},
      {"actuator.stick.bore_m=125"},
      {"actuator.boom.rod_mm=0.001"},
      {"actuator.boom.line_a.capacitance_m3_per_Pa=9e-3"},
      {"actuator.boom.line_a.inertance_kg_per_m4=1.5e15"},
      {"actuator.boom.friction_N_s_per_m=2e12"},
      {"protection.relief_bar=1e6"},
      {"valve.main.conductance_m3_per_s_sqrtPa=3"},
      {"controller.boom.output_limit_V=1e6"},
      {"body.stick.position_m=[5000, 0, 0]"},
      {"gravity_m_per_s2=0.0098"},
      {"controller.boom.kp_V_per_rad=9e5"},
      {"protection.anti_cavitation_conductance_m3_per_s_Pa=0.3"},
  };
  for (const std::vector<std::string>& edit : edits) {
    const std::vector<Diagnostic> found = remarks(edit);
    ASSERT_GE(found.size(), 1U) << edit.front();
    EXPECT_NE(found[0].message.find("usually"), std::string::npos) << found[0].message;
    EXPECT_NE(found[0].message.find(": "), std::string::npos) << found[0].message;
  }
}

TEST(Remarks, SayRangeReasonAndPlace) {
  const std::vector<Diagnostic> found = remarks({"actuator.stick.bore_m=12.5"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message,
            "'bore_m' of actuator 'stick' is 12.5, usually 1 mm to 2 m: from a syringe to the "
            "cylinder of a press");
}

TEST(Remarks, KnowAnInertiaInOtherUnitsThanItsMass) {
  const std::vector<Diagnostic> found =
      remarks({"body.stick.inertia_kg_m2=[3e6, 3e6, 3e6]", "body.stick.mass_kg=650"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].message.find("is that of 650 kg at 67.9"), std::string::npos)
      << found[0].message;
}

TEST(Remarks, ShippedFilesHaveNone) {
  const auto expect_none = [](const fs::path& path, const std::vector<Diagnostic>& found) {
    for (const Diagnostic& remark : found)
      ADD_FAILURE() << path << ":" << remark.line << ": " << remark.message;
  };
  for (const auto& entry : fs::directory_iterator(kRoot + "/config/machines"))
    if (const fs::path path = entry.path() / "machine.toml"; fs::exists(path))
      expect_none(path, read_machine(path).remarks);
  for (const auto& entry : fs::directory_iterator(kRoot + "/config/scenarios"))
    if (entry.path().extension() == ".toml")
      expect_none(entry.path(), read_scenario(entry.path()).remarks);
  for (const auto& entry : fs::directory_iterator(kRoot + "/config/exercises"))
    expect_none(entry.path(), read_exercise(entry.path()).remarks);
}

}  // namespace
}  // namespace knuckleboom::io
