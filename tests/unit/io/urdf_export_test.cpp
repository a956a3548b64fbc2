// A machine file as a URDF: its import gives the same bodies and joints, bit for bit, and the machine on top of
// it the same run.
#include "knuckleboom/io/urdf_export.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<fs::path> shipped_machines() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(test::config("machines")))
    if (fs::exists(entry.path() / "machine.toml")) out.push_back(entry.path() / "machine.toml");
  std::sort(out.begin(), out.end());
  return out;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

fs::path exported(const fs::path& machine, const test::TemporaryFolder& folder) {
  return folder.write("machine.urdf", io::export_urdf(machine, {}, folder.path()).text);
}

// By the joint that follows: the other one, ratio and offset.
std::map<std::string, std::tuple<std::string, double, double>> couplings_of(
    const machine::MachineModel& machine) {
  std::map<std::string, std::tuple<std::string, double, double>> out;
  for (const multibody::Coupling& one : machine.couplings)
    out[machine.joint_name(one.joint)] = {machine.joint_name(one.follows), one.ratio, one.offset};
  return out;
}

// The import alone, without actuators, stands on the ground. Compared is what a URDF can say: tree, poses, axes,
// masses, inertias, limits but those of joints that follow, viscous friction, couplings. A weld has no name in a
// machine file, and one in a URDF.
TEST(UrdfExport, ImportGivesTheSameBodiesOfEveryShippedMachine) {
  const test::TemporaryFolder folder;
  for (const fs::path& path : shipped_machines()) {
    SCOPED_TRACE(path);
    const machine::MachineModel machine = io::read_machine(path).model;
    const machine::MachineModel again = io::read_urdf(exported(path, folder)).model;
    ASSERT_EQ(again.tree.body_count(), machine.tree.body_count());
    EXPECT_EQ(couplings_of(again), couplings_of(machine));
    const auto followers = couplings_of(machine);
    for (int i = 0; i < machine.tree.body_count(); ++i) {
      const multibody::Body &a = machine.tree.body(i), &b = again.tree.body(i);
      SCOPED_TRACE(a.name);
      EXPECT_EQ(b.name, a.name);
      EXPECT_EQ(b.parent, a.parent);
      EXPECT_EQ(b.type, a.type);
      EXPECT_TRUE(same_bits(b.in_parent.p, a.in_parent.p));
      EXPECT_TRUE(same_bits(b.in_parent.R, a.in_parent.R));
      EXPECT_EQ(b.inertia.mass, a.inertia.mass);
      EXPECT_TRUE(a.inertia.mass == 0.0 || same_bits(b.inertia.com, a.inertia.com));
      EXPECT_TRUE(same_bits(b.inertia.about_com, a.inertia.about_com));
      if (a.type == multibody::JointType::kFixed) continue;
      EXPECT_EQ(b.joint_name, a.joint_name);
      EXPECT_TRUE(same_bits(b.axis_B, a.axis_B));
      EXPECT_EQ(b.damping, a.damping);
      if (followers.contains(a.joint_name)) continue;
      EXPECT_EQ(b.lower, a.lower);
      EXPECT_EQ(b.upper, a.upper);
    }
  }
}

// A machine file without the tables that a URDF has in their place.
std::string on_top_of(const std::string& text, const std::string& urdf) {
  std::istringstream lines(text);
  std::string out, line;
  bool skipped = false, named = false;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] == '[')
      skipped = std::regex_search(line, std::regex(R"(^ *\[+(body|shape|visual|coupling)\b)"));
    if (skipped) continue;
    out += line + "\n";
    if (!named && line.starts_with("name = ")) {
      out += "urdf = \"" + urdf + "\"\n";
      named = true;
    }
  }
  return out;
}

// Springs of joints, which a URDF has no words for, on top of its bodies.
std::string springs_of(const machine::MachineModel& machine) {
  std::string out;
  for (int i = 0; i < machine.tree.body_count(); ++i)
    if (const multibody::Body& body = machine.tree.body(i); body.stiffness > 0.0)
      out += fmt::format("[[body]]\nname = \"{}\"\njoint = {{ spring_N_m_per_rad = {} }}\n",
                         body.name, body.stiffness);
  return out;
}

std::uint64_t hash_of_run(const std::string& scenario, const fs::path& machine) {
  const io::LoadedCase loaded =
      io::load_case(test::config("scenarios/" + scenario + ".toml").string(), machine.string(), {});
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  sim::SimState state = simulation.initial_state(machine::Fidelity::kFull);
  for (int i = 0; i < 500; ++i) simulation.step(state);
  return state::hash(state);
}

// With hydraulics, controllers and springs of the machine file on top of the export: every number of the state after half
// a second of the scenario. Shapes, whose ends the export gives to rounding, touch nothing there.
TEST(UrdfExport, TheMachineOnTopOfItRunsTheSame) {
  const test::TemporaryFolder folder;
  for (const auto& [machine, scenario] :
       {std::pair("harvester", "stick_sine"), std::pair("patu655", "patu655_lower"),
        std::pair("rescue_leg", "leg_sine"), std::pair("puma", "puma_assembly")}) {
    SCOPED_TRACE(machine);
    const fs::path path = test::config(std::string("machines/") + machine + "/machine.toml");
    exported(path, folder);
    std::string text = on_top_of(test::slurp(path), "machine.urdf");
    ASSERT_EQ(text.find("[[body]]"), std::string::npos);
    text += springs_of(io::read_machine(path).model);
    EXPECT_EQ(hash_of_run(scenario, folder.write("machine.toml", text)),
              hash_of_run(scenario, path));
  }
}

io::UrdfExport of_text(const std::string& text, const test::TemporaryFolder& folder) {
  return io::export_urdf(folder.write("m.toml", text), {}, folder.path());
}

// Numbers that have no short form, a universal joint and a follower, and what a URDF has no words for.
TEST(UrdfExport, SaysWhatAUrdfCannotSay) {
  const test::TemporaryFolder folder;
  const io::UrdfExport urdf = of_text(R"(
name = "m"
source = "own"
gravity_m_per_s2 = 9.81
[[body]]
name = "cross"
position_m = [0.1, 0.3333333333333333, 1e-7]
rpy_deg = [30, -20, 77.7]
mass_kg = 12.3
com_m = [0, 0, -1]
inertia_kg_m2 = [2, 2, 1, 0.1, 0.2, 0.3]
joint = { name = "hook", type = "universal", axis = [1, 0, 0], second_axis = [0, 1, 0], first = { lower_deg = -40, upper_deg = 40, damping_N_m_s_per_rad = 7 } }
[[body]]
name = "stage"
parent = "cross"
position_m = [0, 0, -1]
mass_kg = 5
com_m = [0, 0, 0]
inertia_kg_m2 = [0, 0, 0]
joint = { name = "stage", type = "prismatic", axis = [0, 0, 3], lower_mm = 0, upper_mm = 100, spring_N_per_m = 10 }
[[body]]
name = "stage_2"
parent = "stage"
position_m = [0, 0, 0]
mass_kg = 4
com_m = [0, 0, 0]
inertia_kg_m2 = [0, 0, 0]
joint = { name = "stage_2", type = "prismatic", axis = [0, 0, 1], lower_mm = 0, upper_mm = 50 }
[[coupling]]
joint = "stage_2"
follows = "stage"
ratio = 0.5
offset_mm = 1
[[shape]]
name = "rod"
body = "stage"
role = "boom"
from_m = [0, 0, 0]
to_m = [0, 3, 4]
radius_m = 0.5
[[visual]]
body = "base"
box_m = [1, 2, 3]
colour = [1, 0.5, 0]
)",
                                      folder);
  EXPECT_THAT(urdf.text, HasSubstr("<!-- Written by knuckleboom export from the machine 'm';"));
  EXPECT_THAT(urdf.text, HasSubstr("xyz=\"0.1 0.3333333333333333 1e-07\""));
  EXPECT_THAT(urdf.text, HasSubstr("<joint name=\"hook_first\" type=\"revolute\">"));
  EXPECT_THAT(urdf.text, HasSubstr("<link name=\"cross_first\"/>"));
  EXPECT_THAT(urdf.text, HasSubstr("<joint name=\"hook_second\" type=\"continuous\">"));
  EXPECT_THAT(urdf.text, HasSubstr("<dynamics damping=\"7\" friction=\"0\"/>"));
  EXPECT_THAT(urdf.text, HasSubstr("<mimic joint=\"stage\" multiplier=\"0.5\" offset=\"0.001\"/>"));
  // A rod of 5 m and two caps of 0.5 m, tilted by atan(3/4) towards y.
  EXPECT_THAT(urdf.text, HasSubstr("<cylinder radius=\"0.5\" length=\"6\"/>"));
  EXPECT_THAT(urdf.text, HasSubstr("xyz=\"0 1.5 2\" rpy=\"0 0.6435011087932844 "));
  const std::string notes = testing::PrintToString(urdf.notes);
  for (const char* said :
       {"machine file: gravity", "elastic stops of joints are left out: stage",
        "a universal joint is two joints", "follow another", "without their role"})
    EXPECT_THAT(notes, HasSubstr(said));
  // All of it comes back.
  const fs::path file = folder.write("m.urdf", urdf.text);
  const machine::MachineModel machine = io::read_machine(folder / "m.toml").model;
  const machine::MachineModel again = io::read_urdf(file).model;
  ASSERT_EQ(again.tree.body_count(), machine.tree.body_count());
  for (int i = 0; i < machine.tree.body_count(); ++i) {
    const multibody::Body &a = machine.tree.body(i), &b = again.tree.body(i);
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.joint_name, a.joint_name);
    EXPECT_TRUE(same_bits(b.in_parent.R, a.in_parent.R));
    EXPECT_TRUE(same_bits(b.inertia.about_com, a.inertia.about_com));
  }
  ASSERT_EQ(again.shapes.size(), 1U);
  EXPECT_TRUE(again.shapes[0].to_B.isApprox(Vec3(0, 3, 4), 1e-12));
  EXPECT_TRUE(io::is_exported_urdf(file));
  EXPECT_FALSE(io::is_exported_urdf(folder / "m.toml"));
}

// Debian's own checker takes the export of every shipped machine.
TEST(UrdfExport, CheckUrdfTakesEveryShippedMachine) {
  if (std::system("command -v check_urdf > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "check_urdf is not there (Debian: liburdfdom-tools)";
  const test::TemporaryFolder folder;
  for (const fs::path& path : shipped_machines())
    folder.write(path.parent_path().filename().string() + ".urdf",
                 io::export_urdf(path, {}, folder.path()).text);
  const std::string command =
      fmt::format("cd {} && for one in *.urdf; do check_urdf $one || exit 1; done > out 2>&1",
                  folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0) << test::slurp(folder / "out");
}

}  // namespace
}  // namespace knuckleboom
