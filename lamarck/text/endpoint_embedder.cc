#include "lamarck/text/endpoint_embedder.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kBatch = 256;  // Servers limit the texts of one call.

bool is_blank_text(const std::string& text) {
  return std::ranges::all_of(text, ascii::is_space);
}

Error wrong_size(const std::string& model, std::size_t got,
                 std::size_t expected) {
  return Error(ErrorCode::Unavailable,
               "The model '" + model + "' must return vectors with " +
                   std::to_string(expected) + " dimensions, got " +
                   std::to_string(got) + "; has the server changed its model?");
}

}  // namespace

EndpointEmbedder::EndpointEmbedder(std::shared_ptr<llm::EmbeddingModel> model,
                                   SimilarityThresholds thresholds,
                                   std::size_t dimensions)
    : model_(std::move(model)),
      thresholds_(thresholds),
      dimensions_(dimensions),
      id_("endpoint:" + model_->name()) {}

Result<std::unique_ptr<EndpointEmbedder>> EndpointEmbedder::open(
    std::shared_ptr<llm::EmbeddingModel> model,
    std::optional<SimilarityThresholds> thresholds, const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const llm::EmbeddingReply reply,
                   model->embed({"dimensions"}, cancel));
  const std::size_t dimensions =
      reply.vectors.empty() ? 0 : reply.vectors.front().size();
  if (dimensions == 0) {
    return Error(ErrorCode::Unavailable,
                 "The model '" + model->name() + "' returned an empty vector.");
  }
  return std::unique_ptr<EndpointEmbedder>(new EndpointEmbedder(
      std::move(model), thresholds.value_or(SimilarityThresholds{}),
      dimensions));
}

Result<std::vector<std::vector<float>>> EndpointEmbedder::embed(
    const std::vector<std::string>& texts, const CancelToken& cancel) {
  std::vector<std::vector<float>> vectors(texts.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (is_blank_text(texts[i])) {
      vectors[i].assign(dimensions_, 0.0f);
    } else {
      places.push_back(i);
    }
  }
  for (std::size_t begin = 0; begin < places.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, places.size());
    std::vector<std::string> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back(texts[places[i]]);
    ASSIGN_OR_RETURN(llm::EmbeddingReply reply, model_->embed(batch, cancel));
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<float>& vector = reply.vectors.at(i - begin);
      if (vector.size() != dimensions_) {
        return wrong_size(model_->name(), vector.size(), dimensions_);
      }
      make_unit_length(vector);
      vectors[places[i]] = std::move(vector);
    }
  }
  return vectors;
}

}  // namespace lamarck::text
