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
  std::string scenario;  // or empty: a machine that is asked for nothing
  std::string machine;   // empty: the scenario's
  std::vector<std::string> assignments;
  std::string fidelity;
  Inputs inputs = Inputs::kNone;
  bool controller = false;  // the machine's controllers alone
  Version version = Version::k3;
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
