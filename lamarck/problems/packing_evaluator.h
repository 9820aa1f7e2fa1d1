// What a rule for online bin packing is worth.
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

// The arguments of a rule: an item's size, and what is left in a bin before the
// item goes into it.
inline const std::vector<std::string> kPackingInputs = {"item", "bins"};

struct PackingOptions {
  std::size_t slices = 8;
  // A rule whose excess on the first slice is higher than this is not tried on
  // the others: all get the score of the first. Most rules end here.
  double stopped_early = 0.1;
};

// Each score is the excess over the least bins, in percent and negated, of a
// slice of the instances: slices are the inputs. A rule that fails, or gives
// something that is not a number where it may matter, has no score.
class PackingEvaluator : public archipelago::Evaluator {
 public:
  // Instances of one capacity, of at most 2,000; as many slices as there are
  // instances at most. Errors name what is different.
  static Result<std::shared_ptr<const PackingEvaluator>> make(
      std::vector<PackingInstance> instances,
      const PackingOptions& options = {});

  std::size_t input_count() const override { return options_.slices; }
  archipelago::Evaluation evaluate(const archipelago::Skeleton& skeleton,
                                   const CancelToken& cancel) const override;

  // Of all instances together, as a fraction.
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
  // Every item with every bin that it fits: the arguments of a rule.
  std::array<std::vector<double>, 2> pairs_;
};

}  // namespace lamarck::problems
