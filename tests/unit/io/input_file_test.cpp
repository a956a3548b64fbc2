#include "knuckleboom/io/input_file.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom::io {
namespace {

using command::LeverAxis;
using testing::HasSubstr;
using training::Command;
using training::CommandKind;
using training::InputEvent;
using training::InputEventKind;

int index(LeverAxis axis) { return static_cast<int>(axis); }

std::string complaint(const std::string& text) {
  return test::joined(test::faults([&] { read_input_text(text, "hands.csv"); }));
}

// Every kind of event, and numbers that are hard to write down.
std::vector<InputEvent> hard_events() {
  std::vector<InputEvent> events;
  const auto add = [&](std::int64_t tick, InputEventKind kind) -> InputEvent& {
    InputEvent event{};
    event.tick = tick;
    event.kind = kind;
    if (!events.empty()) event.input = events.back().input;
    events.push_back(event);
    return events.back();
  };
  const auto command = [&](std::int64_t tick, CommandKind kind, int value) {
    add(tick, InputEventKind::kCommand).command = {kind, value};
  };
  add(0, InputEventKind::kInput).input.axis[3] = 0.1;
  const double hard[] = {1.0 / 3.0,
                         -0.0,
                         std::numeric_limits<double>::denorm_min(),
                         -std::numeric_limits<double>::min(),
                         std::nextafter(1.0, 0.0),
                         -1.0,
                         -1.0,
                         5e-324,
                         0.1 + 0.2};
  std::int64_t tick = 17;
  for (const double value : hard) {
    InputEvent& event = add(tick, InputEventKind::kInput);
    event.input.axis[tick % command::kLeverAxes] = value;
    tick += 13;
  }
  events.push_back(events.back());  // nothing moved
  for (int mode = 0; mode < command::kControlModes; ++mode)
    command(tick, CommandKind::kControlMode, mode);
  command(tick, CommandKind::kFidelity, static_cast<int>(machine::Fidelity::kFull));
  command(tick, CommandKind::kFidelity, static_cast<int>(machine::Fidelity::kReduced));
  command(tick, CommandKind::kRestart, 0);
  add(tick, InputEventKind::kInput).input.axis[9] = -0.7;
  add(1'000'000'000'000, InputEventKind::kEnd);
  // Only what belongs to an event is kept.
  for (InputEvent& event : events) {
    if (event.kind != InputEventKind::kInput) event.input = {};
  }
  return events;
}

TEST(InputFile, anEmptyOneIsNamedInPlainEnglish) {
  EXPECT_EQ(complaint(""), "hands.csv: the file is empty; expected an input file\n");
}

TEST(InputFile, comesBackBitByBit) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "hands.csv";
  const std::vector<InputEvent> events = hard_events();
  InputHeader header;
  header.program = "knuckleboom 1.2.3";
  header.exercise = "logs";
  header.exercise_hash = {"00112233445566778899aabbccddeeff"};
  header.machine = "a machine of two\nlines";
  header.machine_hash = {"ffeeddccbbaa99887766554433221100"};
  header.levers = "excavator";
  header.rate_Hz = 1.0 / 3e-3;
  header.remarks = {"by hand", "weather: rain"};
  InputWriter writer(path, header);
  // In pieces, as they are drained.
  writer.write(std::span(events).first(3));
  writer.write({});
  writer.write(std::span(events).subspan(3));
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.close();

  const InputFile back = read_input(path, 50.0);
  ASSERT_EQ(back.events.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_TRUE(test::same_bytes(back.events[i], events[i])) << i;
  EXPECT_EQ(back.header.program, header.program);
  EXPECT_EQ(back.header.exercise, header.exercise);
  EXPECT_EQ(back.header.exercise_hash, header.exercise_hash);
  EXPECT_EQ(back.header.machine, "a machine of two lines");
  EXPECT_EQ(back.header.machine_hash, header.machine_hash);
  EXPECT_EQ(back.header.levers, header.levers);
  EXPECT_EQ(back.header.levers_hash.hex, "");
  EXPECT_EQ(back.header.rate_Hz, header.rate_Hz);
  EXPECT_EQ(back.header.remarks, header.remarks);
}

TEST(InputFile, keepsTheSeedOfTheFaults) {
  const test::TemporaryFolder folder;
  InputHeader header;
  header.fault_seed = 18446744073709551615U;
  InputWriter(folder.path() / "a.csv", header).close();
  EXPECT_EQ(read_input(folder.path() / "a.csv").header.fault_seed, header.fault_seed);
  EXPECT_FALSE(read_input_text("tick,left_y\n0,1\n", "b.csv").header.fault_seed.has_value());
  EXPECT_THROW(read_input_text("# fault_seed: -1\ntick,left_y\n0,1\n", "c.csv"), FileError);
}

// Whoever comes second, even if both began when nothing was there.
TEST(InputFile, writesOverNothing) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.csv";
  InputHeader one, two;
  one.exercise = "one";
  two.exercise = "two";
  InputWriter first(path, one), second(path, two);
  EXPECT_EQ(first.close(), path);
  EXPECT_EQ(second.close(), folder.path() / "a-2.csv");
  EXPECT_EQ(read_input(path).header.exercise, "one");
  EXPECT_EQ(read_input(folder.path() / "a-2.csv").header.exercise, "two");
}

TEST(InputFile, writesOnlyWhatMoved) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "hands.csv";
  std::vector<InputEvent> events(4);
  events[1].tick = 250;
  events[1].input.axis[index(LeverAxis::kRightY)] = -0.25;
  events[2].tick = 300;
  events[2].input = events[1].input;
  events[2].input.buttons = 1 | 1 << 15;
  events[3].tick = 301;
  events[3].input = events[1].input;
  InputWriter writer(path, {});
  writer.write(events);
  writer.close();
  const InputFile back = read_input(path);
  ASSERT_EQ(back.events.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(back.events[i].input, events[i].input) << i;
  EXPECT_THAT(complaint("tick,buttons\n0,left_1+knob\n"),
              HasSubstr("hands.csv:2:3: column 'buttons': 'knob' is no button"));
  EXPECT_EQ(test::slurp(path),
            "# knuckleboom input 1\n"
            "tick,left_x,left_y,left_twist,right_x,right_y,right_twist,left_pedal,right_pedal,"
            "left_rocker,right_rocker,buttons,command\n"
            "0,0,0,0,0,0,0,0,0,0,0,,\n"
            "250,,,,,-0.25,,,,,,,\n"
            "300,,,,,,,,,,,left_1+panel_8,\n"
            "301,,,,,,,,,,,none,\n");
}

TEST(InputFile, mayBeWrittenByHand) {
  const InputFile file = read_input_text(
      "# lift, then swing\n"
      "t_s, right_y, left_x, command\n"
      "0,   ,        ,      control_mode:boom_tip\n"
      "0.5, -0.6,    ,\n"
      "\n"
      "2.0004,  0,   +1,    restart\r\n"
      "3.7,  ,       ,      end\n",
      "hands.csv", 500.0);
  EXPECT_EQ(file.header.rate_Hz, 500.0);
  EXPECT_EQ(file.header.remarks, std::vector<std::string>{"lift, then swing"});
  const std::vector<InputEvent>& e = file.events;
  ASSERT_EQ(e.size(), 5U);
  EXPECT_EQ(e[0].tick, 0);
  EXPECT_EQ(e[0].kind, InputEventKind::kCommand);
  EXPECT_EQ(e[0].command.value, static_cast<int>(command::ControlMode::kBoomTip));
  EXPECT_EQ(e[1].tick, 250);
  EXPECT_EQ(e[1].input.axis[index(LeverAxis::kRightY)], -0.6);
  EXPECT_EQ(e[1].input.axis[index(LeverAxis::kLeftX)], 0.0);
  // The command of a line comes before its levers; an empty field holds what was there.
  EXPECT_EQ(e[2].tick, 1000);
  EXPECT_EQ(e[2].command.kind, CommandKind::kRestart);
  EXPECT_EQ(e[3].tick, 1000);
  EXPECT_EQ(e[3].input.axis[index(LeverAxis::kLeftX)], 1.0);
  EXPECT_EQ(e[4].kind, InputEventKind::kEnd);
  EXPECT_EQ(e[4].tick, 1850);
}

TEST(InputFile, saysItselfHowLongATickIs) {
  const std::string text = "# rate_Hz: 250\nt_s,left_x\n1,0.5\n";
  const InputFile file = read_input_text(text, "hands.csv", 1000.0);
  EXPECT_EQ(file.header.rate_Hz, 250.0);
  EXPECT_EQ(file.events.at(0).tick, 250);
  EXPECT_EQ(training::InputPlayback(file.events).end_tick(), -1);
}

TEST(InputFile, callsAxesAsLeverFilesDo) {
  for (int i = 0; i < command::kLeverAxes; ++i) {
    const std::string name = command::kLeverAxisNames[i];
    const InputFile input = read_input_text("tick," + name + "\n5,0.5\n", "hands.csv");
    EXPECT_EQ(input.events.at(0).input.axis[i], 0.5) << name;
    const LeverFile levers = read_levers_text(
        "name = \"one\"\n[[function]]\naxis = \"" + name + "\"\njoint = \"boom\"\nfull_V = 10.0\n",
        "levers.toml");
    EXPECT_EQ(static_cast<int>(levers.pattern.functions.at(0).axis), i) << name;
  }
}

TEST(InputFile, saysWhatIsWrongAndWhere) {
  const std::string start = "tick,left_x,command\n0,0.5,\n";
  EXPECT_EQ(complaint(start + "10,1.5,\n"),
            "hands.csv:3:4: column 'left_x': '1.5' is not a lever position from -1 to 1\n");
  EXPECT_THAT(complaint(start + "10,nan,\n"), HasSubstr("hands.csv:3:4: "));
  EXPECT_THAT(complaint(start + "10,fast,\n"), HasSubstr("'fast' is not a lever position"));
  EXPECT_EQ(complaint(start + "1.5,0,\n"),
            "hands.csv:3:1: column 'tick': '1.5' is not a whole number from 0\n");
  EXPECT_THAT(complaint(start + "-1,0,\n"), HasSubstr("not a whole number from 0"));
  EXPECT_THAT(complaint(start + "99999999999999999999,0,\n"), HasSubstr("not a whole number"));
  EXPECT_EQ(complaint(start + "10,0,jump\n"),
            "hands.csv:3:6: there is no command 'jump'; known are control_mode:valve, "
            "control_mode:joint_rate, control_mode:boom_tip, fidelity:reduced, fidelity:paper, "
            "fidelity:full, restart, fault:NUMBER, clear_fault:NUMBER, diagnose:NUMBER, end\n");
  EXPECT_EQ(
      complaint(start + "10,0\n"),
      "hands.csv:3:1: this line has 2 fields, but there are 3 columns; the line may have been "
      "cut off\n");
  EXPECT_THAT(complaint(start + "10,0,,\n"), HasSubstr("this line has 4 fields"));
  EXPECT_EQ(complaint("tick,left_x\n10,0\n9,0\n"),
            "hands.csv:3:1: this line is earlier than the one before it; sort the lines by time\n");
  EXPECT_THAT(complaint(start + "10,,end\n10,0,\n"),
              HasSubstr("hands.csv:4:1: this line follows the end"));
  EXPECT_THAT(complaint(start + "10,0,end\n"), HasSubstr("cannot move a lever"));
  EXPECT_THAT(complaint("tick,left_z\n"), HasSubstr("hands.csv:1:6: there is no column 'left_z'"));
  EXPECT_THAT(complaint("tick,left_x,left_x\n"), HasSubstr("there are two columns 'left_x'"));
  EXPECT_THAT(complaint("left_x\n0\n"), HasSubstr("hands.csv:1:1: there is no time"));
  EXPECT_THAT(complaint("tick,t_s\n"), HasSubstr("there are two times"));
  EXPECT_THAT(complaint("# nothing\n"), HasSubstr("there is no line of column names"));
  EXPECT_EQ(complaint("# knuckleboom input 2\ntick\n"),
            "hands.csv:1:1: this is input format '2', but this program reads format 1; use the "
            "program that wrote it\n");
  EXPECT_THAT(complaint("# rate_Hz: 0\ntick\n"), HasSubstr("hands.csv:1:1: 'rate_Hz' is '0'"));
  EXPECT_THAT(complaint("# rate_Hz: often\ntick\n"), HasSubstr("'rate_Hz' is 'often'"));
  EXPECT_THAT(complaint("t_s\n# rate_Hz: 500\n"), HasSubstr("must stand before"));
  EXPECT_THAT(complaint("t_s\n-0.5\n"), HasSubstr("is not a number of seconds from 0"));
  EXPECT_THAT(complaint("t_s\n1e300\n"), HasSubstr("is not a number of seconds from 0"));
  EXPECT_THAT(complaint(std::string("tick\n\0\n", 7)), HasSubstr("hands.csv"));
}

TEST(InputFile, tellsSeveralFaultsAtOnceButNotThousands) {
  std::string text = "tick,left_x\n";
  for (int i = 0; i < 1000; ++i) text += "x,y\n";
  const auto diagnostics = test::faults([&] { read_input_text(text, "hands.csv"); });
  EXPECT_EQ(diagnostics.size(), 20U);
  EXPECT_EQ(diagnostics.back().line, 11);
}

TEST(InputFile, refusesACommandItCannotName) {
  const test::TemporaryFolder folder;
  InputWriter writer(folder.path() / "hands.csv", {});
  InputEvent event{};
  event.kind = InputEventKind::kCommand;
  event.command = {CommandKind::kControlMode, 99};
  EXPECT_THROW(writer.write({&event, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace knuckleboom::io
