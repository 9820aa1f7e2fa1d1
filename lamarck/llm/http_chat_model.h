// A model behind an OpenAI-compatible address.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "lamarck/llm/chat_model.h"
#include "lamarck/llm/model_endpoint.h"

namespace lamarck::llm {

struct HttpChatModelOptions {
  std::string model;  // As the server calls it.
  std::optional<ModelPrice> price;
};

// Answers that are not what the protocol promises are errors of code
// Unavailable; so is an answer without text.
class HttpChatModel : public ChatModel {
 public:
  // An empty name is an error.
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

  // The server refused `max_tokens` and knows another name for it.
  std::atomic<bool> uses_new_limit_name_ = false;
};

}  // namespace lamarck::llm
