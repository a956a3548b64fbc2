// Numbers that are allowed, yet surely in another unit.
#include "app/commands/oddities.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::app {
namespace {

machine::MachineModel shipped(const std::string& name) {
  return io::read_machine(std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/machines/" + name +
                          "/machine.toml")
      .model;
}

TEST(Oddities, ShippedMachinesHaveNone) {
  const std::filesystem::path machines = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/machines";
  for (const auto& entry : std::filesystem::directory_iterator(machines))
    if (entry.is_directory()) {
      EXPECT_TRUE(oddities(shipped(entry.path().filename())).empty()) << entry.path();
    }
}

TEST(Oddities, PumpInBarsAndInertiaInMillimetres) {
  machine::MachineModel model = shipped("harvester");
  model.supply.pump_Pa = 180.0;
  multibody::Body body;
  body.name = "counterweight";
  body.joint_name = "fixed";
  body.type = multibody::JointType::kFixed;
  body.parent = 0;
  body.inertia.mass = 100.0;
  body.inertia.about_com = 2e6 * Mat3::Identity();  // 2 kg m^2 in kg mm^2
  model.tree.add_body(body);
  const std::vector<std::string> odd = oddities(model);
  ASSERT_EQ(odd.size(), 2U);
  EXPECT_EQ(odd[0],
            "the inertia of body 'counterweight' is that of 100 kg at 141.421 m from its "
            "centre; is it in kg mm^2?");
  EXPECT_EQ(odd[1], "the supply has 180 Pa, 0.0018 bar; is that the unit that is meant?");
}

}  // namespace
}  // namespace knuckleboom::app
