// Benchmarks plans on irregular networks of the size that evolution trains by
// the thousand.

#include "lamarck/evolution/neuron/neuron_plan.h"

#include <benchmark/benchmark.h>

#include "lamarck/optim/update_kernels.h"
#include "lamarck/tensor/kernel_speed.h"
#include "bench/machine_limits.h"

namespace lamarck::evolution {
namespace {

std::uint32_t drawn_below(std::size_t bound, Rng& rng) {
  return static_cast<std::uint32_t>(rng.below(bound));
}

// 8 inputs, 28 tanh nodes and 2 sigmoid outputs; 200 edges, each from a random
// place before its target.
NeuronTopology irregular() {
  constexpr std::size_t kNodes = 30;
  constexpr std::size_t kEdges = 200;
  NeuronTopology net{.inputs = 8, .outputs = 2};
  net.nodes.resize(kNodes);
  net.nodes[kNodes - 2].activation = Activation::Sigmoid;
  net.nodes[kNodes - 1].activation = Activation::Sigmoid;
  Rng rng(1);
  for (std::uint32_t i = 0; i < kEdges; ++i) {
    const std::uint32_t to = i < kNodes ? i : drawn_below(kNodes, rng);
    const auto target = static_cast<std::uint32_t>(net.inputs) + to;
    net.edges.push_back({drawn_below(target, rng), target});
  }
  return net;
}

NeuronTopology layered(std::uint32_t inputs, std::uint32_t hidden) {
  NeuronTopology net{.inputs = inputs, .outputs = 1};
  net.nodes.resize(hidden + 1);
  net.nodes[hidden].activation = Activation::Sigmoid;
  for (std::uint32_t i = 0; i < hidden; ++i) {
    for (std::uint32_t from = 0; from < inputs; ++from) {
      net.edges.push_back({from, inputs + i});
    }
    net.edges.push_back({inputs + i, inputs + hidden});
  }
  return net;
}

std::vector<float> random_weights(const NeuronTopology& net) {
  Rng rng(2);
  std::vector<float> weights(net.weight_count());
  for (float& weight : weights) {
    weight = static_cast<float>(rng.uniform(-1, 1));
  }
  return weights;
}

NeuronBatch random_batch(std::int64_t rows) {
  Rng rng(3);
  return {Tensor::randn({rows, 8}, rng), Tensor::rand({rows, 2}, rng)};
}

// Compares the rate with the machine's peak; the ideal algorithm needs `fused`
// multiply-adds per edge and sample.
void count(benchmark::State& state, std::size_t edges, double fused) {
  const double done = static_cast<double>(edges) *
                      static_cast<double>(state.range(0)) *
                      static_cast<double>(state.iterations());
  const double machine = peak_flops() / 2;
  state.counters["edge_samples"] =
      benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["fused_rate"] = machine;
  state.counters["of_fused"] =
      benchmark::Counter(done * fused / machine, benchmark::Counter::kIsRate);
}

void BM_NeuronForward(benchmark::State& state) {
  const NeuronTopology net = irregular();
  NeuronPlan plan(net, Loss::BinaryCrossEntropy);
  const std::vector<float> weights = random_weights(net);
  const NeuronBatch batch = random_batch(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(plan.loss(weights, batch));
  count(state, net.edges.size(), 1);
}
BENCHMARK(BM_NeuronForward)->Arg(4)->Arg(64)->Arg(256);

// Forward and backward: one multiply-add for the value, one for the gradient of
// the weight, and one for the gradient of the source.
void BM_NeuronGradient(benchmark::State& state) {
  const NeuronTopology net = irregular();
  NeuronPlan plan(net, Loss::BinaryCrossEntropy);
  const std::vector<float> weights = random_weights(net);
  std::vector<float> gradient(weights.size());
  const NeuronBatch batch = random_batch(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan.loss_and_gradient(weights, batch, gradient));
    benchmark::DoNotOptimize(gradient.data());
  }
  count(state, net.edges.size(), 3);
}
BENCHMARK(BM_NeuronGradient)->Arg(4)->Arg(64)->Arg(256);

// 2-8-1 with tanh on the four rows of XOR: gradient and update.
void BM_NeuronAdamStep(benchmark::State& state) {
  const NeuronTopology net = layered(2, 8);
  NeuronPlan plan(net, Loss::BinaryCrossEntropy);
  std::vector<float> weights = random_weights(net);
  std::vector<float> gradient(weights.size());
  std::vector<float> mean(weights.size(), 0.0f);
  std::vector<float> square(weights.size(), 0.0f);
  const NeuronBatch batch(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
                          Tensor::rows({{0}, {1}, {1}, {0}}));
  const optim::AdamStep step = {
      .rate = 1e-6f, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f};
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan.loss_and_gradient(weights, batch, gradient));
    optim::adam_update(step, gradient.data(), mean.data(), square.data(),
                       weights.data(), weights.size());
  }
}
BENCHMARK(BM_NeuronAdamStep);

// Sequences of 16 steps, with a self loop at every node.
void BM_NeuronGradientThroughTime(benchmark::State& state) {
  NeuronTopology net = irregular();
  for (std::uint32_t place = 8; place < 38; ++place) {
    net.edges.push_back({place, place, true});
  }
  NeuronPlan plan(net, Loss::BinaryCrossEntropy);
  const std::vector<float> weights = random_weights(net);
  std::vector<float> gradient(weights.size());
  Rng rng(3);
  const NeuronBatch batch(Tensor::randn({state.range(0), 16, 8}, rng),
                          Tensor::rand({state.range(0), 2}, rng));
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan.loss_and_gradient(weights, batch, gradient));
    benchmark::DoNotOptimize(gradient.data());
  }
  count(state, 16 * net.edges.size(), 3);
}
BENCHMARK(BM_NeuronGradientThroughTime)->Arg(256);

}  // namespace
}  // namespace lamarck::evolution
