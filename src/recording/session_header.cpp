#include "session_header.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <xxhash.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/exercise_variant.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/released_layouts.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/io/state_record.hpp"
#include "knuckleboom/recording/session_texts.hpp"
#include "knuckleboom/version.hpp"
#include "machine_texts.hpp"

namespace knuckleboom::io {
namespace {

using training::SessionState;

constexpr std::size_t kKeysSaid = 10;

}  // namespace

std::string random_id() {
  std::random_device device;  // getrandom() on Linux
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", device() & 0xFFFFFFFFU);
  return id;
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

StateLayout layout_of(const state::Struct& type, std::uint32_t version) {
  const std::string fields = describe(type);
  return {version, type.size, XXH3_64bits(fields.data(), fields.size())};
}

namespace {

// Whether all that a recorded type has is known here by the same names.
bool knows(const state::Struct& known, const state::Struct& recorded) {
  return std::all_of(
      recorded.fields.begin(), recorded.fields.end(), [&known](const state::Field& field) {
        const auto same =
            std::find_if(known.fields.begin(), known.fields.end(),
                         [&field](const state::Field& one) { return one.name == field.name; });
        if (same == known.fields.end()) return false;
        return field.part == nullptr || same->part == nullptr || knows(*same->part, *field.part);
      });
}

// States with figures by other rules cannot be gone on from: these figures are part of them.
bool judged_as_today(const state::Struct& session) {
  const auto score = std::find_if(session.fields.begin(), session.fields.end(),
                                  [](const state::Field& field) { return field.name == "score"; });
  return score != session.fields.end() && score->part != nullptr &&
         knows(state::struct_of<training::ScoreState>(), *score->part);
}

}  // namespace

StateDescription states_of(const SessionHeader& header) {
  if (header.fields.empty() || header.layout.version != kStateFormat ||
      header.judging != training::kJudging)
    return {};
  try {
    StateDescription states(header.fields);
    if (states.record_bytes() == header.layout.bytes && judged_as_today(states.type()))
      return states;
  } catch (const std::invalid_argument&) {
  }
  return {};
}

std::string this_program() { return fmt::format("knuckleboom {} ({})", kVersion, kRevision); }

std::string this_processor() {
#if defined(__x86_64__)
  std::string text = "x86_64";
  __builtin_cpu_init();
  // The C library chooses its sine, exponential and so on by these.
  if (__builtin_cpu_supports("avx2")) text += " avx2";
  if (__builtin_cpu_supports("fma")) text += " fma";
  return text;
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

std::string left_out_sentence(const std::vector<Diagnostic>& unknown) {
  std::string keys;
  for (std::size_t i = 0; i < unknown.size() && i < kKeysSaid; ++i)
    keys += fmt::format("{}{} ({} line {})", i > 0 ? ", " : "", unknown[i].message, unknown[i].file,
                        unknown[i].line);
  if (unknown.size() > kKeysSaid) keys += fmt::format(" and {} more", unknown.size() - kKeysSaid);
  return fmt::format("its files have keys that this program does not know and leaves out: {}",
                     keys);
}

void describe(const training::Session& session, SessionHeader& header) {
  header.program = this_program();
  header.processor = this_processor();
  header.id = random_id();
  header.start_utc = now_utc();
  forget_folders(header.texts);
  header.rate_Hz = session.exercise().rate_Hz;
  header.judging = training::kJudging;
  header.fields = io::describe(
      state::struct_of<SessionState>(),
      std::array{Shortened{state::struct_of<world::WorldState>().name, "log",
                           static_cast<std::uint32_t>(std::max(1, session.world().log_count()))},
                 Shortened{state::struct_of<world::WorldState>().name, "contact",
                           static_cast<std::uint32_t>(session.world().contact_room())}});
  header.layout = layout_of(StateDescription(header.fields).type(), kStateFormat);
  header.channels.clear();
  for (const training::SessionChannel& channel : training::session_channels(session))
    header.channels.push_back({channel.name, channel.unit, channel.description});
  header.figures.clear();
  for (const training::Figure& figure : training::figures())
    header.figures.push_back(
        {std::string(figure.name), std::string(figure.unit), std::string(figure.description)});
}

std::string session_name(const SessionHeader& header) {
  std::string name = header.start_utc.substr(0, 19);
  std::replace(name.begin(), name.end(), ':', '-');
  std::string exercise = std::filesystem::path(header.exercise).stem().string();
  if (exercise.size() > 40) exercise.resize(40);
  for (char& c : exercise)
    if (std::string_view("/\\ \n\t:*?\"<>|").find(c) != std::string_view::npos) c = '-';
  return fmt::format("{}_{}_{}", name, exercise.empty() ? "session" : exercise,
                     header.id.substr(0, 8));
}

const std::string* SessionHeader::option(std::string_view name) const {
  const auto found = std::ranges::find(options, name, &std::pair<std::string, std::string>::first);
  return found == options.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> SessionHeader::seed(std::string_view option) const {
  const std::string* const text = this->option(option);
  if (text == nullptr) return std::nullopt;
  return std::strtoull(text->c_str(), nullptr, 10);
}

std::vector<Override> drawn_variant(const SessionHeader& header) {
  const std::optional<std::uint64_t> seed = header.seed("variant");
  const SessionText* exercise = text_of(header.texts, "exercise");
  if (!seed || exercise == nullptr) return {};
  return variant_of_text(exercise->text, exercise->name, *seed);
}

std::unique_ptr<training::Session> make_session(const SessionHeader& header,
                                                std::vector<std::string>* remarks) {
  const SessionText* exercise = text_of(header.texts, "exercise");
  const SessionText* machine = text_of(header.texts, "machine");
  const SessionText* levers = text_of(header.texts, "levers");
  if (exercise == nullptr || machine == nullptr || levers == nullptr)
    throw FileError("session " + header.id,
                    "the texts of its exercise, machine and lever files are not all there");
  std::vector<Diagnostic> unknown;
  const std::vector<Override> variant = drawn_variant(header);
  ExerciseFile exercise_file = read_exercise_text(exercise->text, exercise->name, variant, &unknown,
                                                  texts_of(header.texts, kSpeciesRole));
  MachineFile machine_file = read_machine_texts(machine->text, machine->name,
                                                texts_of(header.texts, "base"), {}, &unknown);
  LeverFile lever_file = read_levers_text(levers->text, levers->name, {}, &unknown);
  if (remarks != nullptr) {
    if (!unknown.empty()) remarks->push_back(left_out_sentence(unknown));
    const auto check = [&](const char* what, const ContentHash& now, const ContentHash& then) {
      if (!then.hex.empty() && now != then)
        remarks->push_back(
            fmt::format("the text of its {} file is not the one its hash was taken of", what));
    };
    check("exercise", exercise_file.hash, header.exercise_hash);
    check("machine", machine_file.hash, header.machine_hash);
    check("lever", lever_file.hash, header.levers_hash);
  }
  exercise_file.exercise.rate_Hz = header.rate_Hz;
  // Those with states of version 6 called reduced what is called paper now.
  if (header.layout.version == kSession6 &&
      exercise_file.exercise.fidelity == machine::Fidelity::kReduced)
    exercise_file.exercise.fidelity = machine::Fidelity::kPaper;
  if (const auto seed = header.seed("fault_seed")) exercise_file.exercise.fault_lot.seed = *seed;
  try {
    return std::make_unique<training::Session>(std::move(machine_file.model),
                                               std::move(lever_file.pattern),
                                               std::move(exercise_file.exercise));
  } catch (const std::invalid_argument& error) {
    throw FileError("session " + header.id, error.what());
  }
}

}  // namespace knuckleboom::io
