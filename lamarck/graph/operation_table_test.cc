#include "lamarck/graph/operation_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include <set>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/gradient_check.h"
#include "lamarck/graph/graph.h"

namespace lamarck {
namespace {

// Draws distinct values in [low, high], so that every maximum is unique and no
// small step crosses a kink.
std::vector<Tensor> spread_inputs(const OperationSample& sample, Rng& rng) {
  std::int64_t total = 0;
  for (const Shape& shape : sample.shapes) total += shape.element_count();
  std::vector<float> values(static_cast<std::size_t>(total));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float share =
        (static_cast<float>(i) + 0.5f) / static_cast<float>(total);
    values[i] = sample.low + (sample.high - sample.low) * share;
  }
  rng.shuffle(values);
  std::vector<Tensor> inputs;
  std::size_t at = 0;
  for (const Shape& shape : sample.shapes) {
    const auto count = static_cast<std::size_t>(shape.element_count());
    const std::span<float> own = std::span(values).subspan(at, count);
    if (sample.has_indices && inputs.size() == 1) {
      for (float& value : own) value = std::floor(value);
    }
    inputs.push_back(Tensor::from(shape, own));
    at += count;
  }
  return inputs;
}

class EveryOperation : public testing::TestWithParam<std::string> {};

TEST_P(EveryOperation, HasValidSamples) {
  const Operation& operation = operation_named(GetParam());
  EXPECT_FALSE(operation.samples.empty());
  for (const OperationSample& sample : operation.samples) {
    EXPECT_GE(sample.shapes.size(), operation.min_inputs);
    EXPECT_LE(sample.shapes.size(), operation.max_inputs);
    EXPECT_NO_THROW(
        operation.shape(operation, sample.shapes, sample.attributes));
  }
}

TEST_P(EveryOperation, HasShortDescriptionAndGroup) {
  const Operation& operation = operation_named(GetParam());
  EXPECT_FALSE(operation.what.empty());
  EXPECT_LE(operation.what.size(), 72u);
  EXPECT_EQ(operation.what.find_first_of("|\n"), std::string::npos)
      << "would break the table of docs/operations.md";
  EXPECT_FALSE(operation.group.empty());
}

TEST_P(EveryOperation, HasOnnxForm) {
  const Operation& operation = operation_named(GetParam());
  EXPECT_TRUE(!operation.onnx.empty() || operation.write_onnx != nullptr);
}

TEST_P(EveryOperation, GradientMatchesCentralDifferences) {
  const Operation& operation = operation_named(GetParam());
  if (operation.gradient == nullptr) return;  // Nothing to compare.
  for (const OperationSample& sample : operation.samples) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Graph graph(seed);
      Rng rng(seed);
      std::vector<Var> leaves;
      for (const Tensor& value : spread_inputs(sample, rng)) {
        leaves.push_back(graph.parameter(value.shape(), Init::zeros(),
                                         "p" + std::to_string(leaves.size())));
        leaves.back().set_value(value);
      }
      const Var output = apply_operation(operation, leaves, sample.attributes);
      // The loss reads the output twice, so that gradients also accumulate.
      const Var weights = graph.rand(output.shape());
      const Var loss = (output * weights).sum() + output.square().mean();
      const std::size_t differentiable =
          std::min(leaves.size(), operation.differentiable_inputs);
      const GradientCheck check =
          check_gradients(loss, std::span(leaves).first(differentiable), 5e-3f);
      EXPECT_LT(check.largest_error, 5e-3)
          << operation.name << " " << check.where << ", seed " << seed;
    }
  }
}

TEST_P(EveryOperation, RunsAgainFromSamePlanWithSameResult) {
  const Operation& operation = operation_named(GetParam());
  for (const OperationSample& sample : operation.samples) {
    Graph graph(1);
    Rng rng(1);
    std::vector<Var> leaves;
    for (const Tensor& value : spread_inputs(sample, rng)) {
      leaves.push_back(graph.input(value));
    }
    const Var output = apply_operation(operation, leaves, sample.attributes);
    output.forward();
    const Tensor first = output.value();
    output.forward();
    EXPECT_EQ(max_difference(first, output.value()), 0);
    EXPECT_EQ(graph.plan_count(), 1u);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const Operation& operation : operation_table()) {
    found.emplace_back(operation.name);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST(OperationTable, HasUniqueNamesAndSuggestsNearest) {
  const auto all = names();
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  try {
    operation_named("matmull");
    FAIL() << "nothing was thrown";
  } catch (const LogicError& caught) {
    EXPECT_STREQ(caught.what(),
                 "There is no operation 'matmull'; did you mean 'matmul'?");
  }
}

}  // namespace
}  // namespace lamarck
