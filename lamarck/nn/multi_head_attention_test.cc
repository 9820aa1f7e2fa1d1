#include "lamarck/nn/multi_head_attention.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/gradient_check.h"
#include "lamarck/nn/embedding.h"

namespace lamarck::nn {
namespace {

// Returns, per position, how much the output differs between the two inputs.
std::vector<float> changes(const Var& x, const Var& y, const Tensor& first,
                           const Tensor& second) {
  x.set_value(first);
  y.forward();
  const Tensor before = y.value();
  x.set_value(second);
  y.forward();
  std::vector<float> positions;
  for (std::int64_t i = 0; i < before.size(1); ++i) {
    positions.push_back(
        max_difference(before.select(1, i), y.value().select(1, i)));
  }
  return positions;
}

TEST(MultiHeadAttention, AttendsToAllPositionsUnlessMasked) {
  Graph graph(1);
  Rng rng(1);
  const MultiHeadAttention attention(graph, 4, 2, "attention");
  const Tensor first = Tensor::randn({1, 3, 4}, rng);
  Tensor second = first.clone();
  second.at({0, 2, 1}) += 1;
  const Var x = graph.input(first);
  const auto everywhere = changes(x, attention(x), first, second);
  EXPECT_GT(everywhere[0], 1e-4f);
  EXPECT_GT(everywhere[1], 1e-4f);

  const auto causal = changes(x, attention(x, {.causal = true}), first, second);
  EXPECT_EQ(causal[0], 0);
  EXPECT_EQ(causal[1], 0);
  EXPECT_GT(causal[2], 1e-4f);

  const Var padding = graph.input(Tensor::rows({{0, 0, 1}}));
  const auto padded =
      changes(x, attention(x, {.padding = padding}), first, second);
  EXPECT_EQ(padded[0], 0);
  EXPECT_EQ(padded[1], 0);
}

TEST(MultiHeadAttention, DoesNotReadPadding) {
  Graph graph(2);
  Rng rng(2);
  const MultiHeadAttention attention(graph, 4, 2, "attention");
  Tensor values = Tensor::randn({1, 3, 4}, rng);
  const Var padding = graph.input(Tensor::rows({{0, 0, 1}}));
  const auto gradients = [&](float value) {
    values.select(1, 2).fill(value);
    const Var y = attention(graph.input(values.clone()), {.padding = padding});
    for (const Var& parameter : attention.parameters()) parameter.zero_grad();
    y.slice(1, 0, 2).square().sum().backward();
    std::vector<float> all;
    for (const Var& parameter : attention.parameters()) {
      const Tensor gradient = parameter.grad().contiguous();
      all.insert(all.end(), gradient.data().begin(), gradient.data().end());
    }
    return all;
  };
  EXPECT_EQ(gradients(std::numeric_limits<float>::quiet_NaN()), gradients(0));
}

TEST(MultiHeadAttention, GradientsAgreeWithDifferences) {
  Graph graph(2);
  Rng rng(2);
  const MultiHeadAttention attention(graph, 6, 3, "attention");
  EXPECT_EQ(attention.parameter_count(), 4 * (36 + 6));
  const Var x = graph.input(Tensor::randn({2, 3, 6}, rng));
  const Var memory = graph.input(Tensor::randn({2, 4, 6}, rng));
  for (const Var& leaf : {x, memory}) leaf.set_requires_grad(true);
  const Var loss =
      (attention.attend(x, memory) + attention(x, {.causal = true}))
          .square()
          .mean();
  auto leaves = attention.parameters();
  leaves.push_back(x);
  leaves.push_back(memory);
  EXPECT_LT(check_gradients(loss, leaves).largest_error, 2e-3);
}

TEST(MultiHeadAttention, RejectsMismatchedSizes) {
  Graph graph;
  EXPECT_THROW(MultiHeadAttention(graph, 6, 4, "a"), LogicError);
  const MultiHeadAttention attention(graph, 6, 2, "b");
  EXPECT_THROW(attention(graph.zeros({2, 3, 5})), LogicError);
}

TEST(Embedding, PicksRowsAndRejectsIndicesOutOfRange) {
  Graph graph(3);
  const Embedding embedding(graph, 3, 2, "words");
  graph.named("words.weight").set_value(Tensor::rows({{1, 2}, {3, 4}, {5, 6}}));
  const Var indices = graph.input(Tensor::rows({{2, 0}}));
  const Var y = embedding(indices);
  y.forward();
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{5, 6, 1, 2}));
  for (const float wrong : {-1.0f, 3.0f}) {
    indices.set_value(Tensor::rows({{0, wrong}}));
    EXPECT_THROW(y.forward(), LogicError) << wrong;
  }
}

TEST(Embedding, SumsGradientsOfRepeatedRows) {
  Graph graph(4);
  const Embedding embedding(graph, 3, 1, "words");
  const Var indices = graph.input(Tensor::from({4}, {1, 1, 2, 1}));
  embedding(indices).sum().backward();
  EXPECT_EQ(graph.named("words.weight").grad().to_vector(),
            (std::vector<float>{0, 3, 1}));
}

}  // namespace
}  // namespace lamarck::nn
