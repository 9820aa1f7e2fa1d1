// The sentence embedder all-MiniLM-L6-v2, run by this library.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/text/bert_encoder.h"
#include "lamarck/text/embedder.h"
#include "lamarck/text/wordpiece_tokenizer.h"

namespace lamarck::text {

class MiniLmEmbedder : public Embedder {
 public:
  static constexpr std::size_t kMaxTokens = 256;  // As the model was trained.

  // Reads model.fp16.safetensors (or model.safetensors), tokenizer.json and
  // config.json, which `lamarck models fetch minilm` puts there. Fails with
  // NotFound if they are missing.
  static Result<std::unique_ptr<MiniLmEmbedder>> open(
      const std::filesystem::path& folder);

  std::string_view id() const override { return "minilm-l6-v2"; }
  std::size_t dimensions() const override { return encoder_.config().hidden; }
  SimilarityThresholds thresholds() const override;
  // Longer texts are cut after kMaxTokens.
  Result<std::vector<std::vector<float>>> embed(
      const std::vector<std::string>& texts,
      const CancelToken& cancel) override;

  const WordPieceTokenizer& tokenizer() const { return tokenizer_; }

 private:
  MiniLmEmbedder(WordPieceTokenizer tokenizer, BertEncoder encoder);

  WordPieceTokenizer tokenizer_;
  BertEncoder encoder_;
};

}  // namespace lamarck::text
