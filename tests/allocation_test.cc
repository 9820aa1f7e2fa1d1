// Counts every allocation of this program, to check that training loops do not
// allocate memory.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "lamarck/data/data_loader.h"
#include "lamarck/evolution/neuron/neuron_plan.h"
#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/gru.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/nn/norm_layers.h"
#include "lamarck/nn/sequential.h"
#include "lamarck/optim/optimizer.h"

namespace {
std::atomic<std::size_t> allocations = 0;
}

// glibc lets a program replace malloc and still call the original.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace lamarck {
namespace {

TEST(Allocations, TrainingStepDoesNotAllocate) {
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.input(Tensor::randn({16, 20}, rng));
  const Var y = graph.input(Tensor::full({16, 4}, 0.25f));
  const Var w = graph.parameter({20, 32}, Init::kaiming(), "w");
  const Var b = graph.parameter({32}, Init::zeros(), "b");
  const Var v = graph.parameter({32, 4}, Init::kaiming(), "v");
  const Var loss = (x.matmul(w) + b).relu().matmul(v).cross_entropy(y);
  optim::Adam adam(graph.parameters());
  const Tensor batch = Tensor::randn({16, 20}, rng);
  for (int i = 0; i < 3; ++i) adam.minimize(loss);  // Compiles the plan.

  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    x.set_value(batch);
    adam.minimize(loss);
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_GT(before, 0u) << "allocations are not counted";
}

TEST(Allocations, ConvolutionalTrainingStepDoesNotAllocate) {
  Graph graph(1);
  Rng rng(1);
  const nn::Sequential net({nn::Conv2d(graph, 1, 4, 3, "conv", {.padding = 1}),
                            nn::BatchNorm(graph, 4, "norm"), &Var::relu,
                            nn::MaxPool2d(2), nn::Dropout(graph, 0.5f, "drop"),
                            &Var::flatten, nn::LayerNorm(graph, 64, "rows"),
                            nn::Linear(graph, 64, 3, "out")});
  const Var x = graph.input(Tensor::randn({8, 1, 8, 8}, rng));
  const Var y = graph.input(Tensor::full({8, 3}, 1.0f / 3));
  const Var loss = net(x).cross_entropy(y);
  optim::Adam adam(net.parameters());
  for (int i = 0; i < 3; ++i) adam.minimize(loss);

  const std::size_t before = allocations;
  for (int i = 0; i < 20; ++i) adam.minimize(loss);
  EXPECT_EQ(allocations - before, 0u);
}

TEST(Allocations, EpochOfBatchesDoesNotAllocate) {
  Rng rng(1);
  data::DataLoader loader({Tensor::randn({100, 20}, rng), Tensor::range(100)},
                          {.batch_size = 16, .shuffle = true});
  const std::size_t before = allocations;
  float total = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto [inputs, targets] : loader) total += targets.at({0});
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_GT(total, 0);
}

TEST(Allocations, RecurrentTrainingStepDoesNotAllocate) {
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.input(Tensor::randn({7, 4, 3}, rng));
  const nn::Lstm lstm(graph, 3, 9, "lstm", {.layers = 2});
  const nn::Gru gru(graph, 9, 5, "gru");
  const Var loss = gru(lstm(x).hidden).last[0].square().mean();
  optim::Adam adam(graph.parameters());
  for (int i = 0; i < 3; ++i) adam.minimize(loss);

  const std::size_t before = allocations;
  for (int i = 0; i < 20; ++i) adam.minimize(loss);
  EXPECT_EQ(allocations - before, 0u);
}

TEST(Allocations, GradientOfIrregularNetworkDoesNotAllocate) {
  using evolution::NeuronBatch;
  const evolution::NeuronTopology net = {
      .inputs = 2,
      .outputs = 1,
      .nodes = {{}, {}},
      .edges = {{0, 2}, {1, 3}, {2, 3}, {3, 2, true}}};
  evolution::NeuronPlan plan(net, evolution::Loss::MeanSquared);
  const std::vector<float> weights(net.weight_count(), 0.5f);
  std::vector<float> gradient(net.weight_count());
  const NeuronBatch large(Tensor::ones({100, 5, 2}), Tensor::ones({100, 1}));
  const NeuronBatch small(Tensor::ones({7, 5, 2}), Tensor::ones({7, 1}));
  plan.loss_and_gradient(weights, large, gradient);

  const std::size_t before = allocations;
  for (const NeuronBatch* batch : {&small, &large}) {
    plan.loss(weights, *batch);
    plan.loss_and_gradient(weights, *batch, gradient);
  }
  EXPECT_EQ(allocations - before, 0u);
}

}  // namespace
}  // namespace lamarck
