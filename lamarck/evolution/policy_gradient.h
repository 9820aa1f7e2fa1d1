// How a policy learns from its own episodes (Williams 1992), alone or with a
// critic that learns what to expect (Schulman and others 2016).

#pragma once

#include <cstddef>

#include "lamarck/evolution/evolution_task.h"
#include "lamarck/evolution/policy_game.h"

namespace lamarck::evolution {

struct PolicyOptions {
  std::size_t episodes = 16;  // Before each update.
  std::size_t most_updates = 120;
  double discount = 0.99;
  float rate = 0.05f;
  // Of what keeps choices open, for actions that are chosen.
  double entropy = 0.01;
  // Of actions that are numbers, as a share of their bound, at first and at
  // the last update.
  double deviation = 0.5;
  double last_deviation = 0.15;
  // Candidates are compared by the mean return of so many episodes, which
  // begin alike for all; looked at after so many updates.
  std::size_t judged_episodes = 20;
  std::size_t judge_every = 5;
  // Of `evaluate`, which draws its own.
  std::size_t evaluated_episodes = 20;

  // With a critic only.
  float critic_rate = 0.02f;
  std::size_t critic_steps = 10;  // After each lot of episodes.
  double trust = 0.95;            // In the critic's later guesses.
  bool remembers = false;         // Policies may have recurrent edges.
};

// The mean return of likeliest actions as a score.
double judged_score(const Network& actor, const PolicyGame& game,
                    std::size_t episodes, const Rng& rng);

// Keeps the weights that did best. `critic` may be null; it reads observations
// and gives one number, the discounted return times 1 - discount.
TrainingOutcome learn_policy(Network& actor, Network* critic,
                             const PolicyGame& game,
                             const PolicyOptions& options,
                             const LearningContext& context);

}  // namespace lamarck::evolution
