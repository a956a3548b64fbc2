#include "knuckleboom/io/trainer_settings.hpp"

#include <cstdio>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "document.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "signal_keys.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

namespace settings_keys = declare::keys::settings_file;

// Values come and go by the same declarations: a setting is a text, a share or a flag.
std::string value_text(const Key& key, const TrainerSettings& settings) {
  const declare::Value value = key.bound.get(&settings);
  if (key.type == Type::kText) return value.text.empty() ? std::string() : toml_string(value.text);
  if (key.type == Type::kFlag) return value.number != 0.0 ? "true" : "false";
  return fmt::format("{}", value.number);
}

}  // namespace

TrainerSettings read_trainer_settings_text(std::string_view text, const std::string& file_name) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "settings file";
  const Node root = read_document(text, file_name, {}, options, report, hash);
  TableReader reader(report, root, settings_keys::table, "the settings file");
  TrainerSettings settings;
  reader.fill(settings);
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
  // An unreadable file, from a newer program or damaged by hand, is not replaced.
  if (std::filesystem::exists(path, error)) read_trainer_settings(path);
  std::string text = "# What the trainer was last used with. Written by the trainer.\n";
  for (const Key& key : settings_keys::all)
    if (const std::string value = value_text(key, settings); !value.empty())
      text += fmt::format("{} = {}\n", key.name, value);
  write_file(path, text);
}

}  // namespace knuckleboom::io
