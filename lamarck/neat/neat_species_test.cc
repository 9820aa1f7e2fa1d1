#include "lamarck/neat/neat_species.h"

#include <gtest/gtest.h>

namespace lamarck::neat {
namespace {

Genome make_genome(double fitness) {
  InnovationTracker tracker(Genome::node_count(1, 1));
  Genome genome = Genome::minimal(1, 1, tracker);
  genome.fitness = fitness;
  return genome;
}

// Returns ranked species whose members have the given fitness values.
std::vector<Species> make_ranked(
    const std::vector<std::vector<double>>& fitness) {
  std::vector<Genome> genomes;
  std::vector<Species> species;
  for (const auto& values : fitness) {
    species.push_back({.id = species.size()});
    for (const double value : values) {
      species.back().members.push_back(genomes.size());
      genomes.push_back(make_genome(value));
    }
  }
  for (Species& one : species) one.rank(genomes);
  return species;
}

using Counts = std::vector<std::size_t>;

TEST(Species, SharesFitnessAmongMembers) {
  // The large species has a larger sum, but the same mean as the second.
  const auto species = make_ranked({{2, 2, 2, 2, 2, 2}, {2}, {4}});
  EXPECT_EQ(offspring_counts(species, 8, false, {}), (Counts{2, 2, 4}));
}

TEST(Species, RanksMembersBestFirst) {
  std::vector<Genome> genomes;
  for (const double value : {1.0, 3.0, 2.0, 3.0}) {
    genomes.push_back(make_genome(value));
  }
  Species species{.members = {0, 1, 2, 3}};
  species.rank(genomes);
  EXPECT_EQ(species.members, (Counts{1, 3, 2, 0}));
  EXPECT_EQ(species.best, 3);
  EXPECT_DOUBLE_EQ(species.mean, 9.0 / 4);
  EXPECT_EQ(species.age, 1u);
  EXPECT_EQ(species.since_gain, 0u);
  EXPECT_TRUE(species.beat_record);

  species.rank(genomes);
  EXPECT_EQ(species.age, 2u);
  EXPECT_EQ(species.since_gain, 1u);
  EXPECT_FALSE(species.beat_record);
}

TEST(Species, HasNoOffspringWhenStagnant) {
  auto species = make_ranked({{1}, {5}, {1}});
  species[0].since_gain = 15;
  EXPECT_EQ(offspring_counts(species, 6, false, {})[0], 0u);
  species[0].since_gain = 14;
  EXPECT_EQ(offspring_counts(species, 7, false, {})[0], 1u);
}

TEST(Species, BestSpeciesBreedsDespiteStagnation) {
  auto species = make_ranked({{1}, {3}});
  species[1].since_gain = 100;
  EXPECT_EQ(offspring_counts(species, 4, false, {}), (Counts{1, 3}));
  EXPECT_EQ(offspring_counts(species, 4, false, {.best_species_stays = false}),
            (Counts{4, 0}));
}

TEST(Species, NoneBreedsIfAllStagnateAndBestIsNotKept) {
  auto species = make_ranked({{1}, {3}});
  for (Species& one : species) one.since_gain = 100;
  EXPECT_EQ(offspring_counts(species, 4, false, {.best_species_stays = false}),
            (Counts{0, 0}));
}

TEST(Species, OnlyBestTwoBreedInFlatPopulation) {
  auto species = make_ranked({{1}, {3}, {2}, {1}});
  for (Species& one : species) one.since_gain = 100;
  for (const bool stays : {true, false}) {
    EXPECT_EQ(offspring_counts(species, 5, true, {.best_species_stays = stays}),
              (Counts{0, 3, 2, 0}));
  }
}

TEST(Species, SpeciesOfChampionAlwaysHasOffspring) {
  // The champion's species has a much lower mean than the others.
  const auto species =
      make_ranked({{9, 0, 0, 0, 0, 0, 0, 0, 0}, {8}, {8}, {8}});
  const Counts counts = offspring_counts(species, 4, false, {});
  EXPECT_GE(counts[0], 1u);
  EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[3], 4u);
}

TEST(Speciate, GroupsSimilarGenomesAndNumbersNewSpecies) {
  const Genome one = make_genome(0);
  Genome other = one;
  other.set_weight(0, 8);  // Distance 0.4 * 8 / 2.
  std::vector<Genome> genomes = {one, other, one};
  std::vector<Species> species;
  std::size_t next = 7;

  speciate(genomes, 1.0, {}, next, species);
  ASSERT_EQ(species.size(), 2u);
  EXPECT_EQ(species[0].members, (Counts{0, 2}));
  EXPECT_EQ(species[1].members, (Counts{1}));
  EXPECT_EQ(species[1].id, 8u);
  EXPECT_EQ(next, 9u);

  genomes = {other, other};
  speciate(genomes, 1.0, {}, next, species);
  ASSERT_EQ(species.size(), 1u) << "an empty species must be removed";
  EXPECT_EQ(species[0].id, 8u);
}

TEST(Speciate, LargeThresholdGroupsAllGenomes) {
  const Genome one = make_genome(0);
  Genome other = one;
  other.set_weight(0, 8);
  const std::vector<Genome> genomes = {one, other};
  std::vector<Species> species;
  std::size_t next = 0;
  speciate(genomes, 2.0, {}, next, species);
  EXPECT_EQ(species.size(), 1u);
}

}  // namespace
}  // namespace lamarck::neat
