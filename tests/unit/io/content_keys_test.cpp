// Files key by key: what has changed between two readings, and how it is put back.
#include "knuckleboom/io/content_keys.hpp"

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::content_keys_test {
namespace {

using io::ContentKey;
using io::FileKind;
using io::KeyChange;
using test::config;
using test::slurp;

std::vector<ContentKey> machine_keys(const std::string& assignment = {}) {
  std::vector<io::Override> overrides;
  if (!assignment.empty()) overrides.push_back(io::parse_override(assignment));
  return io::content_keys(config("machines/harvester/machine.toml"), FileKind::kMachine, "machine",
                          overrides);
}

std::string value_of(const std::vector<ContentKey>& keys, const std::string& name) {
  for (const ContentKey& key : keys)
    if (key.key == name) return key.value;
  return "none";
}

TEST(ContentKeys, AreThoseThatSetKnows) {
  const std::vector<ContentKey> keys = machine_keys();
  EXPECT_EQ(value_of(keys, "machine.valve.main.conductance_m3_per_s_sqrtPa"), "3e-6");
  EXPECT_EQ(value_of(keys, "machine.valve.main.polynomial"), "[0.6, 0.4]");
  EXPECT_EQ(value_of(keys, "machine.actuator.boom.line_a.inertance_kg_per_m4"), "1.5e7");
  // Each of them, set to what it is, leaves the machine as it is.
  std::vector<io::Override> all;
  for (const ContentKey& key : keys)
    all.push_back(io::parse_override(key.key.substr(8) + '=' + key.value));
  const std::string file = config("machines/harvester/machine.toml").string();
  EXPECT_NO_THROW(io::read_machine(file, all));
  EXPECT_EQ(
      io::changed_keys(keys, io::content_keys(file, FileKind::kMachine, "machine", all)).size(),
      0u);
}

TEST(ContentKeys, AChangeIsToldAndPutBack) {
  const std::vector<ContentKey> then = machine_keys();
  const std::vector<KeyChange> changes =
      io::changed_keys(then, machine_keys("valve.main.conductance*=1.1"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].key, "machine.valve.main.conductance_m3_per_s_sqrtPa");
  EXPECT_NE(changes[0].in_words().find("(+10 %)"), std::string::npos) << changes[0].in_words();
  ASSERT_EQ(changes[0].put_back.size(), 1u);
  const io::Overrides back =
      io::sort_overrides({"valve.main.conductance*=1.1", changes[0].put_back[0]});
  EXPECT_TRUE(io::changed_keys(then, io::content_keys(config("machines/harvester/machine.toml"),
                                                      FileKind::kMachine, "machine", back.machine))
                  .empty());
}

TEST(ContentKeys, AnotherUnitIsNoChange) {
  EXPECT_TRUE(io::changed_keys(machine_keys(), machine_keys("protection.relief_MPa=25")).empty());
  const std::vector<KeyChange> changes =
      io::changed_keys(machine_keys(), machine_keys("protection.relief_MPa=26"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].put_back[0], "machine.protection.relief_bar=250");
}

TEST(ContentKeys, ATableThatCameOrWentIsOneChange) {
  const std::vector<ContentKey> then = machine_keys();
  std::vector<KeyChange> changes = io::changed_keys(then, machine_keys("unset protection"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].key, "machine.protection");
  EXPECT_TRUE(changes[0].in_words().starts_with("gone: ")) << changes[0].in_words();
  EXPECT_EQ(changes[0].put_back.size(), 5u);
  changes = io::changed_keys(machine_keys("unset protection"), then);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].put_back, std::vector<std::string>{"unset machine.protection"});
}

TEST(ContentKeys, AreReadBackFromTheirList) {
  const test::TemporaryFolder folder;
  std::vector<ContentKey> keys = machine_keys();
  keys.push_back({"machine.name", "\"with = and \\n\"", {}, 0});
  folder.write("keys.txt", io::content_keys_text("knuckleboom 1.2 (abc)", keys));
  const io::ContentKeys back = io::read_content_keys(folder / "keys.txt");
  EXPECT_EQ(back.program, "knuckleboom 1.2 (abc)");
  ASSERT_EQ(back.keys.size(), keys.size());
  EXPECT_EQ(back.keys.back().value, keys.back().value);
  folder.write("keys.txt", "# knuckleboom\nmachine.a = 1\nnonsense\n");
  EXPECT_THROW(io::read_content_keys(folder / "keys.txt"), io::FileError);
}

}  // namespace
}  // namespace knuckleboom::content_keys_test
