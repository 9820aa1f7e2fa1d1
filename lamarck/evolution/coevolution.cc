#include "lamarck/evolution/coevolution.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "lamarck/base/ensure.h"
#include "lamarck/base/thread_pool.h"

namespace lamarck::evolution {
namespace {

// Half of the children change their weights only by this fraction of the step.
constexpr double kSmallStep = 0.2;

struct Side {
  std::vector<Network> members;  // Sorted by fitness after a generation.
  std::vector<double> fitness;
  std::vector<PastChampion> hall;
};

// One run of coevolution. All randomness follows from the seed, the side and
// the generation (see make_rng), so the result does not depend on the thread
// count.
class CoevolutionRun {
 public:
  explicit CoevolutionRun(const Coevolution& setup)
      : setup_(setup),
        options_(setup.options),
        clock_(options_.clock != nullptr ? *options_.clock : system_clock_),
        pool_(options_.threads),
        begin_(seconds_now()) {
    result_.joint_score = -std::numeric_limits<double>::infinity();
    result_.champions = setup_.populations;
    for (std::size_t i = 0; i < setup_.populations.size(); ++i) {
      sides_.push_back(first_side(i));
    }
  }

  CoevolutionResult run() {
    std::string reason;
    while (reason.empty()) {
      if (is_team() ? advance_teams() : advance_contests()) finish_generation();
      reason = reason_to_end();
      if (reason.empty()) breed();
    }
    setup_.profiler.send(CoevolutionEnded{{.reason = reason}});
    result_.cancelled = reason == "cancelled";
    result_.target_reached = reason == "target";
    result_.seconds = seconds_now() - begin_;
    for (Side& side : sides_) {
      std::ranges::sort(side.hall, {}, &PastChampion::generation);
      result_.halls.push_back(std::move(side.hall));
    }
    return std::move(result_);
  }

 private:
  using Teams = std::vector<std::vector<const Network*>>;

  bool is_team() const { return setup_.joint_score != nullptr; }
  double seconds_now() const {
    return std::chrono::duration<double>(clock_.elapsed()).count();
  }
  Rng make_rng(std::size_t side, std::string_view what) const {
    return Rng(options_.seed)
        .split(what)
        .split(side)
        .split(static_cast<std::uint64_t>(result_.generations));
  }

  // The first member is the given network; the others have redrawn weights.
  Side first_side(std::size_t index) const {
    Side side;
    side.members.assign(options_.population, setup_.populations[index]);
    side.fitness.resize(options_.population);
    const Rng rng = make_rng(index, "begin");
    for (std::size_t i = 1; i < side.members.size(); ++i) {
      Rng own = rng.split(i);
      Network& network = side.members[i];
      for (const NetworkEdge& edge : network.edges()) {
        draw_weights(network, edge, own);
      }
    }
    return side;
  }

  // ---- Contests

  std::size_t other_of(std::size_t side) const {
    return sides_.size() == 1 ? 0 : 1 - side;
  }

  // The best of the other side, some of its other members, and some of its past
  // champions. All networks of one side meet the same opponents.
  std::vector<const Network*> draw_opponents(std::size_t side) const {
    const Side& other = sides_[other_of(side)];
    Rng rng = make_rng(side, "opponents");
    std::vector<const Network*> drawn = {&other.members[0]};
    for (const std::size_t i :
         rng.sample(other.members.size() - 1,
                    std::min(options_.opponents, other.members.size()) - 1)) {
      drawn.push_back(&other.members[i + 1]);
    }
    for (const std::size_t i :
         rng.sample(other.hall.size(),
                    std::min(options_.past_opponents, other.hall.size()))) {
      drawn.push_back(&other.hall[i].network);
    }
    return drawn;
  }

  double fitness_against(const Network& network, std::size_t side,
                         std::span<const Network* const> opponents) const {
    const Rng rng = make_rng(side, "contest");
    double sum = 0;
    for (std::size_t i = 0; i < opponents.size(); ++i) {
      Rng own = rng.split(i);
      sum += side == 0 ? setup_.contest(network, *opponents[i], own).first
                       : setup_.contest(*opponents[i], network, own).second;
    }
    return sum / static_cast<double>(opponents.size());
  }

  // Returns false if the run was cancelled before all were evaluated.
  bool advance_contests() {
    std::vector<std::vector<const Network*>> opponents;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      opponents.push_back(draw_opponents(i));
    }
    const bool is_complete =
        evaluate([&](std::size_t side, std::size_t member) {
          sides_[side].fitness[member] = fitness_against(
              sides_[side].members[member], side, opponents[side]);
        });
    for (const auto& drawn : opponents) {
      result_.evaluations +=
          static_cast<std::int64_t>(drawn.size() * options_.population);
    }
    if (!is_complete) return false;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      sort_by_fitness(sides_[i]);
      result_.champions[i] = sides_[i].members[0];
    }
    return true;
  }

  // ---- Teams

  // The first team consists of the champions of all sides, the others of random
  // members.
  Teams draw_teams() const {
    Teams teams(options_.opponents);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      Rng rng = make_rng(i, "team");
      for (std::size_t team = 0; team < teams.size(); ++team) {
        const std::size_t which =
            team == 0 ? 0 : rng.below(sides_[i].members.size());
        teams[team].push_back(&sides_[i].members[which]);
      }
    }
    return teams;
  }

  // The best score of a team in which `network` takes the place of its side.
  // Copies that team to `best_team` unless it is null.
  double best_with(const Network& network, std::size_t side, Teams teams,
                   std::vector<Network>* best_team) const {
    const Rng rng = make_rng(0, "joint");
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < teams.size(); ++i) {
      Rng own = rng.split(i);
      teams[i][side] = &network;
      const double score = setup_.joint_score(teams[i], own);
      if (!(score > best)) continue;  // Also skips NaN.
      best = score;
      if (best_team == nullptr) continue;
      best_team->clear();
      for (const Network* each : teams[i]) best_team->push_back(*each);
    }
    return best;
  }

  bool advance_teams() {
    const Teams teams = draw_teams();
    const bool is_complete =
        evaluate([&](std::size_t side, std::size_t member) {
          sides_[side].fitness[member] =
              best_with(sides_[side].members[member], side, teams, nullptr);
        });
    result_.evaluations += static_cast<std::int64_t>(
        sides_.size() * options_.population * teams.size());
    if (!is_complete) return false;
    ++flat_generations_;
    // Before sorting: `teams` points into the members.
    for (std::size_t i = 0; i < sides_.size(); ++i) update_best_team(i, teams);
    for (Side& side : sides_) sort_by_fitness(side);
    return true;
  }

  // The team itself was not stored while it was evaluated, so it is scored
  // again to find it.
  void update_best_team(std::size_t side, const Teams& teams) {
    const std::vector<double>& fitness = sides_[side].fitness;
    const auto best = std::ranges::max_element(fitness);
    if (!(*best > result_.joint_score)) return;
    flat_generations_ = 0;
    result_.joint_score = best_with(
        sides_[side].members[static_cast<std::size_t>(best - fitness.begin())],
        side, teams, &result_.champions);
  }

  // ---- Both

  // Calls one(side, member) for all members in parallel. Returns false if the
  // run was cancelled.
  bool evaluate(const std::function<void(std::size_t, std::size_t)>& one) {
    const std::size_t count = options_.population;
    return pool_.parallel_for(
        sides_.size() * count,
        [&](std::size_t i) { one(i / count, i % count); }, options_.cancel);
  }

  // Stable, so that ties do not depend on chance. NaN sorts last.
  static void sort_by_fitness(Side& side) {
    for (double& fitness : side.fitness) {
      if (std::isnan(fitness)) fitness = -std::numeric_limits<double>::max();
    }
    std::vector<std::size_t> order(side.members.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return side.fitness[i]; });
    Side sorted;
    for (const std::size_t i : order) {
      sorted.members.push_back(std::move(side.members[i]));
      sorted.fitness.push_back(side.fitness[i]);
    }
    side.members = std::move(sorted.members);
    side.fitness = std::move(sorted.fitness);
  }

  void finish_generation() {
    std::vector<SideFitness> fitness;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      const Side& side = sides_[i];
      fitness.push_back(
          {.best = side.fitness[0],
           .mean = std::reduce(side.fitness.begin(), side.fitness.end()) /
                   static_cast<double>(side.fitness.size())});
      add_to_hall(i);
    }
    ++result_.generations;
    result_.history.push_back(fitness);
    setup_.profiler.send(
        CoevolutionGeneration{{.generation = result_.generations,
                               .evaluations = result_.evaluations,
                               .sides = std::move(fitness)}});
  }

  // Reservoir sampling: the n-th champion enters with probability hall / n and
  // replaces a random one, so the hall stays a uniform sample of all champions.
  void add_to_hall(std::size_t index) {
    Side& side = sides_[index];
    PastChampion champion{result_.generations, side.members[0]};
    if (side.hall.size() < options_.hall) {
      side.hall.push_back(std::move(champion));
      return;
    }
    Rng rng = make_rng(index, "hall");
    const std::uint64_t place =
        rng.below(static_cast<std::uint64_t>(result_.generations) + 1);
    if (place < side.hall.size()) side.hall[place] = std::move(champion);
  }

  // Copies the elite and fills the rest of each side with children.
  void breed() {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      Side& side = sides_[i];
      const Rng rng = make_rng(i, "breed");
      std::vector<Network> children(side.members.size());
      pool_.parallel_for(children.size(), [&](std::size_t k) {
        Rng own = rng.split(k);
        children[k] =
            k < options_.elite ? side.members[k] : child(side, i, own);
      });
      side.members = std::move(children);
    }
  }

  Network child(const Side& side, std::size_t index, Rng& rng) const {
    // A tournament of two: members are sorted, so the lower index is better.
    const std::size_t parent = std::min(rng.below(side.members.size()),
                                        rng.below(side.members.size()));
    Network network = side.members[parent];
    if (rng.chance(options_.topology_chance)) change_topology(network, rng);
    const double step =
        options_.weight_step * (rng.chance(0.5) ? 1 : kSmallStep);
    for (float& value : network.parameters().values) {
      value += static_cast<float>(rng.normal(0, step));
    }
    if (setup_.learn) setup_.learn(network, index, rng);
    return network;
  }

  void change_topology(Network& network, Rng& rng) const {
    const MutationChoice choice{.grain = options_.grain,
                                .cascade = true,
                                .weights = options_.mutations};
    const Mutation* mutation =
        draw_mutation(network, options_.limits, choice, rng);
    if (mutation != nullptr) mutation->apply(network, options_.limits, rng);
  }

  std::string reason_to_end() const {
    const EvolutionBudget& budget = options_.budget;
    if (is_team() && result_.joint_score >= options_.target) return "target";
    if (options_.cancel.is_cancelled()) return "cancelled";
    if (budget.seconds > 0 && seconds_now() - begin_ >= budget.seconds) {
      return "seconds";
    }
    if (budget.generations > 0 && result_.generations >= budget.generations) {
      return "generations";
    }
    if (budget.evaluations > 0 && result_.evaluations >= budget.evaluations) {
      return "evaluations";
    }
    if (is_team() && budget.flat_generations > 0 &&
        flat_generations_ >= budget.flat_generations) {
      return "flat_generations";
    }
    return "";
  }

  const Coevolution& setup_;
  const CoevolutionOptions& options_;
  SystemClock system_clock_;
  Clock& clock_;
  ThreadPool pool_;
  double begin_;
  std::vector<Side> sides_;
  std::int64_t flat_generations_ = 0;
  CoevolutionResult result_;
};

void check(const Coevolution& setup) {
  const CoevolutionOptions& options = setup.options;
  REQUIRE((setup.contest == nullptr) != (setup.joint_score == nullptr),
          "Coevolution: set exactly one of contest and joint_score; {} set.",
          setup.contest == nullptr ? "neither is" : "both are");
  REQUIRE(!setup.populations.empty() &&
              (setup.joint_score || setup.populations.size() <= 2),
          "Coevolution: populations must have one or two sides for a contest "
          "and at least one for a team, got {}.",
          setup.populations.size());
  REQUIRE(options.population >= 2,
          "Coevolution: population must be at least 2, got {}.",
          options.population);
  REQUIRE(options.elite < options.population,
          "Coevolution: elite must be less than population ({}), got {}.",
          options.population, options.elite);
  REQUIRE(options.opponents >= 1,
          "Coevolution: opponents must be at least 1, got {}.",
          options.opponents);
  for (const Network& network : setup.populations) network.check();
}

}  // namespace

CoevolutionResult Coevolution::run() const {
  check(*this);
  return CoevolutionRun(*this).run();
}

}  // namespace lamarck::evolution
