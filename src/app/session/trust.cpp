#include "app/session/trust.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "app/session/operator_settings.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/interrupt.hpp"
#include "endpoint/station.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/exercise_variant.hpp"
#include "knuckleboom/recording/session_texts.hpp"
#include "language/text.hpp"
#include "recording/machine_texts.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kClaimsSaid = 5;

// Reasons with a value. The database keeps them in English, as they were given.
enum ReasonWithValue : std::size_t { kWitness, kChanged, kOtherwise, kCannotRun, kStranger };
constexpr const char* kReasons[] = {
    msgid("who countersigned is not trusted here ({})"),
    msgid("the {} was changed during an attempt"),
    msgid("it was recorded by {}, and runs otherwise here"),
    msgid("this program cannot run it: {}"),
    msgid("it is signed by a station that is not trusted here ({}): name and date are claims"),
};

std::string reason(ReasonWithValue which, std::string_view value) {
  return fmt::format(fmt::runtime(kReasons[which]), value);
}

bool has_command(const io::SessionRecord& record, training::CommandKind kind) {
  return std::any_of(record.inputs.begin(), record.inputs.end(), [kind](const auto& event) {
    return event.kind == training::InputEventKind::kCommand && event.command.kind == kind;
  });
}

// Exercise, machine and levers as they are here under the same names, bases included, with the settings that
// the session names.
bool has_files_of_here(const io::SessionHeader& header) {
  try {
    io::SessionHeader here;
    io::read_session_texts(find_exercise(header.exercise), find_machine(header.machine),
                           find_levers(header.levers), here);
    if (const std::string* settings = header.option(kSettingsOption);
        settings != nullptr &&
        text_of(apply_settings(settings_of(*settings), here.texts)) != *settings)
      return false;
    return std::equal(
        here.texts.begin(), here.texts.end(), header.texts.begin(), header.texts.end(),
        [](const auto& a, const auto& b) { return a.role == b.role && a.text == b.text; });
  } catch (const std::exception&) {
    return false;
  }
}

// Why a signed session is no exam that somebody watched; empty: it is one.
std::string not_invigilated(const io::SessionHeader& header, const SignedBy& by) {
  if (by.witness.empty()) return msgid("nobody has countersigned who drove");
  if (by.witness == by.station) return msgid("the computer that recorded it countersigned itself");
  if (by.witness_name.empty()) return reason(kWitness, endpoint::public_fingerprint(by.witness));
  if (header.learner_id.empty()) return msgid("it names no learner who could have been watched");
  const io::SessionText* exercise = io::text_of(header.texts, "exercise");
  if (header.option("variant") == nullptr || exercise == nullptr ||
      io::variant_of_text(exercise->text, exercise->name, 1).empty())
    return msgid("its variant was not drawn for an exam, so that an input could have been ready");
  return {};
}

// Why a recording is no attempt of its own, made under the conditions that it names; empty: it is.
std::string no_attempt(const io::SessionRecord& record, const std::vector<Conditions>& conditions) {
  const io::SessionHeader& header = record.header;
  if (record.end.lost > 0) return msgid("the recording has gaps");
  if (!header.parent_id.empty()) return msgid("it was taken over from another session");
  if (header.option("playback") != nullptr)
    return msgid("the levers came from a file or a demonstration, not from hands");
  if (has_command(record, training::CommandKind::kFault) ||
      has_command(record, training::CommandKind::kClearFault))
    return msgid("faults were begun or ended from outside");
  for (const Conditions& one : conditions)
    for (const Condition& condition : one)
      if (condition.changed) return reason(kChanged, condition.what);
  return {};
}

// Why files are not those of here; empty: they are.
std::string other_files(const io::SessionHeader& header) {
  if (has_files_of_here(header)) return {};
  return msgid(
      "its exercise, machine or levers are not those that this program has by these names");
}

// Throws for claims that its inputs do not give. Why it cannot be told; empty: all is as computed.
std::string computed_again(const io::SessionRecord& record,
                           std::optional<runtime::Recomputed>& again) {
  if (!record.states_known())
    return msgid("it was recorded by a program that judges otherwise or has other states");
  const bool other_kind = record.header.processor.substr(0, record.header.processor.find(' ')) !=
                          io::this_processor().substr(0, io::this_processor().find(' '));
  if (other_kind)
    return msgid("it was recorded on another kind of processor, which rounds otherwise");
  again = runtime::recompute(record, [] { return !interrupted(); });
  const auto [claims, other_states] = runtime::false_claims(record, again->record);
  if (claims.empty()) return {};
  // Another program may simulate otherwise; but equal states have equal figures, in every program.
  if (record.header.program != io::this_program() && other_states)
    return reason(kOtherwise, record.header.program);
  std::string text;
  for (std::size_t i = 0; i < std::min(claims.size(), kClaimsSaid); ++i)
    text += (i > 0 ? "; " : "") + claims[i];
  throw io::FileError(
      record.path.string(),
      fmt::format("it claims what its inputs do not give, and is not believed: {}", text));
}

}  // namespace

std::string trust_text(int level) {
  constexpr const char* kWords[] = {msgid("figures only"), msgid("file"), msgid("computed here"),
                                    msgid("signed"), msgid("invigilated")};
  const int known = std::clamp(level, 0, 4);
  return fmt::format("T{} {}", known, tr(kWords[known]));
}

namespace {

std::string reason_in_use(const std::string& why) {
  for (const char* english : kReasons) {
    const std::string_view text = english;
    const std::size_t at = text.find("{}");
    const std::string_view before = text.substr(0, at), after = text.substr(at + 2);
    if (why.size() < before.size() + after.size() || !why.starts_with(before) ||
        !why.ends_with(after))
      continue;
    const std::string value =
        tr(why.substr(before.size(), why.size() - before.size() - after.size()));
    return language::formatted(english, tr(english), fmt::make_format_args(value));
  }
  return tr(why);
}

}  // namespace

std::string trust_text(const Trust& trust) {
  return trust_text(trust.level) + (trust.why.empty() ? "" : ": " + reason_in_use(trust.why));
}

Examined examine(const io::SessionRecord& record, Check check) {
  Examined out;
  Trust& trust = out.trust;
  trust.signature = signed_by(record.path);
  std::vector<std::string> remarks;
  std::unique_ptr<training::Session> session;
  try {
    session = io::make_session(record.header, &remarks);
  } catch (const io::FileError& error) {
    trust.why = reason(kCannotRun, error.what());
  } catch (const std::invalid_argument& error) {
    trust.why = reason(kCannotRun, error.what());
  }
  if (!session) return out;
  out.exercise = session->exercise().name;
  out.free = session->exercise().task == training::TaskKind::kFree;
  for (const std::string& remark : remarks)
    if (remark.ends_with("is not the one its hash was taken of"))
      throw io::FileError(record.path.string(), remark + "; it is not believed");
  for (std::size_t i = 0; i < record.attempts.size(); ++i)
    out.conditions.push_back(conditions_of(record, session->exercise(), i));

  if (check == Check::kCompute && record.end.lost == 0) {
    trust.why = computed_again(record, out.computed);
    out.as_computed = trust.why.empty();
  }
  if (trust.why.empty() && !record.end.complete) trust.why = msgid("the recording was cut off");
  if (trust.why.empty()) trust.why = no_attempt(record, out.conditions);
  if (trust.why.empty() && check == Check::kTrustOwn && !trust.signature.own)
    trust.why = msgid(
        "it was not computed again when it was filed; 'knuckleboom learners import' does that");
  if (trust.why.empty() && !remarks.empty()) trust.why = remarks.front();
  if (trust.why.empty()) trust.why = other_files(record.header);
  if (!trust.why.empty()) return out;
  trust.level = kComputedHere;
  const SignedBy& by = trust.signature;
  if (by.station.empty()) {
    trust.why = msgid("it is not signed: name and date are claims");
  } else if (!by.own && by.name.empty()) {
    trust.why = reason(kStranger, endpoint::public_fingerprint(by.station));
  } else {
    trust.why = not_invigilated(record.header, by);
    trust.level = trust.why.empty() ? kInvigilated : kSigned;
  }
  return out;
}

Examined examine_running(const io::SessionRecord& record, const training::Exercise& exercise) {
  Examined out;
  out.exercise = exercise.name;
  out.free = exercise.task == training::TaskKind::kFree;
  for (std::size_t i = 0; i < record.attempts.size(); ++i)
    out.conditions.push_back(conditions_of(record, exercise, i));
  out.trust.why = no_attempt(record, out.conditions);
  if (out.trust.why.empty()) out.trust.why = other_files(record.header);
  if (out.trust.why.empty()) out.trust.level = kSigned;
  return out;
}

}  // namespace knuckleboom::app
