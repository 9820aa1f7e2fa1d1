#include "lamarck/data/confusion_matrix.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"
#include "lamarck/data/class_labels.h"

namespace lamarck::data {
namespace {

using Classes = std::vector<std::size_t>;

// Class 3 is only predicted; class 4 only occurs in the targets.
const Classes kActual = {0, 0, 0, 1, 1, 2, 2, 2, 2, 4};
const Classes kPredicted = {0, 0, 0, 0, 1, 2, 2, 0, 1, 3};

TEST(ConfusionMatrix, CountsActualAgainstPredicted) {
  const ConfusionMatrix matrix(kPredicted, kActual);
  EXPECT_EQ(matrix.class_count(), 5u);
  EXPECT_EQ(matrix.count(0, 0), 3u);
  EXPECT_EQ(matrix.count(2, 0), 1u);
  EXPECT_EQ(matrix.count(0, 2), 0u);
  EXPECT_EQ(matrix.count(4, 3), 1u);
}

// The numbers are those of scikit-learn 1.2.1 with zero_division=0.
TEST(ConfusionMatrix, AgreesWithScikitLearnForEachClass) {
  const ConfusionMatrix matrix(kPredicted, kActual);
  const double precision[] = {0.6, 0.5, 1, 0, 0};
  const double recall[] = {1, 0.5, 0.5, 0, 0};
  const double f1[] = {0.75, 0.5, 2.0 / 3, 0, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_DOUBLE_EQ(matrix.precision(i), precision[i]) << i;
    EXPECT_DOUBLE_EQ(matrix.recall(i), recall[i]) << i;
    EXPECT_DOUBLE_EQ(matrix.f1(i), f1[i]) << i;
  }
}

TEST(ConfusionMatrix, AgreesWithScikitLearnOnAverages) {
  const ConfusionMatrix matrix(kPredicted, kActual);
  EXPECT_DOUBLE_EQ(matrix.accuracy(), 0.6);
  EXPECT_DOUBLE_EQ(matrix.precision(Average::Macro), 0.42);
  EXPECT_DOUBLE_EQ(matrix.recall(Average::Macro), 0.4);
  EXPECT_DOUBLE_EQ(matrix.f1(Average::Macro), 0.3833333333333333);
  EXPECT_DOUBLE_EQ(matrix.precision(Average::Micro), 0.6);
  EXPECT_DOUBLE_EQ(matrix.recall(Average::Micro), 0.6);
  EXPECT_DOUBLE_EQ(matrix.f1(Average::Micro), 0.6);
}

TEST(ConfusionMatrix, MacroAverageSkipsAbsentClasses) {
  const ConfusionMatrix matrix(kPredicted, kActual, 50);
  EXPECT_EQ(matrix.class_count(), 50u);
  EXPECT_EQ(matrix.f1(49), 0);
  EXPECT_DOUBLE_EQ(matrix.f1(Average::Macro), 0.3833333333333333);
}

TEST(ConfusionMatrix, AcceptsIndicesAndRowsAlike) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const Tensor scores = Tensor::randn({30, 4}, rng);
    Classes actual(30);
    for (std::size_t& label : actual) label = rng.below(4);
    const ConfusionMatrix rows(scores, one_hot(actual, 4));
    const ConfusionMatrix numbers(class_indices(scores), actual, 4);
    EXPECT_EQ(rows.to_string(), numbers.to_string()) << "seed " << seed;
    EXPECT_EQ(rows.f1(Average::Macro), numbers.f1(Average::Macro));
  }
}

TEST(ConfusionMatrix, PrintsAlignedTable) {
  const ConfusionMatrix matrix(Classes{0, 1, 1}, Classes{0, 0, 1});
  EXPECT_EQ(matrix.to_string(),
            "actual \\ predicted  0  1\n"
            "                 0  1  1\n"
            "                 1  0  1\n");
  const std::vector<std::string> names = {"iris", "rosé"};
  EXPECT_EQ(matrix.to_string(names),
            "actual \\ predicted  iris  rosé\n"
            "              iris     1     1\n"
            "              rosé     0     1\n");
}

TEST(ConfusionMatrix, RejectsInvalidArguments) {
  EXPECT_THROW(ConfusionMatrix(Classes{0}, Classes{0, 1}), LogicError);
  EXPECT_THROW(ConfusionMatrix(Classes{}, Classes{}), LogicError);
  EXPECT_THROW(ConfusionMatrix(Classes{SIZE_MAX}, Classes{0}), LogicError);
  EXPECT_THROW(ConfusionMatrix(Classes{0}, Classes{0}, 20'000), LogicError);
  const ConfusionMatrix matrix(Classes{0, 1}, Classes{0, 1});
  EXPECT_THROW(matrix.precision(2), LogicError);
  const std::vector<std::string> one_name = {"a"};
  EXPECT_THROW(matrix.to_string(one_name), LogicError);
}

}  // namespace
}  // namespace lamarck::data
