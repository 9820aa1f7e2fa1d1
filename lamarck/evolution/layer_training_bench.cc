// Compares the training of evolved layers with the same layers, batches and
// Adam written by hand.

#include <benchmark/benchmark.h>

#include "lamarck/data/data_loader.h"
#include "lamarck/evolution/training.h"
#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

namespace lamarck::evolution {
namespace {

constexpr std::int64_t kRows = 6400;
constexpr std::int64_t kBatch = 64;
constexpr std::uint32_t kChannels = 8;
constexpr std::uint32_t kUnits = 32;

data::Dataset drawn_rows(std::int64_t count) {
  Rng rng(1);
  Tensor targets = Tensor::zeros({count, 10});
  for (std::int64_t row = 0; row < count; ++row) {
    targets.at({row, static_cast<std::int64_t>(rng.below(10))}) = 1;
  }
  return data::Dataset(Tensor::rand({count, 784}, rng), targets);
}

// A network with one layer between the image and the outputs.
Network make_network(const NetworkNode& layer) {
  Network network;
  const UnitId in =
      network.add_input({.channels = 1, .height = 28, .width = 28});
  const UnitId out = network.add_output(10, Activation::Identity);
  const UnitId id = network.add_hidden(layer);
  network.add_edge(in, id);
  network.add_edge(id, out);
  network.set_head(Loss::CrossEntropy);
  Rng rng(2);
  for (const NetworkEdge& edge : network.edges()) {
    draw_weights(network, edge, rng);
  }
  return network;
}

Network dense_network() {
  return make_network(
      {.activation = Activation::Relu, .extent = {.channels = kUnits}});
}

Network conv_network() {
  return make_network(
      {.cell = Cell::Conv,
       .activation = Activation::Relu,
       .kernel = 3,
       .pool = 2,
       .extent = {.channels = kChannels, .height = 14, .width = 14}});
}

void train_evolved(benchmark::State& state, const Network& begin) {
  const Trainer trainer(drawn_rows(kRows), Examples(drawn_rows(kBatch)));
  for (auto _ : state) {
    Network network = begin;
    trainer.train(network, {.epochs = 1, .batch = kBatch});
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}

void train_by_hand(benchmark::State& state, const Var& x, const Var& logits) {
  const Var y = x.graph().zeros({kBatch, 10});
  const Var loss = logits.cross_entropy(y);
  optim::Adam adam(x.graph().parameters());
  data::DataLoader loader(drawn_rows(kRows),
                          {.batch_size = kBatch, .shuffle = true});
  for (auto _ : state) {
    for (const auto& [inputs, targets] : loader) {
      x.set_value(inputs);
      y.set_value(targets);
      adam.minimize(loss);
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}

void BM_DenseLayerEpoch(benchmark::State& state) {
  train_evolved(state, dense_network());
}

void BM_DenseLayerEpochByHand(benchmark::State& state) {
  const Graph graph;
  const Var x = graph.zeros({kBatch, 784});
  const nn::Linear hidden(graph, 784, kUnits, "hidden");
  const nn::Linear out(graph, kUnits, 10, "out");
  train_by_hand(state, x, out(hidden(x).relu()));
}

void BM_ConvLayerEpoch(benchmark::State& state) {
  train_evolved(state, conv_network());
}

void BM_ConvLayerEpochByHand(benchmark::State& state) {
  const Graph graph;
  const Var x = graph.zeros({kBatch, 784});
  const nn::Conv2d conv(graph, 1, kChannels, 3, "conv", {.padding = 1});
  const nn::Linear out(graph, kChannels * 14 * 14, 10, "out");
  const Var image = x.reshape({-1, 1, 28, 28});
  train_by_hand(state, x, out(conv(image).relu().max_pool2d(2).flatten()));
}

BENCHMARK(BM_DenseLayerEpoch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_DenseLayerEpochByHand)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ConvLayerEpoch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ConvLayerEpochByHand)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lamarck::evolution
