// Bytes of a connection become requests, however they are cut into pieces.

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
  std::size_t body_bytes = std::size_t{4} << 20;
};

// One request after the other. Strict where leniency lets two servers read two
// different requests: two lengths, a length beside chunks, an encoding other
// than chunked, no or several Host, a bare line feed.
class HttpRequestParser {
 public:
  enum class State : std::uint8_t {
    Head,    // Reads the request line and the headers.
    Headed,  // They are complete; a body may follow. Returned once.
    Body,    // Reads the body.
    Done,    // The request is complete.
    Bad,     // Refused with `bad_status`; nothing more can be read.
  };

  explicit HttpRequestParser(RequestLimits limits);
  ~HttpRequestParser();

  // Returns how many of `bytes` are used up; the rest must come again, with
  // more behind it. Stops at Headed and at Done.
  std::size_t feed(std::string_view bytes);
  // Begins the next request.
  void reset();

  State state() const;
  int bad_status() const;  // 400, 413, 431 or 501.
  bool has_begun() const;  // A byte of this request was used.
  bool has_body() const;   // Of Headed: some of it is still to come.
  bool expects_continue() const;
  AnswerShape shape() const;
  HttpRequest& request();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lamarck::net::internal
