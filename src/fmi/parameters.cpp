#include "fmi/parameters.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "declare/scenario_keys.hpp"
#include "knuckleboom/declare/key.hpp"
#include "knuckleboom/declare/units.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::fmi {
namespace {

std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    steps.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

// The declaration of a key; null: of a table that the reader knows by code.
const declare::Key* declared(std::string_view path, io::FileKind kind) {
  const declare::KeyTable* table = &io::file_kind(kind).keys;
  const declare::Key* key = nullptr;
  bool name_follows = false;
  for (const std::string_view step : steps_of(path)) {
    if (std::exchange(name_follows, false)) continue;
    if (table == nullptr) return nullptr;
    key = declare::find_key(*table, step);
    if (key == nullptr) return nullptr;
    table = key->inside;
    name_follows = key->type == declare::Type::kTables || key->type == declare::Type::kNamed;
  }
  return key;
}

}  // namespace

std::vector<Variable> parameters_of(const std::filesystem::path& file, io::FileKind kind) {
  const std::string prefix =
      kind == io::FileKind::kMachine ? io::kMachinePrefix : io::kScenarioPrefix;
  std::vector<Variable> out;
  for (const io::ContentKey& key : io::content_keys(file, kind, prefix)) {
    double value = 0.0;
    const char* const end = key.value.data() + key.value.size();
    if (const auto [last, error] = std::from_chars(key.value.data(), end, value);
        error != std::errc() || last != end)
      continue;
    const declare::Key* known = declared(std::string_view(key.key).substr(prefix.size() + 1), kind);
    if (known == nullptr || known->type != declare::Type::kNumber) continue;
    // The FMU's own step.
    if (known->name == declare::keys::scenario_file::tick.name) continue;
    const declare::KeyParts parts =
        declare::split_key(std::string_view(key.key).substr(key.key.rfind('.') + 1));
    Variable one{Causality::kParameter, key.key, {}, std::string(known->says), value};
    if (parts.unit != nullptr) one.unit = parts.unit->label;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace knuckleboom::fmi
