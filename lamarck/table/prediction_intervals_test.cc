#include "lamarck/table/prediction_intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/rng.h"
#include "lamarck/evolution/training.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::Table;

TEST(PredictionIntervals, BoundCoversShareOfNewErrors) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    std::vector<double> errors;
    for (int i = 0; i < 4000; ++i) errors.push_back(std::abs(rng.normal()));
    const PredictionIntervals intervals(errors);
    for (const double level : {0.5, 0.8, 0.9, 0.95}) {
      int covered = 0;
      for (int i = 0; i < 4000; ++i) {
        covered += std::abs(rng.normal()) <= intervals.bound(level) ? 1 : 0;
      }
      EXPECT_NEAR(covered / 4000.0, level, 0.04) << "seed " << seed;
    }
  }
}

TEST(PredictionIntervals, IsWideIfFewRowsWereMeasured) {
  const PredictionIntervals intervals({1, 2, 3, 4});
  EXPECT_EQ(intervals.bound(0.9), 4);
  EXPECT_EQ(intervals.bound(0.5), 3);  // Rank ceil(5 * 0.5).
}

TEST(PredictionIntervals, SurvivesItsText) {
  const PredictionIntervals intervals({0.5, 0.25, 3});
  EXPECT_EQ(PredictionIntervals::parse(intervals.to_text()).value(), intervals);
  EXPECT_FALSE(PredictionIntervals::parse("{}"));
  EXPECT_FALSE(PredictionIntervals::parse(R"({"rows":2,"errors":[2,1]})"));
}

TEST(PredictionIntervals, ErrorOfClassIsWhatItsProbabilityLacks) {
  const Tensor three = Tensor::from({1, 3}, {0.25f, 0.5f, 0.25f});
  EXPECT_EQ(prediction_errors(three, Tensor::from({1, 3}, {0, 1, 0}), true, 1),
            std::vector<double>{0.5});
  const Tensor two = Tensor::from({2, 1}, {0.75f, 0.75f});
  EXPECT_EQ(prediction_errors(two, Tensor::from({2, 1}, {1, 0}), true, 1),
            (std::vector<double>{0.25, 0.75}));
}

// y = 3 x + noise; the noise is what the intervals must cover.
Table noisy_line(std::size_t rows, std::uint64_t seed) {
  Rng rng(seed);
  Column x{.name = "x"};
  Column y{.name = "y"};
  for (std::size_t row = 0; row < rows; ++row) {
    x.numbers.push_back(rng.normal());
    y.numbers.push_back(3 * x.numbers[row] + 10 * rng.normal() + 100);
  }
  return Table({x, y});
}

TEST(PredictionIntervals, CoverHeldOutRowsOfEvolvedModels) {
  for (const bool is_single : {false, true}) {
    const auto outcome =
        evolve_table(noisy_line(400, 1), nullptr,
                     {.target = "y",
                      .is_single = is_single,
                      .evolution = {.seed = 1,
                                    .grain = evolution::Grain::Both,
                                    .budget = {.generations = 5}}})
            .value();
    ASSERT_TRUE(outcome.intervals);
    const Table fresh = noisy_line(2000, 2);
    const auto rows = outcome.encoding.dataset(fresh).value();
    const auto errors = prediction_errors(
        evolution::predict(outcome.result.network, rows.inputs()),
        rows.targets(), false, outcome.encoding.target().deviation);
    const double bound = outcome.intervals->bound(0.9);
    const auto covered = static_cast<double>(std::ranges::count_if(
        errors, [&](double error) { return error <= bound; }));
    EXPECT_NEAR(covered / 2000, 0.9, 0.06) << "single: " << is_single;
  }
}

}  // namespace
}  // namespace lamarck::table
