#include "lamarck/graph/onnx_import.h"

#include <algorithm>
#include <stdexcept>

#include "lamarck/base/ensure.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/graph/internal/onnx_importer.h"

namespace lamarck {
void throw_unsupported(const OnnxNode& node, const std::string& what) {
  throw LogicError(Error(
      ErrorCode::Unsupported,
      "import_onnx: " + what + ", got operator " + in_quotes(node.operation) +
          (node.outputs.empty() ? "" : " of " + in_quotes(node.outputs[0])) +
          "."));
}

std::int64_t integer_attribute(const OnnxNode& node, const std::string& name,
                               std::int64_t usual) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? usual : found->second.integer;
}

float number_attribute(const OnnxNode& node, const std::string& name,
                       float usual) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? usual : found->second.number;
}

OnnxIntegers integers_attribute(const OnnxNode& node, const std::string& name,
                                const OnnxIntegers& usual) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? usual : found->second.integers;
}

bool has_input(const OnnxNode& node, std::size_t at) {
  return at < node.inputs.size() && !node.inputs[at].empty();
}

Tensor to_tensor(const OnnxTensor& tensor) {
  if (!tensor.is_integer) {
    return Tensor::from(Shape(tensor.sizes), tensor.numbers);
  }
  return Tensor::from(
      Shape(tensor.sizes),
      std::vector<float>(tensor.integers.begin(), tensor.integers.end()));
}

Graph OnnxImporter::run() {
  for (const OnnxInput& input : model_.inputs) add_input(input);
  for (const auto& [name, tensor] : model_.constants) {
    if (tensor.is_integer && tensor.sizes.size() < 2) {
      values_.emplace(name, tensor.integers);
    } else {
      values_.emplace(name, OnnxWeight{name, to_tensor(tensor)});
    }
  }
  join_lstm_states();
  const std::vector<bool> is_needed = find_needed();
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
    if (is_needed[i]) add_node(model_.nodes[i]);
  }
  for (const std::string& name : model_.outputs) add_output(name);
  remove_unused_nodes();
  return graph_;
}

void OnnxImporter::add_input(const OnnxInput& input) {
  OnnxIntegers sizes = input.sizes;
  std::ranges::replace(sizes, kOnnxOpen, std::int64_t{1});
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > kMaxElements || (count *= size) > kMaxElements) {
      throw LogicError(Error(ErrorCode::DataDamaged,
                             "import_onnx: input " + in_quotes(input.name) +
                                 " has an impossible size."));
    }
  }
  values_.emplace(input.name,
                  graph_.input_named(Tensor::zeros(Shape(sizes)), input.name));
}

void OnnxImporter::add_output(const std::string& name) {
  Var var = as_var(value_of(name));
  // A node has one name, so a value with several gets a copy.
  if (!var.name().empty()) var = total(std::vector<Var>{var});
  var.set_name(unique_name(name));
  outputs_.push_back(var);
}

void OnnxImporter::remove_unused_nodes() {
  std::set<NodeId> used;
  std::vector<Var> open = outputs_;
  while (!open.empty()) {
    const Var var = open.back();
    open.pop_back();
    if (!used.insert(var.node_id()).second) continue;
    const std::vector<Var> inputs = graph_.inputs_of(var);
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  std::vector<NodeId> ids = graph_.node_ids();
  std::ranges::reverse(ids);  // Readers first.
  for (const NodeId id : ids) {
    const Var var = graph_.node(id);
    const bool is_input = var.operation().empty() && !var.is_constant();
    if (!is_input && !used.contains(id)) graph_.remove(var);
  }
}

std::vector<bool> OnnxImporter::find_needed() const {
  std::set<std::string> wanted(model_.outputs.begin(), model_.outputs.end());
  std::vector<bool> needed(model_.nodes.size());
  for (std::size_t i = model_.nodes.size(); i-- > 0;) {
    const OnnxNode& node = model_.nodes[i];
    needed[i] = std::ranges::any_of(
        node.outputs, [&](const auto& name) { return wanted.contains(name); });
    if (needed[i]) wanted.insert(node.inputs.begin(), node.inputs.end());
  }
  return needed;
}

const OnnxNode* OnnxImporter::producer(const std::string& name) const {
  for (const OnnxNode& node : model_.nodes) {
    if (std::ranges::find(node.outputs, name) != node.outputs.end()) {
      return &node;
    }
  }
  return nullptr;
}

// Our export joins the hidden states of an LSTM and its cells, of which ONNX

const OnnxValue& OnnxImporter::value_of(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  throw LogicError(Error(ErrorCode::DataDamaged,
                         "import_onnx: a node reads " + in_quotes(name) +
                             ", which nothing before it computes."));
}

const OnnxValue& OnnxImporter::input_value(const OnnxNode& node,
                                           std::size_t at) const {
  if (!has_input(node, at)) {
    throw LogicError(Error(ErrorCode::DataDamaged,
                           "import_onnx: operator " +
                               in_quotes(node.operation) + " lacks its input " +
                               std::to_string(at) + "."));
  }
  return value_of(node.inputs[at]);
}

std::string OnnxImporter::unique_name(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !names_.insert(name).second || has_node_named(name); ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  return name;
}

bool OnnxImporter::has_node_named(const std::string& name) const {
  return std::ranges::any_of(graph().node_ids(), [&](NodeId id) {
    return graph().node(id).name() == name;
  });
}

Var OnnxImporter::as_var(const OnnxValue& value) {
  if (const auto* var = std::get_if<Var>(&value)) return *var;
  if (std::holds_alternative<OnnxErf>(value)) {
    throw LogicError(Error(ErrorCode::Unsupported,
                           "import_onnx: operator 'Erf' must be part of a "
                           "GELU, got another use of it."));
  }
  if (const auto* list = std::get_if<OnnxIntegers>(&value)) {
    const std::vector<float> numbers(list->begin(), list->end());
    return graph().constant(
        list->size() == 1
            ? Tensor::scalar(numbers[0])
            : Tensor::from({static_cast<std::int64_t>(list->size())}, numbers));
  }
  const auto& weight = std::get<OnnxWeight>(value);
  if (folding_ || weight.value.element_count() == 1) {
    return graph().constant(weight.value);
  }
  const auto known = parameters_.find(weight.name);
  if (known != parameters_.end() &&
      known->second.shape() == weight.value.shape() &&
      max_difference(known->second.value(), weight.value) == 0) {
    return known->second;
  }
  Var made = graph_.parameter(weight.value.shape(), Init::zeros(),
                              unique_name(weight.name));
  made.set_value(weight.value);
  parameters_.insert_or_assign(weight.name, made);
  return made;
}

Var OnnxImporter::input(const OnnxNode& node, std::size_t at) {
  return as_var(input_value(node, at));
}

Tensor OnnxImporter::weight(const OnnxNode& node, std::size_t at) const {
  const auto* found = std::get_if<OnnxWeight>(&input_value(node, at));
  if (found != nullptr) return found->value;
  throw_unsupported(node, "its weights must be part of the model");
}

// OnnxIntegers that are known when the model is read, from an input or, in
// older files, from an attribute.
float OnnxImporter::number(const OnnxNode& node, std::size_t at,
                           float usual) const {
  return has_input(node, at) ? weight(node, at).item() : usual;
}

OnnxIntegers OnnxImporter::integers(const OnnxNode& node, std::size_t at,
                                    const std::string& attribute) const {
  if (!has_input(node, at)) return integers_attribute(node, attribute);
  const OnnxValue& value = input_value(node, at);
  if (const auto* list = std::get_if<OnnxIntegers>(&value)) return *list;
  throw_unsupported(node, "shapes, axes and indices must be part of the model");
}

Var OnnxImporter::with_parameter(const std::string& name, const Tensor& value) {
  return as_var(OnnxWeight{name, value});
}

void OnnxImporter::add_node(const OnnxNode& node) {
  if (fold_integers(node)) return;
  const bool reads_only_weights =
      !node.inputs.empty() &&
      std::ranges::none_of(node.inputs, [&](const std::string& name) {
        return !name.empty() &&
               (std::holds_alternative<Var>(value_of(name)) ||
                std::holds_alternative<OnnxErf>(value_of(name)));
      });
  if (!reads_only_weights) return build(node);
  folding_.emplace();
  build(node);
  for (const std::string& output : node.outputs) {
    const auto found = values_.find(output);
    if (found == values_.end()) continue;
    if (const auto* var = std::get_if<Var>(&found->second)) {
      var->forward();
      found->second = OnnxWeight{output, var->value()};
    }
  }
  folding_.reset();
}

void OnnxImporter::set(const OnnxNode& node, OnnxValue value, std::size_t at) {
  if (at < node.outputs.size() && !node.outputs[at].empty()) {
    values_.insert_or_assign(node.outputs[at], std::move(value));
  }
}

void OnnxImporter::build(const OnnxNode& node) {
  const std::string& name = node.operation;
  if (name == "LSTM" || name == "GRU" || name == "RNN") {
    return add_recurrence(node);
  }
  if (name == "joined LSTM") return set(node, recurrence(node, "lstm"));
  if (follow_erf(node)) return;
  set(node, built(node));
}

Var OnnxImporter::built(const OnnxNode& node) {
  if (auto var = built_elementwise(node)) return *var;
  if (auto var = built_layer(node)) return *var;
  if (auto var = built_shape(node)) return *var;
  if (auto var = built_reduction(node)) return *var;
  throw_unsupported(node, "the operators must be ones that can be imported");
}

Result<Graph> graph_from_onnx(std::string_view bytes) {
  ASSIGN_OR_RETURN(OnnxModel model, parse_onnx(bytes));
  try {
    return OnnxImporter(std::move(model)).run();
  } catch (const InvariantError&) {
    throw;
  } catch (const LogicError& failure) {
    return failure.error();
  } catch (const std::out_of_range&) {
    return Error(ErrorCode::DataDamaged,
                 "import_onnx: the model reads elements that do not exist.");
  }
}

Result<Graph> import_onnx(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  return graph_from_onnx(bytes);
}

}  // namespace lamarck
