#include "lamarck/data/to_dataset.h"

#include <gtest/gtest.h>

#include "lamarck/data/csv.h"

namespace lamarck::data {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kFewFlowers =
    "length,colour,species\n"
    "1,red,rose\n"
    "2,blue,iris\n"
    ",red,iris\n"
    "6,,rose\n"
    "3,red,\n";

Result<Dataset> converted(std::string_view csv,
                          const ToDatasetOptions& options) {
  return to_dataset(parse_csv(csv).value(), options);
}

std::string dataset_failure(std::string_view csv,
                            const ToDatasetOptions& options) {
  const auto result = converted(csv, options);
  return result ? "no failure" : result.error().message();
}

TEST(ToDataset, OneHotEncodesCategoriesInSortedOrder) {
  const Dataset flowers = converted(kFewFlowers, {.target = "species"}).value();

  EXPECT_EQ(flowers.names().inputs,
            Words({"length", "colour=blue", "colour=red"}));
  EXPECT_EQ(flowers.class_names(), Words({"iris", "rose"}));
  EXPECT_EQ(flowers.inputs().to_string(), "[[1, 0, 1], [2, 1, 0]]");
  EXPECT_EQ(flowers.targets().to_string(), "[[0, 1], [1, 0]]");
}

TEST(ToDataset, FillsMissingCellsButNeverTargets) {
  const Dataset flowers =
      converted(kFewFlowers,
                {.target = "species", .missing = MissingCells::Mean})
          .value();
  // The mean of 1, 2, 6 and 3 is 3.
  EXPECT_EQ(flowers.inputs().to_string(),
            "[[1, 0, 1], [2, 1, 0], [3, 0, 1], [6, 0, 0]]");
  EXPECT_EQ(flowers.size(), 4u);
}

TEST(ToDataset, PredictsNumbers) {
  const Dataset flowers =
      converted(kFewFlowers, {.target = "length", .ignore = {"species"}})
          .value();
  EXPECT_EQ(flowers.targets().to_string(), "[[1], [2], [3]]");
  EXPECT_EQ(flowers.names().targets, Words({"length"}));
  EXPECT_TRUE(flowers.class_names().empty());
}

TEST(ToDataset, TreatsNumbersAsClassesOnRequest) {
  const Dataset digits =
      converted("x,digit\n1,10\n2,9\n3,-1\n4,9\n",
                {.target = "digit", .target_kind = TargetKind::Classes})
          .value();
  EXPECT_EQ(digits.class_names(), Words({"-1", "9", "10"}));
  EXPECT_EQ(digits.targets().to_string(),
            "[[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]]");
}

TEST(ToDataset, ErrorsNameColumn) {
  EXPECT_EQ(dataset_failure(kFewFlowers, {.target = "specie"}),
            "There is no column 'specie'; did you mean 'species'?");
  EXPECT_EQ(
      dataset_failure(kFewFlowers, {.target = "species", .ignore = {"color"}}),
      "There is no column 'color'; did you mean 'colour'?");
  EXPECT_EQ(dataset_failure(kFewFlowers,
                            {.target = "species", .ignore = {"species"}}),
            "Column 'species' is the target, so it cannot be ignored.");
  EXPECT_EQ(dataset_failure(kFewFlowers, {.target = "species",
                                          .ignore = {"length", "colour"}}),
            "Column 'species' is the target, and no other column can be used "
            "as an input.");
  EXPECT_EQ(
      dataset_failure(kFewFlowers,
                      {.target = "species", .target_kind = TargetKind::Number}),
      "Column 'species' contains text, so it cannot be predicted as a number.");
  EXPECT_EQ(dataset_failure("a,b\n1,\n2,\n", {.target = "a"}),
            "Column 'b' has no values; ignore the column.");
  EXPECT_EQ(dataset_failure("a,b,c\n1,2,\n3,,4\n5,,\n", {.target = "a"}),
            "Column 'b' is missing 2 of 3 values, and no row is complete; "
            "ignore the column, or fill missing numbers with the mean.");
  EXPECT_EQ(dataset_failure("a,b\n1,1e39\n", {.target = "a"}),
            "Column 'b' contains 1e+39, which does not fit into a 32-bit "
            "float; scale or ignore the column.");
  EXPECT_EQ(dataset_failure("a,b\n1,2\ninf,2\n", {.target = "a"}),
            "Column 'a' contains inf, which is not a finite number; correct "
            "the cell or leave it empty.");
}

TEST(ToDataset, RejectsText) {
  std::string csv = "name,x\n";
  for (int i = 0; i < 50; ++i) csv += "n" + std::to_string(i) + ",1\n";
  EXPECT_EQ(dataset_failure(csv, {.target = "x"}),
            "Column 'name' is text with 50 distinct values, not a number or a "
            "category; ignore the column.");
  EXPECT_EQ(dataset_failure(csv, {.target = "name"}),
            "Column 'name' is text with 50 distinct values, not a number or a "
            "category; choose another target.");
}

}  // namespace
}  // namespace lamarck::data
