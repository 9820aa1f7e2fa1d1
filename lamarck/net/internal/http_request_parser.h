// An incremental parser: turns the bytes of a connection into requests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lamarck/net/http_server.h"
#include "lamarck/net/internal/http_wire.h"

namespace lamarck::net::internal {

struct RequestLimits {
  std::size_t header_bytes = 64 * 1024;
  std::size_t header_lines = 200;
  std::size_t body_bytes = std::size_t{4} << 20;
};

// Parses one request after another. It is strict where leniency would allow
// request smuggling: two lengths, a length together with chunks, an encoding
// other than chunked, a missing or repeated Host, a bare line feed.
class HttpRequestParser {
 public:
  enum class State : std::uint8_t {
    Head,    // Reading the request line and the headers.
    Headed,  // Headers complete; a body may follow. Seen once.
    Body,    // Reading the body.
    Done,    // The request is complete.
    Bad,     // Rejected with `bad_status`; no more can be read.
  };

  explicit HttpRequestParser(RequestLimits limits);
  ~HttpRequestParser();

  // Returns how many of `bytes` were consumed; pass the rest again together
  // with more. Stops at Headed and at Done.
  std::size_t feed(std::string_view bytes);
  // Starts the next request.
  void reset();

  State state() const;
  int bad_status() const;  // 400, 413, 431 or 501.
  bool has_begun() const;  // A byte of this request was seen.
  bool has_body() const;   // In state Headed: a body follows.
  // About the memory of this request, as far as it was read.
  std::size_t held_bytes() const;
  bool expects_continue() const;
  AnswerShape shape() const;
  HttpRequest& request();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lamarck::net::internal
