#include "lamarck/graph/onnx_import.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/internal/protobuf_writer.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/unary_ops.h"

namespace lamarck {
namespace {

Tensor computed_value(const Var& var) {
  var.forward();
  return var.value();
}

// Exports y, imports the file and compares the outputs for x.
void expect_round_trip(const Var& x, const Var& y) {
  const Graph again = graph_from_onnx(onnx_bytes({&y, 1}).value()).value();
  again.named(x.name()).set_value(x.value());
  EXPECT_LE(
      max_difference(computed_value(again.named(y.name())), computed_value(y)),
      1e-6);
}

TEST(OnnxImport, ReadsDenseLayersBack) {
  Graph graph(1);
  const Var x = graph.randn({4, 6}).set_name("x");
  const Var w = graph.parameter({6, 8}, Init::xavier(), "w");
  const Var b = graph.parameter({8}, Init::normal(0, 1), "b");
  const Var v = graph.parameter({8, 3}, Init::xavier(), "v");
  const Var h = (x.matmul(w) + b).tanh();
  const Var y = (h.matmul(v).leaky_relu() * 2.0f).softmax().set_name("y");
  expect_round_trip(x, y);
  const Graph again = graph_from_onnx(onnx_bytes({&y, 1}).value()).value();
  EXPECT_EQ(again.parameter_count(), graph.parameter_count());
  EXPECT_EQ(max_difference(again.named("w").value(), w.value()), 0);
}

TEST(OnnxImport, ReadsImagesBack) {
  Graph graph(2);
  const Var x = graph.randn({2, 3, 8, 8}).set_name("x");
  const Var kernel = graph.parameter({4, 3, 3, 3}, Init::kaiming(), "kernel");
  const Var bias = graph.parameter({4}, Init::normal(0, 1), "bias");
  const auto leaf = [&](float value, const char* name) {
    return graph.input_named(Tensor::full({4}, value), name);
  };
  const BatchNormInputs inputs{
      .scale = graph.parameter({4}, Init::uniform(0.5f, 2), "scale"),
      .shift = graph.parameter({4}, Init::normal(0, 1), "shift"),
      .mean = leaf(0.25f, "mean"),
      .variance = leaf(2, "variance"),
      .training = graph.input(Tensor::scalar(0))};
  const Var h = batch_norm(x.conv2d(kernel, bias, {.padding = 1}), inputs);
  const Var out = graph.parameter({64, 2}, Init::xavier(), "out");
  const Var y = h.relu().max_pool2d(2).flatten().matmul(out).set_name("y");
  expect_round_trip(x, y);
}

TEST(OnnxImport, ReadsRecurrentOperationsBack) {
  for (const std::string name : {"rnn", "gru", "lstm"}) {
    Graph graph(3);
    const std::int64_t gates = name == "rnn" ? 1 : name == "gru" ? 3 : 4;
    const Var x = graph.randn({5, 2, 3}).set_name("x");
    const auto parameter = [&](const Shape& shape, const char* what) {
      return graph.parameter(shape, Init::normal(0, 1), what);
    };
    std::vector<Var> inputs = {x, parameter({3, gates * 4}, "w"),
                               parameter({4, gates * 4}, "v"),
                               parameter({gates * 4}, "b")};
    if (name == "gru") inputs.push_back(parameter({gates * 4}, "d"));
    inputs.push_back(graph.constant(Tensor::zeros({1, 4})));
    if (name == "lstm") {
      inputs.push_back(graph.constant(Tensor::zeros({1, 4})));
    }
    const Var states = apply_operation(operation_named(name), inputs, {});
    const Var y = states.slice(2, 0, 4).set_name("y");
    expect_round_trip(x, y);
    // Steps and batch may change.
    const Graph again = graph_from_onnx(onnx_bytes({&y, 1}).value()).value();
    x.set_value(Tensor::full({7, 3, 3}, 0.5f));
    again.named("x").set_value(x.value());
    EXPECT_LE(
        max_difference(computed_value(again.named("y")), computed_value(y)),
        1e-6)
        << name;
  }
}

TEST(OnnxImport, ReadsEveryElementwiseFunctionBack) {
  for (const UnaryOp& op : unary_ops()) {
    SCOPED_TRACE(op.name);
    Graph graph(4);
    const Var x = graph.uniform({3, 5}, 0.25f, 2).set_name("x");
    const Var w = graph.parameter({5, 5}, Init::xavier(), "w");
    expect_round_trip(x,
                      (x + x.matmul(w).square()).apply(op.name).set_name("y"));
  }
  for (const BinaryOp& op : binary_ops()) {
    if (op.name == "masked") continue;  // Part of operations with masks.
    SCOPED_TRACE(op.name);
    Graph graph(5);
    const Var x = graph.uniform({3, 5}, -2, 2).set_name("x");
    expect_round_trip(x, binary(op.name, x, x.square()).set_name("y"));
  }
}

// Operations that the outputs do not depend on are not left behind, so the
// output is the only node that no other node reads.
TEST(OnnxImport, LeavesNoUnusedNodes) {
  Graph graph(6);
  const Var x = graph.randn({3, 2}).set_name("x");
  const Var w = graph.parameter({2, 2}, Init::xavier(), "w");
  const Var y = x.matmul(w).gelu().set_name("y");
  const Graph again = graph_from_onnx(onnx_bytes({&y, 1}).value()).value();
  EXPECT_EQ(again.node_count(), graph.node_count());
  EXPECT_EQ(again.named("y").operation(), "gelu");
}

// Names of an imported file look like those that the export makes up.
TEST(OnnxImport, ExportAvoidsNamesOfGraph) {
  Graph graph(7);
  const Var x = graph.randn({3, 2}).set_name("value_1");
  const Var w = graph.parameter({2, 2}, Init::xavier(), "value_0");
  expect_round_trip(x, x.matmul(w).gelu().set_name("value_2"));
}

// ---- Files as PyTorch writes them

ProtobufWriter float_tensor(const std::string& name,
                            const std::vector<std::int64_t>& sizes,
                            const std::vector<float>& values) {
  ProtobufWriter message;
  for (const std::int64_t size : sizes) message.integer(1, size);
  message.integer(2, 1).bytes(8, name);
  message.bytes(9, {reinterpret_cast<const char*>(values.data()),
                    values.size() * sizeof(float)});
  return message;
}

ProtobufWriter integer_attribute_message(const std::string& name,
                                         std::int64_t value) {
  ProtobufWriter message;
  message.bytes(1, name).integer(3, value).integer(20, 2);
  return message;
}

ProtobufWriter input_message(const std::string& name, std::int64_t width) {
  ProtobufWriter batch;
  batch.bytes(2, "batch");
  ProtobufWriter size;
  size.integer(1, width);
  ProtobufWriter shape;
  shape.message(1, batch).message(1, size);
  ProtobufWriter tensor;
  tensor.integer(1, 1).message(2, shape);
  ProtobufWriter type;
  type.message(1, tensor);
  ProtobufWriter value;
  value.bytes(1, name).message(2, type);
  return value;
}

// A model of one node that reads x [batch, 2], w and b.
std::string one_node_model(const std::string& operation) {
  ProtobufWriter node;
  node.bytes(1, "x").bytes(1, "w").bytes(1, "b").bytes(2, "y");
  node.bytes(4, operation);
  node.message(5, integer_attribute_message("transB", 1));
  ProtobufWriter graph;
  graph.message(1, node)
      .message(5, float_tensor("w", {3, 2}, {1, 2, 3, 4, 5, 6}))
      .message(5, float_tensor("b", {3}, {10, 20, 30}))
      .message(11, input_message("x", 2))
      .message(12, input_message("y", 3));
  ProtobufWriter model;
  model.integer(1, 8).message(7, graph);
  return model.result();
}

TEST(OnnxImport, TurnsWeightsOfGemm) {
  const Graph graph = graph_from_onnx(one_node_model("Gemm")).value();
  EXPECT_EQ(graph.named("w").shape(), Shape({2, 3}));
  graph.named("x").set_value(Tensor::from({1, 2}, {1, -1}));
  EXPECT_EQ(computed_value(graph.named("y")).to_vector(),
            (std::vector<float>{9, 19, 29}));
}

TEST(OnnxImport, NamesOperatorThatItCannotRead) {
  const Result<Graph> made = graph_from_onnx(one_node_model("Einsum"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(made.error().message().find("Einsum"), std::string::npos);
}

// No damage crashes or throws.
// x * (erf(x / sqrt(2)) + 1) * 0.5, the order of PyTorch.
TEST(OnnxImport, RecognizesGelu) {
  const auto node = [](const std::string& operation, const std::string& a,
                       const std::string& b, const std::string& out) {
    ProtobufWriter message;
    message.bytes(1, a);
    if (!b.empty()) message.bytes(1, b);
    return message.bytes(2, out).bytes(4, operation);
  };
  ProtobufWriter graph;
  graph.message(1, node("Div", "x", "root", "u"))
      .message(1, node("Erf", "u", "", "e"))
      .message(1, node("Add", "e", "one", "p"))
      .message(1, node("Mul", "x", "p", "m"))
      .message(1, node("Mul", "m", "half", "y"))
      .message(5, float_tensor("root", {}, {1.41421356f}))
      .message(5, float_tensor("one", {}, {1}))
      .message(5, float_tensor("half", {}, {0.5f}))
      .message(11, input_message("x", 3))
      .message(12, input_message("y", 3));
  ProtobufWriter model;
  model.integer(1, 8).message(7, graph);
  const Graph imported = graph_from_onnx(model.result()).value();
  const Tensor inputs = Tensor::from({1, 3}, {-1, 0, 2});
  imported.named("x").set_value(inputs);
  Graph expected;
  const Var y = expected.input(inputs).gelu();
  EXPECT_LE(
      max_difference(computed_value(imported.named("y")), computed_value(y)),
      1e-6);
}

TEST(OnnxImport, RefusesDamagedFiles) {
  const std::string bytes = one_node_model("Gemm");
  for (std::size_t end = 0; end < bytes.size(); ++end) {
    EXPECT_FALSE(graph_from_onnx(bytes.substr(0, end))) << end;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\x7f'}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      static_cast<void>(graph_from_onnx(changed));
    }
  }
}

}  // namespace
}  // namespace lamarck
