// Scores a function on a fixed set of inputs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/skeleton.h"
#include "lamarck/base/cancel_token.h"

namespace lamarck::archipelago {

// Contains either finite scores or a failure, never both.
struct Evaluation {
  std::vector<double> scores;  // One per input; higher is better.
  // Why there are no scores, such as "timed out after 10 s".
  std::optional<std::string> failure;
  // The fitted constants, which children inherit. Empty if the skeleton has no
  // constants.
  std::vector<double> constants;

  static Evaluation failed(std::string reason) {
    return {.scores = {}, .failure = std::move(reason), .constants = {}};
  }
};

// Deterministic: the same skeleton gets the same evaluation, unless evaluating
// it runs a program that is not deterministic.
// Thread safety: all members may be called from any thread.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual std::size_t input_count() const = 0;
  virtual Evaluation evaluate(const Skeleton& skeleton,
                              const CancelToken& cancel) const = 0;
};

}  // namespace lamarck::archipelago
