// Channels of a running machine, shown live to Foxglove and PlotJuggler: a server of the Foxglove WebSocket
// protocol. docs/reference/telemetry.md
//
//   tick thread -> TelemetryFeed -> server thread -> clients
//
// A client that does not take its messages is dropped, never waited for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/telemetry/telemetry_feed.hpp"
#include "app/telemetry/telemetry_options.hpp"
#include "knuckleboom/recording/session_columns.hpp"

namespace knuckleboom::app {

struct TelemetrySettings {
  std::string host = "127.0.0.1";    // IPv4 address to listen at
  int port = 0;                      // 0: one that is free
  std::string token;                 // asked of clients; empty: none
  std::vector<std::string> origins;  // web pages that may connect, besides Foxglove's
  // By when a client is dropped.
  std::size_t most_waiting_bytes = std::size_t{8} << 20;
  std::chrono::milliseconds most_silent{5000};
};

// "[HOST:]PORT", of an address that is not this computer's own a token is asked. Throws UserError.
TelemetrySettings telemetry_settings(std::string_view address, std::string token,
                                     std::vector<std::string> origins);

inline constexpr std::size_t kMostTelemetryClients = 8;

class TelemetryServer {
 public:
  // tell: sentences on clients, called by the server's thread. Throws UserError: it cannot listen there.
  explicit TelemetryServer(TelemetrySettings settings,
                           std::function<void(const std::string&)> tell);
  ~TelemetryServer();
  TelemetryServer(const TelemetryServer&) = delete;
  TelemetryServer& operator=(const TelemetryServer&) = delete;

  // "ws://127.0.0.1:8765", without the token.
  const std::string& address() const { return address_; }

  // From now on these channels, in place of those before. The feed is not used any more once hide() or another
  // show() has returned. Any thread but a tick's.
  void show(const std::vector<io::ChannelInfo>& channels, std::shared_ptr<TelemetryFeed> feed);
  void hide();

 private:
  class Service;
  std::unique_ptr<Service> service_;
  std::string address_;
};

// By the command line, with a sentence where it is; null: none is wanted. Throws UserError.
std::unique_ptr<TelemetryServer> open_telemetry(const TelemetryOptions& options);

}  // namespace knuckleboom::app
