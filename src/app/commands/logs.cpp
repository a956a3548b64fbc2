#include "app/commands/logs.hpp"

#include "app/shell/config_paths.hpp"
#include "knuckleboom/io/file_kind.hpp"

namespace knuckleboom::app {

std::optional<io::MachineFile> named_machine(const std::string& name_or_file) {
  if (name_or_file.empty()) return std::nullopt;
  const std::filesystem::path path = find_machine(name_or_file);
  io::refuse_other_kind(path.string(), io::FileKind::kMachine);
  return io::read_machine(path);
}

io::LogMap named_map(const std::string& map, const std::string& dbc) {
  io::LogMap out = map.empty() ? io::LogMap() : io::read_log_map(map);
  if (!dbc.empty()) out.dbc = dbc;
  return out;
}

}  // namespace knuckleboom::app
