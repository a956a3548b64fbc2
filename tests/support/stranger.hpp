// A sender whom nobody invited.
#pragma once

#include <cstddef>
#include <span>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint/udp.hpp"

namespace knuckleboom::test {

// Somebody with a socket of their own.
class Stranger {
 public:
  explicit Stranger(const char* host = "127.0.0.1") : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    const sockaddr_in own = place({host, 0});
    ::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own);
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  void send(std::span<const std::byte> bytes, const endpoint::UdpAddress& to) const {
    const sockaddr_in address = place(to);
    ::sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof address);
  }

 private:
  static sockaddr_in place(const endpoint::UdpAddress& address) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(address.port);
    inet_pton(AF_INET, address.host.c_str(), &out.sin_addr);
    return out;
  }
  int socket_;
};

}  // namespace knuckleboom::test
