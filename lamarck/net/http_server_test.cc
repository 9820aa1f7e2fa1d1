#include "lamarck/net/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/net/internal/raw_http_client_fixture.h"

namespace lamarck::net {
namespace {

using internal::RawHttpClient;
using std::chrono::milliseconds;

constexpr std::string_view kStreamEnd = "0\r\n\r\n";

std::unique_ptr<HttpServer> serve(HttpServer::Handler handler,
                                  HttpServerOptions options = {},
                                  HttpServer::Gate gate = {}) {
  auto server = HttpServer::start(std::move(options), std::move(handler),
                                  std::move(gate));
  EXPECT_TRUE(server.has_value());
  return std::move(server).value();
}

// Replies with a summary of the request.
void echo(const HttpRequest& request,
          const std::shared_ptr<HttpExchange>& exchange) {
  exchange->reply({.status = 200,
                   .headers = {{"Content-Type", "text/plain"}},
                   .body = request.method + " " + request.path + " " +
                           std::string(request.header("X-Value")) + "[" +
                           request.body + "]"});
}

// Stores exchanges, so that the test can reply to them.
struct StoredExchanges {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpExchange>> exchanges;

  HttpServer::Handler handler() {
    return [this](const HttpRequest&, std::shared_ptr<HttpExchange> exchange) {
      const std::lock_guard lock(mutex);
      exchanges.push_back(std::move(exchange));
    };
  }
  std::shared_ptr<HttpExchange> wait_for(std::size_t index) {
    const bool has_arrived = eventually("the request has arrived", [&] {
      const std::lock_guard lock(mutex);
      return exchanges.size() > index;
    });
    if (!has_arrived) throw std::runtime_error("the request has not arrived");
    const std::lock_guard lock(mutex);
    return exchanges[index];
  }
};

TEST(HttpServer, ServesManyRequestsOnOneConnection) {
  const auto server = serve(echo);
  RawHttpClient client(server->port());

  for (int i = 0; i < 3; ++i) {
    client.send(
        "POST /a?b HTTP/1.1\r\nhost: x\r\nx-value: \t padded  \r\n"
        "Content-Length: 4\r\n\r\nbody");
    const std::string answer = client.read_until("]");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\nPOST /a padded[body]")) << answer;
  }
  EXPECT_EQ(server->connection_count(), 1u);
}

TEST(HttpServer, RepliesToPipelinedRequestsInOrder) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  RawHttpClient client(server->port());
  client.send(internal::kGet + internal::kGet);

  // The second request is not handled before the first has its reply.
  stored.wait_for(0)->reply({.status = 200, .headers = {}, .body = "first;"});
  stored.wait_for(1)->reply({.status = 404, .headers = {}, .body = "second;"});

  EXPECT_TRUE(client.read_until("first;").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(client.read_until("second;").starts_with("HTTP/1.1 404"));
}

TEST(HttpServer, SendsStreamPiecesImmediately) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  RawHttpClient client(server->port());
  client.send(internal::kGet);
  const auto exchange = stored.wait_for(0);

  exchange->begin(200, {{"Content-Type", "text/event-stream"}});
  const std::string head = client.read_until("\r\n\r\n");
  exchange->write("data: 1\n\n");
  EXPECT_EQ(client.read_until("\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
  exchange->write("");
  exchange->write("data: 22\n\n");
  EXPECT_EQ(client.read_until("\n\n\r\n"), "a\r\ndata: 22\n\n\r\n");
  exchange->end();
  exchange->write("too late");
  EXPECT_EQ(client.read_until(kStreamEnd), kStreamEnd);

  EXPECT_NE(head.find("Transfer-Encoding: chunked"), std::string::npos) << head;
  client.send(internal::kGet);
  stored.wait_for(1)->reply({.status = 200, .headers = {}, .body = "again"});
  EXPECT_TRUE(client.read_until("again").starts_with("HTTP/1.1 200"));
}

TEST(HttpServer, PreservesOrderOfPiecesFromSeveralThreads) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  RawHttpClient client(server->port());
  client.send(internal::kGet);
  const auto exchange = stored.wait_for(0);
  exchange->begin(200, {});
  std::mutex mutex;
  int next = 0;
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const std::lock_guard lock(mutex);
        exchange->write("<" + std::to_string(next++) + ">");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  exchange->end();

  const std::string answer = client.read_until(kStreamEnd);
  std::size_t at = 0;
  for (int i = 0; i < 400; ++i) {
    at = answer.find("<" + std::to_string(i) + ">", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(HttpServer, ReportsClientDisconnect) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  for (const bool is_streaming : {false, true}) {
    RawHttpClient client(server->port());
    client.send(internal::kGet);
    const auto exchange = stored.wait_for(is_streaming ? 1 : 0);
    std::promise<void> closed;
    exchange->on_closed([&] { closed.set_value(); });
    if (is_streaming) exchange->begin(200, {});

    client.close();

    closed.get_future().wait();
    bool is_called_immediately = false;
    exchange->on_closed([&] { is_called_immediately = true; });
    EXPECT_TRUE(is_called_immediately);
    exchange->write("ignored");
    exchange->end();
  }
  EXPECT_TRUE(eventually("the connection is gone",
                         [&] { return server->connection_count() == 0; }));
}

TEST(HttpServer, DoesNotReportDisconnectAfterReply) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  std::atomic<bool> is_closed = false;
  {
    RawHttpClient client(server->port());
    client.send(internal::kGet);
    stored.wait_for(0)->on_closed([&] { is_closed = true; });
    stored.wait_for(0)->reply({.status = 200, .headers = {}, .body = "done"});
    client.read_until("done");
  }
  EXPECT_TRUE(eventually("the connection is gone",
                         [&] { return server->connection_count() == 0; }));

  EXPECT_FALSE(is_closed);
}

TEST(HttpServer, AbortClosesAfterWrittenPieces) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  RawHttpClient client(server->port());
  client.send(internal::kGet);
  const auto exchange = stored.wait_for(0);

  exchange->begin(200, {});
  exchange->write("half");
  exchange->abort();

  const std::string answer = client.read_all();
  EXPECT_TRUE(answer.ends_with("4\r\nhalf\r\n")) << answer;
}

TEST(HttpServer, RepliesForHandlerThatForgetsOrThrows) {
  const auto server = serve([](const HttpRequest& request, const auto&) {
    if (request.path == "/throw") throw std::runtime_error("oops");
  });
  for (const std::string path : {"/forget", "/throw"}) {
    RawHttpClient client(server->port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 500"));
  }
}

TEST(HttpServer, ServesHttp10AndHeadRequests) {
  const auto server = serve([](const HttpRequest& request, auto exchange) {
    if (request.path == "/whole") return echo(request, exchange);
    exchange->begin(200, {});
    exchange->write("piece");
    exchange->end();
  });
  const auto answer_to = [&](const std::string& request) {
    RawHttpClient client(server->port());
    client.send(request);
    const std::string answer = client.read_all();
    return answer.substr(answer.find("\r\n\r\n") + 4);
  };

  EXPECT_EQ(answer_to("GET / HTTP/1.0\r\n\r\n"), "piece");
  EXPECT_EQ(answer_to("GET /whole HTTP/1.0\r\n\r\n"), "GET /whole []");
  const std::string rest = " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(answer_to("HEAD /" + rest), "");
  EXPECT_EQ(answer_to("HEAD /whole" + rest), "");
  EXPECT_EQ(answer_to("GET /" + rest), "5\r\npiece\r\n0\r\n\r\n");
}

TEST(HttpServer, RepliesAfterClientShutdownOfSending) {
  const std::string large(8 << 20, 'x');
  const auto server = serve([&](const HttpRequest&, const auto& exchange) {
    exchange->reply({.status = 200, .headers = {}, .body = large});
  });
  RawHttpClient client(server->port());
  client.send(internal::kGet);
  client.end_sending();

  EXPECT_GT(client.read_all().size(), large.size());
}

TEST(HttpServer, KeepsManyIdleStreamsWithTwoThreads) {
  StoredExchanges stored;
  const auto server = serve([&](HttpRequest request, auto exchange) {
    if (request.path == "/quick") return echo(request, exchange);
    exchange->begin(200, {});
    stored.handler()(std::move(request), std::move(exchange));
  });
  std::vector<std::unique_ptr<RawHttpClient>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<RawHttpClient>(server->port()));
    clients.back()->send(internal::kGet);
  }
  for (const auto& client : clients) client->read_until("\r\n\r\n");
  EXPECT_EQ(server->connection_count(), 200u);

  RawHttpClient quick(server->port());
  quick.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(quick.read_until("]").ends_with("GET /quick []"));
  for (const auto& exchange : stored.exchanges) exchange->write("news");
  for (const auto& client : clients) {
    EXPECT_EQ(client->read_until("news\r\n"), "4\r\nnews\r\n");
  }
}

TEST(HttpServer, StopWaitsForPendingReplies) {
  StoredExchanges stored;
  const auto server = serve(stored.handler());
  RawHttpClient idle(server->port());
  RawHttpClient busy(server->port());
  busy.send(internal::kGet);
  const auto exchange = stored.wait_for(0);

  std::thread stopping([&] { server->stop(milliseconds(20'000)); });
  EXPECT_TRUE(idle.is_closed_by_server());
  exchange->reply({.status = 200, .headers = {}, .body = "the end"});
  const std::string answer = busy.read_all();
  busy.close();
  stopping.join();

  EXPECT_TRUE(answer.ends_with("the end")) << answer;
  EXPECT_EQ(server->connection_count(), 0u);
  EXPECT_FALSE(RawHttpClient(server->port()).is_connected());
}

TEST(HttpServer, DestructorClosesAllConnections) {
  StoredExchanges stored;
  std::atomic<int> closed = 0;
  auto server = serve(stored.handler());
  RawHttpClient waiting(server->port());
  RawHttpClient streaming(server->port());
  waiting.send(internal::kGet);
  stored.wait_for(0);
  streaming.send(internal::kGet);
  stored.wait_for(1)->begin(200, {});
  for (const auto& each : stored.exchanges) each->on_closed([&] { ++closed; });

  server.reset();

  EXPECT_EQ(closed, 2);
  EXPECT_TRUE(waiting.is_closed_by_server());
  EXPECT_TRUE(streaming.is_closed_by_server());
  stored.exchanges[0]->reply({.status = 200, .headers = {}, .body = "late"});
  stored.exchanges[1]->write("late");
}

TEST(HttpServer, ListenErrorNamesAddress) {
  const auto server = serve(echo);
  const auto taken = HttpServer::start({.port = server->port()}, echo);
  const auto nowhere = HttpServer::start({.address = "nowhere"}, echo);

  ASSERT_FALSE(taken.has_value());
  EXPECT_NE(taken.error().message().find(std::to_string(server->port())),
            std::string::npos);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_NE(nowhere.error().message().find("'nowhere'"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::net
