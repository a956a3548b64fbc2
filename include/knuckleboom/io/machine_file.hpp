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

namespace knuckleboom::io {

struct MachineFile {
  machine::MachineModel model;  // in SI units, validated and finished
  ContentHash hash;
  std::vector<std::string> files;  // that were read: this one and its bases
};

// Throws FileError with all that is wrong in the file.
MachineFile read_machine(const std::filesystem::path& path,
                         std::span<const Override> overrides = {});

// The same from memory; a `base` is looked up in the folder of file_name.
MachineFile read_machine_text(std::string_view text, const std::string& file_name,
                              std::span<const Override> overrides = {});

// From memory alone: a `base` is looked for among these, by the name it has in MachineFile::files.
MachineFile read_machine_texts(std::string_view text, const std::string& file_name,
                               const std::vector<NamedText>& bases);

}  // namespace knuckleboom::io
