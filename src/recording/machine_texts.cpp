#include "machine_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "io/text_file.hpp"

namespace knuckleboom::io {

SessionText read_text_of(const std::string& role, const std::filesystem::path& path,
                         std::string_view what) {
  return {role, path.string(), read_text_file(path, kConfigurationLimit, what)};
}

MachineFile read_machine_into(std::vector<SessionText>& texts, const std::filesystem::path& machine,
                              const std::string& role, const std::string& base_role,
                              std::span<const Override> overrides) {
  const MachineFile from_disk = read_machine(machine, overrides);
  texts.push_back(read_text_of(role, machine, "machine file"));
  const std::string text = texts.back().text;
  std::vector<NamedText> bases;
  for (std::size_t i = 1; i < from_disk.files.size(); ++i) {
    texts.push_back(read_text_of(base_role, from_disk.files[i], "base file"));
    bases.push_back({texts.back().name, texts.back().text});
  }
  MachineFile from_texts = read_machine_texts(text, machine.string(), bases, overrides);
  if (from_texts.hash != from_disk.hash)
    throw FileError(machine.string(), "the file is being changed; try again");
  return from_texts;
}

void forget_folders(std::vector<SessionText>& texts) {
  constexpr std::string_view kBase = "base";
  // Where the bases are called from: a base's role is that of its machine with " base" behind it, or "base".
  const auto machine_of = [&](const SessionText& base) -> const SessionText* {
    if (base.role == kBase) return text_of(texts, "machine");
    return text_of(texts,
                   std::string_view(base.role).substr(0, base.role.size() - kBase.size() - 1));
  };
  std::vector<std::string> names;
  std::string called_by_whole_path;  // role of the bases that follow a base named by its whole path
  for (const SessionText& text : texts) {
    const std::filesystem::path path = text.name;
    const SessionText* const machine = text.role.ends_with(kBase) ? machine_of(text) : nullptr;
    // A text that names another by its whole path will look for it by that, and so will the bases
    // of that other. They come in the order of calling; a URDF file calls none.
    const bool whole = path.is_absolute() &&
                       (text.role == called_by_whole_path ||
                        std::any_of(texts.begin(), texts.end(), [&text](const SessionText& other) {
                          return other.text.find(text.name) != std::string::npos;
                        }));
    if (whole && machine != nullptr && !text.text.starts_with('<'))
      called_by_whole_path = text.role;
    names.push_back(
        machine == nullptr ? path.filename().string()
        : whole            ? text.name
                : path.lexically_relative(std::filesystem::path(machine->name).parent_path())
                      .lexically_normal()
                      .string());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].name = std::move(names[i]);
}

const SessionText* text_of(const std::vector<SessionText>& texts, std::string_view role) {
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [role](const SessionText& text) { return text.role == role; });
  return found == texts.end() ? nullptr : &*found;
}

std::vector<NamedText> texts_of(const std::vector<SessionText>& texts, std::string_view role) {
  std::vector<NamedText> out;
  for (const SessionText& text : texts)
    if (text.role == role) out.push_back({text.name, text.text});
  return out;
}

}  // namespace knuckleboom::io
