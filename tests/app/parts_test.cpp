// Parts of the program that need no process of their own.

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/oscillation.hpp"
#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

io::MachineFile harvester() {
  return io::read_machine(std::string(KNUCKLEBOOM_SOURCE_DIR) +
                          "/config/machines/harvester/machine.toml");
}

// --- Text and JSON ------------------------------------------------------------

TEST(Text, writesNumbersWithPrefixes) {
  EXPECT_EQ(with_prefix(0.0, "J"), "0 J");
  EXPECT_EQ(with_prefix(12345.0, "J"), "12.3 kJ");
  EXPECT_EQ(with_prefix(-0.00041, "rad"), "-410 µrad");
  EXPECT_EQ(with_prefix(999.99, "J"), "1 kJ");
  EXPECT_EQ(with_prefix(0.5, "Pa"), "0.5 Pa");
  EXPECT_EQ(with_prefix(std::nan(""), "J"), "not finite");
}

TEST(Text, offersTheNextWordOrAllOfThem) {
  const std::vector<std::string> words = {"swing", "boom", "stick"};
  EXPECT_EQ(alternatives("stik", words), "; did you mean 'stick'?");
  EXPECT_EQ(alternatives("grapple", words), "; there are swing, boom and stick");
}

TEST(Json, isNestedQuotedAndFinite) {
  JsonWriter json;
  json.begin_object().member("a", 1).member("text", "say \"x\"\n\x01");
  json.key("list").begin_array().value(0.1).value(std::numeric_limits<double>::infinity());
  json.end_array().key("empty").begin_object().end_object().end_object();
  EXPECT_EQ(json.text(),
            "{\n  \"a\": 1,\n  \"text\": \"say \\\"x\\\"\\n\\u0001\",\n  \"list\": [\n    0.1,\n"
            "    null\n  ],\n  \"empty\": {}\n}\n");
}

// --- Command line -------------------------------------------------------------

TEST(Overrides, goWhereTheirFirstWordBelongs) {
  const io::Overrides sorted = io::sort_overrides(
      {"controller.stick.kp_V_per_rad=80", "duration_s=3", "tip_path.segment.0.duration_s=1",
       "tip.position_m.0=3", "scenario.joint.stick.mode=voltage", "machine.name=other",
       "joint.boom.upper_rad=1", "machine=harvester_paper"});
  const auto keys = [](const std::vector<io::Override>& overrides) {
    std::vector<std::string> out;
    out.reserve(overrides.size());
    for (const io::Override& one : overrides) out.push_back(one.key);
    return out;
  };
  EXPECT_THAT(keys(sorted.machine), ElementsAre("controller.stick.kp_V_per_rad", "tip.position_m.0",
                                                "name", "joint.boom.upper_rad"));
  EXPECT_THAT(keys(sorted.scenario), ElementsAre("duration_s", "tip_path.segment.0.duration_s",
                                                 "joint.stick.mode", "machine"));
  EXPECT_THROW(io::sort_overrides({"name=x"}), UserError);
  EXPECT_THROW(io::sort_overrides({"tractor.wheels=4"}), UserError);
}

TEST(TraceRate, mustDivideTheTickRate) {
  EXPECT_EQ(analysis::ticks_per_sample(100.0, 1e-3), 10);
  EXPECT_EQ(analysis::ticks_per_sample(1000.0, 1e-3), 1);
  EXPECT_EQ(analysis::ticks_per_sample(0.1, 1e-3), 10000);
  EXPECT_EQ(analysis::ticks_per_sample(400.0, 2.5e-3 / 3.0), 3);
  EXPECT_EQ(analysis::ticks_per_sample(333.333, 1e-3), 3);
  EXPECT_EQ(analysis::default_ticks_per_sample(1e-3), 10);
  EXPECT_EQ(analysis::default_ticks_per_sample(3e-3), 4);
  EXPECT_EQ(analysis::default_ticks_per_sample(0.05), 1);
  for (const double rate : {300.0, 2000.0, 0.0, -1.0, std::nan("")})
    EXPECT_THROW(analysis::ticks_per_sample(rate, 1e-3), UserError) << rate;
}

TEST(Check, tellsFilesByWhatTheyHold) {
  EXPECT_EQ(io::kind_of("name = \"a\"\n[[body]]\nname = \"b\"\n", "x.toml"),
            io::FileKind::kMachine);
  EXPECT_EQ(io::kind_of("base = \"../a/machine.toml\"\n", "x.toml"), io::FileKind::kMachine);
  EXPECT_EQ(io::kind_of("machine = \"a\"\nduration_s = 1\n[[joint]]\n", "x.toml"),
            io::FileKind::kScenario);
  EXPECT_EQ(io::kind_of("duration_s = 1\n[[event]]\nbody = \"boom\"\n", "x.toml"),
            io::FileKind::kScenario);
  EXPECT_EQ(io::kind_of("[[function]]\njoint = \"boom\"\n", "x.toml"), io::FileKind::kLevers);
  EXPECT_EQ(io::kind_of("name = \"a\"\ntitle = \"A\"\nmachine = \"m\"\n[task]\nkind = \"free\"\n",
                        "x.toml"),
            io::FileKind::kExercise);
  EXPECT_EQ(io::kind_of("title = \"T\"\n[[lesson]]\nname = \"a\"\n", "x.toml"),
            io::FileKind::kCourse);  // an exercise has a number for its lesson
  EXPECT_EQ(io::kind_of("", "exercises/x.toml"), io::FileKind::kExercise);
  EXPECT_EQ(io::kind_of("", "levers/x.toml"), io::FileKind::kLevers);
  EXPECT_EQ(io::kind_of("", "machines/x/machine.toml"), io::FileKind::kMachine);
}

// --- Plots --------------------------------------------------------------------

TEST(Plot, keepsQuotesAndMarkupOutOfTheScript) {
  Figure figure{"a \"quoted\" \\ title\nin two lines", "", {}, 1};
  figure.panels.push_back({"panel_1", "x", "y", {{"c\"urve", {0, 1}, {2, 3}}}});
  const std::string script = gnuplot_script(figure, false);
  EXPECT_THAT(script, HasSubstr("\"a \\\"quoted\\\" \\\\ title\\nin two lines\""));
  EXPECT_THAT(script, HasSubstr("title \"c\\\"urve\""));
  EXPECT_THAT(script, HasSubstr("noenhanced"));
}

TEST(Plot, keepsThePeaksOfLongCurves) {
  Curve curve{"", {}, {}};
  for (int i = 0; i < 1'000'000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i == 654'321 ? 7.5 : 0.0);
  }
  Figure figure{"t", "", {}, 1};
  figure.panels.push_back({"p", "x", "y", {curve}});
  const std::string script = gnuplot_script(figure, false);
  EXPECT_LT(script.size(), 200'000U);
  EXPECT_THAT(script, HasSubstr("654321 7.5\n"));
}

TEST(Plot, interruptsCurvesWhereTheyAreNotFinite) {
  Figure figure{"t", "", {}, 1};
  figure.panels.push_back({"p", "x", "y", {{"", {0, 1, 2}, {5, std::nan(""), 5}}}});
  const std::string script = gnuplot_script(figure, true);
  EXPECT_THAT(script, HasSubstr("0 5\n\n2 5\n"));
  EXPECT_THAT(script, Not(HasSubstr("nan")));
}

// --- Oscillation --------------------------------------------------------------

TEST(FastPart, dropsWhatIsSlowAndKeepsWhatIsFast) {
  constexpr double kDt = 0.01;
  std::vector<double> slow, fast;
  for (int i = 0; i < 4000; ++i) {
    const double t = i * kDt;
    slow.push_back(3.0 + 2.0 * std::sin(2.0 * std::numbers::pi * 0.1 * t));
    fast.push_back(3.0 + 0.2 * std::sin(2.0 * std::numbers::pi * 4.0 * t));
  }
  const auto rms = [](const std::vector<double>& v) {
    double sum = 0.0;
    for (std::size_t i = v.size() / 2; i < v.size(); ++i) sum += v[i] * v[i];
    return std::sqrt(2.0 * sum / static_cast<double>(v.size()));
  };
  EXPECT_LT(rms(analysis::fast_part(slow, kDt, 0.5)), 0.005);
  EXPECT_NEAR(rms(analysis::fast_part(fast, kDt, 0.5)), 0.2 / std::sqrt(2.0), 0.002);
}

// Snapshots with a swing that moves as f says; the valve command is 10 V/rad of it.
template <typename F>
analysis::Recording recorded(const machine::MachineModel& model, F f) {
  analysis::Recording recording(model);
  for (int i = 0; i <= 2000; ++i) {
    sim::Snapshot snapshot{};
    snapshot.t_s = 0.01 * i;
    snapshot.joint_count = model.joint_count();
    for (int k = 0; k < model.joint_count(); ++k) snapshot.actuator_of_joint[k] = k;
    snapshot.joint[0].position = f(snapshot.t_s);
    snapshot.joint[0].rate = (f(snapshot.t_s + 1e-5) - f(snapshot.t_s - 1e-5)) / 2e-5;
    snapshot.actuator[0].valve_V = 10.0 * f(snapshot.t_s);
    snapshot.actuator[0].open = 1;
    recording.add(snapshot);
  }
  return recording;
}

TEST(Oscillation, isToldFromWhatBothRunsDo) {
  const machine::MachineModel model = harvester().model;
  const auto wave = [](double amplitude, double frequency) {
    return [=](double t) { return amplitude * std::sin(2.0 * std::numbers::pi * frequency * t); };
  };
  const analysis::Recording calm = recorded(model, wave(0.3, 0.1));
  const analysis::Recording quick = recorded(model, wave(0.3, 1.5));
  const analysis::Recording shaky =
      recorded(model, [&](double t) { return wave(0.3, 0.1)(t) + wave(0.02, 4.0)(t); });

  const analysis::JointOscillation found =
      analysis::compare_oscillation(model, shaky, calm).front();
  EXPECT_TRUE(analysis::a_is_unstable(found));
  EXPECT_FALSE(analysis::b_is_unstable(found));
  EXPECT_NEAR(found.frequency_Hz, 4.0, 0.2);
  EXPECT_NEAR(found.valve_V, 0.2 / std::sqrt(2.0), 0.01);
  EXPECT_TRUE(analysis::b_is_unstable(analysis::compare_oscillation(model, calm, shaky).front()));
  // Motion common to both comes from the reference, even if it is fast.
  EXPECT_FALSE(analysis::a_is_unstable(analysis::compare_oscillation(model, quick, quick).front()));

  const auto sentences = [&](const analysis::Recording& a, const analysis::Recording& b) {
    return analysis::stability_sentences(model,
                                         {{"full", false, 20.0, &a}, {"reduced", false, 20.0, &b}});
  };
  ASSERT_EQ(sentences(shaky, calm).size(), 1U);
  EXPECT_THAT(
      sentences(shaky, calm).front(),
      HasSubstr("The full model is unstable where the reduced model is not: the controller of "
                "joint 'swing'"));
  EXPECT_TRUE(sentences(calm, calm).empty());
  // Reference zero, position moving in both: their own doing.
  ASSERT_EQ(sentences(quick, quick).size(), 1U);
  EXPECT_THAT(sentences(quick, quick).front(), HasSubstr("in every model"));
}

TEST(Oscillation, saysWhichModelLeftTheRealNumbers) {
  const machine::MachineModel model = harvester().model;
  const analysis::Recording calm = recorded(model, [](double) { return 0.0; });
  const std::vector<std::string> sentences = analysis::stability_sentences(
      model, {{"full", true, 3.5, &calm}, {"reduced", false, 20.0, &calm}});
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_THAT(sentences.front(),
              HasSubstr("full model is unstable: it leaves the real numbers at 3.5 s"));
}

}  // namespace
}  // namespace knuckleboom::app
