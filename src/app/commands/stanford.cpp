// knuckleboom stanford: StanForD 2010 messages of recorded sessions. docs/reference/stanford.md
#include "app/report/stanford.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/session/open_session.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/plot.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

struct StanfordOptions {
  std::string session, output;
};

int write_message(const StanfordOptions& options) {
  const bool mom = options.output.ends_with(".mom"), hpr = options.output.ends_with(".hpr");
  if (!mom && !hpr && !options.output.ends_with(".fpr"))
    throw UserError(
        fmt::format("--output {}: the ending says what is written; take .mom for the times of the "
                    "machine, .fpr for its loads or .hpr for the logs that it cut",
                    options.output));
  check_distinct({{"--output", options.output}}, {options.session});
  const io::SessionRecord record = open_session(options.session, false);
  for (const std::string& remark : record.remarks) complain(remark);
  std::unique_ptr<training::Session> session;
  try {
    if (record.states_known()) session = io::make_session(record.header);
  } catch (const std::invalid_argument& error) {
    throw UserError(
        fmt::format("{}: this program cannot run it: {}", options.session, error.what()));
  }
  if (!session)
    throw UserError(
        fmt::format("{}: it was recorded by a program that judges otherwise or has other states",
                    options.session));
  io::write_file(options.output, mom   ? monitoring_message(record, *session)
                                 : hpr ? production_message(record, *session)
                                       : forwarding_message(record, *session));
  say(fmt::format("{}\n", options.output));
  return kSuccess;
}

}  // namespace

Command stanford_command() {
  const auto o = std::make_shared<StanfordOptions>();
  return {
      .name = "stanford",
      .sentence = "Write a StanForD 2010 message of a session, marked as simulated",
      .arguments = {{.name = "session",
                     .target = &o->session,
                     .kind = session_value(),
                     .sentence = "Session file, or its name in the user's folder of sessions",
                     .required = true},
                    {.name = "-o,--output",
                     .target = &o->output,
                     .kind = file_value("FILE.mom|FILE.fpr|FILE.hpr"),
                     .sentence = "The message: .mom, the times of the machine; .fpr, its loads; "
                                 ".hpr, the logs that it cut",
                     .required = true}},
      .examples = {"knuckleboom stanford monday.h5 -o monday.mom",
                   "knuckleboom stanford monday.h5 -o monday.fpr",
                   "knuckleboom stanford tuesday.h5 -o tuesday.hpr"},
      .run = [o] { return write_message(*o); }};
}

}  // namespace knuckleboom::app
