#include "lamarck/data/train_test_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/error.h"
#include "lamarck/data/class_labels.h"

namespace lamarck::data {
namespace {

// Row i has the input i; classes are drawn unevenly.
Dataset numbered(std::size_t size, std::size_t classes, Rng rng) {
  std::vector<std::size_t> labels(size);
  for (std::size_t& label : labels) {
    label = std::min(rng.below(classes), rng.below(classes));
  }
  return {Tensor::range(static_cast<std::int64_t>(size)),
          one_hot(labels, classes)};
}

std::vector<std::size_t> class_counts(const Dataset& dataset) {
  std::vector<std::size_t> counts(
      static_cast<std::size_t>(dataset.targets().size(1)));
  for (const std::size_t label : class_indices(dataset.targets())) {
    ++counts[label];
  }
  return counts;
}

TEST(TrainTestSplit, IsDisjointAndCompleteForEverySeed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Dataset all = numbered(2 + rng.below(60), 1 + rng.below(5), rng);
    const double fraction = rng.uniform(0.05, 0.95);
    const auto [train, test] = train_test_split(
        all,
        {.test_fraction = fraction, .seed = seed, .stratify = seed % 2 == 0});

    std::vector<float> rows = train.inputs().to_vector();
    const std::vector<float> others = test.inputs().to_vector();
    rows.insert(rows.end(), others.begin(), others.end());
    std::ranges::sort(rows);
    EXPECT_EQ(rows, all.inputs().to_vector()) << "seed " << seed;
    EXPECT_GE(train.size(), 1u) << "seed " << seed;
    EXPECT_GE(test.size(), 1u) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(test.size()),
                fraction * static_cast<double>(all.size()), 1.0)
        << "seed " << seed;
  }
}

TEST(TrainTestSplit, KeepsTargetsWithTheirInputs) {
  const Dataset all(Tensor::range(50), Tensor::range(50));
  const auto [train, test] = train_test_split(all, {.seed = 3});
  EXPECT_EQ(train.inputs().to_vector(), train.targets().to_vector());
  EXPECT_EQ(test.inputs().to_vector(), test.targets().to_vector());
}

TEST(TrainTestSplit, StratifiedSharesAreExactToWithinOneRow) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Dataset all = numbered(100, 4, Rng(seed));
    const TrainTest parts = train_test_split(
        all, {.test_fraction = 0.3, .seed = seed, .stratify = true});

    const auto in_all = class_counts(all);
    const auto in_test = class_counts(parts.test);
    EXPECT_EQ(parts.test.size(), 30u);
    for (std::size_t i = 0; i < in_all.size(); ++i) {
      const double exact = 0.3 * static_cast<double>(in_all[i]);
      EXPECT_LT(std::abs(static_cast<double>(in_test[i]) - exact), 1.0)
          << "seed " << seed << ", class " << i;
    }
  }
}

TEST(TrainTestSplit, DependsOnlyOnSeed) {
  const Dataset all = numbered(40, 3, Rng(1));
  for (const bool stratify : {false, true}) {
    const auto rows = [&](std::uint64_t seed) {
      return train_test_split(all, {.seed = seed, .stratify = stratify})
          .test.inputs()
          .to_vector();
    };
    EXPECT_EQ(rows(7), rows(7));
    EXPECT_NE(rows(7), rows(8));
  }
}

TEST(TrainTestSplit, AcceptsRandomGenerator) {
  const Dataset all = numbered(40, 3, Rng(1));
  Rng rng(5);
  const TrainTest first = split(all, 0.5, rng);
  const TrainTest second = split(all, 0.5, rng);
  EXPECT_EQ(first.test.size(), 20u);
  EXPECT_NE(first.test.inputs().to_vector(), second.test.inputs().to_vector());
}

TEST(TrainTestSplit, RejectsInvalidArguments) {
  const Dataset two = numbered(2, 2, Rng(1));
  EXPECT_THROW(train_test_split(two, {.test_fraction = 0}), LogicError);
  EXPECT_THROW(train_test_split(two, {.test_fraction = 1}), LogicError);
  EXPECT_THROW(train_test_split(two, {.test_fraction = NAN}), LogicError);
  EXPECT_THROW(train_test_split(two.rows({0})), LogicError);
  const Dataset numbers(Tensor::range(4), Tensor::from({4}, {.1f, .2f, 3, 4}));
  EXPECT_THROW(train_test_split(numbers, {.stratify = true}), LogicError);
}

}  // namespace
}  // namespace lamarck::data
