// An environment as a policy meets it: episodes to learn from, and returns.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "lamarck/environment/rl_environment.h"
#include "lamarck/evolution/network_stepper.h"

namespace lamarck::evolution {

struct Episode {
  std::vector<float> observations;  // Scaled; step after step, as the next two.
  std::vector<float> outputs;       // Of the network.
  // What was done: 1 for the action chosen and 0 for the others, or the number
  // as a share of its bound, with what chance added.
  std::vector<float> choices;
  std::vector<double> rewards;  // With the potential.
  // 200 steps were over or the like: it might have gone on.
  bool is_cut = false;

  std::size_t steps() const { return rewards.size(); }
};

struct PolicyGame {
  std::size_t observations = 0;
  std::size_t outputs = 0;
  std::size_t most_steps = 0;
  bool is_discrete = true;  // Outputs are probabilities; if not, means.
  double enough = 0;        // See RLEnvironment.

  // Draws actions by the probabilities, or around the means with `deviation`.
  std::function<Episode(NetworkStepper&, double discount, double deviation,
                        Rng&)>
      play;
  // The return of an episode of likeliest actions.
  std::function<double(NetworkStepper&, Rng&)> best_return;
  std::function<double(double mean_return)> score;
};

template <environment::Environment E>
class PolicyPlayer {
 public:
  static Episode play(NetworkStepper& stepper, double discount,
                      double deviation, Rng& rng) {
    Episode episode;
    E environment;
    environment.reset(rng);
    stepper.reset();
    double before = Facts::potential(environment);
    while (!environment.is_done()) {
      const auto seen = observed(environment);
      episode.observations.insert(episode.observations.end(), seen.begin(),
                                  seen.end());
      const std::span<const float> outputs = stepper.step(seen);
      episode.outputs.insert(episode.outputs.end(), outputs.begin(),
                             outputs.end());
      const double reward =
          environment.step(drawn(outputs, deviation, rng, episode.choices));
      const double after = Facts::potential(environment);
      episode.rewards.push_back(reward + discount * after - before);
      before = after;
    }
    episode.is_cut = environment.steps() >= E::kMostSteps;
    return episode;
  }

  static double best_return(NetworkStepper& stepper, Rng& rng) {
    E environment;
    environment.reset(rng);
    stepper.reset();
    double sum = 0;
    while (!environment.is_done()) {
      sum += environment.step(likeliest(stepper.step(observed(environment))));
    }
    return sum;
  }

 private:
  using Facts = environment::RLEnvironment<E>;
  using Action = typename environment::ActionKindOf<E>::Action;

  static std::array<float, E::kObservations> observed(const E& environment) {
    const auto all = environment.observation();
    std::array<float, E::kObservations> scaled{};
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled[i] = static_cast<float>(all[i]) * Facts::kScales[i];
    }
    return scaled;
  }

  static Action drawn(std::span<const float> outputs, double deviation,
                      Rng& rng, std::vector<float>& choices) {
    if constexpr (environment::kIsDiscrete<E>) {
      double left = rng.uniform();
      std::size_t action = 0;
      while (action + 1 < outputs.size() && left >= double{outputs[action]}) {
        left -= double{outputs[action++]};
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        choices.push_back(i == action ? 1.0f : 0.0f);
      }
      return action;
    } else {
      const double share = rng.normal(double{outputs[0]}, deviation);
      choices.push_back(static_cast<float>(share));
      return std::clamp(share, -1.0, 1.0) * E::kActionKind.bound;
    }
  }

  static Action likeliest(std::span<const float> outputs) {
    if constexpr (environment::kIsDiscrete<E>) {
      return static_cast<std::size_t>(std::ranges::max_element(outputs) -
                                      outputs.begin());
    } else {
      return std::clamp(double{outputs[0]}, -1.0, 1.0) * E::kActionKind.bound;
    }
  }
};

template <environment::Environment E>
PolicyGame policy_game() {
  PolicyGame game{.observations = E::kObservations,
                  .most_steps = static_cast<std::size_t>(E::kMostSteps),
                  .is_discrete = environment::kIsDiscrete<E>,
                  .enough = environment::RLEnvironment<E>::kEnough,
                  .play = PolicyPlayer<E>::play,
                  .best_return = PolicyPlayer<E>::best_return,
                  .score = environment::RLEnvironment<E>::score};
  if constexpr (environment::kIsDiscrete<E>) {
    game.outputs = E::kActionKind.count;
  } else {
    static_assert(E::kActionKind.size == 1, "an action is one number");
    game.outputs = 1;
  }
  return game;
}

}  // namespace lamarck::evolution
