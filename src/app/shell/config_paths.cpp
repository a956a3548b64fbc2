#include "app/shell/config_paths.hpp"

#include <cstdlib>

namespace knuckleboom::app {

namespace fs = std::filesystem;

namespace {

fs::path xdg_folder(const char* variable, const char* in_home) {
  const char* xdg = std::getenv(variable);
  // The specification takes absolute paths only.
  if (xdg != nullptr && *xdg == '/') return fs::path(xdg) / "knuckleboom";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / in_home / "knuckleboom";
  return {};
}

}  // namespace

fs::path user_folder() { return xdg_folder("XDG_CONFIG_HOME", ".config"); }

fs::path user_data_folder() { return xdg_folder("XDG_DATA_HOME", ".local/share"); }

fs::path user_state_folder() { return xdg_folder("XDG_STATE_HOME", ".local/state"); }

fs::path user_session_folder() {
  const fs::path folder = user_data_folder();
  return folder.empty() ? folder : folder / "sessions";
}

fs::path user_device_file() {
  const fs::path folder = user_folder();
  return folder.empty() ? folder : folder / "levers.toml";
}

fs::path user_key_file() {
  const char* named = std::getenv("KNUCKLEBOOM_KEY");
  if (named != nullptr && *named != '\0') return named;
  const fs::path folder = user_folder();
  return folder.empty() ? folder : folder / "wire.key";
}

fs::path revoked_keys_file() {
  const fs::path folder = user_folder();
  return folder.empty() ? folder : folder / "wire.key.revoked";
}

}  // namespace knuckleboom::app
