// Logs in files of MATLAB and HDF5, written by libmatio and by h5py: every number where it belongs, and of what
// is damaged a sentence.
#include "knuckleboom/recording/table_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <matio.h>
#include <sys/resource.h>

#include "support/long_run.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kRows = 50;

// --- Writing by libmatio -------------------------------------------------------

template <class T>
matvar_t* array(const char* name, matio_classes kind, matio_types type, std::size_t rows,
                std::size_t columns, std::vector<T> values) {
  std::size_t dims[2] = {rows, columns};
  return Mat_VarCreate(name, kind, type, 2, dims, values.data(), 0);
}
matvar_t* doubles(const char* name, std::size_t rows, std::size_t columns,
                  const std::vector<double>& values) {
  return array(name, MAT_C_DOUBLE, MAT_T_DOUBLE, rows, columns, values);
}
matvar_t* text(const char* name, const std::string& value) {
  return array(name, MAT_C_CHAR, MAT_T_UTF8, 1, value.size(),
               std::vector<char>(value.begin(), value.end()));
}

class MatFile {
 public:
  MatFile(const fs::path& path, mat_ft version, matio_compression compression)
      : file_(Mat_CreateVer(path.c_str(), nullptr, version)), compression_(compression) {}
  ~MatFile() { Mat_Close(file_); }
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;
  void add(matvar_t* variable) {
    ASSERT_EQ(Mat_VarWrite(file_, variable, compression_), 0);
    Mat_VarFree(variable);
  }

 private:
  mat_t* file_;
  matio_compression compression_;
};

std::vector<double> rows(double (*value)(double)) {
  std::vector<double> out;
  for (std::size_t i = 0; i < kRows; ++i) out.push_back(value(static_cast<double>(i)));
  return out;
}

struct Version {
  const char* name;
  mat_ft version;
  matio_compression compression;
};
constexpr Version kVersions[] = {{"v6.mat", MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                                 {"v7.mat", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                                 {"v73.mat", MAT_FT_MAT73, MAT_COMPRESSION_NONE}};

// A lying time, a standing angle in single precision, whole numbers, a lying matrix whose lines are two channels
// with names and units beside it, and things that are no channels.
fs::path write_crane(const fs::path& folder, const Version& version) {
  fs::path path = folder / version.name;
  MatFile file(path, version.version, version.compression);
  file.add(doubles("t", 1, kRows, rows([](double i) { return 0.02 * i; })));
  const std::vector<double> angle = rows([](double i) { return 10.0 + 0.5 * i; });
  file.add(array("boom_deg", MAT_C_SINGLE, MAT_T_SINGLE, kRows, 1,
                 std::vector<float>(angle.begin(), angle.end())));
  const std::vector<double> count = rows([](double i) { return 3.0 - i; });
  file.add(array("count", MAT_C_INT16, MAT_T_INT16, kRows, 1,
                 std::vector<std::int16_t>(count.begin(), count.end())));
  std::vector<double> matrix;  // first index fastest: a column of two for each row of the table
  for (std::size_t i = 0; i < kRows; ++i) {
    matrix.push_back(static_cast<double>(i));
    matrix.push_back(100.0 + static_cast<double>(i));
  }
  file.add(doubles("data", 2, kRows, matrix));
  matvar_t* names[] = {text(nullptr, "travel [mm]"), text(nullptr, "p (bar)")};
  std::size_t two[2] = {1, 2};
  file.add(Mat_VarCreate("names", MAT_C_CELL, MAT_T_CELL, 2, two, names, 0));
  file.add(doubles("rate", 1, 1, {50.0}));
  file.add(text("operator", "somebody"));
  file.add(doubles("other", 7, 1, {1, 2, 3, 4, 5, 6, 7}));
  return path;
}

const std::vector<KnownColumn> kKnown = {
    {"boom_rad", "rad"}, {"stick_m", "m"}, {"boom_port_a_Pa", "Pa"}};

std::string complaint(const fs::path& path, const LogMap& map = {}) {
  try {
    open_log(path, map).read_all();
  } catch (const FileError& error) {
    return error.what();
  }
  return "read";
}

// --- MATLAB --------------------------------------------------------------------

TEST(MatlabTable, EveryNumberIsWhereItBelongs) {
  const test::TemporaryFolder folder;
  for (const Version& version : kVersions) {
    SCOPED_TRACE(version.name);
    const fs::path path = write_crane(folder.path(), version);
    const LogTable table = open_log(path, {});
    EXPECT_EQ(table.form().time, "t");
    EXPECT_EQ(table.form().columns.front(), "t");
    const Trace log = table.read_all();
    ASSERT_EQ(log.rows(), kRows);
    std::vector<std::string> columns = log.columns;
    std::sort(columns.begin(), columns.end());
    EXPECT_THAT(columns, ElementsAre("boom_deg", "count", "p", "t_s", "travel"));
    EXPECT_DOUBLE_EQ(log.column("t_s")[7], 0.14);
    EXPECT_EQ(log.column("boom_deg")[7], 13.5);
    EXPECT_EQ(log.column("count")[7], -4.0);
    EXPECT_EQ(log.column("travel")[7], 7.0);
    EXPECT_EQ(log.column("p")[7], 107.0);
    EXPECT_THAT(log.notes, testing::Contains(AllOf(HasSubstr("other lengths than the 50 rows"),
                                                   HasSubstr("other"), Not(HasSubstr("rate")))));

    LogMap map;
    map.columns = {{"boom_rad", "boom_deg", "", "", 1.0, {}, {}},
                   {"stick_m", "travel", "", "", 1.0, {}, {}},
                   {"boom_port_a_Pa", "p (bar)", "", "", 1.0, {}, {}}};
    const Trace ours = read_log(path, map, kKnown);
    EXPECT_DOUBLE_EQ(ours.column("boom_rad")[7], 13.5 * std::numbers::pi / 180.0);
    EXPECT_DOUBLE_EQ(ours.column("stick_m")[7], 0.007);
    EXPECT_DOUBLE_EQ(ours.column("boom_port_a_Pa")[7], 107e5);
  }
}

// Simulink's "structure with time".
TEST(MatlabTable, TimeInAStructure) {
  const test::TemporaryFolder folder;
  for (const Version& version : kVersions) {
    SCOPED_TRACE(version.name);
    const fs::path path = folder / version.name;
    {
      MatFile file(path, version.version, version.compression);
      const char* const parts[] = {"values", "label"};
      std::size_t two[2] = {1, 2}, one[2] = {1, 1};
      matvar_t* signals =
          Mat_VarCreateStruct("signals", 2, two, const_cast<const char**>(parts), 2);
      const auto set = [&](std::size_t i, double (*value)(double), const char* label) {
        Mat_VarSetStructFieldByName(signals, "values", i, doubles(nullptr, kRows, 1, rows(value)));
        Mat_VarSetStructFieldByName(signals, "label", i, text(nullptr, label));
      };
      set(
          0, [](double i) { return std::sin(i); }, "boom_rad");
      set(
          1, [](double i) { return -i; }, "stick_m");
      const char* const fields[] = {"time", "signals"};
      matvar_t* out = Mat_VarCreateStruct("out", 2, one, const_cast<const char**>(fields), 2);
      Mat_VarSetStructFieldByName(out, "time", 0,
                                  doubles(nullptr, kRows, 1, rows([](double i) { return i / 8; })));
      Mat_VarSetStructFieldByName(out, "signals", 0, signals);
      file.add(out);
    }
    const Trace log = open_log(path, {}).read_all();
    EXPECT_THAT(log.columns, ElementsAre("t_s", "boom_rad", "stick_m"));
    EXPECT_EQ(log.column("t_s").back(), 49.0 / 8.0);
    EXPECT_EQ(log.column("boom_rad")[5], std::sin(5.0));
    EXPECT_EQ(log.column("stick_m")[5], -5.0);
  }
}

// 2026-05-01 12:00:00 is day 740103.5; a hundredth of a second is 1.2e-7 days.
TEST(MatlabTable, DaysOfDatenumAreSecondsUnlessTheyAreToldNotToBe) {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "days.mat";
  {
    MatFile file(path, MAT_FT_MAT5, MAT_COMPRESSION_NONE);
    file.add(
        doubles("time", kRows, 1, rows([](double i) { return 740'103.5 + 0.01 * i / 86'400; })));
    file.add(doubles("x", kRows, 1, rows([](double i) { return i; })));
  }
  const Trace log = open_log(path, {}).read_all();
  EXPECT_NEAR(log.column("t_s")[10], 0.1, 2e-5);
  EXPECT_THAT(log.notes, testing::Contains(HasSubstr("datenum")));
  LogMap map;
  map.guess = false;
  map.time = "time";
  EXPECT_NEAR(open_log(path, map).read_all().column("t_s")[10], 740'103.5, 1e-4);
}

void put_word(std::string& out, std::uint32_t value, bool big) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * (big ? 3 - i : i)) & 0xFFU);
}
void put_double(std::string& out, double value, bool big) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  put_word(out, static_cast<std::uint32_t>(big ? bits >> 32U : bits), big);
  put_word(out, static_cast<std::uint32_t>(big ? bits : bits >> 32U), big);
}
std::string mat_header(bool big) {
  std::string out = "MATLAB 5.0 MAT-file, by hand";
  out.resize(124, ' ');
  return out + (big ? std::string("\1\0MI", 4) : std::string("\0\1IM", 4));
}
std::string element(std::uint32_t type, const std::string& content, bool big) {
  std::string out;
  put_word(out, type, big);
  put_word(out, static_cast<std::uint32_t>(content.size()), big);
  out += content;
  out.resize((out.size() + 7) / 8 * 8, '\0');
  return out;
}
std::string words(std::uint32_t first, std::uint32_t second, bool big) {
  std::string out;
  put_word(out, first, big);
  put_word(out, second, big);
  return out;
}
// By the published layout of level 5: flags, size, name, numbers.
std::string vector_element(const std::string& name, const std::vector<double>& values, bool big) {
  std::string numbers;
  for (const double x : values) put_double(numbers, x, big);
  return element(14,
                 element(6, words(6, 0, big), big) +
                     element(5, words(static_cast<std::uint32_t>(values.size()), 1, big), big) +
                     element(1, name, big) + element(9, numbers, big),
                 big);
}

TEST(MatlabTable, OfAComputerWithTheOtherOrderOfBytes) {
  const test::TemporaryFolder folder;
  for (const bool big : {false, true}) {
    const fs::path path =
        folder.write("big.mat", mat_header(big) + vector_element("time", {0.5, 1.0, 1.5}, big) +
                                    vector_element("angle_1", {-1.25, 3.0, 1e-9}, big));
    const Trace log = open_log(path, {}).read_all();
    EXPECT_THAT(log.columns, ElementsAre("t_s", "angle_1"));
    EXPECT_THAT(log.column("t_s"), ElementsAre(0.5, 1.0, 1.5));
    EXPECT_THAT(log.column("angle_1"), ElementsAre(-1.25, 3.0, 1e-9));
  }
}

TEST(MatlabTable, AnObjectIsNamedWithTheWayToATable) {
  const test::TemporaryFolder folder;
  const std::string object = element(
      14,
      element(6, words(17, 0, false), false) + element(1, "crane", false) +
          element(1, "MCOS", false) + element(1, "table", false) +
          element(14,
                  element(6, words(13, 0, false), false) + element(5, words(2, 1, false), false) +
                      element(1, "", false) + element(6, words(7, 9, false), false),
                  false),
      false);
  EXPECT_THAT(complaint(folder.write("table.mat", mat_header(false) + object)),
              AllOf(HasSubstr("table.mat: this is a MATLAB file without a table"),
                    HasSubstr(" is an object of MATLAB"), HasSubstr("writetable")));
}

// A file that is cut off anywhere is never a shorter log.
TEST(MatlabTable, CutShort) {
  const test::TemporaryFolder folder;
  std::ifstream file(write_crane(folder.path(), kVersions[0]), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (const std::size_t size : {std::size_t{128}, std::size_t{131}, std::size_t{200},
                                 whole.size() / 2, whole.size() - 100, whole.size() - 1}) {
    SCOPED_TRACE(size);
    const std::string told = complaint(folder.write("cut.mat", whole.substr(0, size)));
    EXPECT_THAT(told, testing::AnyOf(HasSubstr("cut short"), HasSubstr("without a table")));
  }
}

// --- HDF5 ----------------------------------------------------------------------

// The system's own Python: h5py is a Debian package.
constexpr const char* kSystemPython = "/usr/bin/python3";

class Hdf5Table : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path script = folder_.write("write.py", R"(
import h5py, numpy as np, sys
n = 50
i = np.arange(n)
def file(name): return h5py.File(sys.argv[1] + '/' + name, 'w')

f = file('groups.h5')
f.create_dataset('log/time', data=1777636800000000000 + 20000000 * i)  # ns since 1970
d = f.create_dataset('log/boom', data=(10 + 0.5 * i).astype('f4'), chunks=(16,), compression='gzip', shuffle=True)
d.attrs['units'] = 'deg'
f['log/on'] = i % 2 == 1
f['log/tip'] = np.stack([i, 100.0 + i, 200.0 + i], axis=1)
f['log/tip_names'] = np.array([b'x [m]', b'y [m]', b'z [m]'])
f['log/raw'] = (i - 7).astype('>i2')
f['log/serial'] = 4711
f['log/one'] = np.zeros(7)
f.close()

f = file('records.h5')
r = np.zeros(n, dtype=[('t', '<f8'), ('p', '<i4'), ('v', '<f4', (2,)), ('note', 'S4')])
r['t'] = 0.02 * i; r['p'] = 5 * i; r['v'][:, 0] = -i; r['v'][:, 1] = 2 * i
f['table'] = r
f.close()

f = file('frame.h5')  # as pandas does it
g = f.create_group('df')
g['axis0'] = np.array([b'a', b'b', b'c']); g['axis1'] = 0.02 * i
g['block0_items'] = np.array([b'a', b'c']); g['block0_values'] = np.stack([1.0 * i, 3.0 * i], axis=1)
g['block1_items'] = np.array([b'b']); g['block1_values'] = (2 * i).reshape(n, 1)
f.close()

f = file('many.h5')
f.create_dataset('x', shape=(2**40,), chunks=(1024,), dtype='f8')
f.close()

f = file('odd.h5')
f['t'] = 0.02 * i; f['a'] = 1.0 * i
f['there'] = h5py.ExternalLink('groups.h5', '/log/boom')
f['zloop'] = f['/']
f['gone'] = h5py.SoftLink('/nowhere')
f.create_dataset('outside', shape=(n,), dtype='f8', external=[('/etc/passwd', 0, 400)])
f.close()
)");
    const std::string command = std::string(kSystemPython) + " -c 'import h5py' 2>/dev/null";
    if (std::system(command.c_str()) != 0)
      GTEST_SKIP() << "h5py is not there (Debian: python3-h5py)";
    ASSERT_EQ(std::system((std::string(kSystemPython) + " " + script.string() + " " +
                           folder_.path().string())
                              .c_str()),
              0);
  }

  const test::TemporaryFolder folder_;
};

TEST_F(Hdf5Table, EveryNumberIsWhereItBelongs) {
  const LogTable table = open_log(folder_ / "groups.h5", {});
  const Trace log = table.read_all();
  std::vector<std::string> columns = log.columns;
  std::sort(columns.begin(), columns.end());
  EXPECT_THAT(columns, ElementsAre("boom", "on", "raw", "t_s", "x", "y", "z"));
  EXPECT_NEAR(log.column("t_s")[7], 0.14, 1e-6);
  EXPECT_EQ(log.column("boom")[7], 13.5);
  EXPECT_EQ(log.column("on")[7], 1.0);
  EXPECT_EQ(log.column("raw")[3], -4.0);
  EXPECT_EQ(log.column("y")[7], 107.0);
  LogMap map;
  map.columns = {{"boom_rad", "boom", "", "", 1.0, {}, {}}, {"stick_m", "z", "", "", 1.0, {}, {}}};
  const Trace ours = read_log(folder_ / "groups.h5", map, kKnown);
  EXPECT_DOUBLE_EQ(ours.column("boom_rad")[7], 13.5 * std::numbers::pi / 180.0);
  EXPECT_EQ(ours.column("stick_m")[7], 207.0);

  const Trace records = open_log(folder_ / "records.h5", {}).read_all();
  EXPECT_THAT(records.columns, ElementsAre("t_s", "p", "v(1)", "v(2)"));
  EXPECT_EQ(records.column("p")[7], 35.0);
  EXPECT_EQ(records.column("v(1)")[7], -7.0);
  EXPECT_EQ(records.column("v(2)")[7], 14.0);
  EXPECT_THAT(records.notes, testing::Contains(HasSubstr("'note' of 'table'")));

  const Trace frame = open_log(folder_ / "frame.h5", {}).read_all();
  EXPECT_EQ(frame.column("t_s")[7], 0.14);
  EXPECT_EQ(frame.column("a")[7], 7.0);
  EXPECT_EQ(frame.column("c")[7], 21.0);
  EXPECT_EQ(frame.column("block1_values")[7], 14.0);

  // Things outside the file stay there.
  const Trace odd = open_log(folder_ / "odd.h5", {}).read_all();
  EXPECT_THAT(odd.columns, testing::IsSupersetOf({"t_s", "a"}));
  EXPECT_THAT(odd.columns, Not(testing::Contains("outside")));
  EXPECT_THAT(odd.columns, Not(testing::Contains("there")));
  EXPECT_THAT(odd.notes, testing::Contains(HasSubstr("'there' is in another file")));
  EXPECT_THAT(odd.notes, testing::Contains(HasSubstr("'outside' is in another file")));

  EXPECT_THAT(complaint(folder_ / "many.h5"), HasSubstr("asks for more memory than a table may"));
}

// --- Damage --------------------------------------------------------------------

// A byte, a run of bytes, a cut: a table or one sentence. Each file a test of its own, for several processes.
class MutatedArrays : public Hdf5Table, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    if (!test::long_run()) GTEST_SKIP() << "10 000 processes: KNUCKLEBOOM_LONG=1";
    Hdf5Table::SetUp();
  }
};

double seconds_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

TEST_P(MutatedArrays, AreASentenceOrATable) {
  const fs::path path = GetParam() == 0 ? folder_ / "groups.h5"
                                        : write_crane(folder_.path(), kVersions[GetParam() - 1]);
  const int mutants = 2500;
  std::mt19937 random(19);
  int read = 0, refused = 0, costly = 0;
  double most = 0.0;
  std::ifstream file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (int i = 0; i < mutants; ++i) {
    std::string bytes = whole;
    const std::size_t at = 8 + random() % (bytes.size() - 8);
    const int how = i % 4;
    if (how == 0) bytes.resize(at);
    const std::size_t length = how == 1 ? 1 : how == 2 ? 4 : 40;
    for (std::size_t k = at; how != 0 && k < std::min(at + length, bytes.size()); ++k)
      bytes[k] = how == 2 ? '\xFF' : static_cast<char>(random());
    const fs::path forged = folder_.write("forged" + path.extension().string(), bytes);
    const double before = seconds_of_children();
    const std::string told = complaint(forged);
    const double seconds = seconds_of_children() - before;
    most = std::max(most, seconds);
    if (seconds > 1.0) {
      ++costly;
      std::printf("mutant %d, %zu bytes at %zu: %.2f s, %s\n", i, length, at, seconds,
                  told.c_str());
    }
    ++(told == "read" ? read : refused);
    if (told == "read") continue;
    EXPECT_THAT(told, HasSubstr(forged.filename().string() + ":"));
    EXPECT_LT(std::count(told.begin(), told.end(), '\n'), 20) << told;
  }
  std::printf("%d read, %d refused; the costliest took %.2f s, %d more than 1 s\n", read, refused,
              most, costly);
  EXPECT_EQ(read + refused, mutants);
  EXPECT_GT(refused, mutants / 8);
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, MutatedArrays, testing::Range(0, 4));

}  // namespace
}  // namespace knuckleboom::io
