#include "lamarck/graph/onnx_export.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/version.h"
#include "lamarck/graph/internal/graph_json.h"
#include "lamarck/graph/internal/onnx_expression.h"
#include "lamarck/graph/internal/protobuf_writer.h"

namespace lamarck {
namespace {

// Constants of onnx.proto3. The calls of ProtobufWriter below use its field
// numbers.
constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kFloat = 1;
constexpr std::int64_t kInt64 = 7;

template <class T>
ProtobufWriter tensor_message(const std::string& name, std::int64_t type,
                              std::span<const std::int64_t> sizes,
                              std::span<const T> values) {
  ProtobufWriter message;
  for (const std::int64_t size : sizes) message.integer(1, size);
  message.integer(2, type).bytes(8, name);
  message.bytes(
      9, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  return message;
}

ProtobufWriter attribute_message(const std::string& name,
                                 const OnnxAttribute& value) {
  ProtobufWriter message;
  message.bytes(1, name);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    message.integer(3, *integer).integer(20, 2);
  } else if (const auto* number = std::get_if<float>(&value)) {
    message.number(2, *number).integer(20, 1);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    message.bytes(4, *text).integer(20, 3);
  } else {
    for (const std::int64_t each : std::get<std::vector<std::int64_t>>(value)) {
      message.integer(8, each);
    }
    message.integer(20, 7);
  }
  return message;
}

// The name, type and shape of a value. The first axis is symbolic, so that a
// runtime accepts any batch size.
ProtobufWriter value_message(const std::string& name, const Shape* shape) {
  ProtobufWriter tensor;
  tensor.integer(1, kFloat);
  if (shape != nullptr) {
    ProtobufWriter axes;
    for (std::size_t i = 0; i < shape->rank(); ++i) {
      ProtobufWriter axis;
      if (i == 0) {
        axis.bytes(2, name + "_size");
      } else {
        axis.integer(1, (*shape)[i]);
      }
      axes.message(1, axis);
    }
    tensor.message(2, axes);
  }
  ProtobufWriter type;
  type.message(1, tensor);
  ProtobufWriter value;
  value.bytes(1, name).message(2, type);
  return value;
}

class Exporter : public OnnxSink {
 public:
  explicit Exporter(const GraphState& state) : state_(state) {}

  void add_output(NodeId id, const std::string& name) {
    // An extra node, so that one value can be exported under several names.
    add_node("Identity", {value_of(id)}, {name}, {});
    graph_.message(12, value_message(name, nullptr));
  }

  // Adds an output with the next value of each memory that was read. Writing it
  // may read further memories, so the list can grow during the loop.
  void add_memories() {
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      const Node& memory = state_.nodes[memories_[i]];
      if (memory.source) {
        add_output(*memory.source, leaf_name(memories_[i]) + ".next");
      }
    }
  }

  std::string finish() {
    graph_.bytes(2, "lamarck");
    ProtobufWriter opset;
    opset.bytes(1, "").integer(2, kOpset);
    ProtobufWriter model;
    model.integer(1, kIrVersion)
        .bytes(2, "lamarck")
        .bytes(3, version())
        .message(7, graph_)
        .message(8, opset);
    return model.result();
  }

  std::string input(std::size_t at) override {
    ENSURE(at < current_->inputs.size(),
           "an ONNX expression uses only existing inputs");
    return value_of(current_->inputs[at]);
  }

  std::string constant(float value) override {
    std::string name = fresh_name();
    graph_.message(5, tensor_message<float>(name, kFloat, {}, {&value, 1}));
    return name;
  }

  std::string constant(const std::vector<std::int64_t>& values) override {
    std::string name = fresh_name();
    const auto size = static_cast<std::int64_t>(values.size());
    graph_.message(
        5, tensor_message<std::int64_t>(name, kInt64, {&size, 1}, values));
    return name;
  }

  std::string call(
      const std::string& name, std::size_t output,
      const std::vector<std::string>& inputs,
      const std::map<std::string, OnnxAttribute>& attributes) override {
    // ONNX marks unused outputs before the wanted one by empty names.
    std::vector<std::string> outputs(output);
    outputs.push_back(fresh_name());
    add_node(name, inputs, outputs, attributes);
    return outputs.back();
  }

 private:
  // Writes the node after everything that it needs. Uses its own stack, because
  // recursion could overflow on a deep graph.
  std::string value_of(NodeId id) {
    std::vector<NodeId> path = {id};
    while (!path.empty()) {
      const NodeId next = path.back();
      const Node& node = state_.nodes[next];
      if (names_.contains(next)) {
        path.pop_back();
      } else if (node.is_leaf()) {
        path.pop_back();
        if (next == id) names_.emplace(next, add_leaf(next));
      } else if (!push_unwritten_inputs(node, path)) {
        path.pop_back();
        names_.emplace(next, written(next));
      }
    }
    return names_.at(id);
  }

  bool push_unwritten_inputs(const Node& node, std::vector<NodeId>& path) {
    const std::size_t before = path.size();
    for (const NodeId input : node.inputs) {
      if (!names_.contains(input) && !state_.nodes[input].is_leaf()) {
        path.push_back(input);
      }
    }
    return path.size() > before;
  }

  std::string written(NodeId id) {
    const Node& node = state_.nodes[id];
    const Operation& operation = *node.operation;
    // Infer the shapes here: the stored ones may be from another batch size.
    std::vector<Shape> shapes;
    for (const NodeId in : node.inputs) {
      const Node& input = state_.nodes[in];
      shapes.push_back(input.is_leaf() ? input.value.shape() : shapes_.at(in));
    }
    const Shape output = operation.shape(operation, shapes, node.attributes);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if ((operation.updated_inputs >> i & 1) != 0) {
        statistics_.insert(node.inputs[i]);
      }
    }
    const Node* const outer = std::exchange(current_, &node);
    const std::string expression =
        operation.write_onnx != nullptr
            ? operation.write_onnx({shapes, output}, node.attributes)
            : std::string(operation.onnx);
    if (expression.empty()) {
      throw LogicError(
          Error(ErrorCode::Unsupported,
                "The operation " + in_quotes(operation.name) +
                    " has no ONNX equivalent with these inputs; export a node "
                    "before it."));
    }
    std::string name = write_onnx_expression(expression, node.inputs.size(),
                                             node.attributes, *this);
    current_ = outer;
    shapes_.emplace(id, output);
    return name;
  }

  std::string leaf_name(NodeId id) const {
    const Node& node = state_.nodes[id];
    return node.name.empty() ? "input_" + std::to_string(id) : node.name;
  }

  // Called only for leaves that an expression reads, so unused ones stay out of
  // the file.
  std::string add_leaf(NodeId id) {
    const Node& node = state_.nodes[id];
    std::string name = leaf_name(id);
    if (node.is_parameter || node.is_constant || statistics_.contains(id)) {
      const Tensor dense = node.value.contiguous();
      graph_.message(5, tensor_message<float>(
                            name, kFloat, dense.shape().sizes(), dense.data()));
    } else {
      graph_.message(11, value_message(name, &node.shape));
      if (node.is_memory) memories_.push_back(id);
    }
    return name;
  }

  void add_node(const std::string& operation,
                const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs,
                const std::map<std::string, OnnxAttribute>& attributes) {
    ProtobufWriter message;
    for (const std::string& input : inputs) message.bytes(1, input);
    for (const std::string& output : outputs) message.bytes(2, output);
    message.bytes(3, "make_" + outputs.back()).bytes(4, operation);
    for (const auto& [name, value] : attributes) {
      message.message(5, attribute_message(name, value));
    }
    graph_.message(1, message);
  }

  // A name that no node of the graph has.
  std::string fresh_name() {
    std::string name;
    do {
      name = "value_" + std::to_string(next_name_++);
    } while (std::ranges::any_of(
        state_.nodes, [&](const Node& node) { return node.name == name; }));
    return name;
  }

  const GraphState& state_;
  ProtobufWriter graph_;
  std::map<NodeId, std::string> names_;  // Nodes written so far.
  std::map<NodeId, Shape> shapes_;       // Operations written so far.
  std::vector<NodeId> memories_;
  std::set<NodeId> statistics_;    // Leaves that operations update; exported as
                                   // constants.
  const Node* current_ = nullptr;  // Whose expression is being written.
  std::size_t next_name_ = 0;
};

}  // namespace

Result<std::string> onnx_bytes(std::span<const Var> outputs) {
  REQUIRE(!outputs.empty(), "onnx_bytes: outputs must not be empty.");
  const GraphState& state = GraphAccess::state(outputs[0]);
  Exporter exporter(state);
  for (const Var& output : outputs) {
    REQUIRE(output.same_graph(outputs[0]),
            "onnx_bytes: all outputs must belong to one graph; node {} belongs "
            "to another graph than node {}.",
            output.node_id(), outputs[0].node_id());
  }
  try {
    for (const Var& output : outputs) {
      const std::string& name = output.name();
      exporter.add_output(output.node_id(),
                          name.empty() || output.operation().empty()
                              ? "output_" + std::to_string(output.node_id())
                              : name);
    }
    exporter.add_memories();
  } catch (const LogicError& failure) {
    return failure.error();
  }
  return exporter.finish();
}

Result<void> export_onnx(const std::filesystem::path& path,
                         std::span<const Var> outputs) {
  ASSIGN_OR_RETURN(const std::string bytes, onnx_bytes(outputs));
  return write_file(path, bytes);
}

}  // namespace lamarck
