#include "lamarck/evolution/convert/graph_conversion.h"

#include <algorithm>
#include <set>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/convert/graph_reader.h"
#include "lamarck/evolution/dynamic_module.h"

namespace lamarck::evolution {
namespace {

// The inputs of the graph that a node depends on, without weights, flags and
// memories.
void collect_inputs(const Var& var, std::set<NodeId>& seen,
                    std::vector<Var>& found) {
  if (!seen.insert(var.node_id()).second) return;
  if (var.operation().empty()) {
    const bool is_data = !var.is_parameter() && !var.is_constant() &&
                         !var.is_memory() && var.shape().rank() > 1;
    if (is_data) found.push_back(var);
    return;
  }
  for (const Var& input : var.graph().inputs_of(var)) {
    collect_inputs(input, seen, found);
  }
}

Var joined_sources(const std::vector<Var>& sources) {
  std::vector<Var> rows;
  for (const Var& source : sources) {
    rows.push_back(source.shape().rank() == 2 ? source : source.flatten());
  }
  return rows.size() == 1 ? rows[0] : concat(rows, 1);
}

// The node "output", or the only node that no other node reads.
Result<Var> find_output(const Graph& graph) {
  std::vector<Var> ends;
  for (const NodeId id : graph.node_ids()) {
    const Var var = graph.node(id);
    if (var.name() == "output") return var;
    if (!var.operation().empty() && graph.consumers_of(var).empty()) {
      ends.push_back(var);
    }
  }
  if (ends.size() == 1) return ends[0];
  return Error(ErrorCode::InvalidArgument,
               "convert_graph: the graph must have a node named 'output' or "
               "one node that no other node reads, got " +
                   std::to_string(ends.size()) + "; pass the output instead.");
}

}  // namespace

bool GraphConversion::has_fixed_part() const {
  return std::ranges::any_of(
      sources, [](const Var& var) { return !var.operation().empty(); });
}

Tensor GraphConversion::features(const Tensor& inputs) const {
  std::set<NodeId> seen;
  std::vector<Var> leaves;
  for (const Var& source : sources) collect_inputs(source, seen, leaves);
  REQUIRE(leaves.size() == 1,
          "GraphConversion::features: the sources must depend on one input of "
          "the graph, got {}; compute them with set_value and forward.",
          leaves.size());
  leaves[0].set_value(inputs);
  return leaves[0].graph().no_grad([&] {
    const Var rows = joined_sources(sources);
    rows.forward();
    return rows.value();
  });
}

Var GraphConversion::add_to_graph(const Network& evolved,
                                  const std::string& name, bool logits) const {
  REQUIRE(!is_sequence,
          "GraphConversion::add_to_graph: the graph must not compute whole "
          "sequences; use to_graph and Graph::step for a recurrent network.");
  const DynamicModule layer(sources[0].graph(), evolved, name);
  const Var rows = joined_sources(sources);
  return logits ? layer.logits(rows) : layer(rows);
}

Result<GraphConversion> convert_graph(const Var& output) {
  GraphReader reader(output.graph());
  try {
    reader.read_output(output);
  } catch (const InvariantError&) {
    throw;
  } catch (const LogicError& failure) {
    return failure.error();
  }
  const bool copies_source = std::ranges::any_of(
      reader.sources, [&](const Var& var) { return same_node(var, output); });
  if (reader.sources.empty() || copies_source) {
    return Error(ErrorCode::Unsupported,
                 "convert_graph: nothing in front of the output can evolve; "
                 "the result of '" +
                     std::string(output.operation()) +
                     "' is not made of layers that networks have.");
  }
  reader.network.check();
  return GraphConversion{.network = std::move(reader.network),
                         .sources = std::move(reader.sources),
                         .is_sequence = reader.is_sequence};
}

Result<GraphConversion> convert_graph(const Graph& graph) {
  const Result<Var> output = find_output(graph);
  if (!output) return output.error();
  return convert_graph(*output);
}

namespace {

Network evolvable_network(const Result<GraphConversion>& model) {
  if (!model) throw LogicError(model.error());
  REQUIRE(!model->has_fixed_part(),
          "Network: the graph must consist of layers that can evolve, got a "
          "fixed part that ends in '{}'; call convert_graph and evolve its "
          "network on the rows that `features` returns.",
          std::ranges::find_if(model->sources, [](const Var& var) {
            return !var.operation().empty();
          })->operation());
  return model->network;
}

}  // namespace

Network::Network(const Var& output)
    : Network(evolvable_network(convert_graph(output))) {}
Network::Network(const Graph& graph)
    : Network(evolvable_network(convert_graph(graph))) {}

}  // namespace lamarck::evolution
