#include "lamarck/graph/internal/graph_json.h"
#include "lamarck/base/macros.h"

#include <unordered_map>
#include <utility>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/graph/operation_table.h"

namespace lamarck {
namespace {

Json attributes_to_json(const Attributes& attributes) {
  Json json = Json::object();
  const Attributes none;
  if (attributes.numbers != none.numbers) {
    for (const float number : attributes.numbers) {
      // JSON has no infinity, which is a common bound of clamp.
      json["numbers"].push_back(std::isfinite(number)
                                    ? Json(number)
                                    : Json(fmt::format("{}", number)));
    }
  }
  if (attributes.integers != none.integers) {
    json["integers"] = attributes.integers;
  }
  if (!(attributes.shape == none.shape)) {
    json["shape"] = std::vector<std::int64_t>(attributes.shape.begin(),
                                              attributes.shape.end());
  }
  return json;
}

// Appends the tensor and returns its index.
std::size_t store(const Tensor& tensor, std::vector<Tensor>& tensors) {
  tensors.push_back(tensor);
  return tensors.size() - 1;
}

Json leaf_to_json(const Node& node, std::vector<Tensor>& tensors) {
  Json json = {{"kind", node.is_parameter  ? "parameter"
                        : node.is_memory   ? "memory"
                        : node.is_constant ? "constant"
                                           : "input"},
               {"value", store(node.value, tensors)}};
  if (node.is_memory) json["initial"] = store(node.initial, tensors);
  if (node.requires_gradient != node.is_parameter) {
    json["requires_gradient"] = node.requires_gradient;
  }
  return json;
}

Error bad_node(std::size_t at, const std::string& what) {
  return Error(
      ErrorCode::DataDamaged,
      "Node " + std::to_string(at) + " of the model is damaged: " + what + ".");
}

// Reads one node. Inputs may refer to nodes later in the list, so shapes and
// cycles are checked once all nodes are there.
class NodeReader {
 public:
  NodeReader(const Json& json, std::size_t at,
             const std::vector<Tensor>& tensors)
      : json_(json), at_(at), tensors_(tensors) {}

  Result<Node> read(std::size_t node_count) {
    if (!json_.is_object()) return bad_node(at_, "it is not an object");
    Node node;
    ASSIGN_OR_RETURN(node.name, json_field_or<std::string>(json_, "name", ""));
    ASSIGN_OR_RETURN(node.is_detached,
                     json_field_or<bool>(json_, "detached", false));
    RETURN_IF_ERROR(json_.contains("operation")
                        ? read_operation(node, node_count)
                        : read_leaf(node, node_count));
    return node;
  }

 private:
  using Status = Result<void>;

  Result<std::size_t> index(std::string_view field, std::size_t count) {
    ASSIGN_OR_RETURN(const std::int64_t at,
                     json_field<std::int64_t>(json_, field));
    if (at < 0 || static_cast<std::size_t>(at) >= count) {
      return bad_node(
          at_, "there is no " + std::string(field) + " " + std::to_string(at));
    }
    return static_cast<std::size_t>(at);
  }

  Status read_leaf(Node& node, std::size_t node_count) {
    ASSIGN_OR_RETURN(const std::string kind,
                     json_field<std::string>(json_, "kind"));
    node.is_parameter = kind == "parameter";
    node.is_memory = kind == "memory";
    node.is_constant = kind == "constant";
    if (!node.is_parameter && !node.is_memory && !node.is_constant &&
        kind != "input") {
      return bad_node(at_, "its kind is '" + kind +
                               "', not parameter, memory, constant or input");
    }
    ASSIGN_OR_RETURN(const std::size_t value, index("value", tensors_.size()));
    node.value = tensors_[value];
    node.is_value_shared = true;
    node.shape = node.value.shape();
    ASSIGN_OR_RETURN(
        node.requires_gradient,
        json_field_or<bool>(json_, "requires_gradient", node.is_parameter));
    if (!node.is_memory) return {};
    ASSIGN_OR_RETURN(const std::size_t initial,
                     index("initial", tensors_.size()));
    node.initial = tensors_[initial];
    if (json_.contains("follows")) {
      ASSIGN_OR_RETURN(node.source, index("follows", node_count));
    }
    return {};
  }

  Status read_operation(Node& node, std::size_t node_count) {
    ASSIGN_OR_RETURN(const std::string name,
                     json_field<std::string>(json_, "operation"));
    try {
      node.operation = &operation_named(name);
    } catch (const LogicError& unknown) {
      return bad_node(at_, one_sentence(unknown.error().message()));
    }
    ASSIGN_OR_RETURN(const Json inputs, json_field<Json>(json_, "inputs"));
    if (!inputs.is_array()) return bad_node(at_, "its inputs are not a list");
    for (const Json& input : inputs) {
      if (!input.is_number_unsigned() ||
          input.get<std::uint64_t>() >= node_count) {
        return bad_node(
            at_, "it reads node " + input.dump() + ", which does not exist");
      }
      node.inputs.push_back(input.get<std::size_t>());
    }
    if (node.inputs.size() < node.operation->min_inputs ||
        node.inputs.size() > node.operation->max_inputs) {
      return bad_node(at_, "'" + name + "' does not take " +
                               std::to_string(node.inputs.size()) + " inputs");
    }
    return read_attributes(node.attributes);
  }

  // Drops the final period, which bad_node adds again.
  static std::string one_sentence(std::string message) {
    if (!message.empty() && message.back() == '.') message.pop_back();
    return message;
  }

  template <class T, std::size_t N>
  Status read_numbers(const char* field, std::array<T, N>& to) {
    if (!json_.contains(field)) return {};
    const Json& values = json_[field];
    if (!values.is_array() || values.size() != N) {
      return bad_node(at_, std::string("its ") + field + " are not a list of " +
                               std::to_string(N));
    }
    for (std::size_t i = 0; i < N; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        if (values[i] == "inf" || values[i] == "-inf" || values[i] == "nan") {
          to[i] = std::stof(values[i].get<std::string>());
          continue;
        }
      }
      if (!values[i].is_number()) {
        return bad_node(at_, std::string("its ") + field + " are not numbers");
      }
      if constexpr (std::is_integral_v<T>) {
        // No meaningful axis, size or padding is larger.
        constexpr double kMax = 1e12;
        if (!values[i].is_number_integer() ||
            !(std::abs(values[i].get<double>()) <= kMax)) {
          return bad_node(at_, std::string("its ") + field + " contain " +
                                   values[i].dump() +
                                   ", not an integer up to 10^12");
        }
      }
      to[i] = values[i].get<T>();
    }
    return {};
  }

  Status read_attributes(Attributes& attributes) {
    RETURN_IF_ERROR(read_numbers("numbers", attributes.numbers));
    RETURN_IF_ERROR(read_numbers("integers", attributes.integers));
    if (!json_.contains("shape")) return {};
    ASSIGN_OR_RETURN(attributes.shape, shape_from_json(json_["shape"]));
    return {};
  }

  const Json& json_;
  std::size_t at_;
  const std::vector<Tensor>& tensors_;
};

}  // namespace

Result<Shape> shape_from_json(const Json& json) {
  const Error error(ErrorCode::InvalidArgument,
                    "'" + dump_json(json).substr(0, 80) +
                        "' is not a shape; write a list of up to 8 sizes.");
  if (!json.is_array()) return error;
  std::vector<std::int64_t> sizes;
  for (const Json& size : json) {
    if (!size.is_number_integer()) return error;
    sizes.push_back(size.get<std::int64_t>());
  }
  try {
    return Shape(sizes);
  } catch (const LogicError&) {
    return error;
  }
}

Json graph_to_json(const Graph& graph, std::vector<Tensor>& tensors) {
  const GraphState& state = GraphAccess::state(graph);
  std::unordered_map<NodeId, std::size_t> number;
  for (const NodeId id : graph.node_ids()) number.emplace(id, number.size());
  Json nodes = Json::array();
  for (const NodeId id : graph.node_ids()) {
    const Node& node = state.nodes[id];
    Json json;
    if (node.is_leaf()) {
      json = leaf_to_json(node, tensors);
      if (node.source) json["follows"] = number.at(*node.source);
    } else {
      json = attributes_to_json(node.attributes);
      json["size"] =
          std::vector<std::int64_t>(node.shape.begin(), node.shape.end());
      json["operation"] = node.operation->name;
      json["inputs"] = Json::array();
      for (const NodeId input : node.inputs) {
        json["inputs"].push_back(number.at(input));
      }
    }
    if (!node.name.empty()) json["name"] = node.name;
    if (node.is_detached) json["detached"] = true;
    nodes.push_back(std::move(json));
  }
  return {{"nodes", std::move(nodes)},
          {"random", state.rng.to_string()},
          {"runs", state.runs}};
}

Result<Graph> graph_from_json(const Json& json,
                              const std::vector<Tensor>& tensors) {
  ASSIGN_OR_RETURN(const Json nodes, json_field<Json>(json, "nodes"));
  if (!nodes.is_array()) {
    return Error(ErrorCode::DataDamaged,
                 "The nodes of the model are not a list.");
  }
  ASSIGN_OR_RETURN(const std::string random,
                   json_field<std::string>(json, "random"));
  ASSIGN_OR_RETURN(const std::int64_t runs,
                   json_field<std::int64_t>(json, "runs"));
  Graph graph;
  GraphState& state = GraphAccess::state(graph);
  ASSIGN_OR_RETURN(state.rng, Rng::from_string(random));
  state.runs = static_cast<std::uint64_t>(runs);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    ASSIGN_OR_RETURN(Node node,
                     NodeReader(nodes[at], at, tensors).read(nodes.size()));
    if (!node.name.empty() && !state.names.emplace(node.name, at).second) {
      return bad_node(at, "another node is also named '" + node.name + "'");
    }
    state.add_node(std::move(node));
  }
  try {
    std::exception_ptr failure;
    const auto shapes = state.inferred_shapes(&failure);
    state.set_shapes(shapes);
    for (std::size_t at = 0; at < shapes.size(); ++at) {
      // Inputs may have been saved with different batch sizes. Then the shape
      // cannot be inferred, and the saved size stands in until the next run.
      if (shapes[at]) continue;
      if (!nodes[at].contains("size")) std::rethrow_exception(failure);
      ASSIGN_OR_RETURN(state.nodes[at].shape,
                       shape_from_json(nodes[at]["size"]));
    }
    for (const Node& node : state.nodes) {
      if (node.source) state.require_memory_fits(node, *node.source);
    }
  } catch (const LogicError& failure) {
    return Error(ErrorCode::DataDamaged,
                 "The nodes of the model do not fit together: " +
                     failure.error().message());
  }
  return graph;
}

}  // namespace lamarck
