// What one pass computes, and what wrong use of losses and indices reports.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lamarck/base/log.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/weights.h"

namespace lamarck {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Var named_parameter(const Graph& graph, const Tensor& value,
                    const std::string& name) {
  const Var made = graph.parameter(value.shape(), Init::zeros(), name);
  made.set_value(value);
  return made;
}

struct Norm {
  explicit Norm(const Graph& graph)
      : inputs{named_parameter(graph, Tensor::ones({1}), "scale"),
               named_parameter(graph, Tensor::zeros({1}), "shift"),
               graph.input_named(Tensor::zeros({1}), "running_mean"),
               graph.input_named(Tensor::ones({1}), "running_var"),
               graph.input_named(Tensor::scalar(1), "training")} {}
  BatchNormInputs inputs;
};

TEST(Pass, TwoLossesUpdateRunningStatisticsOnce) {
  const Graph graph;
  const Norm norm(graph);
  const Var x = graph.input_named(Tensor::rows({{1}, {3}}), "x");
  const Var h = batch_norm(x, norm.inputs);
  const Var first = h.square().mean();
  const Var second = (h + 1.0f).square().mean();
  first.backward();
  second.backward();
  EXPECT_FLOAT_EQ(norm.inputs.mean.value().item(), 0.2f);
  first.forward();  // The same target again starts a new pass.
  EXPECT_FLOAT_EQ(norm.inputs.mean.value().item(), 0.38f);
}

TEST(Pass, TwoLossesShareTheMaskOfDropout) {
  const Graph graph;
  const Var x = graph.input_named(Tensor::ones({64}), "x");
  const Var on = graph.input_named(Tensor::scalar(1), "training");
  const Var dropped = x.dropout(0.5f, on, 3);
  const Var first = dropped.sum();
  const Var second = (dropped * 2.0f).sum();
  first.forward();
  second.forward();
  EXPECT_FLOAT_EQ(second.item(), 2 * first.item());
  const float before = first.item();
  int changes = 0;
  for (int i = 0; i < 10; ++i) {
    first.forward();
    changes += first.item() != before ? 1 : 0;
  }
  EXPECT_GT(changes, 0);  // Each pass draws a new mask.
}

TEST(Losses, RefuseShapesThatDiffer) {
  const Graph graph;
  const Var x = graph.input_named(Tensor::ones({4, 1}), "x");
  const Var y = graph.input_named(Tensor::ones({4}), "y");
  const std::vector<Var (*)(const Var&, const Var&)> losses = {
      [](const Var& a, const Var& b) { return a.mse(b); },
      [](const Var& a, const Var& b) { return a.mae(b); },
      [](const Var& a, const Var& b) { return a.huber(b); },
      [](const Var& a, const Var& b) { return a.bce(b); },
      [](const Var& a, const Var& b) { return a.bce_with_logits(b); },
      [](const Var& a, const Var& b) { return a.perception_loss(b); }};
  for (const auto loss : losses) {
    try {
      loss(x, y);
      ADD_FAILURE() << "accepted";
    } catch (const LogicError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("[4, 1]"), std::string::npos) << text;
      EXPECT_NE(text.find("[4]"), std::string::npos) << text;
    }
  }
}

TEST(Losses, RefuseShapesThatDifferLater) {
  const Graph graph;
  const Var x = graph.input_named(Tensor::ones({1, 1}), "x");
  const Var y = graph.input_named(Tensor::ones({1, 1}), "y");
  const Var loss = x.mse(y);
  x.set_value(Tensor::ones({4, 1}));
  y.set_value(Tensor::ones({1, 4}));
  EXPECT_THROW(loss.forward(), LogicError);
}

TEST(BatchNorm, RefusesComputedStatisticsAndParameters) {
  const Graph graph;
  const Norm norm(graph);
  const Var x = graph.input_named(Tensor::rows({{1}, {3}}), "x");
  BatchNormInputs computed = norm.inputs;
  computed.mean = norm.inputs.mean * 1.0f;
  EXPECT_THROW(batch_norm(x, computed), LogicError);
  BatchNormInputs parameter = norm.inputs;
  parameter.variance = named_parameter(graph, Tensor::ones({1}), "variance");
  EXPECT_THROW(batch_norm(x, parameter), LogicError);
}

TEST(Indices, MustBeIntegers) {
  const Graph graph;
  const Var table = named_parameter(graph, Tensor::ones({3, 2}), "table");
  const Var index = graph.input_named(Tensor::full({1}, 0.5f), "index");
  EXPECT_THROW(table.embedding(index).forward(), LogicError);
  const Var picks = graph.input_named(Tensor::full({1, 2}, 1.5f), "picks");
  EXPECT_THROW(table.gather(0, picks).forward(), LogicError);
}

TEST(CrossEntropy, RefusesEmptyBatch) {
  const Graph graph;
  const Var x = graph.input_named(Tensor::ones({0, 3}), "x");
  const Var y = graph.input_named(Tensor::ones({0, 3}), "y");
  EXPECT_THROW(x.cross_entropy(y), LogicError);
}

TEST(Pow, SlopeOfExponentZeroIsZeroAtZero) {
  const Graph graph;
  const Var x = named_parameter(graph, Tensor::zeros({2}), "x");
  x.pow(0).sum().backward();
  EXPECT_EQ(x.grad().at({0}), 0.0f);
}

TEST(MaskedMean, DoesNotReadMaskedElements) {
  const Graph graph;
  Tensor values = Tensor::ones({3});
  values.data()[2] = kNan;
  const Var x = named_parameter(graph, values, "x");
  Tensor mask = Tensor::ones({3});
  mask.data()[2] = 0;
  const Var mean = x.masked_mean(graph.input_named(mask, "mask"));
  EXPECT_FLOAT_EQ(mean.backward(), 1.0f);
  EXPECT_FLOAT_EQ(x.grad().at({0}), 0.5f);
  EXPECT_EQ(x.grad().at({2}), 0.0f);
}

TEST(NanReport, NamesTheNodeOnce) {
  std::vector<std::string> lines;
  const LogCapture capture(
      [&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  const Graph graph;
  const Var w = named_parameter(graph, Tensor::full({2}, 1.0f), "w");
  const Var loss = (w - 2.0f).log().square().mean();
  EXPECT_TRUE(std::isnan(loss.backward()));
  loss.forward();
  loss.backward();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("backward pass 1"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("the result of log"), std::string::npos) << lines[0];
}

TEST(Growth, IsReportedWithTwoBackwardPassesPerStepAndInInference) {
  for (const bool is_inference : {false, true}) {
    std::vector<std::string> lines;
    const LogCapture capture(
        [&](LogLevel, std::string_view line) { lines.emplace_back(line); });
    const Graph graph;
    const Var w = named_parameter(graph, Tensor::full({2}, 1.0f), "w");
    for (int i = 0; i < (is_inference ? 1100 : 150); ++i) {
      if (is_inference) {
        (w * 2.0f).forward();
        continue;
      }
      const Var first = w.square().mean();
      const Var second = w.abs().mean();
      first.backward();
      second.backward();
    }
    EXPECT_EQ(lines.size(), 1U) << is_inference;
  }
}

TEST(Weights, CarryRunningStatistics) {
  const Graph graph;
  const Norm norm(graph);
  const Var x = graph.input_named(Tensor::rows({{1}, {3}}), "x");
  batch_norm(x, norm.inputs).forward();
  NamedTensors weights = named_weights(graph);
  ASSERT_TRUE(weights.contains("running_mean"));
  weights.at("running_mean").fill(7);
  ASSERT_TRUE(set_weights(graph, weights).has_value());
  EXPECT_EQ(norm.inputs.mean.value().item(), 7.0f);
  weights.erase("running_mean");
  weights.emplace("other", Tensor::scalar(1));
  EXPECT_FALSE(set_weights(graph, weights).has_value());
  EXPECT_TRUE(set_weights(graph, weights, false).has_value());
}

}  // namespace
}  // namespace lamarck
