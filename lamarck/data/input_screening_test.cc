#include "lamarck/data/input_screening.h"

#include <cmath>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

constexpr std::size_t kRows = 300;

Column numbers(std::vector<double> values) {
  return {.name = "n", .kind = ColumnKind::Number, .numbers = values};
}

Column noise(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) values.push_back(rng.uniform(-1, 1));
  return numbers(values);
}

Column changed(const Column& column, double (*function)(double)) {
  Column result = column;
  for (double& value : result.numbers) value = function(value);
  return result;
}

TEST(InputScreening, MonotonicRelationHasCorrelationOne) {
  const Column target = noise(1);
  const InputScreening screening(target);
  const Column steep =
      changed(target, [](double x) { return std::exp(9 * x); });
  EXPECT_NEAR(screening.score(steep).correlation, 1, 1e-12);
  EXPECT_LT(screening.score(noise(2)).correlation, 0.3);
}

TEST(InputScreening, InformationFindsRelationWithoutCorrelation) {
  const Column input = noise(3);
  const Column target = changed(input, [](double x) { return x * x; });
  const InputScreening screening(target);
  EXPECT_LT(screening.score(input).correlation, 0.2);
  EXPECT_GT(screening.score(input).information, 0.5);
  EXPECT_LT(screening.score(noise(4)).information, 0.1);
}

TEST(InputScreening, ClassesAndCategoriesAreScored) {
  const Column input = noise(5);
  Column sign{.name = "s", .kind = ColumnKind::Category, .values = {"-", "+"}};
  for (const double value : input.numbers) sign.codes.push_back(value > 0);
  const InputScreening by_class(sign);
  EXPECT_GT(by_class.score(input).correlation, 0.8);
  EXPECT_GT(by_class.score(input).information, 0.5);
  EXPECT_LT(by_class.score(noise(6)).information, 0.1);
  const InputScreening by_number(input);
  EXPECT_GT(by_number.score(sign).correlation, 0.8);
  EXPECT_GT(by_number.score(sign).information, 0.5);
}

TEST(InputScreening, ConstantsAndMissingCellsTellNothing) {
  const InputScreening screening(noise(7));
  const ColumnScore flat =
      screening.score(numbers(std::vector<double>(kRows, 4.0)));
  EXPECT_EQ(flat.correlation, 0);
  EXPECT_EQ(flat.information, 0);
  const ColumnScore missing =
      screening.score(numbers(std::vector<double>(kRows, std::nan(""))));
  EXPECT_EQ(missing.correlation, 0);
  EXPECT_EQ(missing.information, 0);
}

TEST(ChooseInformative, SharesPlacesBetweenBothScores) {
  const std::vector<ColumnScore> scores = {
      {0.1, 0.9}, {0.9, 0.1}, {0.8, 0.2}, {0.2, 0.8}, {0.0, 0.0}};
  const std::vector<std::size_t> widths(5, 1);
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(choose_informative(scores, widths, 2), (Places{0, 1}));
  EXPECT_EQ(choose_informative(scores, widths, 4), (Places{0, 1, 2, 3}));
  EXPECT_EQ(choose_informative(scores, widths, 3, Places{4}),
            (Places{0, 1, 4}));
}

TEST(ChooseInformative, CountsWidthsAndPrefersEarlierColumns) {
  const std::vector<ColumnScore> scores(4,
                                        {.correlation = 1, .information = 1});
  const std::vector<std::size_t> widths = {3, 1, 5, 1};
  EXPECT_EQ(choose_informative(scores, widths, 8),
            (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(choose_informative(scores, widths, 2),
            (std::vector<std::size_t>{1, 3}));
}

}  // namespace
}  // namespace lamarck::data
