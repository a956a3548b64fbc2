// Session files open without our code: h5py reads what we wrote.
#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/session_file.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::io {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             &::pclose);
  std::string out;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    out += buffer.data();
  return out;
}

// The system's own Python: h5py is a Debian package.
constexpr const char* kPython = "/usr/bin/python3";

TEST(SessionInPython, OpensAndSaysTheSame) {
  if (output_of(std::string(kPython) + " -c 'import h5py; print(\"here\")' 2>/dev/null") !=
      "here\n")
    GTEST_SKIP() << "h5py is not there (Debian: python3-h5py)";
  const test::TemporaryFolder folder;
  test::DescribedSession described = test::described_session("reach");
  described.header.learner = "Åsa";
  const auto input = test::random_input(3, 2500);
  test::record_session(described, input, folder / "s.h5");
  const SessionRecord record = read_session(folder / "s.h5");
  const std::string script = R"(
import h5py, sys
f = h5py.File(sys.argv[1], 'r')
print(f.attrs['learner'], f.attrs['rate_Hz'], f.attrs['end_tick'], f.attrs['complete'])
print(f['files/machine'].attrs['role'], len(f['files/machine'][()].decode()))
l = f['levers']
print(len(l), l['tick'][-1], repr(float(l['right_y'][-1])))
c = f['channels/tip_z_m']
print(c.attrs['unit'], len(c), repr(float(c[-1])), f['channels/tick'][-1])
print(f['states/bytes'].shape, f['hashes']['hash'][-1], f['attempts'].dtype.names[:4])
print(f['commands'].dtype['text'], f['events'].dtype.names[0])
)";
  const std::string got =
      output_of(std::string(kPython) + " -c \"" + script + "\" " + record.path.string() + " 2>&1");
  std::string wanted = "Åsa 1000.0 2500 1\n";
  wanted += "machine " + std::to_string(record.header.texts[1].text.size()) + "\n";
  EXPECT_THAT(got, testing::StartsWith(wanted));
  // Python writes the shortest digits, C all of them: compared as numbers.
  double lever = 0.0, height = 0.0;
  int levers = 0, rows = 0;
  long long tick = 0, row_tick = 0;
  const std::string rest = got.substr(std::min(wanted.size(), got.size()));
  ASSERT_EQ(std::sscanf(rest.c_str(), "%d %lld %lf m %d %lf %lld", &levers, &tick, &lever, &rows,
                        &height, &row_tick),
            6)
      << got;
  EXPECT_EQ(levers, 313);
  EXPECT_EQ(tick, 2496);
  const auto last = record.inputs[record.inputs.size() - 2];
  EXPECT_EQ(lever, last.input.axis[static_cast<int>(command::LeverAxis::kRightY)]);
  EXPECT_EQ(rows, 126);
  EXPECT_EQ(row_tick, 2500);
  EXPECT_EQ(static_cast<float>(height), record.channel("tip_z_m").back());
  EXPECT_THAT(got, testing::HasSubstr("(3, " + std::to_string(record.header.layout.bytes) + ") " +
                                      std::to_string(record.hashes.back().value) +
                                      " ('begin_tick', 'end_tick', 'phase', 'time_s')"));
  EXPECT_THAT(got, testing::HasSubstr("|S32 tick"));
}

}  // namespace
}  // namespace knuckleboom::io
