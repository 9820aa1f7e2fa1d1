// What a rule for online bin packing is worth.
//
//   def priority(item, bins):
//       return item - bins          # Best fit: the fullest bin first.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/packing_instance.h"
#include "lamarck/archipelago/packing_run.h"

namespace lamarck::archipelago {

// The arguments of a rule: an item's size, and what is left in a bin before the
// item goes into it.
inline const std::vector<std::string> kPackingInputs = {"item", "bins"};

// All priorities of a rule, in one call. An error if the function fails or
// gives something that is not a number where it may matter.
Result<PackingTable> packing_table(const Skeleton& rule, int smallest,
                                   int largest, int capacity);

// Each score is the excess over the least bins, in percent and negated, of a
// slice of the instances: slices are the inputs.
class PackingEvaluator : public Evaluator {
 public:
  // Instances of one capacity, of at most 10,000; as many slices as there are
  // instances at most. Errors name what is different.
  static Result<std::shared_ptr<const PackingEvaluator>> make(
      std::vector<PackingInstance> instances, std::size_t slices = 8);

  std::size_t input_count() const override { return slices_; }
  Evaluation evaluate(const Skeleton& skeleton,
                      const CancelToken& cancel) const override;

  // Of all instances together, as a fraction.
  Result<double> excess(const Skeleton& skeleton) const;

 private:
  PackingEvaluator(std::vector<PackingInstance> instances, std::size_t slices);
  Result<PackingTable> table(const Skeleton& skeleton) const;

  std::vector<PackingInstance> instances_;
  std::size_t slices_;
  int smallest_;
  int largest_;
  int capacity_;
};

}  // namespace lamarck::archipelago
