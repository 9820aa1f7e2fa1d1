#include "lamarck/data/data_loader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

// Row i has the inputs i, i and the target i.
Dataset numbered(std::int64_t size) {
  const Tensor column = Tensor::range(size).reshape({size, 1});
  const std::vector<Tensor> columns = {column, column};
  return {concat(columns, 1), Tensor::range(size)};
}

// Runs one epoch and returns the targets in order.
std::vector<float> run_epoch(DataLoader& loader) {
  std::vector<float> seen;
  for (const auto& [inputs, targets] : loader) {
    const auto values = targets.to_vector();
    seen.insert(seen.end(), values.begin(), values.end());
  }
  return seen;
}

TEST(DataLoader, YieldsPairsInOrderWithSmallerLastBatch) {
  DataLoader loader(numbered(5), {.batch_size = 2});
  std::vector<std::string> seen;
  for (auto [inputs, targets] : loader) {
    seen.push_back(inputs.to_string() + " " + targets.to_string());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"[[0, 0], [1, 1]] [0, 1]",
                                            "[[2, 2], [3, 3]] [2, 3]",
                                            "[[4, 4]] [4]"}));
  EXPECT_EQ(loader.batch_count(), 3u);
}

TEST(DataLoader, CoversEachRowOncePerEpochForEverySeed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const auto size = static_cast<std::int64_t>(rng.below(50));
    const bool drop_last = rng.chance(0.5);
    const std::size_t batch_size = 1 + rng.below(12);
    DataLoader loader(numbered(size), {.batch_size = batch_size,
                                       .shuffle = true,
                                       .drop_last = drop_last,
                                       .seed = seed});
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::vector<float> seen = run_epoch(loader);
      const std::size_t rows = static_cast<std::size_t>(size);
      const std::size_t kept =
          drop_last ? rows / batch_size * batch_size : rows;
      EXPECT_EQ(seen.size(), kept) << "seed " << seed;
      std::ranges::sort(seen);
      EXPECT_TRUE(std::ranges::adjacent_find(seen) == seen.end())
          << "seed " << seed << ": a row occurred twice";
    }
  }
}

TEST(DataLoader, KeepsInputsAndTargetsTogetherWhenShuffled) {
  DataLoader loader(numbered(33), {.batch_size = 8, .shuffle = true});
  for (auto [inputs, targets] : loader) {
    EXPECT_EQ(inputs.select(1, 0).to_vector(), targets.to_vector());
    EXPECT_EQ(inputs.select(1, 1).to_vector(), targets.to_vector());
  }
}

TEST(DataLoader, ReshufflesEachEpochFromSeedAlone) {
  const DataLoaderOptions options{.batch_size = 7, .shuffle = true, .seed = 4};
  DataLoader one(numbered(50), options);
  DataLoader other(numbered(50), options);
  const auto first = run_epoch(one);
  const auto second = run_epoch(one);

  EXPECT_NE(first, second);
  EXPECT_EQ(run_epoch(other), first);
  EXPECT_EQ(run_epoch(other), second);
  EXPECT_EQ(other.next_epoch(), 2u);
}

TEST(DataLoader, ResumesAtAnyEpoch) {
  const DataLoaderOptions options{.shuffle = true, .seed = 4};
  DataLoader whole(numbered(50), options);
  run_epoch(whole);
  run_epoch(whole);
  DataLoader resumed(numbered(50), options);
  resumed.set_next_epoch(2);
  EXPECT_EQ(run_epoch(resumed), run_epoch(whole));
}

TEST(DataLoader, UnfinishedLoopCountsAsEpoch) {
  const DataLoaderOptions options{.batch_size = 4, .shuffle = true};
  DataLoader loader(numbered(20), options);
  for ([[maybe_unused]] const Batch& batch : loader) break;
  DataLoader other(numbered(20), options);
  run_epoch(other);
  EXPECT_EQ(run_epoch(loader), run_epoch(other));
}

TEST(DataLoader, ReusesBatchBuffers) {
  DataLoader loader(numbered(5), {.batch_size = 2});
  auto batch = loader.begin();
  const Tensor first = batch->inputs;
  const Tensor kept = batch->inputs.clone();
  ++batch;
  EXPECT_TRUE(first.shares_elements_with(batch->inputs));
  EXPECT_EQ(first.to_string(), "[[2, 2], [3, 3]]");
  EXPECT_EQ(kept.to_string(), "[[0, 0], [1, 1]]");
}

TEST(DataLoader, HandlesEmptyAndTooSmallDatasets) {
  DataLoader empty(numbered(0));
  EXPECT_EQ(empty.batch_count(), 0u);
  EXPECT_TRUE(run_epoch(empty).empty());
  DataLoader too_few(numbered(3), {.batch_size = 4, .drop_last = true});
  EXPECT_EQ(too_few.batch_count(), 0u);
  EXPECT_TRUE(run_epoch(too_few).empty());
  DataLoader one(numbered(3), {.batch_size = 400});
  EXPECT_EQ(run_epoch(one), std::vector<float>({0, 1, 2}));
  EXPECT_THROW(DataLoader(numbered(3), {.batch_size = 0}), LogicError);
}

}  // namespace
}  // namespace lamarck::data
