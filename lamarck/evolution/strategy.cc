#include "lamarck/evolution/strategy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/suggestion.h"

namespace lamarck::evolution {
namespace {

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

}  // namespace lamarck::evolution
