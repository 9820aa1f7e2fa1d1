// An in-process model with fixed answers, for tests.

#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/llm/chat_model.h"

namespace lamarck::llm {

// Returns its answers in order; the last one repeats. Usage is estimated from
// the texts. Thread safety: any member from any thread.
class ScriptedChatModel : public ChatModel {
 public:
  // REQUIRES: `answers` is not empty.
  explicit ScriptedChatModel(std::vector<Result<std::string>> answers,
                             std::optional<ModelPrice> price = std::nullopt);

  const std::string& name() const override { return name_; }
  const std::optional<ModelPrice>& price() const override { return price_; }
  Result<ChatReply> complete(const ChatRequest& request,
                             const CancelToken& cancel) override;
  Result<ChatReply> stream(const ChatRequest& request, const OnText& on_text,
                           const CancelToken& cancel) override;

  std::vector<ChatRequest> requests() const;

 private:
  const std::string name_ = "scripted";
  const std::optional<ModelPrice> price_;
  const std::vector<Result<std::string>> answers_;
  mutable std::mutex mutex_;
  std::vector<ChatRequest> requests_;  // Guarded by mutex_.
};

}  // namespace lamarck::llm
