// Mutations of a network's topology: one table for single neurons and layers.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// Whether mutations add and change single neurons, layers, or both.
enum class Grain : std::uint8_t { Neuron, Layer, Both };
Result<Grain> parse_grain(std::string_view name);

// Limits on what mutations may do to a network.
struct MutationLimits {
  // A network at or above one of these does not grow; the last growth may
  // exceed it. Hidden units are counted over all hidden nodes.
  std::size_t max_hidden = 4096;
  std::size_t max_parameters = 4'000'000;
  bool recurrent = false;  // Whether mutations may add recurrence.
  // Whether removals must leave every output with a forward edge.
  bool keeps_outputs = false;
  // The choices for new nodes.
  std::vector<Activation> activations = {Activation::Tanh};
  std::uint32_t first_width = 16;  // New layers: this, half or double.
  // How many random units add_unit tries to find the best; used only with
  // score_units.
  std::size_t unit_candidates = 16;
  // Scores hidden nodes whose outgoing weights are still 0; higher is more
  // promising. May be empty.
  std::function<std::vector<double>(const Network&, std::span<const UnitId>)>
      score_units;
};

struct Mutation {
  std::string_view name;
  std::string_view what;  // A short description for people.
  Grain grain;            // Both: available at either grain.
  bool is_recurrent;      // Available only if limits.recurrent.
  bool shrinks;           // Removes units or edges.
  // Relative frequency among the feasible mutations.
  double weight;          // For hill_climb, which uses six mutations.
  double cascade_weight;  // For cascade.
  bool (*is_feasible)(const Network& network, const MutationLimits& limits);
  // REQUIRES: is_feasible. Parts that it does not touch keep their weights.
  void (*apply)(Network& network, const MutationLimits& limits, Rng& rng);
};

std::span<const Mutation> mutation_table();
const Mutation* find_mutation(std::string_view name);  // Null if unknown.

// Weights by name, which override those of the table.
using MutationWeights = std::map<std::string, double, std::less<>>;

struct MutationChoice {
  Grain grain = Grain::Neuron;
  bool cascade = false;     // Use cascade_weight instead of weight.
  MutationWeights weights;  // Overrides single weights.
};

// Draws a feasible mutation by weight; null if there is none.
const Mutation* draw_mutation(const Network& network,
                              const MutationLimits& limits,
                              const MutationChoice& choice, Rng& rng);

}  // namespace lamarck::evolution
