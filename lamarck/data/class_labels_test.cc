#include "lamarck/data/class_labels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

using Classes = std::vector<std::size_t>;

TEST(ClassLabels, ConvertToOneHotRows) {
  EXPECT_EQ(one_hot(Tensor::from({2}, {2, 0}), 3).to_string(),
            "[[0, 0, 1], [1, 0, 0]]");
  EXPECT_EQ(one_hot(Tensor::from({2, 1}, {1, 0}), 2).to_string(),
            "[[0, 1], [1, 0]]");
  EXPECT_EQ(one_hot(Classes{}, 4).shape(), Shape({0, 4}));
}

TEST(ClassLabels, RoundTripThroughOneHotRows) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    Classes labels(20);
    for (std::size_t& label : labels) label = rng.below(7);
    EXPECT_EQ(class_indices(one_hot(labels, 7)), labels) << "seed " << seed;
  }
}

TEST(ClassLabels, ArgmaxPrefersFirstOnTies) {
  const Tensor rows = Tensor::rows({{-3, -1, -2}, {0.4f, 0.2f, 0.4f}});
  EXPECT_EQ(class_indices(rows), Classes({1, 0}));
  EXPECT_EQ(predicted_classes(rows), Classes({1, 0}));
}

TEST(ClassLabels, RoundsSingleColumnOfProbabilities) {
  const Tensor column = Tensor::from({4, 1}, {0.1f, 0.5f, 0.9f, 3});
  EXPECT_EQ(predicted_classes(column), Classes({0, 1, 1, 3}));
  EXPECT_THROW(class_indices(column), LogicError);
}

TEST(ClassLabels, RejectsInvalidLabelsAndShapes) {
  EXPECT_THROW(one_hot(Classes{3}, 3), LogicError);
  EXPECT_THROW(one_hot(Tensor::zeros({2, 2}), 3), LogicError);
  for (const float wrong : {-1.0f, 0.5f, NAN, INFINITY, 1e20f}) {
    EXPECT_THROW(class_indices(Tensor::from({1}, {wrong})), LogicError);
  }
  EXPECT_THROW(predicted_classes(Tensor::rows({{0.5f, NAN}})), LogicError);
  EXPECT_THROW(class_indices(Tensor::zeros({2, 3, 4})), LogicError);
  EXPECT_THROW(class_indices(Tensor::zeros({2, 0})), LogicError);
}

}  // namespace
}  // namespace lamarck::data
