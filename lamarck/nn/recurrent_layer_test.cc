// Tests of the behavior that Rnn, Lstm and Gru share.

#include "lamarck/nn/internal/recurrent_layer.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "lamarck/graph/gradient_check.h"
#include "lamarck/nn/gru.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/nn/rnn.h"

namespace lamarck::nn {
namespace {

const Var& hidden_of(const Var& state) { return state; }
const Var& hidden_of(const LstmState& state) { return state.hidden; }

// Runs x through the layer's cells step by step and returns the hidden states
// of the last layer.
template <class Layer>
Var unrolled(const Layer& layer, const Var& x) {
  std::vector<Var> steps;
  for (std::int64_t t = 0; t < x.shape()[0]; ++t) {
    steps.push_back(x.select(0, t));
  }
  for (const auto& cell : layer.cells()) {
    auto state = cell.zero_state();
    for (Var& step : steps) {
      state = cell(step, state);
      step = hidden_of(state);
    }
  }
  return stack(steps, 0);
}

template <class Layer>
void set_biases(const Layer& layer) {
  Rng rng(9);
  for (const Var& parameter : layer.parameters()) {
    if (parameter.shape().rank() != 1) continue;
    parameter.set_value(Tensor::randn(parameter.shape(), rng));
  }
}

template <class Layer>
class RecurrentLayer : public testing::Test {
 protected:
  RecurrentLayer() { set_biases(layer); }

  Graph graph{3};
  Rng rng{3};
  Layer layer{graph, 3, 5, "layer", {.layers = 2}};
};

using Layers = testing::Types<Rnn, Lstm, Gru>;
TYPED_TEST_SUITE(RecurrentLayer, Layers);

TYPED_TEST(RecurrentLayer, FusedOperationMatchesStepwiseCells) {
  const Var x = this->graph.input(Tensor::randn({6, 4, 3}, this->rng));
  x.set_requires_grad(true);
  const Var weights = this->graph.input(Tensor::randn({6, 4, 5}, this->rng));
  const Var fused = (this->layer(x).hidden * weights).sum();
  const Var plain = (unrolled(this->layer, x) * weights).sum();
  std::vector<Var> leaves = this->layer.parameters();
  leaves.push_back(x);

  const float fused_loss = fused.backward();
  std::vector<Tensor> gradients;
  for (const Var& leaf : leaves) {
    gradients.push_back(leaf.grad());
    leaf.zero_grad();
  }
  EXPECT_NEAR(fused_loss, plain.backward(), 1e-5);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_LT(max_difference(gradients[i], leaves[i].grad()), 1e-5)
        << leaves[i].name();
  }
}

TYPED_TEST(RecurrentLayer, MaskedGradientsAgreeWithDifferences) {
  const Var x = this->graph.input(Tensor::randn({4, 3, 3}, this->rng));
  const Var mask = this->graph.input(
      Tensor::rows({{1, 1, 1}, {1, 0, 1}, {1, 0, 0}, {0, 0, 1}}));
  const auto output = this->layer(x, {.mask = mask});
  const Var loss =
      output.hidden.square().sum() + hidden_of(output.last[0]).sum();
  const GradientCheck check =
      check_gradients(loss, this->layer.parameters(), 1e-2f);
  EXPECT_LT(check.largest_error, 5e-3) << check.where;
}

TYPED_TEST(RecurrentLayer, DoesNotReadPadding) {
  Tensor values = Tensor::randn({4, 2, 3}, this->rng);
  const Tensor mask = Tensor::rows({{1, 1}, {1, 0}, {1, 0}, {0, 0}});
  const auto gradients = [&](float padding) {
    for (std::int64_t step = 0; step < 4; ++step) {
      for (std::int64_t row = 0; row < 2; ++row) {
        if (mask.at({step, row}) != 0) continue;
        values.select(0, step).select(0, row).fill(padding);
      }
    }
    const auto output = this->layer(this->graph.input(values.clone()),
                                    {.mask = this->graph.input(mask)});
    for (const Var& parameter : this->layer.parameters()) parameter.zero_grad();
    hidden_of(output.last.back()).square().sum().backward();
    std::vector<float> all;
    for (const Var& parameter : this->layer.parameters()) {
      const Tensor gradient = parameter.grad().contiguous();
      all.insert(all.end(), gradient.data().begin(), gradient.data().end());
    }
    return all;
  };
  const std::vector<float> expected = gradients(0);
  EXPECT_EQ(gradients(std::numeric_limits<float>::quiet_NaN()), expected);
  EXPECT_EQ(gradients(std::numeric_limits<float>::infinity()), expected);
}

TYPED_TEST(RecurrentLayer, RaggedBatchMatchesIndividualSequences) {
  const std::vector<std::int64_t> lengths = {5, 1, 3};
  const Tensor values = Tensor::randn({5, 3, 3}, this->rng);
  Tensor mask = Tensor::zeros({5, 3});
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    mask.slice(0, 0, lengths[i]).select(1, row).fill(1);
  }
  const Var x = this->graph.input(values);
  x.set_requires_grad(true);
  const auto output = this->layer(x, {.mask = this->graph.input(mask)});
  const Var last = hidden_of(output.last[1]);
  last.square().sum().backward();
  const auto parameters = this->layer.parameters();
  std::vector<Tensor> together;
  for (const Var& parameter : parameters) {
    together.push_back(parameter.grad());
    parameter.zero_grad();
  }

  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const Tensor own =
        values.slice(1, row, row + 1).slice(0, 0, lengths[i]).clone();
    const auto alone = this->layer(this->graph.input(own));
    hidden_of(alone.last[1]).square().sum().backward();  // Accumulates.
    EXPECT_LT(max_difference(hidden_of(alone.last[1]).value(),
                             last.value().slice(0, row, row + 1)),
              1e-6)
        << "sequence " << i;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_LT(max_difference(together[i], parameters[i].grad()), 1e-5)
        << parameters[i].name();
  }
  // Padding after the end of a sequence receives no gradient.
  EXPECT_EQ(max_difference(x.grad().slice(0, 1, 5).select(1, 1),
                           Tensor::zeros({4, 3})),
            0);
}

TYPED_TEST(RecurrentLayer, AdaptsToNewBatchSizeAndLength) {
  const Var x = this->graph.input(Tensor::randn({6, 4, 3}, this->rng));
  const auto output = this->layer(x);
  output.hidden.forward();
  const Tensor smaller = Tensor::randn({2, 3, 3}, this->rng);
  x.set_value(smaller);
  const Var loss = hidden_of(output.last[1]).square().mean();
  loss.backward();

  const Var fresh = hidden_of(this->layer(this->graph.input(smaller)).last[1]);
  fresh.forward();
  EXPECT_EQ(hidden_of(output.last[1]).shape(), (Shape{3, 5}));
  EXPECT_EQ(max_difference(hidden_of(output.last[1]).value(), fresh.value()),
            0);
}

TYPED_TEST(RecurrentLayer, ResumesFromReturnedState) {
  const Tensor values = Tensor::randn({7, 2, 3}, this->rng);
  const Var whole = this->layer(this->graph.input(values)).hidden;
  const auto first =
      this->layer(this->graph.input(values.slice(0, 0, 4).clone()));
  const Var second =
      this->layer(this->graph.input(values.slice(0, 4, 7).clone()),
                  {.initial = first.last})
          .hidden;
  whole.forward();
  second.forward();
  EXPECT_LT(max_difference(second.value(), whole.value().slice(0, 4, 7)), 1e-6);
}

TYPED_TEST(RecurrentLayer, RejectsMismatchedShapes) {
  const Var x = this->graph.zeros({6, 4, 3});
  EXPECT_THROW(this->layer(this->graph.zeros({4, 3})), LogicError);
  EXPECT_THROW(this->layer(this->graph.zeros({6, 4, 2})), LogicError);
  EXPECT_THROW(this->layer(this->graph.zeros({0, 4, 3})), LogicError);
  EXPECT_THROW(this->layer(x, {.mask = this->graph.zeros({4, 6})}), LogicError);
  EXPECT_THROW(
      this->layer(x, {.initial = {this->layer.cells()[0].zero_state()}}),
      LogicError);
  EXPECT_THROW(TypeParam(this->graph, 3, 5, "none", {.layers = 0}), LogicError);
}

TYPED_TEST(RecurrentLayer, NamesItsParametersByLayer) {
  EXPECT_EQ(this->graph.named("layer.1.hidden_weight").shape()[0], 5);
  EXPECT_EQ(this->graph.named("layer.0.input_weight").shape()[0], 3);
  EXPECT_EQ(this->layer.parameters().size(),
            2 * this->layer.cells()[0].parameters().size());
}

TEST(Lstm, ForgetBiasStartsAtOption) {
  Graph graph;
  const Lstm lstm(graph, 2, 3, "lstm", {.forget_bias = 2});
  EXPECT_EQ(graph.named("lstm.0.bias").value().to_vector(),
            (std::vector<float>{0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace lamarck::nn
