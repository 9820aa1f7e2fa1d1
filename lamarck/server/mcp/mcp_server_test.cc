// Tests of the whole server over a real socket.

#include "lamarck/server/mcp/mcp_server.h"

#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>

#include <array>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"

namespace lamarck::mcp {
namespace {

class Socket {
 public:
  explicit Socket(std::uint16_t port)
      : descriptor_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(descriptor_, reinterpret_cast<sockaddr*>(&address),
                      sizeof(address)),
              0);
  }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void post(const std::string& body, const std::string& headers,
            const std::string& host = "localhost") {
    const std::string text =
        "POST /mcp HTTP/1.1\r\nHost: " + host +
        "\r\nContent-Type: application/json\r\n" + headers +
        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_EQ(send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  // Reads until `text` arrives; returns everything read by this call.
  std::string read_until(std::string_view text) {
    std::string all;
    std::array<char, 4096> buffer{};
    while (all.find(text) == std::string::npos) {
      const ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), 0);
      if (count <= 0) break;
      all.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int descriptor_;
};

std::string modern_headers(const std::string& method) {
  return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method:  " + method + " \r\n";
}

class McpServerOnASocket : public testing::Test {
 protected:
  McpServerOnASocket()
      : http_(net::HttpServer::start(
                  {},
                  [this](net::HttpRequest request,
                         std::shared_ptr<net::HttpExchange> exchange) {
                    fixture_.server().serve_http(std::move(request),
                                                 std::move(exchange));
                  },
                  http_gate({}, ""))
                  .value()) {}

  McpFixture fixture_;
  std::unique_ptr<net::HttpServer> http_;
};

TEST_F(McpServerOnASocket, AnswersRequestsOnOneConnection) {
  Socket socket(http_->port());
  for (int id = 1; id <= 3; ++id) {
    socket.post(dump_json(modern_request(id, "server/discover", kNone, kNone)),
                modern_headers("server/discover"));
    const std::string reply = socket.read_until("}}}}");
    EXPECT_NE(reply.find("200 OK"), std::string::npos) << reply;
    EXPECT_NE(reply.find("\"id\":" + std::to_string(id)), std::string::npos);
  }
}

TEST_F(McpServerOnASocket, StreamsToListeners) {
  Socket listener(http_->port());
  listener.post(dump_json(modern_request(
                    7, "subscriptions/listen",
                    {{"notifications", {{"toolsListChanged", true}}}}, kNone)),
                modern_headers("subscriptions/listen"));
  EXPECT_NE(listener.read_until("acknowledged").find("text/event-stream"),
            std::string::npos);
  fixture_.server().tools_changed();
  EXPECT_NE(listener.read_until("list_changed").find("list_changed"),
            std::string::npos);
  fixture_.server().stop();
  EXPECT_NE(listener.read_until("\r\n0\r\n").find("\"result\""),
            std::string::npos);
}

TEST_F(McpServerOnASocket, CallEndsWithConnection) {
  Socket socket(http_->port());
  Json params = {{"name", "wait"}};
  params["_meta"]["progressToken"] = 1;
  socket.post(dump_json(modern_request(1, "tools/call", params, kNone)),
              modern_headers("tools/call") + "Mcp-Name: wait\r\n");
  EXPECT_NE(socket.read_until("waiting").find("waiting"), std::string::npos);
}

TEST_F(McpServerOnASocket, RejectsForeignHosts) {
  Socket socket(http_->port());
  socket.post("{}", "", "evil.example");
  EXPECT_NE(socket.read_until("}}").find("403"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::mcp
