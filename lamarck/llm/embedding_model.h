// A model that turns texts into vectors.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/model_endpoint.h"
#include "lamarck/llm/token_usage.h"

namespace lamarck::llm {

struct EmbeddingReply {
  std::vector<std::vector<float>> vectors;  // One per text; finite.
  TokenUsage usage;
  std::optional<std::int64_t> money_micros;
  int attempts = 1;
};

// Thread safety: all members may be called from any thread.
class EmbeddingModel {
 public:
  virtual ~EmbeddingModel() = default;

  virtual const std::string& name() const = 0;
  // Errors report their cost as those of a ChatModel do. REQUIRES: `texts` is
  // not empty.
  virtual Result<EmbeddingReply> embed(const std::vector<std::string>& texts,
                                       const CancelToken& cancel) = 0;
};

}  // namespace lamarck::llm
