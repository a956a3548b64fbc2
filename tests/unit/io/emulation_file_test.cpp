// Emulation files: units, what is refused, and that every shipped one goes with its machines.
#include "knuckleboom/io/emulation_file.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "io_test_support.hpp"

namespace knuckleboom::emulation_file_test {
namespace {

using test::config;
using test::faults;
using test::joined;
using test::line_of;
using test::replaced;
using test::slurp;

io::EmulationFile read(const std::string& text) { return io::read_emulation_text(text, "e.toml"); }

std::string hole() { return slurp(config("emulations/peg_in_hole.toml")); }

TEST(EmulationFile, ReadsInUnits) {
  const io::EmulationFile file = read(hole());
  const emulation::EmulationPlan& plan = file.plan;
  EXPECT_EQ(plan.name, "peg_in_hole");
  EXPECT_EQ(file.host, "hydraulic_host");
  EXPECT_EQ(file.emulated, "flexible_arm");
  EXPECT_EQ(plan.site.kind, emulation::SiteKind::kHole);
  EXPECT_DOUBLE_EQ(plan.site.hole_radius, 0.0203);
  EXPECT_EQ(plan.start_S.x(), 0.003);
  EXPECT_NEAR(plan.misalignment_S.y(), std::numbers::pi / 180.0, 1e-16);
  EXPECT_DOUBLE_EQ(plan.accommodation.translation, 2e-3 / 50.0);
  EXPECT_EQ(plan.phases.size(), 5u);
  EXPECT_EQ(plan.phases[1].until_depth, 0.045);
  EXPECT_EQ(plan.host.initial.size(), 6u);
  EXPECT_EQ(plan.emulated_every, 1);
}

TEST(EmulationFile, SaysWhatIsWrongAndWhere) {
  const auto expect = [](const std::string& text, const std::string& marker,
                         const std::string& part) {
    ASSERT_FALSE(text.empty()) << part;
    const auto found = faults([&] { read(text); });
    ASSERT_FALSE(found.empty()) << part;
    EXPECT_EQ(found.front().line, line_of(text, marker)) << joined(found);
    EXPECT_NE(joined(found).find(part), std::string::npos) << joined(found);
  };
  expect(replaced(hole(), "hole_radius_mm = 20.3", "hole_radius_mm = 19"), "hole_radius_mm",
         "cannot go in");
  expect(replaced(hole(), "start_mm = [3, 0, -20]", "start_mm = [3, 0, 20]"), "start_mm",
         "inside the material");
  expect(replaced(hole(), "depth_mm = 50", "depth_mm = 4"), "depth_mm = 4",
         "more than its 'chamfer'");
  expect(replaced(hole(), "misalignment_deg = [0, 1, 0]", "misalignment_deg = [0, 40, 0]"),
         "misalignment_deg", "half a radian");
  expect(replaced(hole(), "friction = 0.1", "fiction = 0.1"), "fiction", "friction");
  expect(replaced(hole(), "scheme = \"acceleration\"", "scheme = \"speed\""),
         "scheme = ", "position");
  expect(replaced(hole(), "delay_ticks = 0", "delay_ticks = 64"), "delay_ticks", "63");
  std::string none = hole();
  none.erase(none.find("[[phase]]"));
  EXPECT_NE(joined(faults([&] { read(none); })).find("no [[phase]]"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::emulation_file_test
