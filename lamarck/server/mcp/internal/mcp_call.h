// One active request.

#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/internal/mcp_envelope.h"
#include "lamarck/server/mcp/internal/mcp_message.h"
#include "lamarck/server/mcp/internal/mcp_reply_sink.h"
#include "lamarck/server/mcp/internal/mcp_status.h"

namespace lamarck::mcp {

class McpSession;

// Null = the request to the client was withdrawn.
using InputAnswers =
    std::map<std::string, std::shared_ptr<const Json>, std::less<>>;

// What became of the requests to the client in one round.
struct InputReplies {
  InputAnswers answers;
  std::map<std::string, std::string, std::less<>> refusals;  // The reasons.
  std::set<std::string, std::less<>> pending;
  std::vector<std::string> arrived;  // In this order.
  std::map<std::string, std::chrono::milliseconds, std::less<>> waited;
};

// Thread safety: as for CallContext; `cancel_quietly`, `is_over` and the
// queries may be called from any thread.
class McpCall final : public CallContext {
 public:
  // `session` is null for a modern call over HTTP.
  McpCall(McpMessage message, McpEnvelope envelope,
          std::shared_ptr<McpReplySink> sink,
          std::shared_ptr<McpSession> session, const CancelToken& parent);

  Era era() const override { return envelope_.era; }
  const std::string& version() const override { return envelope_.version; }
  const std::string& principal() const override { return principal_; }
  const ClientCapabilities& client() const override { return envelope_.client; }
  const CancelToken& cancel() const override { return cancel_token_; }
  const Json* input(std::string_view key) const override;
  bool is_withdrawn(std::string_view key) const override;
  bool is_pending(std::string_view key) const override;
  const std::string* refusal(std::string_view key) const override;
  std::vector<std::string> arrived() const override { return replies_.arrived; }
  std::optional<std::chrono::milliseconds> waited(
      std::string_view key) const override;
  const std::string& state() const override { return state_; }
  void progress(double progress, std::optional<double> total,
                std::string_view message) override;
  void log(LogLevel level, std::string_view logger, const Json& data) override;
  void close_stream() override;

  const McpMessage& message() const { return message_; }
  const McpEnvelope& envelope() const { return envelope_; }
  const std::shared_ptr<McpSession>& session() const { return session_; }

  void set_answers(InputAnswers answers) {
    replies_ = {.answers = std::move(answers)};
  }
  void set_replies(InputReplies replies) { replies_ = std::move(replies); }
  void set_state(std::string state) { state_ = std::move(state); }

  // Sends a message before the reply; ignored once the call is over.
  void send(std::string message);

  // The first of these ends the call; later ones have no effect.
  void finish_result(std::string_view result);
  void finish_failure(const Failure& failure,
                      FailureOrigin origin = FailureOrigin::Request);
  // Cancels without a reply, because nobody waits for it.
  void cancel_quietly(std::string reason);
  // Cancels with an error reply that gives the reason: the session has ended.
  void cancel_aloud(const std::string& reason);
  bool is_over() const { return is_over_.load(); }
  bool may_block() const { return sink_->may_block(); }

 private:
  bool end();     // Returns whether it was the first call.
  void settle();  // After the first end(), once the sink has the reply.

  // Set at construction.
  const McpMessage message_;
  const McpEnvelope envelope_;
  const std::string principal_;
  const std::shared_ptr<McpReplySink> sink_;
  const std::shared_ptr<McpSession> session_;
  CancelSource cancel_;
  const CancelToken cancel_token_;

  std::atomic<bool> is_over_ = false;

  // Owned by the thread that runs the handler.
  InputReplies replies_;
  std::string state_;
  std::optional<double> last_progress_;
};

}  // namespace lamarck::mcp
