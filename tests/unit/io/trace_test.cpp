// Traces: what is written is read back to the last bit, a failed write leaves nothing, differences
// are what they say.

#include "knuckleboom/io/trace.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

using test::faults;
using test::joined;

io::TraceHeader header() {
  io::TraceHeader h;
  h.program = "knuckleboom 0.1.0";
  h.machine = "harvester";
  h.machine_hash = {"0123"};
  h.scenario = "stick_sine";
  h.scenario_hash = {"4567"};
  h.fidelity = "reduced";
  h.tick_s = 1e-3;
  h.remarks = {"two\nlines"};
  h.joints = {{"swing", true}, {"reach", false}};
  return h;
}

const double kTip[3] = {1.0, 2.0, 3.0};

std::size_t count_files(const std::filesystem::path& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++n;
  return n;
}

double divisor(int i) {
  const int block = i / 8;
  return 1.0 + block;
}

TEST(Trace, HasItsColumnsInOrder) {
  const std::vector<std::string> expected = {"t_s",
                                             "swing_rad",
                                             "swing_rad_s",
                                             "swing_ref_rad",
                                             "swing_valve_V",
                                             "swing_port_a_Pa",
                                             "swing_port_b_Pa",
                                             "swing_valve_open",
                                             "reach_m",
                                             "reach_m_s",
                                             "reach_ref_m",
                                             "reach_valve_V",
                                             "reach_port_a_Pa",
                                             "reach_port_b_Pa",
                                             "reach_valve_open",
                                             "tip_x_m",
                                             "tip_y_m",
                                             "tip_z_m"};
  EXPECT_EQ(io::trace_columns(header().joints), expected);
}

TEST(Trace, RoundTripsEveryBit) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "trace.csv";
  io::TraceWriter writer(path, header());
  const double values[] = {0.1,
                           1.0 / 3.0,
                           -0.0,
                           5e-324,
                           std::numeric_limits<double>::max(),
                           -1.2345678901234567e-9,
                           2.5e7,
                           std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 50; ++i) {
    const double v = values[i % 8] * (i % 8 < 7 ? 1.0 / divisor(i) : 1.0);
    const io::JointSample samples[] = {{v, -v, v / 3.0, 0.5, 1e6, 2e6, i % 2 == 0},
                                       {std::sin(i), std::cos(i), std::exp(-i), v, v, v, true}};
    writer.write(1e-3 * i, samples, kTip);
  }
  EXPECT_FALSE(std::filesystem::exists(path)) << "it appears at close()";
  writer.close();

  const io::Trace trace = io::read_trace(path);
  ASSERT_EQ(trace.rows(), 50u);
  ASSERT_EQ(trace.columns, io::trace_columns(header().joints));
  const std::vector<std::string> lines = {
      "knuckleboom 0.1.0", "machine: harvester 0123", "scenario: stick_sine 4567",
      "fidelity: reduced", "tick_s: 0.001",           "two lines"};
  EXPECT_EQ(trace.header_lines, lines);
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  for (int i = 0; i < 50; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double v = values[i % 8] * (i % 8 < 7 ? 1.0 / divisor(i) : 1.0);
    EXPECT_TRUE(same(trace.column("t_s")[row], 1e-3 * i));
    EXPECT_TRUE(same(trace.column("swing_rad")[row], v)) << v;
    EXPECT_TRUE(same(trace.column("swing_ref_rad")[row], v / 3.0)) << v / 3.0;
    EXPECT_TRUE(same(trace.column("reach_m")[row], std::sin(i)));
    EXPECT_EQ(trace.column("swing_valve_open")[row], i % 2 == 0 ? 1.0 : 0.0);
    EXPECT_EQ(trace.column("tip_z_m")[row], 3.0);
  }
  EXPECT_EQ(count_files(folder.path()), 1u);
}

TEST(Trace, NotANumberIsKept) {
  const io::Trace trace = io::read_trace_text("t_s,a\n0,nan\n1,-inf\n", "t.csv");
  EXPECT_TRUE(std::isnan(trace.column("a")[0]));
  EXPECT_EQ(trace.column("a")[1], -std::numeric_limits<double>::infinity());
}

TEST(Trace, RowsMustFit) {
  const test::TemporaryFolder folder;
  io::TraceWriter writer(folder.path() / "trace.csv", header());
  const io::JointSample one[1] = {};
  EXPECT_THROW(writer.write(0.0, one, kTip), std::invalid_argument);
  EXPECT_THROW(writer.write(std::vector<double>{1.0}), std::invalid_argument);
}

TEST(Trace, WithoutCloseNothingIsLeft) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("trace.csv", "old");
  {
    io::TraceWriter writer(path, header());
    EXPECT_EQ(count_files(folder.path()), 2u);
  }
  EXPECT_EQ(count_files(folder.path()), 1u);
  EXPECT_EQ(test::slurp(path), "old");
}

TEST(Trace, WhereNothingCanBeWrittenOneSentenceSaysSo) {
  const test::TemporaryFolder folder;
  const auto of = [](const std::filesystem::path& path) {
    const auto found = faults([&] {
      io::TraceWriter writer(path, header());
      const io::JointSample samples[2] = {};
      for (int i = 0; i < 10000; ++i) writer.write(1e-3 * i, samples, kTip);
      writer.close();
    });
    EXPECT_EQ(found.size(), 1u);
    return joined(found);
  };
  EXPECT_EQ(of(folder.path()), folder.path().string() +
                                   ": cannot be written: this is a directory; give a file name\n");
  const auto lost = folder.path() / "none" / "trace.csv";
  EXPECT_EQ(of(lost), lost.string() + ": cannot be written: there is no folder '" +
                          (folder.path() / "none").string() + "'; create it first\n");
  EXPECT_EQ(of("/dev/full"), "/dev/full: cannot be written: No space left on device\n");
  EXPECT_NE(of("/proc/trace.csv").find("cannot be written"), std::string::npos);
  EXPECT_NE(of("").find("without a name"), std::string::npos);
  // Root may write everywhere.
  if (::geteuid() != 0) {
    const auto closed = folder.write("closed.csv", "old");
    std::filesystem::permissions(closed, std::filesystem::perms::owner_read);
    EXPECT_NE(of(closed).find("Permission denied"), std::string::npos);
    EXPECT_EQ(test::slurp(closed), "old");
  }
  EXPECT_LE(count_files(folder.path()), 1u);
}

TEST(AtomicFile, ReplacesWhatALinkPointsTo) {
  const test::TemporaryFolder folder;
  const auto target = folder.write("target.txt", "old");
  std::filesystem::create_symlink(target, folder.path() / "link.txt");
  io::write_file(folder.path() / "link.txt", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link.txt"));
  EXPECT_EQ(test::slurp(target), "new");
}

TEST(AtomicFile, IsClosedOnce) {
  const test::TemporaryFolder folder;
  io::AtomicFile file(folder.path() / "a.txt");
  file.write("a");
  file.close();
  file.close();
  EXPECT_THROW(file.write("b"), io::FileError);
  EXPECT_EQ(test::slurp(folder.path() / "a.txt"), "a");
}

TEST(Trace, WrongFilesAreToldWithLineAndColumn) {
  const auto of = [](const std::string& text) {
    return joined(faults([&] { io::read_trace_text(text, "t.csv"); }));
  };
  EXPECT_EQ(of(""), "t.csv: the file is empty; expected a trace (CSV)\n");
  EXPECT_NE(of("t_s,a\n0,1\n1,abc\n").find("t.csv:3:3: column 'a': 'abc' is not a number"),
            std::string::npos);
  EXPECT_NE(of("t_s,a\n0,1e999\n").find("too large or too small"), std::string::npos);
  EXPECT_NE(of("t_s,a\n0,1\n1\n2,3,4\n").find("t.csv:4:1: this line has 3 values"),
            std::string::npos);
  EXPECT_NE(of("t_s,\n0,1\n").find("t.csv:1:5: a column has no name"), std::string::npos);
  const test::TemporaryFolder folder;
  EXPECT_NE(joined(faults([&] { io::read_trace(folder.path()); })).find("this is a directory"),
            std::string::npos);
}

TEST(Trace, ReadsForeignTables) {
  const io::Trace trace = io::read_trace_text(
      "\xEF\xBB\xBFt, \"a\" ,b\r\n+0.5, 1e3 ,-2\r\n\r\n# late remark\r\n1,2,3", "t.csv");
  EXPECT_EQ(trace.columns, (std::vector<std::string>{"t", "a", "b"}));
  ASSERT_EQ(trace.rows(), 2u);
  EXPECT_EQ(trace.time_column(), 0);
  EXPECT_EQ(trace.column("a")[0], 1000.0);
  EXPECT_EQ(trace.column("t")[0], 0.5);
  EXPECT_EQ(trace.find("c"), -1);
  EXPECT_THROW(trace.column("c"), io::FileError);
}

TEST(Trace, ReadsTheReferenceCase) {
  const std::filesystem::path path =
      std::filesystem::path(KNUCKLEBOOM_SHARED_DIR) / "reference" / "stick_sine_full.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const io::Trace trace = io::read_trace(path);
  EXPECT_EQ(trace.rows(), 4000u);
  EXPECT_EQ(trace.columns.size(), 22u);
  EXPECT_EQ(trace.columns[static_cast<std::size_t>(trace.time_column())], "t");
  EXPECT_EQ(io::compare(trace, trace).size(), 21u);
  for (const io::ColumnDifference& d : io::compare(trace, trace)) EXPECT_EQ(d.max, 0.0);
}

// --- Comparison ---------------------------------------------------------------

io::Trace trace(const std::string& text, const std::string& name = "t.csv") {
  return io::read_trace_text(text, name);
}

TEST(Compare, GivesRmsLargestAndItsTime) {
  const auto a = trace("t_s,x,y\n0,1,0\n1,2,0\n2,3,0\n3,4,0\n");
  const auto b = trace("t_s,y,x\n0,0,1\n1,0,2\n2,0,6\n3,0,0\n");
  const auto all = io::compare(a, b);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].column, "x");
  EXPECT_EQ(all[0].samples, 4u);
  EXPECT_DOUBLE_EQ(all[0].rms, std::sqrt((9.0 + 16.0) / 4.0));
  EXPECT_EQ(all[0].max, 4.0);
  EXPECT_EQ(all[0].time_of_max_s, 3.0);
  EXPECT_EQ(all[1].max, 0.0);
  EXPECT_EQ(io::compare(a, b, {"x"}).size(), 1u);
}

TEST(Compare, MatchesTimesOfDifferentRates) {
  // The coarse one has every second sample; the samples between do not count.
  const auto fine = trace("t_s,x\n0,0\n0.1,50\n0.2,2\n0.30000000000000004,50\n0.4,4\n0.5,50\n");
  const auto coarse = trace("t,x\n0.2,2\n0.4,5\n");
  for (const auto& d : {io::compare(fine, coarse)[0], io::compare(coarse, fine)[0]}) {
    EXPECT_EQ(d.samples, 2u);
    EXPECT_EQ(d.max, 1.0);
    EXPECT_EQ(d.time_of_max_s, 0.4);
  }
}

TEST(Compare, InterpolatesBetweenSamples) {
  const auto a = trace("t_s,x\n0,0\n1,10\n2,20\n");
  const auto b = trace("t_s,x\n0.5,5\n1.5,16\n");
  const auto d = io::compare(a, b)[0];
  EXPECT_EQ(d.samples, 1u);
  EXPECT_DOUBLE_EQ(d.max, 0.5);  // at 1 s, where b's line stands at 10.5
}

TEST(Compare, PairsColumnsOfDifferentNames) {
  const auto a = trace("t_s,stick_rad\n0,1\n1,2\n");
  const auto b = trace("t,qsk\n0,1\n1,2.5\n");
  const io::ColumnPair pairs[] = {{"stick_rad", "qsk"}};
  const auto d = io::compare_columns(a, b, pairs);
  ASSERT_EQ(d.size(), 1u);
  EXPECT_EQ(d[0].column, "stick_rad");
  EXPECT_EQ(d[0].max, 0.5);
}

TEST(Compare, ANumberAgainstNoneIsInfinitelyFar) {
  const auto a = trace("t_s,x,y\n0,1,nan\n1,2,inf\n");
  const auto b = trace("t_s,x,y\n0,1,nan\n1,nan,inf\n");
  const auto d = io::compare(a, b);
  EXPECT_TRUE(std::isinf(d[0].max));
  EXPECT_TRUE(std::isinf(d[0].rms));
  EXPECT_EQ(d[0].time_of_max_s, 1.0);
  EXPECT_EQ(d[1].max, 0.0);
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  const auto a = trace("t_s,x\n0,1\n1,2\n", "a.csv");
  const auto of = [&](const std::string& text, const std::vector<std::string>& columns = {}) {
    return joined(faults([&] { io::compare(a, trace(text, "b.csv"), columns); }));
  };
  EXPECT_NE(of("t_s,x\n5,1\n6,2\n").find("has no time in common with a.csv"), std::string::npos);
  EXPECT_NE(of("t_s,z\n0,1\n").find("no column in common"), std::string::npos);
  EXPECT_NE(of("t_s,x\n0,1\n", {"xx"}).find("the trace has no column 'xx'; did you mean 'x'?"),
            std::string::npos);
  EXPECT_NE(of("t_s,x\n1,1\n0,1\n").find("must increase; row 2 says 0"), std::string::npos);
  EXPECT_NE(of("t_s,x\nnan,1\n").find("must increase"), std::string::npos);
  EXPECT_NE(of("t_s,x\n").find("has no rows"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom
