// Friction tables: what is refused, and where.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom {
namespace {

using test::config;
using test::faults;
using test::joined;
using test::replaced;
using test::slurp;

TEST(FrictionTable, IsChecked) {
  const std::filesystem::path path = config("machines/friction_bench/machine.toml");
  const std::string at = "actuator.cylinder.friction.";
  const struct {
    io::Override change;
    const char* words;
  } cases[] = {
      {{at + "model", "stribek"}, "'model' is \"stribek\""},
      {{at + "static_N", "14"}, "has a static friction below Coulomb friction; exchange"},
      {{at + "coulomb_N", "-1"}, "'coulomb_N' is -1; it must be above 0"},
      {{at + "fall_end", "1"}, "'fall_end' is 1; it must be above 1"},
      {{at + "peak_speed_mm_per_s", "0"}, "it must be above 0"},
      {{at + "bristle_stiffness_N_per_m", "0"}, "it must be above 0"},
      {{at + "bristle_damping_N_s_per_m", "-1"}, "at least 0"},
      {{at + "coulomb_N_m", "15"}, "coulomb_N_m"},
      {{"actuator.cylinder.friction_N_s_per_m", "60"},
       "gives viscous friction twice, here and as 'friction'; remove one of them"},
  };
  for (const auto& c : cases) {
    const auto found = faults([&] { io::read_machine(path, std::vector{c.change}); });
    EXPECT_EQ(found.size(), 1u) << joined(found);
    EXPECT_NE(joined(found).find(c.words), std::string::npos) << c.words << "\n" << joined(found);
  }
  std::string text = slurp(path);
  text = replaced(text, "  stribeck_speed_mm_per_s = 5\n", "");
  text = replaced(text, "model = \"coulomb_viscous\"", "model = \"lugre\"");
  const auto found = faults([&] { io::read_machine_text(text, "m.toml"); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find("the friction of actuator 'cylinder' lacks 'stribeck_speed'"),
            std::string::npos)
      << joined(found);
  EXPECT_EQ(found[0].line, test::line_of(text, "[actuator.friction]"));
}

}  // namespace
}  // namespace knuckleboom
