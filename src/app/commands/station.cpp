// The sub-command station: the key by which this computer signs its sessions, and whose signatures it
// believes. docs/reference/trust.md
#include "endpoint/station.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/session/signing.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"

namespace knuckleboom::app {
namespace {

struct StationOptions {
  std::string key, name;
};

int show_station() {
  const std::string key = endpoint::public_key(own_station());
  say(fmt::format("this station  {}  {}\n", key, endpoint::public_fingerprint(key)));
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

}  // namespace

Command station_command() {
  const auto o = std::make_shared<StationOptions>();
  return {.name = "station",
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
                        .run = [o] { return forget_station(*o); }}}};
}

}  // namespace knuckleboom::app
