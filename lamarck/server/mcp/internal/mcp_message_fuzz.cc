// Bytes as one message, over HTTP and over a line, in both eras.
//
//   cmake --preset asan -DCMAKE_CXX_COMPILER=clang++
//     -DLAMARCK_SANITIZE=address,undefined,fuzzer-no-link
//   cmake --build --preset asan --target lamarck
//   clang++ -std=c++20 -g -O1 -I. -fsanitize=address,undefined,fuzzer
//     lamarck/server/mcp/internal/mcp_message_fuzz.cc
//     build/asan/liblamarck.a -lcrypto -lsqlite3 -lre2 -o mcp_message_fuzz
//   ./mcp_message_fuzz -max_total_time=600
//
// The first byte chooses the headers.

#include "lamarck/server/mcp/internal/mcp_message.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {
namespace {

class SilentExchange final : public net::HttpExchange {
 public:
  void reply(net::HttpReply reply) override {
    const auto found = reply.headers.find("Mcp-Session-Id");
    if (found != reply.headers.end()) session = found->second;
  }
  void begin(int, net::HttpHeaders) override {}
  void write(std::string) override {}
  void end() override {}
  void abort() override {}
  void on_closed(std::function<void()> closed) override { closed(); }

  std::string session;
};

Registry small_registry() {
  Registry registry;
  registry.server_version = "1";
  Tool tool;
  tool.name = "t";
  tool.input_schema = R"({"type":"object","properties":{"a":{"type":"integer",)"
                      R"("x-mcp-header":"A"},"b":{"type":"array"}}})";
  tool.is_quick = true;
  tool.call = [](CallContext& context, const Json& arguments) -> Outcome {
    if (context.input("k") != nullptr) return tool_result(arguments);
    return InputRequired{{{"k", {"roots/list", ""}}}, "s"};
  };
  registry.tools.push_back(std::move(tool));
  return registry;
}

class Target {
 public:
  Target() : session_(send(kInitialize, {})->session) {}

  void try_bytes(std::uint8_t kind, std::string body) {
    net::HttpHeaders headers;
    if ((kind & 1) != 0) headers.emplace("Mcp-Session-Id", session_);
    if ((kind & 2) != 0) headers.emplace("MCP-Protocol-Version", "2026-07-28");
    if ((kind & 4) != 0) headers.emplace("Mcp-Method", "tools/call");
    if ((kind & 8) != 0) headers.emplace("Mcp-Name", "t");
    if ((kind & 16) != 0) headers.emplace("Mcp-Param-A", "1");
    send(std::move(body), std::move(headers));
  }

 private:
  static constexpr const char* kInitialize =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize",)"
      R"("params":{"protocolVersion":"2025-03-26"}})";

  std::shared_ptr<SilentExchange> send(std::string body,
                                       net::HttpHeaders headers) {
    net::HttpRequest request;
    request.method = "POST";
    request.headers = std::move(headers);
    request.headers.emplace("Content-Type", "application/json");
    request.body = std::move(body);
    auto exchange = std::make_shared<SilentExchange>();
    server_->serve_http(std::move(request), exchange);
    return exchange;
  }

  ManualClock clock_;
  std::unique_ptr<McpServer> server_ =
      McpServer::create(small_registry(), {.workers = 1, .max_sessions = 8},
                        clock_, Rng(1), nullptr)
          .value();
  std::string session_;
};

}  // namespace
}  // namespace lamarck::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static lamarck::mcp::Target target;
  if (size == 0) return 0;
  target.try_bytes(
      data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
