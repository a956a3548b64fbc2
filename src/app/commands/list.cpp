// The sub-command list: names of what is in the configuration folders.
#include <memory>

#include "app/commands/options.hpp"
#include "app/session/load_session.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {
namespace {

struct Listed {
  const char* kind;
  std::vector<std::string> (*names)();
};
constexpr Listed kLists[] = {{"scenarios", &scenario_names},
                             {"machines", &machine_names},
                             {"exercises", &exercise_names},
                             {"emulations", &emulation_names},
                             {"levers", &lever_names},
                             {"faults", &usual_fault_names},
                             {"keys", &set_keys}};

std::vector<std::string> kinds() {
  std::vector<std::string> words;
  for (const Listed& list : kLists) words.emplace_back(list.kind);
  return words;
}

int list(const std::string& kind) {
  for (const Listed& one : kLists)
    if (one.kind == kind)
      for (const std::string& name : one.names()) say(name + "\n");
  return kSuccess;
}

}  // namespace

Command list_command() {
  const auto kind = std::make_shared<std::string>();
  return {
      .name = "list",
      .sentence =
          "List scenarios, machines, exercises, emulations, lever layouts, faults or keys of files",
      .arguments = {{.name = "kind",
                     .target = kind.get(),
                     .kind = word_value("KIND", &kinds, true),
                     .sentence = "What to list",
                     .required = true}},
      .examples = {"knuckleboom list scenarios"},
      .run = [kind] { return list(*kind); }};
}

}  // namespace knuckleboom::app
