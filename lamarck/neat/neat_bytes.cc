#include "lamarck/neat/neat_bytes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lamarck::neat {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

constexpr std::uint64_t kKinds =
    4;  // Of nodes; also the number of activations.

NodeGene read_node(ByteReader& in) {
  const std::uint64_t kinds = in.count();
  if (kinds >= kKinds * kKinds) in.fail();
  return {.id = static_cast<NeatNodeId>(in.count()),
          .kind = static_cast<NodeKind>(kinds % kKinds),
          .activation = static_cast<NodeActivation>(kinds / kKinds % kKinds),
          .order = in.number()};
}

// Whether the genes fit together, so that a network can be made of them.
bool are_whole(std::size_t ends, const std::vector<NodeGene>& nodes,
               const std::vector<ConnectionGene>& connections) {
  std::vector<NeatNodeId> ids;
  for (const NodeGene& node : nodes) ids.push_back(node.id);
  std::ranges::sort(ids);
  const bool are_unique = std::ranges::adjacent_find(ids) == ids.end();
  const auto has = [&](NeatNodeId id) {
    return std::ranges::binary_search(ids, id);
  };
  return are_unique && nodes.size() >= ends &&
         std::ranges::adjacent_find(connections, std::greater_equal{},
                                    &ConnectionGene::innovation) ==
             connections.end() &&
         std::ranges::all_of(connections, [&](const ConnectionGene& gene) {
           return has(gene.from) && has(gene.to);
         });
}

}  // namespace

void add_genome(ByteWriter& out, const Genome& genome) {
  out.add_number(genome.fitness);
  out.add_count(genome.input_count());
  out.add_count(genome.output_count());
  out.add_count(genome.nodes().size());
  for (const NodeGene& node : genome.nodes()) {
    out.add_count(static_cast<std::uint64_t>(node.kind) +
                  kKinds * static_cast<std::uint64_t>(node.activation));
    out.add_count(node.id);
    out.add_number(node.order);
  }
  std::vector<float> weights;
  out.add_count(genome.connections().size());
  std::uint64_t last = 0;
  for (const ConnectionGene& gene : genome.connections()) {
    // Innovations rise, so differences are short.
    out.add_count((gene.innovation - last) * 2 + (gene.enabled ? 1 : 0));
    out.add_count(gene.from);
    out.add_count(gene.to);
    last = gene.innovation;
    weights.push_back(gene.weight);
  }
  out.add_floats(weights);
}

Genome read_genome(ByteReader& in) {
  const double fitness = in.number();
  const std::uint64_t inputs = in.count();
  const std::uint64_t outputs = in.count();
  std::vector<NodeGene> nodes(in.length());
  for (NodeGene& node : nodes) node = read_node(in);
  std::vector<ConnectionGene> connections(in.length());
  std::uint64_t last = 0;
  for (ConnectionGene& gene : connections) {
    const std::uint64_t step = in.count();
    last += step / 2;
    gene.innovation = static_cast<Innovation>(last);
    gene.enabled = step % 2 == 1;
    gene.from = static_cast<NeatNodeId>(in.count());
    gene.to = static_cast<NeatNodeId>(in.count());
  }
  const std::vector<float> weights = in.floats();
  if (weights.size() != connections.size() || inputs > nodes.size() ||
      outputs > nodes.size() ||
      !are_whole(1 + inputs + outputs, nodes, connections)) {
    in.fail();
  }
  if (!in.is_good()) return {};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    connections[i].weight = weights[i];
  }
  Genome genome =
      Genome::assemble(inputs, outputs, std::move(nodes), connections);
  genome.fitness = fitness;
  return genome;
}

void add_outcome(ByteWriter& out, const NeatOutcome& outcome) {
  out.add_flag(outcome.solved);
  out.add_flag(outcome.cancelled);
  out.add_integer(outcome.evaluations);
  out.add_count(outcome.generations);
  add_genome(out, outcome.best);
}

NeatOutcome read_outcome(ByteReader& in) {
  NeatOutcome outcome;
  outcome.solved = in.flag();
  outcome.cancelled = in.flag();
  outcome.evaluations = in.integer();
  outcome.generations = static_cast<std::size_t>(in.count());
  outcome.best = read_genome(in);
  return outcome;
}

}  // namespace lamarck::neat
