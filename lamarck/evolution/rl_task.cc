#include "lamarck/evolution/rl_task.h"

#include "lamarck/base/ensure.h"

namespace lamarck::evolution {
namespace {

void check(const PolicyOptions& options) {
  REQUIRE(options.episodes > 0 && options.judged_episodes > 0 &&
              options.judge_every > 0 && options.evaluated_episodes > 0,
          "PolicyOptions: episodes, judged_episodes, judge_every and "
          "evaluated_episodes must be at least 1, got {}, {}, {} and {}.",
          options.episodes, options.judged_episodes, options.judge_every,
          options.evaluated_episodes);
  REQUIRE(options.discount >= 0 && options.discount < 1,
          "PolicyOptions: discount must be in [0, 1), got {}.",
          options.discount);
  REQUIRE(options.trust >= 0 && options.trust <= 1,
          "PolicyOptions: trust must be between 0 and 1, got {}.",
          options.trust);
  REQUIRE(options.deviation > 0 && options.last_deviation > 0,
          "PolicyOptions: deviation and last_deviation must be positive, got "
          "{} and {}.",
          options.deviation, options.last_deviation);
}

void check_widths(const Network& network, std::size_t inputs,
                  std::size_t outputs, const char* which) {
  REQUIRE(network.input_width() == inputs && network.output_width() == outputs,
          "RLTask: the {} must have {} inputs and {} outputs, got {} and {}.",
          which, inputs, outputs, network.input_width(),
          network.output_width());
}

void prepare_actor(Network& network, const PolicyGame& game) {
  check_widths(network, game.observations, game.outputs, "policy");
  network.set_head(game.is_discrete ? Loss::CrossEntropy : Loss::MeanSquared);
}

double estimate_work(const Network& network, const PolicyGame& game,
                     const PolicyOptions& options) {
  return static_cast<double>(options.max_updates * options.episodes *
                             game.max_steps) *
         static_cast<double>(network.parameters().size());
}

}  // namespace

PolicyTask::PolicyTask(PolicyGame game, const PolicyOptions& options)
    : game_(std::move(game)), options_(options) {
  check(options);
}

TrainingOutcome PolicyTask::train_until_converged(
    Network& network, const LearningContext& context) const {
  return learn_policy(network, nullptr, game_, options_, context);
}

double PolicyTask::evaluate(const Network& network, Rng& rng) const {
  return judged_score(network, game_, options_.evaluated_episodes, rng);
}

void PolicyTask::prepare(Network& network) const {
  prepare_actor(network, game_);
}

double PolicyTask::work(const Network& network) const {
  return estimate_work(network, game_, options_);
}

ActorCriticGameTask::ActorCriticGameTask(PolicyGame game,
                                         const PolicyOptions& options)
    : game_(std::move(game)), options_(options) {
  check(options);
}

TrainingOutcome ActorCriticGameTask::train_until_converged(
    std::span<Network> networks, const LearningContext& context) const {
  return learn_policy(networks[0], &networks[1], game_, options_, context);
}

double ActorCriticGameTask::evaluate(std::span<const Network> networks,
                                     Rng& rng) const {
  return judged_score(networks[0], game_, options_.evaluated_episodes, rng);
}

void ActorCriticGameTask::prepare(std::span<Network> networks) const {
  REQUIRE(networks.size() == 2,
          "ActorCriticTask: there must be two networks, an actor and a critic, "
          "got {}.",
          networks.size());
  prepare_actor(networks[0], game_);
  check_widths(networks[1], game_.observations, 1, "critic");
  networks[1].set_head(Loss::MeanSquared);
}

double ActorCriticGameTask::work(std::span<const Network> networks) const {
  return estimate_work(networks[0], game_, options_) +
         static_cast<double>(options_.critic_steps) *
             estimate_work(networks[1], game_, options_);
}

}  // namespace lamarck::evolution
