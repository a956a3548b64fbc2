#include <string_view>

#include "app/command_line/parse.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/content_texts.hpp"
#include "app/shell/console.hpp"
#include "knuckleboom/recording/session_file.hpp"

int main(int argc, char** argv) {
  using namespace knuckleboom;
  if (argc == 2 && std::string_view(argv[1]) == "content-texts") {  // for ./dev texts
    app::say(app::content_template());
    return 0;
  }
  return app::run_command_line(app::knuckleboom_program(), io::this_program(), argc, argv,
                               app::reference_tables());
}
