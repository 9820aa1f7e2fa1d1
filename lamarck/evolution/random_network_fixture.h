// For tests: random networks of every kind, grown by all mutations.

#pragma once

#include <cstdint>
#include <string>

#include "lamarck/evolution/mutation.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// The initial network; seed % 4 selects its kind.
inline Network seed_of_random_network(std::uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return minimal_network(3, 2, seed);
    case 1:
      return minimal_layers({.channels = 5}, 3, seed);
    case 2:
      return minimal_layers({.channels = 2, .height = 8, .width = 9}, 4, seed);
    default:
      return minimal_autoencoder(4, 2, seed);
  }
}

// seed % 4 selects neurons, layers, images or an autoencoder; seed / 4 % 2
// allows recurrence; seed % 3 selects the head.
inline Network random_network(std::uint64_t seed, int mutations = 12) {
  Rng rng = Rng(seed).split("random_network");
  Network network = seed_of_random_network(seed);
  const MutationLimits limits{
      .recurrent = seed / 4 % 2 == 1,
      .activations = {Activation::Tanh, Activation::Sigmoid, Activation::Relu,
                      Activation::LeakyRelu, Activation::Identity},
      .first_width = 4,
      .score_units = nullptr};
  const bool is_grown_in_layers = seed % 4 == 1 || seed % 4 == 2;
  MutationChoice choice{.grain =
                            is_grown_in_layers ? Grain::Both : Grain::Neuron};
  for (const Mutation& mutation : mutation_table()) {
    choice.weights[std::string(mutation.name)] =
        mutation.name.starts_with("remove") ? 0.3 : 1.0;
  }
  for (int i = 0; i < mutations; ++i) {
    const Mutation* drawn = draw_mutation(network, limits, choice, rng);
    if (drawn != nullptr) drawn->apply(network, limits, rng);
  }
  network.set_head(loss_table()[seed % 3].value);
  NetworkParameters& parameters = network.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters.values[i] += static_cast<float>(rng.normal(0, 0.1));
    parameters.means[i] = static_cast<float>(rng.normal());
    parameters.squares[i] = static_cast<float>(rng.uniform(0, 1));
    parameters.ages[i] = static_cast<float>(rng.below(100));
  }
  return network;
}

}  // namespace lamarck::evolution
