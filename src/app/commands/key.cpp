// The sub-command key: makes, shows, changes and revokes the key of a connection.
#include "endpoint/key.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {
namespace {

std::filesystem::path place_of(const std::string& file) {
  const std::filesystem::path out = file.empty() ? user_key_file() : std::filesystem::path(file);
  if (out.empty())
    throw UserError("neither XDG_CONFIG_HOME nor HOME is set; say which FILE the key is in");
  return out;
}

std::filesystem::path own_list() {
  std::filesystem::path list = revoked_keys_file();
  endpoint::make_folder_of(list);
  return list;
}

int make(const std::filesystem::path& file) {
  if (file.parent_path() == user_folder()) endpoint::make_folder_of(file);
  const std::string print = endpoint::fingerprint(endpoint::make_key(file));
  say(
      fmt::format("{} has the new key {}\n"
                  "Copy it to the computer of the other side by a way that nobody else can read "
                  "(scp, a stick), where only its owner may read it (chmod 600).\n",
                  file.string(), print));
  return kSuccess;
}

int show(const std::filesystem::path& file) {
  say(fmt::format("{} has the key {}\n", file.string(),
                  endpoint::fingerprint(endpoint::read_key(file, revoked_keys_file()))));
  return kSuccess;
}

int rotate(const std::filesystem::path& file) {
  const std::string print = endpoint::fingerprint(endpoint::rotate_key(file, own_list()));
  say(
      fmt::format("{} has the new key {}; the one before is revoked\n"
                  "Copy it to the other side as well. Programs take it at their next start.\n",
                  file.string(), print));
  return kSuccess;
}

int revoke(const std::filesystem::path& file) {
  const std::string print = endpoint::revoke_key(file, own_list());
  say(
      fmt::format("the key {0} is revoked: no program of this user starts with it any more\n"
                  "Those that run keep it until they end. Revoke it on the other side as well; "
                  "'knuckleboom key rotate {1}' makes another.\n",
                  print, file.string()));
  return kSuccess;
}

}  // namespace

Command key_command() {
  const auto file = std::make_shared<std::string>();
  const auto action = [&file](std::string name, std::string sentence,
                              int (*run)(const std::filesystem::path&)) {
    return Command{.name = std::move(name),
                   .sentence = std::move(sentence),
                   .arguments = {{.name = "file",
                                  .target = file.get(),
                                  .kind = file_value("FILE"),
                                  .sentence = "Key file",
                                  .without = "$KNUCKLEBOOM_KEY, or the user's own"}},
                   .examples = {},
                   .run = [file, run] {
                     try {
                       return run(place_of(*file));
                     } catch (const endpoint::EndpointError& error) {
                       throw UserError(error.what());
                     }
                   }};
  };
  return {
      .name = "key",
      .sentence = "The key that both sides of a connection share",
      .arguments = {},
      .examples = {"knuckleboom key make", "knuckleboom key show bench.key",
                   "knuckleboom key rotate", "knuckleboom key revoke"},
      .run =
          [] {
            throw UserError("say what to do with the key: make, show, rotate or revoke");
            return static_cast<int>(kUserMistake);
          },
      .commands = {action("make", "Make a key file; none is overwritten", make),
                   action("show", "Show the fingerprint of a key, by which sides compare it", show),
                   action("rotate", "Put a new key in the place of the old one", rotate),
                   action("revoke", "Never use this key again", revoke)}};
}

}  // namespace knuckleboom::app
