#include "fmi/sources.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::fmi {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSources = "sources/";

// Folders of the source tree, and where they are in an FMU: there is but one folder to look for headers in.
// bytes: of texts that are compiled as one; what they include takes longer than they do.
constexpr struct {
  const char *from, *to;
  std::size_t bytes;
  bool tick;
} kFolders[] = {
    {"include/knuckleboom/core", "knuckleboom/core", 0, false},
    {"include/knuckleboom/declare", "knuckleboom/declare", 0, false},
    {"include/knuckleboom/io", "knuckleboom/io", 0, false},
    {"src/core", "core", 110'000, true},
    {"src/declare", "declare", 110'000, false},
    {"src/io", "io", 180'000, false},
    {"src/capi", "capi", 1, false},
    {"src/fmi", "fmi", 1, false},
    {"src/fmu", "fmu", 1, false},
};
constexpr std::pair<const char*, const char*> kFiles[] = {
    {"include/knuckleboom.h", "knuckleboom.h"}, {"LICENSE", "LICENSE"}};

// Compiled for a program, and not for an FMU: they need libraries that it does without.
constexpr std::string_view kLeftOut[] = {
    "io/urdf_parser.cpp", "io/urdf_writer.cpp", "fmi/archive.cpp", "fmi/description.cpp",
    "fmi/export.cpp",     "fmi/import.cpp",     "fmi/sources.cpp", "fmi/unit.cpp"};
// Compiled by itself: it chooses by macros.
constexpr std::string_view kAlone[] = {"core/batch/lane_kernel.cpp"};

// Before each unit.
constexpr std::string_view kHead = R"text(#if __cplusplus < 202002L
#error "This FMU is of C++20: compile it with -std=c++20, or by the CMakeLists.txt here"
#endif
#if defined(__FMA__) || defined(__AVX__) || defined(__FAST_MATH__)
#error "This FMU gives equal bits on every x86-64 processor: compile it without -march, -mfma and -ffast-math"
#endif
#if !__has_include(<Eigen/Core>) || !__has_include(<fmt/format.h>) || !__has_include(<xxhash.h>) || \
    !__has_include(<toml++/toml.h>)
#error "Headers are missing (Debian: libeigen3-dev libfmt-dev libxxhash-dev libtomlplusplus-dev)"
#endif
#define KNUCKLEBOOM_SOURCE_CONFIG_DIR "/nowhere"
#define KNUCKLEBOOM_INSTALLED_CONFIG_DIR "/nowhere"
#define KNUCKLEBOOM_CONFIG_FROM_BIN "nowhere"
#define KNUCKLEBOOM_CONFIG_FROM_LIB "nowhere"
#define TOML_HEADER_ONLY 0
)text";

constexpr const char* kOptions =
    "-std=c++20 -ffp-contract=off -fPIC -fvisibility=hidden -fvisibility-inlines-hidden "
    "-Wno-subobject-linkage -I/usr/include/eigen3";
constexpr const char* kTickOptions = "-O2 -fno-tree-vectorize";
constexpr const char* kOtherOptions = "-O1";

constexpr const char* kCMake =
    R"(# Builds the FMU's code as {0}.so, to be put into the FMU's folder binaries/.
# Debian: cmake g++ libeigen3-dev libfmt-dev libxxhash-dev libtomlplusplus-dev
cmake_minimum_required(VERSION 3.22)
project({0} LANGUAGES CXX)
set(tick {1})
add_library({0} MODULE ${{tick}} {2})
set_target_properties({0} PROPERTIES PREFIX "")
target_include_directories({0} PRIVATE "${{CMAKE_CURRENT_SOURCE_DIR}}")
separate_arguments(options UNIX_COMMAND "{3}")
separate_arguments(tick_options UNIX_COMMAND "{4}")
target_compile_options({0} PRIVATE {5} ${{options}})
set_source_files_properties(${{tick}} PROPERTIES COMPILE_OPTIONS "${{tick_options}}")
target_link_libraries({0} PRIVATE ${{CMAKE_DL_LIBS}})
)";

// The folder that is installed, or that of the source tree.
fs::path sources_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = (program / KNUCKLEBOOM_FMU_SOURCES_FROM_BIN).lexically_normal();
  for (const fs::path& place : {installed, fs::path(KNUCKLEBOOM_FMU_SOURCES)})
    if (fs::is_directory(place / kFolders[0].from)) return place;
  throw RunFailure(fmt::format(
      "the sources of an FMU's code are neither in '{}' nor in '{}'; install all of the program",
      installed.string(), KNUCKLEBOOM_FMU_SOURCES));
}

template <class Range>
bool is_among(const Range& list, const std::string& name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

std::string text_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw RunFailure(fmt::format("'{}' cannot be read", path.string()));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string version_header() {
  return fmt::format(
      "#pragma once\nnamespace knuckleboom {{\ninline constexpr const char* kVersion "
      "= \"{}\";\ninline constexpr const char* kRevision = \"{}\";\n}}\n",
      kVersion, kRevision);
}

// Units of a folder's sources, each of some of them.
class Units {
 public:
  Units(std::string before, std::size_t bytes) : before_(std::move(before)), bytes_(bytes) {}

  void add(const std::string& name, std::size_t size) {
    const bool alone = is_among(kAlone, name);
    if (texts_.empty() || alone || size_ + size > bytes_) {
      texts_.emplace_back(kHead);
      size_ = 0;
    }
    texts_.back() += fmt::format("#include \"{}\"\n", name);
    size_ = alone ? bytes_ : size_ + size;
  }
  void take(std::vector<std::string>& names, std::vector<io::NamedText>& entries) const {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      names.push_back(fmt::format("{}_{}.cpp", before_, i + 1));
      entries.push_back({kSources + names.back(), texts_[i]});
    }
  }

 private:
  std::string before_;
  std::size_t bytes_, size_ = 0;
  std::vector<std::string> texts_;
};

std::string build_description(const std::string& name, const SourceUnits& units) {
  tinyxml2::XMLPrinter xml;
  xml.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\"");
  xml.OpenElement("fmiBuildDescription");
  xml.PushAttribute("fmiVersion", "3.0");
  xml.OpenElement("BuildConfiguration");
  xml.PushAttribute("modelIdentifier", name.c_str());
  xml.PushAttribute("platform", "x86_64-linux");
  xml.PushAttribute("description",
                    "Debian: g++ libeigen3-dev libfmt-dev libxxhash-dev libtomlplusplus-dev");
  const auto add = [&xml](const char* called, const std::vector<std::string>& files,
                          const char* options) {
    xml.OpenElement("SourceFileSet");
    xml.PushAttribute("name", called);
    xml.PushAttribute("language", "C++20");
    xml.PushAttribute("compiler", "g++");
    xml.PushAttribute("compilerOptions", fmt::format("{} {}", kOptions, options).c_str());
    for (const std::string& file : files) {
      xml.OpenElement("SourceFile");
      xml.PushAttribute("name", file.c_str());
      xml.CloseElement();
    }
    xml.OpenElement("IncludeDirectory");
    xml.PushAttribute("name", ".");
    xml.CloseElement();
    xml.CloseElement();
  };
  add("tick", units.of_tick, kTickOptions);
  add("others", units.others, kOtherOptions);
  xml.OpenElement("Library");
  xml.PushAttribute("name", "dl");
  xml.CloseElement();
  xml.CloseElement();
  xml.CloseElement();
  return xml.CStr();
}

}  // namespace

SourceUnits add_sources(const std::string& name, std::vector<io::NamedText>& entries) {
  const fs::path root = sources_folder();
  SourceUnits out;
  const auto add = [&entries](const std::string& to, std::string text) {
    entries.push_back({kSources + to, std::move(text)});
  };
  for (const auto& folder : kFolders) {
    std::vector<fs::path> files;
    for (const auto& one : fs::recursive_directory_iterator(root / folder.from))
      if (one.path().extension() == ".cpp" || one.path().extension() == ".hpp")
        files.push_back(one.path().lexically_relative(root / folder.from));
    std::sort(files.begin(), files.end());
    Units units(std::string("knuckleboom_") + folder.to, folder.bytes);
    for (const fs::path& file : files) {
      const std::string to = (folder.to / file).string();
      if (is_among(kLeftOut, to)) continue;
      std::string text = text_in(root / folder.from / file);
      if (file.extension() == ".cpp") units.add(to, text.size());
      add(to, std::move(text));
    }
    units.take(folder.tick ? out.of_tick : out.others, entries);
  }
  for (const auto& [from, to] : kFiles) add(to, text_in(root / from));
  add("knuckleboom/version.hpp", version_header());
  add("buildDescription.xml", build_description(name, out));
  add("CMakeLists.txt",
      fmt::format(kCMake, name, fmt::join(out.of_tick, " "), fmt::join(out.others, " "), kOptions,
                  kTickOptions, kOtherOptions));
  entries.push_back({"documentation/licenses/license.txt", text_in(root / "LICENSE")});
  return out;
}

}  // namespace knuckleboom::fmi
