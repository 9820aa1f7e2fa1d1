#include "lamarck/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "lamarck/base/error.h"

namespace lamarck {
namespace {

using Values = std::vector<float>;

TEST(Tensor, StoresValuesInRowMajorOrder) {
  const Tensor x = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.at({1, 0}), 4);
  EXPECT_EQ(x.to_string(), "[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(Tensor::rows({{1, 2}, {3, 4}}).to_vector(), (Values{1, 2, 3, 4}));
  EXPECT_EQ(Tensor::range(3).to_vector(), (Values{0, 1, 2}));
  EXPECT_EQ(Tensor::scalar(7).item(), 7);
  EXPECT_EQ(Tensor().item(), 0);
}

TEST(Tensor, RejectsInvalidShapesAndIndices) {
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THROW(Tensor::from({2, 2}, {1, 2, 3}), LogicError);
  EXPECT_THROW(Tensor::rows({{1, 2}, {3}}), LogicError);
  EXPECT_THROW(x.at({2, 0}), LogicError);
  EXPECT_THROW(x.at({0}), LogicError);
  EXPECT_THROW(x.item(), LogicError);
  EXPECT_THROW(x.reshape({4}), LogicError);
  EXPECT_THROW(x.slice(1, 2, 1), LogicError);
  EXPECT_THROW(x.slice(0, 0, 3), LogicError);
  EXPECT_THROW(x.select(0, 2), LogicError);
  EXPECT_THROW(Tensor::zeros({3}).transpose(), LogicError);
  EXPECT_THROW(Tensor::zeros({2, 3}) + Tensor::zeros({4}), LogicError);
  EXPECT_THROW(matmul(x, x), LogicError);
}

TEST(Tensor, RaggedRowsAreAnInvalidArgument) {
  try {
    Tensor::rows({{1, 2}, {3, 4}, {5}});
    FAIL() << "nothing was thrown";
  } catch (const LogicError& caught) {
    EXPECT_EQ(caught.error().code(), ErrorCode::InvalidArgument);
    EXPECT_STREQ(caught.what(),
                 "Tensor::rows: all rows must have the length of row 0, 2; row "
                 "2 has length 1.");
  }
}

// Mistakes of the caller are not internal errors.
TEST(Tensor, WrongUseHasCodeInvalidArgument) {
  Tensor x = Tensor::zeros({2, 3});
  const std::vector<std::int64_t> few_axes = {0};
  const std::vector<Tensor> no_parts;
  const std::vector<std::function<void()>> mistakes = {
      [&] { x.permute(few_axes); },
      [&] {
        Tensor view = x.transpose();
        static_cast<void>(view.data());
      },
      [&] { concat(no_parts, 0); },
      [] {
        max(Tensor::zeros({0, 3}), 0);
      },
      [] {
        argmax(Tensor::zeros({0, 3}), 0);
      },
  };
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    try {
      mistakes[i]();
      ADD_FAILURE() << "nothing was thrown by mistake " << i;
    } catch (const LogicError& caught) {
      EXPECT_EQ(caught.error().code(), ErrorCode::InvalidArgument) << i;
    }
  }
}

TEST(Tensor, IndexErrorsStateTheRangeAndTheGivenValue) {
  Tensor x = Tensor::zeros({2, 3});
  const auto message = [](const std::function<void()>& mistake) {
    try {
      mistake();
    } catch (const LogicError& caught) {
      EXPECT_EQ(caught.error().fields().at("kind"), "invalid_value");
      return caught.error().message();
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message([&] {
              x.at({0, 3});
            }),
            "Tensor::at: the index for axis 1 of shape [2, 3] must be between "
            "-3 and 2, got 3.");
  EXPECT_EQ(message([&] { x.at({0}); }),
            "Tensor::at: the number of indices must be 2 for shape [2, 3], got "
            "1.");
  EXPECT_EQ(message([&] { x.slice(0, 1, 4); }),
            "slice: the range of axis 0 of shape [2, 3] must satisfy 0 <= "
            "begin <= end <= 2, counting negative numbers from the end, got 1 "
            "to 4.");
  EXPECT_EQ(message([&] { x.select(1, -4); }),
            "select: the index for axis 1 of shape [2, 3] must be between -3 "
            "and 2, got -4.");
  EXPECT_EQ(message([&] { x.size(2); }),
            "size: the axis must be between -2 and 1 for shape [2, 3], got 2.");
}

TEST(Tensor, ViewsShareElements) {
  Tensor x = Tensor::range(12).reshape({3, 4});
  Tensor row = x.select(0, 1);
  Tensor corner = x.slice(0, 1, 3).slice(1, 2, 4);
  const Tensor transposed = x.transpose();
  EXPECT_TRUE(transposed.shares_elements_with(x));
  EXPECT_EQ(row.to_vector(), (Values{4, 5, 6, 7}));
  EXPECT_EQ(corner.to_vector(), (Values{6, 7, 10, 11}));
  EXPECT_EQ(transposed.shape(), Shape({4, 3}));
  EXPECT_EQ(transposed.at({2, 1}), 6);

  corner.fill(-1);
  EXPECT_EQ(x.to_vector(), (Values{0, 1, 2, 3, 4, 5, -1, -1, 8, 9, -1, -1}));
  EXPECT_EQ(transposed.at({3, 2}), -1);
  const Tensor copy = x.clone();
  x.at({0, 0}) = 100;
  EXPECT_EQ(copy.at({0, 0}), 0);
}

TEST(Tensor, ReshapesWithoutCopyingIfContiguous) {
  const Tensor x = Tensor::range(6);
  EXPECT_TRUE(x.reshape({2, 3}).shares_elements_with(x));
  const Tensor transposed = x.reshape({2, 3}).transpose();
  EXPECT_FALSE(transposed.is_contiguous());
  EXPECT_EQ(transposed.reshape({6}).to_vector(), (Values{0, 3, 1, 4, 2, 5}));
}

TEST(Tensor, PermutesAxes) {
  const Tensor x = Tensor::range(24).reshape({2, 3, 4});
  const std::vector<std::int64_t> axes = {2, 0, 1};
  const Tensor y = x.permute(axes);
  EXPECT_EQ(y.shape(), Shape({4, 2, 3}));
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 4; ++k) {
        EXPECT_EQ(y.at({k, i, j}), x.at({i, j, k}));
        EXPECT_EQ(y.clone().at({k, i, j}), x.at({i, j, k}));
      }
    }
  }
  const std::vector<std::int64_t> twice = {0, 0, 1};
  EXPECT_THROW(x.permute(twice), LogicError);
}

TEST(Tensor, ArithmeticSupportsBroadcastingAndViews) {
  const Tensor x = Tensor::rows({{1, 2}, {3, 4}});
  EXPECT_EQ((x + Tensor::from({2}, {10, 20})).to_vector(),
            (Values{11, 22, 13, 24}));
  EXPECT_EQ((x.transpose() - x).to_vector(), (Values{0, 1, -1, 0}));
  EXPECT_EQ((x * Tensor::scalar(2)).to_vector(), (Values{2, 4, 6, 8}));
  EXPECT_EQ((x / x).to_vector(), Values(4, 1.0f));
  EXPECT_EQ((Tensor::zeros({0, 2}) + x.slice(0, 0, 1)).shape(), Shape({0, 2}));
}

TEST(Tensor, MultipliesMatricesAndBatches) {
  const Tensor a = Tensor::rows({{1, 2}, {3, 4}});
  const Tensor b = Tensor::rows({{5, 6, 7}, {8, 9, 10}});
  EXPECT_EQ(matmul(a, b).to_vector(), (Values{21, 24, 27, 47, 54, 61}));
  EXPECT_EQ(matmul(a.transpose(), a).to_vector(), (Values{10, 14, 14, 20}));

  const Tensor stack = Tensor::range(12).reshape({3, 2, 2});
  const Tensor product = matmul(stack, a);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(
        max_difference(product.select(0, i), matmul(stack.select(0, i), a)), 0);
  }
  EXPECT_EQ(matmul(Tensor::ones({4, 1, 2, 3}), Tensor::ones({5, 3, 2})).shape(),
            Shape({4, 5, 2, 2}));
}

TEST(Tensor, ConcatenatesAlongAnyAxis) {
  const std::vector<Tensor> parts = {Tensor::ones({2, 1}),
                                     Tensor::rows({{2, 3}, {4, 5}})};
  EXPECT_EQ(concat(parts, 1).to_vector(), (Values{1, 2, 3, 1, 4, 5}));
  EXPECT_THROW(concat(parts, 0), LogicError);
}

TEST(Tensor, SameSeedGivesSameRandomTensor) {
  Rng first(3);
  Rng second(3);
  const Tensor x = Tensor::randn({50, 40}, first);
  EXPECT_EQ(max_difference(x, Tensor::randn({50, 40}, second)), 0);
  EXPECT_NEAR(mean(x).item(), 0, 0.1);
  EXPECT_NEAR(mean(x * x).item(), 1, 0.1);
  const Tensor u = Tensor::rand({2000}, first);
  EXPECT_NEAR(mean(u).item(), 0.5, 0.05);
}

TEST(Tensor, AbbreviatesLongTensorsInText) {
  EXPECT_EQ(Tensor::range(100).to_string(), "[0, 1, 2, ..., 97, 98, 99]");
}

TEST(Tensor, MaxDifferenceDetectsNan) {
  EXPECT_TRUE(
      std::isinf(max_difference(Tensor::scalar(NAN), Tensor::scalar(1))));
  EXPECT_EQ(max_difference(Tensor::scalar(NAN), Tensor::scalar(NAN)), 0);
  EXPECT_EQ(max_difference(Tensor::scalar(1), Tensor::scalar(3)), 2);
}

TEST(Tensor, BorrowedElementsAreThoseOfTheirOwner) {
  auto elements = std::make_shared<float[]>(6);
  const Tensor x = Tensor::borrow({2, 3}, elements);

  elements[4] = 7;

  EXPECT_EQ(x.at({1, 1}), 7);
  EXPECT_EQ(elements.use_count(), 2);
}

}  // namespace
}  // namespace lamarck
