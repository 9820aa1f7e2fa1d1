// Scores a rule for online bin packing.
//
//   def priority(item, bins):
//       return item - bins          # Best fit: the fullest bin first.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/problems/packing_instance.h"
#include "lamarck/problems/packing_run.h"

namespace lamarck::problems {

// The arguments of a rule: the size of an item, and the space left in a bin
// before the item is put into it.
inline const std::vector<std::string> kPackingInputs = {"item", "bins"};

struct PackingOptions {
  std::size_t slices = 8;
  // A rule whose excess on the first slice is higher than this is not tried on
  // the others, which get the score of the first. This saves most of the time,
  // since most rules are bad.
  double max_first_excess = 0.1;
};

// Cuts the instances into slices, which are the inputs of the evaluator. Each
// score is the negated excess over the lower bound of bins of a slice, in
// percent. Fails if the rule fails or a priority is NaN for an item and a bin
// that it fits.
class PackingEvaluator : public archipelago::Evaluator {
 public:
  // Returns an error unless all instances have the same capacity of at most
  // 2,000 and there are at least as many instances as slices.
  static Result<std::shared_ptr<const PackingEvaluator>> make(
      std::vector<PackingInstance> instances,
      const PackingOptions& options = {});

  std::size_t input_count() const override { return options_.slices; }
  archipelago::Evaluation evaluate(const archipelago::Skeleton& skeleton,
                                   const CancelToken& cancel) const override;

  // The excess over all instances, as a fraction.
  Result<double> excess(const archipelago::Skeleton& skeleton) const;

 private:
  PackingEvaluator(std::vector<PackingInstance> instances,
                   const PackingOptions& options);
  std::span<const PackingInstance> slice(std::size_t index) const;
  Result<PackingTable> table(const archipelago::Skeleton& skeleton) const;

  // Set at construction.
  std::vector<PackingInstance> instances_;
  PackingOptions options_;
  int smallest_;
  int largest_;
  int capacity_;
  // The argument columns of a rule: every item size with every bin that it
  // fits.
  std::array<std::vector<double>, 2> pairs_;
};

}  // namespace lamarck::problems
