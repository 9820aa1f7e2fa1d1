#include "lamarck/net/http_server.h"

#include <benchmark/benchmark.h>

#include <string>

#include "lamarck/net/internal/http_request_parser.h"
#include "lamarck/net/internal/raw_http_client_fixture.h"

namespace lamarck::net {
namespace {

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// A client that waits for each reply; every benchmark thread is one client.
void BM_HttpServerRoundTrip(benchmark::State& state) {
  static const auto server =
      HttpServer::start({}, [](const HttpRequest&, const auto& exchange) {
        exchange->reply({.status = 200, .headers = {}, .body = "done!"});
      });
  internal::RawHttpClient client((*server)->port());
  for (auto _ : state) {
    client.send(kGet);
    benchmark::DoNotOptimize(client.read_until("done!"));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HttpServerRoundTrip)->Threads(1)->Threads(16)->UseRealTime();

void BM_HttpRequestParse(benchmark::State& state) {
  const std::string request =
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"
      "Content-Type: application/json\r\n"
      "Accept: application/json, text/event-stream\r\n"
      "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
      "Content-Length: 200\r\n\r\n" +
      std::string(200, 'x');
  internal::HttpRequestParser parser({});
  for (auto _ : state) {
    const std::size_t used = parser.feed(request);
    parser.feed(std::string_view(request).substr(used));
    benchmark::DoNotOptimize(parser.request().body.data());
    parser.reset();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HttpRequestParse);

}  // namespace
}  // namespace lamarck::net
