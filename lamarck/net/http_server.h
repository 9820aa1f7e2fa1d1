// An event-driven HTTP/1.1 server: an idle connection does not occupy a thread.
//
// A few threads do all reading and writing. They also call the handler, which
// must not block: it replies immediately, or keeps the exchange and replies
// later from any thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::net {

// Compares header names without regard to case.
struct HeaderNameLess {
  // NOLINTNEXTLINE(readability-identifier-naming): the standard's name.
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
// Values have no surrounding spaces or tabs. The values of a repeated name are
// joined by ", ".
using HttpHeaders = std::map<std::string, std::string, HeaderNameLess>;

struct HttpRequest {
  std::string method;  // "POST".
  std::string path;    // "/mcp", percent-decoded.
  std::string query;   // After the '?', not decoded.
  HttpHeaders headers;
  std::string body;
  std::string remote_address;    // "127.0.0.1".
  std::uint64_t connection = 0;  // Different for each connection of a server.
  std::string identity;  // Set by who checked a token; "" = unknown client.

  std::string_view header(std::string_view name) const;  // "" if absent.
};

struct HttpReply {
  int status = 200;
  HttpHeaders headers;  // The server adds Content-Length and Date.
  std::string body;
};

// The reply to one request: either `reply`, or `begin`, `write` ... `end`. An
// exchange that is destroyed without a reply sends status 500.
// Thread safety: any member from any thread. Calls after the end of the reply,
// or after the client disconnected, do nothing.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual void reply(HttpReply reply) = 0;

  // Streams a body in pieces, each sent immediately.
  virtual void begin(int status, HttpHeaders headers) = 0;
  virtual void write(std::string piece) = 0;
  virtual void end() = 0;
  // Closes the connection in the middle of the body.
  virtual void abort() = 0;

  // Sets a callback for a client that disconnects before the end of the reply.
  // A server thread calls it once; if the client is already gone, it runs now.
  virtual void on_closed(std::function<void()> closed) = 0;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;   // 0 = any free port.
  std::size_t threads = 2;  // For reading and writing.
  std::size_t max_connections = 10'000;
  std::size_t max_header_bytes = 64 * 1024;
  std::size_t max_header_lines = 200;
  std::size_t max_body_bytes = std::size_t{4} << 20;
  // Of all requests that are not complete. Beyond it the largest and oldest are
  // rejected (503).
  std::size_t max_total_unfinished_bytes = std::size_t{64} << 20;
  // Of the bodies of all complete requests whose replies are not sent yet. A
  // request that would exceed it is rejected (503); those without a body never
  // are.
  std::size_t max_total_waiting_bytes = std::size_t{256} << 20;
  std::chrono::seconds idle_timeout{60};  // Between and within requests.
  // A connection whose client reads too slowly is closed beyond this.
  std::size_t max_unsent_bytes = std::size_t{16} << 20;
  // Of all replies that clients have not read. Beyond it the connections with
  // the largest and oldest are closed.
  std::size_t max_total_unsent_bytes = std::size_t{256} << 20;
};

// Runs until it is destroyed.
class HttpServer {
 public:
  using Handler =
      std::function<void(HttpRequest, std::shared_ptr<HttpExchange>)>;
  // Checks a request before its body is read. A returned reply rejects the
  // request.
  using Gate = std::function<std::optional<HttpReply>(const HttpRequest&)>;

  // Starts the server. It replies itself to oversized headers (431), oversized
  // bodies (413), slow requests (408, 503) and malformed ones (400). The error
  // names address and port.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options,
                                                   Handler handler,
                                                   Gate gate = {});

  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connection_count() const = 0;
  // Stops accepting, waits up to `grace` for pending replies, then closes all
  // connections. The destructor stops without grace. REQUIRES: not called from
  // a handler.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace lamarck::net
