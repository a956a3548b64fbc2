#include "app/emulation/load_emulation.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "knuckleboom/io/file_kind.hpp"

namespace knuckleboom::app {
namespace {

// Including the dedicated options.
std::vector<std::string> assignments_of(const EmulateOptions& options) {
  std::vector<std::string> out = options.assignments;
  if (!options.scheme.empty()) out.push_back("control.scheme=" + options.scheme);
  if (options.delay_ticks)
    out.push_back(fmt::format("sensor.delay_ticks={}", *options.delay_ticks));
  if (options.stiffness)
    out.push_back(fmt::format("site.stiffness_N_per_m={:.17g}", *options.stiffness));
  return out;
}

}  // namespace

std::string LoadedEmulation::title() const {
  return fmt::format("{}: {} by {}", plan.name, plan.emulated.model.name, plan.host.model.name);
}

LoadedEmulation load_emulation(const EmulateOptions& options, const std::string& signals) {
  const std::filesystem::path path = find_emulation(options.scenario);
  io::refuse_other_kind(path.string(), io::FileKind::kEmulation);
  const auto find = [&path](const std::string& name, const io::ScenarioPlaces::Place& at) {
    try {
      return find_machine(name, path);
    } catch (const UserError& error) {
      throw io::FileError({{at.file, at.line, at.column, error.what()}});
    }
  };
  return load_emulation(io::read_emulation_texts(path, signals, assignments_of(options), find));
}

LoadedEmulation load_emulation(io::EmulationTexts texts) {
  io::EmulationParts parts = io::make_emulation(texts);
  LoadedEmulation out;
  out.plan = std::move(parts.plan);
  out.signals = std::move(parts.signals);
  out.texts = std::move(texts);
  out.files = std::move(parts.files);
  out.hash = parts.hash.hex;
  out.remarks = std::move(parts.remarks);
  return out;
}

}  // namespace knuckleboom::app
