#include "lamarck/table/ensemble/fold_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lamarck/table/ensemble/fold_rows.h"
#include "lamarck/table/ensemble/member_choice.h"

namespace lamarck::table {
namespace {

using evolution::Examples;
using evolution::Loss;

// The target jumps at a threshold of the first of two inputs.
Examples jump(std::int64_t rows) {
  Rng rng(4);
  const Tensor inputs = Tensor::randn({rows, 2}, rng);
  Tensor targets = Tensor::zeros({rows, 1});
  for (std::int64_t row = 0; row < rows; ++row) {
    targets.at({row, 0}) = inputs.at({row, 0}) > 0.5f ? 1.0f : -1.0f;
  }
  return {inputs, targets};
}

TEST(MakeFolds, SpreadsRowsOfEachLabelOverAllFolds) {
  Rng rng(1);
  std::vector<std::size_t> labels(40, 0);
  for (std::size_t i = 0; i < 10; ++i) labels[4 * i] = 1;

  const auto folds = make_folds(40, 5, labels, rng);

  std::vector<std::size_t> all;
  for (const auto& fold : folds) {
    EXPECT_EQ(fold.size(), 8u);
    EXPECT_EQ(std::ranges::count_if(
                  fold, [&](std::size_t row) { return labels[row] == 1; }),
              2);
    EXPECT_EQ(rows_outside(fold, 40).size(), 32u);
    all.insert(all.end(), fold.begin(), fold.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::unique(all).begin(), all.end());
  EXPECT_EQ(all.size(), 40u);
}

TEST(MakeBlocks, CoversConsecutiveRowsAndKeepsAGapToTrainingRows) {
  const auto blocks = make_blocks(10, 3);

  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0], (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(blocks[1], (std::vector<std::size_t>{4, 5, 6}));
  EXPECT_EQ(blocks[2], (std::vector<std::size_t>{7, 8, 9}));
  EXPECT_EQ(rows_away_from(blocks[1], 10, 2),
            (std::vector<std::size_t>{0, 1, 9}));
  EXPECT_EQ(rows_away_from(blocks[0], 10, 0), rows_outside(blocks[0], 10));
}

TEST(SplineInputs, FeaturesAreSharesOfTheIntervals) {
  const Tensor inputs = Tensor::from({4, 2}, {0, 5, 1, 5, 2, 5, 4, 5});
  const auto splines = fit_splines(inputs);
  ASSERT_EQ(splines.size(), 1u);
  EXPECT_EQ(splines[0].knots, (std::vector<float>{0, 1, 2, 4}));

  const Tensor given = Tensor::from({2, 2}, {3, 7, 1.5f, 8});
  const Tensor rows =
      with_features(given, std::vector<std::size_t>{1}, splines);

  const std::vector<float> expected = {7, 1, 1, 0.5f, 8, 1, 0.5f, 0};
  EXPECT_TRUE(std::ranges::equal(rows.data(), expected));
}

TEST(SplineInputs, LeavesOutInputsWithOneOrTwoValues) {
  EXPECT_TRUE(fit_splines(Tensor::from({3, 1}, {2, 2, 2})).empty());
  EXPECT_TRUE(fit_splines(Tensor::from({4, 1}, {0, 1, 1, 0})).empty());
}

TEST(ChooseMembers, PrefersMembersWhoseErrorsCancel) {
  const Examples known{Tensor::zeros({2, 1}), Tensor::from({2, 1}, {0, 0})};
  const std::vector<Tensor> logits = {Tensor::from({2, 1}, {1.0f, 1.0f}),
                                      Tensor::from({2, 1}, {0.5f, 0.9f}),
                                      Tensor::from({2, 1}, {-0.6f, -0.9f})};

  const auto counts =
      choose_members(logits, known, Loss::MeanSquared, {.picks = 2});

  EXPECT_EQ(counts, (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_EQ(choose_members(logits, known, Loss::MeanSquared,
                           {.picks = 3, .candidates = 1}),
            (std::vector<std::size_t>{0, 1, 0}));
}

TEST(FoldSearch, ChoosesEncodingForThresholdAndIsIndependentOfThreads) {
  const Examples known = jump(100);
  FoldSearchOptions options{.seed = 2, .threads = 1, .max_designs = 6};
  const FoldOutcome one =
      search_folds(known, {}, Loss::MeanSquared, std::nullopt, options);
  options.threads = 3;
  const FoldOutcome three =
      search_folds(known, {}, Loss::MeanSquared, std::nullopt, options);

  ASSERT_FALSE(one.candidates.empty());
  EXPECT_GT(one.candidates[0].design.spline_count(), 0u);
  EXPECT_EQ(one.candidates[0].members.size(), one.folds);
  EXPECT_EQ(one.reason, "designs");
  EXPECT_EQ(one.counts, three.counts);
  EXPECT_EQ(one.steps, three.steps);
  EXPECT_TRUE(std::ranges::equal(one.outputs.data(), three.outputs.data()));
  EXPECT_LT(logit_loss(one.outputs, known, Loss::MeanSquared), 0.2);
}

TEST(TableDesign, DropsInputsThatDoNotMatter) {
  const DesignLimits limits{.inputs = 3, .l2 = 0.01f};
  const TableDesign parent = initial_designs(limits)[0];
  std::vector<std::size_t> dropped(3, 0);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const TableDesign child =
        mutated(parent, limits, std::vector<double>{0.5, 0.0, 0.3}, rng);
    for (std::size_t i = 0; i < 3; ++i) dropped[i] += child.inputs[i] ? 0 : 1;
  }
  EXPECT_EQ(dropped[0], 0u);
  EXPECT_GT(dropped[1], 10u);
  EXPECT_LE(dropped[2], 5u);  // Only as a second change.
}

TEST(FoldSearch, LeavesOutInputsWithoutInformation) {
  Rng rng(6);
  const Tensor inputs = Tensor::randn({60, 6}, rng);
  Tensor targets = Tensor::zeros({60, 1});
  for (std::int64_t row = 0; row < 60; ++row) {
    targets.at({row, 0}) = inputs.at({row, 2}) * inputs.at({row, 2});
  }
  const FoldOutcome outcome =
      search_folds({inputs, targets}, {}, Loss::MeanSquared, std::nullopt,
                   {.seed = 1, .threads = 1, .max_designs = 24});
  const std::vector<std::size_t>& used = outcome.candidates[0].inputs;
  EXPECT_LT(used.size(), 6u);
  EXPECT_TRUE(std::ranges::binary_search(used, 2u));
}

TEST(FoldSearch, SolvesLinearDesignsForANumberExactly) {
  Rng rng(8);
  const Tensor inputs = Tensor::randn({80, 3}, rng);
  Tensor targets = Tensor::zeros({80, 1});
  for (std::int64_t row = 0; row < 80; ++row) {
    targets.at({row, 0}) =
        2 * inputs.at({row, 0}) - 3 * inputs.at({row, 2}) + 1;
  }

  const FoldOutcome outcome =
      search_folds({inputs, targets}, {}, Loss::MeanSquared, std::nullopt,
                   {.seed = 1, .threads = 1, .max_designs = 12});

  EXPECT_LT(outcome.loss, 1e-9);
}

TEST(FoldSearch, ReturnsNoCandidatesIfThereIsNoTime) {
  const FoldOutcome outcome =
      search_folds(jump(50), {}, Loss::MeanSquared, std::nullopt,
                   {.should_stop = [] { return true; }});
  EXPECT_TRUE(outcome.candidates.empty());
  EXPECT_EQ(outcome.reason, "stopped");
}

}  // namespace
}  // namespace lamarck::table
