// A client that sends arbitrary bytes, for tests of the server.

#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck::net::internal {

// The shortest valid request.
inline const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

class RawHttpClient {
 public:
  explicit RawHttpClient(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address),
                  sizeof(address)) == 0;
  }
  ~RawHttpClient() { close(); }
  RawHttpClient(const RawHttpClient&) = delete;
  RawHttpClient& operator=(const RawHttpClient&) = delete;

  bool is_connected() const { return is_connected_; }
  const std::string& received() const { return received_; }

  // Returns whether all bytes were sent.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent =
          ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  // Reads up to and including `mark`. Returns what has arrived if the server
  // closes the connection or the mark does not arrive in time.
  std::string read_until(std::string_view mark) {
    std::size_t found = received_.find(mark);
    while (found == std::string::npos && receive()) {
      found = received_.find(mark);
    }
    const std::size_t size =
        found == std::string::npos ? received_.size() : found + mark.size();
    std::string text = received_.substr(0, size);
    received_.erase(0, size);
    return text;
  }
  // Returns whether the text has arrived; does not wait.
  bool has_received(std::string_view text) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    while (::poll(&waiting, 1, 0) > 0 && receive()) {
    }
    return received_.find(text) != std::string::npos;
  }
  // Reads until the server closes the connection.
  std::string read_all() {
    while (receive()) {
    }
    return std::move(received_);
  }
  // Waits and returns whether the server closed the connection.
  bool is_closed_by_server() {
    while (receive()) {
    }
    return has_ended_;
  }

 private:
  static constexpr std::chrono::milliseconds kTimeout{20'000};

  bool receive() {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(kTimeout.count())) <= 0) {
      return false;
    }
    std::array<char, 16 * 1024> bytes{};
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    has_ended_ = size <= 0;
    if (size > 0) received_.append(bytes.data(), static_cast<size_t>(size));
    return size > 0;
  }

  int socket_;
  bool is_connected_ = false;
  bool has_ended_ = false;
  std::string received_;
};

}  // namespace lamarck::net::internal
