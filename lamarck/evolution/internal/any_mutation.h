// For tests: the whole list of mutations, in small networks.

#pragma once

#include <string>

#include "lamarck/evolution/mutation.h"

namespace lamarck::evolution {

inline MutationLimits small_limits(bool recurrent = true) {
  return {.most_hidden = 60,
          .recurrent = recurrent,
          .activations = {Activation::Tanh, Activation::Relu},
          .first_width = 4,
          .score_units = nullptr};
}

inline bool is_feasible(const Mutation& mutation, const Network& network,
                        const MutationLimits& limits) {
  return (limits.recurrent || !mutation.is_recurrent) &&
         mutation.is_feasible(network, limits);
}

// Every mutation of the list as likely as any other.
inline MutationChoice any_of(Grain grain) {
  MutationChoice choice{.grain = grain};
  for (const Mutation& mutation : mutation_table()) {
    choice.weights[std::string(mutation.name)] = 1;
  }
  return choice;
}

}  // namespace lamarck::evolution
