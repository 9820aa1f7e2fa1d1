// How much better than expected what followed a choice was.

#pragma once

#include <vector>

#include "lamarck/evolution/policy_game.h"

namespace lamarck::evolution {

// By step of each episode: how much better than expected what followed was.
using Advantages = std::vector<std::vector<double>>;

// What followed is the discounted sum of rewards; what was expected is its mean
// over all episodes at that step, 0 for those that are over.
Advantages advantages_of(const std::vector<Episode>& episodes, double discount);
// By guesses for each step and one after the last: sums of what each step
// brought beyond the guess before it, weighted by trust to the power of their
// distance.
Advantages advantages_of(const std::vector<Episode>& episodes,
                         const std::vector<std::vector<double>>& guesses,
                         double discount, double trust);
// Mean 0 and deviation 1 over all steps.
void standardise(Advantages& advantages);

}  // namespace lamarck::evolution
