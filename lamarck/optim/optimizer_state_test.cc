#include "lamarck/optim/optimizer_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "lamarck/optim/optimizer.h"

namespace lamarck::optim {
namespace {

using Maker = std::function<std::unique_ptr<Optimizer>(std::vector<Var>)>;

// Every optimizer, and Sgd with its memory in use.
std::vector<std::pair<std::string, Maker>> makers() {
  std::vector<std::pair<std::string, Maker>> makers = {
      {"sgd", [](auto p) {
         return std::make_unique<Sgd>(
             std::move(p), 0.05f,
             SgdOptions{.momentum = 0.9f, .nesterov = true});
       }}};
  for (const OptimizerEntry& entry : optimizer_table()) {
    makers.emplace_back(
        entry.name, [&](auto p) { return entry.make(std::move(p), 0.02f); });
  }
  return makers;
}

struct Net {
  Graph graph{5};
  Var w = graph.parameter({3, 7}, Init::xavier(), "w");
  Var b = graph.parameter({7}, Init::normal(0, 1), "b");
  Var x = graph.input(Tensor::full({4, 3}, 0.3f));
  Var loss = (x.matmul(w) + b).tanh().square().mean();

  std::vector<float> values() const {
    std::vector<float> all = w.value().to_vector();
    for (const float value : b.value().to_vector()) all.push_back(value);
    return all;
  }
};

void train(Net& net, Optimizer& optimizer, int steps) {
  for (int i = 0; i < steps; ++i) optimizer.minimize(net.loss);
}

TEST(OptimizerState, ResumesTrainingBitForBit) {
  for (const auto& [kind, make] : makers()) {
    Net whole;
    const auto whole_optimizer = make(whole.graph.parameters());
    train(whole, *whole_optimizer, 7);
    whole_optimizer->set_rate(0.004f);
    train(whole, *whole_optimizer, 9);

    Net first;
    const auto first_optimizer = make(first.graph.parameters());
    train(first, *first_optimizer, 7);
    first_optimizer->set_rate(0.004f);
    const OptimizerState state = first_optimizer->state();
    Net second;
    second.w.set_value(first.w.value());
    second.b.set_value(first.b.value());
    const auto second_optimizer = make(second.graph.parameters());
    ASSERT_TRUE(second_optimizer->restore(state).has_value()) << kind;
    train(second, *second_optimizer, 9);

    EXPECT_EQ(second.values(), whole.values()) << kind;
    EXPECT_EQ(second_optimizer->steps_taken(), 16);
    EXPECT_EQ(second_optimizer->kind(), kind);
  }
}

TEST(OptimizerState, NamesTensorsByParameterAndMemory) {
  Net net;
  const OptimizerState state = Adam(net.graph.parameters()).state();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state.tensors) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"b.mean", "b.square", "w.mean",
                                             "w.square"}));
  EXPECT_EQ(state.tensors.at("w.mean").shape(), (Shape{3, 7}));
}

TEST(OptimizerState, IsUnaffectedByLaterSteps) {
  Net net;
  Adam adam(net.graph.parameters());
  train(net, adam, 1);
  const OptimizerState state = adam.state();
  const auto before = state.tensors.at("w.mean").to_vector();
  train(net, adam, 3);
  EXPECT_EQ(state.tensors.at("w.mean").to_vector(), before);
}

// Returns the error message of restoring `state` into an Adam, or "" if it
// succeeds. Expects that a failed restore leaves the optimizer unchanged.
std::string restore_failure(Net& net, const OptimizerState& state) {
  Adam adam(net.graph.parameters(), 0.5f);
  train(net, adam, 2);
  const OptimizerState before = adam.state();
  const Result<void> outcome = adam.restore(state);
  if (outcome.has_value()) return "";
  EXPECT_EQ(adam.steps_taken(), 2);
  EXPECT_EQ(adam.rate(), 0.5f);
  for (const auto& [name, tensor] : before.tensors) {
    EXPECT_EQ(max_difference(tensor, adam.state().tensors.at(name)), 0);
  }
  return outcome.error().message();
}

TEST(OptimizerState, RejectsMismatchedStateUnchanged) {
  Net net;
  const OptimizerState good = Adam(net.graph.parameters()).state();
  const std::string start = "Cannot restore the optimizer: ";
  EXPECT_EQ(restore_failure(net, good), "");

  OptimizerState other = good;
  other.kind = "sgd";
  EXPECT_EQ(
      restore_failure(net, other),
      start +
          "the state is of kind 'sgd', but the optimizer is of kind 'adam'.");
  OptimizerState missing = good;
  missing.tensors.erase("w.square");
  EXPECT_EQ(restore_failure(net, missing),
            start + "the state has no tensor 'w.square'.");
  OptimizerState reshaped = good;
  reshaped.tensors.at("w.square") = Tensor::zeros({7, 3});
  EXPECT_EQ(restore_failure(net, reshaped),
            start +
                "tensor 'w.square' has shape [7, 3], "
                "but the parameter has shape [3, 7].");
  OptimizerState extra = good;
  extra.tensors["v.mean"] = Tensor::zeros({2});
  EXPECT_EQ(
      restore_failure(net, extra),
      start +
          "tensor 'v.mean' does not belong to any parameter of the optimizer.");
  OptimizerState damaged = good;
  damaged.rate = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(restore_failure(net, damaged), "");
}

TEST(Optimizer, RejectsInvalidArguments) {
  Net net;
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_THROW(Sgd({}, 0.1f), LogicError);
  EXPECT_THROW(Sgd({net.w, net.b, net.w}, 0.1f), LogicError);
  EXPECT_THROW(Adam({net.w}, -0.1f), LogicError);
  EXPECT_THROW(Adam({net.w}, infinite), LogicError);
  EXPECT_THROW(Adam({net.w}, std::nanf("")), LogicError);
  Sgd sgd({net.w}, 0);
  EXPECT_THROW(sgd.set_rate(-1), LogicError);
  EXPECT_EQ(sgd.rate(), 0);
}

TEST(Optimizer, AcceptsParametersOfSeveralGraphs) {
  Net one;
  Net other;
  EXPECT_NO_THROW(Sgd({one.w, other.w}, 0.1f));
  // Both are called "w", so their tensors in a state would collide.
  EXPECT_THROW(Adam({one.w, other.w}).state(), LogicError);
}

}  // namespace
}  // namespace lamarck::optim
