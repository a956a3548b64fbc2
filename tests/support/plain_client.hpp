// A WebSocket client by RFC 6455 alone, on a plain socket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::test {

class PlainClient {
 public:
  static constexpr int kContinued = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9;
  struct Message {
    int kind = 0;
    std::string bytes;
    // The reason in a closing message.
    int status() const;
  };

  // head: further lines of the request. most_received: of the socket's buffer; 0: the usual.
  PlainClient(int port, std::string_view protocol, std::string_view path = "/",
              std::string_view head = {}, int most_received = 0);
  ~PlainClient();
  PlainClient(const PlainClient&) = delete;
  PlainClient& operator=(const PlainClient&) = delete;

  int status() const { return status_; }  // of the server's answer; 101: connected
  void send(int kind, std::string_view bytes) { send_frame(0x80 | kind, bytes); }
  // A frame with this first byte: the lowest bits its kind, the highest whether the message ends with it.
  void send_frame(int first, std::string_view bytes);
  // Whatever it is. Stops where the server takes no more.
  void send_raw(std::string_view bytes);
  // The next; nothing: the server has closed, or said nothing for 20 s.
  std::optional<Message> receive();
  // The next text that has this in it.
  std::string text_with(std::string_view part);

 private:
  bool fill(std::size_t size);

  int socket_ = -1;
  int status_ = 0;
  std::string received_;
};

}  // namespace knuckleboom::test
