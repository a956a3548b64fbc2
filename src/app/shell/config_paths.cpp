#include "app/shell/config_paths.hpp"

#include <cstdlib>

namespace knuckleboom::app {

namespace fs = std::filesystem;

fs::path user_folder() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  // The specification takes absolute paths only.
  if (xdg != nullptr && *xdg == '/') return fs::path(xdg) / "knuckleboom";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".config/knuckleboom";
  return {};
}

fs::path user_data_folder() {
  const char* xdg = std::getenv("XDG_DATA_HOME");
  if (xdg != nullptr && *xdg == '/') return fs::path(xdg) / "knuckleboom";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".local/share/knuckleboom";
  return {};
}

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

}  // namespace knuckleboom::app
