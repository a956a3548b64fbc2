// A machine's file and those that it builds on, as texts.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

inline constexpr std::string_view kSpeciesRole =
    "species";  // of the exercise's trees; may be several

// what: "exercise file".
SessionText read_text_of(const std::string& role, const std::filesystem::path& path,
                         std::string_view what);

// Adds the machine's text by this role and its bases' by the other; returns the machine, from those texts.
// Throws FileError, also if a file changes meanwhile.
MachineFile read_machine_into(std::vector<SessionText>& texts, const std::filesystem::path& machine,
                              const std::string& role, const std::string& base_role,
                              std::span<const Override> overrides = {});

// Takes the folders of this computer out of the names: a file is called by its name alone, and what a
// machine is based on by its path from the machine's folder, as the machine's own text has it.
void forget_folders(std::vector<SessionText>& texts);

// nullptr: none has this role.
const SessionText* text_of(const std::vector<SessionText>& texts, std::string_view role);
std::vector<NamedText> texts_of(const std::vector<SessionText>& texts, std::string_view role);

}  // namespace knuckleboom::io
