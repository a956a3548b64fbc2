// The sub-command station: the key by which this computer signs its sessions, and whose signatures it
// believes. docs/reference/trust.md
#include "endpoint/station.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/options.hpp"
#include "app/session/filing.hpp"
#include "app/session/signing.hpp"
#include "app/session/trust.hpp"
#include "app/shell/asked_pin.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "endpoint/pin.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

struct StationOptions {
  std::string key, name, session;
};

int show_station() {
  const std::string key = endpoint::public_key(own_station());
  say(fmt::format("this station  {}  {}\n", key, endpoint::public_fingerprint(key)));
  std::error_code ignored;
  if (std::filesystem::exists(own_instructor_file(), ignored)) {
    const std::string instructor = endpoint::public_key(own_instructor());
    say(fmt::format("instructor    {}  {}\n", instructor,
                    endpoint::public_fingerprint(instructor)));
  }
  for (const TrustedStation& one : trusted_stations())
    say(fmt::format("trusted       {}  {}  {}\n", one.key, endpoint::public_fingerprint(one.key),
                    printable(one.name)));
  return kSuccess;
}

int trust_station(const StationOptions& options) {
  if (!endpoint::is_public_key(options.key))
    throw UserError(fmt::format(
        "'{}' is no public key; 'knuckleboom station' on the other computer shows it, 44 "
        "characters that end in '='",
        printable(options.key)));
  if (options.key == endpoint::public_key(own_station()))
    throw UserError("that is this computer's own key, which is trusted anyway");
  if (options.name.empty() || options.name.size() > 100 || options.name != printable(options.name))
    throw UserError("the name of a station is a text of 1 to 100 bytes without control characters");
  std::vector<TrustedStation> stations = trusted_stations();
  for (const TrustedStation& one : stations)
    if (one.key == options.key || one.name == options.name)
      throw UserError(fmt::format(
          "'{}' is trusted already, with the key {}; 'knuckleboom station forget' ends that",
          printable(one.name), one.key));
  stations.push_back({options.key, options.name});
  keep_trusted_stations(stations);
  say(fmt::format(
      "{} is trusted: {}\nCompare this with what the other computer shows, on the phone or "
      "on paper.\n",
      printable(options.name), endpoint::public_fingerprint(options.key)));
  return kSuccess;
}

int forget_station(const StationOptions& options) {
  std::vector<TrustedStation> stations = trusted_stations();
  const auto gone = std::remove_if(stations.begin(), stations.end(), [&](const auto& one) {
    return one.name == options.name || one.key == options.name;
  });
  if (gone == stations.end()) {
    std::vector<std::string> names;
    for (const TrustedStation& one : stations) names.push_back(one.name);
    throw UserError(fmt::format("no station '{}' is trusted{}", printable(options.name),
                                names.empty() ? "" : alternatives(options.name, names)));
  }
  stations.erase(gone, stations.end());
  keep_trusted_stations(stations);
  say(fmt::format("{} is not trusted any more; sessions that were filed before keep their level\n",
                  printable(options.name)));
  return kSuccess;
}

// Whoever changes the PIN knows the one before.
void want_old_pin(const std::filesystem::path& file) {
  if (!endpoint::pin_opens(file, asked_pin("PIN until now: ")))
    throw UserError(
        fmt::format("that is not the PIN; who has forgotten it deletes {}", file.string()));
}

std::filesystem::path known_pin_file() {
  const std::filesystem::path file = instructor_pin_file();
  if (file.empty())
    throw UserError("there is no folder for a PIN: neither XDG_CONFIG_HOME nor HOME is set");
  return file;
}

int set_instructor_pin() {
  const std::filesystem::path file = known_pin_file();
  try {
    if (endpoint::pin_is_set(file)) want_old_pin(file);
    const std::string pin = asked_pin("New PIN: ");
    if (!endpoint::is_pin(pin)) throw UserError("a PIN is 4 to 12 digits");
    if (::isatty(STDIN_FILENO) != 0 && asked_pin("Again: ") != pin)
      throw UserError("the two differ; nothing is changed");
    endpoint::set_pin(file, pin);
  } catch (const endpoint::EndpointError& error) {
    throw UserError(error.what());
  }
  say("the instructor's card asks for the PIN from now on\n");
  return kSuccess;
}

// Person, levers and no help are what an instructor says who was there; the rest is looked at here.
int countersign(const StationOptions& options) {
  const std::filesystem::path pin = known_pin_file(), file = find_session(options.session);
  const io::SessionRecord record = io::read_session(file);
  const Examined examined = examine(record, Check::kTrustOwn);
  if (examined.trust.level < kSigned)
    throw UserError(fmt::format("{}: only a signed attempt can be countersigned; it is at {}",
                                file.string(), trust_text(examined.trust)));
  const std::string who = learner_shown(record.header);
  if (who.empty())
    throw UserError(
        fmt::format("{}: it names no learner who could have been watched", file.string()));
  say(fmt::format("{}, {}, {}\nYou sign that {} drove this, at these levers, without help.\n",
                  printable(who), printable(examined.exercise), printable(record.header.start_utc),
                  printable(who)));
  try {
    if (!endpoint::pin_is_set(pin))
      throw UserError(
          "an instructor has a PIN; 'knuckleboom station set-pin' sets one on this computer");
    if (!endpoint::pin_opens(pin, asked_pin("PIN: ")))
      throw UserError("that is not the PIN; nothing is signed");
  } catch (const endpoint::EndpointError& error) {
    throw UserError(error.what());
  }
  countersign_session(file, own_instructor());
  if (const std::string fault = file_session(file); !fault.empty()) complain(fault);
  say(trust_text(examine(record, Check::kTrustOwn).trust) + "\n");
  return kSuccess;
}

int clear_instructor_pin() {
  const std::filesystem::path file = known_pin_file();
  try {
    if (!endpoint::pin_is_set(file)) throw UserError("no PIN is set");
    want_old_pin(file);
  } catch (const endpoint::EndpointError& error) {
    throw UserError(error.what());
  }
  std::error_code fault;
  if (!std::filesystem::remove(file, fault))
    throw UserError(fmt::format("{} cannot be deleted: {}", file.string(), fault.message()));
  say("the instructor's card opens without a PIN\n");
  return kSuccess;
}

}  // namespace

Command station_command() {
  const auto o = std::make_shared<StationOptions>();
  return {
      .name = "station",
      .sentence = "The key by which this computer signs sessions, and whose it believes",
      .arguments = {},
      .examples = {"knuckleboom station",
                   "knuckleboom station trust "
                   "'qn1fqbWnHMqCqSVHvVUHNYdUa7QMaJ1SBLqyyLMkyUo=' 'Classroom 2'",
                   "knuckleboom station forget 'Classroom 2'"},
      .run = [] { return show_station(); },
      .commands = {{.name = "trust",
                    .sentence = "Believe the sessions that another computer has signed",
                    .arguments = {{.name = "key",
                                   .target = &o->key,
                                   .kind = {"KEY"},
                                   .sentence = "Its public key",
                                   .required = true},
                                  {.name = "name",
                                   .target = &o->name,
                                   .kind = {"NAME"},
                                   .sentence = "What it is called here",
                                   .required = true}},
                    .examples = {},
                    .run = [o] { return trust_station(*o); }},
                   {.name = "forget",
                    .sentence = "Believe them no more",
                    .arguments = {{.name = "station",
                                   .target = &o->name,
                                   .kind = {"NAME"},
                                   .sentence = "Its name here, or its key",
                                   .required = true}},
                    .examples = {},
                    .run = [o] { return forget_station(*o); }},
                   {.name = "countersign",
                    .sentence = "Sign as the instructor who was there that the learner drove an "
                                "attempt; asks for the PIN",
                    .arguments = {{.name = "session",
                                   .target = &o->session,
                                   .kind = session_value(),
                                   .sentence = "Session file, or its name in the user's folder of "
                                               "sessions",
                                   .required = true}},
                    .examples = {},
                    .run = [o] { return countersign(*o); }},
                   {.name = "set-pin",
                    .sentence = "Choose the PIN that opens the instructor's card; asked for, or "
                                "a line of standard input",
                    .arguments = {},
                    .examples = {},
                    .run = [] { return set_instructor_pin(); }},
                   {.name = "clear-pin",
                    .sentence = "The instructor's card opens without a PIN again",
                    .arguments = {},
                    .examples = {},
                    .run = [] { return clear_instructor_pin(); }}}};
}

}  // namespace knuckleboom::app
