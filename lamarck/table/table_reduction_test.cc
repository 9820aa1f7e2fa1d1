#include "lamarck/table/internal/table_reduction.h"

#include <gtest/gtest.h>

#include <string>

#include "lamarck/base/rng.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::Table;

// The last column, y, is twice the column x7; all others are noise.
Table wide_table(std::size_t columns, std::size_t rows) {
  Rng rng(5);
  std::vector<Column> all;
  for (std::size_t i = 0; i < columns; ++i) {
    Column& column = all.emplace_back();
    column.name = "x" + std::to_string(i);
    for (std::size_t row = 0; row < rows; ++row) {
      column.numbers.push_back(rng.normal());
    }
  }
  Column target{.name = "y"};
  for (const double x : all[7 % columns].numbers) {
    target.numbers.push_back(2 * x);
  }
  all.push_back(std::move(target));
  return Table(std::move(all));
}

TEST(TableReduction, SmallTablesStayAsTheyAre) {
  const Table table = wide_table(20, 50);
  std::vector<std::string> remarks;
  EXPECT_FALSE(reduce_rows(table, {.target = "y"}, remarks));
  const auto encoding =
      data::TableEncoding::fit(table, {.target = "y"}).value();
  EXPECT_TRUE(
      columns_to_ignore(table, encoding, evolution::Grain::Neuron, {}, remarks)
          .empty());
  EXPECT_TRUE(remarks.empty());
}

TEST(TableReduction, PlanUsesMostInformativeColumns) {
  const Table table = wide_table(kMaxTableInputs + 500, 40);
  const TablePlan plan = plan_table(table, nullptr, {.target = "y"}).value();
  EXPECT_EQ(plan.encoding.input_count(), kMaxTableInputs);
  const auto names = plan.encoding.input_names();
  EXPECT_NE(std::ranges::find(names, "x7"), names.end());
  TableEvolutionOptions options{
      .target = "y",
      .evolution = {.seed = 1, .grain = evolution::Grain::Both, .threads = 1}};
  options.evolution.budget.generations = 1;
  const auto outcome = evolve_table(table, nullptr, options).value();
  options.evolution.grain = evolution::Grain::Neuron;
  EXPECT_EQ(plan_table(table, nullptr, options).value().encoding.input_count(),
            kMaxNeuronInputs);
  ASSERT_EQ(outcome.remarks.size(), 1U);
  EXPECT_NE(outcome.remarks[0].find("The 4096 of 4596 columns that tell most "
                                    "about 'y' are used"),
            std::string::npos);
}

TEST(TableReduction, SeriesKeepsLatestRows) {
  const Table table = wide_table(1, kMaxSeriesRows + 10);
  std::vector<std::string> remarks;
  const auto some =
      reduce_rows(table, {.target = "y", .is_series = true}, remarks);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->row_count(), kMaxSeriesRows);
  EXPECT_EQ(some->columns()[1].numbers.back(),
            table.columns()[1].numbers.back());
  EXPECT_EQ(remarks.size(), 1U);
}

TEST(TableReduction, SamplesRowsOfTallTable) {
  const Table table = wide_table(1, kMaxTableRows + 10);
  std::vector<std::string> remarks;
  const auto some = reduce_rows(table, {.target = "y"}, remarks);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->row_count(), kMaxTableRows);
  EXPECT_EQ(remarks[0],
            "1000000 of the 1000010 rows are used, drawn at random; give a "
            "smaller table to choose them yourself.");
}

}  // namespace
}  // namespace lamarck::table
