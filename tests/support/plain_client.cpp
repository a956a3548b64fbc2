#include "plain_client.hpp"

#include <cstdlib>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace knuckleboom::test {

int PlainClient::Message::status() const {
  return bytes.size() < 2
             ? 0
             : static_cast<unsigned char>(bytes[0]) << 8 | static_cast<unsigned char>(bytes[1]);
}

PlainClient::PlainClient(int port, std::string_view protocol, std::string_view path,
                         std::string_view head, int most_received) {
  socket_ = socket(AF_INET, SOCK_STREAM, 0);
  if (most_received > 0)
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &most_received, sizeof most_received);
  const timeval patience{20, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("no connection");
  const std::string wanted =
      protocol.empty() ? "" : fmt::format("Sec-WebSocket-Protocol: {}\r\n", protocol);
  const std::string request = fmt::format(
      "GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{}{}\r\n",
      path, port, wanted, head);
  ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
  while (received_.find("\r\n\r\n") == std::string::npos)
    if (!fill(received_.size() + 1)) return;
  status_ = std::atoi(received_.c_str() + received_.find(' '));
  received_.erase(0, received_.find("\r\n\r\n") + 4);
}

PlainClient::~PlainClient() { close(socket_); }

bool PlainClient::fill(std::size_t size) {
  char bytes[65536];
  while (received_.size() < size) {
    const ssize_t n = recv(socket_, bytes, sizeof bytes, 0);
    if (n <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(n));
  }
  return true;
}

void PlainClient::send_frame(int first, std::string_view bytes) {
  std::string frame(1, static_cast<char>(first));
  if (bytes.size() < 126) {
    frame += static_cast<char>(0x80 | bytes.size());
  } else {
    const bool longer = bytes.size() > 0xFFFF;
    frame += static_cast<char>(0x80 | (longer ? 127 : 126));
    for (int byte = longer ? 7 : 1; byte >= 0; --byte)
      frame += static_cast<char>(bytes.size() >> (8 * byte) & 0xFF);
  }
  constexpr std::string_view kMask = "mask";
  frame += kMask;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    frame += static_cast<char>(bytes[i] ^ kMask[i % kMask.size()]);
  send_raw(frame);
}

void PlainClient::send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::optional<PlainClient::Message> PlainClient::receive() {
  if (!fill(2)) return std::nullopt;
  Message out;
  out.kind = received_[0] & 0x0F;
  std::uint64_t size = static_cast<unsigned char>(received_[1]) & 0x7F;
  std::size_t at = 2;
  if (size >= 126) {
    const std::size_t digits = size == 126 ? 2 : 8;
    if (!fill(at + digits)) return std::nullopt;
    size = 0;
    for (std::size_t i = 0; i < digits; ++i)
      size = size << 8 | static_cast<unsigned char>(received_[at++]);
  }
  if (!fill(at + size)) return std::nullopt;
  out.bytes = received_.substr(at, size);
  received_.erase(0, at + size);
  return out;
}

std::string PlainClient::text_with(std::string_view part) {
  while (const std::optional<Message> message = receive())
    if (message->kind == kText && message->bytes.find(part) != std::string::npos)
      return message->bytes;
  return {};
}

}  // namespace knuckleboom::test
