#include "app/command_line/parse.hpp"
#include "app/commands/commands.hpp"
#include "knuckleboom/recording/session_file.hpp"

int main(int argc, char** argv) {
  using namespace knuckleboom;
  return app::run_command_line(app::knuckleboom_program(), io::this_program(), argc, argv,
                               app::reference_tables());
}
