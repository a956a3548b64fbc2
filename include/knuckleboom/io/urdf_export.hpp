// A machine file as a URDF for other tools: docs/reference/urdf.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

struct UrdfExport {
  std::string text;
  std::size_t links = 0, joints = 0;
  std::vector<std::string>
      notes;  // what a URDF cannot say, or says in other words; a sentence each
};

// folder: where it will lie, for the paths of meshes. Throws FileError: the machine file is wrong.
UrdfExport export_urdf(const std::filesystem::path& machine, std::span<const Override> overrides,
                       const std::filesystem::path& folder);

// Whether the file was written from one of these.
bool is_exported_urdf(const std::filesystem::path& file);

}  // namespace knuckleboom::io
