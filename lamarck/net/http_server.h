// An HTTP/1.1 server in which an idle connection costs no thread.
//
// A few threads do all reading and writing. The handler is called on one of
// them and must not block: it answers at once, or keeps the exchange and
// answers later from any thread.

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

// Names compare without regard to case.
struct HeaderNameLess {
  // NOLINTNEXTLINE(readability-identifier-naming): the standard's name.
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
// Values without surrounding spaces and tabs. A name that came several times
// has its values joined by ", ".
using HttpHeaders = std::map<std::string, std::string, HeaderNameLess>;

struct HttpRequest {
  std::string method;  // "POST".
  std::string path;    // "/mcp", percent-decoded.
  std::string query;   // Behind the '?', as it came.
  HttpHeaders headers;
  std::string body;
  std::string remote_address;  // "127.0.0.1".

  std::string_view header(std::string_view name) const;  // "" if absent.
};

struct HttpReply {
  int status = 200;
  HttpHeaders headers;  // Content-Length and Date are added.
  std::string body;
};

// The answer to one request: `reply`, or `begin`, `write` ... `end`.
// Thread safety: any member from any thread; calls after the end, or after the
// client went away, do nothing.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual void reply(HttpReply reply) = 0;

  // A body that comes in pieces, each sent at once.
  virtual void begin(int status, HttpHeaders headers) = 0;
  virtual void write(std::string piece) = 0;
  virtual void end() = 0;
  // Breaks the connection off in the middle of the body.
  virtual void abort() = 0;

  // Called once, on a thread of the server, when the client goes away before
  // the end; at once if it already has.
  virtual void on_closed(std::function<void()> closed) = 0;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;   // 0 = any free one.
  std::size_t threads = 2;  // For reading and writing.
  std::size_t max_connections = 10'000;
  std::size_t max_header_bytes = 64 * 1024;
  std::size_t max_body_bytes = std::size_t{4} << 20;
  std::chrono::seconds idle_timeout{60};  // Between requests, and within one.
  std::size_t max_unsent_bytes = std::size_t{16}
                                 << 20;  // Then it is broken off.
};

// Runs until it is destroyed.
class HttpServer {
 public:
  using Handler =
      std::function<void(HttpRequest, std::shared_ptr<HttpExchange>)>;
  // Looks at a request (without its body) before the body is read; a reply
  // refuses it.
  using Gate = std::function<std::optional<HttpReply>(const HttpRequest&)>;

  // Too large a header is answered by 431, a body by 413, a malformed request
  // by 400, by the server itself. The error of `start` names address and port.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options,
                                                   Handler handler,
                                                   Gate gate = {});

  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connection_count() const = 0;
  // Accepts no more, lets replies under way end for as long as `grace`, then
  // closes everything. Also done, without grace, by the destructor.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace lamarck::net
