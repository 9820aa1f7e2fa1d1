// Tests the mutation table, feasibility under limits, and drawing by weight.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lamarck/evolution/internal/any_mutation.h"
#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

TEST(MutationTable, HasUniqueNames) {
  std::set<std::string_view> names;
  for (const Mutation& mutation : mutation_table()) {
    EXPECT_TRUE(names.insert(mutation.name).second) << mutation.name;
    EXPECT_FALSE(mutation.what.empty());
    EXPECT_GE(mutation.weight, 0);
    EXPECT_GE(mutation.cascade_weight, 0);
    EXPECT_EQ(find_mutation(mutation.name), &mutation);
  }
  EXPECT_EQ(find_mutation("add_magic"), nullptr);
}

const std::map<std::string_view, double>& six_of_hill_climb() {
  static const std::map<std::string_view, double> six = {
      {"add_node", 0.15},    {"add_edge", 0.30},
      {"remove_edge", 0.20}, {"add_recurrent_edge", 0.15},
      {"remove_node", 0.10}, {"remove_recurrent_edge", 0.10}};
  return six;
}

TEST(MutationTable, GivesHillClimbSixMutations) {
  for (const Mutation& mutation : mutation_table()) {
    const auto found = six_of_hill_climb().find(mutation.name);
    const double wanted =
        found == six_of_hill_climb().end() ? 0 : found->second;
    EXPECT_EQ(mutation.weight, wanted) << mutation.name;
  }
}

TEST(Grain, ParsesNames) {
  EXPECT_EQ(parse_grain("neuron").value(), Grain::Neuron);
  EXPECT_EQ(parse_grain("layer").value(), Grain::Layer);
  EXPECT_EQ(parse_grain("both").value(), Grain::Both);
  EXPECT_FALSE(parse_grain("sand"));
}

// ---- Limits

TEST(MutationLimits, FullNetworkDoesNotGrow) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const Network network = random_network(seed);
    MutationLimits full = small_limits();
    full.max_hidden = network.hidden_units();
    MutationLimits heavy = small_limits();
    heavy.max_parameters = network.parameters().size();
    for (const Mutation& mutation : mutation_table()) {
      const bool is_growth =
          mutation.name.starts_with("add") || mutation.name == "widen";
      if (!is_growth) continue;
      EXPECT_FALSE(mutation.is_feasible(network, heavy)) << mutation.name;
      if (mutation.name.ends_with("edge")) continue;
      EXPECT_FALSE(mutation.is_feasible(network, full)) << mutation.name;
    }
  }
}

// The only path from the input to the output passes through the hidden node, so
// removing any edge would leave the output without one.
TEST(MutationLimits, OutputsKeepForwardEdgeWhenChainIsRemoved) {
  Network network = minimal_network(1, 1);
  const UnitId id = network.add_hidden({});
  network.add_edge(0, id);
  network.add_edge(id, 1);
  network.remove_edge(0, 1, false);
  network.add_recurrent_edge(id, id);
  MutationLimits limits = small_limits();
  limits.keeps_outputs = true;
  EXPECT_FALSE(find_mutation("remove_edge")->is_feasible(network, limits));
  EXPECT_FALSE(find_mutation("remove_node")->is_feasible(network, limits));
  limits.keeps_outputs = false;
  EXPECT_TRUE(find_mutation("remove_edge")->is_feasible(network, limits));
}

// The code's only incoming edge is recurrent, so removing it would remove the
// code.
TEST(MutationLimits, BottleneckIsNeverRemoved) {
  Network network = minimal_autoencoder(1, 1);
  const UnitId code = network.hidden_nodes()[0];
  const UnitId output = network.nodes_of(Role::Output)[0];
  network.add_recurrent_edge(output, code);
  network.remove_edge(0, code, false);
  const Mutation& mutation = *find_mutation("remove_recurrent_edge");
  EXPECT_FALSE(mutation.is_feasible(network, small_limits()));
}

// ---- Drawing

TEST(DrawMutation, FollowsWeightsWhenAllAreFeasible) {
  Network network = minimal_network(2, 1);
  const UnitId id = network.add_hidden({});
  network.add_edge(0, id);
  network.add_edge(id, 2);
  network.add_recurrent_edge(id, id);
  Rng rng(1);
  constexpr int kDraws = 20'000;
  std::map<std::string_view, int> drawn;
  for (int i = 0; i < kDraws; ++i) {
    const Mutation* mutation = draw_mutation(network, small_limits(), {}, rng);
    ASSERT_NE(mutation, nullptr);
    ++drawn[mutation->name];
  }
  EXPECT_EQ(drawn.size(), six_of_hill_climb().size());
  double chi_square = 0;
  for (const auto& [name, share] : six_of_hill_climb()) {
    const double wanted = share * kDraws;
    chi_square += (drawn[name] - wanted) * (drawn[name] - wanted) / wanted;
  }
  // The 99.9 % quantile of chi-square with five degrees of freedom.
  EXPECT_LT(chi_square, 20.5);
}

TEST(DrawMutation, RedistributesWeightOfInfeasibleMutations) {
  // All edges exist already, and recurrence is not allowed.
  const Network network = minimal_network(2, 1);
  Rng rng(2);
  constexpr int kDraws = 10'000;
  std::map<std::string_view, int> drawn;
  for (int i = 0; i < kDraws; ++i) {
    ++drawn[draw_mutation(network, small_limits(false), {}, rng)->name];
  }
  EXPECT_EQ(drawn.size(), 2u);
  EXPECT_NEAR(drawn["add_node"] / double{kDraws}, 0.15 / 0.35, 0.02);
  EXPECT_NEAR(drawn["remove_edge"] / double{kDraws}, 0.20 / 0.35, 0.02);
}

TEST(DrawMutation, DrawsOnlyFeasibleMutationsOfGrain) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Rng rng(seed);
    const Network network = random_network(seed);
    for (const Grain grain : {Grain::Neuron, Grain::Layer, Grain::Both}) {
      const MutationLimits limits = small_limits(seed % 2 == 1);
      const Mutation* drawn =
          draw_mutation(network, limits, equal_choice(grain), rng);
      if (drawn == nullptr) continue;
      EXPECT_TRUE(is_feasible(*drawn, network, limits));
      EXPECT_TRUE(grain == Grain::Both || drawn->grain == Grain::Both ||
                  drawn->grain == grain);
    }
  }
}

TEST(DrawMutation, ReturnsNullWhenAllWeightsAreZero) {
  MutationChoice choice;
  for (const Mutation& mutation : mutation_table()) {
    choice.weights[std::string(mutation.name)] = 0;
  }
  Rng rng(1);
  EXPECT_EQ(draw_mutation(minimal_network(2, 1), {}, choice, rng), nullptr);
}

}  // namespace
}  // namespace lamarck::evolution
