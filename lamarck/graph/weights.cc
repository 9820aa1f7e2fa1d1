#include "lamarck/graph/weights.h"

#include "lamarck/base/one_line.h"

namespace lamarck {

NamedTensors named_weights(const Graph& graph) {
  NamedTensors weights;
  for (const auto& list : {graph.parameters(), graph.buffers()}) {
    for (const Var& each : list) {
      if (!each.name().empty()) weights.emplace(each.name(), each.value());
    }
  }
  return weights;
}

Result<void> set_weights(const Graph& graph, const NamedTensors& weights,
                         bool strict) {
  // List every mismatch, so that the user can fix all of them at once.
  std::string wrong;
  const auto add = [&](const std::string& what) {
    wrong += (wrong.empty() ? "" : "; ") + what;
  };
  const NamedTensors own = named_weights(graph);
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      if (strict) add(in_quotes(name) + " is missing");
    } else if (!(found->second.shape() == tensor.shape())) {
      add(in_quotes(name) + " has shape " + found->second.shape().to_string() +
          " but needs " + tensor.shape().to_string());
    }
  }
  for (const auto& [name, tensor] : weights) {
    if (strict && !own.contains(name)) add(in_quotes(name) + " is unknown");
  }
  if (!wrong.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "The weights do not match the graph: " + wrong + ".");
  }
  for (const auto& [name, tensor] : weights) {
    if (own.contains(name)) graph.named(name).set_value(tensor);
  }
  return {};
}

}  // namespace lamarck
