// Fuzzes messages over HTTP, in both eras, and lines over stdio with libFuzzer
// (`make fuzz`). The first byte selects the headers and the transport.

#include "lamarck/server/mcp/internal/mcp_message.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {
namespace {

// A client that waits for its reply for a short time.
class ShortExchange final : public net::HttpExchange {
 public:
  void reply(net::HttpReply reply) override {
    const std::lock_guard lock(mutex_);
    const auto found = reply.headers.find("Mcp-Session-Id");
    if (found != reply.headers.end()) session_ = found->second;
    is_over_ = true;
    over_.notify_all();
  }
  void begin(int, net::HttpHeaders) override {}
  void write(std::string) override {}
  void end() override { reply({}); }
  void abort() override { reply({}); }
  void on_closed(std::function<void()> closed) override {
    const std::lock_guard lock(mutex_);
    closed_ = std::move(closed);
  }

  // Returns the id of the new session, if any.
  std::string finish() {
    std::unique_lock lock(mutex_);
    over_.wait_for(lock, std::chrono::milliseconds(20),
                   [this] { return is_over_; });
    const auto closed = is_over_ ? nullptr : std::exchange(closed_, nullptr);
    lock.unlock();
    if (closed) closed();
    return session_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  std::string session_;
  bool is_over_ = false;
  std::function<void()> closed_;
};

Tool small_tool() {
  Tool tool;
  tool.name = "t";
  tool.input_schema = R"({"type":"object","properties":{"a":{"type":"integer",)"
                      R"("x-mcp-header":"A"},"b":{"type":"array"}}})";
  tool.is_nonblocking = true;
  tool.call = [](CallContext& context, const Json& arguments) -> Outcome {
    const bool is_asking = arguments.contains("b");
    if (!is_asking || context.input("k") != nullptr) {
      return tool_result(arguments);
    }
    return InputRequired{{{"k", {"roots/list", ""}}}, "s"};
  };
  return tool;
}

Registry small_registry() {
  Registry registry;
  registry.server_version = "1";
  registry.tools = {small_tool()};
  registry.templates = {{.uri_template = "a://{id}/b",
                         .name = "a",
                         .read =
                             [](CallContext&, const auto& values) {
                               return Result<ResourceText>(
                                   {.text = values.at("id")});
                             },
                         .list = nullptr}};
  registry.prompts = {{.name = "p",
                       .arguments = {{.name = "x", .required = true}},
                       .render = [](CallContext&, const auto&) -> Outcome {
                         return Complete{R"({"messages":[]})"};
                       }}};
  registry.completers = {
      {.of = "p", .argument = "x", .complete = [](auto value, const auto&) {
         return std::vector<std::string>{std::string(value) + "y"};
       }}};
  return registry;
}

class Target {
 public:
  Target() : session_(send(kInitialize, {})) {}

  void try_bytes(std::uint8_t kind, std::string body) {
    if ((kind & 32) != 0) return send_lines((kind & 1) != 0, body);
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

  std::string send(std::string body, net::HttpHeaders headers) {
    net::HttpRequest request;
    request.method = "POST";
    request.headers = std::move(headers);
    request.headers.emplace("Content-Type", "application/json");
    request.headers.emplace("Accept", "application/json, text/event-stream");
    request.body = std::move(body);
    const auto exchange = std::make_shared<ShortExchange>();
    server_->serve_http(std::move(request), exchange);
    return exchange->finish();
  }

  // Drops what does not fit into a pipe.
  void send_lines(bool is_initialized, const std::string& body) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_NONBLOCK) != 0) return;
    const std::string lines =
        (is_initialized ? std::string(kInitialize) + "\n" : "") + body;
    (void)!write(pipe_ends[1], lines.data(), lines.size());
    close(pipe_ends[1]);
    (void)server_->serve_stdio(pipe_ends[0], nowhere_, {}).has_value();
    close(pipe_ends[0]);
  }

  const int nowhere_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
  ManualClock clock_;
  std::unique_ptr<McpServer> server_ =
      McpServer::create(small_registry(), {.workers = 1, .max_sessions = 8},
                        clock_, Rng(1), nullptr)
          .value();
  std::string session_;
};

}  // namespace
}  // namespace lamarck::mcp

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static lamarck::mcp::Target target;
  if (size == 0) return 0;
  target.try_bytes(
      data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
