// An embedder behind an OpenAI-compatible endpoint.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/llm/embedding_model.h"
#include "lamarck/text/embedder.h"

namespace lamarck::text {

class EndpointEmbedder : public Embedder {
 public:
  // Embeds one word to learn the number of dimensions. Without `thresholds` it
  // uses those of the Embedder's defaults, which suit common models.
  static Result<std::unique_ptr<EndpointEmbedder>> open(
      std::shared_ptr<llm::EmbeddingModel> model,
      std::optional<SimilarityThresholds> thresholds,
      const CancelToken& cancel);

  // "endpoint:" and the name of the model.
  std::string_view id() const override { return id_; }
  std::size_t dimensions() const override { return dimensions_; }
  SimilarityThresholds thresholds() const override { return thresholds_; }
  // Sends blank texts to nobody, and the others in batches.
  Result<std::vector<std::vector<float>>> embed(
      const std::vector<std::string>& texts,
      const CancelToken& cancel) override;

 private:
  EndpointEmbedder(std::shared_ptr<llm::EmbeddingModel> model,
                   SimilarityThresholds thresholds, std::size_t dimensions);

  std::shared_ptr<llm::EmbeddingModel> model_;
  SimilarityThresholds thresholds_;
  std::size_t dimensions_;
  std::string id_;
};

}  // namespace lamarck::text
