// Compares our recurrent layers with PyTorch. tests/reference/recurrent.json
// has the values, which make_recurrent.py in the same folder wrote.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/nn/gru.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/nn/rnn.h"

namespace lamarck::nn {
namespace {

Json cases() {
  return parse_json(read_file(LAMARCK_REFERENCE "/recurrent.json").value())
      .value();
}

Tensor parse_tensor(const Json& packed) {
  return Tensor::from(Shape(packed["shape"].get<std::vector<std::int64_t>>()),
                      packed["values"].get<std::vector<float>>());
}

// The tolerance is 1e-5 of the largest expected value, but at least 1e-5.
void expect_close(const Tensor& ours, const Json& numbers,
                  const std::string& what) {
  const auto expected = numbers.get<std::vector<float>>();
  const auto values = ours.to_vector();
  ASSERT_EQ(values.size(), expected.size()) << what;
  float scale = 1;
  for (const float x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-5f * scale) << what << " at " << i;
  }
}

const Var& hidden_of(const Var& state) { return state; }
const Var& hidden_of(const LstmState& state) { return state.hidden; }

template <class Layer>
void compare(const Json& each) {
  const auto kind = each["layer"].get<std::string>();
  Graph graph;
  const Var x = graph.input(parse_tensor(each["x"]));
  x.set_requires_grad(true);
  const Layer layer(graph, x.shape()[2],
                    each["hidden_size"].get<std::int64_t>(), "layer",
                    {.layers = each["layers"].get<std::int64_t>()});
  for (const auto& [name, packed] : each["parameters"].items()) {
    graph.named(name).set_value(parse_tensor(packed));
  }
  const auto output = layer(x);
  const Var weights = graph.input(Tensor::from(
      output.hidden.shape(), each["weights"].get<std::vector<float>>()));
  (output.hidden * weights).sum().backward();

  expect_close(output.hidden.value(), each["hidden"], kind);
  for (std::size_t i = 0; i < output.last.size(); ++i) {
    hidden_of(output.last[i]).forward();
    expect_close(hidden_of(output.last[i]).value(), each["last"][i],
                 kind + ", last state");
  }
  expect_close(x.grad(), each["x_gradient"], kind + ", gradient of x");
  EXPECT_EQ(layer.parameters().size(), each["gradients"].size());
  for (const auto& [name, numbers] : each["gradients"].items()) {
    expect_close(graph.named(name).grad(), numbers,
                 kind + ", gradient of " + name);
  }
}

TEST(RecurrentReference, EveryLayerMatchesPyTorch) {
  for (const Json& each : cases()) {
    if (each["layer"] == "rnn") compare<Rnn>(each);
    if (each["layer"] == "lstm") compare<Lstm>(each);
    if (each["layer"] == "gru") compare<Gru>(each);
  }
  EXPECT_EQ(cases().size(), 6u);
}

}  // namespace
}  // namespace lamarck::nn
