// An embedder that needs no model: it hashes words and parts of words. It finds
// texts that share words and word stems, not synonyms.

#pragma once

#include <string>
#include <vector>

#include "lamarck/text/embedder.h"

namespace lamarck::text {

class LexicalEmbedder : public Embedder {
 public:
  static constexpr std::size_t kDimensions = 512;

  std::string_view id() const override { return "lexical-1"; }
  std::size_t dimensions() const override { return kDimensions; }
  SimilarityThresholds thresholds() const override;

  // Never fails unless `cancel` is set.
  Result<std::vector<std::vector<float>>> embed(
      const std::vector<std::string>& texts,
      const CancelToken& cancel) override;
};

// The stems that the embedder compares: lower case, without accents, stop words
// and common English endings. "The reading_files" gives "read" and "fil".
// Ideographs, kana and Hangul give an entry per character and per pair.
std::vector<std::string> lexical_words(std::string_view text);

}  // namespace lamarck::text
