// The server for the official MCP conformance suite.
//
//   fixture_server --stdio
//   fixture_server --port N     0 = any free port; the first line of the output
//                               is the port

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <fmt/format.h>

#include "lamarck/base/entropy.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/net/http_server.h"
#include "lamarck/server/mcp/mcp_server.h"
#include "tests/mcp/fixture_tools.h"

namespace lamarck::mcp {
namespace {

Result<void> serve_stdio(McpServer& server, const CancelToken& cancel) {
  return server.serve_stdio(0, 1, cancel);
}

Result<void> serve_port(McpServer& server, std::uint16_t port,
                        const CancelToken& cancel) {
  const auto handler = [&](net::HttpRequest request,
                           std::shared_ptr<net::HttpExchange> exchange) {
    if (request.path != "/mcp") {
      return exchange->reply({.status = 404, .headers = {}, .body = ""});
    }
    server.serve_http(std::move(request), std::move(exchange));
  };
  ASSIGN_OR_RETURN(
      const auto http,
      net::HttpServer::start({.port = port}, handler, http_gate({}, "")));
  fmt::print("{}\n", http->port());
  std::fflush(stdout);
  while (!cancel.wait_for(std::chrono::hours(1))) {
  }
  server.stop();
  http->stop(std::chrono::milliseconds(500));
  return {};
}

Result<void> run(std::string_view mode, std::string_view port) {
  SystemClock clock;
  const InterruptScope interrupt;
  const auto itself = std::make_shared<std::atomic<McpServer*>>(nullptr);
  ASSIGN_OR_RETURN(const auto server,
                   McpServer::create(fixture_registry(itself), {}, clock,
                                     Rng(entropy_seed()), nullptr));
  itself->store(server.get());
  if (mode == "--stdio") return serve_stdio(*server, interrupt.token());
  std::uint16_t number = 0;
  const char* const end = port.data() + port.size();
  if (mode != "--port" || port.empty() ||
      std::from_chars(port.data(), end, number).ptr != end) {
    return Error(
        ErrorCode::InvalidArgument,
        "Usage: fixture_server --stdio or fixture_server --port NUMBER.");
  }
  return serve_port(*server, number, interrupt.token());
}

}  // namespace
}  // namespace lamarck::mcp

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const std::string_view port = argc > 2 ? argv[2] : "";
  const auto result = lamarck::mcp::run(mode, port);
  if (result.has_value()) return 0;
  fmt::print(stderr, "fixture_server: {}\n", result.error().message());
  return 2;
}
