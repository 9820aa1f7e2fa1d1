#include "lamarck/evolution/strategy_context.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lamarck/evolution/mutation.h"

namespace lamarck::evolution {
namespace {

constexpr double kShortWork = 2e7;  // Multiplications that take about 0.01 s.
constexpr std::size_t kUsualChildren = 4;
constexpr int kDraws = 8;  // Attempts to find a topology not tried too often.

std::uint64_t hash_of(std::span<const Network> networks) {
  std::uint64_t hash = 0;
  for (const Network& network : networks) {
    hash = hash * 0x9e3779b97f4a7c15 + network.topology_hash();
  }
  return hash;
}

}  // namespace

StrategyContext::StrategyContext(const MultiEvolution& evolution,
                                 ThreadPool& pool,
                                 std::function<bool()> should_stop)
    : evolution_(evolution),
      pool_(pool),
      should_stop_(std::move(should_stop)) {}

// Derived from the seed, island and generation instead of a generator that
// advances. So results depend neither on threads nor on checkpoints.
Rng StrategyContext::rng(const Island& island) const {
  return Rng(options().seed)
      .split(island.index)
      .split(static_cast<std::uint64_t>(island.generation));
}

Candidate StrategyContext::initial_candidate(const Island& island) const {
  Candidate first{.networks = evolution_.networks};
  if (island.lives == 1 && island.index == 0) return first;
  Rng own = rng(island).split("beginning");
  for (Network& network : first.networks) {
    network.parameters().forget_gradients();
    for (const NetworkEdge& edge : network.edges()) {
      draw_weights(network, edge, own);
    }
  }
  return first;
}

Candidate StrategyContext::child(const Candidate& parent, Island& island,
                                 std::uint64_t key, bool cascade) const {
  Rng own = rng(island).split("child").split(key);
  MutationLimits limits = options().limits;
  limits.recurrent = evolution_.task->is_sequential();
  limits.keeps_outputs = cascade;
  const MutationChoice choice{.grain = options().grain,
                              .cascade = cascade,
                              .weights = options().mutations};
  Candidate child;
  // Draws again while the topology has been tried too often. The last draw is
  // taken in any case.
  for (int draw = 0; draw < kDraws; ++draw) {
    child = {.networks = parent.networks,
             .loss = parent.loss,
             .score = parent.score,
             .mutation = "none",
             .parent_loss = parent.loss};
    const std::size_t which = own.below(child.networks.size());
    Network& network = child.networks[which];
    limits.score_units = nullptr;
    // Only networks of neurons have unit scores, see Trainer::unit_scores.
    if (cascade && network.has_only_neurons()) {
      limits.score_units = [&](const Network& trial,
                               std::span<const UnitId> units) {
        return evolution_.task->unit_scores(trial, which, units);
      };
    }
    const Mutation* mutation = draw_mutation(network, limits, choice, own);
    if (mutation == nullptr) {
      ++island.counts.infeasible;
      break;
    }
    mutation->apply(network, limits, own);
    child.mutation = mutation->name;
    std::size_t& tried = island.tried[hash_of(child.networks)];
    if (tried++ < options().repeats) break;
    ++island.counts.repeated;
  }
  evolution_.profiler.send(MutationTried{details(island, child)});
  return child;
}

// Parallel children pay off only if training takes longer than waking threads.
std::size_t StrategyContext::child_count(const Candidate& parent) const {
  if (options().offspring > 0) return options().offspring;
  return evolution_.task->work(parent.networks) < kShortWork ? 1
                                                             : kUsualChildren;
}

void StrategyContext::train_and_score_one(Candidate& candidate,
                                          const Island& island,
                                          std::uint64_t seed, double bar,
                                          EvolutionCounts& counts) const {
  const EvolutionOptions& options = this->options();
  const LearningContext context{
      .convergence = {.loss_tolerance = options.loss_tolerance,
                      .grad_tolerance = options.grad_tolerance,
                      .patience = options.patience},
      .bar = bar,
      .should_stop = should_stop_,
      .seed = seed,
      .keeps_moments = true};
  // The values of a candidate whose training fails.
  candidate.loss = std::numeric_limits<double>::infinity();
  candidate.score = -std::numeric_limits<double>::infinity();
  const TrainingOutcome outcome = evolution_.task->train_until_converged(
      std::span<Network>(candidate.networks), context);
  counts.evaluations = 1;
  counts.gradient_steps = outcome.steps;
  counts.stopped_early = outcome.was_stopped_early ? 1 : 0;
  const double loss =
      std::isnan(outcome.check_loss) ? outcome.loss : outcome.check_loss;
  if (!outcome.is_finite || !std::isfinite(loss)) {
    counts.dropped = 1;
    evolution_.profiler.send(CandidateDropped{details(island, candidate)});
    return;
  }
  candidate.loss = loss;
  const int runs =
      evolution_.task->is_deterministic() ? 1 : std::max(1, options.eval_runs);
  candidate.score = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    Rng own =
        Rng(seed).split("evaluate").split(static_cast<std::uint64_t>(run));
    const double score = evolution_.task->evaluate(
        std::span<const Network>(candidate.networks), own);
    // std::min would ignore NaN, which must count as the worst score.
    candidate.score = std::isnan(score)
                          ? -std::numeric_limits<double>::infinity()
                          : std::min(candidate.score, score);
  }
  candidate.reaches_target = candidate.score >= *options.target_metric;
}

void StrategyContext::train_and_score(std::span<Candidate> candidates,
                                      Island& island, double bar) const {
  // The label is part of the random sequence; changing it changes all results.
  Rng own = rng(island).split("bring_up");
  std::vector<EvolutionCounts> counts(candidates.size());
  pool_.parallel_for(candidates.size(), [&](std::size_t i) {
    const std::uint64_t seed = Rng(own.split(i)).bits();
    train_and_score_one(candidates[i], island, seed, bar, counts[i]);
  });
  for (const EvolutionCounts& each : counts) {
    island.counts.evaluations += each.evaluations;
    island.counts.gradient_steps += each.gradient_steps;
    island.counts.stopped_early += each.stopped_early;
    island.counts.dropped += each.dropped;
  }
}

MutationDetails StrategyContext::details(const Island& island,
                                         const Candidate& child) const {
  return {.island = island.index,
          .generation = island.generation,
          .mutation = child.mutation,
          .loss = child.loss,
          .score = child.score,
          .parent_loss = child.parent_loss};
}

void StrategyContext::report_kept(const Island& island,
                                  const Candidate& child) const {
  evolution_.profiler.send(MutationKept{details(island, child)});
}

void StrategyContext::report_rolled_back(const Island& island,
                                         const Candidate& child) const {
  evolution_.profiler.send(MutationRolledBack{details(island, child)});
}

bool StrategyContext::offer_best(Island& island, const Candidate& candidate) {
  if (!std::isfinite(candidate.loss)) return false;
  const Candidate& best = island.best;
  const bool is_better =
      best.networks.empty() || (candidate.reaches_target != best.reaches_target
                                    ? candidate.reaches_target
                                    : candidate.loss < best.loss);
  if (is_better) island.best = candidate;
  return is_better;
}

}  // namespace lamarck::evolution
