#include "lamarck/evolution/neuron/neuron_program.h"

#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/neuron/neuron_plan.h"

namespace lamarck::evolution {
namespace {

void check_sizes(const NeuronTopology& topology) {
  REQUIRE(topology.outputs > 0 && topology.outputs <= topology.nodes.size(),
          "NeuronPlan: the number of outputs must be between 1 and the number "
          "of nodes ({}), got {}.",
          topology.nodes.size(), topology.outputs);
  // Rows are stored as 32-bit offsets with a sign. Values have at most inputs +
  // nodes rows per step, deltas at most nodes + edges, and offsets reach back
  // by one step.
  constexpr std::size_t kMax = std::numeric_limits<std::int32_t>::max() / 4;
  REQUIRE(topology.inputs < kMax && topology.weight_count() < kMax,
          "NeuronPlan: a topology must have fewer than {} inputs and fewer "
          "than {} weights, got {} and {}.",
          kMax, kMax, topology.inputs, topology.weight_count());
}

void check_edge(const NeuronTopology& topology, const NeuronTopology::Edge& e) {
  const std::size_t places = topology.inputs + topology.nodes.size();
  REQUIRE(e.from < places,
          "NeuronPlan: the source of an edge must be below {}, got {} -> {}.",
          places, e.from, e.to);
  REQUIRE(e.to >= topology.inputs && e.to < places,
          "NeuronPlan: the target of an edge must be a node, from {} to {}, "
          "got {} -> {}.",
          topology.inputs, places - 1, e.from, e.to);
  REQUIRE(e.recurrent || e.from < e.to,
          "NeuronPlan: a forward edge must lead to a later node, got {} -> {}; "
          "make it recurrent.",
          e.from, e.to);
}

void check_outputs(const NeuronTopology& topology, Loss loss) {
  if (loss == Loss::MeanSquared) return;
  const Activation needed =
      loss == Loss::CrossEntropy ? Activation::Identity : Activation::Sigmoid;
  for (std::size_t i = 0; i < topology.outputs; ++i) {
    const Activation has =
        topology.nodes[topology.nodes.size() - 1 - i].activation;
    REQUIRE(has == needed,
            "NeuronPlan: with the loss {} the activation of outputs must be "
            "{}, got {}.",
            name_of(loss), name_of(needed), name_of(has));
  }
}

NeuronProgram::Node described(const NeuronTopology& topology, std::size_t i) {
  const NeuronTopology::Node& node = topology.nodes[i];
  return {.activation = node.activation,
          .aggregation = node.aggregation,
          .is_output = i + topology.outputs >= topology.nodes.size()};
}

// Exclusive prefix sums: turns the number of edges of each node into the index
// of its first edge. The last element becomes the total.
std::vector<std::uint32_t> starts_from(std::vector<std::uint32_t> counts) {
  std::uint32_t total = 0;
  for (std::uint32_t& count : counts) {
    const std::uint32_t begin = total;
    total += count;
    count = begin;
  }
  return counts;
}

// Counting sort of the edges by target, stable within each node. Returns the
// delta row of each edge.
std::vector<std::uint32_t> add_in_edges(const NeuronTopology& topology,
                                        NeuronProgram& program) {
  std::vector<std::uint32_t> next(topology.nodes.size() + 1, 0);
  for (const auto& edge : topology.edges) ++next[edge.to - topology.inputs];
  next = starts_from(std::move(next));
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    NeuronProgram::Node& node = program.nodes[i];
    node.in_begin = next[i];
    node.in_end = next[i + 1];
    if (node.aggregation == Aggregation::Sum) continue;
    node.own_rows = static_cast<std::uint32_t>(program.delta_rows);
    program.delta_rows += node.in_end - node.in_begin;
  }
  std::vector<std::uint32_t> delta_row(topology.edges.size());
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const NeuronTopology::Edge& edge = topology.edges[e];
    const std::size_t to = edge.to - topology.inputs;
    const NeuronProgram::Node& node = program.nodes[to];
    const std::uint32_t at = next[to]++;
    // A recurrent edge reads the step before, one step of rows back.
    const std::size_t before = edge.recurrent ? program.places : 0;
    program.in_edges[at] = {
        static_cast<std::int32_t>(edge.from) - static_cast<int>(before),
        static_cast<std::uint32_t>(e)};
    delta_row[e] = node.aggregation == Aggregation::Sum
                       ? static_cast<std::uint32_t>(to)
                       : node.own_rows + at - node.in_begin;
  }
  return delta_row;
}

// Counting sort of the edges by source.
void add_out_edges(const NeuronTopology& topology,
                   const std::vector<std::uint32_t>& delta_row,
                   NeuronProgram& program) {
  std::vector<std::uint32_t> next(program.places + 1, 0);
  for (const auto& edge : topology.edges) ++next[edge.from];
  next = starts_from(std::move(next));
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    program.nodes[i].out_begin = next[topology.inputs + i];
    program.nodes[i].out_end = next[topology.inputs + i + 1];
  }
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const NeuronTopology::Edge& edge = topology.edges[e];
    // The delta of a recurrent edge belongs to the next step, which lies in
    // front of this one because deltas are stored last step first.
    const std::size_t after = edge.recurrent ? program.delta_rows : 0;
    program.out_edges[next[edge.from]++] = {
        static_cast<std::int32_t>(delta_row[e]) - static_cast<int>(after),
        static_cast<std::uint32_t>(e)};
  }
}

}  // namespace

NeuronProgram make_neuron_program(const NeuronTopology& topology, Loss loss) {
  check_sizes(topology);
  for (const auto& edge : topology.edges) check_edge(topology, edge);
  check_outputs(topology, loss);

  NeuronProgram program;
  program.inputs = topology.inputs;
  program.outputs = topology.outputs;
  program.places = topology.inputs + topology.nodes.size();
  program.delta_rows = topology.nodes.size();
  program.loss = loss;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    program.nodes.push_back(described(topology, i));
  }
  program.in_edges.resize(topology.edges.size());
  program.out_edges.resize(topology.edges.size());
  const std::vector<std::uint32_t> delta_row = add_in_edges(topology, program);
  add_out_edges(topology, delta_row, program);
  return program;
}

}  // namespace lamarck::evolution
