// The bytes of an HTTP/1.1 answer.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/net/http_server.h"

namespace lamarck::net::internal {

// What the request allows the answer to be.
struct AnswerShape {
  bool is_http11 = true;   // Else a body in pieces ends with the connection.
  bool is_head = false;    // No body, whatever the handler says.
  bool keep_alive = true;  // The connection serves further requests.
};

// "Not Found"; "" for a status without a name.
std::string_view reason_phrase(int status);

// 1xx, 204 and 304 never have a body.
bool may_have_body(int status);

// The status line and the headers with the empty line behind them. Without a
// `length` the body comes in pieces. Content-Length, Transfer-Encoding,
// Connection and Date of `headers` are left out; control characters in values
// become spaces.
void append_head(std::string& out, int status, const HttpHeaders& headers,
                 const AnswerShape& shape, std::optional<std::size_t> length);

// One piece of a chunked body; nothing for an empty one, which would end it.
void append_chunk(std::string& out, std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Nothing for a '%' without two hex digits and for %00.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace lamarck::net::internal
