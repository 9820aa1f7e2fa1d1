#include "lamarck/llm/scripted_chat_model_fixture.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::llm {

ScriptedChatModel::ScriptedChatModel(std::vector<Result<std::string>> answers,
                                     std::optional<ModelPrice> price)
    : price_(price), answers_(std::move(answers)) {
  REQUIRE(!answers_.empty(), "ScriptedChatModel: answers must not be empty.");
}

Result<ChatReply> ScriptedChatModel::complete(const ChatRequest& request,
                                              const CancelToken& cancel) {
  RETURN_IF_ERROR(cancel.check());
  std::size_t turn = 0;
  {
    const std::lock_guard lock(mutex_);
    turn = requests_.size();
    requests_.push_back(request);
  }
  const auto& answer = answers_[std::min(turn, answers_.size() - 1)];
  if (!answer) return answer.error();
  TokenUsage usage = max_usage(request);
  usage.tokens_out = estimated_tokens(*answer);
  ChatReply reply{
      .text = *answer, .usage = usage, .money_micros = std::nullopt};
  if (price_) reply.money_micros = money_micros(usage, *price_);
  return reply;
}

Result<ChatReply> ScriptedChatModel::stream(const ChatRequest& request,
                                            const OnText& on_text,
                                            const CancelToken& cancel) {
  auto reply = complete(request, cancel);
  if (reply) on_text(reply->text);
  return reply;
}

std::vector<ChatRequest> ScriptedChatModel::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

}  // namespace lamarck::llm
