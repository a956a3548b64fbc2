// Rows of a sweep: what is sound stays, and nothing foreign is touched.

#include "knuckleboom/recording/sweep_table.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/atomic_file.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom {
namespace {

using testing::HasSubstr;

io::SweepHeader header_of_three() {
  io::SweepHeader header;
  header.kind = "sweep";
  header.plan_hash = "0123456789abcdef0123456789abcdef";
  header.program = "knuckleboom 0 (test)";
  header.plan = "plan.toml";
  header.text = "design = \"grid\"";
  header.runs = 3;
  header.variables = {{"gain", "", "controller.gain", true}, {"law", "", "friction", false}};
  header.results = {{"error", "rad", "rms", true}};
  return header;
}

io::SweepRow row_of(std::int64_t run) {
  io::SweepRow row;
  row.run = run;
  row.values = {std::to_string(run) + ".5", run == 1 ? "a, \"b\"" : "c"};
  row.results = {run == 2 ? NAN : 0.25 * static_cast<double>(run)};
  row.state_hash = 0xAB00 + static_cast<std::uint64_t>(run);
  if (run == 2) row.failure = "it left the real numbers";
  return row;
}

std::string why(const std::function<void()>& call) {
  try {
    call();
  } catch (const io::FileError& error) {
    return error.what();
  }
  return {};
}

std::string bytes_in(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(SweepRows, GoOnBehindARowThatWasCutOff) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.rows";
  std::vector<io::SweepRow> have;
  {
    io::SweepRowsWriter writer = io::SweepRowsWriter::open(path, header_of_three(), have);
    EXPECT_TRUE(have.empty());
    writer.add(row_of(2));
    writer.add(row_of(0));
  }
  const std::string whole = bytes_in(path);
  // Cut anywhere within its last row: that row is dropped, the one before stays.
  for (const std::size_t less : {1u, 8u, 40u}) {
    std::filesystem::resize_file(path, whole.size() - less);
    const io::SweepRows read = io::read_sweep_rows(path);
    ASSERT_EQ(read.rows.size(), 1u) << less;
    EXPECT_EQ(read.rows[0].run, 2);
    EXPECT_EQ(read.rows[0].failure, "it left the real numbers");
    EXPECT_FALSE(read.complete());
  }
  {
    io::SweepRowsWriter writer = io::SweepRowsWriter::open(path, header_of_three(), have);
    ASSERT_EQ(have.size(), 1u);
    // Nobody else writes meanwhile.
    std::vector<io::SweepRow> other;
    EXPECT_THAT(why([&] { io::SweepRowsWriter::open(path, header_of_three(), other); }),
                HasSubstr("another program is writing"));
    writer.add(row_of(0));
    EXPECT_EQ(bytes_in(path), whole);
    writer.add(row_of(1));
  }
  const io::SweepRows read = io::read_sweep_rows(path);
  EXPECT_TRUE(read.complete());
  EXPECT_EQ(read.rows[1].values[1], "a, \"b\"");
  // A flipped bit ends what is believed.
  std::string flipped = bytes_in(path);
  flipped[flipped.size() - 20] ^= 4;
  io::write_file(path, flipped);
  EXPECT_EQ(io::read_sweep_rows(path).rows.size(), 2u);
}

TEST(SweepRows, OfAnotherPlanOrProgramAreLeftAlone) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.rows";
  std::vector<io::SweepRow> have;
  { io::SweepRowsWriter::open(path, header_of_three(), have).add(row_of(1)); }
  const std::string before = bytes_in(path);
  const auto refusal = [&](const std::function<void(io::SweepHeader&)>& change) {
    io::SweepHeader header = header_of_three();
    change(header);
    return why([&] { io::SweepRowsWriter::open(path, header, have); });
  };
  EXPECT_THAT(refusal([](auto& h) { h.program = "knuckleboom 1 (x)"; }),
              HasSubstr("it was begun by knuckleboom 0 (test), and this is knuckleboom 1 (x)"));
  EXPECT_THAT(refusal([](auto& h) {
                h.plan_hash[0] = 'f';
                h.text += "\n";
              }),
              HasSubstr("the plan has changed"));
  EXPECT_THAT(refusal([](auto& h) { h.plan_hash[0] = 'f'; }),
              HasSubstr("a file that the plan's runs read has changed"));
  EXPECT_THAT(refusal([](auto& h) { h.shard = {1, 2}; }), HasSubstr("shard 1/1, not 1/2"));
  EXPECT_EQ(bytes_in(path), before);
  io::write_file(folder / "notes.rows", "my notes");
  EXPECT_THAT(
      why([&] { io::SweepRowsWriter::open(folder / "notes.rows", header_of_three(), have); }),
      HasSubstr("holds no rows of a sweep"));
  EXPECT_EQ(bytes_in(folder / "notes.rows"), "my notes");
}

TEST(SweepTable, HasTheSameBytesForTheSameRowsAndOverwritesNothingForeign) {
  const test::TemporaryFolder folder;
  const io::SweepHeader header = header_of_three();
  const std::vector<io::SweepRow> rows = {row_of(0), row_of(1), row_of(2)};
  io::write_sweep_table(folder / "a.h5", header, rows);
  io::write_sweep_table(folder / "b.h5", header, rows);
  EXPECT_EQ(bytes_in(folder / "a.h5"), bytes_in(folder / "b.h5"));
  io::write_sweep_csv(folder / "a.csv", header, rows);
  EXPECT_EQ(bytes_in(folder / "a.csv"),
            "# Knuckleboom sweep of plan 0123456789abcdef0123456789abcdef by knuckleboom 0 (test)\n"
            "run,gain,law,error,state_hash,failure\n"
            "0,0.5,c,0,000000000000ab00,\n"
            "1,1.5,\"a, \"\"b\"\"\",0.25,000000000000ab01,\n"
            "2,2.5,c,nan,000000000000ab02,it left the real numbers\n");
  io::SweepHeader other = header;
  other.plan_hash[3] = 'f';
  for (const char* name : {"a.h5", "a.csv"}) {
    const std::string before = bytes_in(folder / name);
    EXPECT_EQ(why([&] { io::check_sweep_table(folder / name, header); }), "");
    EXPECT_THAT(why([&] { io::write_sweep_table(folder / name, other, rows); }),
                HasSubstr("nothing was overwritten"));
    EXPECT_EQ(bytes_in(folder / name), before);
  }
}

}  // namespace
}  // namespace knuckleboom
