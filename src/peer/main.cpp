#include <fmt/format.h>

#include "app/command_line/parse.hpp"
#include "knuckleboom/version.hpp"
#include "peer/program.hpp"

int main(int argc, char** argv) {
  using namespace knuckleboom;
  return app::run_command_line(peer::peer_program(),
                               fmt::format("knuckleboom-peer {} ({})", kVersion, kRevision), argc,
                               argv);
}
