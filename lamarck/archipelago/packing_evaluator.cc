#include "lamarck/archipelago/packing_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

constexpr int kMostCapacity = 10'000;
constexpr std::size_t kMostPairs = 4'000'000;

// Every item with every bin that it fits: the columns of a rule's arguments.
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

std::vector<double> spread(const std::vector<double>& values, int smallest,
                           int largest, int capacity) {
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
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("{} instances cannot be cut into {} slices; "
                             "choose 1 to {}.",
                             instances.size(), slices, instances.size()));
  }
  for (const PackingInstance& instance : instances) {
    if (instance.capacity == instances[0].capacity &&
        instance.capacity <= kMostCapacity) {
      continue;
    }
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The instance {} has bins of {}; all instances "
                             "need the same capacity, of at most {}.",
                             instance.name, instance.capacity, kMostCapacity));
  }
  return {};
}

}  // namespace

Result<PackingTable> packing_table(const Skeleton& rule, int smallest,
                                   int largest, int capacity) {
  const auto pairs = all_pairs(smallest, largest, capacity);
  ASSIGN_OR_RETURN(std::vector<double> values, rule.call(pairs));
  if (values.size() == 1) values.resize(pairs[0].size(), values[0]);
  if (values.size() != pairs[0].size()) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The rule gives {} priorities for {} bins.",
                             values.size(), pairs[0].size()));
  }
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](double value) { return std::isnan(value); });
  if (bad != values.end()) {
    const auto row = static_cast<std::size_t>(bad - values.begin());
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The priority is not a number for item {} and "
                             "bins {}.",
                             pairs[0][row], pairs[1][row]));
  }
  return PackingTable(smallest, largest, capacity,
                      spread(values, smallest, largest, capacity));
}

Result<std::shared_ptr<const PackingEvaluator>> PackingEvaluator::make(
    std::vector<PackingInstance> instances, std::size_t slices) {
  RETURN_IF_ERROR(check_instances(instances, slices));
  const std::shared_ptr<const PackingEvaluator> evaluator(
      new PackingEvaluator(std::move(instances), slices));
  const auto items =
      static_cast<std::size_t>(evaluator->largest_ - evaluator->smallest_ + 1);
  if (items * static_cast<std::size_t>(evaluator->capacity_) > kMostPairs) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("Items of {} to {} in bins of {} are too many "
                             "pairs for one table; divide all sizes.",
                             evaluator->smallest_, evaluator->largest_,
                             evaluator->capacity_));
  }
  return evaluator;
}

PackingEvaluator::PackingEvaluator(std::vector<PackingInstance> instances,
                                   std::size_t slices)
    : instances_(std::move(instances)),
      slices_(slices),
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
}

Evaluation PackingEvaluator::evaluate(const Skeleton& skeleton,
                                      const CancelToken& cancel) const {
  const auto priorities = table(skeleton);
  if (!priorities) return Evaluation::failed(priorities.error().message());
  Evaluation evaluation;
  const std::span<const PackingInstance> all = instances_;
  for (std::size_t i = 0; i < slices_; ++i) {
    if (cancel.is_cancelled()) return Evaluation::failed("cancelled");
    const std::size_t begin = all.size() * i / slices_;
    const std::size_t end = all.size() * (i + 1) / slices_;
    evaluation.scores.push_back(
        -100 * packing_excess(all.subspan(begin, end - begin), *priorities));
  }
  return evaluation;
}

Result<double> PackingEvaluator::excess(const Skeleton& skeleton) const {
  ASSIGN_OR_RETURN(const PackingTable priorities, table(skeleton));
  return packing_excess(instances_, priorities);
}

Result<PackingTable> PackingEvaluator::table(const Skeleton& skeleton) const {
  return packing_table(skeleton, smallest_, largest_, capacity_);
}

}  // namespace lamarck::archipelago
