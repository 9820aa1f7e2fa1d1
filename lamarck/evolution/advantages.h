// Advantages: how much better the outcome of each choice was than expected.

#pragma once

#include <vector>

#include "lamarck/evolution/policy_game.h"

namespace lamarck::evolution {

// One value for each step of each episode: advantages[episode][step].
using Advantages = std::vector<std::vector<double>>;

// The discounted return from each step on, minus its mean over all episodes at
// the same step. Episodes that have ended count as 0 in that mean.
// REQUIRES: every episode has at least one step.
Advantages compute_advantages(const std::vector<Episode>& episodes,
                              double discount);
// Generalized advantage estimation (Schulman and others 2016). `guesses` holds
// the critic's value of each step and of the state after the last one; `trust`
// is the paper's lambda.
Advantages compute_advantages(const std::vector<Episode>& episodes,
                              const std::vector<std::vector<double>>& guesses,
                              double discount, double trust);
// Shifts and scales the advantages of all steps to mean 0 and deviation 1.
void standardize(Advantages& advantages);

}  // namespace lamarck::evolution
