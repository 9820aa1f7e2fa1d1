#include "lamarck/table/series_prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/table/table_evolution.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::Table;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

Table make_table(std::vector<double> values) {
  return Table({Column{.name = "y", .numbers = std::move(values)}});
}

Table wave(std::size_t rows) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    values.push_back(5 + std::sin(0.7 * static_cast<double>(i)));
  }
  return make_table(values);
}

TableEvolutionOutcome evolved_wave() {
  return evolve_table(wave(120), nullptr,
                      {.target = "y",
                       .is_series = true,
                       .evolution = {.grain = evolution::Grain::Neuron,
                                     .budget = {.generations = 3},
                                     .threads = 1}})
      .value();
}

TEST(SeriesNote, RoundTripsThroughText) {
  const SeriesNote note{
      .target = "y \"1\"", .horizon = 3, .lags = 9, .season = 7};

  EXPECT_EQ(SeriesNote::parse(note.to_text()).value(), note);
  EXPECT_EQ(note.ahead_name(), "y \"1\" in 3 rows");
  EXPECT_EQ(SeriesNote::parse(R"({"target": "y", "horizon": 2})")->lags, 4u);
  for (const char* wrong : {"", "{}", "[1]", R"({"horizon": 1})",
                            R"({"target": "y", "horizon": 0})"}) {
    EXPECT_FALSE(SeriesNote::parse(wrong)) << wrong;
  }
}

TEST(SeriesPrediction, FillsGapsWithPreviousValue) {
  EXPECT_EQ(without_gaps({kGap, 1, kGap, kGap, 2}),
            (std::vector<double>{1, 1, 1, 1, 2}));
  EXPECT_TRUE(std::isnan(without_gaps({kGap})[0]));
}

TEST(SeriesPrediction, InputsAreLaggedDifferences) {
  const std::vector<double> values = {1, 2, 4, 8};
  const std::vector<Column> changes = series_inputs({.target = "y"}, values);

  EXPECT_EQ(changes[0].name, "rise of y");
  EXPECT_EQ(changes[1].name, "rise of y 1 row ago");
  EXPECT_TRUE(std::isnan(changes[0].numbers[0]));
  EXPECT_EQ(changes[0].numbers[3], 4);
  EXPECT_EQ(changes[1].numbers[3], 2);
}

TEST(SeriesPrediction, InputsOfSeasonReachBackFromThePredictedRow) {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  const std::vector<Column> inputs = series_inputs(
      {.target = "y", .horizon = 1, .lags = 1, .season = 3}, values);

  ASSERT_EQ(inputs.size(), 5u);
  EXPECT_EQ(inputs[1].name, "y 1 season before, less now");
  EXPECT_EQ(inputs[1].numbers[5], 8 - 32);
  EXPECT_EQ(inputs[2].numbers[5], 1 - 32);
  EXPECT_TRUE(std::isnan(inputs[3].numbers[5]));
  EXPECT_EQ(inputs[4].numbers[5], (8 + 16 + 32) / 3.0 - 32);
}

TEST(SeriesPrediction, MatchesPredictionsMadeDuringEvolution) {
  const TableEvolutionOutcome outcome = evolved_wave();

  const auto prediction =
      predict_series(outcome.result.network, outcome.encoding,
                     *outcome.series_note, wave(120));

  ASSERT_TRUE(prediction) << prediction.error().message();
  ASSERT_EQ(prediction->ahead.size(), 120u);
  const std::vector<double>& judged = outcome.series.predicted;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    EXPECT_NEAR(prediction->ahead[119 - judged.size() + i], judged[i], 1e-6);
  }
}

TEST(SeriesPrediction, RequiresTargetColumnWithValues) {
  const TableEvolutionOutcome outcome = evolved_wave();
  const auto predict = [&](const Table& table) {
    return predict_series(outcome.result.network, outcome.encoding,
                          *outcome.series_note, table);
  };

  EXPECT_FALSE(predict(Table({Column{.name = "z", .numbers = {1}}})));
  EXPECT_FALSE(predict(make_table({kGap, kGap})));
  EXPECT_TRUE(predict(make_table({5})));
}

TEST(SeriesPrediction, ScoresChangesRatherThanLevels) {
  const std::vector<double> now = {1e9, 1e9 + 1};
  const std::vector<double> then = {1e9 + 1, 1e9 + 3};

  EXPECT_NEAR(change_score(data::Metric::MeanAbsoluteError, now, now, then),
              1.5, 1e-6);
  EXPECT_EQ(change_score(data::Metric::R2, now, then, then), 1);
}

}  // namespace
}  // namespace lamarck::table
