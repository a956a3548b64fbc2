#include "knuckleboom/recording/emulation_texts.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "knuckleboom/io/emulation_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "machine_texts.hpp"
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

struct Sorted {
  std::vector<Override> host, plant, emulated, plan;
};

Sorted sort(const std::vector<std::string>& assignments) {
  Sorted out;
  for (const std::string& assignment : assignments) {
    Override one = parse_override(assignment);
    const auto take = [&one](std::string_view prefix) {
      if (!one.key.starts_with(prefix)) return false;
      one.key.erase(0, prefix.size());
      return true;
    };
    std::vector<Override>& to = take("host.")       ? out.host
                                : take("plant.")    ? out.plant
                                : take("emulated.") ? out.emulated
                                                    : out.plan;
    to.push_back(std::move(one));
  }
  return out;
}

// Starts of joints that do not exist, or in the wrong unit.
void check_start(const std::vector<command::InitialJoint>& initial,
                 const std::vector<ScenarioPlaces::Place>& places,
                 const machine::MachineModel& model) {
  command::Scenario start;
  start.initial = initial;
  ScenarioPlaces start_places;
  start_places.initial = places;
  std::vector<Diagnostic> faults = check_against(start, model, start_places);
  if (!faults.empty()) throw FileError(std::move(faults));
}

const SessionText& needed(const EmulationTexts& from, const std::string& role) {
  const SessionText* const text = text_of(from.texts, role);
  if (text == nullptr)
    throw FileError("emulation", "the text of its " + role + " file is not there");
  return *text;
}

}  // namespace

EmulationTexts read_emulation_texts(const std::filesystem::path& emulation,
                                    const std::filesystem::path& signals,
                                    std::vector<std::string> assignments, const FindMachine& find) {
  const Sorted overrides = sort(assignments);
  EmulationTexts out;
  out.texts = {read_text_of("emulation", emulation, "emulation file")};
  out.assignments = std::move(assignments);
  const EmulationFile file =
      read_emulation_text(out.texts[0].text, emulation.string(), overrides.plan);
  read_machine_into(out.texts, find(file.host, file.host_place), "host", "host base",
                    overrides.host);
  read_machine_into(out.texts, find(file.emulated, file.emulated_place), "emulated",
                    "emulated base", overrides.emulated);
  if (!signals.empty()) out.texts.push_back(read_text_of("signals", signals, "signal file"));
  return out;
}

EmulationParts make_emulation(const EmulationTexts& from, std::vector<Diagnostic>* unknown) {
  const Sorted overrides = sort(from.assignments);
  EmulationParts out;
  const SessionText& text = needed(from, "emulation");
  EmulationFile file = read_emulation_text(text.text, text.name, overrides.plan, unknown);
  out.plan = std::move(file.plan);
  out.hash = file.hash;
  out.remarks = std::move(file.remarks);
  const auto add = [&](emulation::Part& part, const std::string& role,
                       const std::vector<ScenarioPlaces::Place>& starts,
                       const std::vector<Override>& changes) {
    const SessionText& machine = needed(from, role);
    part.model = read_machine_texts(machine.text, machine.name,
                                    texts_of(from.texts, role + " base"), changes, unknown)
                     .model;
    check_start(part.initial, starts, part.model);
  };
  add(out.plan.host, "host", file.host_start, overrides.host);
  std::vector<Override> plant = overrides.host;
  for (const std::string& assignment : file.plant) plant.push_back(parse_override(assignment));
  plant.insert(plant.end(), overrides.plant.begin(), overrides.plant.end());
  if (plant.size() > overrides.host.size()) {
    const SessionText& machine = needed(from, "host");
    out.plan.plant = read_machine_texts(machine.text, machine.name,
                                        texts_of(from.texts, "host base"), plant, unknown)
                         .model;
  }
  add(out.plan.emulated, "emulated", file.emulated_start, overrides.emulated);
  if (const SessionText* signals = text_of(from.texts, "signals"))
    out.signals = read_signals_text(signals->text, signals->name, unknown);
  for (const SessionText& one : from.texts) out.files.push_back(one.name);
  return out;
}

std::unique_ptr<emulation::HilBench> make_hil_bench(EmulationParts parts) {
  std::vector<exchange::SignalRule> rules;
  for (OutsideSignal& signal : parts.signals.in) rules.push_back(std::move(signal.rule));
  try {
    return std::make_unique<emulation::HilBench>(std::move(parts.plan), std::move(rules));
  } catch (const std::invalid_argument& error) {
    throw FileError(parts.files.empty() ? "emulation" : parts.files.front(), error.what());
  }
}

std::unique_ptr<emulation::HilBench> make_hil_bench(const EmulationTexts& from,
                                                    std::vector<std::string>* remarks) {
  if (remarks == nullptr) return make_hil_bench(make_emulation(from));
  std::vector<Diagnostic> unknown;
  EmulationParts parts = make_emulation(from, &unknown);
  if (!unknown.empty()) remarks->push_back(left_out_sentence(unknown));
  return make_hil_bench(std::move(parts));
}

}  // namespace knuckleboom::io
