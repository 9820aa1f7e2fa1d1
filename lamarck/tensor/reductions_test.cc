#include "lamarck/tensor/reductions.h"

#include <gtest/gtest.h>

#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {
namespace {

TEST(Reductions, RunAlongEachAxis) {
  const Tensor x = Tensor::from({2, 3, 2}, {1, 2, 3, 4, 5, 6,  //
                                            -1, -2, -3, -4, -5, -6});
  EXPECT_EQ(sum(x, 0).to_vector(), std::vector<float>(6, 0.0f));
  EXPECT_EQ(sum(x, 1).to_vector(), (std::vector<float>{9, 12, -9, -12}));
  EXPECT_EQ(mean(x, 1).to_vector(), (std::vector<float>{3, 4, -3, -4}));
  EXPECT_EQ(max(x, 2).to_vector(), (std::vector<float>{2, 4, 6, -1, -3, -5}));
  EXPECT_EQ(min(x, -1).to_vector(), (std::vector<float>{1, 3, 5, -2, -4, -6}));
  EXPECT_EQ(argmax(x, 1).to_vector(), (std::vector<float>{2, 2, 0, 0}));
  EXPECT_EQ(sum(x).item(), 0);
  EXPECT_EQ(mean(Tensor::from({4}, {1, 2, 3, 6})).item(), 3);
  EXPECT_THROW(sum(x, 3), LogicError);
}

TEST(Reductions, SumOfEmptyAxisIsZeroAndMaxThrows) {
  EXPECT_EQ(sum(Tensor::zeros({0, 3}), 0).to_vector(),
            std::vector<float>(3, 0.0f));
  EXPECT_THROW(max(Tensor::zeros({0, 3}), 0), LogicError);
}

TEST(Reductions, ExtremesPassGradientToFirstOfEqualElements) {
  const std::vector<float> x = {1, 5, 5, 2};
  const float y = 5;
  const float dy = 3;
  std::vector<float> dx(4, 9);
  reduce_gradient(Reduction::Max, AxisView(Shape{4}), x.data(), &y, &dy,
                  dx.data(), false);
  EXPECT_EQ(dx, (std::vector<float>{0, 3, 0, 0}));
  reduce_gradient(Reduction::Mean, AxisView(Shape{4}), x.data(), &y, &dy,
                  dx.data(), true);
  EXPECT_EQ(dx, (std::vector<float>{0.75, 3.75, 0.75, 0.75}));
}

TEST(Reductions, SumToShapeUndoesBroadcasting) {
  Rng rng(1);
  const Shape from({2, 3, 4, 5});
  const Tensor x = Tensor::randn(from, rng);
  for (const Shape& to :
       {Shape({2, 3, 4, 5}), Shape({5}), Shape({4, 1}), Shape({3, 1, 5}),
        Shape({2, 1, 4, 1}), Shape({}), Shape({1, 1, 1, 1})}) {
    std::vector<float> y(static_cast<std::size_t>(to.element_count()), 1.0f);
    sum_to_shape(x.begin_of_data(), from, to, y.data(), true);
    std::vector<double> expected(y.size(), 1.0);
    const auto strides = broadcast_strides(to, from);
    for (std::int64_t i = 0; i < from.element_count(); ++i) {
      std::int64_t rest = i;
      std::int64_t at = 0;
      for (std::size_t axis = from.rank(); axis-- > 0;) {
        at += rest % from[axis] * strides[axis];
        rest /= from[axis];
      }
      expected[static_cast<std::size_t>(at)] +=
          x.data()[static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(y[i], expected[i], 1e-4) << to.to_string();
    }
  }
}

TEST(Reductions, SumOfManyRowsIsAccurate) {
  constexpr std::int64_t kRows = 2'000'000;
  const std::vector<float> x(2 * kRows, 0.1f);
  std::vector<float> y(2);
  reduce(Reduction::Sum, AxisView({kRows, 2}, 0), x.data(), y.data());
  EXPECT_NEAR(y[0], kRows * 0.1, 0.1);
  sum_to_shape(x.data(), {kRows, 2}, {2}, y.data(), false);
  EXPECT_NEAR(y[1], kRows * 0.1, 0.1);
}

}  // namespace
}  // namespace lamarck
