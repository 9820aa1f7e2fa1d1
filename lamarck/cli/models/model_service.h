// Serves models of this program with the OpenAI-compatible protocol.

#pragma once

#include <memory>
#include <string_view>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/net/http_server.h"
#include "lamarck/text/embedder.h"

namespace lamarck::cli {

// What is served; at least one of them.
struct ServedModels {
  std::shared_ptr<text::Embedder> embedder = nullptr;
  std::shared_ptr<llm::ChatModel> chat = nullptr;

  // The name under which clients ask for it.
  std::string_view id() const {
    return chat != nullptr ? chat->name() : embedder->id();
  }
};

// Answers GET /v1/models, and POST /v1/embeddings or POST /v1/chat/completions
// if there is such a model; errors have OpenAI's form. One thread computes, so
// that requests are answered in their order; beyond 64 waiting ones new ones
// get status 503. Thread safety: `serve` may be called from any thread.
class ModelService {
 public:
  // `clock` must outlive the service.
  ModelService(ServedModels models, const Clock& clock);
  ~ModelService();  // Requests that wait get status 503.

  void serve(net::HttpRequest request,
             const std::shared_ptr<net::HttpExchange>& exchange);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The reply to one request, without the queue.
net::HttpReply answer_model_request(const net::HttpRequest& request,
                                    const ServedModels& models,
                                    const Clock& clock,
                                    const CancelToken& cancel);

}  // namespace lamarck::cli
