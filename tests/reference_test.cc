// Compares our operations with PyTorch. tests/reference/ has the values and the
// script that wrote them.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lamarck/graph/graph.h"
#include "lamarck/graph/operation_table.h"
#include "tests/reference_case.h"

namespace lamarck {
namespace {

const Json& cases() {
  static const Json kCases = reference_cases("operations.json");
  return kCases;
}

Attributes parse_attributes(const Json& each) {
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

void compare(const Json& each) {
  const auto name = each["operation"].get<std::string>();
  Graph graph;
  std::vector<Var> leaves;
  for (const Json& input : each["inputs"]) {
    leaves.push_back(graph.input(parse_tensor(input)));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    leaves[i].set_requires_grad(!each["gradients"][i].is_null());
  }
  const Var output =
      apply_operation(operation_named(name), leaves, parse_attributes(each));
  const Var weights = graph.input(
      Tensor::from(output.shape(), each["weights"].get<std::vector<float>>()));
  const Var loss = (output * weights).sum();
  output.forward();
  EXPECT_EQ(output.value().shape(), parse_tensor(each["output"]).shape())
      << name;
  expect_close(output.value(), parse_tensor(each["output"]).to_vector(), name);
  loss.backward();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (each["gradients"][i].is_null()) continue;
    expect_close(leaves[i].grad(),
                 each["gradients"][i].get<std::vector<float>>(),
                 name + ", gradient " + std::to_string(i));
  }
}

TEST(Reference, EveryOperationMatchesPyTorch) {
  for (const Json& each : cases()) compare(each);
}

TEST(Reference, EveryOperationIsCovered) {
  std::set<std::string> covered;
  for (const Json& each : cases()) covered.insert(each["operation"]);
  for (const Operation& operation : operation_table()) {
    EXPECT_TRUE(covered.contains(std::string(operation.name)))
        << operation.name << ": add it to tests/reference/make_operations.py";
  }
}

}  // namespace
}  // namespace lamarck
