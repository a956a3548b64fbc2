#include "app/session/comparison_key.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "app/session/drive_request.hpp"
#include "app/session/operator_settings.hpp"
#include "app/shell/exit_status.hpp"
#include "endpoint/station.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr const char* kVariant = "variant";
constexpr std::size_t kDigits = 8;  // of a content's digest, as shown

// The texts of some roles. A name in the file is only a name: two machines may have the same.
Condition content(const char* what, const io::SessionRecord& record, const std::string& name,
                  std::initializer_list<std::string_view> roles) {
  std::string all;
  for (const std::string_view role : roles)
    for (const io::SessionText& text : record.header.texts)
      if (text.role == role) all += endpoint::text_digest(text.text);
  std::string digest = endpoint::text_digest(all);
  return {what, digest, fmt::format("{} ({})", name, digest.substr(0, kDigits)), false};
}

Condition plain(const char* what, const std::string& value) { return {what, value, value, false}; }

std::string option(const io::SessionRecord& record, std::string_view name,
                   const std::string& without) {
  const std::string* value = record.header.option(name);
  return value == nullptr ? without : *value;
}

// The value of a setting at the start of the attempt, and "; changed" if it did not stay.
Condition setting(const char* what, const io::SessionRecord& record,
                  const io::SessionAttempt& attempt, training::CommandKind kind, std::int32_t first,
                  const char* (*word)(int)) {
  const std::int64_t begun = first_movement(record, attempt).value_or(attempt.end_tick);
  std::int32_t value = first;
  bool changed = false;
  for (const training::InputEvent& event : record.inputs) {
    if (event.kind != training::InputEventKind::kCommand || event.command.kind != kind) continue;
    if (event.tick < begun)
      value = event.command.value;
    else if (event.tick < attempt.end_tick && event.command.value != value)
      changed = true;
  }
  const std::string text = std::string(word(value)) + (changed ? "; changed" : "");
  return {what, text, text, changed};
}

// Faults begun from outside while the attempt ran, or before it in the same session.
std::string faults(const io::SessionRecord& record, const io::SessionAttempt& attempt) {
  std::set<std::int32_t> numbers;
  for (const training::InputEvent& event : record.inputs)
    if (event.kind == training::InputEventKind::kCommand &&
        event.command.kind == training::CommandKind::kFault && event.tick <= attempt.end_tick)
      numbers.insert(event.command.value);
  if (numbers.empty()) return "the exercise's";
  std::string text = "also";
  for (const std::int32_t number : numbers) text += fmt::format(" {}", number);
  return text;
}

std::string aids(const io::SessionRecord& record, const io::SessionAttempt& attempt) {
  std::set<std::string> used;
  for (const io::SessionEvent& event : record.events)
    if (event.kind == "aid" && event.tick <= attempt.end_tick) used.insert(event.text);
  std::string text;
  for (const std::string& one : used) text += (text.empty() ? "" : ", ") + one;
  return text.empty() ? "none told" : text;
}

// Seeds of what is drawn at random.
std::string variant(const io::SessionRecord& record) {
  const std::string faults = option(record, "fault_seed", "the exercise's");
  const std::string exam = option(record, "variant", "");
  return exam.empty() ? faults : fmt::format("{}, of an exam {}", faults, exam);
}

// The operator's own. They change the levers' and the exercise's texts too; here they can be read.
Condition settings(const io::SessionRecord& record) {
  const std::string value = option(record, kSettingsOption, "the files'");
  Condition out = plain(kSettingsOption, value);
  try {
    if (const std::string words = in_words(settings_of(value)); !words.empty()) out.shown = words;
  } catch (const UserError&) {  // of a program that knows others
  }
  return out;
}

std::string text_without(const Conditions& conditions, std::string_view left_out) {
  std::string text = "knuckleboom attempt\n";
  for (const Condition& one : conditions)
    if (one.what != left_out) text += fmt::format("{}={}\n", one.what, one.value);
  return text;
}

}  // namespace

std::optional<std::int64_t> first_movement(const io::SessionRecord& record,
                                           const io::SessionAttempt& attempt) {
  for (const io::SessionEvent& event : record.events)
    if (event.kind == "phase" && event.value[0] == 1.0 && event.tick > attempt.begin_tick &&
        event.tick <= attempt.end_tick)
      return event.tick;
  return std::nullopt;
}

Conditions conditions_of(const io::SessionRecord& record, const training::Exercise& exercise,
                         std::size_t attempt) {
  const io::SessionAttempt& one = record.attempts.at(attempt);
  const io::SessionHeader& header = record.header;
  return {
      content("exercise", record, exercise.name, {"exercise", "species"}),
      content("machine", record, header.machine, {"machine", "base"}),
      content("levers", record, header.levers, {"levers"}),
      plain("ticks a second", fmt::format("{:g}", header.rate_Hz)),
      setting(msgid("control"), record, one, training::CommandKind::kControlMode,
              static_cast<std::int32_t>(exercise.mode),
              [](int value) { return word_of(static_cast<command::ControlMode>(value)); }),
      setting(msgid("model"), record, one, training::CommandKind::kFidelity,
              static_cast<std::int32_t>(exercise.fidelity),
              [](int value) { return word_of(static_cast<machine::Fidelity>(value)); }),
      plain("faults", faults(record, one)),
      plain("aids", aids(record, one)),
      settings(record),
      plain("judging", fmt::format("{}", header.judging)),
      plain(kVariant, variant(record)),
  };
}

std::string key_of(const Conditions& conditions) {
  return endpoint::text_digest(text_without(conditions, {}));
}

std::string curve_key_of(const Conditions& conditions) {
  return endpoint::text_digest(text_without(conditions, kVariant));
}

std::vector<std::string> differing(const Conditions& a, const Conditions& b) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i].value != b[i].value)
      out.push_back(fmt::format("{}: {} and {}", a[i].what, a[i].shown, b[i].shown));
  return out;
}

}  // namespace knuckleboom::app
