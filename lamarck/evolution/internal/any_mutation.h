// For tests: all mutations with equal weight, in small networks.

#pragma once

#include <string>

#include "lamarck/evolution/mutation.h"

namespace lamarck::evolution {

inline MutationLimits small_limits(bool recurrent = true) {
  return {.max_hidden = 60,
          .recurrent = recurrent,
          .activations = {Activation::Tanh, Activation::Relu},
          .first_width = 4,
          .score_units = nullptr};
}

// Whether draw_mutation could draw the mutation, whatever its weight.
inline bool is_feasible(const Mutation& mutation, const Network& network,
                        const MutationLimits& limits) {
  return (limits.recurrent || !mutation.is_recurrent) &&
         mutation.is_feasible(network, limits);
}

// Gives every mutation of the table the same weight.
inline MutationChoice equal_choice(Grain grain) {
  MutationChoice choice{.grain = grain};
  for (const Mutation& mutation : mutation_table()) {
    choice.weights[std::string(mutation.name)] = 1;
  }
  return choice;
}

}  // namespace lamarck::evolution
