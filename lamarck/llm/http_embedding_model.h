// An embedding model behind an OpenAI-compatible address.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/llm/embedding_model.h"
#include "lamarck/llm/model_endpoint.h"

namespace lamarck::llm {

struct HttpEmbeddingModelOptions {
  std::string model;  // As the server calls it.
  std::optional<ModelPrice> price;
};

// Vectors that are missing, of different lengths or not finite are errors.
class HttpEmbeddingModel : public EmbeddingModel {
 public:
  // An empty name is an error.
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
