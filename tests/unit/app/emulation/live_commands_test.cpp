// The command language of a running emulation: meaning of a line, and messages for invalid ones.
#include "app/emulation/live_commands.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/emulation/load_emulation.hpp"
#include "app/shell/exit_status.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "support/paths.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilCommandKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = ConsoleCommand::Kind;

const emulation::HilBench& bench() {
  static const emulation::HilBench it = [] {
    EmulateOptions options;
    options.scenario = KNUCKLEBOOM_SOURCE_DIR "/config/emulations/peg_on_plane.toml";
    std::vector<exchange::SignalRule> rules(3);
    rules[0].name = "operator.x";
    rules[1].name = "host.base.position";
    rules[2].name = "host.base.speed";
    return emulation::HilBench(load_emulation(options).plan, rules);
  }();
  return it;
}

std::string refusal(const std::string& text) {
  try {
    parse_command(bench(), text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "taken";
}

TEST(LiveCommands, MeanWhatTheySay) {
  const auto kind = [](const char* text) { return parse_command(bench(), text).bench.at(0).kind; };
  EXPECT_EQ(kind("run"), HilCommandKind::kRun);
  EXPECT_EQ(kind("  hold "), HilCommandKind::kHold);
  EXPECT_EQ(kind("stop\r"), HilCommandKind::kStop);
  EXPECT_EQ(kind("reset"), HilCommandKind::kReset);
  EXPECT_EQ(parse_command(bench(), "quit").kind, Kind::kQuit);
  EXPECT_EQ(parse_command(bench(), "snapshot").file, "");
  EXPECT_EQ(parse_command(bench(), "snapshot a.csv").file, "a.csv");
  EXPECT_TRUE(parse_command(bench(), "log on").on);
  EXPECT_FALSE(parse_command(bench(), "log off").on);
}

TEST(LiveCommands, TuneByName) {
  const emulation::HilCommand set = parse_command(bench(), "set control.damping 0.7").bench.at(0);
  EXPECT_EQ(set.kind, HilCommandKind::kTune);
  EXPECT_EQ(bench().tunables()[static_cast<std::size_t>(set.index)].name, "control.damping");
  EXPECT_EQ(set.value, 0.7);
  EXPECT_EQ(parse_command(bench(), "set control.scheme position").bench.at(0).value, 0.0);
  EXPECT_EQ(parse_command(bench(), "set control.scheme acceleration").bench.at(0).value, 1.0);
  EXPECT_THAT(refusal("set control.dampin 1"), HasSubstr("did you mean 'control.damping'?"));
  EXPECT_THAT(refusal("set control.damping much"), HasSubstr("'much' is no number"));
  EXPECT_THAT(refusal("set control.damping nan"), HasSubstr("no number"));
  EXPECT_THAT(refusal("set control.damping 11"), HasSubstr("from 0 to 10"));
  EXPECT_THAT(refusal("set sensor.delay_ticks 1.5"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("set control.damping"), HasSubstr("set NAME VALUE"));
}

TEST(LiveCommands, ChooseSources) {
  const ConsoleCommand some = parse_command(bench(), "source host.* network");
  ASSERT_EQ(some.bench.size(), 2U);
  EXPECT_EQ(some.bench[0].index, 1);
  EXPECT_EQ(some.bench[1].index, 2);
  EXPECT_EQ(some.bench[0].value, 2.0);
  EXPECT_EQ(parse_command(bench(), "source operator.x simulated").bench.at(0).value, 0.0);
  EXPECT_THAT(refusal("source operator.y log"), HasSubstr("did you mean 'operator.x'?"));
  EXPECT_THAT(refusal("source operator.x netwerk"), HasSubstr("did you mean 'network'?"));
}

TEST(LiveCommands, ShowByPattern) {
  EXPECT_EQ(parse_command(bench(), "show tip.? time").signals.size(), 4U);
  EXPECT_THAT(refusal("show tip.q"), HasSubstr("the emulation has no signal 'tip.q'"));
  EXPECT_THAT(refusal("show nothing*"), HasSubstr("no signal fits 'nothing*'"));
}

TEST(LiveCommands, RefuseInOneSentence) {
  EXPECT_THAT(refusal("rum"), HasSubstr("there is no command 'rum'; did you mean 'run'?"));
  EXPECT_THAT(refusal(""), HasSubstr("no command"));
  EXPECT_THAT(refusal("run fast"), HasSubstr("it is 'run'"));
  EXPECT_THAT(refusal("log maybe"), HasSubstr("'log on' or 'log off'"));
}

TEST(LiveCommands, OfAFileStandAtTheirTicks) {
  const auto list =
      read_commands_text(bench(), "# a script\n\n0 run\n0.25  hold # rest\n2.0004 stop", "f");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].tick, 0);
  EXPECT_EQ(list[1].tick, 250);
  EXPECT_EQ(list[1].command.text, "hold");
  EXPECT_EQ(list[2].tick, 2000);
}

TEST(LiveCommands, OfAFileAreAllCheckedAtOnce) {
  try {
    read_commands_text(bench(), "run\n1 rum\n0.5 hold\nnan stop\n-1 stop\n", "f.txt");
    FAIL();
  } catch (const io::FileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("f.txt:1: 'run' is no time"),
                                    HasSubstr("f.txt:2: there is no command 'rum'"),
                                    HasSubstr("f.txt:3: 0.5 s is before the line above, 1 s"),
                                    HasSubstr("f.txt:4: 'nan' is no time"),
                                    HasSubstr("f.txt:5: '-1' is no time")));
  }
}

TEST(LiveCommands, AreCompleted) {
  EXPECT_THAT(completions_of(bench(), "so"), ElementsAre("source"));
  EXPECT_THAT(completions_of(bench(), "source host.base.p"), ElementsAre("host.base.position"));
  EXPECT_THAT(completions_of(bench(), "source operator.x "),
              ElementsAre("simulated", "log", "network"));
  EXPECT_THAT(completions_of(bench(), "set control.d"), ElementsAre("control.damping"));
}

}  // namespace
}  // namespace knuckleboom::app
