#include "lamarck/server/mcp/internal/mcp_call.h"

#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_session.h"

namespace lamarck::mcp {
namespace {

using std::chrono_literals::operator""ms;

// Checks whether the session is idle while a reply is being sent.
class WatchingSink final : public McpReplySink {
 public:
  explicit WatchingSink(const McpSession& session) : session_(session) {}

  void send(std::string /*message*/) override {}
  void finish(std::string /*message*/, int /*status*/) override { check(); }
  void drop() override { check(); }

  bool was_called() const { return was_called_; }
  bool was_idle() const { return was_idle_; }

 private:
  void check() {
    was_called_ = true;
    was_idle_ = session_.wait_idle(0ms);
  }

  const McpSession& session_;
  bool was_called_ = false;
  bool was_idle_ = false;
};

// A transport closes the connection once the session is idle, so the session
// must stay busy until the reply is written.
void expect_busy_until_replied(const std::function<void(McpCall&)>& finish) {
  const auto session =
      std::make_shared<McpSession>("", [](const std::string&) {});
  const auto sink = std::make_shared<WatchingSink>(*session);
  McpMessage message;
  message.id = "1";
  const auto call = std::make_shared<McpCall>(std::move(message), McpEnvelope{},
                                              sink, session, CancelToken());
  ASSERT_TRUE(session->begin(call));
  EXPECT_FALSE(session->wait_idle(0ms));

  finish(*call);

  EXPECT_TRUE(sink->was_called());
  EXPECT_FALSE(sink->was_idle());
  EXPECT_TRUE(session->wait_idle(0ms));
}

TEST(McpCall, SessionIsBusyUntilReplyIsWritten) {
  expect_busy_until_replied([](McpCall& call) { call.finish_result("{}"); });
  expect_busy_until_replied([](McpCall& call) {
    call.finish_failure({-32603, "It broke.", ""});
    call.finish_result("{}");
  });
  expect_busy_until_replied(
      [](McpCall& call) { call.cancel_quietly("Nobody waits."); });
}

}  // namespace
}  // namespace lamarck::mcp
