// Our operations against numbers that PyTorch gave; tests/reference/ has them,
// and the script that made them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/operation_table.h"

namespace lamarck {
namespace {

const Json& cases() {
  static const Json kCases =
      parse_json(read_file(LAMARCK_REFERENCE "/operations.json").value())
          .value();
  return kCases;
}

Tensor tensor_of(const Json& packed) {
  return Tensor::from(Shape(packed["shape"].get<std::vector<std::int64_t>>()),
                      packed["values"].get<std::vector<float>>());
}

Attributes attributes_of(const Json& each) {
  Attributes attributes;
  std::ranges::copy(each["numbers"].get<std::vector<float>>(),
                    attributes.numbers.begin());
  std::ranges::copy(each["integers"].get<std::vector<std::int64_t>>(),
                    attributes.integers.begin());
  if (!each["shape"].is_null()) {
    attributes.shape = Shape(each["shape"].get<std::vector<std::int64_t>>());
  }
  return attributes;
}

// Within 1e-5 of the largest of the expected values, or of a tenth where sums
// cancel out.
void expect_close(const Tensor& ours, const std::vector<float>& expected,
                  const std::string& what) {
  const auto values = ours.to_vector();
  ASSERT_EQ(values.size(), expected.size()) << what;
  float scale = 0.1f;
  for (const float x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-5f * scale) << what << " at " << i;
  }
}

void compare(const Json& each) {
  const auto name = each["operation"].get<std::string>();
  Graph graph;
  std::vector<Var> leaves;
  for (const Json& input : each["inputs"]) {
    leaves.push_back(graph.input(tensor_of(input)));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    leaves[i].set_requires_grad(!each["gradients"][i].is_null());
  }
  const Var output =
      apply_operation(operation_named(name), leaves, attributes_of(each));
  const Var weights = graph.input(
      Tensor::from(output.shape(), each["weights"].get<std::vector<float>>()));
  const Var loss = (output * weights).sum();
  output.forward();
  EXPECT_EQ(output.value().shape(), tensor_of(each["output"]).shape()) << name;
  expect_close(output.value(), tensor_of(each["output"]).to_vector(), name);
  loss.backward();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (each["gradients"][i].is_null()) continue;
    expect_close(leaves[i].grad(),
                 each["gradients"][i].get<std::vector<float>>(),
                 name + ", gradient " + std::to_string(i));
  }
}

TEST(Reference, EveryOperationAgreesWithPyTorch) {
  for (const Json& each : cases()) compare(each);
}

TEST(Reference, EveryOperationHasACase) {
  std::set<std::string> covered;
  for (const Json& each : cases()) covered.insert(each["operation"]);
  for (const Operation& operation : operation_table()) {
    EXPECT_TRUE(covered.contains(std::string(operation.name)))
        << operation.name << ": add it to tests/reference/make_operations.py";
  }
}

}  // namespace
}  // namespace lamarck
