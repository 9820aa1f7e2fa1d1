// Builds a graph from the parts of an ONNX file.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/onnx_model.h"

namespace lamarck {

using OnnxIntegers = std::vector<std::int64_t>;
inline constexpr std::int64_t kOnnxOpen = -1;  // Depends on the batch.

// A weight, or what is computed from weights alone. It becomes a parameter when
// an operator reads it together with an input.
struct OnnxWeight {
  std::string name;
  Tensor value;
};
// scale * erf(x / sqrt(2)) + shift. Models write GELU with it.
struct OnnxErf {
  Var x;
  float scale = 1;
  float shift = 0;
};
// A computed value, a weight, or integers such as shapes and axes.
using OnnxValue = std::variant<Var, OnnxWeight, OnnxIntegers, OnnxErf>;

// Throws an Error of code Unsupported: "import_onnx: <what>, got operator ...".
[[noreturn]] void throw_unsupported(const OnnxNode& node,
                                    const std::string& what);

std::int64_t integer_attribute(const OnnxNode& node, const std::string& name,
                               std::int64_t usual);
float number_attribute(const OnnxNode& node, const std::string& name,
                       float usual);
OnnxIntegers integers_attribute(const OnnxNode& node, const std::string& name,
                                const OnnxIntegers& usual = {});
bool has_input(const OnnxNode& node, std::size_t at);
Tensor to_tensor(const OnnxTensor& tensor);

class OnnxImporter {
 public:
  explicit OnnxImporter(OnnxModel model) : model_(std::move(model)) {}

  // Throws LogicError if the model cannot be imported.
  Graph run();

 private:
  void add_input(const OnnxInput& input);
  void add_output(const std::string& name);
  // Removes what no output depends on, except inputs.
  void remove_unused_nodes();
  // Which nodes the outputs depend on.
  std::vector<bool> find_needed() const;
  const OnnxNode* producer(const std::string& name) const;
  // Our export joins the hidden states of an LSTM and its cells, of which ONNX
  // has only the last. Such a node becomes our lstm operation again.
  void join_lstm_states();

  const OnnxValue& value_of(const std::string& name) const;
  const OnnxValue& input_value(const OnnxNode& node, std::size_t at) const;
  void set(const OnnxNode& node, OnnxValue value, std::size_t at = 0);
  std::string unique_name(const std::string& wanted);
  bool has_node_named(const std::string& name) const;
  // The graph that is being built, or the one in which weights are computed.
  const Graph& graph() const { return folding_ ? *folding_ : graph_; }
  Var as_var(const OnnxValue& value);
  Var input(const OnnxNode& node, std::size_t at);
  Tensor weight(const OnnxNode& node, std::size_t at) const;
  // The only element of a weight, or `usual` if the input is left out.
  float number(const OnnxNode& node, std::size_t at, float usual) const;
  // Integers that are known when the model is read, from an input or, in older
  // files, from an attribute.
  OnnxIntegers integers(const OnnxNode& node, std::size_t at,
                        const std::string& attribute) const;
  Var with_parameter(const std::string& name, const Tensor& value);

  void add_node(const OnnxNode& node);
  void build(const OnnxNode& node);
  Var built(const OnnxNode& node);

  // Operators on shapes and axes, and those that pass a value on. Return
  // whether the node is one of them.
  bool fold_integers(const OnnxNode& node);
  bool fold_list(const OnnxNode& node);
  void add_constant(const OnnxNode& node);
  // Whether integers of the file are a single number, not a list of one.
  bool is_scalar(const std::string& name) const;

  // Elementwise functions. Empty if the node is another operator.
  std::optional<Var> built_elementwise(const OnnxNode& node);
  std::optional<Var> built_unary(const OnnxNode& node);
  // Follows erf through the operators that make it a GELU. Returns whether the
  // node is one of them.
  bool follow_erf(const OnnxNode& node);
  bool follow_erf(const OnnxNode& node, const OnnxErf& erf,
                  const OnnxValue& other);

  std::optional<Var> built_layer(const OnnxNode& node);
  Var gemm(const OnnxNode& node);
  Var conv(const OnnxNode& node);
  Var pool(const OnnxNode& node);
  Var batch_norm_layer(const OnnxNode& node);
  Var layer_norm(const OnnxNode& node);

  std::optional<Var> built_shape(const OnnxNode& node);
  Var reshaped(const OnnxNode& node);
  Var squeezed(const OnnxNode& node);
  Var transposed(const OnnxNode& node);
  Var joined(const OnnxNode& node);
  Var sliced(const OnnxNode& node);
  Var gathered(const OnnxNode& node);
  std::optional<Var> built_reduction(const OnnxNode& node);

  Var initial_state(const OnnxNode& node, std::size_t at, std::int64_t hidden);
  // The fused operation: [steps, batch, hidden], for an lstm the cells beside.
  Var recurrence(const OnnxNode& node, std::string_view operation);
  void add_recurrence(const OnnxNode& node);
  void set_states(const OnnxNode& node, const Var& states);

  OnnxModel model_;
  Graph graph_;
  std::optional<Graph> folding_;  // Where weights are computed.
  std::map<std::string, OnnxValue> values_;
  std::map<std::string, Var> parameters_;  // By the name of the weight.
  // States [steps, batch, hidden] by the name of the output, which has an axis
  // more. Only a squeeze of these lets steps and batch change.
  std::map<std::string, Var> states_;
  std::set<std::string> names_;
  std::vector<Var> outputs_;
};

}  // namespace lamarck
