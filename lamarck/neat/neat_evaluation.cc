#include "lamarck/neat/neat_evaluation.h"

#include <cmath>

#include "lamarck/base/ensure.h"

namespace lamarck::neat {
namespace {

void learn(const NeatTask& task, Genome& genome) {
  const std::size_t nodes = genome.nodes().size();
  const std::size_t connections = genome.connections().size();
  task.learn(genome);
  REQUIRE(
      genome.nodes().size() == nodes &&
          genome.connections().size() == connections,
      "Population::evaluate: `learn` of task '{}' must only change weights, "
      "got {} nodes and {} connections instead of {} and {}.",
      task.name, genome.nodes().size(), genome.connections().size(), nodes,
      connections);
  for (const ConnectionGene& gene : genome.connections()) {
    REQUIRE(std::isfinite(gene.weight),
            "Population::evaluate: `learn` of task '{}' must leave finite "
            "weights, got {} for connection {}.",
            task.name, gene.weight, gene.innovation);
  }
}

}  // namespace

std::size_t evaluate_genomes(const NeatTask& task, std::span<Genome> genomes,
                             FlatNetwork& network) {
  for (std::size_t i = 0; i < genomes.size(); ++i) {
    if (task.learn) learn(task, genomes[i]);
    network.load(genomes[i]);
    const NeatEvaluation result = task.evaluate(network);
    REQUIRE(result.fitness >= 0 && std::isfinite(result.fitness),
            "Population::evaluate: the fitness of task '{}' must be finite and "
            "0 or more, got {}; shift it so that it is never negative.",
            task.name, result.fitness);
    genomes[i].fitness = result.fitness;
    if (result.solved) return i;
  }
  return genomes.size();
}

}  // namespace lamarck::neat
