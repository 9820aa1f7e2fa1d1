#include "lamarck/nn/conv2d.h"

#include <gtest/gtest.h>

#include <functional>

#include "lamarck/base/error.h"
#include "lamarck/graph/gradient_check.h"

namespace lamarck::nn {
namespace {

std::string error_message(const std::function<void()>& call) {
  try {
    call();
  } catch (const LogicError& error) {
    return error.what();
  }
  return "no LogicError was thrown";
}

TEST(Conv2d, OffCenterKernelShiftsImage) {
  Graph graph;
  const Conv2d layer(graph, 1, 1, 3, "conv", {.padding = 1});
  layer.weight().set_value(
      Tensor::from({1, 1, 3, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 0}));
  layer.bias()->set_value(Tensor::from({1}, {10}));
  const Var y = layer(graph.input(Tensor::from({1, 1, 2, 2}, {1, 2, 3, 4})));
  y.forward();
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{12, 10, 14, 10}));
}

TEST(Conv2d, AcceptsOneSizeForBothAxesOrOnePerAxis) {
  Graph graph;
  const Conv2d layer(graph, 4, 6, {3, 5}, "conv",
                     {.stride = {2, 1}, .padding = {1, 2}, .groups = 2});
  const Var x = graph.zeros({7, 4, 9, 8});
  EXPECT_EQ(layer(x).shape(), (Shape{7, 6, 5, 8}));
  EXPECT_EQ(layer.weight().shape(), (Shape{6, 2, 3, 5}));
  EXPECT_EQ(layer.parameter_count(), 6 * 2 * 15 + 6);
  EXPECT_EQ(MaxPool2d(2)(x).shape(), (Shape{7, 4, 4, 4}));
  EXPECT_EQ(AvgPool2d({3, 2}, {.stride = 1, .padding = {1, 0}})(x).shape(),
            (Shape{7, 4, 9, 7}));
}

TEST(Conv2d, GradientsAgreeWithDifferences) {
  Graph graph(2);
  Rng rng(2);
  const Conv2d first(graph, 2, 4, 3, "first", {.stride = 2, .padding = 1});
  const Conv2d second(graph, 4, 2, 2, "second", {.groups = 2, .bias = false});
  const Var x = graph.input(Tensor::randn({2, 2, 6, 7}, rng));
  x.set_requires_grad(true);
  const Var y = AvgPool2d(2, {.stride = 1})(second(first(x).tanh()));
  auto leaves = parameters(first, second);
  leaves.push_back(x);
  EXPECT_LT(check_gradients(y.square().mean(), leaves).largest_error, 2e-3);
}

TEST(Conv2d, ErrorNamesMismatchedShapes) {
  Graph graph;
  const Conv2d layer(graph, 3, 4, 5, "conv");
  EXPECT_EQ(
      error_message([&] {
        layer(graph.zeros({2, 3, 4, 9}));
      }),
      "Layer 'conv': conv2d: shape [2, 3, 4, 9] does not fit; the kernel "
      "covers 5 elements, "
      "but the padded axis has only 4; use a smaller kernel or more padding.");
  EXPECT_NE(error_message([&] {
              layer(graph.zeros({3, 9, 9}));
            }).find("images must have the axes batch, channels"),
            std::string::npos);
  EXPECT_NE(error_message([&] {
              layer(graph.zeros({1, 4, 9, 9}));
            }).find("the second size of the weight must be 4"),
            std::string::npos);
  EXPECT_NE(
      error_message([&] {
        graph.zeros({1, 4, 9, 9})
            .conv2d(graph.zeros({4, 2, 3, 3}), {.groups = 3});
      })
          .find("groups (3) must divide the 4 input channels and the 4 output "
                "channels"),
      std::string::npos);
  EXPECT_NE(error_message([&] {
              graph.zeros({1, 1, 9, 9}).max_pool2d(2, {.padding = 2});
            }).find("padding (2) must be at most half of the kernel (2)"),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck::nn
