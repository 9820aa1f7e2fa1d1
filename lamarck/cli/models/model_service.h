// Serves an embedder with the OpenAI-compatible protocol.

#pragma once

#include <memory>

#include "lamarck/base/cancel_token.h"
#include "lamarck/net/http_server.h"
#include "lamarck/text/embedder.h"

namespace lamarck::cli {

// Answers GET /v1/models and POST /v1/embeddings; errors have OpenAI's form.
// One thread computes, so that requests are answered in their order; beyond 64
// waiting ones new ones get status 503.
// Thread safety: `serve` may be called from any thread.
class ModelService {
 public:
  explicit ModelService(std::shared_ptr<text::Embedder> embedder);
  ~ModelService();  // Requests that wait get status 503.

  void serve(net::HttpRequest request,
             const std::shared_ptr<net::HttpExchange>& exchange);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The reply to one request, without the queue.
net::HttpReply answer_model_request(const net::HttpRequest& request,
                                    text::Embedder& embedder,
                                    const CancelToken& cancel);

}  // namespace lamarck::cli
