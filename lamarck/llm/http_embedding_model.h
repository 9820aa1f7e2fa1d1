// An embedding model behind an OpenAI-compatible endpoint.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/llm/embedding_model.h"
#include "lamarck/llm/model_endpoint.h"

namespace lamarck::llm {

struct HttpEmbeddingModelOptions {
  std::string model;  // The name used by the server.
  std::optional<ModelPrice> price;
};

// Missing vectors, vectors of different lengths and non-finite values are
// errors.
class HttpEmbeddingModel : public EmbeddingModel {
 public:
  // Fails if the model name is empty.
  static Result<std::unique_ptr<HttpEmbeddingModel>> open(
      HttpEmbeddingModelOptions options,
      std::shared_ptr<ModelEndpoint> endpoint);

  const std::string& name() const override { return options_.model; }
  Result<EmbeddingReply> embed(const std::vector<std::string>& texts,
                               const CancelToken& cancel) override;

 private:
  HttpEmbeddingModel(HttpEmbeddingModelOptions options,
                     std::shared_ptr<ModelEndpoint> endpoint);
  Error failure(const Error& error,
                const std::vector<std::string>& texts) const;

  HttpEmbeddingModelOptions options_;
  std::shared_ptr<ModelEndpoint> endpoint_;
};

}  // namespace lamarck::llm
