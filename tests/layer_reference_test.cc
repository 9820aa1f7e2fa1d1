// Compares our layers with PyTorch: outputs, gradients of inputs and
// parameters, and running statistics. tests/reference/layers.json has the
// values.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/embedding.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/multi_head_attention.h"
#include "lamarck/nn/norm_layers.h"
#include "lamarck/nn/sequential.h"
#include "tests/reference_case.h"

namespace lamarck::nn {
namespace {

using Inputs = std::vector<Var>;

struct Built {
  std::shared_ptr<const Module> module;
  std::function<Var(const Inputs&)> call;
};

// Wraps a layer that takes only the first input.
template <class Layer>
Built built(Layer layer) {
  auto held = std::make_shared<const Layer>(std::move(layer));
  return {held, [held](const Inputs& inputs) { return (*held)(inputs[0]); }};
}

PerAxis parse_pair(const Json& json) {
  return {json[0].get<std::int64_t>(), json[1].get<std::int64_t>()};
}

Built conv2d(const Graph& graph, const Json& o) {
  return built(Conv2d(graph, o["channels"], o["outputs"],
                      parse_pair(o["kernel"]), "layer",
                      {.stride = parse_pair(o["stride"]),
                       .padding = parse_pair(o["padding"]),
                       .dilation = parse_pair(o["dilation"]),
                       .groups = o["groups"],
                       .bias = o["bias"]}));
}

template <class Layer>
Built pool2d(const Graph&, const Json& o) {
  return built(
      Layer(parse_pair(o["kernel"]), {.stride = parse_pair(o["stride"]),
                                      .padding = parse_pair(o["padding"])}));
}

Built attention(const Graph& graph, const Json& o) {
  auto held = std::make_shared<const MultiHeadAttention>(graph, o["width"],
                                                         o["heads"], "layer");
  const bool causal = o["causal"];
  return {held, [held, causal](const Inputs& inputs) {
            AttentionMask mask = {.causal = causal};
            if (inputs.size() > 1) mask.padding = inputs[1];
            return (*held)(inputs[0], mask);
          }};
}

// A smaller version of the network that bench/ measures.
Built sequential(const Graph& graph, const Json&) {
  return built(Sequential(
      {Conv2d(graph, 1, 2, 3, "layer.0", {.padding = 1}),
       BatchNorm(graph, 2, "layer.1"), &Var::relu, MaxPool2d(2), &Var::flatten,
       Dropout(graph, 0, "layer.5"), Linear(graph, 18, 4, "layer.6")}));
}

using Builder = Built (*)(const Graph& graph, const Json& options);
const std::map<std::string, Builder>& builders() {
  static const std::map<std::string, Builder> kBuilders = {
      {"Linear",
       [](const Graph& graph, const Json& o) {
         return built(Linear(graph, o["inputs"], o["outputs"], "layer"));
       }},
      {"Conv2d", conv2d},
      {"MaxPool2d", pool2d<MaxPool2d>},
      {"AvgPool2d", pool2d<AvgPool2d>},
      {"BatchNorm",
       [](const Graph& graph, const Json& o) {
         return built(BatchNorm(graph, o["channels"], "layer"));
       }},
      {"LayerNorm",
       [](const Graph& graph, const Json& o) {
         return built(LayerNorm(graph, o["width"], "layer"));
       }},
      {"Dropout",
       [](const Graph& graph, const Json& o) {
         return built(Dropout(graph, o["probability"], "layer"));
       }},
      {"Embedding",
       [](const Graph& graph, const Json& o) {
         return built(Embedding(graph, o["count"], o["width"], "layer"));
       }},
      {"MultiHeadAttention", attention},
      {"Sequential", sequential},
  };
  return kBuilders;
}

void compare(const Json& each) {
  const auto name = each["layer"].get<std::string>();
  Graph graph;
  const Built layer = builders().at(name)(graph, each["options"]);
  if (!each["training"].get<bool>()) layer.module->eval();
  EXPECT_EQ(layer.module->parameters().size(), each["parameters"].size());
  for (const char* kind : {"parameters", "buffers"}) {
    for (const auto& [key, value] : each[kind].items()) {
      graph.named("layer." + key).set_value(parse_tensor(value));
    }
  }
  Inputs inputs;
  for (const Json& input : each["inputs"]) {
    inputs.push_back(graph.input(parse_tensor(input)));
  }
  inputs[0].set_requires_grad(!each["input_gradient"].is_null());
  const Var output = layer.call(inputs);
  const Var weights = graph.input(
      Tensor::from(output.shape(), each["weights"].get<std::vector<float>>()));
  const Var loss = (output * weights).sum();
  loss.backward();
  EXPECT_EQ(output.shape(), parse_tensor(each["output"]).shape()) << name;
  expect_close(output.value(), parse_tensor(each["output"]).to_vector(), name);
  if (!each["input_gradient"].is_null()) {
    expect_close(inputs[0].grad(),
                 each["input_gradient"].get<std::vector<float>>(),
                 name + ", gradient of the input");
  }
  for (const auto& [key, gradient] : each["parameter_gradients"].items()) {
    expect_close(graph.named("layer." + key).grad(),
                 gradient.get<std::vector<float>>(), name + ", " + key);
  }
  for (const auto& [key, value] : each["buffers_after"].items()) {
    expect_close(graph.named("layer." + key).value(),
                 parse_tensor(value).to_vector(), name + ", " + key);
  }
}

TEST(LayerReference, EveryLayerMatchesPyTorch) {
  std::map<std::string, int> seen;
  for (const Json& each : reference_cases("layers.json")) {
    compare(each);
    ++seen[each["layer"].get<std::string>()];
  }
  EXPECT_EQ(seen.size(), builders().size());
}

}  // namespace
}  // namespace lamarck::nn
