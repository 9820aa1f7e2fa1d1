#include "lamarck/data/cell_column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lamarck::data {
namespace {

// Compares the column with the one of a file that has these cells.
void expect_like_csv(const std::vector<std::string>& cells) {
  std::string csv = "x,y\n";
  for (const std::string& cell : cells) csv += cell + ",1\n";
  const Column read = parse_csv(csv).value().columns()[0];
  const Column made = make_column("x", cells).value();
  EXPECT_EQ(made.kind, read.kind);
  EXPECT_EQ(made.codes, read.codes);
  EXPECT_EQ(made.values, read.values);
  ASSERT_EQ(made.numbers.size(), read.numbers.size());
  for (std::size_t i = 0; i < made.numbers.size(); ++i) {
    EXPECT_TRUE(made.numbers[i] == read.numbers[i] ||
                (std::isnan(made.numbers[i]) && std::isnan(read.numbers[i])));
  }
}

TEST(CellColumn, IsThatOfAFile) {
  expect_like_csv({"1", "2.5", "", "-3e4"});
  expect_like_csv({"red", "", "blue", "red"});
  expect_like_csv({"", "NA", "word", "2024-01-31"});
}

TEST(CellColumn, KeepsSpellingOfNumbersBeforeWord) {
  const Column column =
      make_column("x", std::vector<std::string>{"1.50", "007", "n/a", "none"})
          .value();
  EXPECT_EQ(column.values, (std::vector<std::string>{"007", "1.50", "none"}));
  EXPECT_EQ(column.codes, (std::vector<std::int32_t>{1, 0, -1, 2}));
}

TEST(CellColumn, RejectsNumbersOutOfRange) {
  const auto column = make_column("x", std::vector<std::string>{"1", "1e999"});
  ASSERT_FALSE(column);
  EXPECT_NE(column.error().message().find("1e999"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::data
