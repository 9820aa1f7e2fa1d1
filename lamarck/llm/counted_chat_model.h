// A chat model that counts its calls, to tell afterwards whether it ever
// answered.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "lamarck/llm/chat_model.h"

namespace lamarck::llm {

// Thread safety: all members may be called from any thread.
class CountedChatModel : public ChatModel {
 public:
  // REQUIRES: `model` is not null.
  explicit CountedChatModel(std::shared_ptr<ChatModel> model);

  const std::string& name() const override { return model_->name(); }
  const std::optional<ModelPrice>& price() const override {
    return model_->price();
  }
  Result<ChatReply> complete(const ChatRequest& request,
                             const CancelToken& cancel) override;
  Result<ChatReply> stream(const ChatRequest& request, const OnText& on_text,
                           const CancelToken& cancel) override;

  struct Counts {
    std::int64_t calls = 0;
    std::int64_t answers = 0;
    // Of a call that was not cancelled, or of its last attempt before that.
    std::string last_failure;
  };
  Counts counts() const;
  // An error if the model was asked and never answered. The sentence has the
  // last failure.
  Result<void> check_answered() const;

 private:
  Result<ChatReply> count(Result<ChatReply> reply);

  std::shared_ptr<ChatModel> model_;
  mutable std::mutex mutex_;
  Counts counts_;  // Guarded by mutex_.
};

}  // namespace lamarck::llm
