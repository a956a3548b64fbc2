#include "app/command_line/key_options.hpp"

namespace knuckleboom::app {

std::vector<Argument> key_options(KeyChoice& choice, const std::string& needs) {
  const std::vector<std::string> needed =
      needs.empty() ? std::vector<std::string>{} : std::vector<std::string>{needs};
  return {{.name = "--key",
           .target = &choice.file,
           .kind = {"FILE", nullptr, ValueKind::Path::kFile},
           .sentence = "Key file that both sides have (knuckleboom key)",
           .without = "$KNUCKLEBOOM_KEY, or the user's own",
           .needs = needed,
           .excludes = {"--without-key"}},
          {.name = "--without-key",
           .target = &choice.none,
           .sentence = "Connect without a key: anybody may pretend to be the other side",
           .needs = needed}};
}

}  // namespace knuckleboom::app
