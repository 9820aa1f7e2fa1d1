#include "lamarck/cli/law_prediction.h"

#include <gtest/gtest.h>

#include "lamarck/data/csv.h"
#include "lamarck/formula/formula.h"

namespace lamarck::cli {
namespace {

LawModel make_law(const char* text) {
  return {.law = {.formula = formula::parse_infix(text, {"a", "b"}).value(),
                  .params = {}},
          .columns = {"first (m)", "second"},
          .target = "y"};
}

data::Table parse(const char* text) { return data::parse_csv(text).value(); }

TEST(LawPrediction, EvaluatesLawForEachRow) {
  const auto prediction = predict_by_law(
      make_law("2*a + b"), parse("second,first (m),y\n1,10,21\n2,20,42\n"));

  ASSERT_TRUE(prediction) << prediction.error().message();
  EXPECT_EQ(prediction->table.columns()[0].numbers,
            (std::vector<double>{21, 42}));
  EXPECT_EQ(prediction->score, 0.0);
  EXPECT_EQ(prediction->scored_rows, 2u);
}

TEST(LawPrediction, NeedsOnlyColumnsThatLawUses) {
  EXPECT_TRUE(predict_by_law(make_law("2*a"), parse("first (m)\n1\n")));

  const auto failed = predict_by_law(make_law("a + b"), parse("second\n1\n"));

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::InvalidArgument);
}

TEST(LawPrediction, LeavesRowsWithoutFiniteValueEmpty) {
  const auto prediction =
      predict_by_law(make_law("1/a"), parse("first (m),y\n0,1\n2,0.5\n,3\n"));

  ASSERT_TRUE(prediction);
  EXPECT_EQ(data::to_csv(prediction->table), "prediction\n\"\"\n0.5\n\"\"\n");
  EXPECT_EQ(prediction->remarks,
            (std::vector<std::string>{"The law has no finite value in 2 rows; "
                                      "their predictions are empty."}));
  EXPECT_EQ(prediction->scored_rows, 1u);
}

TEST(LawPrediction, SignDecidesBetweenClasses) {
  LawModel model = make_law("a - b");
  model.classes = {{.negative = "no", .positive = "yes"}, 2};
  const auto prediction = predict_by_law(
      model, parse("first (m),second,y\n2,2,no\n5,1,yes\n1,2,yes\n"));

  ASSERT_TRUE(prediction) << prediction.error().message();
  EXPECT_EQ(prediction->table.column_names(),
            (std::vector<std::string>{"prediction", "probability_no",
                                      "probability_yes"}));
  EXPECT_EQ(prediction->table.columns()[0].codes,
            (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(prediction->table.columns()[2].numbers[0], 0.5);
  EXPECT_EQ(prediction->metric, "accuracy");
  EXPECT_NEAR(*prediction->score, 2.0 / 3, 1e-12);
}

TEST(LawPrediction, RejectsTextColumn) {
  const auto failed = predict_by_law(make_law("a"), parse("first (m)\nx\n"));

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(),
            "The column 'first (m)' contains text, but the law needs numbers; "
            "correct it.");
}

}  // namespace
}  // namespace lamarck::cli
