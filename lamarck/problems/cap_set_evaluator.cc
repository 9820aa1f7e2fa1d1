#include "lamarck/problems/cap_set_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/macros.h"

namespace lamarck::problems {

std::vector<std::string> cap_set_inputs(int dimension) {
  std::vector<std::string> names;
  for (int i = 0; i < dimension; ++i) names.push_back(fmt::format("el{}", i));
  return names;
}

CapSetEvaluator::CapSetEvaluator(int dimension)
    : dimension_(dimension), vectors_(all_vectors(dimension)) {}

archipelago::Evaluation CapSetEvaluator::evaluate(
    const archipelago::Skeleton& skeleton,
    const CancelToken& /*cancel*/) const {
  const auto found = cap_set(skeleton);
  if (!found) return archipelago::Evaluation::failed(found.error().message());
  return {.scores = {static_cast<double>(found->size())}};
}

Result<std::vector<std::size_t>> CapSetEvaluator::cap_set(
    const archipelago::Skeleton& skeleton) const {
  ASSIGN_OR_RETURN(std::vector<double> priorities, skeleton.call(vectors_));
  const std::size_t count = vectors_[0].size();
  // A constant function returns a single value.
  if (priorities.size() == 1) priorities.resize(count, priorities[0]);
  if (priorities.size() != count) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The function must return {} priorities, one per vector, "
                    "got {}.",
                    count, priorities.size()));
  }
  if (std::any_of(priorities.begin(), priorities.end(),
                  [](double value) { return std::isnan(value); })) {
    return Error(ErrorCode::InvalidArgument,
                 "The priority of a vector is not a number.");
  }
  return greedy_cap_set(dimension_, priorities);
}

}  // namespace lamarck::problems
