// Evolution on all rows, with weights, and from a known network.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "lamarck/evolution/network_file.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::Table;

// y = 30 x - 10, with a column "w" of weights.
Table line(std::size_t rows, const std::vector<double>& weights = {}) {
  Rng rng(3);
  Column x{.name = "x"};
  Column y{.name = "y"};
  Column w{.name = "w"};
  for (std::size_t row = 0; row < rows; ++row) {
    x.numbers.push_back(rng.normal());
    y.numbers.push_back(30 * x.numbers[row] - 10);
    w.numbers.push_back(weights.empty() ? 1 : weights[row % weights.size()]);
  }
  return Table({x, y, w});
}

TableEvolutionOptions options_for_line(std::int64_t generations) {
  TableEvolutionOptions options{.target = "y", .ignore = {"w"}};
  options.test_split = 0;
  options.evolution.seed = 1;
  options.evolution.budget.generations = generations;
  options.evolution.threads = 1;
  return options;
}

std::string bytes_of(const TableEvolutionOutcome& outcome) {
  return evolution::network_to_bytes({outcome.result.network, {}});
}

TEST(TrainingRows, AreAllRowsWithoutTestSplit) {
  const auto outcome =
      evolve_table(line(40), nullptr, options_for_line(2)).value();

  EXPECT_EQ(outcome.train_rows, 40u);
  EXPECT_EQ(outcome.test_rows, 0u);
  EXPECT_TRUE(std::isnan(outcome.test_score));
  EXPECT_TRUE(outcome.baselines.empty());
  EXPECT_GT(outcome.score, 0.9);
}

TEST(TrainingRows, MayBeFewIfNoneAreHeldOut) {
  EXPECT_TRUE(evolve_table(line(2), nullptr, options_for_line(1)));
  EXPECT_TRUE(evolve_table(line(5), nullptr, options_for_line(1)));

  const auto single = evolve_table(line(1), nullptr, options_for_line(1));

  EXPECT_FALSE(single);
}

TEST(TrainingRows, OfSeriesAreAllRowsWithoutTestSplit) {
  TableEvolutionOptions options = options_for_line(1);
  options.is_series = true;

  const auto outcome = evolve_table(line(80), nullptr, options).value();

  EXPECT_EQ(outcome.test_rows, 0u);
  EXPECT_TRUE(std::isnan(outcome.test_score));
}

TEST(RowWeights, ThatAreEqualChangeNothing) {
  TableEvolutionOptions weighted = options_for_line(2);
  weighted.weight = "w";

  const auto plain =
      evolve_table(line(40), nullptr, options_for_line(2)).value();
  const auto equal = evolve_table(line(40, {7}), nullptr, weighted).value();

  EXPECT_EQ(bytes_of(equal), bytes_of(plain));
}

TEST(RowWeights, OfZeroLeaveRowsOutInAnyOrder) {
  TableEvolutionOptions weighted = options_for_line(2);
  weighted.weight = "w";
  const Table all = line(60, {1, 0, 2});
  std::vector<std::size_t> kept;
  for (std::size_t row = 60; row-- > 0;) {
    if (row % 3 != 1) kept.push_back(row);
  }

  const auto with_zeros = evolve_table(all, nullptr, weighted).value();
  const auto without = evolve_table(all.rows(kept), nullptr, weighted).value();

  EXPECT_EQ(with_zeros.train_rows, 40u);
  EXPECT_EQ(bytes_of(with_zeros), bytes_of(without));
}

TEST(RowWeights, ChangeWhatIsLearned) {
  // Two lines through the same x; the heavy one wins.
  Table both = line(80, {1, 99});
  std::vector<Column> columns = both.columns();
  for (std::size_t row = 0; row < 80; row += 2) {
    columns[0].numbers[row] = columns[0].numbers[row + 1];
    columns[1].numbers[row] = -columns[1].numbers[row + 1];
  }
  both = Table(columns);
  TableEvolutionOptions weighted = options_for_line(3);
  weighted.weight = "w";
  weighted.is_single = true;

  const auto outcome = evolve_table(both, nullptr, weighted).value();

  // The prediction for a row lies near the heavy target.
  const auto rows = outcome.encoding.encode(both).value();
  const auto numbers = outcome.encoding.decode_numbers(
      evolution::predict(outcome.result.network, rows.inputs));
  double error = 0;
  double size = 0;
  for (std::size_t row = 1; row < 80; row += 2) {
    error += std::abs(numbers[row] - columns[1].numbers[row]);
    size += std::abs(columns[1].numbers[row]);
  }
  EXPECT_LT(error, 0.3 * size);
}

TEST(RowWeights, MustBeFiniteNumbersOfAtLeastZero) {
  TableEvolutionOptions weighted = options_for_line(1);
  weighted.weight = "w";

  const auto negative = evolve_table(line(20, {1, -2}), nullptr, weighted);
  const auto zero = evolve_table(line(20, {0}), nullptr, weighted);

  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().message(),
            "Weights must be at least 0 and finite, but row 2 of 'w' is -2.");
  ASSERT_FALSE(zero);
}

TEST(TableStart, IsEvolvedFurther) {
  const auto first =
      evolve_table(line(60), nullptr, options_for_line(3)).value();
  TableEvolutionOptions options = options_for_line(1);
  options.start = std::make_shared<TableStart>(
      TableStart{first.result.network, first.encoding});

  const auto second = evolve_table(line(60), nullptr, options).value();

  EXPECT_EQ(second.encoding, first.encoding);
  EXPECT_EQ(second.ensemble.folds, 0u);
  EXPECT_GE(second.result.network.parameters().size(),
            first.result.network.parameters().size() / 2);
  EXPECT_GT(second.score, 0.99);
}

}  // namespace
}  // namespace lamarck::table
