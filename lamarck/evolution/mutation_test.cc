#include "lamarck/evolution/mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lamarck/evolution/internal/any_mutation.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

// Parts that exist before and after and have kept their size must be unchanged.
// New parts must have weights within [-1, 1] and no moments.
void expect_rest_unchanged(const OwnedParameters& before,
                           const OwnedParameters& after) {
  for (const auto& [owner, numbers] : after) {
    const auto found = before.find(owner);
    if (found != before.end()) {
      if (found->second[0].size() == numbers[0].size()) {
        EXPECT_EQ(numbers, found->second);
      }
      continue;
    }
    for (const float value : numbers[0]) EXPECT_LE(std::abs(value), 1);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      for (const float number : numbers[i]) EXPECT_EQ(number, 0);
    }
  }
}

TEST(Mutation, EveryMutationYieldsValidNetworkAndPreservesOtherWeights) {
  std::map<std::string_view, int> applied;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const Network network = random_network(seed);
    const OwnedParameters before = owned_parameters(network);
    const MutationLimits limits = small_limits(seed / 4 % 2 == 1);
    for (const Mutation& mutation : mutation_table()) {
      if (!is_feasible(mutation, network, limits)) continue;
      SCOPED_TRACE(std::string(mutation.name) + " " + std::to_string(seed));
      Network changed = network;
      Rng rng(seed);
      mutation.apply(changed, limits, rng);
      changed.check();
      expect_rest_unchanged(before, owned_parameters(changed));
      EXPECT_NE(changed.topology_hash(), network.topology_hash());
      EXPECT_GE(changed.next_id(), network.next_id());
      EXPECT_EQ(changed.head(), network.head());
      ++applied[mutation.name];
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const Mutation& mutation : mutation_table()) {
    EXPECT_GT(applied[mutation.name], 3) << mutation.name;
  }
}

TEST(Mutation, IsDeterministicForSameSeed) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Network network = random_network(seed);
    for (const Mutation& mutation : mutation_table()) {
      if (!is_feasible(mutation, network, small_limits())) continue;
      Network a = network;
      Network b = network;
      Rng first(seed);
      Rng second(seed);
      mutation.apply(a, small_limits(), first);
      mutation.apply(b, small_limits(), second);
      EXPECT_EQ(owned_parameters(a), owned_parameters(b)) << mutation.name;
    }
  }
}

std::size_t bottlenecks(const Network& network) {
  return network.hidden_count() - network.changeable_nodes().size();
}

bool feeds_all_outputs(const Network& network) {
  const auto outputs = network.nodes_of(Role::Output);
  return std::ranges::all_of(outputs, [&](UnitId id) {
    return std::ranges::any_of(network.edges(), [&](const NetworkEdge& edge) {
      return edge.to == id && !edge.recurrent;
    });
  });
}

void expect_computes(const Network& network, Rng& rng) {
  const auto width = static_cast<std::int64_t>(network.input_width());
  const Tensor outputs = predict(network, Tensor::randn({3, 2, width}, rng));
  EXPECT_EQ(outputs.size(2), static_cast<std::int64_t>(network.output_width()));
}

struct Start {
  std::uint64_t seed;  // For seed_of_random_network.
  Grain grain;
  bool recurrent;
  bool keeps_outputs;
};

void grow(const Start& start, int mutations) {
  Network network = seed_of_random_network(start.seed);
  const std::size_t code = bottlenecks(network);
  MutationLimits limits = small_limits(start.recurrent);
  limits.keeps_outputs = start.keeps_outputs;
  const MutationChoice choice = equal_choice(start.grain);
  Rng rng(start.seed);
  for (int i = 0; i < mutations; ++i) {
    const Mutation* drawn = draw_mutation(network, limits, choice, rng);
    if (drawn == nullptr) continue;
    SCOPED_TRACE(std::string(drawn->name) + " at " + std::to_string(i));
    const std::size_t units = network.hidden_units();
    drawn->apply(network, limits, rng);
    network.check();
    ASSERT_EQ(bottlenecks(network), code);
    ASSERT_TRUE(network.hidden_units() <= units || units < limits.max_hidden);
    ASSERT_TRUE(!start.keeps_outputs || feeds_all_outputs(network));
    ASSERT_TRUE(start.recurrent || !network.is_recurrent());
    if (i % 40 == 39) expect_computes(network, rng);
  }
}

TEST(Mutation, TwoHundredInARowYieldValidNetworks) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    const bool has_layers = seed % 4 == 1 || seed % 4 == 2;
    ASSERT_NO_THROW(grow({.seed = seed,
                          .grain = has_layers ? Grain::Both : Grain::Neuron,
                          .recurrent = seed / 4 % 2 == 1,
                          .keeps_outputs = seed / 8 % 2 == 1},
                         200));
    if (testing::Test::HasFailure()) return;
  }
}

// ---- Growth that does not change the outputs

void expect_same_function(const Network& a, const Network& b, Rng& rng) {
  const auto width = static_cast<std::int64_t>(a.input_width());
  for (const Shape& shape : {Shape{4, width}, Shape{3, 3, width}}) {
    const Tensor inputs = Tensor::randn(shape, rng);
    const auto left = predict(a, inputs).to_vector();
    const auto right = predict(b, inputs).to_vector();
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      ASSERT_NEAR(left[i], right[i], 1e-5 * (1 + std::abs(left[i])));
    }
  }
}

TEST(Mutation, SilentGrowthDoesNotChangeOutputs) {
  for (const char* name :
       {"add_unit", "add_dense", "add_conv", "add_lstm", "add_gru", "widen"}) {
    const Mutation& mutation = *find_mutation(name);
    int applied = 0;
    for (std::uint64_t seed = 0; seed < 32; ++seed) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(seed));
      const Network network = random_network(seed, 8);
      const MutationLimits limits = small_limits(seed / 4 % 2 == 1);
      if (!is_feasible(mutation, network, limits)) continue;
      Network grown = network;
      Rng rng(seed);
      mutation.apply(grown, limits, rng);
      expect_same_function(network, grown, rng);
      if (testing::Test::HasFailure()) return;
      ++applied;
    }
    EXPECT_GT(applied, 2) << name;
  }
}

TEST(Mutation, AddUnitKeepsCandidateWithBestScore) {
  const Network network = minimal_network(2, 1, 3);
  MutationLimits limits;
  limits.unit_candidates = 5;
  std::vector<UnitId> seen;
  limits.score_units = [&](const Network& trial,
                           std::span<const UnitId> units) {
    trial.check();
    seen.assign(units.begin(), units.end());
    return std::vector<double>{0.1, 0.5, 0.9, 0.2, 0.3};
  };
  Network grown = network;
  Rng rng(1);
  find_mutation("add_unit")->apply(grown, limits, rng);
  grown.check();
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(grown.hidden_nodes(), std::vector<UnitId>{seen[2]});
  EXPECT_EQ(grown.next_id(), seen[2] + 1);
}

TEST(Mutation, AddUnitIgnoresNanScores) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  MutationLimits limits;
  limits.unit_candidates = 3;
  std::vector<UnitId> seen;
  limits.score_units = [&](const Network&, std::span<const UnitId> units) {
    seen.assign(units.begin(), units.end());
    return std::vector<double>{kNan, 0.5, kNan, 9};  // One score too many.
  };
  Network grown = minimal_network(2, 1);
  Rng rng(1);
  find_mutation("add_unit")->apply(grown, limits, rng);
  EXPECT_EQ(grown.hidden_nodes(), std::vector<UnitId>{seen[1]});
}

TEST(Mutation, AddUnitWorksWithoutCandidatesOrScores) {
  for (const std::size_t candidates : {0u, 1u, 4u}) {
    MutationLimits limits;
    limits.unit_candidates = candidates;
    limits.score_units = [](const Network&, std::span<const UnitId>) {
      return std::vector<double>();
    };
    Network grown = minimal_network(2, 1);
    Rng rng(1);
    find_mutation("add_unit")->apply(grown, limits, rng);
    grown.check();
    EXPECT_EQ(grown.hidden_count(), 1u);
  }
}

TEST(Mutation, LayersHaveValidWidthForAnyFirstWidth) {
  for (const std::uint32_t width : {0u, 1u, 4'000'000'000u}) {
    MutationLimits limits = small_limits();
    limits.first_width = width;
    for (const Mutation& mutation : mutation_table()) {
      Network network =
          minimal_layers({.channels = 1, .height = 4, .width = 4}, 2);
      if (!is_feasible(mutation, network, limits)) continue;
      Rng rng(2);
      mutation.apply(network, limits, rng);
      network.check();
      EXPECT_LE(network.hidden_units(), 512u) << mutation.name;
    }
  }
}

}  // namespace
}  // namespace lamarck::evolution
