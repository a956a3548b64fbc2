// Messages of clients to the server: JSON from strangers, of which two kinds mean something here.
// docs/reference/telemetry.md
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::app {

struct ClientWords {
  std::string op;  // "subscribe", "unsubscribe" or another
  struct Subscription {
    std::uint32_t id = 0, channel = 0;
  };
  std::vector<Subscription> subscriptions;
  std::vector<std::uint32_t> unsubscribed;  // by their ids
};

// A sentence on what is wrong with the message; empty: nothing.
std::string read_client_words(std::string_view message, ClientWords& out);

}  // namespace knuckleboom::app
