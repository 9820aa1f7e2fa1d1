#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/graph_picture.h"

namespace lamarck {
namespace {

struct Pooled {
  std::vector<float> values;
  std::vector<float> gradient;
};

// Pools relu(x) in windows and returns the values and the gradient of x. A plan
// cannot swap the two operations while a Var refers to the value between them.
Pooled pool(const Tensor& images, bool is_named, std::int64_t kernel) {
  Graph graph(1);
  const Var x = graph.input(images);
  x.set_requires_grad(true);
  std::optional<Var> between;
  Var relu = x.relu();
  const Var pooled = relu.max_pool2d(kernel);
  if (is_named) between = relu;
  relu = x;
  const Var loss = (pooled * pooled).sum();
  loss.forward();
  loss.backward();
  const auto copy = [](const Tensor& tensor) {
    const auto data = tensor.data();
    return std::vector<float>(data.begin(), data.end());
  };
  return {copy(pooled.value()), copy(x.grad())};
}

TEST(PlanPooling, PoolingBeforeReluGivesIdenticalBits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const std::int64_t kernel = rng.integer(1, 3);
    Tensor images = Tensor::rand({2, 3, 12, 18}, rng);
    for (float& each : images.data()) {  // With ties and negative windows.
      each = static_cast<float>(rng.integer(-4, 2));
    }
    const Pooled apart = pool(images, true, kernel);
    const Pooled swapped = pool(images, false, kernel);
    EXPECT_EQ(swapped.values, apart.values) << "seed " << seed;
    EXPECT_EQ(swapped.gradient, apart.gradient) << "seed " << seed;
  }
}

TEST(PlanPooling, SwapKeepsShapesOfNodes) {
  Graph graph(1);
  const Var x = graph.input(Tensor::ones({1, 1, 4, 4}));
  const Var pooled = x.relu().max_pool2d(2);
  pooled.forward();
  EXPECT_EQ(pooled.shape(), (Shape{1, 1, 2, 2}));
  const std::string text = summary(graph);
  const std::size_t relu = text.find("relu");
  ASSERT_NE(relu, std::string::npos) << text;
  EXPECT_EQ(text.substr(relu, text.find(']', relu) + 1 - relu),
            "relu                     [1, 1, 4, 4]");
}

}  // namespace
}  // namespace lamarck
