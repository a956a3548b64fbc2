// The shape of the code base as a test: who may include whom, which third parties stay
// where, and what a source file looks like. The tables below are the rules; a new layer or
// library starts with a line there.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/paths.hpp"

namespace {

namespace fs = std::filesystem;

// Files of include/ and src/: path relative to the project, with '/', to content.
using Tree = std::map<std::string, std::string>;

// A file's place is its path below include/knuckleboom or src, so that a header and its source
// have the same. Layers and permissions are prefixes of places.
struct Layer {
  std::string_view prefix;
  std::vector<std::string_view> may_include;  // besides itself
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"core/math/", {}},
      {"core/state/", {"core/math/"}},
      {"core/world/", {"core/math/", "core/state/"}},
      {"core/timber/", {"core/math/", "core/state/"}},
      {"core/command/", {"core/math/", "core/state/", "core/world/ground"}},
      {"core/control/", {"core/math/", "core/state/", "core/command/"}},
      {"core/hydraulics/", {"core/math/", "core/state/"}},
      {"core/friction/", {"core/math/"}},
      {"core/pneumatics/", {"core/math/"}},
      {"core/multibody/", {"core/math/", "core/state/"}},
      {"core/integration/", {"core/math/"}},
      {"core/exchange/", {"core/math/", "core/state/"}},
      {"core/machine/",
       {"core/math/", "core/state/", "core/command/", "core/control/", "core/hydraulics/",
        "core/friction/", "core/pneumatics/", "core/multibody/", "core/integration/"}},
      {"core/carrier/",
       {"core/math/", "core/state/", "core/multibody/", "core/machine/", "core/world/ground"}},
      {"core/sim/",
       {"core/carrier/", "core/math/", "core/state/", "core/command/", "core/control/",
        "core/hydraulics/", "core/friction/", "core/pneumatics/", "core/multibody/",
        "core/integration/", "core/machine/"}},
      // Machines side by side.
      {"core/batch/",
       {"core/math/", "core/carrier/", "core/command/", "core/control/", "core/hydraulics/",
        "core/friction/", "core/multibody/", "core/integration/", "core/machine/", "core/sim/"}},
      {"core/worksite/",
       {"core/math/", "core/state/", "core/multibody/", "core/machine/", "core/sim/",
        "core/timber/", "core/world/"}},
      {"core/emulation/",
       {"core/math/", "core/state/", "core/command/", "core/control/", "core/exchange/",
        "core/friction/", "core/hydraulics/", "core/pneumatics/", "core/multibody/",
        "core/integration/", "core/machine/", "core/sim/"}},
      {"core/training/",
       {"core/math/", "core/state/", "core/command/", "core/control/", "core/hydraulics/",
        "core/multibody/", "core/machine/", "core/timber/", "core/world/", "core/sim/",
        "core/worksite/"}},
      {"reference/", {"core/"}},
      {"declare/", {"core/"}},
      {"io/", {"core/", "declare/", "version.hpp"}},
      // The C interface: libknuckleboom.so.
      {"include/knuckleboom.h", {}},
      {"capi/", {"core/", "io/", "version.hpp", "include/knuckleboom.h"}},
      // FMUs: what both sides share, and the code inside.
      {"fmi/",
       {"core/control/", "declare/", "io/", "capi/controllers", "version.hpp",
        "include/knuckleboom.h"}},
      {"fmu/", {"io/", "fmi/"}},
      {"recording/", {"core/", "io/", "reader_build.hpp", "version.hpp"}},
      {"runtime/", {"core/", "io/", "recording/", "version.hpp"}},
      {"endpoint/", {"core/math/", "core/exchange/", "io/"}},
      {"language/", {}},
      {"input/",
       {"core/math/", "core/command/", "core/exchange/", "runtime/", "endpoint/", "language/"}},
      {"view/",
       {"language/", "core/math/", "core/world/", "core/sim/snapshot",
        "core/training/session_snapshot", "runtime/latest_value"}},
      {"report/", {"io/utf8", "language/"}},
      {"learners/", {"io/diagnostic", "io/utf8"}},
      {"coach/", {"core/", "language/"}},
      {"identification/", {}},
      {"sound/", {"core/math/", "core/training/session_snapshot", "runtime/latest_value"}},
      {"analysis/", {"core/", "reference/", "io/", "recording/", "runtime/", "identification/"}},
      // The module of the package for Python.
      {"python/",
       {"io/", "recording/session_columns", "analysis/linear_model", "capi/controllers",
        "include/knuckleboom.h"}},
      // The rooms of the program. A room may include those below it that are named, no sibling.
      {"app/shell/",
       {"core/math/", "core/machine/", "io/", "endpoint/", "language/", "version.hpp"}},
      {"app/command_line/", {"io/", "app/shell/"}},
      {"app/telemetry/", {"core/", "io/", "recording/", "runtime/", "version.hpp", "app/shell/"}},
      {"app/session/",
       {"language/", "core/", "io/", "recording/", "runtime/", "endpoint/", "learners/", "coach/",
        "view/", "version.hpp", "app/shell/", "app/telemetry/"}},
      {"app/window/",
       {"language/", "core/", "io/", "runtime/", "view/", "input/", "app/shell/", "app/session/"}},
      {"app/report/",
       {"language/", "core/", "io/", "recording/", "report/", "learners/", "version.hpp",
        "app/shell/", "app/session/"}},
      {"app/learners/",
       {"language/", "core/", "io/", "recording/", "report/", "learners/", "version.hpp",
        "app/shell/", "app/session/"}},
      {"app/trainer/",
       {"language/", "core/", "io/", "recording/", "runtime/", "endpoint/", "input/", "view/",
        "sound/", "learners/", "version.hpp", "app/shell/", "app/telemetry/", "app/session/",
        "app/window/"}},
      {"app/replay/",
       {"language/", "core/", "io/", "recording/", "runtime/", "input/", "view/", "sound/",
        "app/shell/", "app/session/", "app/window/"}},
      {"app/emulation/",
       {"language/", "core/", "io/", "recording/", "runtime/", "endpoint/", "view/", "version.hpp",
        "analysis/", "app/shell/", "app/telemetry/", "app/session/", "app/window/"}},
      {"app/workbench/",
       {"language/", "core/", "io/", "recording/", "runtime/", "endpoint/", "input/", "view/",
        "version.hpp", "analysis/", "app/shell/", "app/telemetry/", "app/session/", "app/window/"}},
      // A sub-command may use every room.
      {"app/commands/",
       {"language/",       "core/",     "declare/",   "reference/", "io/",
        "recording/",      "runtime/",  "input/",     "endpoint/",  "view/",
        "sound/",          "report/",   "recording/", "learners/",  "coach/",
        "identification/", "analysis/", "fmi/",       "app/",       "version.hpp"}},
      {"peer/",
       {"core/math/", "core/command/", "core/exchange/", "core/training/input_event", "io/",
        "recording/table_file", "runtime/", "endpoint/", "input/", "app/shell/",
        "app/command_line/", "version.hpp"}},
      {"main.cpp",
       {"app/commands/", "app/command_line/", "app/shell/console", "recording/session_file",
        "version.hpp"}},
  };
  return table;
}

// Headers that only some layers may use, given as prefixes of their names. An empty list of
// layers means none: tests and benchmarks only.
struct Library {
  std::string_view name;
  std::vector<std::string_view> headers;
  std::vector<std::string_view> layers;
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> table = {
      {"Eigen",
       {"Eigen/", "unsupported/Eigen/"},
       {"core/", "reference/", "identification/", "analysis/", "app/", "view/"}},
      {"SUNDIALS",
       {"sundials/", "arkode/", "cvode/", "cvodes/", "ida/", "idas/", "kinsol/", "nvector/",
        "sunlinsol/", "sunmatrix/", "sunnonlinsol/"},
       {"reference/"}},
      {"CLI11", {"CLI/"}, {"app/command_line/"}},
      {"spdlog", {"spdlog/"}, {"app/shell/log"}},
      {"toml++", {"toml++/"}, {"io/", "fmu/toml_library"}},
      {"TinyXML-2", {"tinyxml2"}, {"io/", "fmi/"}},
      {"libzip", {"zip.h"}, {"fmi/archive"}},
      {"xxHash", {"xxh"}, {"io/", "recording/", "fmu/libraries"}},
      {"HDF5", {"hdf5", "H5"}, {"recording/"}},
      {"libmatio", {"matio"}, {"recording/table_matlab", "app/commands/linear_mat"}},
      {"libseccomp", {"seccomp"}, {"recording/session_reader"}},
      {"libsodium", {"sodium"}, {"endpoint/"}},
      {"SQLite", {"sqlite3"}, {"learners/"}},
      {"Ceres", {"ceres/"}, {"identification/"}},
      {"NLopt", {"nlopt"}, {"identification/"}},
      {"utf8proc", {"utf8proc"}, {"learners/"}},
      {"libxlsxwriter", {"xlsxwriter"}, {"learners/"}},
      {"libuuid", {"uuid/"}, {"learners/"}},
      {"libwebsockets", {"libwebsockets"}, {"app/telemetry/"}},
      {"zlib", {"zlib"}, {"app/telemetry/mcap_writer"}},
      {"zstd", {"zstd"}, {"app/telemetry/mcap_writer"}},
      {"SDL",
       {"SDL2/", "SDL"},
       {"input/", "view/", "sound/", "app/window/", "app/trainer/", "app/replay/", "app/emulation/",
        "app/workbench/"}},
      {"OpenSceneGraph", {"osg"}, {"view/"}},
      {"Dear ImGui", {"imgui"}, {"view/"}},
      {"Boost.Locale", {"boost/"}, {"language/"}},
      {"pybind11", {"pybind11/"}, {"python/"}},
      {"a test library", {"gtest/", "gmock/", "benchmark/", "mujoco/", "kdl/"}, {}},
  };
  return table;
}

// The core computes: no I/O, no clock, no threads, no randomness but its own.
const std::vector<std::string_view>& standard_headers_not_for_core() {
  static const std::vector<std::string_view> table = {
      "iostream", "fstream",   "thread", "mutex",  "shared_mutex", "condition_variable",
      "future",   "chrono",    "random", "cstdio", "stdio.h",      "ctime",
      "time.h",   "filesystem"};
  return table;
}

constexpr std::size_t kMainLines = 60;

// Units whose text contains a header that nearly everything could drag along, and how many they may be.
struct Spread {
  std::string_view header;
  std::size_t units;
};
constexpr Spread kSpread[] = {
    {"include/knuckleboom/core/hydraulics/valve.hpp", 100},
};

// --- Reading ------------------------------------------------------------------

struct Include {
  std::size_t line;
  bool quoted;  // "x", not <x>
  std::string name;
};

// All #include lines outside comments.
std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> found;
  std::istringstream stream(text);
  std::string line;
  bool in_comment = false;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    std::string code;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string_view next_two = std::string_view(line).substr(i, 2);
      if (in_comment) {
        if (next_two == "*/") {
          in_comment = false;
          ++i;
        }
      } else if (next_two == "//" && code.find('"') == std::string::npos) {
        break;
      } else if (next_two == "/*" && code.find('"') == std::string::npos) {
        in_comment = true;
        ++i;
      } else {
        code += line[i];
      }
    }
    const std::size_t hash = code.find_first_not_of(" \t");
    if (hash == std::string::npos || code[hash] != '#') continue;
    const std::size_t word = code.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || code.compare(word, 7, "include") != 0) continue;
    const std::size_t open = code.find_first_of("<\"", word + 7);
    if (open == std::string::npos) continue;
    const std::size_t close = code.find(code[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string::npos) continue;
    found.push_back({number, code[open] == '"', code.substr(open + 1, close - open - 1)});
  }
  return found;
}

std::string place_of(const std::string& path) {
  for (const std::string_view root : {"include/knuckleboom/", "src/"}) {
    if (path.starts_with(root)) return path.substr(root.size());
  }
  return path;
}

const Layer* layer_of(std::string_view place) {
  for (const Layer& layer : layers()) {
    if (place.starts_with(layer.prefix)) return &layer;
  }
  return nullptr;
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

// The place of an included file of ours; nothing for a header of somebody else.
std::optional<std::string> place_of_include(const Tree& tree, const std::string& including_path,
                                            const Include& include) {
  if (include.quoted) {
    const std::string beside =
        (fs::path(including_path).parent_path() / include.name).lexically_normal().generic_string();
    if (tree.contains(beside)) return place_of(beside);
  }
  for (const std::string_view root : {"include/", "src/"}) {
    const std::string path =
        fs::path(std::string(root) + include.name).lexically_normal().generic_string();
    if (tree.contains(path)) return place_of(path);
  }
  if (include.name.starts_with("knuckleboom/")) return place_of("include/" + include.name);
  return std::nullopt;
}

// --- Rules --------------------------------------------------------------------

using Findings = std::vector<std::string>;  // one readable line each

std::string at(const std::string& path, std::size_t line) {
  return path + ":" + std::to_string(line) + ": ";
}

bool is_cpp(const std::string& path) {
  return path.ends_with(".cpp") || path.ends_with(".hpp") || path.ends_with(".h");
}

// A layer names only layers above it in the table, so that there can be no circle.
Findings check_order() {
  Findings findings;
  for (std::size_t i = 0; i < layers().size(); ++i)
    for (const std::string_view target : layers()[i].may_include)
      for (std::size_t k = i + 1; k < layers().size(); ++k)
        if (layers()[k].prefix.starts_with(target) || target.starts_with(layers()[k].prefix))
          findings.push_back(std::string(layers()[i].prefix) + " stands before " +
                             std::string(layers()[k].prefix) + ", which it may include");
  return findings;
}

// Our own headers: each include goes to the same layer or to one the table allows.
Findings check_layers(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_cpp(path)) continue;
    const Layer* layer = layer_of(place_of(path));
    if (layer == nullptr) {
      findings.push_back(at(path, 1) + "belongs to no layer of the table");
      continue;
    }
    for (const Include& include : includes_of(text)) {
      const std::optional<std::string> target = place_of_include(tree, path, include);
      if (!target.has_value()) {
        const bool is_known_library =
            std::any_of(libraries().begin(), libraries().end(), [&include](const Library& library) {
              return starts_with_any(include.name, library.headers);
            });
        if (include.quoted && !is_known_library) {
          findings.push_back(at(path, include.line) + "includes \"" + include.name +
                             "\", which is not a file of the project");
        }
        continue;
      }
      if (!target->starts_with(layer->prefix) && !starts_with_any(*target, layer->may_include)) {
        findings.push_back(at(path, include.line) + std::string(layer->prefix) +
                           " may not include " + include.name);
      }
    }
  }
  return findings;
}

// The units (.cpp) that include a header, over other headers or at once. tests/ is an include root too.
Findings units_with(const Tree& tree, const std::string& header) {
  std::map<std::string, std::vector<std::string>> includers;
  for (const auto& [path, text] : tree) {
    if (!is_cpp(path)) continue;
    for (const Include& include : includes_of(text)) {
      std::vector<std::string> candidates = {"include/" + include.name, "src/" + include.name,
                                             "tests/" + include.name};
      if (include.quoted)
        candidates.insert(candidates.begin(), fs::path(path).parent_path() / include.name);
      for (const std::string& candidate : candidates) {
        const std::string found = fs::path(candidate).lexically_normal().generic_string();
        if (!tree.contains(found)) continue;
        includers[found].push_back(path);
        break;
      }
    }
  }
  std::set<std::string> reached = {header};
  std::vector<std::string> next = {header};
  Findings units;
  while (!next.empty()) {
    const std::string file = next.back();
    next.pop_back();
    if (file.ends_with(".cpp")) units.push_back(file);
    for (const std::string& path : includers[file])
      if (reached.insert(path).second) next.push_back(path);
  }
  return units;
}

// Third parties: each library stays in the layers that own it.
Findings check_libraries(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_cpp(path)) continue;
    const std::string place = place_of(path);
    for (const Include& include : includes_of(text)) {
      if (place_of_include(tree, path, include).has_value()) continue;
      for (const Library& library : libraries()) {
        if (starts_with_any(include.name, library.headers) &&
            !starts_with_any(place, library.layers)) {
          findings.push_back(at(path, include.line) + "includes " + include.name + ", but " +
                             std::string(library.name) + " is not for this layer");
        }
      }
    }
  }
  return findings;
}

Findings check_core_purity(const Tree& tree) {
  Findings findings;
  const std::vector<std::string_view>& banned = standard_headers_not_for_core();
  for (const auto& [path, text] : tree) {
    if (!is_cpp(path) || !place_of(path).starts_with("core/")) continue;
    for (const Include& include : includes_of(text)) {
      if (std::find(banned.begin(), banned.end(), include.name) != banned.end()) {
        findings.push_back(at(path, include.line) + "the core does not include <" + include.name +
                           ">: no I/O, clock, thread or foreign randomness there");
      }
    }
  }
  return findings;
}

// Length of the UTF-8 sequence that starts at text[i]; 0 when there is none. Accepts exactly
// the well-formed sequences of the Unicode standard, table 3-7.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [text](std::size_t k) -> unsigned {
    return k < text.size() ? static_cast<std::uint8_t>(text[k]) : 0U;
  };
  const auto is_between = [](unsigned value, unsigned low, unsigned high) {
    return low <= value && value <= high;
  };
  const unsigned first = byte(i);
  if (is_between(first, 0x01, 0x7F)) return 1;
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (is_between(first, 0xC2, 0xDF)) {
    length = 2;
  } else if (is_between(first, 0xE0, 0xEF)) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (is_between(first, 0xF0, 0xF4)) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (!is_between(byte(i + 1), low, high)) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if (!is_between(byte(i + k), 0x80, 0xBF)) return 0;
  }
  return length;
}

// UTF-8 without tabs, in every file; the first fault of each kind is told.
Findings check_text(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    std::size_t line = 1;
    bool tab_told = false;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == '\n') ++line;
      if (text[i] == '\t' && !tab_told) {
        findings.push_back(at(path, line) + "has a tab");
        tab_told = true;
      }
      const std::size_t length = utf8_length(text, i);
      if (length == 0) {
        findings.push_back(at(path, line) + "is not UTF-8 text");
        break;
      }
      i += length;
    }
  }
  return findings;
}

Findings check_main_length(const Tree& tree) {
  const auto main_file = tree.find("src/main.cpp");
  if (main_file == tree.end()) return {"src/main.cpp:1: is missing"};
  const auto lines = static_cast<std::size_t>(
      std::count(main_file->second.begin(), main_file->second.end(), '\n'));
  if (lines < kMainLines) return {};
  return {at("src/main.cpp", lines) + "main.cpp has " + std::to_string(lines) +
          " lines; it stays under " + std::to_string(kMainLines)};
}

std::string joined(const Findings& findings) {
  std::string text;
  for (const std::string& finding : findings) text += finding + "\n";
  return text;
}

// --- The project keeps the rules ----------------------------------------------

Tree read_project(const std::vector<const char*>& folders = {"include", "src"}) {
  const fs::path project = KNUCKLEBOOM_SOURCE_DIR;
  Tree tree;
  for (const char* folder : folders) {
    if (!fs::exists(project / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(project / folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      tree[entry.path().lexically_relative(project).generic_string()] =
          std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  }
  return tree;
}

class ProjectFiles : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(tree_.empty()) << "no files in " KNUCKLEBOOM_SOURCE_DIR; }
  const Tree tree_ = read_project();
};

void expect_none(const Findings& findings) { EXPECT_TRUE(findings.empty()) << joined(findings); }

TEST_F(ProjectFiles, includeOnlyTheLayersTheyMay) { expect_none(check_layers(tree_)); }

TEST(LayerTable, isInTheOrderOfTheFlow) { expect_none(check_order()); }

TEST_F(ProjectFiles, keepThirdPartiesInTheirLayers) { expect_none(check_libraries(tree_)); }

TEST_F(ProjectFiles, keepTheCorePure) { expect_none(check_core_purity(tree_)); }

TEST_F(ProjectFiles, areUtf8TextWithoutTabs) { expect_none(check_text(tree_)); }

// A change of such a header compiles all of them again.
TEST(ProjectUnits, includeTheCircuitsOnlyWhereTheyLookIntoThem) {
  const Tree tree = read_project({"include", "src", "tests"});
  for (const Spread& spread : kSpread) {
    const Findings units = units_with(tree, std::string(spread.header));
    EXPECT_GT(units.size(), 10U) << spread.header << ": is it still there?";
    EXPECT_LE(units.size(), spread.units) << spread.header << " is in\n" << joined(units);
  }
}

// Below app/ nothing can, as the layers are; these run in a tick thread, and say things by queues.
TEST(ProjectUnits, ofATickNeitherLogNorSpeak) {
  const Tree tree = read_project({"include", "src"});
  for (const char* header : {"src/app/shell/log.hpp", "src/app/shell/console.hpp"}) {
    const Findings units = units_with(tree, header);
    EXPECT_GT(units.size(), 10U) << header << ": is it still there?";
    for (const char* of_tick :
         {"src/app/emulation/live_thread.cpp", "src/app/emulation/live_endpoints.cpp"})
      EXPECT_EQ(std::count(units.begin(), units.end(), of_tick), 0) << of_tick << ": " << header;
  }
}

TEST_F(ProjectFiles, haveAShortMain) { expect_none(check_main_length(tree_)); }

// --- The rules catch what they should -----------------------------------------

TEST(IncludeRules, readIncludeLinesOutsideComments) {
  const std::vector<Include> found = includes_of(
      "#include <vector>\n"
      "// #include <a>\n"
      "/* #include <b>\n"
      "#include <c> */\n"
      "  #  include \"x/y.hpp\"  // why\n"
      "int includes;\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "vector");
  EXPECT_EQ(found[0].line, 1U);
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].name, "x/y.hpp");
  EXPECT_EQ(found[1].line, 5U);
  EXPECT_TRUE(found[1].quoted);
}

TEST(IncludeRules, findUnitsOverHeadersOnceEach) {
  const Tree tree = {
      {"include/knuckleboom/a.hpp", ""},
      {"include/knuckleboom/b.hpp", "#include \"knuckleboom/a.hpp\"\n"},
      {"src/x/c.hpp", "#include <knuckleboom/b.hpp>\n#include \"knuckleboom/a.hpp\"\n"},
      {"src/x/c.cpp", "#include \"c.hpp\"\n"},
      {"src/x/d.cpp", "// #include \"knuckleboom/a.hpp\"\n"},
      {"tests/unit/e.cpp", "#include \"x/c.hpp\"\n#include \"support/f.hpp\"\n"},
      {"tests/support/f.hpp", "#include \"knuckleboom/b.hpp\"\n"},
  };
  Findings units = units_with(tree, "include/knuckleboom/a.hpp");
  std::sort(units.begin(), units.end());
  EXPECT_EQ(joined(units), "src/x/c.cpp\ntests/unit/e.cpp\n");
}

TEST(IncludeRules, letDataFlowOneWay) {
  const Tree tree = {
      {"include/knuckleboom/core/math/table.hpp", ""},
      {"include/knuckleboom/core/multibody/tree.hpp",
       "#include \"knuckleboom/core/math/table.hpp\"\n"},
      {"src/core/multibody/tree.cpp", "#include \"knuckleboom/core/multibody/tree.hpp\"\n"},
      {"src/io/trace.cpp", "#include \"knuckleboom/version.hpp\"\n"},
      {"src/app/commands/run.hpp", "#include \"knuckleboom/core/multibody/tree.hpp\"\n"},
      {"src/app/commands/run.cpp", "#include \"run.hpp\"\n"},
      {"src/main.cpp", "#include \"app/commands/run.hpp\"\n"},
  };
  EXPECT_EQ(joined(check_layers(tree)), "");
}

TEST(IncludeRules, reportEachForbiddenLayerWithItsLine) {
  const Tree tree = {
      {"include/knuckleboom/core/hydraulics/valve.hpp",
       "#pragma once\n#include \"knuckleboom/core/multibody/tree.hpp\"\n"},
      {"include/knuckleboom/core/multibody/tree.hpp", ""},
      {"src/core/math/table.cpp", "#include \"../../app/commands/run.hpp\"\n"},
      {"src/app/commands/run.hpp", ""},
      {"src/runtime/pacer.cpp", "#include \"app/commands/run.hpp\"\n"},
      {"src/view/scene.cpp", "#include <knuckleboom/core/sim/simulation.hpp>\n"},
      {"src/lost/lost.cpp", ""},
      {"src/io/read.cpp", "#include \"nowhere.hpp\"\n"},
  };
  EXPECT_EQ(joined(check_layers(tree)),
            "include/knuckleboom/core/hydraulics/valve.hpp:2: core/hydraulics/ may not include "
            "knuckleboom/core/multibody/tree.hpp\n"
            "src/core/math/table.cpp:1: core/math/ may not include ../../app/commands/run.hpp\n"
            "src/io/read.cpp:1: includes \"nowhere.hpp\", which is not a file of the project\n"
            "src/lost/lost.cpp:1: belongs to no layer of the table\n"
            "src/runtime/pacer.cpp:1: runtime/ may not include app/commands/run.hpp\n"
            "src/view/scene.cpp:1: view/ may not include knuckleboom/core/sim/simulation.hpp\n");
}

TEST(IncludeRules, reportMisplacedThirdParties) {
  const Tree tree = {
      {"src/app/command_line/run.cpp", "#include <CLI/CLI.hpp>\n#include <toml++/toml.h>\n"},
      {"src/core/math/table.cpp", "#include <Eigen/Core>\n#include <hdf5.h>\n"},
      {"src/io/read.cpp", "#include <toml++/toml.h>\n#include <Eigen/Core>\n"},
      {"src/reference/cvode.cpp", "#include <cvode/cvode.h>\n#include <gtest/gtest.h>\n"},
      {"src/runtime/pacer.cpp", "#include <nvector/nvector_serial.h>\n"},
  };
  EXPECT_EQ(
      joined(check_libraries(tree)),
      "src/app/command_line/run.cpp:2: includes toml++/toml.h, but toml++ is not for this layer\n"
      "src/core/math/table.cpp:2: includes hdf5.h, but HDF5 is not for this layer\n"
      "src/io/read.cpp:2: includes Eigen/Core, but Eigen is not for this layer\n"
      "src/reference/cvode.cpp:2: includes gtest/gtest.h, but a test library is not for this "
      "layer\n"
      "src/runtime/pacer.cpp:1: includes nvector/nvector_serial.h, but SUNDIALS is not for "
      "this layer\n");
}

TEST(IncludeRules, keepClocksOutOfTheCoreOnly) {
  const Tree tree = {
      {"src/core/sim/step.cpp", "#include <cmath>\n#include <chrono>\n"},
      {"src/runtime/pacer.cpp", "#include <chrono>\n"},
  };
  EXPECT_EQ(check_core_purity(tree).size(), 1U);
  EXPECT_TRUE(check_core_purity(tree).front().starts_with("src/core/sim/step.cpp:2: "));
}

TEST(IncludeRules, tellTextFromBytes) {
  const Tree tree = {
      {"src/a.cpp", "// m\xC2\xB2, \xE2\x82\xAC, \xF0\x9F\x8C\xB2\n"},
      {"src/b.cpp", "\n\tint x;\n\tint y;\n"},
      {"src/c.cpp", "// \xB0\n"},
      {"src/d.cpp", "// cut short \xE2\x82"},
      {"src/e.cpp", std::string("zero \0 byte", 11)},
  };
  EXPECT_EQ(joined(check_text(tree)),
            "src/b.cpp:2: has a tab\n"
            "src/c.cpp:1: is not UTF-8 text\n"
            "src/d.cpp:1: is not UTF-8 text\n"
            "src/e.cpp:1: is not UTF-8 text\n");
}

TEST(IncludeRules, measureMain) {
  std::string lines;
  for (std::size_t i = 0; i + 1 < kMainLines; ++i) lines += "\n";
  EXPECT_TRUE(check_main_length({{"src/main.cpp", lines}}).empty());
  EXPECT_EQ(check_main_length({{"src/main.cpp", lines + "\n"}}).size(), 1U);
}

}  // namespace
