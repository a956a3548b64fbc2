// Machine files: docs/reference/machine_file.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/named_text.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/urdf_import.hpp"

namespace knuckleboom::io {

struct MachineFile {
  machine::MachineModel model;  // in SI units, validated and finished
  std::string purpose;  // "for ...": to be told to whoever chooses the machine; may be empty
  ContentHash hash;
  std::vector<std::string> files;  // that were read: this one, its bases and URDF files
  std::vector<UrdfImport> imports;
  std::vector<Diagnostic> notes;    // on what was imported: ignored, assumed, missing meshes
  std::vector<Diagnostic> remarks;  // numbers out of the usual range, each with its reason
};

// "harvester is for ..."; empty without a purpose.
std::string purpose_sentence(const MachineFile& file);

// Throws FileError with all that is wrong in the file.
MachineFile read_machine(const std::filesystem::path& path,
                         std::span<const Override> overrides = {});
// A URDF as it stands, on the ground at 9.81 m/s2: for a look at it before there is a machine file.
MachineFile read_urdf(const std::filesystem::path& path, std::span<const Override> overrides = {});

// The same from memory; `base` and `urdf` are looked up in the folder of file_name.
MachineFile read_machine_text(std::string_view text, const std::string& file_name,
                              std::span<const Override> overrides = {});

// From memory alone: `base` and `urdf` are looked for among these, by the names in MachineFile::files.
// unknown: not null: keys that are not known are left out and listed there; they are errors otherwise.
MachineFile read_machine_texts(std::string_view text, const std::string& file_name,
                               const std::vector<NamedText>& bases,
                               std::span<const Override> overrides = {},
                               std::vector<Diagnostic>* unknown = nullptr);

}  // namespace knuckleboom::io
