// What a function is worth.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/skeleton.h"
#include "lamarck/base/cancel_token.h"

namespace lamarck::archipelago {

// Either scores, all of them finite, or a failure; never both.
struct Evaluation {
  std::vector<double> scores;  // One for each input; higher is better.
  // Why there are none: "timed out after 10 s", "prints no JSON: ...".
  std::optional<std::string> failure;
  // As fitted; what children inherit. Empty if the skeleton has none.
  std::vector<double> constants;

  static Evaluation failed(std::string reason) {
    return {.scores = {}, .failure = std::move(reason), .constants = {}};
  }
};

// Thread safety: any member from any thread. The same skeleton gets the same
// evaluation, as far as the program that it runs allows.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual std::size_t input_count() const = 0;
  virtual Evaluation evaluate(const Skeleton& skeleton,
                              const CancelToken& cancel) const = 0;
};

}  // namespace lamarck::archipelago
