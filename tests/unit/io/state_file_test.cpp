#include "knuckleboom/io/state_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

const ContentHash kMachine{"0123456789abcdef0123456789abcdef"};
const ContentHash kScenario{"fedcba9876543210fedcba9876543210"};

sim::SimState some_state() {
  sim::SimState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.tick = 12345;
  state.fidelity = machine::Fidelity::kFull;
  state.machine.q[1] = 0.1;
  state.gains[0].Kp = 40.0;
  state.payload[3].event = -1;
  return state;
}

class StateFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("knuckleboom_state_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ / "a.state";
    write_state(path_, some_state(), kMachine, kScenario);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void overwrite(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Message on reading the file; empty if it is accepted.
  std::string complaint(const ContentHash& machine = kMachine,
                        const ContentHash& scenario = kScenario) const {
    try {
      read_state(path_, machine, scenario);
    } catch (const FileError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path_.string() + ": ")) << error.what();
      return error.what();
    }
    return {};
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  fs::path folder_, path_;
};

TEST_F(StateFile, givesBackTheSameBits) {
  const sim::SimState state = read_state(path_, kMachine, kScenario);
  EXPECT_EQ(state.tick, 12345);
  EXPECT_EQ(state_hash(state), state_hash(some_state()));
  EXPECT_EQ(state_hash(state).size(), 16U);
}

TEST_F(StateFile, hashSeesEveryValue) {
  sim::SimState state = some_state();
  state.machine.q[1] = 0.1 + 1e-19;  // the same double
  EXPECT_EQ(state_hash(state), state_hash(some_state()));
  state.machine.actuator[2].P_hold[1] = 1e-300;
  EXPECT_NE(state_hash(state), state_hash(some_state()));
}

TEST_F(StateFile, keepsEveryByteOfTheValues) {
  sim::SimState full = some_state();
  std::memset(static_cast<void*>(&full.machine), 0x3F, sizeof full.machine);
  std::memset(static_cast<void*>(full.pid), 0x3F, sizeof full.pid);
  std::memset(static_cast<void*>(full.override_command), 0x3F, sizeof full.override_command);
  for (control::PidGains& gains : full.gains) {
    gains.Ki = 1.1;
    gains.tracking_time_s = 2.2;
    gains.period_ticks = 0x01020304;
  }
  write_state(path_, full, kMachine, kScenario);
  const sim::SimState back = read_state(path_, kMachine, kScenario);
  EXPECT_EQ(std::memcmp(&back.machine, &full.machine, sizeof full.machine), 0);
  EXPECT_EQ(std::memcmp(back.pid, full.pid, sizeof full.pid), 0);
  EXPECT_EQ(std::memcmp(back.override_command, full.override_command, sizeof full.override_command),
            0);
  for (const control::PidGains& gains : back.gains) {
    EXPECT_EQ(gains.Ki, 1.1);
    EXPECT_EQ(gains.tracking_time_s, 2.2);
    EXPECT_EQ(gains.period_ticks, 0x01020304);
  }
}

TEST_F(StateFile, refusesAnotherMachineOrScenario) {
  EXPECT_TRUE(says(complaint(kScenario, kScenario), "another machine"));
  EXPECT_TRUE(says(complaint(kMachine, kMachine), "another scenario"));
}

TEST_F(StateFile, refusesWhatIsDamaged) {
  const std::string good = bytes();
  for (const std::size_t at :
       {std::size_t{20}, std::size_t{60}, std::size_t{130}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    overwrite(bad);
    EXPECT_TRUE(says(complaint(), "damaged")) << at;
  }
  for (const std::size_t size :
       {std::size_t{9}, std::size_t{159}, std::size_t{160}, good.size() - 1}) {
    overwrite(good.substr(0, size));
    EXPECT_TRUE(says(complaint(), "cut short")) << size;
  }
  overwrite(good + "x");
  EXPECT_TRUE(says(complaint(), "longer"));
}

TEST_F(StateFile, refusesWhatIsNoStateOfThisVersion) {
  std::string other = bytes();
  other[8] = static_cast<char>(other[8] + 1);  // the format
  overwrite(other);
  EXPECT_TRUE(says(complaint(), "another version"));
  overwrite("t_s,a\n0,1\n");
  EXPECT_TRUE(says(complaint(), "not a state file"));
  overwrite("");
  EXPECT_TRUE(says(complaint(), "not a state file"));
  fs::remove(path_);
  EXPECT_TRUE(says(complaint(), "no such file"));
  fs::create_directory(path_);
  EXPECT_TRUE(says(complaint(), "not a regular file"));
}

TEST_F(StateFile, leavesAnOldFileWhenItCannotBeWritten) {
  EXPECT_THROW(write_state(folder_ / "no" / "a.state", some_state(), kMachine, kScenario),
               FileError);
}

}  // namespace
}  // namespace knuckleboom::io
