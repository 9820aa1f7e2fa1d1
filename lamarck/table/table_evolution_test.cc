#include "lamarck/table/table_evolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "lamarck/base/file.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::Table;

// Returns a table with y = 30 x - 10 z and a row number.
Table plane(std::size_t rows) {
  Rng rng(3);
  Column id{.name = "id"};
  Column x{.name = "x"};
  Column z{.name = "z"};
  Column y{.name = "y"};
  for (std::size_t row = 0; row < rows; ++row) {
    id.numbers.push_back(static_cast<double>(row + 1));
    x.numbers.push_back(rng.normal());
    z.numbers.push_back(rng.normal());
    y.numbers.push_back(30 * x.numbers[row] - 10 * z.numbers[row]);
  }
  return Table({id, x, z, y});
}

TableEvolutionOptions options_for(std::int64_t generations) {
  return {.target = "y",
          .metric = "rmse",
          .evolution = {.seed = 1,
                        .grain = evolution::Grain::Neuron,
                        .budget = {.generations = generations},
                        .threads = 1}};
}

TEST(TableEvolution, ExcludesRowNumbersAlthoughSplitLeavesGapsInThem) {
  const TablePlan plan = plan_table(plane(60), nullptr, options_for(1)).value();

  EXPECT_EQ(plan.encoding.input_names(), (std::vector<std::string>{"x", "z"}));
}

TEST(TableEvolution, ReportsRowsWithoutTarget) {
  Table known = plane(60);
  std::vector<Column> columns = known.columns();
  columns[3].numbers[5] = std::numeric_limits<double>::quiet_NaN();
  columns[3].numbers[7] = std::numeric_limits<double>::quiet_NaN();
  known = Table(columns);

  const auto split = evolve_table(known, nullptr, options_for(1)).value();
  const auto tested = evolve_table(plane(60), &known, options_for(1)).value();

  EXPECT_EQ(split.remarks.front(), "2 of 60 rows have no 'y' and are skipped.");
  EXPECT_NE(std::ranges::find(tested.remarks,
                              "2 of 60 test rows have no 'y' and are skipped."),
            tested.remarks.end());
}

TEST(TableEvolution, ReportsScoresInUnitsOfTable) {
  const TableEvolutionOutcome outcome =
      evolve_table(plane(60), nullptr, options_for(2)).value();
  const TablePlan plan = outcome.plan();

  EXPECT_NEAR(plan.shown(outcome.result.score), outcome.score, 1e-4);
  EXPECT_NEAR(plan.from_units(plan.in_units(0.25)), 0.25, 1e-12);
  EXPECT_GT(outcome.baselines[0].score, 10);
  EXPECT_LT(outcome.test_score, outcome.baselines[0].score);
  EXPECT_GE(outcome.test_score, 0);
}

TEST(TableEvolution, ResumingFinishedRunChangesNothing) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / "table_evolution.lmk";
  std::filesystem::remove(path);
  TableEvolutionOptions options = options_for(4);
  options.evolution.checkpoint = path;
  const auto whole = evolve_table(plane(60), nullptr, options).value();
  options.evolution.resume = true;
  const auto again = evolve_table(plane(60), nullptr, options).value();

  EXPECT_EQ(again.result.counts.generations, 4);
  EXPECT_EQ(again.result.network.parameters().values,
            whole.result.network.parameters().values);
  EXPECT_FALSE(again.curve.empty());
}

TEST(TableEvolution, RejectsCheckpointOfOtherData) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / "table_evolution_other.lmk";
  std::filesystem::remove(path);
  TableEvolutionOptions options = options_for(2);
  options.evolution.checkpoint = path;
  ASSERT_TRUE(evolve_table(plane(60), nullptr, options));
  options.evolution.resume = true;
  options.ignore = {"x"};

  EXPECT_EQ(evolve_table(plane(60), nullptr, options).error().code(),
            ErrorCode::FailedPrecondition);
  ASSERT_TRUE(write_file(path, "not a checkpoint"));
  EXPECT_FALSE(evolve_table(plane(60), nullptr, options));
}

TEST(TableEvolution, ResumesFromCheckpointWithHigherGoal) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / "table_evolution_goal.lmk";
  std::filesystem::remove(path);
  TableEvolutionOptions options = options_for(3);
  options.evolution.checkpoint = path;
  options.goal = 1000;
  const auto easy = evolve_table(plane(60), nullptr, options).value();
  options.evolution.resume = true;
  options.goal = 1e-9;
  const auto hard = evolve_table(plane(60), nullptr, options).value();

  EXPECT_TRUE(easy.result.target_reached);
  EXPECT_EQ(easy.result.counts.generations, 1);
  EXPECT_EQ(hard.result.counts.generations, 3);
  EXPECT_FALSE(hard.result.target_reached);
}

}  // namespace
}  // namespace lamarck::table
