// The requests that a legacy call has open at its client.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lamarck/base/clock.h"
#include "lamarck/server/mcp/internal/mcp_call.h"
#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

// Why a request is withdrawn that nobody needs any more.
inline constexpr const char* kNotNeeded = "The answer is no longer needed.";

// Belongs to the thread that drives the call. REQUIRES: the call has a session.
class McpQuestions {
 public:
  // Both must outlive this.
  McpQuestions(McpCall& call, const Clock& clock)
      : call_(call), clock_(clock) {}

  // Sends the requests that are not open yet, withdraws those that are no
  // longer asked for, and waits as InputRequired says. If the client rejects a
  // request that does not survive it, `rejection` says so.
  struct Round {
    InputReplies replies;
    std::optional<std::string> rejection;
  };
  Round ask(const InputRequired& required);

  void withdraw_all(const std::string& reason);

 private:
  struct Open {
    std::int64_t id = 0;
    std::chrono::nanoseconds sent{0};
    std::string method;
  };

  void send_new(const InputRequired& required);
  void take_arrived(const InputRequired& required, Round& round);
  void take(const std::string& key, const std::shared_ptr<const Json>& response,
            const InputRequired& required, Round& round);
  // Gives up requests that are not wanted any more or took too long.
  void give_up(const InputRequired& required, Round& round);

  McpCall& call_;
  const Clock& clock_;
  std::map<std::string, Open> open_;  // By key.
};

// Returns whether nobody waits for the result of the call any more.
bool is_abandoned(const McpCall& call);

}  // namespace lamarck::mcp
