#include "lamarck/graph/internal/onnx_importer.h"

#include "lamarck/graph/operation_table.h"

namespace lamarck {
namespace {

// Moves the gates, blocks of `hidden` rows, from their order to ours: an LSTM
// has i, o, f, c there and i, f, c, o here, a GRU z, r, h and r, z, h.
Tensor reordered(const Tensor& blocks, std::int64_t hidden,
                 std::string_view operation) {
  const OnnxIntegers order = operation == "lstm"  ? OnnxIntegers{0, 2, 3, 1}
                             : operation == "gru" ? OnnxIntegers{1, 0, 2}
                                                  : OnnxIntegers{0};
  std::vector<Tensor> parts;
  for (const std::int64_t gate : order) {
    parts.push_back(blocks.slice(0, gate * hidden, (gate + 1) * hidden));
  }
  return concat(parts, 0);
}

void require_plain(const OnnxNode& node) {
  const auto direction = node.attributes.find("direction");
  const bool is_forward =
      direction == node.attributes.end() || direction->second.text == "forward";
  if (!is_forward || has_input(node, 4) || has_input(node, 7) ||
      integer_attribute(node, "layout", 0) != 0 ||
      node.attributes.contains("activations") ||
      node.attributes.contains("clip")) {
    throw_unsupported(node,
                      "sequences must run forward, with usual activations, "
                      "equal lengths and without peepholes");
  }
  if (node.operation == "GRU" &&
      integer_attribute(node, "linear_before_reset", 0) == 0) {
    throw_unsupported(node, "linear_before_reset must be 1");
  }
}

}  // namespace

void OnnxImporter::join_lstm_states() {
  for (OnnxNode& node : model_.nodes) {
    if (node.operation != "Concat" || node.inputs.size() != 2) continue;
    const OnnxNode* hidden = producer(node.inputs[0]);
    const OnnxNode* cells = producer(node.inputs[1]);
    if (hidden == nullptr || hidden->operation != "Squeeze" ||
        cells == nullptr || cells->operation != "Concat") {
      continue;
    }
    const OnnxNode* lstm = producer(hidden->inputs[0]);
    const OnnxNode* twin = producer(cells->inputs.back());
    if (lstm == nullptr || lstm->operation != "LSTM" || twin == nullptr ||
        twin->operation != "LSTM" || lstm->inputs[0] != twin->inputs[0]) {
      continue;
    }
    node.operation = "joined LSTM";
    node.inputs = lstm->inputs;
    node.attributes = lstm->attributes;
  }
}

Var OnnxImporter::initial_state(const OnnxNode& node, std::size_t at,
                                std::int64_t hidden) {
  if (!has_input(node, at)) {
    return graph().constant(Tensor::zeros({1, hidden}));
  }
  const OnnxValue& value = input_value(node, at);
  const auto* held = std::get_if<OnnxWeight>(&value);
  if (held == nullptr) return as_var(value).squeeze(0);
  // It is [1, batch, hidden] or, if its rows repeat, smaller.
  const std::int64_t rows = held->value.element_count() / hidden;
  return rows == 0
             ? graph().constant(Tensor::full({1, hidden}, held->value.item()))
             : graph().constant(held->value.reshape({rows, hidden}));
}

Var OnnxImporter::recurrence(const OnnxNode& node, std::string_view operation) {
  require_plain(node);
  const Tensor input_weight = weight(node, 1).select(0, 0);
  const Tensor hidden_weight = weight(node, 2).select(0, 0);
  const std::int64_t hidden = hidden_weight.size(1);
  const std::int64_t rows = hidden_weight.size(0);
  const Tensor bias = has_input(node, 3) ? weight(node, 3).select(0, 0)
                                         : Tensor::zeros({2 * rows});
  const auto matrix = [&](const std::string& name, const Tensor& given) {
    return with_parameter(
        name, reordered(given, hidden, operation).transpose().contiguous());
  };
  const Tensor first = reordered(bias.slice(0, 0, rows), hidden, operation);
  const Tensor second =
      reordered(bias.slice(0, rows, 2 * rows), hidden, operation);
  const std::string bias_name =
      has_input(node, 3) ? node.inputs[3] : node.outputs[0] + ".bias";
  std::vector<Var> inputs = {input(node, 0),
                             matrix(node.inputs[1], input_weight),
                             matrix(node.inputs[2], hidden_weight)};
  if (operation == "gru") {
    inputs.push_back(with_parameter(bias_name, first));
    inputs.push_back(with_parameter(bias_name + ".hidden", second));
  } else {
    inputs.push_back(with_parameter(bias_name, first + second));
  }
  inputs.push_back(initial_state(node, 5, hidden));
  if (operation == "lstm") {
    inputs.push_back(initial_state(node, 6, hidden));
  }
  return apply_operation(operation_named(operation), inputs, {});
}

void OnnxImporter::set_states(const OnnxNode& node, const Var& states) {
  set(node, states.unsqueeze(1));
  states_.emplace(node.outputs.at(0), states);
}

void OnnxImporter::add_recurrence(const OnnxNode& node) {
  const std::string_view operation = node.operation == "LSTM"  ? "lstm"
                                     : node.operation == "GRU" ? "gru"
                                                               : "rnn";
  const Var states = recurrence(node, operation);
  const Var last = apply_operation(operation_named("last"), {&states, 1}, {});
  if (operation != "lstm") {
    set_states(node, states);
    set(node, last.unsqueeze(0), 1);
    return;
  }
  const std::int64_t hidden = states.shape().from_back(0) / 2;
  set_states(node, states.slice(2, 0, hidden));
  set(node, last.slice(1, 0, hidden).unsqueeze(0), 1);
  set(node, last.slice(1, hidden, kToEnd).unsqueeze(0), 2);
}

}  // namespace lamarck
