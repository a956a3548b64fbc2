#include "app/telemetry/telemetry_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <libwebsockets.h>

#include "app/shell/console.hpp"
#include "app/shell/json.hpp"
#include "app/shell/log.hpp"
#include "app/shell/text.hpp"
#include "app/telemetry/client_words.hpp"
#include "app/telemetry/little_endian.hpp"
#include "app/telemetry/messages.hpp"
#include "app/telemetry/topics.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"

namespace knuckleboom::app {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// The two languages of the protocol: the older clients read JSON, and PlotJuggler, which knows the newer alone,
// reads numbers as ROS 2 has them.
constexpr const char* kJsonProtocol = "foxglove.websocket.v1";
constexpr const char* kCdrProtocol = "foxglove.sdk.v1";

// The web page and the desktop program of Foxglove.
constexpr std::string_view kFoxglovePages[] = {"https://app.foxglove.dev", "file://"};

constexpr const char* kTokenVariable = "KNUCKLEBOOM_TELEMETRY_TOKEN";
constexpr lws_usec_t kPumpPeriod = 10'000;                   // us, between looks for rows
constexpr std::size_t kLongestWords = std::size_t{1} << 16;  // of a client's message
constexpr int kMostMistakes = 100;                           // of a client
constexpr unsigned kMostConnections = 32;    // those that have not said who they are included
constexpr std::size_t kLongestHeader = 256;  // of an origin or a token
constexpr std::uint16_t kHighestPort = 65535;
constexpr std::chrono::milliseconds kFarewell{250};
constexpr int kAtOnce = 64;  // messages to a client before others have their turn

enum class Severity { kInfo, kWarning, kError };  // as the protocol numbers them

bool is_own(std::string_view host) { return host.starts_with("127."); }

// All of both is compared: the time it takes tells nothing.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < b.size(); ++i)
    different |= static_cast<unsigned char>(a.empty() ? '\0' : a[i % a.size()]) ^
                 static_cast<unsigned char>(b[i]);
  return different == 0;
}

std::string header_of(lws* connection, lws_token_indexes token) {
  char text[kLongestHeader] = {};
  const int length = lws_hdr_copy(connection, text, sizeof text, token);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
}

struct Frame {
  bool binary = false;
  std::string bytes;  // behind the room that the library wants in front
  std::size_t size() const { return bytes.size() - LWS_PRE; }
};
std::string frame_room() { return std::string(LWS_PRE, '\0'); }

struct TelemetryClient {
  lws* connection = nullptr;
  std::string who;  // its address
  bool cdr = false;
  std::map<std::uint32_t, std::uint32_t> subscriptions;  // channel -> the client's number
  std::deque<Frame> waiting;
  std::size_t waiting_bytes = 0;
  SteadyTime took;  // when it last took a message, or had none to take
  std::string words;
  int mistakes = 0;
  bool dropped = false;
};

}  // namespace

TelemetrySettings telemetry_settings(std::string_view address, std::string token,
                                     std::vector<std::string> origins) {
  TelemetrySettings out;
  const std::size_t colon = address.rfind(':');
  const std::string_view port =
      colon == std::string_view::npos ? address : address.substr(colon + 1);
  if (colon != std::string_view::npos) out.host = address.substr(0, colon);
  if (out.host == "localhost") out.host = "127.0.0.1";
  in_addr parsed{};
  std::uint32_t number = 0;
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string_view::npos;
  for (std::size_t i = 0; digits && i < port.size(); ++i)
    number = 10 * number + static_cast<std::uint32_t>(port[i] - '0');
  if (inet_pton(AF_INET, out.host.c_str(), &parsed) != 1 || !digits || number > kHighestPort)
    throw UserError(fmt::format(
        "--telemetry {}: expected a port, such as 8765, or an IPv4 address and a port, such as "
        "192.168.0.5:8765",
        address));
  out.port = static_cast<int>(number);
  out.token = std::move(token);
  out.origins = std::move(origins);
  if (out.token.size() >= kLongestHeader - sizeof "token=")
    throw UserError("--telemetry-token: it is longer than the 200 characters a token may have");
  if (!is_own(out.host) && out.token.empty())
    throw UserError(fmt::format(
        "--telemetry {}: anybody on that network could read along; give a --telemetry-token that "
        "clients must know, or leave the address out to serve this computer alone",
        address));
  return out;
}

// All but the constructor, the destructor, show() and hide() is the server's thread.
class TelemetryServer::Service {
 public:
  Service(TelemetrySettings settings, std::function<void(const std::string&)> tell)
      : settings_(std::move(settings)), tell_(std::move(tell)) {
    lws_set_log_level(0, nullptr);
    protocols_[0] = {"http", &Service::called, 0, 0, 0, nullptr, 0};
    protocols_[1] = {kCdrProtocol, &Service::called, 0, kReceived, 0, nullptr, 0};
    protocols_[2] = {kJsonProtocol, &Service::called, 0, kReceived, 0, nullptr, 0};
    lws_context_creation_info info{};
    info.port = settings_.port;
    info.iface = settings_.host.c_str();
    info.protocols = protocols_.data();
    info.options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_NO_LWS_SYSTEM_STATES;
    info.gid = static_cast<gid_t>(-1);
    info.uid = static_cast<uid_t>(-1);
    info.user = this;
    info.fd_limit_per_thread = kMostConnections;
    info.timeout_secs = 5;
    info.vhost_name = "knuckleboom";
    context_ = lws_create_context(&info);
    lws_vhost* const vhost =
        context_ != nullptr ? lws_get_vhost_by_name(context_, info.vhost_name) : nullptr;
    if (vhost == nullptr) {
      if (context_ != nullptr) lws_context_destroy(context_);
      throw UserError(
          fmt::format("--telemetry: port {} of {} cannot be had: another program has it, or the "
                      "address is none of this computer's",
                      settings_.port, settings_.host));
    }
    port_ = lws_get_vhost_listen_port(vhost);
    timer_.service = this;
    thread_ = std::thread([this] { run(); });
  }

  ~Service() {
    stopping_.store(true, std::memory_order_release);
    lws_cancel_service(context_);
    thread_.join();
    closing_ = true;
    lws_context_destroy(context_);
  }

  int port() const { return port_; }
  const std::string& host() const { return settings_.host; }

  void show(const std::vector<io::ChannelInfo>& channels, std::shared_ptr<TelemetryFeed> feed) {
    const std::lock_guard lock(mutex_);
    topics_ = topics_of(channels);
    row_.assign(channels.size(), 0.0);
    feed_ = std::move(feed);
    changed_ = true;
  }
  void hide() { show({}, nullptr); }

 private:
  static constexpr std::size_t kReceived = 4096;  // bytes of a message handed over at a time
  struct Timer {
    lws_sorted_usec_list_t list{};  // the first: the library hands this back
    Service* service = nullptr;
  };
  struct Shown {
    Topic topic;
    JsonMessages json;
    std::uint32_t channel;  // its number for clients
  };

  void run() {
    runtime::begin_thread("telemetry");
    schedule();
    while (!stopping_.load(std::memory_order_acquire)) lws_service(context_, 0);
    // The end of a run, for those who take it at once.
    pump();
    const SteadyTime end = std::chrono::steady_clock::now() + kFarewell;
    while (anything_waits() && std::chrono::steady_clock::now() < end) lws_service(context_, 0);
  }

  bool anything_waits() const {
    return std::any_of(clients_.begin(), clients_.end(),
                       [](const auto& one) { return !one.second.waiting.empty(); });
  }

  void schedule() {
    lws_sul_schedule(
        context_, 0, &timer_.list,
        [](lws_sorted_usec_list_t* list) {
          Service& service = *reinterpret_cast<Timer*>(list)->service;
          service.pump();
          service.schedule();
        },
        kPumpPeriod);
  }

  // --- The library's calls ---

  static int called(lws* connection, lws_callback_reasons reason, void*, void* in,
                    std::size_t size) {
    auto* const service = static_cast<Service*>(lws_context_user(lws_get_context(connection)));
    if (service == nullptr) return 0;
    switch (reason) {
      case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return service->admit(connection) ? 0 : -1;
      case LWS_CALLBACK_ESTABLISHED:
        service->welcome(connection);
        return 0;
      case LWS_CALLBACK_CLOSED:
        service->forget(connection);
        return 0;
      case LWS_CALLBACK_SERVER_WRITEABLE:
        return service->send(connection);
      case LWS_CALLBACK_RECEIVE:
        return service->receive(connection, {static_cast<const char*>(in), size});
      case LWS_CALLBACK_HTTP:
        lws_return_http_status(connection, HTTP_STATUS_NOT_FOUND,
                               "This is a server of the Foxglove WebSocket protocol.");
        return -1;
      default:
        return 0;
    }
  }

  void tell(const std::string& sentence) const {
    if (!closing_) tell_("telemetry: " + sentence);
  }

  static std::string address_of(lws* connection) {
    char text[64] = {};
    lws_get_peer_simple(connection, text, sizeof text);
    return one_line(text);
  }

  bool admit(lws* connection) {
    const auto refuse = [&](unsigned status, const std::string& why) {
      tell(fmt::format("{} was refused: {}", address_of(connection), why));
      lws_return_http_status(connection, status, why.c_str());
      return false;
    };
    // The library has taken the first that both know, or the first of all.
    if (std::strcmp(lws_get_protocol(connection)->name, protocols_[0].name) == 0)
      return refuse(HTTP_STATUS_BAD_REQUEST,
                    fmt::format("it speaks neither {} nor {}", kCdrProtocol, kJsonProtocol));
    if (lws_hdr_total_length(connection, WSI_TOKEN_ORIGIN) > 0) {
      const std::string origin = header_of(connection, WSI_TOKEN_ORIGIN);
      const auto is_it = [&origin](std::string_view known) { return origin == known; };
      if (!std::any_of(std::begin(kFoxglovePages), std::end(kFoxglovePages), is_it) &&
          !std::any_of(settings_.origins.begin(), settings_.origins.end(), is_it))
        return refuse(
            HTTP_STATUS_FORBIDDEN,
            fmt::format("a web page of '{}' has no business here; --telemetry-origin lets it in",
                        one_line(origin)));
    }
    if (!settings_.token.empty()) {
      char text[kLongestHeader] = {};
      const char* const token = lws_get_urlarg_by_name(connection, "token=", text, sizeof text - 1);
      if (token == nullptr || !same_secret(token, settings_.token))
        return refuse(HTTP_STATUS_FORBIDDEN, "it does not know the token");
    }
    if (clients_.size() >= kMostTelemetryClients)
      return refuse(HTTP_STATUS_SERVICE_UNAVAILABLE,
                    fmt::format("{} clients are here already", clients_.size()));
    return true;
  }

  void welcome(lws* connection) {
    TelemetryClient& client = clients_[connection];
    client.connection = connection;
    client.who = address_of(connection);
    client.cdr = std::strcmp(lws_get_protocol(connection)->name, kCdrProtocol) == 0;
    client.took = std::chrono::steady_clock::now();
    tell(fmt::format("{} has connected", client.who));
    std::string info = R"({"op":"serverInfo","name":)";
    append_quoted(io::this_program(), info);
    queue(client, false,
          info + R"(,"capabilities":["time"],"supportedEncodings":[],"metadata":{}})");
    advertise(client);
  }

  void forget(lws* connection) {
    const auto found = clients_.find(connection);
    if (found == clients_.end()) return;
    if (!found->second.dropped) tell(fmt::format("{} has left", found->second.who));
    clients_.erase(found);
  }

  // --- To clients ---

  void queue(TelemetryClient& client, bool binary, std::string_view bytes) {
    Frame frame{binary, frame_room()};
    frame.bytes += bytes;
    queue(client, std::move(frame));
  }
  void queue(TelemetryClient& client, Frame frame) {
    if (client.dropped) return;
    if (client.waiting.empty()) client.took = std::chrono::steady_clock::now();
    client.waiting_bytes += frame.size();
    client.waiting.push_back(std::move(frame));
    lws_callback_on_writable(client.connection);
  }

  int send(lws* connection) {
    const auto found = clients_.find(connection);
    if (found == clients_.end() || found->second.dropped) return -1;
    TelemetryClient& client = found->second;
    for (int sent = 0; sent < kAtOnce && !client.waiting.empty(); ++sent) {
      if (sent > 0 && lws_send_pipe_choked(connection) != 0) break;
      Frame& frame = client.waiting.front();
      auto* const data = reinterpret_cast<unsigned char*>(frame.bytes.data()) + LWS_PRE;
      if (lws_write(connection, data, frame.size(),
                    frame.binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < 0)
        return -1;
      client.waiting_bytes -= frame.size();
      client.waiting.pop_front();
      client.took = std::chrono::steady_clock::now();
    }
    if (!client.waiting.empty()) lws_callback_on_writable(connection);
    return 0;
  }

  void advertise(TelemetryClient& client) {
    std::string text = R"({"op":"advertise","channels":[)";
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const Topic& topic = shown_[i].topic;
      const auto member = [&text](std::string_view name, std::string_view value) {
        text += fmt::format(R"(,"{}":)", name);
        append_quoted(value, text);
      };
      text += fmt::format(R"({}{{"id":{})", i == 0 ? "" : ",", shown_[i].channel);
      member("topic", topic.name);
      member("encoding", client.cdr ? kCdrName : kJsonName);
      member("schemaName", client.cdr ? ros_type(topic) : json_type(topic));
      member("schemaEncoding", client.cdr ? kRosSchemaName : kJsonSchemaName);
      member("schema", client.cdr ? ros_schema(topic) : json_schema(topic));
      text += '}';
    }
    if (!shown_.empty()) queue(client, false, text + "]}");
  }

  // A message of one topic, but for the client's number of it.
  static void add_head(std::uint32_t subscription, std::uint64_t time_ns, std::string& out) {
    constexpr std::uint8_t kMessageData = 1;
    add_number(kMessageData, out);
    add_number(subscription, out);
    add_number(time_ns, out);
  }

  void pump() {
    const std::lock_guard lock(mutex_);
    if (changed_) change();
    std::uint64_t time_ns = 0;
    while (feed_ && feed_->take(time_ns, row_)) send_row(time_ns);
    bool wanted = false;
    for (auto& [connection, client] : clients_) {
      wanted = wanted || !client.subscriptions.empty();
      drop_if_stalled(client);
    }
    if (feed_) feed_->want(wanted);
  }

  // Other channels, under new numbers.
  void change() {
    changed_ = false;
    std::string gone = R"({"op":"unadvertise","channelIds":[)";
    for (std::size_t i = 0; i < shown_.size(); ++i)
      gone += fmt::format("{}{}", i == 0 ? "" : ",", shown_[i].channel);
    gone += "]}";
    const bool any = !shown_.empty();
    shown_.clear();
    for (Topic& topic : topics_) {
      JsonMessages json(topic);
      shown_.push_back({std::move(topic), std::move(json), next_channel_++});
    }
    topics_.clear();
    for (auto& [connection, client] : clients_) {
      if (any) queue(client, false, gone);
      client.subscriptions.clear();
      advertise(client);
    }
  }

  void send_row(std::uint64_t time_ns) {
    std::map<const Shown*, std::string> texts[2];  // JSON, CDR: made once
    for (auto& [connection, client] : clients_) {
      if (client.subscriptions.empty()) continue;
      constexpr std::uint8_t kTime = 2;
      std::string time;
      add_number(kTime, time);
      add_number(time_ns, time);
      queue(client, true, time);
      for (const Shown& shown : shown_) {
        const auto subscription = client.subscriptions.find(shown.channel);
        if (subscription == client.subscriptions.end()) continue;
        std::string& text = texts[client.cdr ? 1 : 0][&shown];
        if (text.empty() && client.cdr) append_cdr(shown.topic, row_, text);
        if (text.empty()) shown.json.append(time_ns, row_, text);
        Frame frame{true, frame_room()};
        add_head(subscription->second, time_ns, frame.bytes);
        frame.bytes += text;
        queue(client, std::move(frame));
      }
    }
  }

  void drop_if_stalled(TelemetryClient& client) {
    if (client.dropped || client.waiting.empty()) return;
    const auto silent = std::chrono::steady_clock::now() - client.took;
    if (client.waiting_bytes > settings_.most_waiting_bytes)
      drop(client, fmt::format("it left {} kB of messages lying", client.waiting_bytes / 1000));
    else if (silent > settings_.most_silent)
      drop(client, fmt::format("it took nothing for {:.1f} s",
                               std::chrono::duration<double>(silent).count()));
  }

  void drop(TelemetryClient& client, const std::string& why) {
    if (client.dropped) return;
    client.dropped = true;
    client.waiting.clear();
    client.waiting_bytes = 0;
    client.subscriptions.clear();
    tell(fmt::format("{} was dropped: {}", client.who, why));
    lws_set_timeout(client.connection, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
  }

  // --- From clients ---

  int receive(lws* connection, std::string_view bytes) {
    const auto found = clients_.find(connection);
    if (found == clients_.end()) return -1;
    TelemetryClient& client = found->second;
    if (client.dropped) return -1;
    if (lws_frame_is_binary(connection) != 0)
      return refuse(client, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE,
                    "it sent binary messages, which no client has to send");
    if (client.words.size() + bytes.size() > kLongestWords)
      return refuse(client, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE,
                    fmt::format("it sent a message of more than {} bytes", kLongestWords));
    client.words += bytes;
    if (lws_is_final_fragment(connection) == 0 || lws_remaining_packet_payload(connection) > 0)
      return 0;
    const std::string words = std::exchange(client.words, {});
    ClientWords said;
    if (const std::string fault = read_client_words(words, said); !fault.empty())
      return refuse(client, LWS_CLOSE_STATUS_PROTOCOL_ERR, "of its message: " + fault);
    obey(client, said);
    if (client.mistakes > kMostMistakes)
      return refuse(client, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                    fmt::format("it made more than {} mistakes", kMostMistakes));
    return 0;
  }

  int refuse(TelemetryClient& client, lws_close_status status, const std::string& why) {
    tell(fmt::format("{} was dropped: {}", client.who, why));
    client.dropped = true;
    std::string text = why.substr(0, 120);  // as much as a closing frame holds
    lws_close_reason(client.connection, status, reinterpret_cast<unsigned char*>(text.data()),
                     text.size());
    return -1;
  }

  void obey(TelemetryClient& client, const ClientWords& said) {
    if (said.op == "subscribe") {
      for (const auto& [id, channel] : said.subscriptions) {
        const bool known =
            std::any_of(shown_.begin(), shown_.end(),
                        [channel = channel](const Shown& one) { return one.channel == channel; });
        if (!known)
          object(client, Severity::kError, fmt::format("there is no channel {}", channel));
        else if (!client.subscriptions.try_emplace(channel, id).second)
          object(client, Severity::kWarning,
                 fmt::format("channel {} is subscribed to already", channel));
      }
    } else if (said.op == "unsubscribe") {
      for (const std::uint32_t id : said.unsubscribed)
        if (std::erase_if(client.subscriptions,
                          [id](const auto& one) { return one.second == id; }) == 0)
          object(client, Severity::kWarning, fmt::format("there is no subscription {}", id));
    } else {
      object(
          client, Severity::kWarning,
          fmt::format("this server knows subscribe and unsubscribe, not '{}'", one_line(said.op)));
    }
  }

  void object(TelemetryClient& client, Severity severity, const std::string& sentence) {
    if (++client.mistakes > kMostMistakes) return;
    std::string text =
        fmt::format(R"({{"op":"status","level":{},"message":)", static_cast<int>(severity));
    append_quoted(sentence, text);
    queue(client, false, text + "}");
  }

  const TelemetrySettings settings_;
  const std::function<void(const std::string&)> tell_;
  std::array<lws_protocols, 4> protocols_{};  // the last: all zero, the end
  lws_context* context_ = nullptr;
  int port_ = 0;
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;           // between the server's thread and the one that shows
  std::vector<Topic> topics_;  // to be shown next
  std::shared_ptr<TelemetryFeed> feed_;
  bool changed_ = false;

  // Used by the server's thread.
  std::vector<double> row_;
  std::vector<Shown> shown_;
  std::uint32_t next_channel_ = 1;
  std::map<lws*, TelemetryClient> clients_;
  Timer timer_;
  bool closing_ = false;
  std::thread thread_;  // the last: it uses the others
};

TelemetryServer::TelemetryServer(TelemetrySettings settings,
                                 std::function<void(const std::string&)> tell)
    : service_(std::make_unique<Service>(std::move(settings), std::move(tell))),
      address_(fmt::format("ws://{}:{}", service_->host(), service_->port())) {}

TelemetryServer::~TelemetryServer() = default;

void TelemetryServer::show(const std::vector<io::ChannelInfo>& channels,
                           std::shared_ptr<TelemetryFeed> feed) {
  service_->show(channels, std::move(feed));
}

void TelemetryServer::hide() { service_->hide(); }

std::unique_ptr<TelemetryServer> open_telemetry(const TelemetryOptions& options) {
  if (!options.wanted()) return nullptr;
  std::string token = options.token;
  if (const char* const set = std::getenv(kTokenVariable); token.empty() && set != nullptr)
    token = set;
  auto server = std::make_unique<TelemetryServer>(
      telemetry_settings(options.address, std::move(token), options.origins),
      [](const std::string& sentence) { log(LogLevel::kInfo, sentence); });
  const std::string sentence =
      fmt::format("telemetry at {}, for Foxglove and PlotJuggler", server->address());
  log(LogLevel::kInfo, sentence);
  say(sentence + "\n");
  static_cast<void>(all_was_said());  // who waits for it may connect now
  return server;
}

}  // namespace knuckleboom::app
