#include "lamarck/data/train_test_split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/data/class_labels.h"

namespace lamarck::data {
namespace {

using Indices = std::vector<std::size_t>;

std::size_t test_size(std::size_t size, double fraction) {
  REQUIRE(fraction > 0 && fraction < 1,
          "train_test_split: test_fraction must be between 0 and 1 "
          "(exclusive), got {}.",
          fraction);
  REQUIRE(size >= 2, "train_test_split: there must be at least 2 rows, got {}.",
          size);
  const double wanted = std::round(static_cast<double>(size) * fraction);
  // Neither part may be empty.
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, size - 1);
}

// The rows of each class that occurs.
std::vector<Indices> rows_by_class(const Tensor& targets) {
  const Indices classes = class_indices(targets);
  std::map<std::size_t, Indices> rows;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    rows[classes[i]].push_back(i);
  }
  std::vector<Indices> parts;
  for (auto& [label, part] : rows) parts.push_back(std::move(part));
  return parts;
}

// The number of test rows of each class: proportional, rounded so that they sum
// to `total` (largest-remainder method).
Indices test_shares(const std::vector<Indices>& classes, std::size_t size,
                    std::size_t total) {
  Indices shares;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::size_t assigned = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double exact = static_cast<double>(classes[i].size()) *
                         static_cast<double>(total) / static_cast<double>(size);
    const double whole = std::floor(exact);
    shares.push_back(static_cast<std::size_t>(whole));
    assigned += shares.back();
    remainders.emplace_back(whole - exact,
                            i);  // Negated: the largest sort first.
  }
  std::ranges::sort(remainders);
  for (std::size_t i = 0; assigned < total; ++i, ++assigned) {
    ++shares[remainders.at(i).second];
  }
  return shares;
}

// Returns all rows in random order, with a proportional share of each class in
// the first `total` rows.
Indices stratified_order(const Dataset& dataset, std::size_t total, Rng& rng) {
  std::vector<Indices> classes = rows_by_class(dataset.targets());
  const Indices shares = test_shares(classes, dataset.size(), total);
  Indices test;
  Indices train;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    rng.shuffle(classes[i]);
    const auto cut =
        classes[i].begin() + static_cast<std::ptrdiff_t>(shares[i]);
    test.insert(test.end(), classes[i].begin(), cut);
    train.insert(train.end(), cut, classes[i].end());
  }
  // Otherwise both parts would be sorted by class.
  rng.shuffle(test);
  rng.shuffle(train);
  test.insert(test.end(), train.begin(), train.end());
  return test;
}

// The first `count` rows of the order become the test set.
TrainTest cut(const Dataset& dataset, const Indices& order, std::size_t count) {
  const std::span<const std::size_t> all(order);
  return {.train = dataset.rows(all.subspan(count)),
          .test = dataset.rows(all.first(count))};
}

}  // namespace

TrainTest split(const Dataset& dataset, double test_fraction, Rng& rng) {
  const std::size_t count = test_size(dataset.size(), test_fraction);
  return cut(dataset, rng.sample(dataset.size(), dataset.size()), count);
}

TrainTest train_test_split(const Dataset& dataset, SplitOptions options) {
  Rng rng(options.seed);
  if (!options.stratify) return split(dataset, options.test_fraction, rng);
  const std::size_t count = test_size(dataset.size(), options.test_fraction);
  return cut(dataset, stratified_order(dataset, count, rng), count);
}

}  // namespace lamarck::data
