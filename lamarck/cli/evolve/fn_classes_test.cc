#include "lamarck/cli/evolve/fn_classes.h"

#include <gtest/gtest.h>

#include "lamarck/data/csv.h"

namespace lamarck::cli {
namespace {

const FnClasses kNoYes{.negative = "no", .positive = "yes"};

TEST(FnClasses, AreTheTwoWordsOfAColumn) {
  const auto classes = [](const char* csv) {
    return two_classes(data::parse_csv(csv).value().columns()[0]);
  };
  const auto found = classes("y\nyes\nno\nyes\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->negative, "no");
  EXPECT_EQ(found->positive, "yes");
  EXPECT_FALSE(classes("y\n0\n1\n"));
  EXPECT_FALSE(classes("y\na\nb\nc\n"));
}

TEST(FnClasses, BecomeSigns) {
  const auto table = data::parse_csv("x,y\n1,yes\n2,no\n").value();
  const auto signs = with_signs(table, "y", kNoYes).value();
  EXPECT_EQ(signs.columns()[1].numbers, (std::vector<double>{1, -1}));
  const auto other = data::parse_csv("x,y\n1,yes\n2,maybe\n").value();
  EXPECT_EQ(with_signs(other, "y", kNoYes).error().message(),
            "The column 'y' must contain the classes 'no' and 'yes', got "
            "'maybe'.");
}

TEST(FnClasses, SteepnessFollowsTheErrors) {
  const std::vector<double> target = {1, 1, -1, -1};
  const SignJudgement right = judge_signs({2, 1, -1, -2}, target);
  EXPECT_EQ(right.accuracy(), 1);
  const SignJudgement wrong = judge_signs({2, -1, 1, -2}, target);
  EXPECT_EQ(wrong.accuracy(), 0.5);
  EXPECT_EQ(wrong.confusion[1][0], 1U);
  EXPECT_GT(right.steepness, wrong.steepness);
  EXPECT_LT(right.steepness, 100);
  EXPECT_NEAR(positive_probability(0, right.steepness), 0.5, 1e-15);
}

TEST(FnClasses, AreReadAsWritten) {
  const SignJudgement judged = judge_signs({2, -1}, {1, -1});
  const auto stored = parse_classes(dump_json(classes_json(kNoYes, judged)));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->classes.positive, "yes");
  EXPECT_EQ(stored->steepness, judged.steepness);
  EXPECT_FALSE(parse_classes("{}"));
}

}  // namespace
}  // namespace lamarck::cli
