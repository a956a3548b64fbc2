// The sub-command completions: a script for a shell.
#include <memory>

#include "app/command_line/complete.hpp"
#include "app/commands/options.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {

Command completions_command() {
  const auto shell = std::make_shared<std::string>();
  return {
      .name = "completions",
      .sentence = "Print a script that completes arguments in a shell",
      .arguments = {{.name = "shell",
                     .target = shell.get(),
                     .kind = word_value("SHELL", &completion_shells, false),
                     .sentence = "Shell",
                     .required = true}},
      .examples = {"source <(knuckleboom completions bash)",
                   "knuckleboom completions zsh > ~/.zfunc/_knuckleboom",
                   "knuckleboom completions fish > ~/.config/fish/completions/knuckleboom.fish"},
      .run = [shell] {
        say(completion_script(*shell, {"knuckleboom", "knuckleboom-peer"}));
        return kSuccess;
      }};
}

}  // namespace knuckleboom::app
