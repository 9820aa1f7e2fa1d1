#include "lamarck/problems/packing_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::problems {
namespace {

using archipelago::Evaluation;
using archipelago::Skeleton;

constexpr int kMaxCapacity = 2000;  // The table grows with its square.

std::array<std::vector<double>, 2> all_pairs(int smallest, int largest,
                                             int capacity) {
  std::array<std::vector<double>, 2> pairs;
  for (int item = smallest; item <= largest; ++item) {
    for (int left = item; left <= capacity; ++left) {
      pairs[0].push_back(item);
      pairs[1].push_back(left);
    }
  }
  return pairs;
}

// Inserts zeros for the pairs that do not fit, as PackingTable expects.
std::vector<double> with_unfitting_pairs(const std::vector<double>& values,
                                         int smallest, int largest,
                                         int capacity) {
  std::vector<double> priorities;
  auto next = values.begin();
  for (int item = smallest; item <= largest; ++item) {
    priorities.insert(priorities.end(), static_cast<std::size_t>(item), 0.0);
    const auto end = next + (capacity + 1 - item);
    priorities.insert(priorities.end(), next, end);
    next = end;
  }
  return priorities;
}

Result<void> check_instances(const std::vector<PackingInstance>& instances,
                             std::size_t slices) {
  if (slices == 0 || instances.size() < slices) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The number of slices must be between 1 and the number of "
                    "instances ({}), got {}.",
                    instances.size(), slices));
  }
  for (const PackingInstance& instance : instances) {
    if (instance.capacity == instances[0].capacity &&
        instance.capacity <= kMaxCapacity) {
      continue;
    }
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("All instances must have the same capacity, at most {}; "
                    "got {} and {} in the instance {}.",
                    kMaxCapacity, instances[0].capacity, instance.capacity,
                    instance.name));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const PackingEvaluator>> PackingEvaluator::make(
    std::vector<PackingInstance> instances, const PackingOptions& options) {
  RETURN_IF_ERROR(check_instances(instances, options.slices));
  return std::shared_ptr<const PackingEvaluator>(
      new PackingEvaluator(std::move(instances), options));
}

PackingEvaluator::PackingEvaluator(std::vector<PackingInstance> instances,
                                   const PackingOptions& options)
    : instances_(std::move(instances)),
      options_(options),
      smallest_(instances_[0].capacity),
      largest_(1),
      capacity_(instances_[0].capacity) {
  for (const PackingInstance& instance : instances_) {
    for (const int item : instance.items) {
      smallest_ = std::min(smallest_, item);
      largest_ = std::max(largest_, item);
    }
  }
  ENSURE(smallest_ <= largest_, "instances have items");
  pairs_ = all_pairs(smallest_, largest_, capacity_);
}

Evaluation PackingEvaluator::evaluate(const Skeleton& skeleton,
                                      const CancelToken& cancel) const {
  const auto priorities = table(skeleton);
  if (!priorities) return Evaluation::failed(priorities.error().message());
  Evaluation evaluation;
  for (std::size_t i = 0; i < options_.slices; ++i) {
    if (cancel.is_cancelled()) return Evaluation::failed("cancelled");
    const double excess = packing_excess(slice(i), *priorities);
    evaluation.scores.push_back(-100 * excess);
    // The other slices get the same score, so that the rule shares a cluster
    // with rules that are as bad.
    if (i == 0 && excess > options_.max_first_excess) break;
  }
  evaluation.scores.resize(options_.slices, evaluation.scores[0]);
  return evaluation;
}

Result<double> PackingEvaluator::excess(const Skeleton& skeleton) const {
  ASSIGN_OR_RETURN(const PackingTable priorities, table(skeleton));
  return packing_excess(instances_, priorities);
}

std::span<const PackingInstance> PackingEvaluator::slice(
    std::size_t index) const {
  const std::size_t begin = instances_.size() * index / options_.slices;
  const std::size_t end = instances_.size() * (index + 1) / options_.slices;
  return std::span(instances_).subspan(begin, end - begin);
}

Result<PackingTable> PackingEvaluator::table(const Skeleton& skeleton) const {
  ASSIGN_OR_RETURN(std::vector<double> values, skeleton.call(pairs_));
  const std::size_t count = pairs_[0].size();
  if (values.size() == 1) values.resize(count, values[0]);
  if (values.size() != count) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The rule must return {} priorities, one per item and "
                    "bin, got {}.",
                    count, values.size()));
  }
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](double value) { return std::isnan(value); });
  if (bad != values.end()) {
    const auto row = static_cast<std::size_t>(bad - values.begin());
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The priority is not a number for item {} and "
                             "bins {}.",
                             pairs_[0][row], pairs_[1][row]));
  }
  return PackingTable(
      smallest_, largest_, capacity_,
      with_unfitting_pairs(values, smallest_, largest_, capacity_));
}

}  // namespace lamarck::problems
