#include "lamarck/graph/internal/error_place.h"

#include <algorithm>
#include <string>

namespace lamarck {
namespace {

std::string describe_node(const GraphState& state, NodeId id) {
  const std::string& name = state.nodes[id].name;
  return name.empty() ? std::to_string(id) : name;
}

// The layer whose parameter the node reads: its name up to the last dot.
std::string find_layer(const GraphState& state, const Node& node) {
  for (const NodeId input : node.inputs) {
    const Node& source = state.nodes[input];
    const std::size_t dot = source.name.rfind('.');
    if (source.is_parameter && dot != std::string::npos) {
      return source.name.substr(0, dot);
    }
  }
  return "";
}

// The node that a failed operation was applied to.
NodeId find_operand(const GraphState& state, const Node& node) {
  const auto found = std::ranges::find_if(node.inputs, [&](NodeId input) {
    return !state.nodes[input].is_parameter;
  });
  return found == node.inputs.end() ? node.inputs.front() : *found;
}

}  // namespace

Error locate_error(const GraphState& state, const Error& error,
                   const Node& node, std::optional<NodeId> id) {
  if (error.fields().contains("node") || node.inputs.empty()) return error;
  Error::Fields fields = error.fields();
  fields.emplace("node",
                 describe_node(state, id ? *id : find_operand(state, node)));
  const std::string layer = find_layer(state, node);
  if (layer.empty()) return {error.code(), error.message(), std::move(fields)};
  fields.emplace("layer", layer);
  return {error.code(), "Layer '" + layer + "': " + error.message(),
          std::move(fields)};
}

}  // namespace lamarck
