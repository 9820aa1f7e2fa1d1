#include "lamarck/neat/neat_genome.h"

#include <cmath>
#include <string>
#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::neat {
namespace {

template <class F>
std::string thrown_kind(F&& work) {
  try {
    work();
  } catch (const LogicError& failure) {
    const auto& fields = failure.error().fields();
    const auto found = fields.find("kind");
    return found == fields.end() ? "no kind" : found->second;
  }
  return "nothing";
}

// Nodes 0 (bias), 1, 2 -> 3; innovations 0, 1, 2.
struct TwoToOne {
  InnovationTracker tracker{Genome::node_count(2, 1)};
  Genome genome = Genome::minimal(2, 1, tracker);
};

TEST(InnovationTracker, GivesEqualConnectionsTheSameInnovation) {
  InnovationTracker tracker(4);
  const Innovation first = tracker.connection(0, 3);
  EXPECT_NE(tracker.connection(1, 3), first);
  EXPECT_EQ(tracker.connection(0, 3), first);
  EXPECT_EQ(tracker.connection_count(), 2u);
}

TEST(InnovationTracker, GivesEqualSplitsTheSameNode) {
  InnovationTracker tracker(4);
  const Innovation innovation = tracker.connection(0, 3);
  EXPECT_EQ(tracker.split(innovation), 4u);
  EXPECT_EQ(tracker.split(innovation), 4u);
  EXPECT_EQ(tracker.split(innovation, 1), 5u);
  EXPECT_EQ(thrown_kind([&] { tracker.split(7); }), "invalid_innovation");
}

TEST(Genome, MinimalGenomeIsFullyConnectedWithoutHiddenNodes) {
  const TwoToOne it;
  EXPECT_EQ(it.genome.nodes().size(), 4u);
  EXPECT_EQ(it.genome.node(0).kind, NodeKind::Bias);
  EXPECT_EQ(it.genome.node(3).kind, NodeKind::Output);
  EXPECT_EQ(it.genome.connections().size(), 3u);
  EXPECT_EQ(it.genome.hidden_count(), 0u);
}

TEST(Genome, RejectsDuplicateConnection) {
  TwoToOne it;
  EXPECT_EQ(thrown_kind([&] { it.genome.add_connection(1, 3, 1, it.tracker); }),
            "connection_exists");
}

TEST(Genome, RejectsUnknownInnovation) {
  TwoToOne it;
  EXPECT_EQ(thrown_kind([&] { it.genome.connection(9); }),
            "invalid_innovation");
  EXPECT_EQ(thrown_kind([&] { it.genome.set_weight(9, 1); }),
            "invalid_innovation");
  EXPECT_EQ(thrown_kind([&] { it.genome.split_connection(9, it.tracker); }),
            "invalid_innovation");
}

TEST(Genome, RejectsConnectionIntoInput) {
  TwoToOne it;
  EXPECT_THROW(it.genome.add_connection(3, 1, 1, it.tracker), LogicError);
}

TEST(Genome, SplitDisablesConnectionAndAddsTwo) {
  TwoToOne it;
  it.genome.set_weight(1, 0.5f);
  const NeatNodeId added = it.genome.split_connection(1, it.tracker);
  EXPECT_FALSE(it.genome.connection(1).enabled);
  EXPECT_EQ(it.genome.connections()[3].weight, 1);
  EXPECT_EQ(it.genome.connections()[4].weight, 0.5f);
  EXPECT_GT(it.genome.node(added).order, 0);
  EXPECT_LT(it.genome.node(added).order, 1);
  EXPECT_EQ(it.genome.nodes()[3].id, added);  // Before the output.
}

TEST(Genome, SecondSplitOfConnectionUsesAnotherNode) {
  TwoToOne it;
  const NeatNodeId first = it.genome.split_connection(1, it.tracker);
  it.genome.set_enabled(1, true);
  EXPECT_NE(it.genome.split_connection(1, it.tracker), first);
}

TEST(Genome, DistinguishesRecurrentFromForwardConnections) {
  TwoToOne it;
  const NeatNodeId hidden = it.genome.split_connection(1, it.tracker);
  it.genome.add_connection(3, hidden, 1, it.tracker);
  it.genome.add_connection(hidden, hidden, 1, it.tracker);
  EXPECT_FALSE(it.genome.is_recurrent(it.genome.connections()[4]));
  EXPECT_TRUE(it.genome.is_recurrent(it.genome.connections()[5]));
  EXPECT_TRUE(it.genome.is_recurrent(it.genome.connections()[6]));
}

TEST(Genome, DoesNotSplitBiasByDefault) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TwoToOne it;
    Rng rng(seed);
    ASSERT_TRUE(it.genome.mutate_add_node({}, it.tracker, rng));
    EXPECT_TRUE(it.genome.connection(0).enabled) << "seed " << seed;
  }
}

TEST(Genome, StaysFeedForwardWithoutRecurrentShare) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    InnovationTracker tracker(Genome::node_count(2, 2));
    Genome genome = Genome::minimal(2, 2, tracker);
    Rng rng(seed);
    const NeatOptions often = {.add_node = 0.5, .add_connection = 0.5};
    for (int i = 0; i < 40; ++i) genome.mutate(often, tracker, rng);
    for (const ConnectionGene& gene : genome.connections()) {
      EXPECT_FALSE(genome.is_recurrent(gene)) << "seed " << seed;
    }
  }
}

TEST(Genome, KeepsWeightsWithinCap) {
  TwoToOne it;
  Rng rng(1);
  const NeatOptions wild = {.perturb_power = 100, .weight_cap = 3};
  for (int i = 0; i < 100; ++i) {
    it.genome.mutate_weights(wild, rng);
    for (const ConnectionGene& gene : it.genome.connections()) {
      EXPECT_LE(std::abs(gene.weight), 3);
    }
  }
}

TEST(Genome, CrossoverKeepsTopologyOfFitterParent) {
  TwoToOne it;
  Genome fit = it.genome;
  fit.fitness = 2;
  fit.split_connection(1, it.tracker);
  Genome weak = it.genome;
  weak.fitness = 1;
  weak.split_connection(2, it.tracker);
  for (const Innovation i : {0, 1, 2}) weak.set_weight(i, 5);

  bool took_from_weak = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Genome child = Genome::crossover(weak, fit, {}, rng);
    ASSERT_EQ(child.connections().size(), fit.connections().size());
    EXPECT_EQ(child.nodes().size(), fit.nodes().size());
    EXPECT_EQ(child.connections()[3].innovation,
              fit.connections()[3].innovation);
    took_from_weak = took_from_weak || child.connection(0).weight == 5;
  }
  EXPECT_TRUE(took_from_weak);
}

TEST(Genome, CrossoverOfEqualsKeepsSmallerTopology) {
  TwoToOne it;
  Genome large = it.genome;
  large.split_connection(1, it.tracker);
  Rng rng(1);
  EXPECT_EQ(Genome::crossover(large, it.genome, {}, rng).hidden_count(), 0u);
}

TEST(Genome, DistanceCountsExcessDisjointAndWeights) {
  TwoToOne it;
  Genome a = it.genome;
  Genome b = it.genome;
  a.split_connection(1, it.tracker);  // Innovations 3 and 4.
  b.split_connection(2, it.tracker);  // Innovations 5 and 6.
  b.set_weight(0, 3);
  const NeatOptions options = {
      .excess_weight = 10, .disjoint_weight = 100, .difference_weight = 1};
  EXPECT_DOUBLE_EQ(a.distance(b, options), 2 * 10 + 2 * 100 + 1.0);
  EXPECT_DOUBLE_EQ(b.distance(a, options), a.distance(b, options));
  EXPECT_EQ(a.distance(a, options), 0);
}

}  // namespace
}  // namespace lamarck::neat
