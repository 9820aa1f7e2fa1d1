#include "lamarck/evolution/policy_gradient.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lamarck/evolution/advantages.h"
#include "lamarck/evolution/weighted_learner.h"

namespace lamarck::evolution {
namespace {

// Joins the rows of all episodes: as independent rows [total steps, width], or
// as sequences [episodes, longest, width] padded with zeros.
Tensor lay_out(std::span<const std::vector<float>> parts, std::size_t width,
               bool as_sequences) {
  std::size_t longest = 0;
  std::size_t total = 0;
  for (const std::vector<float>& part : parts) {
    longest = std::max(longest, part.size());
    total += part.size();
  }
  const auto numbers = static_cast<std::int64_t>(width);
  const auto rows = static_cast<std::int64_t>(parts.size());
  Tensor all =
      as_sequences
          ? Tensor::zeros(
                {rows, static_cast<std::int64_t>(longest / width), numbers})
          : Tensor::zeros({static_cast<std::int64_t>(total / width), numbers});
  float* to = all.begin_of_data();
  for (const std::vector<float>& part : parts) {
    std::ranges::copy(part, to);
    to += as_sequences ? longest : part.size();
  }
  return all;
}

// The same for one number per step: [rows] or [rows, steps].
Tensor lay_out_numbers(std::span<const std::vector<float>> parts,
                       bool as_sequences) {
  const Tensor all = lay_out(parts, 1, as_sequences);
  return as_sequences ? all.reshape({all.size(0), all.size(1)})
                      : all.reshape({all.size(0)});
}

std::vector<std::vector<float>> collect_observations(
    const std::vector<Episode>& episodes) {
  std::vector<std::vector<float>> all;
  for (const Episode& episode : episodes) all.push_back(episode.observations);
  return all;
}

std::size_t count_steps(const std::vector<Episode>& episodes) {
  std::size_t steps = 0;
  for (const Episode& episode : episodes) steps += episode.steps();
  return steps;
}

// One training of an actor and, optionally, its critic.
class PolicyLearning {
 public:
  PolicyLearning(Network& actor, Network* critic, const PolicyGame& game,
                 const PolicyOptions& options, const LearningContext& context)
      : actor_(actor),
        critic_(critic),
        game_(game),
        options_(options),
        context_(context),
        actor_learner_(fresh(actor), {.rate = options.rate}),
        stepper_(actor) {
    if (critic_ != nullptr) {
      critic_learner_.emplace(fresh(*critic),
                              AgedAdamOptions{.rate = options.critic_rate});
    }
  }

  TrainingOutcome run() {
    judge();
    for (std::size_t i = 0; i < options_.max_updates && !is_enough(); ++i) {
      if (context_.should_stop && context_.should_stop()) {
        outcome_.was_stopped = true;
        break;
      }
      update(i);
      if ((i + 1) % options_.judge_every == 0) judge();
    }
    // Evolution minimizes, so the loss is the negated score.
    outcome_.loss = outcome_.check_loss = -best_;
    outcome_.is_finite = std::isfinite(best_);
    return outcome_;
  }

 private:
  // Moments of inherited weights stem from other episodes, so Adam restarts.
  static Network fresh(Network network) {
    network.parameters().forget_gradients();
    return network;
  }

  bool is_enough() const { return best_ >= game_.enough; }

  // Scores the current policy on episodes whose starts do not depend on the
  // seed of this training, so that candidates are comparable, and keeps the
  // best.
  void judge() {
    const Network& now = actor_learner_.network();
    const double score = judged_score(now, game_, options_.judged_episodes,
                                      Rng(0).split("judge"));
    if (!(score > best_)) return;
    best_ = score;
    actor_ = now;
    if (critic_ != nullptr) *critic_ = critic_learner_->network();
  }

  // Falls geometrically from deviation to last_deviation.
  double deviation_at(std::size_t update) const {
    const double share =
        static_cast<double>(update) / static_cast<double>(options_.max_updates);
    return options_.deviation *
           std::pow(options_.last_deviation / options_.deviation, share);
  }

  void update(std::size_t index) {
    const Rng rng = Rng(context_.seed).split(index);
    stepper_.take_weights(actor_learner_.network());
    std::vector<Episode> episodes;
    for (std::size_t i = 0; i < options_.episodes; ++i) {
      Rng own = rng.split(i);
      episodes.push_back(
          game_.play(stepper_, options_.discount, deviation_at(index), own));
    }
    Advantages advantages =
        critic_learner_ ? train_critic(episodes)
                        : compute_advantages(episodes, options_.discount);
    standardize(advantages);
    learn(episodes, advantages);
    ++outcome_.steps;
  }

  // Discrete actions encode the gradient in the targets (see pulled). For
  // continuous actions the squared error to the action taken, weighted by the
  // advantage, has the gradient of the normal log-likelihood up to a factor.
  void learn(const std::vector<Episode>& episodes,
             const Advantages& advantages) {
    std::vector<std::vector<float>> targets;
    std::vector<std::vector<float>> weights;
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      const std::vector<double>& own = advantages[i];
      if (game_.is_discrete) {
        targets.push_back(pulled(episodes[i], own));
        weights.emplace_back(own.size(), 1.0f);
      } else {
        targets.push_back(episodes[i].choices);
        weights.emplace_back(own.begin(), own.end());
      }
    }
    const bool as_sequences = actor_.is_recurrent();
    actor_learner_.step(
        {.inputs = lay_out(collect_observations(episodes), game_.observations,
                           as_sequences),
         .targets = lay_out(targets, game_.outputs, as_sequences),
         .weights = lay_out_numbers(weights, as_sequences),
         .scale = static_cast<double>(count_steps(episodes))});
  }

  // The gradient of cross entropy with respect to the logits is p - t, so the
  // target t = p - g yields any gradient g. Here g is the gradient of
  // -advantage * log p(choice) minus the entropy bonus.
  std::vector<float> pulled(const Episode& episode,
                            const std::vector<double>& advantages) const {
    std::vector<float> targets(episode.outputs);
    const std::size_t count = game_.outputs;
    for (std::size_t step = 0; step < advantages.size(); ++step) {
      const float* p = episode.outputs.data() + step * count;
      double entropy = 0;
      for (std::size_t i = 0; i < count; ++i) entropy -= p[i] * log_of(p[i]);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = step * count + i;
        const double choice = double{episode.choices[at]} - double{p[i]};
        const double bonus = double{p[i]} * (log_of(p[i]) + entropy);
        targets[at] += static_cast<float>(advantages[step] * choice -
                                          options_.entropy * bonus);
      }
    }
    return targets;
  }

  // Bounded, because a probability may round to 0.
  static double log_of(float p) { return std::log(std::max(double{p}, 1e-12)); }

  // Computes the advantages from the critic's guesses, then trains the critic
  // towards guess + advantage, the corrected return.
  Advantages train_critic(const std::vector<Episode>& episodes) {
    const bool as_sequences = critic_->is_recurrent();
    const Tensor inputs = lay_out(collect_observations(episodes),
                                  game_.observations, as_sequences);
    const auto guesses = guess_returns(episodes, inputs, as_sequences);
    Advantages advantages = compute_advantages(
        episodes, guesses, options_.discount, options_.trust);
    std::vector<std::vector<float>> targets(episodes.size());
    std::vector<std::vector<float>> weights(episodes.size());
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      for (std::size_t t = 0; t < advantages[i].size(); ++t) {
        targets[i].push_back(static_cast<float>(
            (guesses[i][t] + advantages[i][t]) * (1 - options_.discount)));
      }
      weights[i].assign(advantages[i].size(), 1);
    }
    const WeightedRows rows{
        .inputs = inputs,
        .targets = lay_out(targets, 1, as_sequences),
        .weights = lay_out_numbers(weights, as_sequences),
        .scale = static_cast<double>(count_steps(episodes))};
    for (std::size_t i = 0; i < options_.critic_steps; ++i) {
      critic_learner_->step(rows);
    }
    return advantages;
  }

  std::vector<std::vector<double>> guess_returns(
      const std::vector<Episode>& episodes, const Tensor& inputs,
      bool as_sequences) {
    const std::vector<float> all =
        critic_learner_->outputs(inputs).contiguous().to_vector();
    const std::size_t longest =
        as_sequences ? static_cast<std::size_t>(inputs.size(1)) : 0;
    std::vector<std::vector<double>> guesses;
    std::size_t begin = 0;
    for (const Episode& episode : episodes) {
      std::vector<double> own;
      for (std::size_t t = 0; t < episode.steps(); ++t) {
        own.push_back(double{all[begin + t]} / (1 - options_.discount));
      }
      // After a real end nothing follows. If the step limit cut the episode,
      // the last guess stands for the return that would have followed.
      own.push_back(episode.is_cut ? own.back() : 0);
      guesses.push_back(std::move(own));
      begin += as_sequences ? longest : episode.steps();
    }
    return guesses;
  }

  Network& actor_;
  Network* critic_;  // May be null.
  const PolicyGame& game_;
  const PolicyOptions& options_;
  const LearningContext& context_;
  WeightedLearner actor_learner_;
  std::optional<WeightedLearner> critic_learner_;
  NetworkStepper stepper_;
  double best_ = -std::numeric_limits<double>::infinity();
  TrainingOutcome outcome_;
};

}  // namespace

double judged_score(const Network& actor, const PolicyGame& game,
                    std::size_t episodes, const Rng& rng) {
  NetworkStepper stepper(actor);
  double sum = 0;
  for (std::size_t i = 0; i < episodes; ++i) {
    Rng own = rng.split(i);
    sum += game.best_return(stepper, own);
  }
  return game.score(sum / static_cast<double>(episodes));
}

TrainingOutcome learn_policy(Network& actor, Network* critic,
                             const PolicyGame& game,
                             const PolicyOptions& options,
                             const LearningContext& context) {
  return PolicyLearning(actor, critic, game, options, context).run();
}

}  // namespace lamarck::evolution
