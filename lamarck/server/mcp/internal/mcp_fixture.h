// An in-memory client for tests of the server.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {

inline const Json kNone = Json::object();

// Records the reply. Thread safety: any member from any thread.
class FakeExchange final : public net::HttpExchange {
 public:
  void reply(net::HttpReply reply) override;
  void begin(int status, net::HttpHeaders headers) override;
  void write(std::string piece) override;
  void end() override;
  void abort() override;
  void on_closed(std::function<void()> closed) override;

  // Simulates a client that disconnects.
  void go_away();

  // Both wait for a few seconds at most.
  bool wait_for_end() const;
  bool wait_for_text(std::string_view text) const;

  int status() const;
  std::string header(std::string_view name) const;
  std::string body() const;
  bool is_over() const;
  // The messages in the body, which is JSON or an event stream.
  std::vector<Json> messages() const;

 private:
  void wait(const std::function<bool()>& condition) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Guarded by mutex_.
  net::HttpReply answer_;
  bool has_begun_ = false;
  bool is_over_ = false;
  bool is_gone_ = false;
  std::function<void()> closed_;
};

// Tools, resources and prompts of every kind.
Registry example_registry();

// {"jsonrpc", "id", "method", "params"} with the envelope of a modern request.
Json modern_request(int id, std::string_view method, Json params,
                    Json capabilities);
Json legacy_request(int id, std::string_view method, Json params);

class McpFixture {
 public:
  explicit McpFixture(McpOptions options = {},
                      store::Journal* journal = nullptr,
                      std::uint64_t seed = 1);
  ~McpFixture();

  using Exchange = std::shared_ptr<FakeExchange>;

  McpServer& server() { return *server_; }
  ManualClock& clock() { return clock_; }

  // Sends the next requests from this address and connection.
  void set_peer(std::string address, std::uint64_t connection);
  // Sends them with a token that was checked; "" = without one.
  void set_identity(std::string identity) { identity_ = std::move(identity); }
  // Sends any request, with the JSON headers added.
  Exchange send(std::string method, std::string body,
                net::HttpHeaders headers = {});
  // Sends a modern request with the required headers; does not wait.
  Exchange post_modern(std::string_view method, Json params, Json capabilities);
  // Waits and returns the last message.
  Json modern(std::string_view method, Json params, Json capabilities);
  Json modern(std::string_view method, Json params);

  // Both return the id of the session.
  std::string initialize(std::string_view version);
  std::string initialize(std::string_view version, Json capabilities);
  Exchange post_legacy(const std::string& session, const Json& message);
  Json legacy(const std::string& session, std::string_view method, Json params);

 private:
  ManualClock clock_;
  std::unique_ptr<McpServer> server_;
  int next_id_ = 1;
  std::string address_;
  std::string identity_;
  std::uint64_t connection_ = 0;
};

}  // namespace lamarck::mcp
