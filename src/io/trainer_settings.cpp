#include "knuckleboom/io/trainer_settings.hpp"

#include <cstdio>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "document.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

// A TOML basic string.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

struct TextKey {
  const char* key;
  std::string TrainerSettings::*value;
};
constexpr TextKey kTexts[] = {
    {"exercise", &TrainerSettings::exercise}, {"machine", &TrainerSettings::machine},
    {"levers", &TrainerSettings::levers},     {"control", &TrainerSettings::control},
    {"fidelity", &TrainerSettings::fidelity}, {"quality", &TrainerSettings::quality},
    {"camera", &TrainerSettings::camera},     {"instruments", &TrainerSettings::instruments},
};

}  // namespace

TrainerSettings read_trainer_settings_text(std::string_view text, const std::string& file_name) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "settings file";
  const Node root = read_document(text, file_name, {}, options, report, hash);
  TableReader reader(report, root, "the settings file");
  TrainerSettings settings;
  for (const TextKey& key : kTexts)
    if (auto value = reader.text(key.key)) settings.*key.value = std::move(*value);
  settings.volume =
      reader.quantity("volume", Dimension::kNone, Range{0.0, 1.0}).value_or(settings.volume);
  settings.muted = reader.flag("muted").value_or(settings.muted);
  reader.done();
  report.throw_if_any();
  return settings;
}

TrainerSettings read_trainer_settings(const std::filesystem::path& path) {
  return read_trainer_settings_text(read_text_file(path, kConfigurationLimit, "settings file"),
                                    path.string());
}

void write_trainer_settings(const std::filesystem::path& path, const TrainerSettings& settings) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    throw FileError(path.string(), fmt::format("the settings cannot be kept: {}", error.message()));
  // Of a newer program, or spoilt by hand: what cannot be read is not ours to replace.
  if (std::filesystem::exists(path, error)) read_trainer_settings(path);
  std::string text = "# What the trainer was last used with. Written by the trainer.\n";
  for (const TextKey& key : kTexts)
    if (!(settings.*key.value).empty())
      text += fmt::format("{} = {}\n", key.key, toml_string(settings.*key.value));
  text += fmt::format("volume = {}\nmuted = {}\n", settings.volume, settings.muted);
  write_file(path, text);
}

}  // namespace knuckleboom::io
