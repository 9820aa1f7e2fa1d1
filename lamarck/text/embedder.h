// Turns texts into vectors whose inner product measures how alike they are.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"

namespace lamarck::text {

// Cosines that were measured for one embedder; another one has others.
struct SimilarityThresholds {
  double duplicate = 0.85;  // Above it two descriptions may mean the same.
  double fits = 0.5;        // Below it a skill does not fit a task.
};

// Thread safety: all members may be called from any thread.
class Embedder {
 public:
  virtual ~Embedder() = default;

  // Names the model and its version, such as "lexical-1". Vectors of different
  // embedders must not be compared.
  virtual std::string_view id() const = 0;
  virtual std::size_t dimensions() const = 0;
  virtual SimilarityThresholds thresholds() const = 0;

  // One vector of length 1 per text. A text without words yields zeros.
  virtual Result<std::vector<std::vector<float>>> embed(
      const std::vector<std::string>& texts, const CancelToken& cancel) = 0;
};

}  // namespace lamarck::text
