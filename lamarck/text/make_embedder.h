// Chooses an embedder by its name.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/llm/embedding_model.h"
#include "lamarck/text/embedder.h"

namespace lamarck::text {

struct EmbedderSettings {
  std::string name = "lexical";
  std::filesystem::path model_folder;  // For "minilm".
  // For "endpoint".
  std::shared_ptr<llm::EmbeddingModel> model;
  std::optional<SimilarityThresholds> thresholds;
};

// Fails for an unknown name and if what the embedder needs is missing.
Result<std::shared_ptr<Embedder>> make_embedder(
    const EmbedderSettings& settings, const CancelToken& cancel = {});

struct EmbedderInfo {
  std::string_view name;
  std::string_view summary;
};
std::vector<EmbedderInfo> known_embedders();

}  // namespace lamarck::text
