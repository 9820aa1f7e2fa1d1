#include "lamarck/nn/linear.h"

#include <gtest/gtest.h>

#include "lamarck/graph/gradient_check.h"

namespace lamarck::nn {
namespace {

TEST(Linear, ComputesAffineMap) {
  Graph graph(1);
  const Linear layer(graph, 2, 3, "fc");
  layer.weight().set_value(Tensor::rows({{1, 2, 3}, {4, 5, 6}}));
  layer.bias()->set_value(Tensor::from({3}, {10, 20, 30}));
  const Var y = layer(graph.input(Tensor::rows({{1, 0}, {1, 1}})));
  y.forward();
  EXPECT_EQ(y.value().to_vector(),
            (std::vector<float>{11, 22, 33, 15, 27, 39}));
}

TEST(Linear, NamesAndCountsItsParameters) {
  Graph graph;
  const Linear first(graph, 4, 3, "a");
  const Linear second(graph, 3, 2, "b", {.bias = false});
  EXPECT_EQ(first.parameter_count(), 15);
  EXPECT_EQ(second.parameter_count(), 6);
  EXPECT_EQ(parameters(first, second).size(), 3u);
  EXPECT_EQ(graph.named("a.bias").node_id(), first.bias()->node_id());
}

TEST(Linear, GradientsAgreeWithDifferences) {
  Graph graph(2);
  Rng rng(2);
  const Linear hidden(graph, 3, 5, "hidden");
  const Linear out(graph, 5, 2, "out");
  const Var x = graph.input(Tensor::randn({4, 3}, rng));
  const Var loss =
      out(hidden(x).tanh()).mse(graph.input(Tensor::randn({4, 2}, rng)));
  EXPECT_LT(check_gradients(loss, parameters(hidden, out)).largest_error, 2e-3);
}

}  // namespace
}  // namespace lamarck::nn
