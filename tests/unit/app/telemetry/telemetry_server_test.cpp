// The live server, against a client by the RFC of WebSockets and the description of the protocol alone.
#include "app/telemetry/telemetry_server.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/telemetry/session_feed.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "support/plain_client.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::app {
namespace {

using test::PlainClient;
using testing::HasSubstr;

constexpr const char* kJson = "foxglove.websocket.v1";
constexpr const char* kCdr = "foxglove.sdk.v1";

bool soon(const std::function<bool()>& done) {
  for (int i = 0; i < 4000 && !done(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return done();
}

// A server and all it says.
class Told {
 public:
  explicit Told(TelemetrySettings settings = {})
      : server(std::move(settings), [this](const std::string& sentence) {
          const std::lock_guard lock(mutex_);
          text_ += sentence + "\n";
        }) {}
  int port() const { return std::stoi(server.address().substr(server.address().rfind(':') + 1)); }
  bool has_said(const std::string& part) {
    const std::lock_guard lock(mutex_);
    return text_.find(part) != std::string::npos;
  }
  bool says(const std::string& part) {
    return soon([&] { return has_said(part); });
  }

 private:
  std::mutex mutex_;
  std::string text_;

 public:
  TelemetryServer server;  // the last: it tells until its end
};

struct Advertised {
  std::uint32_t channel;
  std::string topic, schema;
};

std::string member(const std::string& object, const std::string& name) {
  const std::size_t at = object.find("\"" + name + "\":\"");
  if (at == std::string::npos) return {};
  std::string out;
  for (std::size_t i = at + name.size() + 4; object[i] != '"'; ++i) {
    if (object[i] == '\\') ++i;
    out += object[i] == 'n' && object[i - 1] == '\\' ? '\n' : object[i];
  }
  return out;
}

std::vector<Advertised> advertised(const std::string& text) {
  std::vector<Advertised> out;
  for (std::size_t at = text.find("{\"id\":"); at != std::string::npos;) {
    const std::size_t next = text.find("{\"id\":", at + 1);
    const std::string one = text.substr(at, next - at);
    out.push_back({static_cast<std::uint32_t>(std::stoul(one.substr(6))), member(one, "topic"),
                   member(one, "schema")});
    at = next;
  }
  return out;
}

// Subscribes to all channels, each under 1000 more than its number.
std::vector<Advertised> subscribe_to_all(PlainClient& client) {
  const std::vector<Advertised> channels = advertised(client.text_with("\"advertise\""));
  std::string text = R"({"op":"subscribe","subscriptions":[)";
  for (const Advertised& one : channels)
    text += fmt::format(R"({}{{"id":{},"channelId":{}}})", &one == channels.data() ? "" : ",",
                        1000 + one.channel, one.channel);
  client.send(PlainClient::kText, text + "]}");
  return channels;
}

std::uint64_t number(const std::string& bytes, std::size_t at, int size) {
  std::uint64_t out = 0;
  for (int i = size; i-- > 0;)
    out = out << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return out;
}

// Bits of the numbers that a client gets, by channel, row after row, until there are so many rows.
std::map<std::string, std::vector<std::uint64_t>> numbers(PlainClient& client,
                                                          const std::vector<Advertised>& channels,
                                                          std::size_t rows, bool json,
                                                          std::vector<std::uint64_t>& times) {
  std::map<std::string, std::vector<std::uint64_t>> out;
  std::size_t messages = 0;
  while (messages < rows * channels.size()) {
    const auto message = client.receive();
    if (!message) return {};
    if (message->kind != PlainClient::kBinary) continue;
    if (message->bytes[0] == 2) {
      times.push_back(number(message->bytes, 1, 8));
      continue;
    }
    ++messages;
    const auto subscription = static_cast<std::uint32_t>(number(message->bytes, 1, 4));
    EXPECT_EQ(number(message->bytes, 5, 8), times.back());
    const std::string data = message->bytes.substr(13);
    const auto channel = std::find_if(channels.begin(), channels.end(), [&](const Advertised& one) {
      return one.channel + 1000 == subscription;
    });
    if (channel == channels.end()) return {};
    std::size_t at = 4;
    // Names as the schema has them, in its order.
    const std::string_view before = json ? "\":{\"type\":\"number\"" : "float64 ";
    for (std::size_t found = channel->schema.find(before); found != std::string::npos;
         found = channel->schema.find(before, found + 1)) {
      if (json) {
        const std::size_t begin = channel->schema.rfind('"', found - 1) + 1;
        const std::string name = channel->schema.substr(begin, found - begin);
        const std::size_t value = data.find("\"" + name + "\":");
        EXPECT_NE(value, std::string::npos) << name;
        const char* const text = data.c_str() + value + name.size() + 3;
        out[name].push_back(std::bit_cast<std::uint64_t>(
            std::strncmp(text, "null", 4) == 0 ? std::nan("") : std::strtod(text, nullptr)));
      } else {
        const std::size_t begin = found + before.size();
        const std::size_t end = channel->schema.find_first_of(" \n", begin);
        out[channel->schema.substr(begin, end - begin)].push_back(number(data, at, 8));
        at += 8;
      }
    }
    if (!json) {
      EXPECT_EQ(data.size(), at);
    }
  }
  return out;
}

TEST(TelemetryServer, GivesAllChannelsOfASessionBackBitForBit) {
  const std::unique_ptr<training::Session> session = test::shipped_session("logs");
  const std::vector<training::SessionChannel> channels = training::session_channels(*session);
  ASSERT_GE(channels.size(), 145U);
  Told told;
  const auto feed = std::make_shared<SessionFeed>(*session);
  told.server.show(session_infos(*session), feed);
  PlainClient text(told.port(), kJson), plain(told.port(), fmt::format("{}, {}", kCdr, kJson));
  ASSERT_EQ(text.status(), 101);
  EXPECT_THAT(text.text_with("serverInfo"), HasSubstr(R"("capabilities":["time"])"));
  const std::vector<Advertised> by_text = subscribe_to_all(text),
                                by_bytes = subscribe_to_all(plain);
  ASSERT_EQ(by_text.size(), by_bytes.size());
  // Both are heard; an answer to a mistake comes behind what was said before.
  for (PlainClient* one : {&text, &plain}) {
    one->send(PlainClient::kText, R"({"op":"unsubscribe","subscriptionIds":[7]})");
    EXPECT_THAT(one->text_with("\"status\""), HasSubstr("there is no subscription 7"));
  }
  ASSERT_TRUE(soon([&] { return feed->wanted(); }));

  runtime::SessionTicker ticker(*session);
  ticker.show_to(feed.get());
  command::OperatorInput input{};
  input.axis[0] = 0.7;
  training::SessionSnapshot shot{};
  ticker.observe(shot);
  std::map<std::string, std::vector<std::uint64_t>> expected;
  constexpr std::size_t kRows = 10;
  for (std::int64_t tick = 1; tick <= 20 * static_cast<std::int64_t>(kRows); ++tick) {
    ticker.tick(input, shot);
    const bool first = tick == 1;  // the first tick is one, whenever somebody begins to listen
    if (first || tick % 20 == 0)
      for (const training::SessionChannel& one : channels)
        expected[one.name].push_back(std::bit_cast<std::uint64_t>(one.value(shot)));
  }
  std::vector<std::uint64_t> text_times, plain_times;
  const auto from_text = numbers(text, by_text, kRows + 1, true, text_times);
  const auto from_bytes = numbers(plain, by_bytes, kRows + 1, false, plain_times);
  EXPECT_EQ(from_bytes, expected);
  EXPECT_EQ(from_text.size(), channels.size());
  for (const auto& [name, bits] : expected) {
    ASSERT_TRUE(from_text.contains(name)) << name;
    ASSERT_EQ(from_text.at(name).size(), bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (std::isfinite(std::bit_cast<double>(bits[i]))) {
        ASSERT_EQ(from_text.at(name)[i], bits[i]) << name;
      } else {
        ASSERT_TRUE(std::isnan(std::bit_cast<double>(from_text.at(name)[i]))) << name;
      }
  }
  EXPECT_EQ(text_times, plain_times);
  EXPECT_EQ(text_times.at(1), 20'000'000U);

  // Another session: the channels of the first are gone.
  told.server.hide();
  EXPECT_THAT(text.text_with("unadvertise"), HasSubstr("\"channelIds\":[1,2,"));
}

// Plain numbers for the other tests.
struct Shot {
  double value[1000];
};
using PlainFeed = ShotFeed<Shot>;
std::shared_ptr<PlainFeed> show_numbers(TelemetryServer& server, std::size_t n) {
  std::vector<io::ChannelInfo> infos;
  for (std::size_t i = 0; i < n; ++i) infos.push_back({fmt::format("x{}", i), "", ""});
  auto feed = std::make_shared<PlainFeed>(
      0.02, [](const Shot& from, Shot& to) { to = from; },
      [](const Shot& shot, std::vector<double>& row) {
        std::copy_n(shot.value, row.size(), row.begin());
      });
  server.show(infos, feed);
  return feed;
}

TEST(TelemetryServer, RefusesStrangersAndGoesOn) {
  TelemetrySettings settings;
  settings.token = "a secret";
  settings.origins = {"http://localhost:8080"};
  Told told(settings);
  show_numbers(told.server, 3);
  const std::string right = "/?token=a%20secret";
  EXPECT_EQ(PlainClient(told.port(), kJson, right).status(), 101);
  EXPECT_EQ(PlainClient(told.port(), kJson, right, "Origin: https://app.foxglove.dev\r\n").status(),
            101);
  EXPECT_EQ(PlainClient(told.port(), kJson, right, "Origin: http://localhost:8080\r\n").status(),
            101);
  for (const char* origin : {"https://example.org", "null", "https://app.foxglove.dev.example.org"})
    EXPECT_EQ(
        PlainClient(told.port(), kJson, right, fmt::format("Origin: {}\r\n", origin)).status(), 403)
        << origin;
  EXPECT_EQ(
      PlainClient(told.port(), kJson, right, "Origin: " + std::string(2000, 'x') + "\r\n").status(),
      403);
  EXPECT_TRUE(told.says("a web page of 'https://example.org' has no business here"));
  for (const char* path : {"/", "/?token=", "/?token=a%20secre", "/?token=a%20secret2"})
    EXPECT_EQ(PlainClient(told.port(), kJson, path).status(), 403) << path;
  EXPECT_TRUE(told.says("it does not know the token"));
  EXPECT_NE(PlainClient(told.port(), "chat", right).status(), 101);
  EXPECT_NE(PlainClient(told.port(), {}, right).status(), 101);

  struct Case {
    int kind;
    std::string bytes;
    int status;
    const char* says;
  };
  const Case cases[] = {
      {PlainClient::kBinary, "\x01rubbish", 1003, "it sent binary messages"},
      {PlainClient::kText, "rubbish", 1002, "it is no JSON"},
      {PlainClient::kText, R"({"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]})", 1002,
       "an id in it is no whole number"},
      {PlainClient::kText, R"({"op":"subscribe","subscriptions":[{"id":1}]})", 1002,
       "lacks id or channelId"},
      {PlainClient::kText, R"({"a":1})", 1002, "it has no \"op\""},
      {PlainClient::kText, R"({"op":")" + std::string(70000, 'x') + "\"}", 1009,
       "more than 65536 bytes"},
      {PlainClient::kText, std::string(3000, '['), 1002, "it is no JSON"}};
  for (const Case& one : cases) {
    PlainClient client(told.port(), kJson, right);
    client.text_with("advertise");
    client.send(one.kind, one.bytes);
    auto message = client.receive();
    while (message && message->kind != PlainClient::kClose) message = client.receive();
    EXPECT_EQ(message ? message->status() : 0, one.status) << one.says;
    EXPECT_TRUE(told.says(one.says)) << one.says;
  }

  // A word that is only not known is answered, a hundred times.
  PlainClient curious(told.port(), kJson, right);
  curious.send(PlainClient::kText, R"({"op":"getParameters","parameterNames":["\u0000x"]})");
  EXPECT_THAT(curious.text_with("status"), HasSubstr("not 'getParameters'"));
  for (int i = 0; i < 101; ++i)
    curious.send(PlainClient::kText,
                 R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":999}]})");
  EXPECT_TRUE(told.says("it made more than 100 mistakes"));

  // No more than there is room for.
  std::vector<std::unique_ptr<PlainClient>> many;
  ASSERT_TRUE(soon([&] {
    many.push_back(std::make_unique<PlainClient>(told.port(), kJson, right));
    return many.back()->status() != 101;
  }));
  EXPECT_EQ(many.back()->status(), 503);
  EXPECT_TRUE(told.says("8 clients are here already"));
  // The first is still served.
  many[0]->send(PlainClient::kText, R"({"op":"unsubscribe","subscriptionIds":[5]})");
  EXPECT_THAT(many[0]->text_with("status"), HasSubstr("there is no subscription 5"));
}

// Whatever the bytes, the server ends that connection at most.
TEST(TelemetryServer, OutlivesForgedFrames) {
  Told told;
  show_numbers(told.server, 3);
  // One message in pieces, with something between them.
  PlainClient pieces(told.port(), kJson);
  pieces.send_frame(PlainClient::kText, R"({"op":"unsub)");
  pieces.send(PlainClient::kPing, "still here?");
  pieces.send_frame(PlainClient::kContinued, R"(scribe","subscriptionI)");
  pieces.send(PlainClient::kContinued, R"(ds":[12]})");
  EXPECT_THAT(pieces.text_with("status"), HasSubstr("there is no subscription 12"));

  const std::string endless = std::string("\x81\xff\x3f\xff\xff\xff\xff\xff\xff\xff", 10) + "mask" +
                              std::string(70'000, 'x');
  const std::string many_pieces = [] {
    std::string out(std::string("\x01\x80", 2) + "mask");
    for (int i = 0; i < 70'000; ++i) out += std::string("\x00\x81", 2) + "maskx";
    return out;
  }();
  for (const std::string& bytes :
       {endless, many_pieces,
        std::string("\xf1\x81maskx"),  // bits that nobody has agreed on
        std::string("\x83\x81maskx"),  // of no kind
        std::string("\x81\x05hello"),  // without a mask
        std::string("\x80\x81maskx"),  // goes on without a beginning
        std::string("\x09\x81maskx"),  // a ping in pieces
        std::string("\x89\xfe\x01\x00mask") + std::string(256, 'x'),  // a ping too long
        std::string("\x81\x82mask\xff\xfe", 8)}) {                    // no UTF-8
    PlainClient client(told.port(), kJson);
    ASSERT_EQ(client.status(), 101);
    client.send_raw(bytes);
    auto message = client.receive();
    while (message && message->kind != PlainClient::kClose) message = client.receive();
  }
  // Chance, with the same numbers in each run.
  std::minstd_rand random(7);
  for (int i = 0; i < 200; ++i) {
    PlainClient client(told.port(), kJson);
    std::string bytes(random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    client.send_raw(bytes);
  }
  pieces.send(PlainClient::kText, R"({"op":"unsubscribe","subscriptionIds":[13]})");
  EXPECT_THAT(pieces.text_with("subscription 13"), HasSubstr("there is no subscription 13"));
}

TEST(TelemetrySettings, AskForATokenOnANetwork) {
  EXPECT_EQ(telemetry_settings("8765", "", {}).host, "127.0.0.1");
  EXPECT_EQ(telemetry_settings("localhost:8765", "", {}).port, 8765);
  EXPECT_EQ(telemetry_settings("0.0.0.0:1", "secret", {}).host, "0.0.0.0");
  EXPECT_THROW(telemetry_settings("0.0.0.0:8765", "", {}), UserError);
  for (const char* wrong : {"", "x", "65536", "::1:80", "example.org:80", "127.0.0.1:", "-1", "1 "})
    EXPECT_THROW(telemetry_settings(wrong, "secret", {}), UserError) << wrong;
  // A port that another one has.
  Told told;
  TelemetrySettings same;
  same.port = told.port();
  EXPECT_THROW(TelemetryServer(same, [](const std::string&) {}), UserError);
}

}  // namespace
}  // namespace knuckleboom::app
