// knuckleboom verify, end to end: what has not changed passes, what has is named with its time.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kBundles = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "tests" / "bundles";

void copy_bundle(const std::string& name, const fs::path& to) {
  fs::copy(kBundles / name, to, fs::copy_options::recursive);
}

void edit(const fs::path& file, std::string_view from, std::string_view to) {
  std::string text = content_of(file);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  write_text(file, text.replace(at, from.size(), to));
}

TEST(Verify, PassesWhatHasNotChangedAndDrawsNothing) {
  const TemporaryFolder folder;
  const Outcome outcome = run(
      {"verify", (kBundles / "boom_pulse").string(), "--plot-dir", (folder / "plots").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("boom_pulse: ok"));
  EXPECT_THAT(folder.entries(), IsEmpty());
}

// The valve opens at 1 s, so a weaker pump shows there and not before.
TEST(Verify, NamesChannelAndTimeOfAChangedParameter) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"verify", (kBundles / "boom_pulse").string(), "--set",
                               "supply.pump_MPa=15", "--plot-dir", (folder / "plots").string()});
  EXPECT_EQ(outcome.status, 4) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("boom_pulse: FAILED"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("boom_rad +[0-9.]+ mrad +[1-9][0-9.]* s "
                                                     "+100 µrad +[0-9.]+ mrad   FAILED"));
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("machine.supply.pump_MPa: 20 -> 15 (-25 %)"),
                                    HasSubstr("alone explains 100 % of it"),
                                    HasSubstr("with it put back the bundle passes")));
  EXPECT_TRUE(fs::exists(folder / "plots/boom_pulse.svg")) << outcome.errors;
  EXPECT_THAT(content_of(folder / "plots/boom_pulse.svg"), HasSubstr("boom_rad"));
}

TEST(Verify, ReplaysRecordedLevers) {
  const std::string bundle = (kBundles / "stick_levers").string();
  EXPECT_EQ(run({"verify", bundle}).status, 0);
  const TemporaryFolder folder;
  const Outcome weaker = run(
      {"verify", bundle, "--set", "supply.pump_MPa=15", "--plot-dir", (folder / "plots").string()});
  EXPECT_EQ(weaker.status, 4) << weaker.errors;
  EXPECT_THAT(weaker.output, HasSubstr("another content of the machine file"));
  const Outcome wrong = run({"verify", bundle, "--set", "scenario.duration_s=3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("only machine, exercise and levers can be changed"));
}

// A log ends when it ends, mostly between two ticks; and what no machine does is said of a bundle as of a
// run, whatever its tolerances.
TEST(Verify, ReachesTheLastRowOfALogAndWarnsAsARunDoes) {
  const TemporaryFolder folder;
  std::string log = "t_s,u_V,stick_deg\n";
  for (int i = 0; i < 100; ++i) log += fmt::format("{:.5f},0,-70\n", 0.01 * i);
  write_text(folder / "log.csv", log + "0.99996,0,-70\n");
  const std::string bundle =
      "format = 1\norigin = \"own\"\nmachine = \"harvester\"\nrest_s = 0.1\n[reference]\n"
      "file = \"log.csv\"\n[start]\nswing_rad = 0\nboom_rad = 0.5\n[[drive]]\nname = "
      "\"stick_valve_V\"\ncolumn = \"u_V\"\n[[channel]]\nname = \"stick_rad\"\ncolumn = "
      "\"stick_deg\"\ntolerance_deg = ";
  write_text(folder / "bundle.toml", bundle + "90\n");
  const Outcome outcome = run({"verify", (folder / "").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  write_text(folder / "bundle.toml",
             "format = 1\norigin = \"own\"\nscenario = \"boom_pulse\"\nmachine = "
             "\"harvester_paper\"\nfidelity = \"full\"\n[reference]\nfile = \"log.csv\"\n"
             "[[channel]]\nname = \"boom_rad\"\ntolerance_rad = 100\n");
  write_text(folder / "log.csv", "t_s,boom_rad\n0,0.5\n1,0.5\n");
  const Outcome warned = run({"verify", (folder / "").string()});
  EXPECT_EQ(warned.status, 0) << warned.errors;
  EXPECT_THAT(warned.output, HasSubstr("no real machine does this: a pressure of actuator 'boom'"));
}

// The same motion, as another program might write it: degrees, millimetres with the opposite sign,
// milliseconds of a clock that started later, half the rows, a gap, semicolons and decimal commas.
TEST(Verify, ComparesWithSomebodyElsesTable) {
  const TemporaryFolder folder;
  write_text(folder / "bundle.toml",
             "format = 1\norigin = \"made of another trace\"\nscenario = \"boom_pulse\"\n"
             "fidelity = \"full\"\n[reference]\nfile = \"log.csv\"\ntime = \"clock_ms\"\n"
             "shift_s = -5\nseparator = \";\"\ndecimal_comma = true\n"
             "[[channel]]\nname = \"boom_rad\"\ncolumn = \"lift\"\nunit = \"deg\"\n"
             "tolerance_deg = 0.01\n"
             "[[channel]]\nname = \"tip_z_m\"\ncolumn = \"depth_mm\"\nscale = -1\n"
             "tolerance_mm = 1\n");
  std::string table = "clock_ms;note;lift;depth_mm\n";
  const std::string reference = content_of(kBundles / "boom_pulse/reference.csv");
  const auto comma = [](double value) {
    std::string text = std::to_string(value);
    std::replace(text.begin(), text.end(), '.', ',');
    return text;
  };
  int rows = 0;
  for (std::size_t at = reference.find("t_s"); at < reference.size();) {
    const std::size_t end = std::min(reference.find('\n', at), reference.size());
    double t = 0, boom = 0, stick = 0, volts = 0, a = 0, b = 0, z = 0;
    if (std::sscanf(reference.substr(at, end - at).c_str(), "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &t,
                    &boom, &stick, &volts, &a, &b, &z) == 7 &&
        rows++ % 2 == 0 && !(t > 3.0 && t < 4.0))
      table += comma(1e3 * (t + 5.0)) + ";moving;" + comma(boom * 180 / 3.14159265358979) + ";" +
               (t < 8.0 ? comma(-1e3 * z) : "") + "\n";
    at = end + 1;
  }
  ASSERT_GT(rows, 500);
  write_text(folder / "log.csv", table);
  const Outcome outcome = run({"verify", folder.path().string()});
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  // Without the sign the height is nonsense, and it says so.
  edit(folder / "bundle.toml", "scale = -1\n", "");
  const Outcome wrong =
      run({"verify", folder.path().string(), "--plot-dir", (folder / "plots").string()});
  EXPECT_EQ(wrong.status, 4);
  EXPECT_THAT(wrong.output, testing::ContainsRegex("tip_z_m [^\n]*FAILED"));
  EXPECT_THAT(wrong.output, Not(testing::ContainsRegex("boom_rad [^\n]*FAILED")));
  // Rows behind the end of the run were not compared.
  edit(folder / "bundle.toml", "shift_s = -5", "shift_s = -4");
  const Outcome late =
      run({"verify", folder.path().string(), "--plot-dir", (folder / "plots").string()});
  EXPECT_THAT(late.output, HasSubstr("of the reference lie outside the run"));
  // A measurement is never overwritten.
  const Outcome update =
      run({"verify", folder.path().string(), "--update", "--reason", "it differs"});
  EXPECT_EQ(update.status, 2);
  EXPECT_THAT(update.errors, HasSubstr("somebody else's data"));
}

TEST(Verify, UpdatesTheReferenceForAReason) {
  const TemporaryFolder folder;
  const fs::path bundle = folder / "swing";
  copy_bundle("swing_pulse", bundle);
  edit(bundle / "bundle.toml", "fidelity = \"paper\"", "fidelity = \"full\"");
  EXPECT_EQ(run({"verify", bundle.string(), "--plot-dir", (folder / "p").string()}).status, 4);
  const Outcome without = run({"verify", bundle.string(), "--update"});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.errors, HasSubstr("--reason"));
  EXPECT_EQ(run({"verify", bundle.string(), "--update", "--reason", "with oil\ninertia"}).status,
            0);
  EXPECT_EQ(run({"verify", bundle.string()}).status, 0);
  const std::string history = content_of(bundle / "history.txt");
  EXPECT_THAT(history, HasSubstr("first reference"));
  EXPECT_THAT(history, testing::ContainsRegex(
                           "20[0-9][0-9]-[0-9]+-[0-9]+  knuckleboom .*  with oil inertia\n"));
}

// A crank turns by hundreds of radians; a reference just written must stand however tight the tolerance.
TEST(Verify, WritesAsManyDigitsAsTheTolerancesNeed) {
  const TemporaryFolder folder;
  const fs::path bundle = folder / "crank";
  copy_bundle("crank_slider_torque", bundle);
  edit(bundle / "bundle.toml", "tolerance_rad = 1e-4", "tolerance_rad = 1e-7");
  EXPECT_EQ(run({"verify", bundle.string(), "--update", "--reason", "tighter"}).status, 0);
  const Outcome outcome = run({"verify", bundle.string()});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST(Verify, SaysWhatIsNoBundle) {
  const TemporaryFolder folder;
  const auto sentence = [](const fs::path& path) {
    const Outcome outcome = run({"verify", path.string()});
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  EXPECT_THAT(sentence(folder / "none"),
              HasSubstr("none: there is no such folder; expected a bundle"));
  EXPECT_THAT(sentence(folder.path()),
              HasSubstr("this folder is no bundle: it has no bundle.toml"));
  write_text(folder / "sine.csv", "time_s\n0\n");
  EXPECT_THAT(sentence(folder / "sine.csv"),
              HasSubstr("this file is no bundle; expected a folder"));
  EXPECT_THAT(run({"verify"}).errors, HasSubstr("bundle is required"));
  EXPECT_THAT(run({"verify", "--from", (folder / "sine.csv").string()}).errors,
              HasSubstr("give the name of its folder"));
  const fs::path bundle = folder / "swing";
  copy_bundle("swing_pulse", bundle);
  fs::remove(bundle / "reference.csv");
  EXPECT_THAT(sentence(bundle),
              HasSubstr("reference.csv: there is no such reference; 'knuckleboom verify " +
                        bundle.string() + " --update --reason"));
  edit(bundle / "bundle.toml", "scenario = \"swing_pulse\"", "scenario = \"swing_puls\"");
  write_text(bundle / "reference.csv", "t_s,swing_rad\n0,0\n");
  EXPECT_THAT(sentence(bundle),
              HasSubstr("bundle swing: there is no scenario 'swing_puls'; did you mean"));
}

// A log that drives the machine holds what a reference does not.
TEST(Verify, WritesOverNoLog) {
  const TemporaryFolder folder;
  const fs::path bundle = folder / "lift";
  copy_bundle("patu655_lift", bundle);
  edit(bundle / "bundle.toml", "external = true", "");
  fs::create_directory(bundle / "patu655");
  write_text(bundle / "patu655" / "measured_100Hz.csv", "t_s,U1_V\n0,1\n1,1\n");
  const std::string keys = content_of(bundle / "keys.txt");
  const Outcome outcome = run({"verify", bundle.string(), "--update", "--reason", "tidier"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(content_of(bundle / "keys.txt"), keys);
  EXPECT_EQ(content_of(bundle / "patu655" / "measured_100Hz.csv"), "t_s,U1_V\n0,1\n1,1\n");
}

// A copy of the shipped configuration in which a machine may be changed.
class VerifyCauses : public testing::Test {
 protected:
  VerifyCauses() { fs::copy(kConfig, folder_ / "config", fs::copy_options::recursive); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  Outcome with_copy(std::vector<std::string> arguments) const {
    if (arguments.front() == "verify")
      arguments.insert(arguments.end(), {"--plot-dir", file("plots")});
    return run(arguments,
               {"KNUCKLEBOOM_CONFIG=" + file("config"), "XDG_DATA_HOME=" + file("data")});
  }
  void edit_machine(std::string_view from, std::string_view to) const {
    edit(folder_ / "config/machines/harvester/machine.toml", from, to);
  }

  const TemporaryFolder folder_;
};

// A trainer's session becomes a bundle as it is; a valve that passes a tenth more is found by name.
TEST_F(VerifyCauses, OfASessionAreNamedWithTheirAmount) {
  const Outcome driven =
      with_copy({"drive", "free_play", "--headless", "--input",
                 (kBundles / "stick_levers/input.csv").string(), "--session", file("s.h5")});
  ASSERT_EQ(driven.status, 0) << driven.errors;
  const Outcome made = with_copy({"verify", "--from", file("s.h5"), file("mine")});
  ASSERT_EQ(made.status, 0) << made.output << made.errors;
  EXPECT_THAT(made.output, HasSubstr("mine: ok"));
  edit_machine("conductance_m3_per_s_sqrtPa = 3e-6", "conductance_m3_per_s_sqrtPa = 3.3e-6");
  const Outcome failed = with_copy({"verify", file("mine")});
  EXPECT_EQ(failed.status, 4) << failed.output << failed.errors;
  EXPECT_THAT(failed.output,
              AllOf(HasSubstr("1 key has changed since the reference was made"),
                    HasSubstr("machine.valve.main.conductance_m3_per_s_sqrtPa: 3e-6 -> 3.3e-6 "
                              "(+10 %); alone explains 100 % of it"),
                    HasSubstr("machine.toml:7"), HasSubstr("with it put back the bundle passes")));
  // Nothing is written over, and nothing is made of what is no session.
  const std::string before = content_of(folder_ / "mine/bundle.toml");
  const Outcome again = with_copy({"verify", "--from", file("s.h5"), file("mine")});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors, HasSubstr("this is there already, and stays"));
  EXPECT_EQ(content_of(folder_ / "mine/bundle.toml"), before);
}

// Keys that do nothing alone, one that does most, and one that has nothing to do with it.
TEST_F(VerifyCauses, OfATraceAreWeighed) {
  ASSERT_EQ(with_copy({"run", "boom_pulse", "--trace", file("t.csv")}).status, 0);
  const Outcome made = with_copy({"verify", "--from", file("t.csv"), file("mine")});
  ASSERT_EQ(made.status, 0) << made.output << made.errors;
  edit_machine("bore_mm = 140", "bore_mm = 141");
  edit_machine("polynomial = [0.6, 0.4]", "polynomial = [0.62, 0.38]");
  edit_machine("displacement_m3_per_rad = 1.1456e-5", "displacement_m3_per_rad = 1.146e-5");
  const Outcome failed = with_copy({"verify", file("mine")});
  EXPECT_EQ(failed.status, 4) << failed.output << failed.errors;
  EXPECT_THAT(failed.output, AllOf(HasSubstr("3 keys have changed"),
                                   HasSubstr("machine.actuator.boom.bore_mm: 140 -> 141"),
                                   HasSubstr("[0.6, 0.4] -> [0.62, 0.38]"),
                                   HasSubstr("(+0.0349 %); explains nothing of it"),
                                   HasSubstr("with all of them put back the bundle passes")));
  // Its files as they were: then the program has changed.
  edit_machine("bore_mm = 141", "bore_mm = 140");
  edit_machine("[0.62, 0.38]", "[0.6, 0.4]");
  edit_machine("1.146e-5", "1.1456e-5");
  EXPECT_EQ(with_copy({"verify", file("mine")}).status, 0);
  std::string reference = content_of(folder_ / "mine/reference.csv");
  reference.replace(reference.rfind(','), 1, ",1");
  write_text(folder_ / "mine/reference.csv", reference);
  edit(folder_ / "mine/keys.txt", content_of(folder_ / "mine/keys.txt").substr(0, 14),
       "# knuckleboom 0.0.1 old");
  const Outcome other = with_copy({"verify", file("mine")});
  EXPECT_EQ(other.status, 4) << other.output;
  EXPECT_THAT(other.output,
              AllOf(HasSubstr("no key of its files has changed"),
                    HasSubstr("the program has changed, from knuckleboom 0.0.1 old")));
  // A trace of files that are no longer those is no ground for a bundle.
  edit_machine("bore_mm = 140", "bore_mm = 141");
  const Outcome refused = with_copy({"verify", "--from", file("t.csv"), file("other")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("are not those it was made of"));
  const auto sentence = [this](const std::string& text) {
    write_text(folder_ / "some.csv", text);
    const Outcome outcome = with_copy({"verify", "--from", file("some.csv"), file("other")});
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  EXPECT_THAT(sentence("t;boom\n0;1,5\n"), HasSubstr("what it is a trace of"));
  EXPECT_THAT(sentence("# knuckleboom input 1\ntick,left_x\n"), HasSubstr("recording of levers"));
  EXPECT_FALSE(fs::exists(file("other")));
}

// Every shipped scenario has a bundle.
TEST(Verify, EveryScenarioHasItsBundle) {
  for (const fs::directory_entry& file :
       fs::directory_iterator(fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config" / "scenarios"))
    EXPECT_TRUE(fs::exists(kBundles / file.path().stem() / "bundle.toml")) << file.path();
}

TEST(Verify, SkipsExternalDataThatAreNotThere) {
  const TemporaryFolder folder;
  copy_bundle("swing_pulse", folder / "swing");
  edit(folder / "swing/bundle.toml", "file =", "external = true\nfile =");
  const std::string bundle = (folder / "swing").string();
  const Outcome nowhere = run({"verify", bundle}, {"KNUCKLEBOOM_DATA="});
  EXPECT_EQ(nowhere.status, 0) << nowhere.errors;
  EXPECT_THAT(nowhere.output, HasSubstr("swing: skipped"));
  const Outcome here = run({"verify", bundle}, {"KNUCKLEBOOM_DATA=" + bundle});
  EXPECT_EQ(here.status, 0) << here.errors;
  EXPECT_THAT(here.output, HasSubstr("swing: ok"));
}

TEST(Verify, LooksAtTheOthersWhenOneIsFaulty) {
  const TemporaryFolder folder;
  write_text(folder / "bundle.toml", "format = 1\nscenari = \"stick_sine\"\n");
  const Outcome outcome =
      run({"verify", folder.path().string(), (kBundles / "swing_pulse").string()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("bundle.toml:2:1: the bundle has no key 'scenari'"));
  EXPECT_THAT(outcome.output, HasSubstr("swing_pulse: ok"));
  const Outcome nothing = run({"verify", (folder / "none").string()});
  EXPECT_EQ(nothing.status, 2);
}

}  // namespace
}  // namespace knuckleboom::test
