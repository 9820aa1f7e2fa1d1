#include "lamarck/neat/neat_graph.h"

#include <map>
#include <optional>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/neat/steep_sigmoid.h"

namespace lamarck::neat {
namespace {

Var activated(NodeActivation activation, const Var& sum) {
  switch (activation) {
    case NodeActivation::SteepSigmoid:
      return (sum * static_cast<float>(kSigmoidSlope)).sigmoid();
    case NodeActivation::Tanh:
      return sum.tanh();
    case NodeActivation::Relu:
      return sum.relu();
    case NodeActivation::Identity:
      return sum;
  }
  return sum;
}

class Compiler {
 public:
  explicit Compiler(const Genome& genome)
      : genome_(genome),
        input_(graph_.input_named(
            Tensor::zeros({1, static_cast<std::int64_t>(genome.input_count())}),
            "input")) {}

  Graph run() {
    add_memories();
    for (const NodeGene& node : genome_.nodes()) {
      if (node.kind == NodeKind::Bias) continue;
      values_.emplace(node.id,
                      node.kind == NodeKind::Input
                          ? column(node.id - 1)
                          : activated(node.activation, input_sum(node)));
    }
    for (const auto& [id, memory] : memories_) {
      graph_.add_recurrent_edge(values_.at(id), memory);
    }
    add_output();
    return graph_;
  }

 private:
  Var column(std::int64_t index) const {
    return input_.slice(1, index, index + 1);
  }

  void add_memories() {
    for (const ConnectionGene& gene : genome_.connections()) {
      if (!gene.enabled || !genome_.is_recurrent(gene) ||
          memories_.count(gene.from) > 0) {
        continue;
      }
      const std::string name = "memory_" + std::to_string(gene.from);
      memories_.emplace(gene.from, graph_.memory(Tensor::zeros({1, 1}), name));
    }
  }

  // Weight times source; the bias is 1, so its weight alone.
  Var term(const ConnectionGene& gene) const {
    Var weight = graph_.parameter({1, 1}, Init::constant(gene.weight),
                                  connection_name(gene.innovation));
    if (gene.from == 0) return weight;
    return weight * (genome_.is_recurrent(gene) ? memories_.at(gene.from)
                                                : values_.at(gene.from));
  }

  Var input_sum(const NodeGene& node) const {
    std::optional<Var> sum;
    bool has_rows = false;  // Whether the sum has the rows of the batch.
    for (const ConnectionGene& gene : genome_.connections()) {
      if (!gene.enabled || gene.to != node.id) continue;
      has_rows = has_rows || (gene.from != 0 && !genome_.is_recurrent(gene));
      sum = sum ? *sum + term(gene) : term(gene);
    }
    if (has_rows) return *sum;
    // Only bias and memories, of one row: broadcast them to the batch.
    const Var zeros = column(0) * 0.0f;
    return sum ? zeros + *sum : zeros;
  }

  void add_output() const {
    std::vector<Var> outputs;
    for (const NodeGene& node : genome_.nodes()) {
      if (node.kind == NodeKind::Output) outputs.push_back(values_.at(node.id));
    }
    concat(outputs, 1).set_name("output");
  }

  const Genome& genome_;
  Graph graph_;
  Var input_;
  std::map<NeatNodeId, Var> values_;    // Nodes compiled so far.
  std::map<NeatNodeId, Var> memories_;  // Values of the previous step.
};

}  // namespace

std::string connection_name(Innovation innovation) {
  return "connection_" + std::to_string(innovation);
}

Graph compile(const Genome& genome) {
  REQUIRE(genome.input_count() > 0,
          "compile: the genome must have at least one input, got {}.",
          genome.input_count());
  return Compiler(genome).run();
}

void take_weights(const Graph& graph, Genome& genome) {
  for (const ConnectionGene& gene : genome.connections()) {
    if (!gene.enabled) continue;
    const Var weight = graph.named(connection_name(gene.innovation));
    genome.set_weight(gene.innovation, weight.elements()[0]);
  }
}

}  // namespace lamarck::neat
