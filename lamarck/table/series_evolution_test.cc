// Evolution on series that linear models and the last value predict badly.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lamarck/base/rng.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::Table;

TableEvolutionOutcome evolve_series(const Table& table) {
  return evolve_table(table, nullptr,
                      {.target = "y",
                       .is_series = true,
                       .evolution = {.seed = 1,
                                     .grain = evolution::Grain::Both,
                                     .budget = {.generations = 15}}})
      .value();
}

void expect_better_than_baselines(const TableEvolutionOutcome& outcome,
                                  double share) {
  EXPECT_EQ(outcome.metric.name, "rmse");
  ASSERT_GE(outcome.baselines.size(), 2u);
  for (const Baseline& baseline : outcome.baselines) {
    EXPECT_LT(outcome.test_score, share * baseline.score) << baseline.name;
  }
}

TEST(SeriesEvolutionSlow, PredictsLogisticMapBetterThanBaselines) {
  std::vector<double> values;
  double x = 0.3;
  for (int i = 0; i < 400; ++i) {
    x = 3.9 * x * (1 - x);
    values.push_back(100 * x);
  }

  expect_better_than_baselines(
      evolve_series(Table({Column{.name = "y", .numbers = values}})), 0.5);
}

TEST(SeriesEvolutionSlow, UsesLeadingIndicatorColumn) {
  Rng rng(7);
  std::vector<double> ahead;
  for (int i = 0; i < 401; ++i) {
    const double before = ahead.empty() ? 0 : ahead.back();
    ahead.push_back(0.7 * before + rng.normal());
  }
  std::vector<double> values;
  std::vector<double> leading;
  for (std::size_t i = 0; i < 400; ++i) {
    values.push_back(10 + 3 * std::sin(0.5 * static_cast<double>(i)) +
                     2 * ahead[i]);
    leading.push_back(ahead[i + 1]);
  }

  expect_better_than_baselines(
      evolve_series(Table({Column{.name = "y", .numbers = values},
                           Column{.name = "leading", .numbers = leading}})),
      0.7);
}

TEST(SeriesEvolutionSlow, ExtrapolatesTrendBeyondTrainingRange) {
  Rng rng(7);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) {
    values.push_back(0.05 * i + std::sin(0.5 * i) + 0.1 * rng.normal());
  }

  const TableEvolutionOutcome outcome =
      evolve_series(Table({Column{.name = "y", .numbers = values}}));

  EXPECT_LT(outcome.test_score, 0.8 * outcome.baselines[0].score);
}

TEST(SeriesEvolution, EnsembleIsAheadOfBaselinesOnASeasonWithNoise) {
  Rng rng(3);
  std::vector<double> values;
  double noise = 0;
  for (int step = 0; step < 400; ++step) {
    noise = 0.8 * noise + rng.normal();
    values.push_back(0.02 * step + 5 * std::sin(step * std::numbers::pi / 6) +
                     noise);
  }

  const TableEvolutionOutcome outcome =
      evolve_table(Table({Column{.name = "y", .numbers = values}}), nullptr,
                   {.target = "y",
                    .is_series = true,
                    .horizon = 12,
                    .metric = "rmse",
                    .evolution = {.grain = evolution::Grain::Both,
                                  .budget = {.generations = 8},
                                  .threads = 1}})
          .value();

  EXPECT_EQ(outcome.ensemble.folds, 8u);
  for (const Baseline& each : outcome.baselines) {
    EXPECT_LE(outcome.test_score, each.score) << each.name;
  }
}

}  // namespace
}  // namespace lamarck::table
