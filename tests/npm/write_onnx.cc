// Writes models as ONNX files into a folder, with inputs and the outputs that
// we compute from them, for onnx_check.js: every sample of every operation, and
// whole networks.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/graph/onnx_import.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/gru.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/nn/norm_layers.h"

namespace lamarck {
namespace {

Json packed(const Tensor& tensor) {
  return {{"shape", std::vector<std::int64_t>(tensor.shape().begin(),
                                              tensor.shape().end())},
          {"values", tensor.to_vector()}};
}

class Cases {
 public:
  explicit Cases(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Starts a case; add_step adds its steps.
  bool begin(const std::string& name, std::span<const Var> outputs) {
    const std::string file = std::to_string(cases_.size()) + ".onnx";
    const auto written = export_onnx(folder_ / file, outputs);
    if (!written) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(),
                   written.error().message().c_str());
      return false;
    }
    cases_.push_back(
        {{"name", name}, {"file", file}, {"steps", Json::array()}});
    return true;
  }

  void add_step(const Json& inputs, const Json& outputs) {
    cases_.back()["steps"].push_back(
        {{"inputs", inputs}, {"outputs", outputs}});
  }

  // Adds the last case again, after the file was imported and exported. The
  // outputs have the same names and must have the same values.
  bool add_round_trip() {
    Json again = cases_.back();
    const auto bytes = read_file(folder_ / again["file"].get<std::string>());
    const auto graph = bytes ? graph_from_onnx(*bytes) : bytes.error();
    if (!graph) {
      std::fprintf(stderr, "%s: %s\n", again["name"].dump().c_str(),
                   graph.error().message().c_str());
      return false;
    }
    std::vector<Var> outputs;
    for (const auto& [name, value] : again["steps"][0]["outputs"].items()) {
      outputs.push_back(graph->named(name));
    }
    if (!begin(again["name"].get<std::string>() + ", imported", outputs)) {
      return false;
    }
    cases_.back()["steps"] = again["steps"];
    return true;
  }

  bool write() const {
    return write_file(folder_ / "cases.json", dump_json(cases_)).has_value();
  }

 private:
  std::filesystem::path folder_;
  Json cases_ = Json::array();
};

std::string name_of(const Var& input) {
  return input.name().empty() ? "input_" + std::to_string(input.node_id())
                              : input.name();
}

bool has_mask(const Operation& operation, const OperationSample& sample) {
  return (operation.name == "rnn" || operation.name == "lstm" ||
          operation.name == "gru") &&
         sample.shapes.size() == operation.max_inputs;
}

// Writes every sample of an operation, with random inputs from its domain.
bool write_operation(const Operation& operation, Cases& cases) {
  std::size_t count = 0;
  for (const OperationSample& sample : operation.samples) {
    // A flag above 0.5 turns training on, which the exported model does not
    // support.
    if (operation.updated_inputs != 0 && sample.low > 0.5f) continue;
    Graph graph(1);
    Rng rng(count + 1);
    std::vector<Var> inputs;
    Json fed = Json::object();
    for (const Shape& shape : sample.shapes) {
      Tensor value = Tensor::rand(shape, rng);
      for (float& x : value.data()) {
        x = sample.low + (sample.high - sample.low) * x;
        if (sample.has_indices && inputs.size() == 1) x = std::floor(x);
      }
      inputs.push_back(graph.input(value));
      fed[name_of(inputs.back())] = packed(value);
    }
    const Var output = apply_operation(operation, inputs, sample.attributes);
    output.set_name("y");
    const std::string name =
        std::string(operation.name) + " " + std::to_string(count++);
    if (has_mask(operation, sample)) {
      if (onnx_bytes(std::span(&output, 1))) return false;
      continue;  // The recurrent operators of ONNX have no mask.
    }
    if (!cases.begin(name, std::span(&output, 1))) return false;
    output.forward();
    cases.add_step(fed, {{"y", packed(output.value())}});
  }
  return true;
}

// A network that is exported with one batch size and run with others.
bool write_perceptron(Cases& cases) {
  Graph graph(2);
  Rng rng(2);
  const Var x = graph.input_named(Tensor::zeros({4, 6}), "x");
  const Var w = graph.parameter({6, 8}, Init::xavier(), "w");
  const Var b = graph.parameter({8}, Init::normal(0, 1), "b");
  const Var v = graph.parameter({8, 3}, Init::xavier(), "v");
  const Var y = ((x.matmul(w) + b).gelu().matmul(v) * 2.0f).softmax();
  y.set_name("y");
  if (!cases.begin("perceptron", std::span(&y, 1))) return false;
  for (const std::int64_t batch : {4, 1, 9}) {
    const Tensor value = Tensor::randn({batch, 6}, rng);
    x.set_value(value);
    y.forward();
    cases.add_step({{"x", packed(value)}}, {{"y", packed(y.value())}});
  }
  return true;
}

// A recurrent network whose caller passes the memory from step to step.
bool write_recurrent(Cases& cases) {
  Graph graph(3);
  Rng rng(3);
  const Var x = graph.input_named(Tensor::zeros({2, 3}), "x");
  const Var memory = graph.memory(Tensor::zeros({1, 4}), "h");
  const Var w = graph.parameter({3, 4}, Init::xavier(), "w");
  const Var u = graph.parameter({4, 4}, Init::xavier(), "u");
  const Var h = (x.matmul(w) + memory.matmul(u)).tanh();
  graph.add_recurrent_edge(h, memory);
  const Var y = h.sum(1);
  y.set_name("y");
  if (!cases.begin("recurrent", std::span(&y, 1))) return false;
  for (int t = 0; t < 4; ++t) {
    const Tensor value = Tensor::randn({2, 3}, rng);
    const Json inputs = {{"x", packed(value)}, {"h", packed(memory.value())}};
    x.set_value(value);
    graph.no_grad([&] { graph.step(y); });
    cases.add_step(
        inputs, {{"y", packed(y.value())}, {"h.next", packed(memory.value())}});
  }
  return true;
}

// Convolutions, batch norm and dropout in evaluation mode.
bool write_convolutional(Cases& cases) {
  Graph graph(4);
  Rng rng(4);
  const Var x = graph.input_named(Tensor::rand({2, 1, 12, 12}, rng), "x");
  const nn::Conv2d conv(graph, 1, 4, 3, "conv", {.padding = 1});
  const nn::BatchNorm norm(graph, 4, "norm");
  const nn::Dropout dropout(graph, 0.5f, "dropout");
  const nn::Linear out(graph, 144, 5, "out");
  const Var y = out(dropout(norm(conv(x)).relu().max_pool2d(2)).flatten());
  y.set_name("y");
  y.forward();  // In training mode, to update the running statistics.
  norm.eval();
  dropout.eval();
  if (!cases.begin("convolutional", std::span(&y, 1))) return false;
  for (const std::int64_t batch : {2, 5}) {
    const Tensor value = Tensor::rand({batch, 1, 12, 12}, rng);
    x.set_value(value);
    y.forward();
    cases.add_step({{"x", packed(value)}}, {{"y", packed(y.value())}});
  }
  return true;
}

// Two LSTM layers and a GRU over sequences of any length.
bool write_sequence(Cases& cases) {
  Graph graph(5);
  Rng rng(5);
  const Var x = graph.input_named(Tensor::zeros({6, 2, 3}), "x");
  const nn::Lstm lstm(graph, 3, 5, "lstm", {.layers = 2});
  const nn::Gru gru(graph, 5, 4, "gru");
  const nn::Linear out(graph, 4, 2, "out");
  const auto between = lstm(x);
  const Var y = out(gru(between.hidden).last[0]);
  const Var cell = between.last[1].cell;
  y.set_name("y");
  cell.set_name("cell");
  const std::vector<Var> outputs = {y, cell};
  if (!cases.begin("sequence", outputs)) return false;
  for (const std::int64_t steps : {6, 1, 9}) {
    const Tensor value = Tensor::randn({steps, 2, 3}, rng);
    x.set_value(value);
    y.forward();
    cell.forward();
    cases.add_step({{"x", packed(value)}},
                   {{"y", packed(y.value())}, {"cell", packed(cell.value())}});
  }
  return true;
}

bool write_all(const std::filesystem::path& folder) {
  Cases cases(folder);
  for (const Operation& operation : operation_table()) {
    if (!write_operation(operation, cases)) return false;
  }
  return write_perceptron(cases) && cases.add_round_trip() &&
         write_recurrent(cases) && write_convolutional(cases) &&
         cases.add_round_trip() && write_sequence(cases) &&
         cases.add_round_trip() && cases.write();
}

}  // namespace
}  // namespace lamarck

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: write_onnx FOLDER\n");
    return 2;
  }
  return lamarck::write_all(arguments[1]) ? 0 : 1;
}
