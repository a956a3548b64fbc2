// URDF files and tables with bytes and words changed at random: read, or refused with a sentence.
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom {
namespace {

// Bytes turned, runs cut out, doubled or exchanged for something that readers have trouble with.
std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kOdd = {"\"",
                                                "''",
                                                "\n",
                                                "\r",
                                                ",,",
                                                ";",
                                                "\t",
                                                "nan",
                                                "1e400",
                                                "-1",
                                                "0",
                                                "<",
                                                ">",
                                                "</link>",
                                                "&",
                                                "\xFF",
                                                std::string(1, '\0'),
                                                "base",
                                                "/",
                                                "${x}",
                                                "[s]",
                                                "1970-01-01 25:61:00",
                                                "#",
                                                "%",
                                                "=",
                                                "99999999999999999999",
                                                "\xEF\xBB\xBF",
                                                "fixed",
                                                "floating",
                                                "mimic"};
  const auto at = [&] { return random() % (text.size() + 1); };
  for (auto n = 1 + random() % 6; n > 0 && !text.empty(); --n) {
    const std::size_t from = at(),
                      length = std::min<std::size_t>(random() % 40, text.size() - from);
    switch (random() % 5) {
      case 0:
        if (from < text.size()) text[from] = static_cast<char>(random());
        break;
      case 1:
        text.erase(from, length);
        break;
      case 2:
        text.insert(at() % (text.size() + 1), text.substr(from, length));
        break;
      default:
        text.replace(from, random() % 3 == 0 ? length : 0, kOdd[random() % kOdd.size()]);
    }
  }
  return text;
}

template <typename Read>
void check_all(const std::vector<std::string>& texts, Read read, int runs = 10000) {
  std::mt19937 random(20);
  int refused = 0;
  for (int i = 0; i < runs; ++i) {
    const std::string text = mutated(texts[static_cast<std::size_t>(i) % texts.size()], random);
    try {
      read(text);
    } catch (const io::FileError& error) {
      ++refused;
      ASSERT_FALSE(error.diagnostics().empty()) << text;
      for (const io::Diagnostic& one : error.diagnostics())
        ASSERT_GT(one.message.size(), 10u) << one.message << "\n" << text;
    }
  }
  EXPECT_GT(refused, runs / 20);
  EXPECT_LT(refused, runs);
}

TEST(MutatedInputs, OfTablesAreReadOrRefused) {
  std::string rows, clock = "Time;x [mm];state\n", campbell;
  for (int i = 0; i < 30; ++i) {
    rows += std::to_string(0.02 * i) + ",1,\"a, b\"\n";
    clock += "12:00:0" + std::to_string(i / 10) + ";3,5;IDLE\n";
    campbell +=
        "\"2026-05-01 12:00:0" + std::to_string(i / 4) + "\"," + std::to_string(i) + ",0.5\n";
  }
  io::LogMap map;
  map.columns = {{"x", "x", "", "mm", 1.0, {}, {"m.toml", 1, 1, {}}}};
  const std::vector<io::KnownColumn> known = {{"x", "m", 100.0}};
  check_all(
      {"t_s,x,what\n" + rows, clock,
       "\"TOA5\",\"a\"\n\"TIMESTAMP\",\"RECORD\",\"x\"\n\"TS\",\"RN\",\"mm\"\n\"\",\"\",\"Smp\"\n" +
           campbell},
      [&](const std::string& text) { io::read_log_text(text, "log.csv", map, known); });
}

// Logs of a CAN bus and the DBC files that describe them.
TEST(MutatedInputs, OfCanLogsAreReadOrRefused) {
  const test::TemporaryFolder folder;
  const std::string border = "\n=\n";
  const std::string dbc =
      "VERSION \"\"\nNS_ :\n\tCM_\nBS_:\nBU_: A\nBO_ 288 J: 8 A\n SG_ b : 0|16@1- (0.01,0) "
      "[-180|180] \"deg\" A\n SG_ k M : 23|4@0+ (1,0) [0|0] \"\" A\n SG_ c m1 : 31|9@0- (1,2) "
      "[0|0] "
      "\"\" A\nBO_ 2566844926 P: 8 A\n SG_ p : 0|16@1+ (0.05,0) [0|400] \"bar\" A\nBA_DEF_ BO_ "
      "\"VFrameFormat\" ENUM \"S\",\"J1939PG\";\nBA_ \"VFrameFormat\" BO_ 2566844926 1;\nVAL_ 288 "
      "k 0 "
      "\"a\" 1 \"b\" ;\nSG_MUL_VAL_ 288 c k 1-1, 3-4;\n";
  std::string candump, asc = "base hex  timestamps absolute\n";
  for (int i = 0; i < 12; ++i) {
    const std::string t = std::to_string(10 + i);
    candump += "(14365090" + t + ".25) can0 120#39301" + std::to_string(i % 4) + "A0FFFF8003\n";
    candump += "(14365090" + t + ".50) can0 0CFEF10B#A00F1E00FFFFFFFF\n";
    asc += "  " + t + ".250000 1  120   Rx   d 8 39 30 1" + std::to_string(i % 4) +
           " A0 FF FF 80 03\n  " + t + ".5 1 18FEF1FEx Rx d 3 A0 0F 1E\n";
  }
  io::LogMap map;
  check_all(
      {dbc + border + candump, dbc + border + asc},
      [&](const std::string& text) {
        const std::size_t at = std::min(text.find(border), text.size());
        map.dbc = folder.write("x.dbc", text.substr(0, at)).string();
        io::LogTable(text.substr(std::min(at + border.size(), text.size())), "can.log", map)
            .read_all();
      },
      4000);
}

TEST(MutatedInputs, OfUrdfsAreReadOrRefused) {
  const std::string link =
      "<inertial><origin xyz=\"0.1 0 0\" rpy=\"0 0 1\"/><mass value=\"3\"/><inertia ixx=\"0.1\" "
      "iyy=\"0.2\" izz=\"0.2\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><box "
      "size=\"1 1 1\"/></geometry></collision><visual><geometry><mesh "
      "filename=\"package://a/b.stl\"/>"
      "</geometry></visual>";
  const std::string urdf =
      "<robot name=\"r\"><link name=\"foot\"/><link name=\"a/b\">" + link +
      "</link><link name=\"base\">" + link + "</link><link name=\"c\">" + link +
      "</link><joint name=\"one\" type=\"revolute\"><parent link=\"foot\"/><child "
      "link=\"a/b\"/><axis "
      "xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"2\" effort=\"1\" velocity=\"1\"/><dynamics "
      "damping=\"0.1\" friction=\"0.2\"/></joint><joint name=\"two\" type=\"prismatic\"><parent "
      "link=\"a/b\"/><child link=\"base\"/><axis xyz=\"1 0 0\"/><limit lower=\"0\" "
      "upper=\"1\"/><mimic "
      "joint=\"one\" multiplier=\"2\" offset=\"0.1\"/></joint><joint name=\"3\" "
      "type=\"continuous\">"
      "<parent link=\"base\"/><child link=\"c\"/></joint></robot>";
  const std::string toml =
      "name = \"m\"\nurdf = \"x.urdf\"\ngravity_m_per_s2 = 9.81\nsource = \"own\"\n[tip]\nbody = "
      "\"a/b\"\nposition_m = [0, 0, 0]\n";
  ASSERT_NO_THROW(io::read_machine_texts(toml, "m/machine.toml", {{"m/x.urdf", urdf}}));
  check_all({urdf}, [&](const std::string& text) {
    io::read_machine_texts(toml, "m/machine.toml", {{"m/x.urdf", text}});
  });
}

}  // namespace
}  // namespace knuckleboom
