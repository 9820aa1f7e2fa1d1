// The ways in which a network changes: one list, for single neurons and for
// layers.

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

enum class Grain : std::uint8_t { Neuron, Layer, Both };
Result<Grain> grain_named(std::string_view name);

// What a network may become.
struct MutationLimits {
  // A network that has as many or more of these does not grow; the last growth
  // may go beyond. Units are those of all hidden nodes together.
  std::size_t most_hidden = 4096;
  std::size_t most_parameters = 4'000'000;
  bool recurrent = false;  // Whether it may remember.
  // Removals leave every output with a forward edge.
  bool keeps_outputs = false;
  // New nodes draw one of these.
  std::vector<Activation> activations = {Activation::Tanh};
  std::uint32_t first_width = 16;  // Of new layers, or half or double that.
  // Of how many new units with random inputs the best is taken, if there is
  // somebody to compare them.
  std::size_t unit_candidates = 16;
  // How promising each of these hidden nodes is, whose edges out have weight
  // 0; more is better. May be empty.
  std::function<std::vector<double>(const Network&, std::span<const UnitId>)>
      score_units;
};

struct Mutation {
  std::string_view name;
  std::string_view what;  // For people, in a few words.
  Grain grain;            // Both: serves either.
  bool is_recurrent;      // Only where networks may remember.
  // How often it is drawn among those that are feasible: by hill_climb, whose
  // six are those of the first description, and by cascade.
  double weight;
  double cascade_weight;
  bool (*is_feasible)(const Network& network, const MutationLimits& limits);
  // REQUIRES: is_feasible. What it does not touch keeps its weights.
  void (*apply)(Network& network, const MutationLimits& limits, Rng& rng);
};

std::span<const Mutation> mutation_table();
const Mutation* find_mutation(std::string_view name);  // Null if unknown.

// Instead of the weights of the list, by name.
using MutationWeights = std::map<std::string, double, std::less<>>;

struct MutationChoice {
  Grain grain = Grain::Neuron;
  bool cascade = false;     // Which column of the list.
  MutationWeights weights;  // What differs from it.
};

// Draws one that is feasible, by weight; null if none is.
const Mutation* draw_mutation(const Network& network,
                              const MutationLimits& limits,
                              const MutationChoice& choice, Rng& rng);

}  // namespace lamarck::evolution
