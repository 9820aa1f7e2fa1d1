#include "lamarck/net/internal/http_request_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace lamarck::net::internal {
namespace {

using State = HttpRequestParser::State;

// Feeds `bytes` in pieces of `size`, like a connection, until the first request
// is complete or rejected.
State feed_in_pieces(HttpRequestParser& parser, std::string_view bytes,
                     std::size_t size) {
  std::string waiting;
  while (parser.state() != State::Done && parser.state() != State::Bad) {
    const std::size_t used = parser.feed(waiting);
    waiting.erase(0, used);
    const bool is_stuck = used == 0 && parser.state() != State::Headed;
    if (parser.state() == State::Done || !is_stuck) continue;
    if (bytes.empty()) break;
    waiting += bytes.substr(0, size);
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return parser.state();
}

int rejection_status(std::string_view bytes, RequestLimits limits = {}) {
  HttpRequestParser parser(limits);
  feed_in_pieces(parser, bytes, bytes.size());
  return parser.state() == State::Bad ? parser.bad_status() : 0;
}

TEST(HttpRequestParser, ParsesSameRequestForAnyPieceSize) {
  const std::string bytes =
      "\r\nPOST /a%20b?x=%31 HTTP/1.1\r\nHost: here\r\nX-Padded: \t one \t\r\n"
      "x-padded:two\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;name=\"v\"\r\nhello\r\n1\r\n \r\n6\r\nworld!\r\n0\r\nX-After: "
      "1\r\n\r\n";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    HttpRequestParser parser({});
    ASSERT_EQ(feed_in_pieces(parser, bytes, size), State::Done) << size;
    const HttpRequest& request = parser.request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a b");
    EXPECT_EQ(request.query, "x=%31");
    EXPECT_EQ(request.header("X-PADDED"), "one, two");
    EXPECT_EQ(request.header("X-After"), "") << "a trailer is not a header";
    EXPECT_EQ(request.body, "hello world!");
  }
}

TEST(HttpRequestParser, ParsesEmptyChunkedBodyForAnyPieceSize) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string body : {"0\r\n\r\n", "0\r\nA: b\r\n\r\n"}) {
    const std::string bytes = head + body;
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      HttpRequestParser parser({});
      EXPECT_EQ(feed_in_pieces(parser, bytes, size), State::Done) << size;
    }
  }
}

TEST(HttpRequestParser, DoesNotConsumeNextRequest) {
  HttpRequestParser parser({});
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string both = first + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

  std::size_t used = parser.feed(both);
  EXPECT_EQ(parser.state(), State::Headed);
  used += parser.feed(both.substr(used));

  EXPECT_EQ(parser.state(), State::Done);
  EXPECT_EQ(used, first.size());
  parser.reset();
  feed_in_pieces(parser, both.substr(used), 100);
  EXPECT_EQ(parser.request().path, "/next");
}

TEST(HttpRequestParser, DerivesReplyShapeFromRequest) {
  struct Case {
    std::string head;
    AnswerShape shape;
  };
  const Case cases[] = {
      {"GET / HTTP/1.1\r\nHost: a", {true, false, true}},
      {"HEAD / HTTP/1.1\r\nHost: a", {true, true, true}},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close", {true, false, false}},
      {"GET / HTTP/1.0\r\nHost: a", {false, false, false}},
      {"GET / HTTP/1.0\r\nConnection: keep-alive", {false, false, true}},
  };
  for (const Case& each : cases) {
    HttpRequestParser parser({});
    feed_in_pieces(parser, each.head + "\r\n\r\n", 100);
    EXPECT_EQ(parser.state(), State::Done) << each.head;
    const AnswerShape shape = parser.shape();
    EXPECT_EQ(shape.is_http11, each.shape.is_http11) << each.head;
    EXPECT_EQ(shape.is_head, each.shape.is_head) << each.head;
    EXPECT_EQ(shape.keep_alive, each.shape.keep_alive) << each.head;
  }
}

TEST(HttpRequestParser, RejectsMalformedRequests) {
  const std::string host = "Host: a\r\n";
  const std::string cases[] = {
      "nonsense\r\n\r\n",
      "GET / HTTP/2.0\r\n" + host + "\r\n",
      "GET  / HTTP/1.1\r\n" + host + "\r\n",
      "GET / HTTP/1.1\n" + host + "\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + host + "\r\n",
      "GET / HTTP/1.1\r\n" + host + "Name : value\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + "Na me: value\r\n\r\n",
      "GET /%zz HTTP/1.1\r\n" + host + "\r\n",
      "GET /%00 HTTP/1.1\r\n" + host + "\r\n",
      "GET nowhere HTTP/1.1\r\n" + host + "\r\n",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host +
          "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host +
          "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host +
          "Transfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host +
          "Transfer-Encoding: chunked\r\n\r\nfive\r\n",
      "POST / HTTP/1.1\r\n" + host +
          "Transfer-Encoding: chunked\r\n\r\n2\r\nabcde\r\n",
  };
  for (const std::string& bytes : cases) {
    EXPECT_EQ(rejection_status(bytes), 400) << bytes;
  }
  EXPECT_EQ(rejection_status("POST / HTTP/1.1\r\n" + host +
                             "Transfer-Encoding: gzip, chunked\r\n\r\n"),
            501);
}

TEST(HttpRequestParser, RejectsOversizedRequests) {
  const RequestLimits limits{.header_bytes = 200, .body_bytes = 10};
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";

  EXPECT_EQ(rejection_status(head + "X: " + std::string(300, 'x'), limits),
            431);
  EXPECT_EQ(rejection_status("GET /" + std::string(300, 'x'), limits), 431);
  EXPECT_EQ(rejection_status(head + "Content-Length: 11\r\n\r\n", limits), 413);
  EXPECT_EQ(
      rejection_status(head + "Content-Length: 10\r\n\r\n0123456789", limits),
      0);
  EXPECT_EQ(rejection_status(head + "Transfer-Encoding: chunked\r\n\r\n"
                                    "6\r\n012345\r\n6\r\n012345\r\n",
                             limits),
            413);
  EXPECT_EQ(rejection_status(head + "Transfer-Encoding: chunked\r\n\r\n1;" +
                                 std::string(300, 'x'),
                             limits),
            413);
}

TEST(HttpRequestParser, LimitsHeadersForAnyPieceSize) {
  std::string bytes = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) bytes += "A: b\r\n";
  for (std::size_t size = 1; size < 20; ++size) {
    HttpRequestParser parser({.header_bytes = 200, .body_bytes = 10});
    feed_in_pieces(parser, bytes, size);
    EXPECT_EQ(parser.bad_status(), 431) << size;
  }
}

TEST(HttpRequestParser, ResetFreesMemoryOfRequest) {
  HttpRequestParser parser({});
  EXPECT_LT(parser.held_bytes(), 100u);
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
  parser.feed(head);
  parser.feed(std::string(900'000, 'x'));
  EXPECT_GT(parser.held_bytes(), 900'000u);
  parser.reset();
  EXPECT_LT(parser.held_bytes(), 100u);
}

TEST(HttpRequestParser, AcceptsAbsoluteTarget) {
  HttpRequestParser parser({});
  feed_in_pieces(parser, "GET http://a:80/b?c HTTP/1.1\r\nHost: a\r\n\r\n", 99);

  EXPECT_EQ(parser.request().path, "/b");
  EXPECT_EQ(parser.request().query, "c");
  EXPECT_EQ(parser.request().header("Host"), "a:80");
}

TEST(HttpRequestParser, HostOfAbsoluteTargetReplacesHeader) {
  HttpRequestParser parser({});
  feed_in_pieces(
      parser, "GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
      99);
  EXPECT_EQ(parser.request().path, "/mcp");
  EXPECT_EQ(parser.request().header("Host"), "evil.example");
}

TEST(HttpRequestParser, RejectsAbsoluteTargetsOfOtherSchemes) {
  for (const char* target : {"ftp://a/b", "http:///b", "://a/b"}) {
    HttpRequestParser parser({});
    feed_in_pieces(
        parser, std::string("GET ") + target + " HTTP/1.1\r\nHost: a\r\n\r\n",
        99);
    EXPECT_EQ(parser.bad_status(), 400) << target;
  }
}

}  // namespace
}  // namespace lamarck::net::internal
