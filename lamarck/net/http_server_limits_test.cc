#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/net/http_server.h"
#include "lamarck/net/internal/raw_http_client_fixture.h"

namespace lamarck::net {
namespace {

using internal::RawHttpClient;
using std::chrono::milliseconds;

std::unique_ptr<HttpServer> serve(HttpServerOptions options,
                                  HttpServer::Gate gate = {}) {
  auto server = HttpServer::start(
      std::move(options),
      [](const HttpRequest& request, const auto& exchange) {
        exchange->reply({.status = 200,
                         .headers = {},
                         .body = std::to_string(request.body.size()) + "!"});
      },
      std::move(gate));
  EXPECT_TRUE(server.has_value());
  return std::move(server).value();
}

TEST(HttpServerLimits, RepliesToMalformedRequestsAndContinues) {
  const auto server = serve({});
  const std::string cases[] = {
      "nonsense\r\n\r\n",
      std::string("\x16\x03\x01\x02\x00\x01\x00", 7),
      "GET / HTTP/1.1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
  };
  for (const std::string& bytes : cases) {
    RawHttpClient client(server->port());
    client.send(bytes);
    const std::string answer = client.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << bytes << answer;
  }
  RawHttpClient client(server->port());
  client.send(internal::kGet);
  EXPECT_TRUE(client.read_until("0!").ends_with("0!"));
}

TEST(HttpServerLimits, RejectsOversizedRequestsWhileClientSends) {
  const auto server =
      serve({.max_header_bytes = 2'000, .max_body_bytes = 100'000});
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const auto answer_to = [&](const std::string& bytes) {
    RawHttpClient client(server->port());
    client.send(bytes);
    return client.read_all().substr(9, 3);
  };

  EXPECT_EQ(answer_to(post + "X: " + std::string(50'000, 'x')), "431");
  EXPECT_EQ(answer_to(post + "Content-Length: 100001\r\n\r\n" +
                      std::string(100'001, 'x')),
            "413");
  EXPECT_EQ(answer_to(post + "Transfer-Encoding: chunked\r\n\r\n30000\r\n" +
                      std::string(0x30000, 'x')),
            "413");
}

TEST(HttpServerLimits, AcceptsBodyOfMaximumSize) {
  const auto server = serve({.max_body_bytes = 1'000'000});
  RawHttpClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" +
              std::string(1'000'000, 'x'));

  EXPECT_TRUE(client.read_until("!").ends_with("\r\n1000000!"));
}

TEST(HttpServerLimits, GateRejectsBeforeBodyIsSent) {
  const auto server = serve({}, [](const HttpRequest& request) {
    std::optional<HttpReply> refusal;
    if (request.header("Host") != "good") {
      refusal = HttpReply{.status = 403, .headers = {}, .body = "no"};
    }
    return refusal;
  });
  RawHttpClient bad(server->port());
  bad.send("POST / HTTP/1.1\r\nHost: bad\r\nContent-Length: 999\r\n\r\n");
  const std::string refusal = bad.read_all();
  EXPECT_TRUE(refusal.starts_with("HTTP/1.1 403 Forbidden\r\n")) << refusal;
  EXPECT_NE(refusal.find("Connection: close"), std::string::npos);

  RawHttpClient good(server->port());
  good.send("GET / HTTP/1.1\r\nHost: bad\r\n\r\n");
  EXPECT_TRUE(good.read_until("no").starts_with("HTTP/1.1 403"));
  good.send("GET / HTTP/1.1\r\nHost: good\r\n\r\n");
  EXPECT_TRUE(good.read_until("0!").starts_with("HTTP/1.1 200"));
}

TEST(HttpServerLimits, SendsContinueForExpectContinue) {
  const auto server = serve({});
  RawHttpClient client(server->port());
  client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");

  EXPECT_TRUE(client.read_until("2!").starts_with("HTTP/1.1 200"));
}

TEST(HttpServerLimits, TimesOutSilentAndTricklingClients) {
  const auto server = serve({.idle_timeout = std::chrono::seconds(1)});
  RawHttpClient silent(server->port());
  RawHttpClient trickling(server->port());
  std::atomic<bool> is_over = false;
  std::thread trickle([&] {
    trickling.send("GET / HTTP/1.1\r\nHost: a\r\n");
    while (!is_over && trickling.send("X: y\r\n")) {
      std::this_thread::sleep_for(milliseconds(20));
    }
  });

  EXPECT_EQ(silent.read_all(), "");
  const std::string answer = trickling.read_until("\r\n\r\n");
  is_over = true;
  trickle.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
}

// Both send something often, but never a request.
TEST(HttpServerLimits, EmptyLinesAndPartsOfRequestLineDoNotProlongIdleTime) {
  const auto server = serve({.idle_timeout = std::chrono::seconds(1)});
  RawHttpClient lines(server->port());
  RawHttpClient letters(server->port());
  std::atomic<bool> is_over = false;
  std::thread sender([&] {
    letters.send("GET /");
    while (!is_over) {
      lines.send("\r\n");
      letters.send("x");
      std::this_thread::sleep_for(milliseconds(20));
    }
  });

  EXPECT_EQ(lines.read_all(), "");
  EXPECT_TRUE(lines.is_closed_by_server());
  const std::string answer = letters.read_until("\r\n\r\n");
  is_over = true;
  sender.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
}

TEST(HttpServerLimits, UnfinishedBodiesShareOneLimit) {
  const auto server = serve(
      {.max_body_bytes = 1'000'000, .max_total_unfinished_bytes = 4'000'000});
  const std::string begin =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
  std::deque<RawHttpClient> slow;
  for (int i = 0; i < 20; ++i) {
    slow.emplace_back(server->port()).send(begin + std::string(900'000, 'x'));
  }
  const auto is_refused = [](RawHttpClient& client) {
    return client.has_received("HTTP/1.1 503 ");
  };
  EXPECT_TRUE(eventually("most requests are rejected", [&] {
    return std::ranges::count_if(slow, is_refused) >= 16;
  }));
  EXPECT_NE(slow.front().read_all().find("more than 4000000 bytes"),
            std::string::npos);

  // A client that sends its request at once is served.
  RawHttpClient fast(server->port());
  fast.send(begin + std::string(1'000'000, 'x'));
  EXPECT_TRUE(fast.read_until("1000000!").starts_with("HTTP/1.1 200"));
  RawHttpClient small(server->port());
  small.send(internal::kGet);
  EXPECT_TRUE(small.read_until("0!").starts_with("HTTP/1.1 200"));
}

TEST(HttpServerLimits, BodiesOfWaitingRequestsShareOneLimit) {
  std::mutex mutex;
  std::deque<std::shared_ptr<HttpExchange>> waiting;
  auto server =
      HttpServer::start({.max_total_waiting_bytes = 100'000},
                        [&](const HttpRequest& request, auto exchange) {
                          if (request.body.empty()) {
                            return exchange->reply({.body = "none!"});
                          }
                          const std::lock_guard lock(mutex);
                          waiting.push_back(std::move(exchange));
                        })
          .value();
  const std::string post =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" +
      std::string(60'000, 'x');
  RawHttpClient first(server->port());
  first.send(post);
  ASSERT_TRUE(eventually("the first request waits", [&] {
    const std::lock_guard lock(mutex);
    return waiting.size() == 1;
  }));

  RawHttpClient second(server->port());
  second.send(post);
  EXPECT_TRUE(second.read_all().starts_with("HTTP/1.1 503 "));
  RawHttpClient small(server->port());
  small.send(internal::kGet);
  EXPECT_TRUE(small.read_until("!").ends_with("none!"));

  {
    const std::lock_guard lock(mutex);
    waiting.front()->reply({.body = "done!"});
    waiting.clear();
  }
  EXPECT_TRUE(first.read_until("!").ends_with("done!"));
  first.send(post);
  ASSERT_TRUE(eventually("the next request waits", [&] {
    const std::lock_guard lock(mutex);
    return waiting.size() == 1;
  }));
  server->stop(milliseconds(0));
}

TEST(HttpServerLimits, UnfinishedHeadersCountAsWell) {
  const auto server = serve({.max_total_unfinished_bytes = 200'000});
  std::deque<RawHttpClient> slow;
  for (int i = 0; i < 20; ++i) {
    slow.emplace_back(server->port())
        .send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(50'000, 'x'));
  }
  EXPECT_TRUE(eventually("most requests are rejected", [&] {
    return std::ranges::count_if(slow, [](RawHttpClient& client) {
             return client.has_received("HTTP/1.1 503 ");
           }) >= 16;
  }));
}

TEST(HttpServerLimits, RejectsTooManyHeaders) {
  const auto server = serve({.max_header_lines = 50});
  const auto answer_to = [&](int count) {
    std::string request = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (int i = 1; i < count; ++i) {
      request += "a" + std::to_string(i) + ":\r\n";
    }
    RawHttpClient client(server->port());
    client.send(request + "\r\n");
    return client.read_until("\r\n\r\n").substr(9, 3);
  };
  EXPECT_EQ(answer_to(50), "200");
  EXPECT_EQ(answer_to(51), "431");
}

TEST(HttpServerLimits, UnreadRepliesShareOneLimit) {
  std::atomic<int> closed = 0;
  auto started = HttpServer::start(
      {.idle_timeout = std::chrono::hours(1),
       .max_total_unsent_bytes = std::size_t{64} << 20},
      [&](const HttpRequest&, const std::shared_ptr<HttpExchange>& exchange) {
        exchange->begin(200, {});
        exchange->write(std::string(std::size_t{14} << 20, 'x'));
        // Keeps the exchange, as a stream does.
        exchange->on_closed([&closed, exchange] { ++closed; });
      });
  const auto server = std::move(started).value();
  std::deque<RawHttpClient> slow;
  for (int i = 0; i < 12; ++i) {
    slow.emplace_back(server->port()).send(internal::kGet);
  }
  EXPECT_TRUE(eventually("connections are closed", [&] { return closed > 4; }));
}

TEST(HttpServerLimits, ClosesClientThatDoesNotRead) {
  std::atomic<bool> is_closed = false;
  std::thread writer;
  auto started = HttpServer::start(
      {.max_unsent_bytes = 100'000},
      [&](const HttpRequest&, const std::shared_ptr<HttpExchange>& exchange) {
        exchange->on_closed([&is_closed] { is_closed = true; });
        exchange->begin(200, {});
        writer = std::thread([exchange, &is_closed] {
          while (!is_closed) exchange->write(std::string(10'000, 'x'));
        });
      });
  const auto server = std::move(started).value();
  RawHttpClient client(server->port());
  client.send(internal::kGet);

  EXPECT_TRUE(
      eventually("the connection is closed", [&] { return is_closed.load(); }));
  is_closed = true;
  writer.join();
  EXPECT_EQ(server->connection_count(), 0u);
}

// The connection blocks in a write long before the limit is reached.
TEST(HttpServerLimits, ClosesConnectionWithBlockedWrite) {
  std::atomic<bool> is_closed = false;
  std::thread writer;
  auto started = HttpServer::start(
      {.idle_timeout = std::chrono::hours(1),
       .max_unsent_bytes = std::size_t{20} << 20},
      [&](const HttpRequest&, const std::shared_ptr<HttpExchange>& exchange) {
        exchange->on_closed([&is_closed] { is_closed = true; });
        exchange->begin(200, {});
        writer = std::thread([exchange, &is_closed] {
          for (int i = 0; i < 2000 && !is_closed; ++i) {
            exchange->write(std::string(std::size_t{1} << 20, 'x'));
            std::this_thread::sleep_for(milliseconds(5));
          }
        });
      });
  const auto server = std::move(started).value();
  RawHttpClient client(server->port());
  client.send(internal::kGet);
  EXPECT_TRUE(
      eventually("the connection is closed", [&] { return is_closed.load(); }));
  is_closed = true;
  writer.join();
}

TEST(HttpServerLimits, RejectsConnectionsAboveLimit) {
  const auto server = serve({.max_connections = 2});
  RawHttpClient first(server->port());
  RawHttpClient second(server->port());
  for (RawHttpClient* client : {&first, &second}) {
    client->send(internal::kGet);
    client->read_until("0!");
  }

  RawHttpClient third(server->port());

  EXPECT_TRUE(third.read_all().starts_with("HTTP/1.1 503 "));
}

}  // namespace
}  // namespace lamarck::net
