// Reinforcement learning: evolves a policy, or an actor and its critic, in an
// environment.
//
//   Evolution{.network = minimal_network(4, 2),
//             .task = RLTask<CartPole>()}.run()
//   RLTask(MyRobot({.mass = 2}))  // Episodes run in copies of this one.

#pragma once

#include "lamarck/evolution/policy_gradient.h"

namespace lamarck::evolution {

// Trains policies by policy gradient and compares candidates on episodes with
// the same starts. Scores are those of RLEnvironment for the most likely
// actions. The network reads the scaled observations and has one output per
// discrete action, or one per number of a continuous action.
class PolicyTask : public EvolutionTask {
 public:
  // Throws LogicError for invalid options.
  explicit PolicyTask(PolicyGame game, const PolicyOptions& options = {});

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& context) const override;
  double evaluate(const Network& network, Rng& rng) const override;
  bool is_deterministic() const override { return false; }
  // Throws LogicError if inputs or outputs do not match the environment.
  void prepare(Network& network) const override;
  bool is_sequential() const override { return options_.remembers; }
  double work(const Network& network) const override;

 private:
  PolicyGame game_;
  PolicyOptions options_;
};

// Evolves {actor, critic}. The critic reads the same observations and has one
// output.
class ActorCriticGameTask : public TeamTask {
 public:
  explicit ActorCriticGameTask(PolicyGame game,
                               const PolicyOptions& options = {});

  TrainingOutcome train_until_converged(
      std::span<Network> networks,
      const LearningContext& context) const override;
  double evaluate(std::span<const Network> networks, Rng& rng) const override;
  bool is_deterministic() const override { return false; }
  void prepare(std::span<Network> networks) const override;
  bool is_sequential() const override { return options_.remembers; }
  double work(std::span<const Network> networks) const override;

 private:
  PolicyGame game_;
  PolicyOptions options_;
};

template <environment::Environment E>
class RLTask : public PolicyTask {
 public:
  explicit RLTask(const PolicyOptions& options = {})
      : PolicyTask(policy_game<E>(), options) {}
  explicit RLTask(const E& environment, const PolicyOptions& options = {})
      : PolicyTask(policy_game(environment), options) {}
};

template <environment::Environment E>
class ActorCriticTask : public ActorCriticGameTask {
 public:
  explicit ActorCriticTask(const PolicyOptions& options = {})
      : ActorCriticGameTask(policy_game<E>(), options) {}
  explicit ActorCriticTask(const E& environment,
                           const PolicyOptions& options = {})
      : ActorCriticGameTask(policy_game(environment), options) {}
};

}  // namespace lamarck::evolution
