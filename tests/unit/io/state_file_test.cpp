#include "knuckleboom/io/state_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <xxhash.h>

#include "knuckleboom/io/released_layouts.hpp"
#include "support/forged_state.hpp"
#include "support/machines.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeaderBytes = 184;  // the last 8 are the checksum

std::string with_checksum(std::string file) {
  const std::size_t before = kHeaderBytes - sizeof(std::uint64_t);
  const std::uint64_t sum = XXH3_64bits_withSeed(
      file.data() + kHeaderBytes, file.size() - kHeaderBytes, XXH3_64bits(file.data(), before));
  std::memcpy(file.data() + before, &sum, sizeof sum);
  return file;
}

const ContentHash kMachine{"0123456789abcdef0123456789abcdef"};
const ContentHash kScenario{"fedcba9876543210fedcba9876543210"};

const sim::Simulation& simulation() {
  static const sim::Simulation made(test::reference_machine(), test::stick_sine());
  return made;
}

sim::SimState some_state() {
  sim::SimState state = simulation().initial_state(machine::Fidelity::kFull);
  for (int i = 0; i < 1234; ++i) simulation().step(state);
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
      read_state(path_, machine, scenario, simulation());
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
  const sim::SimState state = read_state(path_, kMachine, kScenario, simulation());
  EXPECT_EQ(state.tick, 1234);
  EXPECT_EQ(state_hash(state), state_hash(some_state()));
  EXPECT_EQ(state_hash(state).size(), 16U);
}

TEST_F(StateFile, keepsEveryByteOfTheState) {
  const sim::SimState back = read_state(path_, kMachine, kScenario, simulation());
  EXPECT_TRUE(test::same_bytes(back, some_state()));
}

// As the programs before it wrote it: the header, then the bytes in memory.
TEST_F(StateFile, readsOneOfFormat6) {
  const sim::SimState state = some_state();
  const StateDescription before = released_layout("sim::SimState");
  std::string record(before.record_bytes(), '\0');
  ASSERT_EQ(record.size(), kSimBytes6);
  ASSERT_EQ(convert(state::struct_of<sim::SimState>(), &state, before.type(), record.data()), "");
  std::string file = bytes().substr(0, kHeaderBytes) + record;
  const std::uint32_t format = 6, size = kSimBytes6;
  std::memcpy(file.data() + 8, &format, sizeof format);
  std::memcpy(file.data() + 12, &size, sizeof size);
  overwrite(with_checksum(file));
  EXPECT_EQ(complaint(), "");
  EXPECT_TRUE(test::same_bytes(read_state(path_, kMachine, kScenario, simulation()), state));
}

TEST_F(StateFile, refusesForgedOnesThatHaveTheRightChecksum) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::SimState state = some_state();
    const test::Forgery forgery = test::forge(state, seed * 1000);
    write_state(path_, state, kMachine, kScenario);
    const std::string said = complaint();
    refused += said.empty() ? 0 : 1;
    if (forgery.certain) {
      EXPECT_TRUE(says(said, "cannot be one of this machine and scenario")) << forgery.what << said;
    }
  }
  EXPECT_GT(refused, 70);
}

TEST_F(StateFile, refusesADescriptionThatIsNone) {
  const std::string good = bytes();
  const std::size_t at = good.find("machine::MachineState q f8");
  ASSERT_NE(at, std::string::npos);
  std::string bad = good;
  bad[at + 22] = 'Q';  // a field that nobody knows
  overwrite(with_checksum(bad));
  EXPECT_TRUE(says(complaint(), "'machine.Q[1]', which this program does not know, is"))
      << complaint();
  bad = good;
  bad[at + 24] = 'g';  // a type that there is not
  overwrite(with_checksum(bad));
  EXPECT_TRUE(says(complaint(), "cannot be understood at 'q g8")) << complaint();
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
