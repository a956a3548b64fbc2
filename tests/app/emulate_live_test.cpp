// knuckleboom emulate --live as a user runs it: scripts, a second process in the loop, watchdogs, safe states.
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "knuckleboom/io/trace.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "support/small_disk.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kSignals = KNUCKLEBOOM_SOURCE_DIR "/config/signals/";

void pause(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

class EmulateLive : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    write_text(folder_ / name, text);
    return file(name);
  }
  // A shipped signal file at other ports, so that no run of the user's is in the way, and as patient.
  std::string at_ports(const std::string& name,
                       const std::vector<std::pair<const char*, const char*>>& ports) const {
    std::string text = content_of(kSignals + name);
    for (const auto& [from, to] : ports) text = std::regex_replace(text, std::regex(from), to);
    text = std::regex_replace(text, std::regex("stale_ms = 20\n"), "");
    const char* patient = "direction = \"in\"\nstale_ms = 400";
    return write(name, std::regex_replace(text, std::regex("direction = \"in\""), patient));
  }
  static std::vector<std::string> live(std::vector<std::string> arguments, bool patient = true) {
    arguments.insert(arguments.begin(), {"emulate", "peg_on_plane", "--live"});
    return patient ? patiently(arguments) : arguments;
  }

  const TemporaryFolder folder_;
};

// Behind the first `name` in a text.
double number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  EXPECT_NE(at, std::string::npos) << name << " in\n" << text;
  return at == std::string::npos ? 0.0 : std::stod(text.substr(at + name.size()));
}

std::string state_of(const std::string& output) {
  const std::size_t at = output.find("State after it: ");
  return at == std::string::npos ? "" : output.substr(at + 16, 16);
}

// The value of a signal in a snapshot.
double in_snapshot(const std::string& text, const std::string& name) {
  return number_after(text, "\n" + name + ",");
}

TEST_F(EmulateLive, ScriptGivesTheSameBitsTwiceAndFromItsRecording) {
  const std::string script =
      write("s.txt",
            "0.2 run\n1 set control.damping 0.8\n2 hold\n2.5 run\n3 stop\n3.2 "
            "reset\n3.4 run\n4 quit\n");
  const std::string recording = file("r.kbe"), log = file("l.csv"), again = file("l2.csv");
  const Outcome one = run(live({"--no-pace", "--commands", script, "--record", recording, "--log",
                                log, "--log-every", "7"}));
  ASSERT_EQ(one.status, 0) << one.errors;
  const Outcome two = run(live({"--no-pace", "--commands", script}));
  EXPECT_EQ(state_of(one.output).size(), 16U);
  EXPECT_EQ(state_of(one.output), state_of(two.output));
  EXPECT_THAT(one.output, AllOf(HasSubstr("4000 ticks"), HasSubstr("it ran 3 times, held 2 times"),
                                HasSubstr("Tuned: control.damping 0.8 (was 1)")));
  const Outcome replay =
      run({"emulate", "--replay", recording, "--log", again, "--log-every", "7"});
  EXPECT_EQ(replay.status, 0) << replay.errors;
  EXPECT_THAT(replay.output, HasSubstr(state_of(one.output)));
  EXPECT_EQ(content_of(log), content_of(again));
}

TEST_F(EmulateLive, RealTimeAndAsFastAsItGoesAreTheSame) {
  const std::string script = write("s.txt", "0.1 run\n0.7 hold\n0.9 quit\n");
  const Outcome paced = run(live({"--commands", script}));
  const Outcome fast = run(live({"--commands", script, "--no-pace"}));
  ASSERT_EQ(paced.status, 0) << paced.errors;
  EXPECT_EQ(state_of(paced.output), state_of(fast.output));
}

TEST_F(EmulateLive, EmergencyStopIsNeutralWithBrakes) {
  const std::string running = file("a.csv"), stopped = file("b.csv");
  const std::string script =
      write("s.txt", "0 run\n1 snapshot " + running + "\n1 stop\n1.01 snapshot " + stopped +
                         "\n1.02 run\n1.5 quit\n");
  const Outcome outcome = run(live({"--no-pace", "--commands", script}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("1.000 s: stopped: as asked"),
                                    HasSubstr("not possible: it is stopped; reset it first")));
  EXPECT_EQ(in_snapshot(content_of(running), "mode"), 1.0);
  EXPECT_NE(in_snapshot(content_of(running), "host.shoulder.valve"), 0.0);
  const std::string text = content_of(stopped);
  EXPECT_THAT(text, HasSubstr("name,value,unit,source,stale,tick"));
  EXPECT_EQ(in_snapshot(text, "mode"), 3.0);
  EXPECT_EQ(in_snapshot(text, "host.brake"), 1.0);
  for (const char* joint : {"base", "shoulder", "elbow", "roll", "pitch", "turn"})
    EXPECT_EQ(in_snapshot(text, std::string("host.") + joint + ".valve"), 0.0);
}

// The operator's speed passes from the plan's to a log's and back without a step.
TEST_F(EmulateLive, SourcesChangeWithoutABump) {
  const std::string signals =
      write("s.toml",
            "[[signal]]\nname = \"operator.x\"\ndirection = \"in\"\nleast = "
            "-0.1\nmost = 0.1\nsource = \"simulated\"\nstale_s = 10\n");
  const std::string played = write("p.csv", "t_s,operator.x\n0,-0.05\n9,-0.05\n");
  const std::string log = file("l.csv");
  const std::string script =
      write("c.txt", "0 run\n1 source operator.x log\n2 source operator.* simulated\n3 quit\n");
  const Outcome outcome =
      run(live({"--no-pace", "--signals", signals, "--played", played, "--commands", script,
                "--log", log, "--log-signals", "operator.x,target.vx"}));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const io::Trace trace = io::read_trace(log);
  const std::vector<double>& x = trace.column("operator.x");
  ASSERT_EQ(x.size(), 3000U);
  EXPECT_NEAR(x[900], 0.015, 1e-12);
  EXPECT_NEAR(x[1900], -0.05, 1e-12);
  EXPECT_NEAR(x[2900], 0.015, 1e-12);
  double largest = 0.0;
  for (std::size_t i = 1; i < x.size(); ++i)
    largest = std::max(largest, std::fabs(x[i] - x[i - 1]));
  EXPECT_LE(largest, 1.5 * 0.065 / 200 * 1.01);  // within 0.2 s, smoothly
}

TEST_F(EmulateLive, StandSteersThenFallsSilent) {
  const std::string signals = at_ports("operator_stand.toml", {{"47811", "47511"}});
  const std::string wave = write("w.csv", "t_s,operator.x\n0,-0.02\n60,-0.02\n");
  Program stand(with_key({"--signals", signals, "--log", wave}), {}, peer_binary());
  const std::string script = write("c.txt", "0.3 run\n2.9 show tip.x\n");
  Program bench(with_key(live({"--signals", signals, "--commands", script, "--duration", "3"})));
  EXPECT_TRUE(bench.says("running: as asked"));
  pause(1700);
  stand.send(SIGTERM);
  const Outcome peer = stand.wait();
  const Outcome outcome = bench.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("all received"), HasSubstr("silent: operator.x"),
                    HasSubstr("At the end running"), HasSubstr("and 3 more: silent 1 time.")));
  EXPECT_GT(number_after(outcome.output, "Packets: "), 500.0);
  // The other way: the plan has 15 mm/s, the stand has -20.
  EXPECT_LT(number_after(outcome.output, "tip.x "), -0.005);
  EXPECT_THAT(peer.output, HasSubstr("mode: 1, stale"));
}

TEST_F(EmulateLive, SaysItsSafeValuesLast) {
  const std::string signals = at_ports("operator_stand.toml", {{"47811", "47521"}});
  Program stand(with_key({"--signals", signals}), {}, peer_binary());
  Program bench(with_key(live({"--signals", signals, "--commands", write("c.txt", "0.3 run\n")})));
  EXPECT_TRUE(bench.says("running: as asked"));
  pause(300);
  bench.send(SIGINT);
  const Outcome outcome = bench.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("At the end running"));
  stand.send(SIGTERM);
  EXPECT_THAT(stand.wait().output, HasSubstr("mode: 3"));
}

// The host in a separate process: followed, and stopped when it dies.
TEST_F(EmulateLive, HostInAnotherProcessIsFollowedAndItsSilenceStops) {
  const std::string ours = at_ports("host_in_hardware.toml", {{"47801", "47531"}});
  const std::string rig = at_ports("host_rig.toml", {{"47802", "47532"}, {"47801", "47531"}});
  const std::string script = write("c.txt", "1 run\n3 show tip_error tip.x\n");
  const std::string recording = file("r.kbe");
  Program bench(with_key(live({"--signals", ours, "--commands", script, "--record", recording})));
  pause(100);
  Program host(with_key(live({"--signals", rig})));
  EXPECT_TRUE(bench.says("running: as asked"));
  pause(2800);
  host.send(SIGKILL);
  host.wait();
  pause(500);
  bench.send(SIGINT);
  const Outcome outcome = bench.wait();
  EXPECT_EQ(outcome.status, 4) << outcome.errors;  // stopped by itself
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("running: as asked"),
                                    HasSubstr("stopped: signal 'host.base.position' is silent")));
  EXPECT_LT(number_after(outcome.output, "tip_error "), 1e-3);
  const Outcome replay = run({"emulate", "--replay", recording});
  EXPECT_EQ(replay.status, 0) << replay.output;
  EXPECT_THAT(replay.output, HasSubstr(state_of(outcome.output)));
}

TEST_F(EmulateLive, StopsWhenItWasSuspended) {
  Program bench(
      live({"--commands", write("c.txt", "0 run\n"), "--set", "safety.late_tick_ms=300"}, false));
  EXPECT_TRUE(bench.says("running: as asked"));
  pause(200);
  bench.send(SIGSTOP);
  pause(700);
  bench.send(SIGCONT);
  pause(300);
  bench.send(SIGTERM);
  const Outcome outcome = bench.wait();
  EXPECT_EQ(outcome.status, 4) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("stopped: a tick started"));
}

// A terminal of its own, with the program behind it.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& arguments) {
    winsize size{40, 120, 0, 0};
    child_ = forkpty(&master_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    std::vector<char*> argv = {const_cast<char*>("knuckleboom")};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(KNUCKLEBOOM_BINARY, argv.data());
    _exit(127);
  }
  ~Terminal() {
    if (child_ > 0) kill(child_, SIGKILL), waitpid(child_, nullptr, 0);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) const {
    ASSERT_EQ(write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // Until it says so, or for 20 s.
  bool says(const std::string& text) {
    for (int k = 0; k < 400 && output_.find(text) == std::string::npos; ++k) {
      pollfd in{master_, POLLIN, 0};
      if (poll(&in, 1, 50) <= 0) continue;
      char bytes[4096];
      const ssize_t count = read(master_, bytes, sizeof bytes);
      if (count <= 0) break;
      output_.append(bytes, static_cast<std::size_t>(count));
    }
    return output_.find(text) != std::string::npos;
  }
  bool line_by_line() const {
    termios now{};
    return tcgetattr(master_, &now) == 0 && (now.c_lflag & ICANON) != 0 &&
           (now.c_lflag & ECHO) != 0;
  }
  int wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  const std::string& output() const { return output_; }

 private:
  pid_t child_ = -1;
  int master_ = -1;
  std::string output_;
};

TEST_F(EmulateLive, IsHandledAtATerminal) {
  Terminal terminal(live({}));
  ASSERT_TRUE(terminal.says("added by the loop"));  // the block
  EXPECT_FALSE(terminal.line_by_line());
  terminal.type("ru\t\r");
  EXPECT_TRUE(terminal.says("running: as asked\r\n"));
  terminal.type("set control.dam\t0.5\r");
  EXPECT_TRUE(terminal.says("control.damping 0.5 (was 1)"));
  terminal.type("rum\r");
  EXPECT_TRUE(terminal.says("did you mean 'run'?"));
  terminal.type(" ");
  EXPECT_TRUE(terminal.says("stopped: as asked\r\n"));
  terminal.type("\x03");  // Ctrl-C
  EXPECT_TRUE(terminal.says("State after it: ")) << terminal.output();
  EXPECT_TRUE(terminal.line_by_line());
  EXPECT_EQ(terminal.wait(), 0) << terminal.output();
}

// A snapshot overwrites nothing that is read or recorded; a failed log leaves the recording
// complete.
TEST_F(EmulateLive, LosesNothingToASnapshotOrALogThatFails) {
  const std::string recording = file("r.kbe"), script = file("s.txt");
  const std::string text =
      "0 run\n0.1 snapshot " + script + "\n0.1 snapshot " + recording + "\n0.2 quit\n";
  write("s.txt", text);
  const Outcome outcome = run(live({"--no-pace", "--commands", script, "--record", recording}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("snapshot would write over a file that is read"),
                                    HasSubstr("two outputs, --record and snapshot")));
  EXPECT_EQ(content_of(script), text);
  EXPECT_EQ(run({"emulate", "--replay", recording}).status, 0);

  const std::string small = file("small");
  const SmallDisk disk(small, 65536);
  if (!disk.mounted()) GTEST_SKIP() << "no file system can be mounted here";
  const std::string whole = file("w.kbe");
  write("t.txt", "0 run\n9 quit\n");
  const Outcome full = run(live(
      {"--no-pace", "--commands", file("t.txt"), "--record", whole, "--log", small + "/l.csv"}));
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.errors, HasSubstr("No space left"));
  EXPECT_THAT(full.output, HasSubstr("Recorded in"));
  EXPECT_THAT(run({"emulate", "--replay", whole}).errors, Not(HasSubstr("cut off")));
}

TEST_F(EmulateLive, RefusesInOneSentence) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  EXPECT_THAT(refused({"emulate", "peg_on_plane", "--signals", "a.toml"}), HasSubstr("--live"));
  EXPECT_THAT(refused({"emulate", "peg_on_plane", "--log", "a.csv"}),
              HasSubstr("--log goes with --live or --replay"));
  EXPECT_THAT(refused(live({"--no-pace"})), HasSubstr("--no-pace needs --commands FILE"));
  EXPECT_THAT(refused(live({"--played", "a.csv"})), HasSubstr("--played needs --signals"));
  EXPECT_THAT(refused(live({"--commands", write("c.txt", "0 run\n1 rum\n")})),
              AllOf(HasSubstr("c.txt:2:"), HasSubstr("did you mean 'run'?")));
  const auto signal = [this](const char* name, const char* more) {
    return write("s.toml",
                 std::string("[[signal]]\ndirection = \"in\"\nname = \"") + name + "\"\n" + more);
  };
  EXPECT_THAT(refused(live({"--signals", signal("operater.x", "")})),
              AllOf(HasSubstr("s.toml:3:"), HasSubstr("did you mean 'operator.x'?")));
  EXPECT_THAT(refused(live({"--signals", signal("tip.x", "")})), HasSubstr("only observed"));
  EXPECT_THAT(refused(live({"--signals", signal("operator.x", "source = \"log\"\n")})),
              HasSubstr("--played"));
  EXPECT_THAT(refused(live({"--signals", signal("operator.x", "")})),
              HasSubstr("names neither udp nor can"));
  EXPECT_THAT(refused(live({"--signals", kSignals + "operator_stand.toml", "--no-pace",
                            "--commands", write("d.txt", "0 run\n")})),
              HasSubstr("which --no-pace does without"));
  EXPECT_THAT(refused(live({"--signals", kSignals + "operator_stand.toml", "--key", "none.key"})),
              HasSubstr("there is no key file none.key"));
  EXPECT_THAT(refused(live({"--log", file("l.csv"), "--log-signals", "tip.q"})),
              HasSubstr("no signal 'tip.q'"));
  EXPECT_EQ(folder_.entries(), (std::vector<std::string>{"c.txt", "d.txt", "s.toml"}));
}

TEST_F(EmulateLive, ShipsItsSignalFiles) {
  for (const char* name :
       {"operator_stand", "operator_stop_stand", "host_in_hardware", "host_rig", "motion_platform"})
    EXPECT_THAT(run({"check", kSignals + name + ".toml"}).output, HasSubstr("ok (signals"));
}

}  // namespace
}  // namespace knuckleboom::test
