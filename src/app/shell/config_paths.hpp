// Where the user keeps things. What is shipped is found by io/config_folders.
#pragma once

#include <filesystem>

#include "knuckleboom/io/config_folders.hpp"

namespace knuckleboom::app {

using io::assets_folder;
using io::config_folders;
using io::emulation_names;
using io::exercise_names;
using io::find_emulation;
using io::find_exercise;
using io::find_levers;
using io::find_machine;
using io::find_scenario;
using io::lever_names;
using io::machine_names;
using io::scenario_names;

// The user's own folder, $XDG_CONFIG_HOME/knuckleboom or ~/.config/knuckleboom, which may not exist;
// empty if there is no home.
std::filesystem::path user_folder();

// The user's own data, $XDG_DATA_HOME/knuckleboom or ~/.local/share/knuckleboom; it may not exist. Empty if
// there is no home.
std::filesystem::path user_data_folder();

// The user's state folder, $XDG_STATE_HOME/knuckleboom or ~/.local/state/knuckleboom, which need not
// exist; empty if there is no home.
std::filesystem::path user_state_folder();

// Where sessions are recorded: knuckleboom/sessions in $XDG_DATA_HOME or ~/.local/share; it may not exist.
// Empty if there is no home.
std::filesystem::path user_session_folder();

// The user's own device file, which need not exist: knuckleboom/levers.toml in $XDG_CONFIG_HOME or
// ~/.config. Empty if neither is known.
std::filesystem::path user_device_file();

// The key of connections, which need not exist: $KNUCKLEBOOM_KEY, or wire.key in the user's own folder.
// Empty if neither is known.
std::filesystem::path user_key_file();
// Fingerprints of the keys that this user has revoked, wherever they are kept. Empty likewise.
std::filesystem::path revoked_keys_file();

}  // namespace knuckleboom::app
