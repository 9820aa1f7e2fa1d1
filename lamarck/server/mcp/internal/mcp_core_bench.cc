// Measures the overhead of the core for a quick tool.

#include "lamarck/server/mcp/internal/mcp_core.h"

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {
namespace {

class CountingExchange final : public net::HttpExchange {
 public:
  void reply(net::HttpReply reply) override { bytes += reply.body.size(); }
  void begin(int, net::HttpHeaders) override {}
  void write(std::string piece) override { bytes += piece.size(); }
  void end() override {}
  void abort() override {}
  void on_closed(std::function<void()>) override {}

  std::size_t bytes = 0;
};

Registry quick_registry() {
  Registry registry;
  registry.server_version = "1";
  Tool tool;
  tool.name = "echo";
  tool.input_schema =
      R"({"type":"object","properties":{"text":{"type":"string"}},)"
      R"("required":["text"],"additionalProperties":false})";
  tool.is_nonblocking = true;
  tool.call = [](CallContext&, const Json& arguments) {
    return tool_result(arguments);
  };
  registry.tools.push_back(std::move(tool));
  return registry;
}

void call_over_http(benchmark::State& state, const std::string& method,
                    const Json& params) {
  SystemClock clock;
  const auto server =
      McpServer::create(quick_registry(), {}, clock, Rng(1), nullptr).value();
  Json body = {
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
  body["params"]["_meta"] = {
      {"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
      {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  net::HttpRequest request;
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"},
                     {"Accept", "application/json, text/event-stream"},
                     {"MCP-Protocol-Version", "2026-07-28"},
                     {"Mcp-Method", method},
                     {"Mcp-Name", "echo"}};
  request.body = dump_json(body);
  const auto exchange = std::make_shared<CountingExchange>();
  for (auto _ : state) server->serve_http(request, exchange);
  state.counters["bytes"] = benchmark::Counter(
      static_cast<double>(exchange->bytes), benchmark::Counter::kAvgIterations);
}

void BM_ModernQuickTool(benchmark::State& state) {
  call_over_http(
      state, "tools/call",
      {{"name", "echo"}, {"arguments", {{"text", std::string(380, 'x')}}}});
}
BENCHMARK(BM_ModernQuickTool);

void BM_ModernToolsList(benchmark::State& state) {
  call_over_http(state, "tools/list", Json::object());
}
BENCHMARK(BM_ModernToolsList);

}  // namespace
}  // namespace lamarck::mcp
