#include "lamarck/evolution/strategy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/suggestion.h"

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

// ---- hill_climb: one parent, replaced only by a strictly better child

// The first generation of an island, and the first after a restart.
void start_island(Island& island, const StrategyContext& context) {
  std::vector<Candidate> first{context.initial_candidate(island)};
  context.train_and_score(first, island,
                          std::numeric_limits<double>::infinity());
  StrategyContext::offer_best(island, first[0]);
  island.population = std::move(first);
}

void advance_hill_climb(Island& island, const StrategyContext& context) {
  if (island.population.empty()) return start_island(island, context);
  Candidate& parent = island.population[0];
  std::vector<Candidate> children{
      context.child(parent, island, 0, /*cascade=*/false)};
  context.train_and_score(children, island,
                          std::numeric_limits<double>::infinity());
  StrategyContext::offer_best(island, children[0]);
  if (children[0].loss < parent.loss) {
    context.report_kept(island, children[0]);
    parent = std::move(children[0]);
    island.since_gain = 0;
    // The new parent has other weights, so known topologies get a new chance.
    island.tried.clear();
  } else {
    context.report_rolled_back(island, children[0]);
    ++island.since_gain;
  }
}

// ---- cascade: a small population that grows by units which read all nodes
// before them

bool is_removal(const Candidate& child) {
  const Mutation* mutation = find_mutation(child.mutation);
  return mutation != nullptr && mutation->shrinks;
}

const Candidate& tournament(const std::vector<Candidate>& population,
                            Rng& rng) {
  const Candidate& a = rng.choice(population);
  const Candidate& b = rng.choice(population);
  return b.loss < a.loss ? b : a;
}

std::size_t worst_place(const std::vector<Candidate>& population) {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < population.size(); ++i) {
    if (population[i].loss > population[worst].loss) worst = i;
  }
  return worst;
}

// Adds the child to a population that is not full, or replaces the worst member
// if the child is better. Returns whether it was added.
bool settle(Candidate child, Island& island, std::size_t capacity) {
  if (!std::isfinite(child.loss)) return false;
  if (island.population.size() < capacity) {
    island.population.push_back(std::move(child));
    return true;
  }
  Candidate& worst = island.population[worst_place(island.population)];
  if (!(child.loss < worst.loss)) return false;
  worst = std::move(child);
  return true;
}

void advance_cascade(Island& island, const StrategyContext& context) {
  if (island.population.empty()) return start_island(island, context);
  const std::size_t capacity =
      std::max<std::size_t>(1, context.options().population);
  Rng rng = context.rng(island);
  const std::size_t count = context.child_count(island.population[0]);
  std::vector<Candidate> children;
  std::vector<double> parent_losses;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& parent = tournament(island.population, rng);
    parent_losses.push_back(parent.loss);
    children.push_back(context.child(parent, island, i, /*cascade=*/true));
  }
  // A full population accepts only a child that beats its worst member, so
  // training may give up on any other. While it is filling up, no
  // training stops early.
  const double bar =
      island.population.size() < capacity
          ? std::numeric_limits<double>::infinity()
          : island.population[worst_place(island.population)].loss;
  context.train_and_score(children, island, bar);
  ++island.since_gain;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (StrategyContext::offer_best(island, children[i])) island.since_gain = 0;
    // A removal must not make the network worse. Without this rule, networks
    // would shrink as long as they beat the worst member.
    const bool may_stay =
        !is_removal(children[i]) || children[i].loss <= parent_losses[i];
    const Candidate child = children[i];
    if (may_stay && settle(std::move(children[i]), island, capacity)) {
      context.report_kept(island, child);
    } else {
      context.report_rolled_back(island, child);
    }
  }
}

constexpr std::array kStrategies = {
    Strategy{"cascade",
             "a small population; new units read everything before them and "
             "are chosen by how much of the error they explain",
             advance_cascade},
    Strategy{"hill_climb",
             "one parent and six mutations; keeps only strict improvements",
             advance_hill_climb},
};

}  // namespace

std::span<const Strategy> strategy_table() { return kStrategies; }

Result<Strategy> parse_strategy(std::string_view name) {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) {
    if (strategy.name == name) return strategy;
    names.emplace_back(strategy.name);
  }
  const auto nearest = nearest_word(name, names);
  return Error(ErrorCode::InvalidArgument,
               "Unknown strategy '" + std::string(name) + "'; " +
                   (nearest ? "did you mean '" + *nearest + "'?"
                            : "use one of " + join_text(names, ", ") + "."));
}

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
             .mutation = "none"};
    const std::size_t which = own.below(child.networks.size());
    Network& network = child.networks[which];
    limits.score_units = nullptr;
    // Only narrow networks have unit scores, see Trainer::unit_scores.
    if (cascade && network.is_narrow()) {
      limits.score_units = [&](const Network& trial,
                               std::span<const UnitId> units) {
        return evolution_.task->unit_scores(trial, which, units);
      };
    }
    const Mutation* mutation = draw_mutation(network, limits, choice, own);
    if (mutation == nullptr) break;
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
  if (!outcome.is_finite || !std::isfinite(outcome.check_loss)) {
    counts.dropped = 1;
    evolution_.profiler.send(CandidateDropped{details(island, candidate)});
    return;
  }
  candidate.loss = outcome.check_loss;
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
  candidate.reaches_target = candidate.score >= options.target_metric;
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
          .score = child.score};
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
