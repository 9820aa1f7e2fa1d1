#include "lamarck/data/dataset.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::data {
namespace {

Dataset three_rows() {
  return {Tensor::rows({{1, 2}, {3, 4}, {5, 6}}),
          Tensor::from({3}, {7, 8, 9}),
          {.inputs = {"a", "b"}, .targets = {"t"}}};
}

TEST(Dataset, PairsInputsWithTargets) {
  const Dataset dataset = three_rows();

  EXPECT_EQ(dataset.size(), 3u);
  EXPECT_EQ(dataset.inputs().shape(), Shape({3, 2}));
  EXPECT_EQ(dataset.targets().shape(), Shape({3}));
  EXPECT_EQ(dataset.names().inputs[1], "b");
  EXPECT_TRUE(dataset.class_names().empty());
}

TEST(Dataset, GathersRowsInAnyOrderWithRepeats) {
  const Dataset some = three_rows().rows({2, 0, 2});

  EXPECT_EQ(some.inputs().to_string(), "[[5, 6], [1, 2], [5, 6]]");
  EXPECT_EQ(some.targets().to_string(), "[9, 7, 9]");
  EXPECT_EQ(some.names().targets[0], "t");
  EXPECT_EQ(three_rows().rows({}).size(), 0u);
}

TEST(Dataset, KeepsRowShape) {
  const Dataset images(Tensor::zeros({4, 2, 3}), Tensor::zeros({4, 10}));
  EXPECT_EQ(images.rows({1}).inputs().shape(), Shape({1, 2, 3}));
}

TEST(Dataset, AcceptsNonContiguousViews) {
  const Tensor inputs = Tensor::rows({{1, 3}, {2, 4}}).transpose();
  const Dataset dataset(inputs, Tensor::zeros({2}));
  EXPECT_EQ(dataset.rows({1}).inputs().to_string(), "[[3, 4]]");
}

TEST(Dataset, RejectsMismatchedRowsAndNames) {
  EXPECT_THROW(Dataset(Tensor::zeros({3, 2}), Tensor::zeros({2})), LogicError);
  EXPECT_THROW(Dataset(Tensor(), Tensor()), LogicError);
  EXPECT_THROW(Dataset(Tensor::zeros({3, 2}), Tensor::zeros({3}),
                       {.inputs = {"only one"}}),
               LogicError);
  EXPECT_THROW(three_rows().rows({3}), LogicError);
}

}  // namespace
}  // namespace lamarck::data
