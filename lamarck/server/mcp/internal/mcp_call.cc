#include "lamarck/server/mcp/internal/mcp_call.h"

#include <cmath>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_methods.h"
#include "lamarck/server/mcp/internal/mcp_session.h"

namespace lamarck::mcp {

McpCall::McpCall(McpMessage message, McpEnvelope envelope,
                 std::shared_ptr<McpReplySink> sink,
                 std::shared_ptr<McpSession> session, const CancelToken& parent)
    : message_(std::move(message)),
      envelope_(std::move(envelope)),
      sink_(std::move(sink)),
      session_(std::move(session)),
      cancel_(parent),
      cancel_token_(cancel_.token()) {}

const Json* McpCall::input(std::string_view key) const {
  const auto found = replies_.answers.find(key);
  return found == replies_.answers.end() ? nullptr : found->second.get();
}

bool McpCall::is_withdrawn(std::string_view key) const {
  const auto found = replies_.answers.find(key);
  return found != replies_.answers.end() && found->second == nullptr;
}

bool McpCall::is_pending(std::string_view key) const {
  return replies_.pending.contains(key);
}

const std::string* McpCall::refusal(std::string_view key) const {
  const auto found = replies_.refusals.find(key);
  return found == replies_.refusals.end() ? nullptr : &found->second;
}

std::optional<std::chrono::milliseconds> McpCall::waited(
    std::string_view key) const {
  const auto found = replies_.waited.find(key);
  if (found == replies_.waited.end()) return std::nullopt;
  return found->second;
}

void McpCall::send(std::string message) {
  if (!is_over()) sink_->send(std::move(message));
}

void McpCall::progress(double progress, std::optional<double> total,
                       std::string_view message) {
  if (envelope_.progress_token.empty() || !std::isfinite(progress)) return;
  // The specification requires strictly increasing progress.
  if (last_progress_.has_value() && progress <= *last_progress_) return;
  last_progress_ = progress;
  std::string params = R"({"progressToken":)" + envelope_.progress_token +
                       R"(,"progress":)" + dump_json(Json(progress));
  if (total.has_value() && std::isfinite(*total)) {
    params += R"(,"total":)" + dump_json(Json(*total));
  }
  if (!message.empty()) params += R"(,"message":)" + json_quoted(message);
  send(notification_message("notifications/progress", params + "}"));
}

void McpCall::log(LogLevel level, std::string_view logger, const Json& data) {
  // The session's level may have changed since the call began.
  const auto wanted = envelope_.era == Era::Legacy && session_ != nullptr
                          ? session_->log_level()
                          : envelope_.log_level;
  if (!wanted.has_value() || level < *wanted) return;
  std::string params =
      R"({"level":")" + std::string(log_level_name(level)) + "\"";
  if (!logger.empty()) params += R"(,"logger":)" + json_quoted(logger);
  params += R"(,"data":)" + dump_json(data) + "}";
  send(notification_message("notifications/message", params));
}

void McpCall::close_stream() {
  if (!is_over()) sink_->pause();
}

bool McpCall::end() {
  if (is_over_.exchange(true)) return false;
  if (session_ != nullptr) session_->end(*this);
  return true;
}

void McpCall::settle() {
  if (session_ != nullptr) session_->settle();
}

void McpCall::finish_result(std::string_view result) {
  if (!end()) return;
  sink_->finish(result_message(message_.id, result), 200);
  settle();
}

void McpCall::finish_failure(const Failure& failure, FailureOrigin origin) {
  if (!end()) return;
  sink_->finish(error_message(message_.id, failure),
                http_status(envelope_.era, failure.code, origin));
  settle();
}

void McpCall::cancel_quietly(std::string reason) {
  const bool is_first = end();
  cancel_.cancel(std::move(reason));
  if (!is_first) return;
  sink_->drop();
  settle();
}

void McpCall::cancel_aloud(const std::string& reason) {
  const bool is_first = end();
  cancel_.cancel(reason);
  if (!is_first) return;
  sink_->finish(error_message(message_.id, {kInvalidRequest, reason, ""}), 404);
  settle();
}

}  // namespace lamarck::mcp
