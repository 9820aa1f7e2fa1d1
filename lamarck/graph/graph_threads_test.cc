#include <gtest/gtest.h>

#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck {
namespace {

// The loss and all gradients of a wide network with a convolution.
std::vector<Tensor> results(std::size_t threads) {
  Graph graph(3);
  graph.set_threads(threads);
  Rng rng(3);
  const Var x = graph.input(Tensor::rand({128, 1, 16, 16}, rng));
  const Var k = graph.parameter({4, 1, 3, 3}, Init::kaiming(), "k");
  const Var b = graph.parameter({4}, Init::normal(0, 1), "b");
  const Var w = graph.parameter({1024, 256}, Init::kaiming(), "w");
  const Var u = graph.parameter({256, 256}, Init::kaiming(), "u");
  const Var hidden = x.conv2d(k, b, {.padding = 1}).relu().flatten();
  const Var loss = hidden.matmul(w).tanh().matmul(u).square().mean();
  std::vector<Tensor> found;
  loss.backward();
  found.push_back(loss.value());
  for (const Var& parameter : graph.parameters()) {
    found.push_back(parameter.grad());
  }
  return found;
}

TEST(GraphThreads, ResultsDoNotDependOnThreadCount) {
  const std::vector<Tensor> expected = results(1);
  for (const std::size_t threads : {2u, 3u, 0u}) {
    const std::vector<Tensor> found = results(threads);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(max_difference(found[i], expected[i]), 0)
          << threads << " threads, result " << i;
    }
  }
}

}  // namespace
}  // namespace lamarck
