// The embeddings of the OpenAI-compatible protocol in JSON.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/llm/token_usage.h"

namespace lamarck::llm::internal {

std::string embedding_body(const std::vector<std::string>& texts,
                           const std::string& model);

struct WireVectors {
  std::vector<std::vector<float>> vectors;  // In the order of the texts.
  std::optional<TokenUsage> usage;
};

// `count` is the number of texts that were sent. REQUIRES: count > 0.
Result<WireVectors> parse_embedding_reply(std::string_view body,
                                          std::size_t count);

}  // namespace lamarck::llm::internal
