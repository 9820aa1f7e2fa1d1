// Serializes HTTP/1.1 replies.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/net/http_server.h"

namespace lamarck::net::internal {

// What the request implies for the format of the reply.
struct AnswerShape {
  bool is_http11 = true;   // Else a streamed body ends with the connection.
  bool is_head = false;    // A HEAD request: send no body.
  bool keep_alive = true;  // The connection serves further requests.
};

// Such as "Not Found"; "" for an unknown status.
std::string_view reason_phrase(int status);

// 1xx, 204 and 304 never have a body.
bool may_have_body(int status);

// Appends the status line, the headers and the empty line. Without a `length`
// the body is streamed. Ignores Content-Length, Transfer-Encoding, Connection
// and Date in `headers`, and replaces control characters with spaces, so that a
// handler cannot inject headers.
void append_head(std::string& out, int status, const HttpHeaders& headers,
                 const AnswerShape& shape, std::optional<std::size_t> length);

// Appends one chunk of a body. Ignores an empty piece, which would end the
// body.
void append_chunk(std::string& out, std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Decodes %XX. Returns nullopt for a '%' without two hex digits and for %00.
std::optional<std::string> decode_percent(std::string_view text);

}  // namespace lamarck::net::internal
