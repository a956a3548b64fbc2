#include "app/command_line/parse.hpp"
#include "app/commands/commands.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_reader.hpp"

int main(int argc, char** argv) {
  using namespace knuckleboom;
  // The same program once more, as the child that reads foreign session files.
  if (io::is_session_reader(argc, argv)) io::run_session_reader();
  return app::run_command_line(app::knuckleboom_program(), io::this_program(), argc, argv,
                               app::reference_tables());
}
