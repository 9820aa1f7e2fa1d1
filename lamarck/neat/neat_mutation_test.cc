#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "lamarck/neat/neat_genome.h"
#include "lamarck/neat/neat_population.h"

namespace lamarck::neat {
namespace {

struct Grown {
  InnovationTracker tracker{Genome::node_count(2, 1)};
  Genome genome = Genome::minimal(2, 1, tracker);

  explicit Grown(std::uint64_t seed, const NeatOptions& options) {
    Rng rng(seed);
    for (int i = 0; i < 30; ++i) genome.mutate(options, tracker, rng);
  }
};

TEST(NeatMutation, AddsRecurrentConnectionsWithRecurrentShare) {
  const NeatOptions options{
      .add_node = 0.2, .add_connection = 0.5, .recurrent_share = 0.5};
  const Grown it(1, options);
  const auto connections = it.genome.connections();
  EXPECT_TRUE(std::any_of(connections.begin(), connections.end(),
                          [&](const ConnectionGene& gene) {
                            return it.genome.is_recurrent(gene);
                          }));
}

TEST(NeatMutation, TogglesConnections) {
  InnovationTracker tracker(Genome::node_count(1, 1));
  Genome genome = Genome::minimal(1, 1, tracker);
  Rng rng(1);
  genome.mutate_toggle(rng);
  EXPECT_EQ(genome.enabled_count(), 1u);
  bool all_on_again = false;
  for (int i = 0; i < 20; ++i) {
    genome.mutate_toggle(rng);
    all_on_again = all_on_again || genome.enabled_count() == 2;
  }
  EXPECT_TRUE(all_on_again);
}

TEST(NeatMutation, ReplacesGivenShareOfWeights) {
  InnovationTracker tracker(Genome::node_count(400, 1));
  Genome genome = Genome::minimal(400, 1, tracker);
  Rng rng(1);
  genome.mutate_weights(
      {.perturb_power = 0, .replace = 0.25, .replace_range = 4}, rng);
  int changed = 0;
  float largest = 0;
  for (const ConnectionGene& gene : genome.connections()) {
    changed += gene.weight != 0 ? 1 : 0;
    largest = std::max(largest, std::abs(gene.weight));
  }
  EXPECT_NEAR(changed, 100, 30);
  EXPECT_LE(largest, 4);
  EXPECT_GT(largest, 3);
}

TEST(NeatMutation, PerturbsGentlyWithGivenShare) {
  InnovationTracker tracker(Genome::node_count(50, 1));
  for (const double share : {0.0, 1.0}) {
    Genome genome = Genome::minimal(50, 1, tracker);
    Rng rng(1);
    genome.mutate_weights(
        {.perturb_power = 5, .gentle_share = share, .replace = 0}, rng);
    float largest = 0;
    for (const ConnectionGene& gene : genome.connections()) {
      largest = std::max(largest, std::abs(gene.weight));
    }
    EXPECT_LE(largest, share == 0 ? 5 : 1);
    EXPECT_GT(largest, share == 0 ? 4 : 0.8);
  }
}

TEST(NeatCrossover, KeepsGenesDisabledWithGivenProbability) {
  InnovationTracker tracker(Genome::node_count(400, 1));
  const Genome whole = Genome::minimal(400, 1, tracker);
  Genome cut = whole;
  for (Innovation i = 0; i < 400; ++i) cut.set_enabled(i, false);
  Rng rng(1);
  const Genome child = Genome::crossover(whole, cut, {}, rng);
  EXPECT_NEAR(static_cast<double>(child.enabled_count()), 0.25 * 400, 35);
  const Genome none = Genome::crossover(whole, cut, {.stays_disabled = 1}, rng);
  EXPECT_EQ(none.enabled_count(), 1u);
}

TEST(NeatDistance, IsNearMatchesDistanceBelowThreshold) {
  const NeatOptions growth{.add_node = 0.3, .add_connection = 0.5};
  InnovationTracker tracker(Genome::node_count(2, 1));
  std::vector<Genome> genomes;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    genomes.push_back(Genome::minimal(2, 1, tracker));
    Rng rng(seed);
    for (std::uint64_t i = 0; i < seed; ++i) {
      genomes.back().mutate(growth, tracker, rng);
    }
  }
  for (const NeatOptions& options :
       {NeatOptions{}, NeatOptions{.excess_weight = 0.3},
        NeatOptions{.disjoint_weight = 0, .difference_weight = 3}}) {
    for (const Genome& a : genomes) {
      for (const Genome& b : genomes) {
        for (const double threshold : {0.5, 3.0, 20.0}) {
          ASSERT_EQ(a.is_near(b, options, threshold),
                    a.distance(b, options) < threshold);
        }
      }
    }
  }
}

// Makes every genome its own species and disables mutation.
NeatOptions lone_species(double interspecies) {
  return {.population = 20,
          .threshold = 1e-9,
          .target_species = 0,
          .crossover = 1,
          .interspecies = interspecies,
          .mutate_weights = 0,
          .add_node = 0,
          .add_connection = 0};
}

// Returns the number of children that are not copies of a parent.
std::ptrdiff_t mixed_children(double interspecies) {
  Population population(2, 1, lone_species(interspecies), 1);
  population.evaluate({.name = "large output",
                       .inputs = 2,
                       .outputs = 1,
                       .evaluate = [](FlatNetwork& network) -> NeatEvaluation {
                         const std::array<double, 2> ones = {1, 1};
                         return {.fitness = 1 + network.step(ones)[0]};
                       }});
  const std::vector<Genome> parents(population.genomes().begin(),
                                    population.genomes().end());
  EXPECT_EQ(population.species().size(), parents.size());
  population.evolve();
  return std::count_if(population.genomes().begin(), population.genomes().end(),
                       [&](const Genome& child) {
                         return std::find(parents.begin(), parents.end(),
                                          child) == parents.end();
                       });
}

TEST(Population, MatesBetweenSpeciesOnlyWithInterspeciesRate) {
  EXPECT_EQ(mixed_children(0), 0);
  EXPECT_GT(mixed_children(1), 5);
}

}  // namespace
}  // namespace lamarck::neat
