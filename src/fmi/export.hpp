// A machine with its scenario, as an FMU: docs/reference/fmi.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fmi/description.hpp"
#include "fmi/part.hpp"

namespace knuckleboom::fmi {

inline constexpr const char* kSuffix = ".fmu";

struct ExportRequest {
  // A scenario, or an exercise with levers, its own if they are empty; neither: a machine that is asked for nothing.
  std::string scenario, exercise, levers;
  std::string machine;  // empty: that of the scenario or exercise
  std::vector<std::string> assignments;
  std::string fidelity;  // empty: the exercise's
  Inputs inputs = Inputs::kNone;
  bool controller = false;  // the machine's controllers alone
  Version version = Version::k3;
  bool sources = false;  // with those of the code
};

struct Exported {
  std::string title;
  std::size_t inputs = 0, outputs = 0, parameters = 0;
  std::vector<std::string> files;  // that were read
};

// The part of an FMU that says what it is, in a folder of resources. Throws FileError or UserError.
PartFacts write_resources(const ExportRequest& request, const std::filesystem::path& resources,
                          std::vector<std::string>* files = nullptr);

// Throws FileError or UserError.
Exported export_fmu(const ExportRequest& request, const std::filesystem::path& output);

// Whether the file is one of these.
bool is_exported_fmu(const std::filesystem::path& file);

// The code of all FMUs that this program exports. Throws RunFailure if it is not there.
std::filesystem::path fmu_binary();

}  // namespace knuckleboom::fmi
