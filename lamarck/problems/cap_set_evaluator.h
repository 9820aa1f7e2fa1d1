// Scores a priority function by the size of the cap set that a greedy
// construction finds with it.
//
//   def priority(el0, el1, el2, el3):
//       return 0.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/problems/cap_set_greedy.h"

namespace lamarck::problems {

// Returns "el0", "el1" and so on, the names of the coordinates.
std::vector<std::string> cap_set_inputs(int dimension);

class CapSetEvaluator : public archipelago::Evaluator {
 public:
  // REQUIRES: `dimension` is between 1 and kMaxCapSetDimension.
  explicit CapSetEvaluator(int dimension);

  std::size_t input_count() const override { return 1; }
  archipelago::Evaluation evaluate(const archipelago::Skeleton& skeleton,
                                   const CancelToken& cancel) const override;

  // Returns the cap set itself, or why the priorities cannot be used.
  Result<std::vector<std::size_t>> cap_set(
      const archipelago::Skeleton& skeleton) const;

 private:
  int dimension_;
  std::vector<std::vector<double>> vectors_;  // By coordinate, then by vector.
};

}  // namespace lamarck::problems
