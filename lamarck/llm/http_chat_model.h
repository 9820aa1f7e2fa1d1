// A chat model behind an OpenAI-compatible endpoint.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "lamarck/llm/chat_model.h"
#include "lamarck/llm/model_endpoint.h"

namespace lamarck::llm {

struct HttpChatModelOptions {
  std::string model;  // The name used by the server.
  std::optional<ModelPrice> price;
};

// Answers that violate the protocol, and answers without text, are errors with
// the code Unavailable.
class HttpChatModel : public ChatModel {
 public:
  // Fails if the model name is empty.
  static Result<std::unique_ptr<HttpChatModel>> open(
      HttpChatModelOptions options, std::shared_ptr<ModelEndpoint> endpoint);

  const std::string& name() const override { return options_.model; }
  const std::optional<ModelPrice>& price() const override {
    return options_.price;
  }
  Result<ChatReply> complete(const ChatRequest& request,
                             const CancelToken& cancel) override;
  Result<ChatReply> stream(const ChatRequest& request, const OnText& on_text,
                           const CancelToken& cancel) override;

 private:
  struct Answer;
  HttpChatModel(HttpChatModelOptions options,
                std::shared_ptr<ModelEndpoint> endpoint);
  EndpointReply post(const ChatRequest& request, Answer& answer,
                     const CancelToken& cancel);
  Result<ChatReply> finish(const ChatRequest& request, Answer& answer,
                           const EndpointReply& reply) const;

  // Set at construction.
  HttpChatModelOptions options_;
  std::shared_ptr<ModelEndpoint> endpoint_;

  // The server rejected `max_tokens` in favor of `max_completion_tokens`.
  std::atomic<bool> uses_new_limit_name_ = false;
};

}  // namespace lamarck::llm
