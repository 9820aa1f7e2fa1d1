#include "lamarck/neat/neat_conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/network_stepper.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/neat/neat_network.h"
#include "lamarck/neat/neat_population.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {
namespace {

// A genome after many mutations, some of them recurrent.
Genome grown_genome(std::uint64_t seed, InnovationTracker& tracker) {
  Rng rng(seed);
  Genome genome = Genome::minimal(3, 2, tracker);
  genome.randomize_weights(2, rng);
  NeatOptions options;
  options.recurrent_share = 0.3;
  for (int i = 0; i < 12; ++i) {
    genome.mutate_add_node(options, tracker, rng);
    genome.mutate_add_connection(options, tracker, rng);
  }
  for (const NodeGene& node :
       std::vector<NodeGene>(genome.nodes().begin(), genome.nodes().end())) {
    if (node.kind != NodeKind::Hidden) continue;
    genome.set_activation(node.id, static_cast<NodeActivation>(rng.below(4)));
  }
  if (seed % 3 == 0) genome.set_activation(4, NodeActivation::Tanh);
  if (seed % 3 == 1) genome.set_activation(5, NodeActivation::Identity);
  return genome;
}

// The largest difference over some steps, relative to the size of the values.
double difference(FlatNetwork& flat, evolution::NetworkStepper& stepper,
                  Rng& rng) {
  double largest = 0;
  for (int step = 0; step < 6; ++step) {
    std::vector<double> inputs(3);
    for (double& input : inputs) input = rng.normal();
    const std::vector<float> same(inputs.begin(), inputs.end());
    inputs.assign(same.begin(), same.end());
    const auto expected = flat.step(inputs);
    const auto outputs = stepper.step(same);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double off = std::abs(double{outputs[i]} - expected[i]);
      largest = std::max(largest, off / (1 + std::abs(expected[i])));
    }
  }
  return largest;
}

TEST(NeatConversion, NetworksComputeWhatGenomesDo) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    InnovationTracker tracker(Genome::node_count(3, 2));
    const Genome genome = grown_genome(seed, tracker);
    FlatNetwork flat(genome);
    evolution::NetworkStepper stepper(to_network(genome));
    Rng rng(seed);
    EXPECT_LE(difference(flat, stepper, rng), 1e-4) << seed;
  }
}

TEST(NeatConversion, GenomesComputeWhatNetworksDo) {
  int converted = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    InnovationTracker tracker(Genome::node_count(3, 2));
    const evolution::Network network = to_network(grown_genome(seed, tracker));
    InnovationTracker fresh(Genome::node_count(3, 2));
    const Result<Genome> genome = to_genome(network, fresh);
    if (!genome) {
      EXPECT_NE(genome.error().message().find("recurrent edges"),
                std::string::npos);
      continue;
    }
    ++converted;
    FlatNetwork flat(*genome);
    evolution::NetworkStepper stepper(network);
    Rng rng(seed);
    EXPECT_LE(difference(flat, stepper, rng), 1e-4) << seed;
  }
  EXPECT_GE(converted, 5);
}

TEST(NeatConversion, RefusesWhatGenomesCannotExpress) {
  InnovationTracker tracker(Genome::node_count(2, 1));
  EXPECT_FALSE(to_genome(evolution::minimal_layers({2}, 1), tracker));
  evolution::Network leaky = evolution::minimal_network(2, 1);
  evolution::NetworkNode like;
  like.activation = evolution::Activation::LeakyRelu;
  leaky.add_hidden(like);
  EXPECT_FALSE(to_genome(leaky, tracker));
  evolution::Network classes = evolution::minimal_network(2, 2);
  classes.set_head(evolution::Loss::CrossEntropy);
  EXPECT_FALSE(to_genome(classes, tracker));
}

// NEAT finds a topology, gradients improve its weights, and NEAT goes on.
TEST(NeatConversion, ChampionGoesOnByGradientsAndBack) {
  Population population(2, 1, {.population = 60}, 3);
  const NeatTask task = xor_benchmark().task;
  for (int i = 0; i < 12 && !population.evaluate(task); ++i) {
    population.evolve();
  }
  population.evaluate(task);
  const evolution::Network champion = to_network(population.best());
  const data::Dataset rows(Tensor::from({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}),
                           Tensor::from({4, 1}, {0, 1, 1, 0}));
  const evolution::EvolutionResult result =
      evolution::Evolution{
          .network = champion,
          .task = evolution::SupervisedTask(rows, rows, data::Metric::Accuracy),
          .options = {.target_metric = 2, .budget = {.evaluations = 20}}}
          .run()
          .value();
  EXPECT_EQ(result.score, 1);
  InnovationTracker tracker(Genome::node_count(2, 1));
  const Genome back = to_genome(result.network, tracker).value();
  Population next(back, tracker, {.population = 20}, 1);
  next.evaluate(task);
  EXPECT_GE(next.best().fitness, population.best().fitness);
}

}  // namespace
}  // namespace lamarck::neat
