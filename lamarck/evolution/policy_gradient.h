// Trains a policy by policy gradient from its own episodes (Williams 1992),
// alone or with a critic that estimates returns (Schulman and others 2016).

#pragma once

#include <cstddef>

#include "lamarck/evolution/evolution_task.h"
#include "lamarck/evolution/policy_game.h"

namespace lamarck::evolution {

struct PolicyOptions {
  std::size_t episodes = 16;  // Per update.
  std::size_t max_updates = 120;
  double discount = 0.99;
  float rate = 0.05f;
  // Weight of the entropy bonus, which keeps discrete policies exploring.
  double entropy = 0.01;
  // Standard deviation of continuous actions as a fraction of their bound, at
  // the first and at the last update.
  double deviation = 0.5;
  double last_deviation = 0.15;
  // Candidates are compared by the mean return of `judged_episodes` episodes
  // with the same starts for all, after every `judge_every` updates.
  std::size_t judged_episodes = 20;
  std::size_t judge_every = 5;
  // For `evaluate`, which draws its own starts.
  std::size_t evaluated_episodes = 20;

  // Used with a critic only.
  float critic_rate = 0.02f;
  std::size_t critic_steps = 10;  // Per update of the policy.
  double trust = 0.95;            // Lambda of the advantages, see advantages.h.

  bool remembers = false;  // Whether policies may have recurrent edges.
};

// The mean return of the most likely actions, as a score. Episode i starts from
// rng.split(i).
double judged_score(const Network& actor, const PolicyGame& game,
                    std::size_t episodes, const Rng& rng);

// Trains the networks in place and keeps the weights with the best judged
// score. `critic` may be null. It reads observations and has one output: the
// discounted return times (1 - discount), which has the scale of one reward.
TrainingOutcome learn_policy(Network& actor, Network* critic,
                             const PolicyGame& game,
                             const PolicyOptions& options,
                             const LearningContext& context);

}  // namespace lamarck::evolution
