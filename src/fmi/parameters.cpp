#include "fmi/parameters.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "declare/exercise_keys.hpp"
#include "declare/scenario_keys.hpp"
#include "knuckleboom/declare/key.hpp"
#include "knuckleboom/declare/units.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::fmi {
namespace {

const char* prefix_of(io::FileKind kind) {
  return kind == io::FileKind::kMachine    ? io::kMachinePrefix
         : kind == io::FileKind::kExercise ? io::kExercisePrefix
         : kind == io::FileKind::kLevers   ? io::kLeversPrefix
                                           : io::kScenarioPrefix;
}

// The declaration of a key; null: of a table that the reader knows by code.
const declare::Key* declared(std::string_view path, io::FileKind kind) {
  const declare::KeyTable* table = &io::file_kind(kind).keys;
  const declare::Key* key = nullptr;
  bool name_follows = false;
  for (const std::string_view step : io::steps_of(path)) {
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
  const std::string prefix = prefix_of(kind);
  std::vector<Variable> out;
  for (const io::ContentKey& key : io::content_keys(file, kind, prefix)) {
    double value = 0.0;
    const char* const end = key.value.data() + key.value.size();
    if (const auto [last, error] = std::from_chars(key.value.data(), end, value);
        error != std::errc() || last != end)
      continue;
    const std::string_view path = std::string_view(key.key).substr(prefix.size() + 1);
    const declare::Key* known = declared(path, kind);
    if (known == nullptr || known->type != declare::Type::kNumber) continue;
    // The FMU's own step.
    if (path.find('.') == std::string_view::npos &&
        (known->name == declare::keys::scenario_file::tick.name ||
         known->name == declare::keys::exercise_file::rate.name))
      continue;
    const declare::KeyParts parts =
        declare::split_key(std::string_view(key.key).substr(key.key.rfind('.') + 1));
    Variable one{Causality::kParameter, key.key, {}, std::string(known->says), value};
    if (parts.unit != nullptr) one.unit = parts.unit->label;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace knuckleboom::fmi
