// What users of NumPy and PyTorch expect of tensors.

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {
namespace {

using FeelValues = std::vector<float>;

std::string printed_tensor(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

TEST(TensorFeel, NegativeIndicesCountFromTheEnd) {
  const Tensor x = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.at({-1, -3}), 4);
  EXPECT_EQ(x.select(1, -1).to_vector(), (FeelValues{3, 6}));
  EXPECT_EQ(x.slice(1, -2, kToEnd).to_vector(), (FeelValues{2, 3, 5, 6}));
  EXPECT_EQ(x.slice(1, 0, -1).to_vector(), (FeelValues{1, 2, 4, 5}));
  EXPECT_THROW(x.at({-3, 0}), LogicError);
  EXPECT_THROW(x.select(0, -3), LogicError);
  EXPECT_THROW(x.slice(1, -4, 2), LogicError);
  EXPECT_THROW(x.slice(1, -1, 1), LogicError);
}

TEST(TensorFeel, ReshapeInfersOneSize) {
  const Tensor x = Tensor::range(6);
  const std::vector<std::int64_t> sizes = {-1, 2};
  EXPECT_EQ(x.reshape(sizes).shape(), Shape({3, 2}));
  EXPECT_EQ(x.reshape({2, -1}).shape(), Shape({2, 3}));
  EXPECT_THROW(x.reshape({-1, 4}), LogicError);
  EXPECT_THROW(x.reshape({-1, -1}), LogicError);
}

TEST(TensorFeel, PermuteTakesNegativeAxesOfAnyRank) {
  const Tensor x = Tensor::range(32).reshape({2, 2, 2, 2, 2});
  const Tensor y = x.permute({-1, 3, 2, 1, 0});
  EXPECT_EQ(y.at({1, 0, 0, 0, 0}), 1);
  EXPECT_EQ(y.at({0, 0, 0, 0, 1}), 16);
}

TEST(TensorFeel, ScalarsGoOnEitherSide) {
  const Tensor x = Tensor::from({2}, {1, 4});
  EXPECT_EQ((x * 2 + 1).to_vector(), (FeelValues{3, 9}));
  EXPECT_EQ((1 - x).to_vector(), (FeelValues{0, -3}));
  EXPECT_EQ((8 / x).to_vector(), (FeelValues{8, 2}));
  EXPECT_EQ((-x).to_vector(), (FeelValues{-1, -4}));
  EXPECT_EQ((2 < x).to_vector(), (FeelValues{0, 1}));
  EXPECT_EQ((x == 4).to_vector(), (FeelValues{0, 1}));
  EXPECT_EQ((x != x).to_vector(), (FeelValues{0, 0}));
  EXPECT_EQ(sqrt(x).to_vector(), (FeelValues{1, 2}));
  EXPECT_EQ(pow(x, 2).to_vector(), (FeelValues{1, 16}));
  EXPECT_EQ(clamp(x, 2, 3).to_vector(), (FeelValues{2, 3}));
}

TEST(TensorFeel, AssignmentOperatorsWriteIntoSharedElements) {
  Tensor x = Tensor::from({2, 2}, {1, 2, 3, 4});
  Tensor row = x.select(0, 1);
  row += 10;
  x *= Tensor::from({2}, {1, 2});
  EXPECT_EQ(x.to_vector(), (FeelValues{1, 4, 13, 28}));
  x -= x.transpose();
  EXPECT_EQ(x.to_vector(), (FeelValues{0, -9, 9, 0}));
  EXPECT_THROW(row += x, LogicError);  // It would change the shape.
}

TEST(TensorFeel, ReductionsKeepAxisOnRequest) {
  const Tensor x = Tensor::from({2, 3}, {1, 6, 3, 4, 5, 2});
  EXPECT_EQ(sum(x, -1, true).shape(), Shape({2, 1}));
  EXPECT_EQ(max(x, 0, true).to_vector(), (FeelValues{4, 6, 3}));
  EXPECT_EQ(max(x).item(), 6);
  EXPECT_EQ(min(x).item(), 1);
  EXPECT_EQ(argmax(x).item(), 1);
  EXPECT_EQ(argmax(x, 1, true).shape(), Shape({2, 1}));
}

TEST(TensorFeel, DrawsFromRangesAndNormals) {
  Rng rng(3);
  const Tensor u = Tensor::uniform({4000}, -2, 6, rng);
  EXPECT_GE(min(u).item(), -2);
  EXPECT_LT(max(u).item(), 6);
  EXPECT_NEAR(mean(u).item(), 2, 0.2);
  const Tensor n = Tensor::normal({4000}, 5, 2, rng);
  EXPECT_NEAR(mean(n).item(), 5, 0.2);
  EXPECT_NEAR(sqrt(mean(pow(n - 5, 2))).item(), 2, 0.2);
  EXPECT_THROW(Tensor::uniform({1}, 1, 0, rng), LogicError);
  EXPECT_THROW(Tensor::normal({1}, 0, -1, rng), LogicError);
}

TEST(TensorFeel, PrintsRowsInColumns) {
  EXPECT_EQ(printed_tensor(Tensor::scalar(2.5f)), "2.5");
  EXPECT_EQ(printed_tensor(Tensor::range(3)), "[0, 1, 2]");
  EXPECT_EQ(printed_tensor(Tensor::from({2, 2}, {1, -2.5f, 10, 3})),
            "[[   1, -2.5],\n [  10,    3]]");
  EXPECT_EQ(printed_tensor(Tensor::zeros({2, 1, 2})),
            "[[[0, 0]],\n\n [[0, 0]]]");
  EXPECT_EQ(printed_tensor(Tensor::range(2000)),
            "[0, 1, 2, ..., 1997, 1998, 1999]");
  EXPECT_EQ(printed_tensor(Tensor::zeros({0, 2})), "[]");
}

}  // namespace
}  // namespace lamarck
