#include "lamarck/net/internal/http_wire.h"

#include <gtest/gtest.h>

#include <string>

namespace lamarck::net::internal {
namespace {

std::string head(int status, const HttpHeaders& headers,
                 const AnswerShape& shape, std::optional<std::size_t> length) {
  std::string out;
  append_head(out, status, headers, shape, length);
  const std::size_t date = out.find("\r\nDate: ");
  return out.erase(date, out.find("\r\n", date + 2) - date);
}

TEST(HttpWire, WritesBodyLength) {
  EXPECT_EQ(head(200, {{"A", "b"}}, {}, 12),
            "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(head(200, {}, {}, std::nullopt),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(head(204, {}, {}, 0), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(head(202, {}, {.keep_alive = false}, 0),
            "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n"
            "Connection: close\r\n\r\n");
  EXPECT_EQ(head(200, {}, {.is_http11 = false}, 1),
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n"
            "Connection: keep-alive\r\n\r\n");
}

TEST(HttpWire, PreventsHeaderInjection) {
  EXPECT_EQ(head(200,
                 {{"A", "b\r\nSet-Cookie: c"},
                  {"content-length", "99"},
                  {"Transfer-Encoding", "gzip"}},
                 {}, 0),
            "HTTP/1.1 200 OK\r\nA: b  Set-Cookie: c\r\n"
            "Content-Length: 0\r\n\r\n");
}

TEST(HttpWire, WritesHttpDate) {
  std::string out;
  append_head(out, 200, {}, {}, 0);
  const std::size_t begin = out.find("Date: ") + 6;

  const std::string date = out.substr(begin, out.find("\r\n", begin) - begin);

  EXPECT_EQ(date.size(), std::string("Mon, 16 Nov 2026 09:30:00 GMT").size());
  EXPECT_TRUE(date.ends_with(" GMT")) << date;
}

TEST(HttpWire, FramesChunksAndSkipsEmptyOnes) {
  std::string out;
  append_chunk(out, "0123456789abcdef!");
  append_chunk(out, "");

  EXPECT_EQ(out, "11\r\n0123456789abcdef!\r\n");
}

TEST(HttpWire, DecodesPercentEscapes) {
  EXPECT_EQ(decode_percent("/a%2Fb%c3%A4+"), "/a/b\xc3\xa4+");
  for (const char* bad : {"%", "%1", "%g0", "%00"}) {
    EXPECT_FALSE(decode_percent(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace lamarck::net::internal
