#include "lamarck/evolution/rl_task.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include "lamarck/base/error.h"
#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {
namespace {

TEST(TuneRl, Cart) {
  const char* rate = std::getenv("RATE");
  const char* ent = std::getenv("ENT");
  PolicyOptions o;
  if (rate) o.rate = static_cast<float>(std::atof(rate));
  if (ent) o.entropy = std::atof(ent);
  if (const char* e = std::getenv("EPI")) o.episodes = static_cast<std::size_t>(std::atoi(e));
  if (const char* e = std::getenv("UPD")) o.most_updates = static_cast<std::size_t>(std::atoi(e));
  const char* env = std::getenv("GAME");
  const std::string game = env ? env : "cart";
  const double secs = std::getenv("SECS") ? std::atof(std::getenv("SECS")) : 5;
  const int seeds = std::getenv("SEEDS") ? std::atoi(std::getenv("SEEDS")) : 8;
  if (const char* e = std::getenv("DEV")) o.deviation = std::atof(e);
  if (const char* e = std::getenv("DEV2")) o.last_deviation = std::atof(e);
  if (const char* e = std::getenv("DISC")) o.discount = std::atof(e);
  for (int seed = 0; seed < seeds; ++seed) {
    EvolutionOptions eo{.seed = (std::uint64_t)seed, .target_metric = 0.99,
      .budget = {.seconds = secs}};
    auto show = [&](const Network& n, double score, double seconds, auto counts, bool reached, const PolicyGame& g) {
      Rng rng(777 + static_cast<std::uint64_t>(seed));
      std::printf("%s seed %d reached %d score %.3f fresh %.4f evals %ld hidden %zu edges %zu  %.2f s\n", game.c_str(), seed,
        reached, score, judged_score(n, g, 100, rng), (long)counts.evaluations, n.hidden_count(), n.forward_edge_count(), seconds);
    };
    if (game == "cart") {
      auto r = Evolution{.graph = minimal_network(4, 2, static_cast<std::uint64_t>(seed)), .task = RLTask<CartPole>(o), .options = eo}.run();
      show(r.network, r.score, r.seconds, r.counts, r.target_reached, policy_game<CartPole>());
    } else if (game == "car") {
      auto r = Evolution{.graph = minimal_network(2, 3, static_cast<std::uint64_t>(seed)), .task = RLTask<MountainCar>(o), .options = eo}.run();
      show(r.network, r.score, r.seconds, r.counts, r.target_reached, policy_game<MountainCar>());
    } else if (game == "pend") {
      auto r = Evolution{.graph = minimal_network(3, 1, static_cast<std::uint64_t>(seed)), .task = RLTask<Pendulum>(o), .options = eo}.run();
      show(r.network, r.score, r.seconds, r.counts, r.target_reached, policy_game<Pendulum>());
    } else if (game == "acpend") {
      auto r = MultiEvolution{.graphs = {minimal_network(3, 1, static_cast<std::uint64_t>(seed)), minimal_network(3, 1, static_cast<std::uint64_t>(seed))}, .task = ActorCriticTask<Pendulum>(o), .options = eo}.run();
      show(r.networks[0], r.score, r.seconds, r.counts, r.target_reached, policy_game<Pendulum>());
    } else {
      auto r = MultiEvolution{.graphs = {minimal_network(4, 2, static_cast<std::uint64_t>(seed)), minimal_network(4, 1, static_cast<std::uint64_t>(seed))}, .task = ActorCriticTask<CartPole>(o), .options = eo}.run();
      show(r.networks[0], r.score, r.seconds, r.counts, r.target_reached, policy_game<CartPole>());
    }
  }
}

}  // namespace
}  // namespace lamarck::evolution
