// The same instruction set gives the same bits on every machine. Trains
// networks with each instruction set that this machine supports, and compares
// hashes of the weights with hashes from another machine.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/base/hash.h"
#include "lamarck/base/rng.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/formula/fit.h"
#include "lamarck/graph/weights.h"
#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck {
namespace {

template <class T>
std::string_view bytes_of(const T* data, std::size_t count) {
  return {reinterpret_cast<const char*>(data), count * sizeof(T)};
}

// The hash of all weights, in the order of their names.
std::string weights_hash(const Graph& graph) {
  Sha256 hash;
  for (const auto& [name, tensor] : named_weights(graph)) {
    const Tensor dense = tensor.contiguous();
    hash.update(name).update(
        bytes_of(dense.begin_of_data(),
                 static_cast<std::size_t>(dense.element_count())));
  }
  return hash.finish().substr(0, 16);
}

Tensor normal_tensor(Shape shape, std::uint64_t seed) {
  Tensor tensor = Tensor::zeros(std::move(shape));
  Rng rng(seed);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    tensor.begin_of_data()[i] = static_cast<float>(rng.normal());
  }
  return tensor;
}

template <class... Modules>
std::string trained_hash(const Graph& graph, const Var& loss,
                         const Modules&... modules) {
  optim::Adam adam(nn::parameters(modules...), 0.01f);
  for (int step = 0; step < 20; ++step) adam.minimize(loss);
  return weights_hash(graph);
}

// The sizes are not multiples of any vector width.
std::string dense_hash() {
  Graph graph(1);
  const Var x = graph.input(normal_tensor({37, 301}, 2));
  const Var y = graph.input(normal_tensor({37, 3}, 3));
  const nn::Linear hidden(graph, 301, 131, "hidden");
  const nn::Linear out(graph, 131, 3, "out");
  const Var loss = (out(hidden(x).tanh()) - y).square().mean();
  return trained_hash(graph, loss, hidden, out);
}

std::string convolution_hash() {
  Graph graph(4);
  const Var x = graph.input(normal_tensor({5, 3, 11, 13}, 5));
  const nn::Conv2d first(graph, 3, 7, 3, "first");
  const nn::Conv2d second(graph, 7, 2, 3, "second", {.stride = 2});
  const Var loss =
      second(first(x).relu().max_pool2d(2)).sigmoid().square().mean();
  return trained_hash(graph, loss, first, second);
}

std::string lstm_hash() {
  Graph graph(6);
  const Var x = graph.input(normal_tensor({9, 5, 4}, 7));
  const nn::Lstm lstm(graph, 4, 11, "lstm");
  const Var loss = lstm(x).hidden.square().mean();
  return trained_hash(graph, loss, lstm);
}

std::string evolution_hash() {
  const data::Dataset rows(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
                           Tensor::rows({{0}, {1}, {1}, {0}}));
  const auto outcome =
      evolution::Evolution{.network = evolution::minimal_network(2, 1),
                           .task = evolution::SupervisedTask(
                               rows, rows, evolution::Metric::Accuracy),
                           .options = {.seed = 8, .target_metric = 1}}
          .run()
          .value();
  return weights_hash(outcome.graph);
}

// Fits a sin(b x) + c x to noisy data.
std::string fit_hash() {
  formula::ExpressionBuilder build;
  const auto x = build.input(0);
  const auto wave = build.apply(
      formula::Op::Mul, build.param(0),
      build.apply(formula::Op::Sin,
                  build.apply(formula::Op::Mul, build.param(1), x)));
  const formula::Expression expression = build.finish(
      build.apply(formula::Op::Add, wave,
                  build.apply(formula::Op::Mul, build.param(2), x)));
  std::vector<double> inputs;
  std::vector<double> target;
  Rng rng(9);
  for (int i = 0; i < 301; ++i) {
    inputs.push_back(rng.uniform(-2, 2));
    const double value =
        formula::evaluate_row(expression, {{inputs.back()}}, {{1.5, 2.5, -1}});
    target.push_back(value + 0.1 * rng.normal());
  }
  const std::vector<const double*> columns = {inputs.data()};
  formula::ExpressionPlan plan(expression);
  const formula::Fit fit =
      formula::fit(plan, {columns, inputs.size()}, target, {}, {}, rng);
  return sha256_hex(bytes_of(fit.params.data(), fit.params.size()))
      .substr(0, 16);
}

// The expected hash of each computation, by instruction set.
const std::map<std::string, std::map<std::string, std::string>> kHashes = {
    {"avx512",
     {{"dense", "64ee4e5eb6f994a0"},
      {"convolution", "6526a5284235b589"},
      {"lstm", "399dbaf7f6cd489f"},
      {"evolution", "5bd8e61fed44e0c5"},
      {"fit", "e8b51bee439bb58f"}}},
    {"avx2",
     {{"dense", "64ee4e5eb6f994a0"},
      {"convolution", "1b77be2bbb8afd57"},
      {"lstm", "399dbaf7f6cd489f"},
      {"evolution", "5bd8e61fed44e0c5"},
      {"fit", "dd8c20dae4519bb2"}}},
    {"sse4",
     {{"dense", "2458b1ea55e57787"},
      {"convolution", "b31d63d5bc41e023"},
      {"lstm", "3e75d6e733dc557d"},
      {"evolution", "c1fc0c4b1dc4d95a"},
      {"fit", "abaf888000994998"}}},
    {"scalar",
     {{"dense", "2458b1ea55e57787"},
      {"convolution", "e584820ce579a7eb"},
      {"lstm", "3e75d6e733dc557d"},
      {"evolution", "75407b641ffed5a6"},
      {"fit", "f58813f90759a703"}}},
};

TEST(SimdBits, MatchStoredHashesForEachInstructionSet) {
  for (const std::string& target : supported_simd_targets()) {
    ASSERT_TRUE(choose_simd_target(target).has_value());
    ASSERT_EQ(simd_target(), target);
    const std::map<std::string, std::string> hashes = {
        {"dense", dense_hash()},
        {"convolution", convolution_hash()},
        {"lstm", lstm_hash()},
        {"evolution", evolution_hash()},
        {"fit", fit_hash()}};
    const auto expected = kHashes.find(target);
    if (expected == kHashes.end()) continue;  // Not an x86 target.
    EXPECT_EQ(hashes, expected->second) << target;
  }
  ASSERT_TRUE(choose_simd_target("auto").has_value());
}

}  // namespace
}  // namespace lamarck
