#include "lamarck/llm/counted_chat_model.h"

#include <fmt/format.h>

#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck::llm {

CountedChatModel::CountedChatModel(std::shared_ptr<ChatModel> model)
    : model_(std::move(model)) {
  REQUIRE(model_ != nullptr, "CountedChatModel: model must not be null.");
}

Result<ChatReply> CountedChatModel::complete(const ChatRequest& request,
                                             const CancelToken& cancel) {
  return count(model_->complete(request, cancel));
}

Result<ChatReply> CountedChatModel::stream(const ChatRequest& request,
                                           const OnText& on_text,
                                           const CancelToken& cancel) {
  return count(model_->stream(request, on_text, cancel));
}

Result<ChatReply> CountedChatModel::count(Result<ChatReply> reply) {
  const std::lock_guard lock(mutex_);
  ++counts_.calls;
  if (reply) {
    ++counts_.answers;
  } else if (reply.error().code() != ErrorCode::Cancelled) {
    counts_.last_failure = reply.error().message();
  } else if (const auto& fields = reply.error().fields();
             fields.contains("last_failure")) {
    counts_.last_failure = fields.at("last_failure");
  }
  return reply;
}

CountedChatModel::Counts CountedChatModel::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Result<void> CountedChatModel::check_answered() const {
  const Counts done = counts();
  if (done.calls == 0 || done.answers > 0) return {};
  return Error(
      ErrorCode::Unavailable,
      fmt::format("The model {} never answered: {}", name(),
                  done.last_failure.empty()
                      ? "the run ended before its first answer; use a larger "
                        "--budget or check the server."
                      : done.last_failure));
}

}  // namespace lamarck::llm
