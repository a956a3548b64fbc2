// Bundles: their contents, and messages for invalid ones.

#include "knuckleboom/io/bundle_file.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"

namespace knuckleboom {
namespace {

using test::faults;
using test::joined;
using test::replaced;
using testing::HasSubstr;

constexpr const char* kBundle = R"(format = 1
origin = "made up"
scenario = "../lift.toml"
set = ["supply.pump_MPa=18"]

[reference]
file = "reference.csv"

[[channel]]
name = "boom_rad"
column = "z1"
unit = "deg"
tolerance_deg = 180
from_s = 2
)";

TEST(BundleFile, HoldsARunAndWhatIsExpected) {
  const io::Bundle bundle = io::read_bundle_text(kBundle, "/b/lift_log/bundle.toml", {});
  EXPECT_EQ(bundle.name, "lift_log");
  EXPECT_EQ(bundle.scenario, "/b/lift.toml");  // a file is relative to the folder
  EXPECT_EQ(bundle.reference, "/b/lift_log/reference.csv");
  EXPECT_EQ(bundle.rate_Hz, 50.0);
  ASSERT_EQ(bundle.channels.size(), 1u);
  EXPECT_EQ(bundle.channels[0].tolerance.unit, "rad");
  EXPECT_DOUBLE_EQ(bundle.channels[0].tolerance.value, std::acos(-1.0));
  EXPECT_EQ(bundle.channels[0].from_s, 2.0);
  EXPECT_EQ(bundle.channels[0].to_s, INFINITY);
  EXPECT_EQ(bundle.map.columns[0].column, "z1");
  const std::string named = replaced(kBundle, "../lift.toml", "stick_sine");
  EXPECT_EQ(io::read_bundle_text(named, "b/bundle.toml", {}).scenario, "stick_sine");
}

TEST(BundleFile, LooksForExternalDataWhereItIsTold) {
  const std::string text = replaced(kBundle, "file = ", "external = true\nfile = ");
  const io::Bundle here = io::read_bundle_text(text, "b/bundle.toml", "/data");
  EXPECT_EQ(here.external, "reference.csv");
  EXPECT_EQ(here.reference, "/data/reference.csv");
  EXPECT_TRUE(io::read_bundle_text(text, "b/bundle.toml", {}).reference.empty());
}

TEST(BundleFile, SaysWhatIsWrongAndWhere) {
  const auto complaint = [](std::string_view from, std::string_view to) {
    const std::string text = replaced(kBundle, from, to);
    return joined(faults([&] { io::read_bundle_text(text, "b/bundle.toml", {}); }));
  };
  EXPECT_THAT(complaint("format = 1", "format = 2"),
              HasSubstr("b/bundle.toml:1:10: 'format' is 2"));
  EXPECT_THAT(complaint("origin = \"made up\"", ""), HasSubstr("lacks 'origin'"));
  EXPECT_THAT(complaint("scenario = \"../lift.toml\"", ""),
              HasSubstr("runs a scenario, recorded levers or"));
  EXPECT_THAT(complaint("set = [", "input = \"i.csv\"\nset = ["),
              HasSubstr("runs a scenario, recorded levers or"));
  EXPECT_THAT(complaint("[\"supply.pump_MPa=18\"]", "\"a=1\""),
              HasSubstr("b/bundle.toml:4:7: 'set' must be an array of at most 1000 strings"));
  EXPECT_THAT(complaint("tolerance_deg = 180", ""),
              HasSubstr("channel 'boom_rad' lacks 'tolerance'"));
  EXPECT_THAT(complaint("tolerance_deg = 180", "tolerance_deg = -1"), HasSubstr("at least 0 deg"));
  EXPECT_THAT(complaint("from_s = 2", "from_s = 2\nto_s = 1"),
              HasSubstr("'to' lies before 'from'"));
  EXPECT_THAT(complaint("from_s = 2", "[[channel]]\nname = \"boom_rad\"\ntolerance = 1"),
              HasSubstr("two channels 'boom_rad'"));
  EXPECT_THAT(complaint("file = \"reference.csv\"", ""), HasSubstr("the reference lacks 'file'"));
}

TEST(BundleFile, MayBeDrivenByItsOwnLog) {
  const io::Bundle bundle = io::read_bundle_text(
      "format = 1\norigin = \"o\"\nmachine = \"crane\"\nrest_s = 2\n"
      "[start]\ntilt_m = -0.25\n"
      "[reference]\nfile = \"r.csv\"\nrow_ms = 10\n"
      "[[drive]]\nname = \"lift_valve_V\"\ncolumn = \"U\"\nunit = \"V\"\nscale = -2\noffset_V = "
      "11.6\ndelay_ms = 450\n"
      "[[channel]]\nname = \"lift_length_m\"\ncolumn = \"s1_mm\"\nrms_mm = 10\n",
      "b/bundle.toml", {});
  EXPECT_EQ(bundle.machine, "crane");
  EXPECT_EQ(bundle.rest_s, 2.0);
  EXPECT_EQ(bundle.drive_count, 1u);
  ASSERT_EQ(bundle.start.size(), 1u);
  EXPECT_EQ(bundle.start[0].first, "tilt");
  EXPECT_DOUBLE_EQ(bundle.start[0].second, -0.25);
  ASSERT_EQ(bundle.delay_s.size(), 1u);
  EXPECT_DOUBLE_EQ(bundle.delay_s[0].second, 0.45);
  EXPECT_DOUBLE_EQ(bundle.map.row_s, 0.01);
  ASSERT_EQ(bundle.map.columns.size(), 2u);
  EXPECT_EQ(bundle.map.columns[1].name, "lift_valve_V");
  EXPECT_EQ(bundle.map.columns[1].scale, -2.0);
  ASSERT_EQ(bundle.channels.size(), 1u);
  EXPECT_FALSE(bundle.channels[0].tolerance.given);
  EXPECT_DOUBLE_EQ(bundle.channels[0].rms.value, 0.010);
}

TEST(BundleFile, LogsUpdatesLineByLine) {
  const test::TemporaryFolder folder;
  io::Bundle bundle;
  bundle.folder = folder.path();
  io::log_bundle_update(bundle, "2024-05-02", "knuckleboom 1", "first");
  io::log_bundle_update(bundle, "2024-05-03", "knuckleboom 2", "a longer\nreason");
  EXPECT_EQ(test::slurp(folder.path() / "history.txt"),
            "2024-05-02  knuckleboom 1  first\n2024-05-03  knuckleboom 2  a longer reason\n");
}

}  // namespace
}  // namespace knuckleboom
